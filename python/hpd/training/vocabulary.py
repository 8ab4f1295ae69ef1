"""A checkpoint's tokenizer as ``hpd.prompt`` wants it, so that prompts are the engine's."""

from __future__ import annotations

from pathlib import Path

from hpd.training.conversion.tokenizer_file import BYTE_TOKENS, SPACE, TokenizerFile


class CheckpointVocabulary:
    """The tokenizer in a checkpoint's folder, with its chat template."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self.file = TokenizerFile(folder)
        self._special = Tokenizer.from_str(self.file.as_llama_cpp_reads_it())
        self._plain = Tokenizer.from_str(self.file.as_llama_cpp_reads_it())
        # What is written like a control token in a document stays text.
        self._plain.encode_special_tokens = True
        self._inside = self._plain
        if self.file.adds_space:
            self._inside = Tokenizer.from_str(self.file.as_llama_cpp_reads_it(adds_space=False))
            self._inside.encode_special_tokens = True
        self._bytes = {token: bytes([byte]) for byte, token in enumerate(BYTE_TOKENS)}

    @property
    def chat_template(self) -> str:
        """Jinja text, or nothing."""
        return self.file.chat_template

    @property
    def end_tokens(self) -> frozenset[int]:
        """Tokens that end generation."""
        return frozenset(self.file.end_tokens)

    @property
    def bos(self) -> int:
        """The token that begins every prompt, or -1."""
        bos = self.file.special("bos")
        return bos if bos is not None and self.file.adds_bos else -1

    @property
    def eos(self) -> int:
        """The token that ends an answer."""
        return self.file.eos

    @property
    def control_tokens(self) -> list[tuple[int, str, bool, bool]]:
        """Id, text, and whether the token swallows white space to its left and right."""
        return [
            (number, entry["content"], entry["lstrip"], entry["rstrip"])
            for number, entry in self.file.added.items()
            if entry["special"]
        ]

    def tokenize(self, text: str, parse_special: bool = False) -> list[int]:
        """Tokens of a text, without a BOS."""
        tokenizer = self._special if parse_special else self._plain
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    def tokenize_inside(self, text: str) -> list[int]:
        """Tokens of a text that stands behind other text, as a value stands behind its key."""
        return list(self._inside.encode(text, add_special_tokens=False).ids)

    def piece(self, token: int) -> bytes:
        """The bytes that a token says; nothing for a control token."""
        entry = self.file.added.get(token)
        if entry is not None:
            text = str(entry["content"])
            if entry["special"]:
                return b""
            is_piece = text in self.file.data["model"]["vocab"] and SPACE in text
            return text.replace(SPACE, " ").encode() if is_piece else text.encode()
        name = self._plain.id_to_token(token)
        if name is None:
            return b""
        if self.file.kind == "byte-level":
            return bytes(_BYTES[char] for char in name)
        return self._bytes.get(name) or name.replace(SPACE, " ").encode()


def _byte_characters() -> dict[str, int]:
    """GPT-2's printable stand-in for every byte, the other way round."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    characters = {chr(byte): byte for byte in printable}
    return characters | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTES = _byte_characters()
