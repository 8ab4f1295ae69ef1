"""A checkpoint's tokenizer as ``hpd.prompt`` wants it, so that prompts are the engine's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hpd.errors import InputError

# What llama.cpp takes as the end of a turn, whatever the settings say.
_END_TEXTS = ("<|endoftext|>", "<|im_end|>", "<|end|>", "<|eot_id|>", "<|end_of_text|>", "</s>")


class CheckpointVocabulary:
    """The byte-level BPE tokenizer in a checkpoint's folder, with its chat template."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        path = folder / "tokenizer.json"
        if not path.exists():
            raise InputError(f"{folder} has no tokenizer.json, so it is no checkpoint to train")
        self._special = Tokenizer.from_file(str(path))
        self._plain = Tokenizer.from_file(str(path))
        # What is written like a control token in a document stays text.
        self._plain.encode_special_tokens = True
        data = _read(path)
        if data["model"]["type"] != "BPE" or data["model"].get("byte_fallback"):
            raise InputError(f"{path}: not a byte-level BPE tokenizer, which is the kind needed")
        self._settings = _read(folder / "tokenizer_config.json")
        self._added = {entry["id"]: entry for entry in data["added_tokens"]}
        self._ids = {entry["content"]: entry["id"] for entry in data["added_tokens"]}
        template = folder / "chat_template.jinja"
        self.chat_template = (
            template.read_text(encoding="utf-8")
            if template.exists()
            else str(self._settings.get("chat_template") or "")
        )
        """Jinja text, or nothing."""
        self.end_tokens = frozenset(self._find_end_tokens(folder))
        """Tokens that end generation."""

    @property
    def bos(self) -> int:
        """The token that begins every prompt, or -1."""
        text = _text(self._settings.get("bos_token"))
        if text is None or not self._settings.get("add_bos_token"):
            return -1
        return int(self._ids.get(text, -1))

    @property
    def eos(self) -> int:
        """The token that ends an answer."""
        text = _text(self._settings.get("eos_token"))
        if text in self._ids:
            return int(self._ids[text])
        if not self.end_tokens:
            raise InputError("the tokenizer names no token that ends an answer (eos_token)")
        return min(self.end_tokens)

    @property
    def control_tokens(self) -> list[tuple[int, str, bool, bool]]:
        """Id, text, and whether the token swallows white space to its left and right."""
        return [
            (number, entry["content"], entry["lstrip"], entry["rstrip"])
            for number, entry in self._added.items()
            if entry["special"]
        ]

    def tokenize(self, text: str, parse_special: bool = False) -> list[int]:
        """Tokens of a text, without a BOS."""
        tokenizer = self._special if parse_special else self._plain
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    def piece(self, token: int) -> bytes:
        """The bytes that a token says; nothing for a control token."""
        entry = self._added.get(token)
        if entry is not None:
            return b"" if entry["special"] else str(entry["content"]).encode()
        name = self._plain.id_to_token(token)
        return b"" if name is None else bytes(_BYTES[char] for char in name)

    def _find_end_tokens(self, folder: Path) -> set[int]:
        found = {self._ids[text] for text in _END_TEXTS if text in self._ids}
        eos = _text(self._settings.get("eos_token"))
        if eos in self._ids:
            found.add(self._ids[eos])
        for name in ("config.json", "generation_config.json"):
            if (folder / name).exists():
                tokens = _read(folder / name).get("eos_token_id")
                found.update(tokens if isinstance(tokens, list) else [tokens])
        return {token for token in found if token is not None}


def _byte_characters() -> dict[str, int]:
    """GPT-2's printable stand-in for every byte, the other way round."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    characters = {chr(byte): byte for byte in printable}
    return characters | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTES = _byte_characters()


def _text(token: Any) -> Any:
    return token.get("content") if isinstance(token, dict) else token


def _read(path: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    return data
