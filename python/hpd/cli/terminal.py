"""Output on a terminal, with ``rich``: results as rows, and the progress of a run.

``rich`` is imported only on a terminal, so that runs in pipes start faster. ``NO_COLOR`` is
respected.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hpd.schema.data_checks import check_text
from hpd.schema.schemas import Schemas
from hpd.show.shown_values import shown_id

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.text import Text

_MIN_COLUMN_WIDTH: Final = 8
"""The minimum width of a column; with less room, attributes are listed below each other."""
_GAP: Final = "  "
_N_CUT_IDS: Final = 10_000
_ABSENT: Final = "-"


class ResultTable:
    """Formats output lines as table rows, each as soon as it is known.

    A ``rich`` table would need all rows before printing.

    Args:
        schemas: their attributes are the columns.
        width: the window's width in characters (default: detected).
    """

    def __init__(self, schemas: Schemas, width: int | None = None) -> None:
        width = width or shutil.get_terminal_size().columns
        attributes = itertools.chain(*schemas.by_category.values())
        self._names = list(dict.fromkeys(attribute.name for attribute in attributes))
        self._width = width
        n_columns = len(self._names) + 1
        room = width - len(_GAP) * (n_columns - 1)
        self._is_wide = room // n_columns >= _MIN_COLUMN_WIDTH
        self._widths = [room // n_columns + (i < room % n_columns) for i in range(n_columns)]
        self._has_header = False
        self._cut_ids: dict[str, str] = {}  # recent ids, by their shortened form
        self._console = console(
            file=io.StringIO(), width=width, force_terminal=sys.stdout.isatty(), highlight=False
        )

    def __call__(self, line: Mapping[str, Any]) -> bytes:
        """Return the rows of one output line, after the header if it is the first."""
        with self._console.capture() as captured:
            for text in self._format_line(line):
                text.rstrip()
                self._console.print(text, soft_wrap=True)
        return captured.get().encode("utf-8", "replace")

    def _format_line(self, line: Mapping[str, Any]) -> Iterator[Text]:
        id_ = _on_one_line(shown_id(line.get("id"), line.get("source")))
        error = line.get("error")
        data = line.get("data")
        has_data = data is not None or error is None
        if not isinstance(data, Mapping):  # The root of the schema is not an object.
            data = {self._names[0]: data}
        values = [_value_text(data.get(name)) for name in self._names]
        if self._is_wide and not self._has_header:
            self._has_header = True
            names = zip(["id", *self._names], self._widths, strict=True)
            yield _join_cells(*(_fit_cell(name, width, "bold") for name, width in names))
            yield _join_cells(*("-" * width for width in self._widths))
        first = _cut_middle(id_, self._widths[0])
        if len(self._cut_ids) > _N_CUT_IDS:
            self._cut_ids.clear()
        if not self._is_wide or (first != id_ and self._cut_ids.setdefault(first, id_) != id_):
            # The id has no column, or looks there like another one that was cut.
            yield _fit_cell(id_, 2 * len(id_), "bold")
        if has_data and self._is_wide:
            cells = zip([first, *values], self._widths, strict=True)
            yield _join_cells(*(_value_cell(value, width) for value, width in cells))
        elif has_data:
            longest = min(max(map(len, self._names)), self._width // 2)
            room = self._width - longest - 2 * len(_GAP)
            for name, value in zip(self._names, values, strict=True):
                yield _join_cells("", _fit_cell(name, longest), _value_cell(value, room))
        for check in line.get("checks", ()):
            message = f"{_cut_middle(id_, self._width // 3)}: {check_text(check)}"
            yield _fit_cell(" ".join(message.split()), self._width, "yellow")
        if error is not None:
            message = f"{_cut_middle(id_, self._width // 3)}: {error['type']}: {error['message']}"
            yield _fit_cell(" ".join(message.split()), self._width, "red")


class ExtractProgress:
    """Progress: documents done, rate, time left, share of nulls, errors.

    Args:
        total: the number of documents; None if unknown.
        n_done: the number that an earlier run finished.
        shown: whether to show a bar; otherwise nothing is counted.
    """

    def __init__(self, total: int | None, n_done: int = 0, *, shown: bool) -> None:
        self.shown = shown
        self._total = total
        self._n_done = n_done
        self._n_values = self._n_nulls = self._n_failed = 0
        self._unit = "doc"
        self._n_now = 0  # by this run
        self._start = time.perf_counter()
        self._bar: Bar | None = None

    def __enter__(self) -> ExtractProgress:
        if self.shown:
            self._bar = progress_bar()
            self._task = self._bar.add_task("", total=self._total, done=self._n_done, details="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, *, n_values: int = 0, n_nulls: int = 0, failed: bool = False) -> None:
        """Count a document, or a chunk of one."""
        if self._bar is None:
            return
        self._n_done += 1
        self._n_values += n_values
        self._n_nulls += n_nulls
        self._n_failed += failed
        self._n_now += 1
        rate = format_rate(self._n_now / (time.perf_counter() - self._start))
        details = [f"{rate} {self._unit}/s"]
        if self._n_values:
            details.append(f"{self._n_nulls / self._n_values:.0%} null")
        if self._n_failed:
            details.append(f"{self._n_failed} failed")
        task = self._bar.tasks[0]
        total = "" if task.total is None else f"/{task.total:.0f}"
        done = f"{self._n_done}{total}"
        self._bar.update(self._task, advance=1, done=done, details="  ".join(details))

    def count_chunks(self, n_more: int) -> None:
        """From now on, count chunks; this document adds ``n_more`` to the total."""
        if self._bar is not None:
            self._unit = "chunk"
            task = self._bar.tasks[0]
            if task.total is not None:
                self._bar.update(self._task, total=task.total + n_more)


def format_rate(rate: float) -> str:
    """Format a rate with three digits or as a whole number, without an exponent."""
    return f"{rate:.0f}" if rate >= 1000 else f"{rate:.3g}" if rate >= 0.001 else f"{rate:.6f}"


def progress_bar() -> Bar:
    """Return a bar on standard error, for tasks with the fields ``done`` and ``details``."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        BarColumn(),
        TextColumn("{task.fields[done]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[details]}"),
        console=console(file=sys.stderr, stderr=True),
    )


