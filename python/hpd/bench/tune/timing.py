"""Settings timed on documents; the model's own answers are decoded and compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpd.bench.measure import Bench, Measurement
from hpd.bench.methods import Method
from hpd.bench.rounds import n_different
from hpd.bench.tune.search import Axis, Run, Settings
from hpd.options import OPTIONS, TUNABLE, Options, Tuning


def _axis(name: str, tuning: Tuning) -> Axis:
    partners = [
        other
        for other, option in OPTIONS.items()
        if option.tuning is not None and option.tuning.together_with == name
    ]
    return tuple(dict.fromkeys((name, *partners), value) for value in tuning.tried)


AXES: tuple[Axis, ...] = tuple(
    _axis(name, option.tuning)
    for name, option in OPTIONS.items()
    if option.tuning is not None and option.tuning.tried
)
"""The values to try of each option, in this order, and of the options that are varied with it."""

_N_PROBED = 8
_N_RUNS = 40
"""The approximate number of runs in a search with enough time."""
_FEWEST = 32
"""The fewest documents; fewer would say nothing about many in flight."""


def n_tolerated(n_documents: int) -> int:
    """The number of documents for which settings may give other answers.

    It is not zero, because rounding depends on the batch, and decides between values that are
    almost equally likely. Not even two runs of the default settings always agree, as the number of
    drafts depends on measured times.
    """
    return max(1, n_documents // 10)


class Timer:
    """Times settings on the first documents of a bench's workload.

    Args:
        bench: the model and the documents.
        base: the options that are not varied.
        n_documents: the number of documents of the bench.
        note: called with each measurement.
    """

    def __init__(
        self,
        bench: Bench,
        base: Options,
        n_documents: int,
        note: Callable[[Settings, Measurement], None],
    ) -> None:
        self._bench = bench
        self._base = base
        self._note = note
        self._answers: Mapping[int, Any] | None = None
        self.n_documents = n_documents

    def fit(self, seconds: float) -> None:
        """Choose the number of documents, so that the search takes about so many seconds."""
        n_probed = min(_N_PROBED, self.n_documents)
        method = Method("tune", "hpd", self._base.filled(), n_probed)
        took = self._bench.measure(method, 0).measurement.seconds / n_probed
        n_fitting = math.ceil(seconds / _N_RUNS / took)
        self.n_documents = min(self.n_documents, max(_FEWEST, n_fitting))

    def measure(self, settings: Settings) -> Run:
        """Run once with some settings.

        Raises:
            HpdError: the settings do not work here, or a document cannot be decoded.
        """
        method = Method("tune", "hpd", self._base.filled(settings), self.n_documents)
        measured = self._bench.measure(method, 1)
        self._note(settings, measured.measurement)
        if self._answers is None:
            self._answers = measured.answers
        return Run(measured.measurement.seconds, n_different(measured.answers, self._answers))


def axes_for(base: Options, n_documents: int) -> list[Axis]:
    """The settings to vary with so many documents; those that ``base`` has set are left out."""
    axes: Sequence[Axis] = [
        [change for change in axis if change.get("in_flight", 0) <= n_documents] for axis in AXES
    ]
    free = set(base.unset)
    return [axis for axis in axes if axis and free.issuperset(axis[0])]


def default_settings(base: Options) -> dict[str, int]:
    """The values of all settings without tuning."""
    filled = base.filled()
    return {name: getattr(filled, name) for name in TUNABLE}
