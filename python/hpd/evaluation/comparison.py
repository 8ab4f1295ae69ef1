"""Blind pairwise comparison by human annotators (paper, appendix D).

An annotator sees a document and the values of two unnamed systems side by side, and says which are
truer to the document, or neither. Judgements are stored one per line; the results are a matrix of
wins, ties and losses, a score for each system, and the annotators' agreement.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args

from hpd.errors import InputError
from hpd.evaluation.json_form import JsonDataclass, to_plain
from hpd.evaluation.rows import Prediction, load_predictions, read_rows
from hpd.files.journal import cut_unfinished_line
from hpd.files.streams import error_reason
from hpd.files.writer import line_bytes
from hpd.show.shown_values import (
    ShownValue,
    color_slots,
    covered_segments,
    shown_values,
    utf16_segments,
)
from hpd.values.grounding import Grounder


@dataclass(frozen=True, slots=True)
class System:
    """A file of extractions, by document id."""

    name: str
    predictions: dict[str, Prediction]

    def without(self, ids: Collection[str]) -> System:
        return System(self.name, {i: row for i, row in self.predictions.items() if i not in ids})


def load_systems(paths: Sequence[str]) -> list[System]:
    """Load systems from files; raise ``InputError`` if a file has an id twice."""
    systems = [System(name, {}) for name in system_names(paths)]
    for path, system in zip(paths, systems, strict=True):
        for prediction in load_predictions(path):
            own_id = prediction.known_id
            if system.predictions.setdefault(own_id, prediction) is not prediction:
                raise InputError(
                    f"{path}:{prediction.line}: the id {own_id!r} is used more than once, and "
                    "judgements are stored by id: make the ids unique"
                )
    return systems


def system_names(paths: Sequence[str]) -> list[str]:
    """Return the systems' names: file names without extension, or paths if two are the same.

    Raises ``InputError`` if a file is given twice.
    """
    twice = [path for path, n in Counter(paths).items() if n > 1]
    if twice:
        raise InputError(f"{twice[0]} is given twice")
    stems = Counter(Path(path).stem for path in paths)
    return [Path(path).stem if stems[Path(path).stem] == 1 else path for path in paths]


@dataclass(frozen=True, slots=True)
class PairTrial:
    """A document and the two systems to compare."""

    id: str
    left: System
    right: System


def plan_trials(
    systems: Sequence[System], annotator: str, *, seed: int = 0, limit: int | None = None
) -> list[PairTrial]:
    """Return an annotator's trials: one for each document that at least two systems have.

    The documents (at most ``limit``), their order, and the two systems that are compared depend
    only on the seed, so that all annotators judge the same pairs. Which system is on the left also
    depends on the annotator.
    """
    owners: dict[str, list[System]] = {}
    for system in systems:
        for document_id in system.predictions:
            owners.setdefault(document_id, []).append(system)
    shared = [document_id for document_id, own in owners.items() if len(own) >= 2]
    _random_for(seed).shuffle(shared)
    trials = []
    for document_id in shared[:limit]:
        pair = _random_for(seed, "pair", document_id).sample(owners[document_id], 2)
        pair.sort(key=list(systems).index)
        _random_for(seed, "sides", annotator, document_id).shuffle(pair)
        trials.append(PairTrial(document_id, *pair))
    return trials


def _random_for(seed: int, *names: str) -> Random:
    """Return a generator for one purpose, the same on every machine and in every version."""
    return Random(repr((seed, *names)))


PairVerdict = Literal["win", "tie", "loss"]
"""The left system's result against the right one."""
PAIR_VERDICTS: tuple[PairVerdict, ...] = get_args(PairVerdict)


@dataclass(frozen=True, slots=True)
class Judgement(JsonDataclass):
    """A verdict of an annotator: a line of the file."""

    id: str
    annotator: str
    left: str
    right: str
    verdict: PairVerdict
    seconds: float | None = None
    """Seconds from showing the trial to the verdict."""
    seed: int = 0

    @property
    def key(self) -> tuple[str, str, frozenset[str]]:
        """Annotator, document and pair; a later judgement with the same key replaces this one."""
        return self.annotator, self.id, frozenset((self.left, self.right))

    def verdict_on(self, system: str) -> PairVerdict:
        """Return the verdict from the view of one of the two systems."""
        flipped: dict[PairVerdict, PairVerdict] = {"win": "loss", "tie": "tie", "loss": "win"}
        return self.verdict if system == self.left else flipped[self.verdict]


