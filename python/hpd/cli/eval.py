"""``hpd eval``: predictions against gold values."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from hpd.cli.common import EXIT_OK, UsageError, before_the_model, say, table
from hpd.evaluation.calibration import Calibration, answers, calibrate, plot
from hpd.evaluation.lookup import lookup
from hpd.evaluation.matching import match_rows
from hpd.evaluation.outcomes import OUTCOMES
from hpd.evaluation.rows import Example, load_examples, load_predictions
from hpd.evaluation.scores import Counts, Evaluation, Macro, Score, evaluate
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema
from hpd.version import install_command

_DESCRIPTION = """\
Hold what hpd extract wrote against gold values: precision, recall and F1, micro and macro.

GOLD has one row a document: its text, "category" if there are several, and the gold values in
"target_scores" ({attribute: {value: 1}}, "n/a" for none) or in "gold" or "data" ({attribute:
value}). Rows and predictions belong together by id, which is the row's number if there is none.

Outcomes: vc right, vw wrong, vn missed, nv invented, nn rightly left out. The strict form counts
an attribute of the category that the row does not name as none.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "eval",
        help="score predictions against gold values",
        description=_DESCRIPTION,
    )
    parser.add_argument("predictions", metavar="PRED", nargs="?", help="output of hpd extract")
    parser.add_argument("gold", metavar="GOLD", help="documents with gold values")
    parser.add_argument(
        "--attributes",
        metavar="FILE",
        help="the schema of each category, for the strict form (else: what any row names)",
    )
    parser.add_argument("--per-attribute", action="store_true", help="a line for each attribute")
    parser.add_argument(
        "--calibration",
        action="store_true",
        help="also: confidence beside accuracy, and what each --null-threshold would do",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="the calibration as an image (.png, .svg, .pdf), with the extra plot",
    )
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    parser.add_argument(
        "--lookup",
        metavar="TRAIN",
        help="in place of PRED: predict the first value of TRAIN that the text holds",
    )
    parser.add_argument("--id-field", metavar="F", help='the field with the id in GOLD (else "id")')
    parser.add_argument(
        "--category-field", metavar="F", help='the field with the category (else "category")'
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the scores."""
    if (arguments.predictions is None) == (arguments.lookup is None):
        raise UsageError("give PRED and GOLD, or --lookup TRAIN and GOLD")
    if arguments.lookup is not None and (arguments.calibration or arguments.plot):
        raise UsageError("--calibration needs PRED: what --lookup predicts has no confidence")
    if arguments.plot is not None and find_spec("matplotlib") is None:
        raise UsageError(f"--plot needs matplotlib: run `{install_command('plot')}`")
    with before_the_model():
        examples = _load(arguments.gold, arguments, needs_text=arguments.lookup is not None)
        attributes = _attributes(arguments.attributes, examples)
        predictions, confidences = _predictions(arguments, examples)
    n_missing = sum(data is None for data in predictions)
    evaluation = evaluate(examples, predictions, attributes)
    calibration = None
    if arguments.calibration or arguments.plot is not None:
        found = answers(examples, predictions, confidences)
        if not found:
            raise UsageError(f"{arguments.predictions} tells no confidences of these attributes")
        calibration = calibrate(found)
    if arguments.plot is not None and calibration is not None:
        plot(calibration, arguments.plot)
    if arguments.json:
        result = {"n_rows": len(examples), "n_missing": n_missing, **evaluation.to_json()}
        if calibration is not None:
            result["calibration"] = calibration.to_json()
        print(json.dumps(result, indent=2))
    else:
        print(
            f"{len(examples)} documents"
            + f", {n_missing} of them without a prediction" * bool(n_missing)
        )
        print(f"\n{report(evaluation, per_attribute=arguments.per_attribute)}")
        if calibration is not None:
            print(f"\n{calibration_report(calibration)}")
    return EXIT_OK


def calibration_report(calibration: Calibration) -> str:
    """Confidence beside accuracy, and the thresholds, as tables for people."""
    parts = []
    for name, kind in (("values", calibration.values), ("nulls", calibration.nulls)):
        if kind.n:
            rows = [[f"confidence of {name}", "n", "mean", "accuracy"]]
            for held in kind.bins:
                bounds = f"{held.low:.1f} to {held.high:.1f}"
                means = [f"{held.confidence:.3f}", f"{held.accuracy:.3f}"]
                rows.append([bounds, str(held.n), *means])
            parts.append(f"{table(rows)}\nexpected calibration error: {kind.ece:.4f}")
    rows = [["--null-threshold", "P", "R", "F1", *OUTCOMES]]
    for row in calibration.thresholds:
        rows.append([f"{row.threshold:g}", *_micro_cells(row.counts)])
    return "\n\n".join([*parts, table(rows)])


def report(evaluation: Evaluation, *, per_attribute: bool = False) -> str:
    """The scores as a table for people."""
    rows = [["", "", "P", "R", "F1", *OUTCOMES]]
    for name, score in (("plain", evaluation.plain), ("strict", evaluation.strict)):
        rows.append([name, "micro", *_micro_cells(score.micro)])
        rows.append([name, "macro", *_macro_cells(score.macro)])
    parts = [table(rows, n_left=2)]
    if per_attribute:
        parts.append(_attribute_table(evaluation.plain))
    return "\n\n".join(parts)


def _attribute_table(score: Score) -> str:
    rows = [["category", "attribute", "P", "R", "F1", *OUTCOMES]]
    for (category, attribute), counts in sorted(score.cells.items()):
        rows.append([category, attribute, *_micro_cells(counts)])
    return table(rows, n_left=2)


def _micro_cells(counts: Counts) -> list[str]:
    return [*_scores(counts), *(str(getattr(counts, name)) for name in OUTCOMES)]


def _macro_cells(macro: Macro) -> list[str]:
    return [*_scores(macro), *("" for _ in OUTCOMES)]


def _scores(score: Counts | Macro) -> list[str]:
    return [f"{value:.2f}" for value in (score.precision, score.recall, score.f1)]


def _load(path: str, arguments: argparse.Namespace, *, needs_text: bool) -> list[Example]:
    return list(
        load_examples(
            path,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
            needs_text=needs_text,
        )
    )


def _predictions(
    arguments: argparse.Namespace, examples: Sequence[Example]
) -> tuple[Sequence[Mapping[str, Any] | None], Sequence[Mapping[str, float] | None]]:
    """The data predicted for each example, and the probability of each value."""
    if arguments.lookup is not None:
        predicted = lookup(_load(arguments.lookup, arguments, needs_text=True), examples)
        return predicted, [None] * len(predicted)
    matching = match_rows(examples, load_predictions(arguments.predictions))
    for notice in matching.notices(arguments.gold, arguments.predictions):
        say(notice)
    return matching.data, [row.confidences if row else None for row in matching.predictions]


def _attributes(source: str | None, examples: Sequence[Example]) -> dict[str, list[str]] | None:
    if source is None:
        return None
    loaded = load_schemas(source)
    if isinstance(loaded, Schema):
        names = [attribute.name for attribute in loaded]
        return dict.fromkeys({example.category for example in examples}, names)
    return {name: [attribute.name for attribute in schema] for name, schema in loaded.items()}
