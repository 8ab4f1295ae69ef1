"""A checkpoint's tokenizer: what its files say, and how llama.cpp reads the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from hpd.errors import InputError, ModelLoadError
from hpd.prompt.template import render
from hpd.training.conversion.files import read_json

Kind = Literal["byte-level", "sentencepiece"]

SPACE = "\u2581"
"""SentencePiece's sign for a space."""

BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))
"""Tokens of single bytes, to which SentencePiece falls back."""


def filler(number: int) -> str:
    """The name of a token that only fills the embeddings up to their size, as llama.cpp has it."""
    return f"[PAD{number}]"


# What llama.cpp takes as the end of generation, whatever the settings say.
_END_TEXTS = frozenset(
    [
        *("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|calls|>", "</s>"),
        *("<|flush|>", "<end_of_turn>", "<|endoftext|>", "<|eom_id|>", "<|end_of_text|>", "<EOT>"),
        *("_<EOT>", "[EOT]", "[EOS]", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>"),
        *("<|fim_pad|>", "<|repo_name|>", "<|fim_repo|>", "<|file_sep|>"),
    ]
)
_UNSUPPORTED = ("continuing_subword_prefix", "end_of_word_suffix", "dropout")


class TokenizerFile:
    """The tokenizer in a checkpoint's folder: ``tokenizer.json`` and what stands beside it.

    Two kinds are known, both merging pairs (BPE): ``byte-level``, as Qwen and Llama 3 have it, and
    ``sentencepiece`` with byte fallback, as Llama 2, Mistral and Gemma have it.

    Raises:
        InputError: there is none, or it is of another kind.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "tokenizer.json"
        if not self.path.exists():
            raise InputError(
                f"{folder} has no tokenizer.json: save the tokenizer with transformers' "
                "save_pretrained, which writes it"
            )
        self.data = read_json(self.path)
        self.settings = read_json(folder / "tokenizer_config.json")
        self.kind: Kind = self._find_kind()
        self.added: dict[int, dict[str, Any]] = {
            entry["id"]: entry for entry in self.data.get("added_tokens") or []
        }
        """Tokens that are looked for in the text before it is split, by id."""

    @cached_property
    def chat_template(self) -> str:
        """Jinja text, or nothing."""
        file = self.folder / "chat_template.jinja"
        if file.exists():
            return file.read_text(encoding="utf-8")
        template = self.settings.get("chat_template") or ""
        if isinstance(template, str):
            return template
        named = {entry["name"]: str(entry["template"]) for entry in template}
        return named.get("default", "")

    @cached_property
    def ids(self) -> dict[str, int]:
        """Every token's id by its text."""
        ids: dict[str, int] = dict(self.data["model"]["vocab"])
        return ids | {entry["content"]: number for number, entry in self.added.items()}

    def special(self, name: str) -> int | None:
        """The id of a special token: ``bos``, ``eos``, ``pad`` or ``unk``."""
        token = self.settings.get(f"{name}_token")
        text = token.get("content") if isinstance(token, dict) else token
        if text in self.ids:
            return self.ids[text]
        numbers = self._config_ids(f"{name}_token_id")
        if numbers:
            return numbers[0]
        return self.ids.get(self.data["model"].get("unk_token")) if name == "unk" else None

    @property
    def eos(self) -> int:
        """The token that ends an answer; ``InputError`` if there is none."""
        if not self.end_tokens:
            raise InputError(f"{self.folder}: nothing says which token ends an answer (eos_token)")
        return self.end_tokens[0]

    @property
    def end_of_turn(self) -> int:
        """The token that ends a turn of the chat: the one of those that its template writes."""
        texts = {number: text for text, number in self.ids.items()}
        known = [number for number in self.end_tokens if number in texts]
        written = [number for number in known if texts[number] in self.chat_template]
        return written[0] if written else self.eos

    @cached_property
    def end_tokens(self) -> list[int]:
        """The tokens that end generation: as the checkpoint says, and as llama.cpp knows them."""
        eos = self.special("eos")
        numbers = [] if eos is None else [eos]
        numbers += self._config_ids("eos_token_id")
        numbers += sorted(number for text, number in self.ids.items() if text in _END_TEXTS)
        return list(dict.fromkeys(numbers))

    @cached_property
    def adds_bos(self) -> bool:
        """Whether every text begins with the BOS token."""
        bos = self.special("bos")
        if bos is None:
            return False
        said = self.settings.get("add_bos_token")
        if said is not None:
            return bool(said)
        return bool(self.tokenizer().encode("", add_special_tokens=True).ids[:1] == [bos])

    @cached_property
    def adds_space(self) -> bool:
        """Whether llama.cpp is to put a space before text at the beginning and behind a control
        token, as SentencePiece does.

        ``tokenizer.json`` may also ask for one at the very beginning alone, which llama.cpp does
        not know. A prompt that begins with a control token has none then, so there is none.
        """
        scheme = self._space_scheme()
        if scheme == "first":
            return not self._prompt_begins_with_control()
        return scheme == "always"

    def tokenizer(self) -> Any:
        """The tokenizer as the ``tokenizers`` library reads it."""
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self.path))

    def as_llama_cpp_reads_it(self, *, adds_space: bool | None = None) -> str:
        """``tokenizer.json`` with what llama.cpp does otherwise done its way.

        It brings no text into Unicode's composed form, and it puts its space even before text
        that begins with one, which ``tokenizer.json`` may leave as it is.

        Args:
            adds_space: whether that space is put; as the property says, unless it is given.
        """
        data = copy.deepcopy(self.data)
        if self.kind == "byte-level":
            data["normalizer"] = None
            return json.dumps(data)
        for part in _steps(data.get("pre_tokenizer"), "pretokenizers"):
            if part["type"] == "Metaspace":
                part["prepend_scheme"] = "never"
        normalizers = [
            step
            for step in _steps(data.get("normalizer"), "normalizers")
            if step["type"] != "Prepend"
        ]
        if self.adds_space if adds_space is None else adds_space:
            normalizers.insert(0, {"type": "Prepend", "prepend": SPACE})
        data["normalizer"] = {"type": "Sequence", "normalizers": normalizers}
        return json.dumps(data)

    def _find_kind(self) -> Kind:
        model = self.data["model"]
        if model["type"] != "BPE":
            raise self._refusal(f"a tokenizer of type {model['type']}; only BPE is supported")
        for name in _UNSUPPORTED:
            if model.get(name):
                raise self._refusal(f"BPE with {name}, which llama.cpp has not")
        steps = list(_steps(self.data.get("pre_tokenizer"), "pretokenizers"))
        normalizers = [s["type"] for s in _steps(self.data.get("normalizer"), "normalizers")]
        if any(step["type"] == "ByteLevel" for step in steps):
            unknown = set(normalizers) - {"NFC"}
            kind: Kind = "byte-level"
        elif model.get("byte_fallback"):
            unknown = set(normalizers) - {"Prepend", "Replace"}
            unknown |= {step["type"] for step in steps} - {"Metaspace", "Split"}
            kind = "sentencepiece"
            missing = [token for token in BYTE_TOKENS if token not in model["vocab"]]
            if missing:
                raise self._refusal(f"byte fallback without a token for {', '.join(missing[:3])}")
        else:
            raise self._refusal(
                "BPE that is neither byte-level nor falls back to bytes, so that it cannot say "
                "every text"
            )
        if unknown:
            raise self._refusal(f"{kind} BPE with {', '.join(sorted(unknown))}, unknown to hpd")
        return kind

    def _space_scheme(self) -> str:
        if self.kind == "byte-level":
            return "never"
        steps = _steps(self.data.get("normalizer"), "normalizers")
        if any(step["type"] == "Prepend" for step in steps):
            return "always"
        for step in _steps(self.data.get("pre_tokenizer"), "pretokenizers"):
            if step["type"] == "Metaspace":
                older = "always" if step.get("add_prefix_space", True) else "never"
                return str(step.get("prepend_scheme", older))
        return "never"

    def _prompt_begins_with_control(self) -> bool:
        bos = self.special("bos")
        text = self.added[bos]["content"] if bos in self.added else ""
        try:
            prompt = render(self.chat_template, "", bos=text).before
        except ModelLoadError:
            return False
        control = [entry["content"] for entry in self.added.values() if entry["special"]]
        return bool(self.chat_template) and prompt.startswith(tuple(control))

    def _config_ids(self, key: str) -> list[int]:
        numbers: list[int | None] = []
        for name in ("generation_config.json", "config.json"):
            path = self.folder / name
            given = read_json(path).get(key) if path.exists() else None
            numbers += given if isinstance(given, list) else [given]
        return [number for number in dict.fromkeys(numbers) if number is not None]

    def _refusal(self, what: str) -> InputError:
        return InputError(f"{self.path}: {what}")


def _steps(step: dict[str, Any] | None, inner: str) -> Iterator[dict[str, Any]]:
    """A normalizer's or pre-tokenizer's steps, those of sequences one by one."""
    if step is None:
        return
    if step["type"] != "Sequence":
        yield step
        return
    for part in step[inner]:
        yield from _steps(part, inner)
