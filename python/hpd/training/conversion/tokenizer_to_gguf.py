"""A checkpoint's tokenizer and chat template as the metadata of a GGUF file."""

from __future__ import annotations

from typing import NamedTuple

import gguf

from hpd.errors import InputError
from hpd.training.conversion.splits import SPLITS, find_split
from hpd.training.conversion.tokenizer_file import BYTE_TOKENS, SPACE, TokenizerFile, filler

_NEVER_MERGED = -1e9
"""The score of a piece that no merge makes, below that of all others."""


class _Token(NamedTuple):
    text: str
    type: gguf.TokenType
    score: float = 0.0


def add_tokenizer(writer: gguf.GGUFWriter, file: TokenizerFile, n_vocab: int) -> None:
    """Add a tokenizer and its chat template to a GGUF file of a model with ``n_vocab`` tokens."""
    n_tokens = max(file.ids.values()) + 1
    if n_tokens > n_vocab:
        raise InputError(f"{file.path}: {n_tokens} tokens, but the model has {n_vocab}")
    if file.kind == "byte-level":
        _add_byte_level(writer, file, n_vocab)
    else:
        _add_sentencepiece(writer, file, n_vocab)
    _add_special_tokens(writer, file)
    if file.chat_template:
        writer.add_chat_template(file.chat_template)


def _add_byte_level(writer: gguf.GGUFWriter, file: TokenizerFile, n_vocab: int) -> None:
    split = find_split(file.data)
    if split is None:
        raise InputError(
            f"{file.path}: llama.cpp has no name for the way in which its pre_tokenizer splits "
            f"text; the ways that can be exported: {', '.join(split.name for split in SPLITS)}"
        )
    pieces = {
        number: _Token(text, gguf.TokenType.NORMAL)
        for text, number in file.data["model"]["vocab"].items()
    }
    tokens = _all_tokens(file, pieces, n_vocab)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(split.name)
    writer.add_token_list([token.text for token in tokens])
    writer.add_token_types([token.type for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in _merges(file)])


def _add_sentencepiece(writer: gguf.GGUFWriter, file: TokenizerFile, n_vocab: int) -> None:
    scores = _scores(file)
    bytes_ = frozenset(BYTE_TOKENS)
    pieces = {}
    for text, number in file.data["model"]["vocab"].items():
        is_byte = text in bytes_
        type_ = gguf.TokenType.BYTE if is_byte else gguf.TokenType.NORMAL
        pieces[number] = _Token(text, type_, 0.0 if is_byte else scores.get(text, _NEVER_MERGED))
    tokens = _all_tokens(file, pieces, n_vocab)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token.text for token in tokens])
    writer.add_token_scores([token.score for token in tokens])
    writer.add_token_types([token.type for token in tokens])
    writer.add_add_space_prefix(file.adds_space)


def _scores(file: TokenizerFile) -> dict[str, float]:
    """Scores with which llama.cpp merges in the order of the merges.

    It joins the two neighbours whose union has the highest score, where ``tokenizer.json`` ranks
    the pairs themselves: pairs with one union stand together there.
    """
    scores: dict[str, float] = {}
    for rank, pair in enumerate(_merges(file)):
        scores.setdefault("".join(pair), -float(rank))
    return scores


def _merges(file: TokenizerFile) -> list[list[str]]:
    merges = file.data["model"]["merges"]
    return [pair.split(" ", 1) if isinstance(pair, str) else pair for pair in merges]


def _all_tokens(file: TokenizerFile, pieces: dict[int, _Token], n_vocab: int) -> list[_Token]:
    """The model's tokens by id: pieces, those that are looked for as a whole, and unused ones."""
    unknown = file.special("unk")
    for number, entry in file.added.items():
        text = entry["content"]
        if entry["special"]:
            is_unknown = file.kind == "sentencepiece" and number == unknown
            type_ = gguf.TokenType.UNKNOWN if is_unknown else gguf.TokenType.CONTROL
            pieces[number] = _Token(text, type_, _NEVER_MERGED)
        elif number not in pieces or SPACE not in text:
            # Where SentencePiece's sign for a space is in it, merges alone make it of spaces.
            pieces[number] = _Token(text, gguf.TokenType.USER_DEFINED, _NEVER_MERGED)
    return [
        pieces.get(number, _Token(filler(number), gguf.TokenType.UNUSED))
        for number in range(n_vocab)
    ]


def _add_special_tokens(writer: gguf.GGUFWriter, file: TokenizerFile) -> None:
    adders = {
        "bos": writer.add_bos_token_id,
        "pad": writer.add_pad_token_id,
        "unk": writer.add_unk_token_id,
    }
    for name, add in adders.items():
        number = file.special(name)
        if number is not None:
            add(number)
    writer.add_eos_token_id(file.eos)
    writer.add_eot_token_id(file.end_of_turn)
    writer.add_add_bos_token(file.adds_bos)
