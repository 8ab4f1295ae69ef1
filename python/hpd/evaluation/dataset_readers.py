"""A reader for each format of published data sets; they give documents with gold values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

from hpd.errors import InputError
from hpd.evaluation.rows import gold_values
from hpd.files.reader import clean_text, row_id, row_text
from hpd.files.rows import rows_of
from hpd.files.streams import Source, kind, listed


@dataclass(frozen=True, slots=True)
class DatasetDocument:
    """One document, and what the data set says of it."""

    id: str
    text: str
    line: int
    """The line of the file on which it begins, from 1."""
    category: str = ""
    gold: Mapping[str, Sequence[str] | None] | None = None
    """The values of each attribute that the row names, None for none; None: no gold at all."""
    attributes: Sequence[str] = field(default=())
    """Names of attributes that its category might have, where there is no gold."""

    def to_line(self, *, lists: bool, names: Sequence[str] = ()) -> dict[str, Any]:
        """The line of hpd's own format.

        With ``lists`` every attribute is a list, even of one value. ``names`` are attributes that
        are none where the document does not name them.
        """
        line: dict[str, Any] = {"id": self.id, "text": self.text}
        if self.category:
            line["category"] = self.category
        if self.gold is not None:
            gold = dict.fromkeys(names) | dict(self.gold)
            line["gold"] = {name: _plain(values, lists=lists) for name, values in gold.items()}
        return line


DatasetRow = DatasetDocument | InputError
"""A document, or why it cannot be read, with file and line."""


def _plain(values: Sequence[str] | None, *, lists: bool) -> list[str] | str | None:
    if values is None:
        return None
    return list(values) if lists or len(values) != 1 else values[0]


MakeDocument = Callable[[Mapping[str, Any], int, int], DatasetDocument]
"""Makes a document of an object, the number of its row and its line."""


def read_json_rows(file: BinaryIO, name: str, make: MakeDocument) -> Iterator[DatasetRow]:
    """The documents that ``make`` makes; what it raises gets file and line, and is yielded."""
    for number, (line, row) in enumerate(rows_of(Source(file, name), "jsonl"), start=1):
        if isinstance(row, InputError):
            yield row
            continue
        try:
            if not isinstance(row, Mapping):
                raise InputError(f"expected a JSON object, found {kind(row)}")
            yield make(row, number, line)
        except InputError as error:
            yield InputError(f"{name}:{line}: {error}")


TEXT_FIELDS = ("title", "features", "description")

_BOOKKEEPING = frozenset(
    {
        "ASIN",
        "Best Sellers Rank",
        "Customer Reviews",
        "Date First Available",
        "Domestic Shipping",
        "International Shipping",
        "Is Discontinued By Manufacturer",
        "Item model number",
        "Package Dimensions",
        "UPC",
    }
)
"""Names in ``details`` that are about the offer and not about the product."""


def read_amazon(file: BinaryIO, name: str) -> Iterator[DatasetRow]:
    """The items; one without any text is an error."""
    return read_json_rows(file, name, _amazon_document)


def _amazon_document(row: Mapping[str, Any], number: int, line: int) -> DatasetDocument:
    text = "\n".join(part for name in TEXT_FIELDS for part in _texts(row, name))
    if not text:
        raise InputError(f"no text in {', '.join(TEXT_FIELDS)}")
    item = row.get("parent_asin")
    if item is not None and not isinstance(item, str):
        raise InputError(f"parent_asin should be text, and is {kind(item)}")
    return DatasetDocument(
        item or str(number), text, line, _category(row), attributes=_detail_names(row)
    )


def _texts(row: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a field, which is text, a list of texts, or nothing."""
    value = row.get(name)
    items = value if isinstance(value, list) else [] if value is None else [value]
    for item in items:
        if not isinstance(item, str):
            raise InputError(f"{name} should be text or a list of it, and has {kind(item)}")
    return [clean_text(item.strip()) for item in items if item.strip()]


def _category(row: Mapping[str, Any]) -> str:
    """The main category; where it is null, as it often is, the first of ``categories``."""
    main = row.get("main_category")
    if main is not None and not isinstance(main, str):
        raise InputError(f"main_category should be text, and is {kind(main)}")
    if main:
        return main
    first = _texts(row, "categories")[:1]
    return first[0] if first else ""


