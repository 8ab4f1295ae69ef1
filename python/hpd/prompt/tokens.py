"""Tokenizes documents and keys, into the same tokens as if both were tokenized together.

A prompt is tokenized in *fragments*, separated by control tokens. The text of a fragment is
tokenized at once, so no token boundary is forced into the document or the key. Control tokens are
only parsed in the template and the rules; in documents and user instructions they are plain text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import regex

from hpd.prompt.template import RenderedTemplate, render_template

_OPENING = r"[\[({<⟦⟨〔【〖「『《〈‹«\"'“”„‘’‚`|]"  # noqa: RUF001
_CLOSING = r"[\])}>⟧⟩〕】〗」』》〉›»\"'“”„‘’‚`|]"  # noqa: RUF001
_STACK_MARK = re.compile(
    rf"{_OPENING}\s*\d+\s*{_CLOSING}|^\s*(?:#\s*\d+|\d{{1,4}}\s*(?:[.):](?!\d)|$))|\bdocuments?\W*\d",
    re.IGNORECASE | re.MULTILINE,
)

_UNUSUAL_BLANK = re.compile(r"[\x1c-\x1f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
INVISIBLE = (
    "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\ufeff\ufffc"
    "\u2060\u2061\u2062\u2063\u2064\u2065\u2066\u2067\u2068\u2069"
    + "".join(map(chr, (*range(0x09), *range(0x0E, 0x1C), 0x7F)))
)
"""Invisible characters, such as soft hyphens, direction marks and control characters, which are
removed, as a model's vocabulary may lack them."""
_INVISIBLE_CHARACTERS = re.compile(f"[{re.escape(INVISIBLE)}]")
GERSHAYIM = "\u05f4"
_QUOTE_IN_HEBREW = re.compile('(?<=[\u05d0-\u05ea])"(?=[\u05d0-\u05ea])')
_BLANK_ENTITY = re.compile(
    r"(?<=\d)&(?:nbsp|thinsp|#160|#8201|#8239|#x0*(?:a0|2009|202f));(?=\d)",
    re.ASCII | re.IGNORECASE,
)
"""The blank within a number, as HTML that was not decoded has it."""
_UNUSUAL_LINE_END = re.compile(r"[\v\f\x85\u2028\u2029]|\r(?!\n)")
_BLANKS = re.compile(r"[ \t]{2,}|\t")
_DECOMPOSED = regex.compile(r"\P{M}\p{M}+|[\u1100-\u11ff]+")


class Vocabulary(Protocol):
    """The part of a model that turns text into tokens."""

    @property
    def bos(self) -> int:
        """The token that begins every prompt, or -1."""

    @property
    def chat_template(self) -> str:
        """The chat template in Jinja, or an empty text."""

    @property
    def control_tokens(self) -> list[tuple[int, str, bool, bool]]:
        """The id and text of each, and whether it strips space to its left and to its right."""

    def metadata(self, key: str) -> str:
        """Return a value of the model file's metadata as text, empty if it is missing."""

    def tokenize(self, text: str, parse_special: bool = False) -> list[int]:
        """Return the tokens of a text, without BOS."""


@dataclass(frozen=True, slots=True)
class TokenizedPrompt:
    """A prompt and the keys of its fields.

    ``prompt + keys[i]`` is the result of tokenizing prompt and key ``i`` together.
    """

    prompt: list[int]
    n_instruction: int
    """Number of leading tokens that belong to the instruction, not to the documents."""
    keys: list[list[int]]


@dataclass(frozen=True, slots=True)
class _TemplateTokens:
    """A template, split at the control tokens around the user's text."""

    head: list[int]
    """The tokens up to the last control token before the user's text."""
    before: str
    """The plain text between it and the documents, including the instruction."""
    after: str
    """The plain text from the documents to the next control token."""
    middle: list[int] | None
    """The tokens from that control token to the last one; None if none follows the documents."""
    tail: str
    """The plain text from the last control token to the key."""


