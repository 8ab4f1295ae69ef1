"""CoNLL files: one token a line, its tag in the last column, a blank line between sentences.

Columns are parted by tabs or blanks. Tags are ``O``, or a letter and a type: ``B-PER I-PER`` (BIO,
IOB1), with ``E`` and ``S`` for the last token and the only one (BIOES), with ``L`` and ``U``
(BILOU), with ``M`` for those between (BMES). ``-DOCSTART-`` begins a document.

A document's text is its tokens with a blank between them, so that each entity stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from hpd.errors import InputError
from hpd.evaluation.datasets.document import DatasetDocument, Row
from hpd.files.reader import clean_text
from hpd.files.rows import ROWS

START = "-DOCSTART-"
TAG = re.compile(r"O|([BIESLUM])-(\S+)")


@dataclass(slots=True)
class _Unit:
    """A sentence, or the sentences of a document, while it is read."""

    line: int = 0
    tokens: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    entities: dict[str, list[str]] = field(default_factory=dict)
    open_type: str = ""
    open_tokens: list[str] = field(default_factory=list)
    error: InputError | None = None

    def add(self, token: str, tag: str, place: str, line: int) -> None:
        """Take in one token; a tag that fits nowhere is an error of the whole unit."""
        self.line = self.line or line
        self.tokens.append(token)
        match = TAG.fullmatch(tag)
        if match is None:
            self.fail(f"{place}: the tag {tag!r} is neither O nor a letter and a type, as B-PER")
            return
        letter, kind = match[1], match[2]
        goes_on = kind is not None and kind == self.open_type and letter in "IELM"
        if not goes_on:
            self.close_entity()
        if kind is None:
            return
        if letter in "ELM" and not goes_on:
            self.fail(f"{place}: {tag} has no beginning")
        # I without a beginning is one, as IOB1 has it.
        self.open_type = kind
        self.open_tokens.append(token)
        if letter in "ESLU":
            self.close_entity()

    def fail(self, message: str) -> None:
        """Note the first error."""
        self.error = self.error or InputError(message)

    def close_entity(self) -> None:
        """The entity that is open, if any, ends before the next token."""
        if self.open_tokens:
            values = self.entities.setdefault(self.open_type, [])
            value = " ".join(self.open_tokens)
            if value not in values:
                values.append(value)
        self.open_type, self.open_tokens = "", []

    def close_sentence(self) -> None:
        """No entity goes on behind this."""
        self.close_entity()
        if self.tokens:
            self.sentences.append(" ".join(self.tokens))
            self.tokens = []

    def row(self, number: int) -> Row:
        """The row that was read, or the error in it."""
        if self.error is not None:
            return self.error
        text = "\n".join(self.sentences)
        return DatasetDocument(str(number), text, self.line, gold=dict(self.entities))


def read_sentences(file: BinaryIO, name: str) -> Iterator[Row]:
    """Each sentence as a document."""
    return _read(file, name, whole_documents=False)


def read_documents(file: BinaryIO, name: str) -> Iterator[Row]:
    """The sentences from one ``-DOCSTART-`` to the next as one document, a line each."""
    return _read(file, name, whole_documents=True)


def _read(file: BinaryIO, name: str, *, whole_documents: bool) -> Iterator[Row]:
    number = 0
    for unit in _units(file, name, whole_documents=whole_documents):
        unit.close_sentence()
        if unit.sentences or unit.error is not None:
            number += 1
            yield unit.row(number)


def _units(file: BinaryIO, name: str, *, whole_documents: bool) -> Iterable[_Unit]:
    unit = _Unit()
    last_line = 0
    for line, raw in ROWS["lines"](file, name):
        # Blank lines are not among the rows: they show as a gap in the numbers.
        if line > last_line + 1:
            unit.close_sentence()
            if not whole_documents:
                yield unit
                unit = _Unit()
        last_line = line
        if isinstance(raw, InputError):
            unit.fail(str(raw))
            continue
        columns = split_columns(str(raw))
        if columns[0] == START:
            yield unit
            unit = _Unit()
        elif _is_comment(columns):
            continue
        elif len(columns) < 2:
            unit.fail(f"{name}:{line}: expected a token and its tag, found one column")
        else:
            unit.add(clean_text(columns[0]), columns[-1], f"{name}:{line}", line)
    yield unit


def split_columns(line: str) -> list[str]:
    """The columns of a line: at tabs if it has any, else at blanks."""
    return [column.strip() for column in line.split("\t")] if "\t" in line else line.split()


def _is_comment(columns: list[str]) -> bool:
    """Whether a line is about a sentence and not of it: ``# id 17``."""
    return columns[0] == "#" and TAG.fullmatch(columns[-1]) is None
