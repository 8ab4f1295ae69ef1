"""``hpd calibrate``: confidence fitted to what was right."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import SCHEMA_HELP, add_field_arguments, number
from hpd.cli.common import EXIT_OK, UsageError, input_errors_as_usage, say, table
from hpd.cli.output import same_file
from hpd.evaluation.commands.inputs import examples_of
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from hpd.evaluation.calibration import Answer
    from hpd.evaluation.confidence_fit import ScoredConfidence

_DESCRIPTION = """\
Fit a calibration, after which a confidence of 0.9 means that about 9 of 10 such values are right:
one curve for values, one for nulls and, with --schema, one for each type. GOLD is as for hpd eval.
Prints the expected calibration error before and after, the latter cross-validated in five parts.
The file is fitted to all documents.

  hpd extract dev.jsonl --schema S -m MODEL --null-threshold 0 -o values.jsonl
  hpd calibrate values.jsonl dev.jsonl --schema S -o calibration.json
  hpd extract more.jsonl --schema S -m MODEL --calibration calibration.json
"""

BEST = "best"
"""The value of ``--null-threshold`` that has it found."""

_NOT_ONE_VALUE = ("array", "object")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "calibrate",
        help="fit a calibration of confidence to gold values",
        description=_DESCRIPTION,
    )
    parser.add_argument("predictions", metavar="PRED", help="output of hpd extract")
    parser.add_argument("gold", metavar="GOLD", help="documents with gold values")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="calibration.json",
        help="output file (default calibration.json)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing FILE")
    parser.add_argument(
        "--schema",
        metavar="S",
        help=f"schema of the extraction, for a curve per type: {SCHEMA_HELP}",
    )
    parser.add_argument(
        "--null-threshold",
        metavar="P",
        type=_threshold,
        default=0.0,
        help="threshold to store in FILE, used unless another is given: a number, or best, the one "
        "with the highest F1 on GOLD (default 0)",
    )
    parser.add_argument("--json", action="store_true", help="print the errors as JSON")
    add_field_arguments(parser.add_argument_group("fields of GOLD, columns of tables"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Fit, write and print."""
    from hpd.evaluation.calibration import answers, as_the_model_gave_them, judged
    from hpd.evaluation.confidence_fit import cross_fitted, fit
    from hpd.evaluation.matching import match_rows
    from hpd.evaluation.rows import load_predictions

    with input_errors_as_usage():
        _check_output(arguments)
        examples = examples_of(arguments.gold, arguments, needs_text=False)
        predictions = load_predictions(
            arguments.predictions,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
        )
        matching = match_rows(examples, predictions)
        kinds = _kinds(arguments.schema, {example.category for example in examples})
        stated = answers(examples, matching.predictions, kinds)
        every = as_the_model_gave_them(stated)
        if not every:
            raise UsageError(
                f"{arguments.predictions} states no confidence of a value that {arguments.gold} has"
            )
    for notice in matching.notices(arguments.gold, arguments.predictions):
        say(notice)
    if n_nulled := len(stated) - len(every):
        say(
            f"warning: {n_nulled} values of {arguments.predictions} had been turned into null, and "
            "tell nothing: extract with --null-threshold 0 and --on-invalid record to have them"
        )
    before = [judged(answer) for answer in every]
    after = cross_fitted(before)
    threshold = arguments.null_threshold
    if threshold == BEST:
        threshold = _best_threshold(every, after)
        say(f"null is the better answer below a confidence of {threshold:g}")
    fitted = replace(fit(before), null_threshold=threshold)
    Path(arguments.output).write_text(json.dumps(fitted.to_json()) + "\n", encoding="utf-8")
    errors = _errors(every, before, after)
    if arguments.json:
        print(json.dumps(errors, indent=2))
    else:
        rows = [["answers", "n", "error without", "error with"]]
        rows += [
            [e["answers"], str(e["n"]), *map(_digits, (e["without"], e["with"]))] for e in errors
        ]
        print(table(rows))
        print("expected calibration errors; the second one on documents that it was not fitted to")
    return EXIT_OK


def _threshold(text: str) -> float | str:
    return text if text == BEST else number(0, 1)(text)


def _best_threshold(every: Sequence[Answer], after: Sequence[ScoredConfidence]) -> float:
    """The threshold with the highest F1, for maps that have not seen the documents."""
    from hpd.evaluation.confidence_fit import best_null_threshold

    n_stated = sum(answer.outcome in ("vc", "vw", "vn") for answer in every)
    return best_null_threshold(after, n_stated)


def _errors(
    every: Sequence[Answer], before: Sequence[ScoredConfidence], after: Sequence[ScoredConfidence]
) -> list[dict[str, Any]]:
    """The expected calibration errors without a calibration, and with one by cross-fitting."""
    from hpd.evaluation.calibration import reliability

    errors = []
    kinds = sorted({answer.kind for answer in every})
    for is_null, word in ((False, "values"), (True, "nulls")):
        for kind in [None, *kinds] if len(kinds) > 1 else [None]:
            both = [
                [
                    replace(answer, confidence=each.confidence)
                    for answer, each in zip(every, state, strict=True)
                    if each.is_null == is_null and kind in (None, each.kind)
                ]
                for state in (before, after)
            ]
            if both[0]:
                without, with_it = (reliability(state) for state in both)
                errors.append(
                    {
                        "answers": word if kind is None else f"{word} of type {kind}",
                        "n": without.n,
                        "without": without.ece,
                        "with": with_it.ece,
                    }
                )
    return errors


def _digits(error: float) -> str:
    return f"{error:.4f}"


def _kinds(source: str | None, categories: set[str]) -> dict[str, dict[str, str]] | None:
    """The types of each category's attributes that have one value."""
    if source is None:
        return None
    loaded = load_schemas(source)
    schemas = dict.fromkeys(categories, loaded) if isinstance(loaded, Schema) else loaded
    return {
        category: {
            attribute.name: attribute.type
            for attribute in schema
            if attribute.type not in _NOT_ONE_VALUE
        }
        for category, schema in schemas.items()
    }


def _check_output(arguments: argparse.Namespace) -> None:
    output = arguments.output
    if any(same_file(Path(output), path) for path in (arguments.predictions, arguments.gold)):
        raise UsageError(f"-o {output} would replace what is read")
    if Path(output).exists() and not arguments.overwrite:
        raise UsageError(f"{output} already exists: --overwrite replaces it")
