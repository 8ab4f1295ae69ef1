"""One annotator at work: their trials, the documents, and the file that the verdicts go to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hpd.evaluation.comparison.judgements import Judgement, JudgementFile, Verdict
from hpd.evaluation.comparison.shown_trials import ShownTrial, shown_trial
from hpd.evaluation.comparison.trials import Trial


class Session:
    """The part that the page and the terminal have in common.

    Args:
        trials: in the order in which they are judged.
        texts: the text of each document, by id.
        file: takes the verdicts, and has those of earlier sessions.
        annotator: their name.
        seed: from which the trials were drawn; it is written into each line.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        texts: Mapping[str, str],
        file: JudgementFile,
        annotator: str,
        seed: int,
    ) -> None:
        self.trials = trials
        self.annotator = annotator
        self._texts = texts
        self._file = file
        self._seed = seed

    def shown(self, number: int) -> ShownTrial:
        """A trial, without names."""
        trial = self.trials[number]
        return shown_trial(trial, self._texts[trial.id])

    def verdict(self, number: int) -> Verdict | None:
        """The last verdict on the left system of a trial; None if there is none yet."""
        return self._file.verdict(self.trials[number], self.annotator)

    @property
    def n_judged(self) -> int:
        """The trials with a verdict."""
        return sum(self.verdict(number) is not None for number in range(len(self.trials)))

    def next_trial(self, start: int) -> int | None:
        """The first trial without a verdict, from ``start`` on and then from the beginning."""
        n = len(self.trials)
        order = (*range(start, n), *range(min(start, n)))
        return next((number for number in order if self.verdict(number) is None), None)

    def judge(self, number: int, verdict: Verdict, seconds: float | None = None) -> None:
        """Keep a verdict on the left system of a trial."""
        trial = self.trials[number]
        self._file.append(
            Judgement(
                trial.id,
                self.annotator,
                trial.left.name,
                trial.right.name,
                verdict,
                None if seconds is None else round(seconds, 1),
                self._seed,
            )
        )

    def to_json(self) -> dict[str, Any]:
        """All trials for the page's script."""
        return {
            "trials": [
                self.shown(number).to_json(self.verdict(number))
                for number in range(len(self.trials))
            ]
        }
