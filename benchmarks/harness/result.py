"""The result of one part, as a JSON file: tables, the commands that made them, the conditions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Cell = str | int | float | None
"""A cell as it is printed: numbers come as text where their places matter."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of figures; its first row names the columns."""

    caption: str
    rows: Sequence[Sequence[Cell]]

    def markdown(self) -> str:
        """The table for a page; columns of figures are aligned to the right."""
        head, *rest = [["" if cell is None else str(cell) for cell in row] for row in self.rows]
        columns = list(zip(*rest, strict=True)) if rest else [() for _ in head]
        rules = ["---:" if _is_numeric(column) else "---" for column in columns]
        lines = [head, rules, *rest]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@dataclass(frozen=True, slots=True)
class Conditions:
    """All that figures depend on besides the commands."""

    date: str
    """Of the end of the measurement, in UTC."""
    hpd: str
    git: str
    """The commit of the checkout, with ``+`` behind it if files were changed."""
    llama_cpp_python: str
    processor: str
    n_cores: int
    n_threads: int
    """Threads that were asked for; 0: chosen by hpd."""
    models: Mapping[str, str]
    """The SHA-256 of each model's file, by its name."""
    seconds: float
    """The time of the part, without what an earlier call had made already."""
    limit: int | None = None
    """Documents of each file, in a trial."""
    awake: bool = False
    """Whether ``benchmarks.awake`` kept the processors from sleeping."""
    weights: str = ""
    """The way in which llama.cpp could multiply them; empty: not noted."""
    stolen: float | None = None
    """The largest share of a run that the host of a virtual machine took; None: not noted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The tables of a part, and what they come to in one sentence."""

    tables: Sequence[Table]
    headline: str
    notes: Sequence[str] = ()
    """Sentences that a reader of the tables should know."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finding with the commands and conditions under which it was made."""

    part: str
    title: str
    commands: Sequence[str]
    """Each once, with ``DATA``, ``WORK`` and bare names in place of the machine's paths."""
    finding: Finding
    conditions: Conditions

    def save(self, folder: Path) -> Path:
        """Write the file of this part, and put it in the place of an earlier one."""
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
        row: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        finding = row["finding"]
        tables = [Table(**table) for table in finding["tables"]]
        return Result(
            row["part"],
            row["title"],
            row["commands"],
            Finding(tables, finding["headline"], finding["notes"]),
            Conditions(**row["conditions"]),
        )


def result_path(folder: Path, part: str) -> Path:
    """The file of a part's result."""
    return folder / f"{part}.json"


def load_results(folder: Path) -> dict[str, Result]:
    """All results of a folder, by part."""
    return {path.stem: Result.load(path) for path in sorted(folder.glob("*.json"))}


def _is_numeric(column: Sequence[str]) -> bool:
    """Whether a column holds figures, or nothing, in every row."""
    cells = [cell.strip("*% $x<") for cell in column if cell]
    return bool(cells) and all(_is_number(cell.partition(" ")[0]) for cell in cells)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True