def render_for_model(model: Vocabulary, system: str) -> RenderedTemplate:
    """Render a model's chat template with ``render_template``."""
    texts = {str(token): text for token, text, _, _ in model.control_tokens}
    # ``model.bos`` is -1 if prompts begin without BOS, but the template may still write it.
    bos = model.metadata("tokenizer.ggml.bos_token_id") or str(model.bos)
    eos = model.metadata("tokenizer.ggml.eos_token_id")
    # A calibration was fitted to prompts as templates render them, even without a system prompt.
    is_needed = not model.metadata("hpd.calibration")
    marks = texts.get(bos, ""), texts.get(eos, "")
    return render_template(model.chat_template, system, *marks, needs_system_prompt=is_needed)


class PromptTokenizer:
    """Tokenizes documents and fields for one model and one instruction.

    The tokens of at most ``max_kept_keys`` keys are cached; all documents have the same keys.
    """

    def __init__(
        self, model: Vocabulary, system: str, instruction: str, max_kept_keys: int = 1024
    ) -> None:
        self._model = model
        self._control = model.control_tokens
        self._frame = self._split_template(render_for_model(model, system), instruction)
        self._shared = self._shared_prefix()
        tail = self._frame.tail

        # Not a method: its cache would keep tokenizers of old schemas until garbage collection.
        def tokenized_key(text: str) -> list[int]:
            return model.tokenize(tail + text)

        self._tokenized_key = tokenized_key
        self._key = lru_cache(max_kept_keys)(tokenized_key)
        """Returns the cached tokens of a key; thread-safe."""

    def tokenize(
        self,
        documents: Sequence[str],
        key_texts: Sequence[str],
        uncached: Collection[str] = (),
    ) -> TokenizedPrompt:
        """Tokenize a prompt for ``documents``, stacked if there are several, and its keys.

        Args:
            documents: their texts.
            key_texts: the text between the prompt and the value of each field; may be empty.
            uncached: keys that contain values, which are rarely shared between documents, so
                caching them would only fill the memory.
        """
        frame = self._frame
        text = frame.before + documents_text(documents) + frame.after
        if frame.middle is None:
            # Without a control token between them, each key is tokenized with the documents.
            fixed = frame.head
            rests = [self._model.tokenize(text + frame.tail + key) for key in key_texts]
            opening = self._model.tokenize(text + frame.tail + "{")
        else:
            fixed = frame.head + self._model.tokenize(text) + frame.middle
            rests = [
                self._tokenized_key(key) if key in uncached else self._key(key) for key in key_texts
            ]
            opening = self._key("{")
        # With ``opening``, a document's prompt does not depend on its fields, so that its cells can
        # be reused.
        n_common = common_prefix([opening, *rests])
        tokens = fixed + rests[0][:n_common]
        n_instruction = common_prefix([self._shared, tokens])
        return TokenizedPrompt(tokens, n_instruction, [rest[n_common:] for rest in rests])

    def _split_template(self, template: RenderedTemplate, instruction: str) -> _TemplateTokens:
        before, after = template.before, template.after
        head_end, strip_before = self._last_control(before)
        head = self._model.tokenize(before[:head_end], True)
        if self._model.bos >= 0 and head[:1] != [self._model.bos]:
            head = [self._model.bos, *head]
        plain_before = before[head_end:]
        if strip_before:
            plain_before = plain_before.lstrip()
        plain_before += instruction
        first, strip_after = self._first_control(after)
        if first < 0:
            return _TemplateTokens(head, plain_before, after, None, "")
        last_end, strip_tail = self._last_control(after)
        plain_after = after[:first].rstrip() if strip_after else after[:first]
        tail = after[last_end:].lstrip() if strip_tail else after[last_end:]
        return _TemplateTokens(
            head, plain_before, plain_after, self._model.tokenize(after[first:last_end], True), tail
        )

    def _last_control(self, text: str) -> tuple[int, bool]:
        """Return the end of the last control token in ``text``, and whether it strips after it."""
        last = (0, False)
        for _, token_text, _, strips_right in self._control:
            start = text.rfind(token_text)
            if start >= 0:
                last = max(last, (start + len(token_text), strips_right))
        return last

    def _first_control(self, text: str) -> tuple[int, bool]:
        """Return the start of the first control token or -1, and whether it strips before it."""
        first = (-1, False)
        for _, token_text, strips_left, _ in self._control:
            start = text.find(token_text)
            if start >= 0 and (first[0] < 0 or start < first[0]):
                first = (start, strips_left)
        return first

    def _shared_prefix(self) -> list[int]:
        """Return the leading tokens that no document changes, as very different ones share them."""
        samples = []
        for document in ("A", "b", "1", "é", " ", "\n", '"', "(", "…"):
            text = self._frame.before + documents_text([document])
            samples.append(self._frame.head + self._model.tokenize(text))
        return samples[0][: common_prefix(samples)]


