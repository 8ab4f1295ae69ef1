"""The formats of data sets that hpd reads, and which of them a file is in."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from hpd.errors import InputError
from hpd.evaluation.datasets.amazon import read_amazon
from hpd.evaluation.datasets.conll import START, TAG, read_documents, read_sentences, split_columns
from hpd.evaluation.datasets.document import Row
from hpd.evaluation.datasets.target_scores import read_pave, read_titles
from hpd.files.rows import ROWS
from hpd.files.streams import reason

Reader = Callable[[BinaryIO, str], Iterator[Row]]

_N_LOOKED_AT = 20
"""Lines that are looked at to find out a file's format."""


@dataclass(frozen=True, slots=True)
class DatasetFormat:
    """A format: its name on the command line, what it is, and how it is read."""

    name: str
    description: str
    read: Reader
    has_gold: bool = True
    lists: bool = False
    """Every attribute has a list of values, and what a document does not name it does not have."""
    read_whole_documents: Reader | None = None
    """Likewise, where the format has documents of several parts."""


FORMATS: Mapping[str, DatasetFormat] = {
    each.name: each
    for each in (
        DatasetFormat(
            "extractgpt",
            "OA-Mine and AE-110k, as ExtractGPT has them: JSONL with input, category and "
            "target_scores",
            read_titles,
        ),
        DatasetFormat(
            "wdc-pave",
            "WDC-PAVE: JSONL with input_title, input_description, category and target_scores",
            read_pave,
        ),
        DatasetFormat(
            "amazon-2023",
            "Amazon Reviews 2023, meta_*.jsonl: title, features, description, main_category; "
            "no gold, and a schema of the names in details",
            read_amazon,
            has_gold=False,
        ),
        DatasetFormat(
            "conll",
            "CoNLL: a token and its BIO or BIOES tag a line, parted by tabs or blanks; lists of "
            "entities by type",
            read_sentences,
            lists=True,
            read_whole_documents=read_documents,
        ),
    )
}


def open_dataset(path: str | Path) -> BinaryIO:
    """A file, unpacked if its name ends in ``.gz``; ``InputError`` if it cannot be opened."""
    try:
        if str(path).endswith(".gz"):
            return cast("BinaryIO", gzip.open(path, "rb"))
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be opened: {reason(error)}") from error


def read_dataset(
    path: str | Path,
    dataset: DatasetFormat,
    *,
    whole_documents: bool = False,
) -> Iterator[Row]:
    """The rows of a file, lazily; those that cannot be read come as errors."""
    reader = dataset.read_whole_documents if whole_documents else dataset.read
    if reader is None:
        raise ValueError(f"{dataset.name} has no documents of several parts")
    with open_dataset(path) as file:
        try:
            yield from reader(file, str(path))
        except (OSError, EOFError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise InputError(f"{path}: cannot be read: {why}") from error


def find_format(path: str | Path) -> DatasetFormat:
    """The format that the first lines of a file are in; ``InputError`` if it is none of them."""
    lines = []
    with open_dataset(path) as file:
        try:
            for _, raw in ROWS["lines"](file, str(path)):
                lines.append(str(raw))
                if len(lines) == _N_LOOKED_AT:
                    break
        except (OSError, EOFError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise InputError(f"{path}: cannot be read: {why}") from error
    if not lines:
        raise InputError(f"{path}: empty")
    name = _json_format(lines[0]) or ("conll" if _is_conll(lines) else None)
    if name is None:
        raise InputError(
            f"{path}: in none of the formats {', '.join(FORMATS)}; say which it is (--format), "
            "and hpd data check says what is wrong with it"
        )
    return FORMATS[name]


def _json_format(line: str) -> str | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    if not isinstance(row, dict):
        return None
    if "target_scores" in row:
        return "wdc-pave" if "input_title" in row or "input_description" in row else "extractgpt"
    return "amazon-2023" if "parent_asin" in row or "main_category" in row else None


def _is_conll(lines: list[str]) -> bool:
    """Whether most lines end in a tag."""
    columns = [split_columns(line) for line in lines]
    tagged = [len(own) > 1 and TAG.fullmatch(own[-1]) is not None for own in columns]
    return columns[0][0] == START or sum(tagged) > len(lines) / 2