class JudgementFile:
    """A file of judgements, to which several processes may append.

    An unfinished last line, left by a crash or a full disk, is removed.

    Raises ``InputError`` if the file cannot be read or written, or has other contents.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            with open(self.path, "ab+") as file:
                cut_unfinished_line(file)
            self._latest = {judgement.key: judgement for judgement in load_judgements(self.path)}
            # Unbuffered, so that each line is appended whole, in one call.
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error_reason(error)}") from error

    def append(self, judgement: Judgement) -> None:
        self._file.write(line_bytes(to_plain(judgement)))
        self._latest[judgement.key] = judgement

    def verdict(self, trial: PairTrial, annotator: str) -> PairVerdict | None:
        """Return the annotator's last verdict on the left system of a trial, or None."""
        pair = frozenset((trial.left.name, trial.right.name))
        last = self._latest.get((annotator, trial.id, pair))
        return None if last is None else last.verdict_on(trial.left.name)

    def __enter__(self) -> JudgementFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def load_judgements(path: str | Path) -> list[Judgement]:
    """Load a file's judgements, in order; raise ``InputError`` for any other line."""
    names = ("id", "annotator", "left", "right", "verdict")
    judgements = []
    for line, row in read_rows(path, "jsonl"):
        for name in names:
            if not isinstance(row.get(name), str):
                raise InputError(
                    f"{path}:{line}: {name!r} is missing: not a line that hpd compare wrote"
                )
        if row["verdict"] not in PAIR_VERDICTS:
            raise InputError(
                f"{path}:{line}: the verdict is {row['verdict']!r}; "
                f"it should be one of {', '.join(PAIR_VERDICTS)}"
            )
        known = {each.name: row[each.name] for each in fields(Judgement) if each.name in row}
        judgements.append(Judgement(**known))
    return judgements


def latest_judgements(judgements: Iterable[Judgement], systems: Collection[str]) -> list[Judgement]:
    """Return the last judgement for each annotator, document and pair of these systems."""
    latest = {judgement.key: judgement for judgement in judgements}.values()
    return [each for each in latest if each.left in systems and each.right in systems]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A path in the data, and both systems' values there."""

    path: str
    attribute: str
    left: str | None
    right: str | None

    @property
    def differs(self) -> bool:
        return self.left != self.right


def compared_rows(trial: PairTrial) -> list[ComparedRow]:
    """Return the values of a trial side by side."""
    left, right = (
        {
            (value.attribute, value.path): value.text
            for value in shown_values(system.predictions[trial.id].data or {}, {})
        }
        for system in (trial.left, trial.right)
    )
    rows: dict[str, list[ComparedRow]] = {}
    for attribute, path in {**left, **right}:
        texts = (side.get((attribute, path)) for side in (left, right))
        rows.setdefault(attribute, []).append(ComparedRow(path, attribute, *texts))
    shown: list[ComparedRow] = []
    for own in rows.values():
        # An empty list needs no row of its own next to the other side's items.
        shown += [row for row in own if not row.left is row.right is None] or own[:1]
    return shown


def trial_json(trial: PairTrial, text: str, verdict: PairVerdict | None) -> dict[str, Any]:
    """Return a trial, the document's text and the verdict, as ``compare.js`` reads them.

    Each row is [path, color, left, right]. In the segments, value 2 i is the left value of row i,
    and value 2 i + 1 is the right one, if it differs.
    """
    rows = compared_rows(trial)
    slots = color_slots({"": dict.fromkeys(row.attribute for row in rows)})
    values = [
        ShownValue(row.path, row.attribute, shown, spans=_first_span(text, shown))
        for row in rows
        for shown in (row.left, row.right if row.differs else None)
    ]
    return {
        "text": text,
        "rows": [[row.path, slots[row.attribute], row.left, row.right] for row in rows],
        "segments": utf16_segments(covered_segments(values, len(text)), text),
        "verdict": verdict,
    }


_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?", re.ASCII)


def _first_span(text: str, value: str | None) -> tuple[tuple[int, int], ...]:
    """Return the first span of a value, preferably as whole words.

    A number is found in any notation, and never within another one.
    """
    if not value or not value.strip():
        return ()
    if _NUMBER.fullmatch(value):
        span = Grounder(text).best_span(float(value) if "." in value else int(value))
        return () if span is None else ((span.start, span.end),)
    whole_words = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
    start = whole_words.start() if whole_words else text.find(value)
    return () if start < 0 else ((start, start + len(value)),)


@dataclass(frozen=True, slots=True)
class ComparisonSession:
    """An annotator's session."""

    trials: Sequence[PairTrial]
    texts: Mapping[str, str]
    """The documents' texts by id."""
    file: JudgementFile
    """Stores verdicts, and has those of earlier sessions."""
    annotator: str
    seed: int
    """The seed of the trials, written into each line."""

    def verdict(self, number: int) -> PairVerdict | None:
        """Return the last verdict on the left system of a trial, or None."""
        return self.file.verdict(self.trials[number], self.annotator)

    @property
    def n_judged(self) -> int:
        return sum(self.verdict(number) is not None for number in range(len(self.trials)))

    def judge(self, number: int, verdict: PairVerdict, seconds: float | None = None) -> None:
        """Store a verdict on the left system of a trial."""
        trial = self.trials[number]
        names = (trial.left.name, trial.right.name)
        rounded = None if seconds is None else round(seconds, 1)
        self.file.append(Judgement(trial.id, self.annotator, *names, verdict, rounded, self.seed))

    def page_data(self) -> dict[str, Any]:
        """Return the trials without the systems' names."""
        shown = [
            trial_json(trial, self.texts[trial.id], self.verdict(number))
            for number, trial in enumerate(self.trials)
        ]
        return {"trials": shown}
