"""The systems that are compared: a file of extractions each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpd.errors import InputError
from hpd.evaluation.rows import Prediction, load_predictions


@dataclass(frozen=True, slots=True)
class System:
    """A file of extractions, by the ids of their documents."""

    name: str
    predictions: Mapping[str, Prediction]


def load_systems(paths: Sequence[str]) -> list[System]:
    """The systems of some files; ``InputError`` where an id comes twice in one of them."""
    return [
        System(name, _by_id(path)) for name, path in zip(system_names(paths), paths, strict=True)
    ]


def system_names(paths: Sequence[str]) -> list[str]:
    """The names of the systems: those of the files, without their extensions.

    Where two files have the same name, their whole paths; ``InputError`` where a file is given
    twice.
    """
    twice = [path for path, n in Counter(paths).items() if n > 1]
    if twice:
        raise InputError(f"{twice[0]} is given twice: a system is not compared with itself")
    stems = Counter(Path(path).stem for path in paths)
    return [Path(path).stem if stems[Path(path).stem] == 1 else path for path in paths]


def _by_id(path: str) -> dict[str, Prediction]:
    predictions: dict[str, Prediction] = {}
    for number, prediction in enumerate(load_predictions(path), start=1):
        own_id = str(number) if prediction.id is None else prediction.id
        if own_id in predictions:
            raise InputError(
                f"{path}:{prediction.line}: the id {own_id!r} comes again, and judgements are "
                "kept by id: make the ids unique"
            )
        predictions[own_id] = prediction
    return predictions
