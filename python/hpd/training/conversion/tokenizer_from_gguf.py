"""A GGUF file's tokenizer and chat template as the files that transformers keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gguf

from hpd.errors import InputError
from hpd.training.conversion.files import write_json
from hpd.training.conversion.splits import SPLITS
from hpd.training.conversion.tokenizer_file import SPACE, filler

Value = Callable[..., Any]
"""A metadata value by its key, or the default given."""

_MERGED = (gguf.TokenType.NORMAL, gguf.TokenType.UNUSED)
_UNKNOWN = gguf.TokenType.UNKNOWN
_SPLITS = {split.name: split for split in SPLITS}


def write_tokenizer(path: Path, value: Value, output: Path) -> None:
    """Write ``tokenizer.json`` and ``tokenizer_config.json`` for the tokenizer of a GGUF file.

    Args:
        path: the file, for messages.
        value: reads its metadata.
        output: the folder.

    Raises:
        InputError: the tokenizer is of a kind that hpd cannot write.
    """
    kind, split = value("tokenizer.ggml.model", ""), value("tokenizer.ggml.pre", "gpt-2")
    tokens, types = value("tokenizer.ggml.tokens"), value("tokenizer.ggml.token_type")
    if kind == "gpt2" and split in _SPLITS:
        tokenizer = _byte_level(_known(tokens, types), value("tokenizer.ggml.merges", []), split)
    elif kind == "llama":
        scores = value("tokenizer.ggml.scores", [0.0] * len(tokens))
        tokenizer = _sentencepiece(
            tokens, types, scores, adds_space=bool(value("tokenizer.ggml.add_space_prefix", True))
        )
    else:
        raise InputError(
            f"{path}: a tokenizer of kind {kind}/{split} cannot be imported; "
            f"those that can: llama, and gpt2 with {', '.join(_SPLITS)}"
        )
    data = json.loads(tokenizer.to_str())
    # Written here, as the library would number them anew.
    data["added_tokens"] = [
        _added(number, token, special=types[number] != gguf.TokenType.USER_DEFINED)
        for number, token in enumerate(tokens)
        if types[number] not in (*_MERGED, gguf.TokenType.BYTE)
    ]
    write_json(output / "tokenizer.json", data)
    # Where llama.cpp puts a BOS token before every text unless the file says otherwise.
    adds_bos = value("tokenizer.ggml.add_bos_token", kind == "llama" or split == "llama-bpe")
    _write_settings(value, tokens, output, adds_bos=bool(adds_bos))


def _byte_level(vocab: dict[str, int], merges: Sequence[str], split: str) -> Any:
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    way = _SPLITS[split]
    tokenizer = Tokenizer(
        models.BPE(
            vocab=vocab,
            merges=[(first, second) for first, _, second in (m.partition(" ") for m in merges)],
            ignore_merges=way.ignore_merges,
        )
    )
    steps: list[Any] = [
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=way.expression is None)
    ]
    if way.expression is not None:
        steps.insert(0, pre_tokenizers.Split(Regex(way.expression), "isolated"))
    tokenizer.pre_tokenizer = steps[0] if len(steps) == 1 else pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _sentencepiece(
    tokens: Sequence[str], types: Sequence[int], scores: Sequence[float], *, adds_space: bool
) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    unknown = [token for token, kind in zip(tokens, types, strict=True) if kind == _UNKNOWN]
    tokenizer = Tokenizer(
        models.BPE(
            vocab=_numbered(tokens),
            merges=ranked_merges(
                {
                    token: score
                    for token, kind, score in zip(tokens, types, scores, strict=True)
                    if kind in _MERGED
                }
            ),
            unk_token=unknown[0] if unknown else None,
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    if adds_space:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, "always", split=False)
        steps.append(decoders.Strip(" ", 1, 0))
    else:
        tokenizer.normalizer = normalizers.Replace(" ", SPACE)
    tokenizer.decoder = decoders.Sequence(steps)
    return tokenizer


def ranked_merges(scores: dict[str, float]) -> list[tuple[str, str]]:
    """The merges that make pieces as SentencePiece does, which knows scores only.

    It joins the two neighbours whose union has the highest score: so every way of halving a piece
    into two others is a merge, and the pieces' scores rank them.
    """
    return [
        (piece[:end], piece[end:])
        for piece in sorted(scores, key=lambda piece: -scores[piece])
        for end in range(len(piece) - 1, 0, -1)
        if piece[:end] in scores and piece[end:] in scores
    ]


def _known(tokens: Sequence[str], types: Sequence[int]) -> dict[str, int]:
    """The tokens without those that only fill the embeddings up, which would become texts."""
    return {
        token: number
        for token, number in _numbered(tokens).items()
        if not (types[number] == gguf.TokenType.UNUSED and token == filler(number))
    }


def _numbered(tokens: Sequence[str]) -> dict[str, int]:
    return {token: number for number, token in enumerate(tokens)}


def _write_settings(value: Value, tokens: Sequence[str], output: Path, *, adds_bos: bool) -> None:
    settings: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "add_bos_token": adds_bos,
    }
    architecture = value("general.architecture", "")
    n_context = value(f"{architecture}.context_length")
    if n_context is not None:
        settings["model_max_length"] = int(n_context)
    for name, key in (("bos", "bos"), ("eos", "eos"), ("pad", "padding"), ("unk", "unknown")):
        number = value(f"tokenizer.ggml.{key}_token_id")
        settings[f"{name}_token"] = None if number is None else tokens[number]
    template = value("tokenizer.chat_template")
    if template:
        settings["chat_template"] = template
    write_json(output / "tokenizer_config.json", settings)


def _added(number: int, text: str, *, special: bool) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": text, **flags, "special": special}
