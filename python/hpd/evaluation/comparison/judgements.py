"""Judgements: one line of JSON each, appended to a file that several annotators may share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from hpd.errors import InputError
from hpd.evaluation.comparison.trials import Trial
from hpd.evaluation.rows import read_rows
from hpd.files.streams import reason
from hpd.files.writer import line_bytes

Verdict = Literal["win", "tie", "loss"]
"""Of the left system against the right one."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


About = tuple[str, str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict of one annotator, as a line of the file."""

    id: str
    """The document's."""
    annotator: str
    left: str
    """The name of the system that stood on the left."""
    right: str
    verdict: Verdict
    seconds: float | None = None
    """The time from the showing of the trial to the verdict."""
    seed: int = 0
    """From which the order was drawn."""

    @property
    def about(self) -> About:
        """The annotator, the document and the pair: a later judgement of the same replaces it."""
        return self.annotator, self.id, frozenset((self.left, self.right))

    def verdict_on(self, system: str) -> Verdict:
        """The verdict as seen from one of the two systems."""
        flipped: dict[Verdict, Verdict] = {"win": "loss", "tie": "tie", "loss": "win"}
        return self.verdict if system == self.left else flipped[self.verdict]


class JudgementFile:
    """A file of judgements that grows; several processes may append to one.

    A last line that was cut off, by a crash or a full disk, is removed.

    Raises ``InputError`` if the file cannot be read or written, or holds something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            _cut_unfinished_line(self.path)
            earlier = load_judgements(self.path) if self.path.exists() else []
            self._last = {judgement.about: judgement for judgement in earlier}
            # Unbuffered and appending: a line goes out in one call, and so stays whole.
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {reason(error)}") from error

    def append(self, judgement: Judgement) -> None:
        """Write a judgement; it is in the file when this returns."""
        self._file.write(line_bytes(asdict(judgement)))
        self._last[judgement.about] = judgement

    def verdict(self, trial: Trial, annotator: str) -> Verdict | None:
        """The annotator's last verdict on the left system of a trial; None if there is none."""
        pair = frozenset((trial.left.name, trial.right.name))
        last = self._last.get((annotator, trial.id, pair))
        return None if last is None else last.verdict_on(trial.left.name)

    def __enter__(self) -> JudgementFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def load_judgements(path: str | Path) -> list[Judgement]:
    """The judgements of a file, in order; ``InputError`` where a line is none."""
    return [_judgement(row, f"{path}:{line}") for line, row in read_rows(path, "jsonl")]


def latest(judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements that count: of each annotator, document and pair the last one."""
    return list({judgement.about: judgement for judgement in judgements}.values())


def _judgement(row: Any, where: str) -> Judgement:
    names = ("id", "annotator", "left", "right", "verdict")
    missing = [name for name in names if not isinstance(row.get(name), str)]
    if missing:
        raise InputError(f"{where}: {missing[0]!r} is missing: not a line that hpd compare wrote")
    if row["verdict"] not in VERDICTS:
        raise InputError(
            f"{where}: the verdict is {row['verdict']!r}; it should be one of {', '.join(VERDICTS)}"
        )
    document_id, annotator, left, right, verdict = (row[name] for name in names)
    return Judgement(
        document_id, annotator, left, right, verdict, row.get("seconds"), row.get("seed", 0)
    )


def _cut_unfinished_line(path: Path) -> None:
    if not path.exists():
        return
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        with path.open("r+b") as file:
            file.truncate(end)
