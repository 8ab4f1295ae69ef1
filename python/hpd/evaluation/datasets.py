"""Detects and surveys data sets, and converts them to hpd's own lines and schemas."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from hpd.errors import InputError
from hpd.evaluation.dataset_readers import (
    CONLL_START,
    CONLL_TAG,
    DatasetRow,
    amazon_document,
    read_conll,
    read_json,
    scored_document,
    split_columns,
)
from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.rows import Example, open_rows
from hpd.files.formats.any_format import rows_of
from hpd.files.streams import Source, error_reason
from hpd.files.writer import line_bytes
from hpd.schema import load_schemas

Reader = Callable[[Source], Iterator[DatasetRow]]

_N_DETECTION_LINES = 20
"""Lines read to detect a file's format."""


@dataclass(frozen=True, slots=True)
class DatasetFormat:
    """A format: its name on the command line, its description and its reader."""

    name: str
    description: str
    read: Reader
    has_gold: bool = True
    lists: bool = False
    """Every attribute is a list; attributes that a document does not name have no value in it."""
    read_whole_documents: Reader | None = None
    """Reader of documents of several parts, if the format has them."""


DATASET_FORMATS: Mapping[str, DatasetFormat] = {
    each.name: each
    for each in (
        DatasetFormat(
            "extractgpt",
            "OA-Mine and AE-110k, as published with ExtractGPT: JSONL with input, category and "
            "target_scores",
            partial(read_json, make=partial(scored_document, text_fields=("input",))),
        ),
        DatasetFormat(
            "wdc-pave",
            "WDC-PAVE: JSONL with input_title, input_description, category and target_scores",
            partial(
                read_json,
                make=partial(scored_document, text_fields=("input_title", "input_description")),
            ),
        ),
        DatasetFormat(
            "amazon-2023",
            "Amazon Reviews 2023, meta_*.jsonl: title, features, description, main_category; "
            "no gold, and a schema of the names in details",
            partial(read_json, make=amazon_document),
            has_gold=False,
        ),
        DatasetFormat(
            "conll",
            "CoNLL: a token and its BIO or BIOES tag per line, separated by tabs or blanks; lists "
            "of entities by type",
            read_conll,
            lists=True,
            read_whole_documents=partial(read_conll, whole_documents=True),
        ),
    )
}


def read_dataset(
    path: str | Path, dataset: DatasetFormat, *, whole_documents: bool = False
) -> Iterator[DatasetRow]:
    """Yield the rows of a file; those that cannot be read are errors."""
    reader = dataset.read_whole_documents if whole_documents else dataset.read
    if reader is None:
        raise ValueError(f"{dataset.name} has no documents of several parts")
    with open_rows(path) as source:
        yield from reader(source)


def find_format(path: str | Path) -> DatasetFormat:
    """Detect a file's format from its first lines; raise ``InputError`` if it is unknown."""
    with open_rows(path) as source:
        lines = [str(raw) for _, raw in islice(rows_of(source, "lines"), _N_DETECTION_LINES)]
    if not lines:
        raise InputError(f"{path}: empty")
    name = _json_format(lines[0]) or ("conll" if _is_conll(lines) else None)
    if name is None:
        raise InputError(
            f"{path}: none of the formats {', '.join(DATASET_FORMATS)}; to see what is wrong, "
            "give one to hpd data check with --format"
        )
    return DATASET_FORMATS[name]


def _json_format(line: str) -> str | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    names = {*row} if isinstance(row, dict) else set()
    if "target_scores" in names:
        return "wdc-pave" if names & {"input_title", "input_description"} else "extractgpt"
    return "amazon-2023" if names & {"parent_asin", "main_category"} else None


def _is_conll(lines: list[str]) -> bool:
    """Return whether most lines end in a tag."""
    columns = [split_columns(line) for line in lines]
    tagged = [len(own) > 1 and CONLL_TAG.fullmatch(own[-1]) is not None for own in columns]
    return columns[0][0] == CONLL_START or sum(tagged) > len(lines) / 2


N_DETAILS = 16
"""Attributes in the schema of a category without gold, as in the paper."""


