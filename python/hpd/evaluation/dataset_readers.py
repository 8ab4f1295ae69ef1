"""Readers of published data sets, which yield documents with gold values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from hpd.errors import InputError
from hpd.evaluation.rows import Example, gold_values
from hpd.files.formats.any_format import rows_of
from hpd.files.reader import clean_text, row_id, row_text
from hpd.files.streams import Source, join_names, json_kind

DatasetRow = Example | InputError
"""A document with its gold, or the error with file and line."""


def read_json(
    source: Source, *, make: Callable[[Mapping[str, Any], int, int], Example]
) -> Iterator[DatasetRow]:
    """Yield the documents that ``make`` returns, and its errors with file and line.

    It is given an object, its row number and its line.
    """
    for number, (line, row) in enumerate(rows_of(source, "jsonl"), start=1):
        if isinstance(row, InputError):
            yield row
            continue
        try:
            if not isinstance(row, Mapping):
                raise InputError(f"expected a JSON object, found {json_kind(row)}")
            yield make(row, number, line)
        except InputError as error:
            yield InputError(f"{source.name}:{line}: {error}")


AMAZON_TEXT_FIELDS = ("title", "features", "description")

_BOOKKEEPING = frozenset({
    "ASIN", "Best Sellers Rank", "Customer Reviews", "Date First Available", "Domestic Shipping",
    "International Shipping", "Is Discontinued By Manufacturer", "Item model number",
    "Package Dimensions", "UPC",
})  # fmt: skip
"""Names in ``details`` that describe the offer, not the product."""


def amazon_document(row: Mapping[str, Any], number: int, line: int) -> Example:
    """Return an item of Amazon Reviews 2023, without a value for any name in its details."""
    text = "\n".join(part for name in AMAZON_TEXT_FIELDS for part in _text_fields(row, name))
    if not text:
        raise InputError(f"no text in {', '.join(AMAZON_TEXT_FIELDS)}")
    item = _text_field(row, "parent_asin") or str(number)
    # The main category is often null.
    category = _text_field(row, "main_category") or next(iter(_text_fields(row, "categories")), "")
    return Example(item, text, category, dict.fromkeys(_detail_names(row)), line)


def _text_field(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} should be text, but is {json_kind(value)}")
    return value


def _check_object(value: object, name: str, of_what: str = "") -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} should be an object{of_what}, but is {json_kind(value)}")
    return value


def _text_fields(row: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts of a field: a text, a list of texts, or null."""
    value = row.get(name)
    items = value if isinstance(value, list) else [] if value is None else [value]
    for item in items:
        if not isinstance(item, str):
            raise InputError(f"{name} should be text or a list of text, and has {json_kind(item)}")
    return [clean_text(item.strip()) for item in items if item.strip()]


def _detail_names(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names in ``details``: an object, or its JSON text (as on the Hub)."""
    details = row.get("details")
    if isinstance(details, str):
        try:
            details = json.loads(details) if details.strip() else None
        except ValueError as error:
            raise InputError(f"details is not valid JSON: {error}") from None
    if details is None:
        return ()
    return tuple(
        str(name) for name in _check_object(details, "details") if name not in _BOOKKEEPING
    )


def scored_document(
    row: Mapping[str, Any], number: int, line: int, *, text_fields: tuple[str, ...]
) -> Example:
    """Return a row of OA-Mine, AE-110k or WDC-PAVE."""
    text = row_text(row, text_fields)
    if not text.strip():
        raise InputError(f"{join_names(text_fields)}: no text")
    category = row.get("category")
    if not isinstance(category, str) or not category.strip():
        raise InputError(f"the category should be text, but is {json_kind(category)}")
    gold = {
        name: gold_values(_check_object(values, f"target_scores[{name!r}]", " of values"))
        for name, values in _check_object(row.get("target_scores"), "target_scores").items()
    }
    return Example(row_id(row) or str(number), text, category, gold, line)


CONLL_START = "-DOCSTART-"
CONLL_TAG = re.compile(r"O|([BIESLUM])-(\S+)")


Token = tuple[int, int, int, "list[str] | InputError"]
"""The numbers of its document, sentence and line, and the columns of the line or an error."""


def read_conll(source: Source, *, whole_documents: bool = False) -> Iterator[DatasetRow]:
    """Yield each sentence as a document.

    With ``whole_documents``, the sentences between two ``-DOCSTART-`` lines are one, a line each.
    """
    units = groupby(_tokens(source), key=itemgetter(0 if whole_documents else 1))
    for number, (_, tokens) in enumerate(units, start=1):
        try:
            yield _conll_document([*tokens], str(number), source.name)
        except InputError as error:
            yield error


def _tokens(source: Source) -> Iterator[Token]:
    document = sentence = last_line = 0
    for line, raw in rows_of(source, "lines"):
        # Blank lines are not yielded, but leave a gap in the line numbers.
        sentence += line > last_line + 1
        last_line = line
        if isinstance(raw, InputError):
            yield document, sentence, line, raw
            continue
        columns = split_columns(str(raw))
        if columns[0] == CONLL_START:
            document += 1
            sentence += 1
        # Not a comment, such as "# id 17".
        elif columns[0] != "#" or CONLL_TAG.fullmatch(columns[-1]) is not None:
            yield document, sentence, line, columns


def _conll_document(tokens: Sequence[Token], own_id: str, path: str) -> Example:
    """Return a document of some sentences; raise ``InputError`` for the first invalid line."""
    texts = []
    entities: dict[str, list[str]] = {}
    for _, sentence in groupby(tokens, key=itemgetter(1)):
        words = []
        spans: list[tuple[str, list[str]]] = []
        is_open = False
        for *_, line, columns in sentence:
            if isinstance(columns, InputError):
                raise columns
            if len(columns) < 2:
                raise InputError(f"{path}:{line}: expected a token and its tag, found one column")
            token, tag = clean_text(columns[0]), columns[-1]
            match = CONLL_TAG.fullmatch(tag)
            if match is None:
                raise InputError(
                    f"{path}:{line}: the tag {tag!r} is neither O nor a letter and a type, "
                    "like B-PER"
                )
            letter, kind = match[1], match[2]
            if is_open and kind == spans[-1][0] and letter in "IELM":
                spans[-1][1].append(token)
            elif kind is not None:
                # In IOB1, I without B begins an entity.
                if letter in "ELM":
                    raise InputError(f"{path}:{line}: {tag} has no beginning")
                spans.append((kind, [token]))
            is_open = kind is not None and letter in "BIM"
            words.append(token)
        texts.append(" ".join(words))
        for kind, parts in spans:
            values = entities.setdefault(kind, [])
            if (value := " ".join(parts)) not in values:
                values.append(value)
    return Example(own_id, "\n".join(texts), "", entities, tokens[0][2])


def split_columns(line: str) -> list[str]:
    """Split a line at tabs if it has any, else at blanks."""
    return [column.strip() for column in line.split("\t")] if "\t" in line else line.split()
