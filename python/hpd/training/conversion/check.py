"""Whether llama.cpp reads an exported model as it was meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from hpd import _native
from hpd.errors import HpdError, InputError, ModelLoadError
from hpd.prompt import documents_text, system_text
from hpd.prompt.template import render
from hpd.training.vocabulary import CheckpointVocabulary

ORDINARY_TEXTS = (
    "A plain sentence, with 10.5 oz of words (Pack of 6).",
    '{"Brand": "Nike", "Größe": null, "Preis": 1299.00}',
    "Straßenschuh für Größen 38-42, weiß/grün",
    "日本製 新款女装 2024, 한국어",
    "👍🏽 🇩🇪 ½ € ™",
    " leading and trailing ",
    "two  spaces, a\ttab\n\nand lines\r\n",
    "I'LL we've don't",
)
_N_RANDOM = 400
_LONGEST = 6
_MOST_DIFFERENT = 0.01
"""Of random texts: the libraries do not always agree on what a rare sign is."""


def check_model(checkpoint: Path, path: Path) -> None:
    """Load a GGUF file and compare its tokens with those of the checkpoint it was made of.

    Raises:
        InputError: llama.cpp refuses the model, or splits text otherwise than the tokenizer does.
    """
    options = _native.ModelOptions()
    options.n_gpu_layers = 0
    options.use_extra_bufts = False
    try:
        model = _native.Model([str(path)], options)
    except HpdError as error:
        lines = str(error).splitlines()
        reason = next((line for line in reversed(lines) if "error loading" in line), lines[0])
        raise InputError(
            f"{checkpoint}: llama.cpp cannot load what was made of it: {reason}"
        ) from error
    vocabulary = CheckpointVocabulary(checkpoint)
    for text in ORDINARY_TEXTS:
        _compare(checkpoint, text, model.tokenize(text), vocabulary.tokenize(text))
    prompt = _prompt(vocabulary)
    expected = vocabulary.file.tokenizer().encode(prompt, add_special_tokens=False).ids
    _compare(checkpoint, prompt, model.tokenize(prompt, True), expected)
    different = [
        text
        for text in _random_texts(vocabulary)
        if model.tokenize(text) != vocabulary.tokenize(text)
    ]
    if len(different) > _MOST_DIFFERENT * _N_RANDOM:
        text = min(different, key=len)
        _compare(checkpoint, text, model.tokenize(text), vocabulary.tokenize(text))


def _compare(checkpoint: Path, text: str, found: list[int], expected: list[int]) -> None:
    if found != expected:
        raise InputError(
            f"{checkpoint}/tokenizer.json: llama.cpp cannot split text as this tokenizer does: "
            f"{text!r} would become {found}, and not {expected}"
        )


def _prompt(vocabulary: CheckpointVocabulary) -> str:
    """A prompt in the model's own format, as the tokenizer is given it."""
    texts = {token: text for token, text, _, _ in vocabulary.control_tokens}
    try:
        rendered = render(
            vocabulary.chat_template, system_text(), bos=texts.get(vocabulary.bos, "")
        )
    except ModelLoadError:
        return ""  # Said where the model is used; other programs may have templates of their own.
    return rendered.before + documents_text([ORDINARY_TEXTS[0]]) + rendered.after


def _random_texts(vocabulary: CheckpointVocabulary) -> Iterator[str]:
    """Texts of pieces of the vocabulary, which merge in ways that nobody thought of."""
    rng = Random(0)
    tokens = sorted(vocabulary.file.ids.values())
    n_made = 0
    while n_made < _N_RANDOM:
        raw = b"".join(map(vocabulary.piece, rng.choices(tokens, k=rng.randint(1, _LONGEST))))
        n_made += 1
        try:
            yield raw.decode()
        except UnicodeDecodeError:
            yield raw.decode("utf-8", "ignore")