def _detail_names(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in ``details``: an object, or the JSON text of one (as the Hub has it)."""
    details = row.get("details")
    if isinstance(details, str):
        try:
            details = json.loads(details) if details.strip() else None
        except ValueError as error:
            raise InputError(f"details is not valid JSON: {error}") from None
    if details is None:
        return ()
    if not isinstance(details, Mapping):
        raise InputError(f"details should be an object, and is {kind(details)}")
    return tuple(str(name) for name in details if name not in _BOOKKEEPING)


TITLE_FIELDS = ("input",)
PAVE_FIELDS = ("input_title", "input_description")


def read_titles(file: BinaryIO, name: str) -> Iterator[DatasetRow]:
    """The rows of OA-Mine and AE-110k."""
    return read_json_rows(file, name, partial(_scored_document, TITLE_FIELDS))


def read_pave(file: BinaryIO, name: str) -> Iterator[DatasetRow]:
    """The rows of WDC-PAVE."""
    return read_json_rows(file, name, partial(_scored_document, PAVE_FIELDS))


def _scored_document(
    text_fields: tuple[str, ...], row: Mapping[str, Any], number: int, line: int
) -> DatasetDocument:
    text = row_text(row, text_fields)
    if not text.strip():
        raise InputError(f"{listed(text_fields)}: no text")
    category = row.get("category")
    if not isinstance(category, str) or not category.strip():
        raise InputError(f"the category should be text, and is {kind(category)}")
    targets = row.get("target_scores")
    if not isinstance(targets, Mapping):
        raise InputError(f"target_scores should be an object, and is {kind(targets)}")
    gold = {}
    for attribute, values in targets.items():
        if not isinstance(values, Mapping):
            raise InputError(
                f"target_scores[{attribute!r}] should be an object of values, and is {kind(values)}"
            )
        gold[attribute] = gold_values(values)
    return DatasetDocument(row_id(row) or str(number), text, line, category, gold)


CONLL_START = "-DOCSTART-"
CONLL_TAG = re.compile(r"O|([BIESLUM])-(\S+)")


@dataclass(slots=True)
class _ConllUnit:
    """A sentence, or the sentences of a document, while it is read."""

    line: int = 0
    tokens: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    entities: dict[str, list[str]] = field(default_factory=dict)
    open_type: str = ""
    open_tokens: list[str] = field(default_factory=list)
    error: InputError | None = None

    def add(self, token: str, tag: str, path: str, line: int) -> None:
        """Take in one token; a tag that fits nowhere is an error of the whole unit."""
        self.line = self.line or line
        self.tokens.append(token)
        match = CONLL_TAG.fullmatch(tag)
        if match is None:
            self.fail(f"{path}: the tag {tag!r} is neither O nor a letter and a type, as B-PER")
            return
        letter, kind = match[1], match[2]
        goes_on = kind is not None and kind == self.open_type and letter in "IELM"
        if not goes_on:
            self.close_entity()
        if kind is None:
            return
        if letter in "ELM" and not goes_on:
            self.fail(f"{path}: {tag} has no beginning")
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

    def row(self, number: int) -> DatasetRow:
        """Return the row that was read, or its error."""
        if self.error is not None:
            return self.error
        text = "\n".join(self.sentences)
        return DatasetDocument(str(number), text, self.line, gold=dict(self.entities))


def read_sentences(file: BinaryIO, name: str) -> Iterator[DatasetRow]:
    """Each sentence as a document."""
    return _read(file, name, whole_documents=False)


def read_docstart_documents(file: BinaryIO, name: str) -> Iterator[DatasetRow]:
    """The sentences from one ``-DOCSTART-`` to the next as one document, a line each."""
    return _read(file, name, whole_documents=True)


def _read(file: BinaryIO, name: str, *, whole_documents: bool) -> Iterator[DatasetRow]:
    number = 0
    for unit in _units(file, name, whole_documents=whole_documents):
        unit.close_sentence()
        if unit.sentences or unit.error is not None:
            number += 1
            yield unit.row(number)


def _units(file: BinaryIO, name: str, *, whole_documents: bool) -> Iterable[_ConllUnit]:
    unit = _ConllUnit()
    last_line = 0
    for line, raw in rows_of(Source(file, name), "lines"):
        # Blank lines are not among the rows: they show as a gap in the numbers.
        if line > last_line + 1:
            unit.close_sentence()
            if not whole_documents:
                yield unit
                unit = _ConllUnit()
        last_line = line
        if isinstance(raw, InputError):
            unit.fail(str(raw))
            continue
        columns = split_columns(str(raw))
        if columns[0] == CONLL_START:
            yield unit
            unit = _ConllUnit()
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
    return columns[0] == "#" and CONLL_TAG.fullmatch(columns[-1]) is None
