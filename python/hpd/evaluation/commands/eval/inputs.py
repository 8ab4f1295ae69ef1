"""The files of ``hpd eval``, read and brought together."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hpd.cli.common import UsageError, before_the_model, say
from hpd.evaluation.assessment import Data
from hpd.evaluation.lookup import lookup
from hpd.evaluation.matching import Matching, match_rows
from hpd.evaluation.rows import (
    TABLES,
    Example,
    Prediction,
    load_examples,
    load_predictions,
)
from hpd.files import guess_format, source_name
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """One file of predictions beside the documents."""

    name: str
    matching: Matching

    @property
    def data(self) -> Data:
        """For each document the data predicted for it."""
        return self.matching.data

    @property
    def n_failed(self) -> int:
        """Documents that have a line, but no data."""
        return sum(row is not None and row.data is None for row in self.matching.predictions)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that one call reads."""

    examples: Sequence[Example]
    """Without gold values where no GOLD is given: then they are the rows of the first file."""
    has_gold: bool
    attributes: dict[str, list[str]] | None
    first: PredictionFile
    second: PredictionFile | None

    @property
    def files(self) -> dict[str, PredictionFile]:
        """The files of predictions by the names to show: without folders, if these differ."""
        both = [file for file in (self.first, self.second) if file is not None]
        short = {Path(file.name).name: file for file in both}
        return short if len(short) == len(both) else {file.name: file for file in both}


def read_inputs(arguments: argparse.Namespace) -> Inputs:
    """Read all files; what does not fit is said, what cannot be read is an error of usage."""
    name, gold = _names(arguments)
    with before_the_model():
        if gold is None:
            predictions = _predictions(name, arguments)
            examples = [
                Example(row.id or str(number), "", "", {}, row.line, is_numbered=row.id is None)
                for number, row in enumerate(predictions, start=1)
            ]
        else:
            needs_text = arguments.lookup is not None
            examples = _examples(gold, arguments, needs_text=needs_text)
            predictions = (
                _looked_up(arguments, examples) if needs_text else _predictions(name, arguments)
            )
        if not examples:
            raise UsageError(f"{gold or name} has no rows")
        first = PredictionFile(source_name(name), match_rows(examples, predictions))
        second = None
        if arguments.vs is not None:
            others = _predictions(arguments.vs, arguments)
            second = PredictionFile(source_name(arguments.vs), match_rows(examples, others))
    for file in (first, second):
        if file is not None and not (gold is None and file is first):
            for notice in file.matching.notices(gold or name, file.name):
                say(notice)
    attributes = _attributes(arguments.attributes, examples)
    return Inputs(examples, gold is not None, attributes, first, second)


def _names(arguments: argparse.Namespace) -> tuple[str, str | None]:
    """The file of predictions, or what is printed in its place, and that of gold, if any."""
    given = [path for path in (arguments.predictions, arguments.gold) if path is not None]
    if arguments.lookup is not None:
        if len(given) == 1:
            return "--lookup", given[0]
    elif len(given) == 2 or (len(given) == 1 and arguments.vs is not None):
        return given[0], given[1] if len(given) == 2 else None
    raise UsageError(
        "give PRED and GOLD, or --lookup TRAIN and GOLD, or PRED and --vs OTHER for agreement alone"
    )


def _examples(path: str, arguments: argparse.Namespace, *, needs_text: bool) -> list[Example]:
    examples = list(
        load_examples(
            path,
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
            needs_text=needs_text,
        )
    )
    if guess_format(path) in TABLES:
        names = dict.fromkeys(name for example in examples for name in example.gold)
        say(f"{path}: columns taken as attributes: {', '.join(names)}")
    return examples


def _predictions(path: str, arguments: argparse.Namespace) -> list[Prediction]:
    return list(
        load_predictions(path, id_field=arguments.id_field, category_field=arguments.category_field)
    )


def _looked_up(arguments: argparse.Namespace, examples: Sequence[Example]) -> list[Prediction]:
    predicted = lookup(_examples(arguments.lookup, arguments, needs_text=True), examples)
    return [Prediction(example.id, data) for example, data in zip(examples, predicted, strict=True)]


def _attributes(source: str | None, examples: Sequence[Example]) -> dict[str, list[str]] | None:
    if source is None:
        return None
    loaded = load_schemas(source)
    if isinstance(loaded, Schema):
        names = [attribute.name for attribute in loaded]
        return dict.fromkeys({example.category for example in examples}, names)
    return {name: [attribute.name for attribute in schema] for name, schema in loaded.items()}