@dataclass(slots=True)
class Survey(JsonDataclass):
    """Counts over the rows that can be read, and the problems of the others."""

    JSON = (
        *("format", "n_documents", "n_characters", "n_filled", "n_none", "n_several", "n_values"),
        *("n_in_text", "categories", "attributes", "problems", "notices"),
    )

    dataset: DatasetFormat
    n_documents: int = 0
    n_characters: int = 0
    n_none: int = 0
    """Attributes that are explicitly without a value."""
    n_filled: int = 0
    n_several: int = 0
    n_values: int = 0
    n_in_text: int = 0
    """Gold values that are in the text, exactly."""
    categories: Counter[str] = field(default_factory=Counter)
    attributes: dict[str, Counter[str]] = field(default_factory=dict)
    """How often each attribute of each category has a value, in order of appearance."""
    problems: list[str] = field(default_factory=list)
    """Problems of skipped rows, with file and line."""
    notices: list[str] = field(default_factory=list)
    """Oddities of rows that are not skipped."""

    def attribute_names(self, category: str) -> list[str]:
        """Return a category's attributes: those of its gold, else its most frequent ones."""
        names = self.attributes.get(category, Counter())
        if self.dataset.has_gold:
            return list(names)
        return [name for name, _ in names.most_common(N_DETAILS)]

    @property
    def format(self) -> str:
        return self.dataset.name


def survey(rows: Iterable[DatasetRow], dataset: DatasetFormat, name: str) -> Survey:
    """Count the rows of the file ``name``."""
    found = Survey(dataset)
    lines_of_ids: dict[str, int] = {}
    for row in rows:
        if isinstance(row, InputError):
            found.problems.append(str(row))
            continue
        found.n_documents += 1
        found.n_characters += len(row.text)
        found.categories[row.category] += 1
        first = lines_of_ids.setdefault(row.id, row.line)
        if first != row.line:
            found.notices.append(f"{name}:{row.line}: the id {row.id!r} is also on line {first}")
        names = found.attributes.setdefault(row.category, Counter())
        if not dataset.has_gold:
            names.update(row.gold.keys())
            continue
        for attribute, values in row.gold.items():
            names[attribute] += bool(values)
            if values is None:
                found.n_none += 1
                continue
            found.n_filled += 1
            found.n_several += len(values) > 1
            found.n_values += len(values)
            found.n_in_text += sum(value in row.text for value in values)
    return found


def suggest_schemas(survey: Survey) -> Any:
    """Return the schema of a data set, or one per category, as for ``--schema``.

    A category without attributes gets no schema, and neither do documents without a category if
    others have one. Returns None if there is no schema.

    Raises ``SchemaError`` if a name cannot be used.
    """
    by_category: dict[str, Any] = {}
    for category in survey.categories:
        names = survey.attribute_names(category)
        if names and survey.dataset.lists:
            properties = {name: {"type": "array", "items": {"type": "string"}} for name in names}
            by_category[category] = {"type": "object", "properties": properties}
        elif names:
            by_category[category] = names
    without = by_category.pop("", None)
    schemas = by_category or without
    if schemas:
        load_schemas(schemas)
    return schemas


def schema_path(output: Path) -> Path:
    """Return the path of a converted file's schema: ``a.schema.json`` for ``a.jsonl``."""
    return output.with_name(f"{output.stem}.schema.json")


def write_dataset(rows: Iterable[DatasetRow], survey: Survey, output: Path) -> None:
    """Write the rows that can be read, and their schema.

    An existing file is replaced atomically. Raises ``InputError`` if it cannot be written, and
    ``SchemaError`` if the name of an attribute cannot be used.
    """
    schemas = suggest_schemas(survey)
    unfinished = output.with_name(f".{output.name}.unfinished")
    try:
        with open(unfinished, "wb") as file:
            for row in rows:
                if not isinstance(row, InputError):
                    file.write(line_bytes(_output_line(row, survey)))
        os.replace(unfinished, output)
        if schemas is not None:
            text = json.dumps(schemas, ensure_ascii=False, indent=1)
            schema_path(output).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error_reason(error)}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _output_line(row: Example, survey: Survey) -> dict[str, Any]:
    """Return a document in hpd's own format."""
    line: dict[str, Any] = {"id": row.id, "text": row.text}
    if row.category:
        line["category"] = row.category
    if survey.dataset.lists:
        line["gold"] = dict.fromkeys(survey.attribute_names(row.category)) | dict(row.gold)
    elif survey.dataset.has_gold:
        line["gold"] = {
            name: values[0] if values and len(values) == 1 else values
            for name, values in row.gold.items()
        }
    return line
