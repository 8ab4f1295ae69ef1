"""The tables of docs/reliability.md: each row is made by the test that tries it.

A test says what it tries, and what comes of it, with a marker, and hands the message that hpd gave
to the fixture ``said``::

    @pytest.mark.outcome("output", "a second process on the same output", "refused")
    def test_a_second_process(said: Said) -> None:
        ...
        said(error)

The page holds the row of each such test as the test makes it, or the test fails.
``python -m pytest -m outcome --write-outcomes`` writes all tables anew, if everything passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"

Said = Callable[[str], None]
"""Takes hpd's message, of which the last line goes into the table."""

_HEAD = "| What happens | What comes of it | Tried by |\n|---|---|---|\n"
_TABLE = re.compile(
    r"(?P<begin><!-- outcomes: (?P<name>\w+) -->\n)(?P<rows>.*?)(?P<end><!-- end -->)", re.DOTALL
)
_ROWS = pytest.StashKey[dict[tuple[str, str], "Row"]]()
_MESSAGES = pytest.StashKey[list[str]]()


@dataclass(frozen=True)
class Row:
    """A thing that a test tries, and the consequences."""

    table: str
    happens: str
    comes: str
    test: Path
    message: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Its table, and what happens."""
        return self.table, self.happens

    def __str__(self) -> str:
        comes = self.comes + (f"<br>`{self.message}`" if self.message else "")
        link = f"[`{self.test.stem}`](../{self.test.relative_to(ROOT).as_posix()})"
        cells = [text.replace("|", "\\|") for text in (self.happens, comes)]
        return f"| {cells[0]} | {cells[1]} | {link} |"


def tables(page: str) -> dict[str, list[str]]:
    """The rows of each table of the page, as they stand there."""
    return {m["name"]: m["rows"].splitlines()[2:] for m in _TABLE.finditer(page)}


def without_message(row: str) -> str:
    """A row of the page without what hpd said."""
    start, _, test = row.rpartition(" | ")
    return f"{start.split('<br>')[0]} | {test}"


def with_rows(page: str, rows: list[Row]) -> str:
    """The page with these rows: known ones in the order of the page, new ones behind them."""

    def table(match: re.Match[str]) -> str:
        old = match["rows"].splitlines()[2:]
        new = [row for row in rows if row.table == match["name"]]
        places = {line.split(" | ")[0]: n for n, line in enumerate(old)}
        new.sort(key=lambda row: places.get(str(row).split(" | ")[0], len(places)))
        return match["begin"] + _HEAD + "".join(f"{row}\n" for row in new) + match["end"]

    return _TABLE.sub(table, page)


@pytest.fixture
def said(request: pytest.FixtureRequest, tmp_path: Path) -> Said:
    """Notes the last line of a message for the table, without the test's own folder."""
    messages = request.node.stash.setdefault(_MESSAGES, [])

    def note(message: str) -> None:
        line = message.strip().splitlines()[-1]
        messages.append(line.replace(f"{tmp_path}/", ""))

    return note


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("outcomes")
    group.addoption("--write-outcomes", action="store_true", help=f"write the tables of {PAGE}")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "outcome(table, happens, comes): the test has a row in docs/reliability.md"
    )
    config.stash[_ROWS] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    """Keep the rows of a test that has passed, or hold them against the page."""
    report: pytest.TestReport = yield
    if call.when != "call" or not report.passed:
        return report
    message = next(iter(item.stash.get(_MESSAGES, [])), "")
    for mark in item.iter_markers("outcome"):
        row = Row(*mark.args, item.path, message)
        if item.config.getoption("--write-outcomes"):
            rows = item.config.stash[_ROWS]
            if message or row.key not in rows:  # not every case of a test has a message
                rows[row.key] = row
            continue
        of_page = tables(PAGE.read_text(encoding="utf-8")).get(row.table)
        # Only rows of tables that the page has.
        if of_page is not None and str(row) not in (
            of_page if message else map(without_message, of_page)
        ):
            report.outcome = "failed"
            report.longrepr = (
                f"{PAGE.name} lacks this row of the table {row.table!r}:\n{row}\n"
                "python -m pytest -m outcome --write-outcomes"
            )
    return report


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the tables, if every test that has a row has passed."""
    if session.config.getoption("--write-outcomes") and exitstatus == pytest.ExitCode.OK:
        rows = list(session.config.stash[_ROWS].values())
        page = with_rows(PAGE.read_text(encoding="utf-8"), rows)
        PAGE.write_text(page, encoding="utf-8")
