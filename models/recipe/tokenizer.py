"""The box's tokenizer: byte-level BPE in which a word has the same pieces wherever it stands.

A value follows a quote (``"Nike``), while in the document it mostly follows a space. So merges join
letters first, by frequency, and a leading space only at the very end: a word is split into the same
pieces either way, except that the first one has the space or not. Copying a word is then repeating
its pieces, which a small model learns much sooner.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from recipe.examples import make_example
from recipe.rows import answer_text, prompt_text

SPECIAL = ("<|pad|>", "<|end|>", "<|user|>", "<|assistant|>")
N_LETTER_MERGES = 6000
SPACE = "Ġ"
CHAT_TEMPLATE = (
    "{%- for message in messages -%}{%- if message.role == 'user' -%}<|user|>{{ message.content }}"
    "{%- elif message.role == 'assistant' -%}<|assistant|>{{ message.content }}<|end|>"
    "{%- endif -%}{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}"
)
# Qwen2's split, which llama.cpp knows by the name "qwen2".
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# A closing quote is a token of its own, so that every value ends in the same token.
_MARKS = (
    (SPACE, '"'),
    ("{", '"'),
    ('"', ":"),
    (SPACE, "("),
    (SPACE, "-"),
    (SPACE, "&"),
    (SPACE, "|"),
    (SPACE, "{"),
    (SPACE, "["),
    ("Ċ", "Ċ"),
    (SPACE, "$"),
    (SPACE, "#"),
    ("'", "s"),
)


def corpus(n_examples: int, seed: int) -> Iterator[str]:
    """Generated prompts and answers."""
    rng = Random(seed)
    for _ in range(n_examples):
        example = make_example(rng)
        yield (
            prompt_text(example).replace("<|user|>", "").replace("<|assistant|>", "\n")
            + answer_text(example)[: -len("<|end|>")]
        )


def _letters_only(texts: Iterable[str], n_merges: int) -> list[tuple[str, str]]:
    """The merges that are learnt from words without the space before them."""
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\p{L}+"), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=len(alphabet) + n_merges,
        initial_alphabet=alphabet,
        show_progress=False,
        min_frequency=8,
        max_token_length=14,
    )
    learner.train_from_iterator(texts, trainer)
    return [(left, right) for left, right in json.loads(learner.to_str())["model"]["merges"]]


def _assemble(merges: list[tuple[str, str]]) -> Tokenizer:
    symbols = sorted(pre_tokenizers.ByteLevel.alphabet()) + [left + right for left, right in merges]
    vocabulary = {symbol: number for number, symbol in enumerate(dict.fromkeys(symbols))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def train_tokenizer(n_examples: int = 10_000, seed: int = 11) -> Tokenizer:
    """Learn the merges from generated text, and build the tokenizer."""
    texts = list(corpus(n_examples, seed))
    merges = _letters_only(texts, N_LETTER_MERGES)
    merges += [pair for pair in _MARKS if pair not in merges]
    plain = _assemble(merges)
    firsts: Counter[str] = Counter()
    for encoding in plain.encode_batch(texts[:10_000]):
        pieces = encoding.tokens
        firsts.update(piece for before, piece in pairwise(pieces) if before == SPACE)
    spaced = [
        piece
        for piece, times in firsts.most_common()
        if times >= 6 and piece[0] not in SPACE + "Ċ0123456789"
    ]
    merges += [(SPACE, piece) for piece in spaced]
    tokenizer = _assemble(merges)
    tokenizer.add_special_tokens(
        [AddedToken(text, special=True, normalized=False) for text in SPECIAL]
    )
    return tokenizer


def save(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the files from which transformers can load it."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|end|>",
        "pad_token": "<|pad|>",
        "bos_token": None,
        "chat_template": CHAT_TEMPLATE,
        "clean_up_tokenization_spaces": False,
        "model_max_length": 4096,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n")


if __name__ == "__main__":
    import sys

    save(train_tokenizer(), Path(sys.argv[1]))