def console(**settings: Any) -> Console:
    from rich.console import Console

    # With NO_COLOR, rich itself would leave out colors, but not bold and dim text.
    return Console(color_system=None if os.environ.get("NO_COLOR") else "auto", **settings)


def _join_cells(*cells: Text | str) -> Text:
    from rich.text import Text

    return Text(_GAP).join(Text(cell) if isinstance(cell, str) else cell for cell in cells)


def _fit_cell(text: str, width: int, style: str = "") -> Text:
    """Fit a text to exactly ``width`` terminal columns, cut with an ellipsis if it is longer."""
    from rich.text import Text

    fitted = Text(text, style=style)
    fitted.truncate(width, overflow="ellipsis", pad=True)
    return fitted


def _value_cell(text: str, width: int) -> Text:
    return _fit_cell(text, width, "dim" if text == _ABSENT else "")


def _cut_middle(text: str, width: int) -> str:
    """Shorten a text in the middle; a path loses its first folders instead."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width or width < 3:
        return text
    for at in [i for i, c in enumerate(text) if c == "/"]:
        if 1 + cell_len(text[at:]) <= width:
            return f"…{text[at:]}"
    n_end = (width - 1) * 2 // 3
    end = text[-n_end:]
    while cell_len(end) > n_end:
        end = end[1:]
    return f"{set_cell_size(text, width - 1 - n_end)}…{end}"


def _value_text(value: Any) -> str:
    """Format a value on one line; several objects become their number and the first one."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return f"{len(value)}: {_value_text(value[0])}" if len(value) > 1 else _value_text(value[0])
    if isinstance(value, list):
        return ", ".join(map(_value_text, value)) or _ABSENT
    if isinstance(value, dict):
        parts = [f"{name} {_value_text(part)}" for name, part in value.items() if part is not None]
        return ", ".join(parts) or _ABSENT
    return _on_one_line(value)


def _on_one_line(value: Any) -> str:
    """Format a value on one line, without control characters."""
    if value is None:
        return _ABSENT
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    one_line = " ".join(text.split())
    return "".join(c if c.isprintable() else "\ufffd" for c in one_line)
