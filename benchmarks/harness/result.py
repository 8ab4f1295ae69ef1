"""The result of a part, as a JSON file: tables, their commands and conditions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_NUMBER = re.compile(r"[-+]?(\d[\d,]*)?\.?\d+")

Cell = str | int | float | None
"""A cell; numbers are text if their decimals matter."""
Rows = list[list[Cell]]
"""The rows of a table that is being made; the first one is the heading."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of figures; its first row is the heading."""

    caption: str
    rows: Sequence[Sequence[Cell]]

    def markdown(self) -> str:
        """Return the table in Markdown; columns of figures are right-aligned."""
        head, *rest = [["" if cell is None else str(cell) for cell in row] for row in self.rows]
        columns = list(zip(*rest, strict=True)) if rest else [() for _ in head]
        rules = ["---:" if _is_numeric(column) else "---" for column in columns]
        lines = [head, rules, *rest]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Everything besides the commands that affects the figures."""

    date: str
    """End of the measurement, in UTC."""
    hpd: str
    git: str
    """The commit of the checkout, followed by ``+`` if files were changed."""
    llama_cpp_python: str
    processor: str
    n_cores: int
    n_threads: int
    """Requested threads; 0: chosen by hpd."""
    models: Mapping[str, str]
    """The SHA-256 of each model file, by name."""
    seconds: float
    """The time of the part, without files made by an earlier call."""
    limit: int | None = None
    """Documents of each file, in a trial."""
    awake: bool = False
    """Whether ``benchmarks.awake`` kept the processors from sleeping."""
    weights: str = ""
    """How llama.cpp could multiply matrices; empty: not recorded."""
    stolen: float | None = None
    """Maximum share of a run that the host of a virtual machine took; None: not recorded."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The tables of a part, and their headline."""

    tables: Sequence[Table]
    headline: str
    notes: Sequence[str] = ()
    """Notes for readers of the tables."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finding with the commands and conditions under which it was made."""

    part: str
    title: str
    commands: Sequence[str]
    """Distinct commands, with ``DATA``, ``WORK`` and bare names instead of the machine's paths."""
    finding: Finding
    conditions: Conditions

    def save(self, folder: Path) -> Path:
        """Write the part's file, replacing an earlier one."""
        folder.mkdir(parents=True, exist_ok=True)
        path = result_path(folder, self.part)
        unfinished = path.with_suffix(".unfinished")
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1)
        unfinished.write_text(f"{text}\n", encoding="utf-8")
        unfinished.replace(path)
        return path

    @staticmethod
    def load(path: Path) -> Result:
        """Read a file that ``save`` wrote."""
        row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found, conditions = row.pop("finding"), Conditions(**row.pop("conditions"))
        finding = Finding([Table(**table) for table in found.pop("tables")], **found)
        return Result(**row, finding=finding, conditions=conditions)


def result_path(folder: Path, part: str) -> Path:
    """Return the file of a part's result."""
    return folder / f"{part}.json"


def load_results(folder: Path) -> dict[str, Result]:
    """Return all results in a folder, by part."""
    return {path.stem: Result.load(path) for path in sorted(folder.glob("*.json"))}


def _is_numeric(column: Sequence[str]) -> bool:
    """Return whether a column has only figures or empty cells."""
    cells = [cell.strip("*% $x<").partition(" ")[0] for cell in column if cell]
    return bool(cells) and all(map(_NUMBER.fullmatch, cells))
