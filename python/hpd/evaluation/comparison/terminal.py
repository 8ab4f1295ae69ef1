"""A comparison in the terminal."""

from __future__ import annotations

import re
import textwrap
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from hpd.evaluation.comparison.judgements import Verdict
from hpd.evaluation.comparison.session import Session

_VERDICTS: dict[str, Verdict] = {
    "1": "win", "2": "tie", "3": "loss",
    # The arrows, as terminals send them.
    "\x1b[D": "win", "\x1b[B": "tie", "\x1b[C": "loss",
}  # fmt: skip
_QUESTION = "1: left is better, 2: tie, 3: right is better, b: back, q: quit > "
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_WIDEST_NAME = 24


def judge_in_terminal(
    session: Session, ask: Callable[[str], str], out: TextIO, columns: int = 100
) -> None:
    """Go through the trials that have no verdict, until all have one or the annotator quits.

    Args:
        session: the annotator's.
        ask: shows a question and returns the line that is typed; ``EOFError`` quits.
        out: where documents and values are shown.
        columns: the width of the terminal.
    """
    number = session.next_trial(0)
    while number is not None:
        print("\n".join(_lines(session, number, columns)), file=out, flush=True)
        start = time.monotonic()
        try:
            answer = _answer(ask)
        except EOFError:
            return
        if answer == "q":
            return
        if answer == "b":
            number = max(0, number - 1)
            continue
        session.judge(number, _VERDICTS[answer], time.monotonic() - start)
        number = session.next_trial(number + 1)


def _answer(ask: Callable[[str], str]) -> str:
    while True:
        answer = ask(_QUESTION).strip()
        if answer in _VERDICTS or answer in ("b", "q"):
            return answer


def _lines(session: Session, number: int, columns: int) -> Iterator[str]:
    """A trial: the document, and below it the values side by side; ``*`` where they differ."""
    shown = session.shown(number)
    yield ""
    yield f"{number + 1} of {len(session.trials)} ({session.n_judged} judged)".center(columns, "-")
    for line in _plain(shown.text).split("\n"):
        yield from textwrap.wrap(line, columns) or [""]
    yield ""
    names = max((len(row.place) for row in shown.rows), default=0)
    width = min(names, _WIDEST_NAME)
    side = (columns - width - 6) // 2
    yield f"  {'':{width}}  {'left':{side}}  right"
    for row in shown.rows:
        cells = [
            textwrap.wrap(_plain(row.place), width) or [""],
            *(_cell(text, side) for text in (row.left, row.right)),
        ]
        for i in range(max(map(len, cells))):
            name, left, right = (cell[i] if i < len(cell) else "" for cell in cells)
            mark = "*" if row.differs and i == 0 else " "
            yield f"{mark} {name:{width}}  {left:{side}}  {right}".rstrip()
    yield ""


def _cell(text: str | None, width: int) -> list[str]:
    return ["-"] if text is None else textwrap.wrap(_plain(text), width) or [""]


def _plain(text: str) -> str:
    """Text that cannot steer the terminal."""
    return _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n").replace("\t", "    "))