def common_prefix(sequences: Sequence[list[int]]) -> int:
    """Return the number of leading tokens that all sequences share."""
    # The common prefix of the first and last in sorted order is that of all.
    first, last = min(sequences), max(sequences)
    n_common = 0
    for one, other in zip(first, last, strict=False):
        if one != other:
            break
        n_common += 1
    return n_common


def documents_text(documents: Sequence[str]) -> str:
    """Return the text of the documents; several are numbered from 1."""
    if len(documents) == 1:
        return f"Document:\n{normalize_text(documents[0])}"
    numbered = (
        f"[{number}]\n{normalize_text(text)}" for number, text in enumerate(documents, start=1)
    )
    return "Documents:\n" + "\n".join(numbered)


def normalize_text(document: str) -> str:
    """Return a document with the letters and blanks that models have seen most often.

    Letters that are followed by their accents, and the parts of Hangul syllables, are composed.
    Quotation marks within Hebrew words, with which models would end a text in JSON, become the
    gershayim that they stand for. No-break and similar blanks, HTML's entities for them between
    digits (``5&nbsp;000``), and field and record separators, become plain ones; invisible
    characters (zero-width blanks, a byte order mark, soft hyphens, direction marks, control
    characters) and line feeds at both ends are removed. In a document of one line, such as a title,
    tabs, repeated blanks and other line ends become one blank; in others, blanks may separate
    columns, and line ends become line feeds.
    Grounding still finds values, as it also normalizes text.
    """
    if not document.isascii():
        document = _DECOMPOSED.sub(lambda found: unicodedata.normalize("NFC", found[0]), document)
        document = _QUOTE_IN_HEBREW.sub(GERSHAYIM, document)
    document, _ = decode_blanks(document)
    document = _INVISIBLE_CHARACTERS.sub("", _UNUSUAL_BLANK.sub(" ", document)).strip("\r\n")
    if "\n" in document:
        return _UNUSUAL_LINE_END.sub("\n", document)
    return _BLANKS.sub(" ", _UNUSUAL_LINE_END.sub(" ", document))


def decode_blanks(document: str) -> tuple[str, Sequence[int]]:
    """Return a document without HTML's entities for blanks in numbers, and the original offsets."""
    found = [match.span() for match in _BLANK_ENTITY.finditer(document)]
    if not found:
        return document, range(len(document) + 1)
    inside = {at for start, end in found for at in range(start + 1, end)}
    offsets = [at for at in range(len(document) + 1) if at not in inside]
    return _BLANK_ENTITY.sub("\u00a0", document), offsets


def may_share_prompt(document: str) -> bool:
    """Return whether a document can be stacked: it has nothing like the marks of a stack.

    A stack has ``[2]`` before a document and ``"2":`` in the answer. Numbers in any of Unicode's
    brackets or quotation marks, at the start of a line, or after the word document are too similar.
    """
    document = normalize_text(document)
    if document.isascii():
        return _STACK_MARK.search(document) is None
    if not any(char.isnumeric() for char in document):
        return True
    plain = unicodedata.normalize("NFKC", document)
    plain = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return _STACK_MARK.search(plain) is None
