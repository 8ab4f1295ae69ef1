"""A pytest plugin: a test that is skipped without permission fails the run.

``python -m pytest -p skips --allowed-skips FILE`` fails if any test is skipped that FILE
does not allow. With ``--postpone-skips OUT`` it does not: the skipped tests, or whole files of
tests, are written to OUT, one a line, so that ``pytest @OUT`` runs them once nothing is missing.

With pytest-xdist, each worker hands its skips to the process that reports.

A line of FILE names a test, or several with ``*`` and ``?``, and after a colon and a space the
reason for which it may be skipped; what begins with ``#`` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Skip:
    """A test, or a whole file of tests, that was skipped; or one that may be."""

    test: str
    reason: str

    def allows(self, other: Skip) -> bool:
        """Whether this entry of the list covers a skipped test."""
        return _matches(self.test, other.test) and _matches(self.reason, other.reason)

    def __str__(self) -> str:
        return f"{self.test}: {self.reason}"


def allowed_skips(path: Path) -> Iterator[Skip]:
    """The entries of a list of skips; ``UsageError`` if a line has no reason."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            test, separator, reason = line.partition(": ")
            if not separator or not reason.strip():
                raise pytest.UsageError(f"{path}:{number}: expected 'TEST: REASON', got {line!r}")
            yield Skip(test.strip(), reason.strip())


def pytest_addoption(parser: pytest.Parser) -> None:
    """The two options."""
    group = parser.getgroup("skips")
    group.addoption("--allowed-skips", type=Path, required=True, metavar="FILE")
    group.addoption("--postpone-skips", type=Path, metavar="OUT")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to watch the reports."""
    allowed = [*allowed_skips(config.getoption("--allowed-skips"))]
    config.pluginmanager.register(_Watcher(allowed, config.getoption("--postpone-skips")))


class _Watcher:
    """The skips of one run that the list does not allow."""

    def __init__(self, allowed: list[Skip], postponed: Path | None) -> None:
        self._allowed = allowed
        self._postponed = postponed
        self._others: dict[Skip, None] = {}  # every worker meets a file that is skipped whole

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def _note(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        # An expected failure counts as skipped, too, but tells no place, file and line, of a skip.
        if report.skipped and isinstance(report.longrepr, tuple):
            skip = Skip(report.nodeid, report.longrepr[2].removeprefix("Skipped: "))
            if not any(entry.allows(skip) for entry in self._allowed):
                self._others[skip] = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker has skipped."""
        for test, reason in getattr(node, "workeroutput", {}).get("skips", ()):
            self._others[Skip(test, reason)] = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["skips"] = [(skip.test, skip.reason) for skip in self._others]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._others:
            terminalreporter.section(
                "skipped, to be run later" if self._postponed else "skipped without permission"
            )
            for skip in self._others:
                terminalreporter.write_line(str(skip))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        """Fail a run with skips, or put them off, once all tests have run."""
        result = yield
        if hasattr(session.config, "workeroutput"):
            return result
        if self._postponed is not None:
            tests = "".join(f"{skip.test}\n" for skip in self._others)
            self._postponed.write_text(tests, encoding="utf-8")
        elif self._others:
            session.testsfailed += 1
        return result


def _matches(pattern: str, text: str) -> bool:
    """Whether ``*`` and ``?`` make the pattern equal to the text; brackets stand for themselves."""
    wild = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(wild, text, re.DOTALL) is not None
