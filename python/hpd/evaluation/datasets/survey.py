"""A survey of a data set's file: counts, attributes by category, problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hpd.errors import InputError
from hpd.evaluation.datasets.catalogue import DatasetFormat
from hpd.evaluation.datasets.document import DatasetDocument, Row

N_DETAILS = 16
"""Attributes in the schema of a category without gold: as many as the paper asks for."""


@dataclass(slots=True)
class Survey:
    """Counts over the rows that could be read, and what is wrong with the others."""

    dataset: DatasetFormat
    n_documents: int = 0
    n_characters: int = 0
    n_none: int = 0
    """Attributes of which a row says that the document does not state them."""
    n_filled: int = 0
    """Attributes that have gold values."""
    n_several: int = 0
    """Attributes that have more than one."""
    n_values: int = 0
    n_in_text: int = 0
    """Gold values that the text holds, letter by letter."""
    categories: Counter[str] = field(default_factory=Counter)
    """Documents of each category."""
    attributes: dict[str, Counter[str]] = field(default_factory=dict)
    """For each category how often each attribute has a value, in order of appearance."""
    problems: list[str] = field(default_factory=list)
    """The problem of each row that is left out, with file and line."""
    notices: list[str] = field(default_factory=list)
    """Oddities of rows that are kept."""
    ids: dict[str, int] = field(default_factory=dict)
    """The line of each id's first document."""

    def add(self, row: Row, name: str) -> None:
        """Count one row of the file ``name``."""
        if isinstance(row, InputError):
            self.problems.append(str(row))
            return
        self.n_documents += 1
        self.n_characters += len(row.text)
        self.categories[row.category] += 1
        first = self.ids.setdefault(row.id, row.line)
        if first != row.line:
            self.notices.append(f"{name}:{row.line}: the id {row.id!r} is that of line {first}")
        names = self.attributes.setdefault(row.category, Counter())
        for attribute in row.attributes:
            names[attribute] += 1
        self._add_gold(row, names)

    def attribute_names(self, category: str) -> list[str]:
        """The attributes of a category: all that its gold names, else its most frequent ones."""
        names = self.attributes.get(category, Counter())
        if self.dataset.has_gold:
            return list(names)
        return [name for name, _ in names.most_common(N_DETAILS)]

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "format": self.dataset.name,
            "n_documents": self.n_documents,
            "n_characters": self.n_characters,
            "n_filled": self.n_filled,
            "n_none": self.n_none,
            "n_several": self.n_several,
            "n_values": self.n_values,
            "n_in_text": self.n_in_text,
            "categories": dict(self.categories),
            "attributes": {name: dict(counts) for name, counts in self.attributes.items()},
            "problems": self.problems,
            "notices": self.notices,
        }

    def _add_gold(self, row: DatasetDocument, names: Counter[str]) -> None:
        for attribute, values in (row.gold or {}).items():
            names[attribute] += bool(values)
            if values is None:
                self.n_none += 1
                continue
            self.n_filled += 1
            self.n_several += len(values) > 1
            self.n_values += len(values)
            self.n_in_text += sum(value in row.text for value in values)


def survey(rows: Iterable[Row], dataset: DatasetFormat, name: str) -> Survey:
    """Count the rows of a file."""
    result = Survey(dataset)
    for row in rows:
        result.add(row, name)
    return result
