"""``hpd calibrate``: fits confidence to accuracy."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hpd.cli.arguments import (
    SCHEMA_HELP,
    add_field_arguments,
    add_model_arguments,
    add_option_argument,
    number,
)
from hpd.cli.common import EXIT_OK, UsageError, input_errors_as_usage, say
from hpd.cli.terminal import ExtractProgress
from hpd.evaluation.calibration import reliability, scored_answers
from hpd.evaluation.commands.inputs import (
    add_output_argument,
    check_output_file,
    read_gold,
    read_predictions,
    read_schemas,
    refuse,
)
from hpd.evaluation.confidence_fit import ScoredConfidence, best_null_threshold, cross_validate, fit
from hpd.evaluation.json_form import json_text
from hpd.evaluation.matching import match_rows
from hpd.messages import counted, format_table
from hpd.models.calibrations import store_calibration
from hpd.models.model_files import resolve_model
from hpd.options import OPTIONS, Options

_DESCRIPTION = """\
Fit a calibration, after which a confidence of 0.9 means that about 9 of 10 such values are right:
one curve for values, one for nulls, and one for each type.

  hpd calibrate -m MODEL

asks MODEL about short documents that come with hpd, for some minutes, and keeps the calibration in
hpd's cache: extractions with MODEL use it from then on. With documents of your own:

  hpd extract dev.jsonl --schema S -m MODEL --null-threshold 0 -o values.jsonl
  hpd calibrate values.jsonl dev.jsonl --schema S -o calibration.json
  hpd extract more.jsonl --schema S -m MODEL --calibration calibration.json

GOLD is as for hpd eval; curves for each type need --schema. Prints the expected calibration error
before and after, the latter cross-validated in five parts. The calibration is fitted to all
documents.
"""

BEST_THRESHOLD = "best"
"""The value of ``--null-threshold`` that chooses the best one."""

_OUTPUT = "calibration.json"
_MODEL_OPTIONS = ("n_gpu_layers", "n_threads", "in_flight")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "calibrate",
        usage="%(prog)s -m MODEL [options]\n       %(prog)s PRED GOLD [options]",
        description=_DESCRIPTION,
    )
    parser.add_argument("predictions", metavar="PRED", nargs="?", help="output of hpd extract")
    parser.add_argument("gold", metavar="GOLD", nargs="?", help="documents with gold values")
    group = parser.add_argument_group("a model, and the documents that come with hpd")
    add_model_arguments(group)
    for name in _MODEL_OPTIONS:
        add_option_argument(group, OPTIONS[name])
    add_output_argument(parser, "default calibration.json; with -m, hpd's cache")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing FILE")
    parser.add_argument(
        "--schema",
        metavar="S",
        help=f"schema of the extraction, for a curve per type: {SCHEMA_HELP}",
    )
    parser.add_argument(
        "--null-threshold",
        metavar="P",
        type=_parse_threshold,
        help="threshold to store with the calibration, used unless another is given: a number, or "
        "best, the one with the highest F1 (default 0; with -m, best)",
    )
    parser.add_argument("--json", action="store_true", help="print the errors as JSON")
    add_field_arguments(parser.add_argument_group("fields of GOLD, columns of tables"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    asks = arguments.model is not None or arguments.hf_repo is not None
    with input_errors_as_usage():
        _check(arguments, asks=asks)
        model = resolve_model(arguments.model, arguments.hf_repo) if asks else None
        before = _read_answers(arguments) if model is None else _ask_model(model, arguments)
    after = cross_validate(before)
    threshold = arguments.null_threshold
    if threshold is None:
        threshold = BEST_THRESHOLD if asks else 0.0
    if threshold == BEST_THRESHOLD:
        threshold = best_null_threshold(after)
        say(f"null threshold with the highest F1: {threshold:g}")
    fitted = replace(fit(before), null_threshold=threshold)
    stored = None
    if model is not None and arguments.output is None:
        stored = store_calibration(model, fitted)
    else:
        output = Path(arguments.output or _OUTPUT)
        output.write_text(json.dumps(fitted.to_json()) + "\n", encoding="utf-8")
    errors = _calibration_errors(before, after)
    if arguments.json:
        print(json_text(errors, indent=2))
    else:
        rows = [["answers", "n", "error without", "error with"]]
        rows += [
            [each["answers"], str(each["n"]), f"{each['without']:.4f}", f"{each['with']:.4f}"]
            for each in errors
        ]
        print(format_table(rows))
        print("expected calibration errors, the second one on held-out documents")
    if stored is not None:
        say(f"stored in {stored} and used from now on; --calibration none turns it off")
    return EXIT_OK


def _read_answers(arguments: argparse.Namespace) -> list[ScoredConfidence]:
    examples = read_gold(arguments.gold, arguments)
    predictions = read_predictions(arguments.predictions, arguments)
    matching = match_rows(examples, predictions, arguments.predictions)
    schemas = read_schemas(arguments.schema, examples)
    scored = scored_answers(examples, matching.predictions, schemas)
    answers = [answer for answer in scored if not answer.was_nulled]
    if not answers:
        raise UsageError(f"{arguments.predictions} has no confidences for {arguments.gold}")
    for notice in matching.notices(arguments.gold):
        say(notice)
    if n_nulled := len(scored) - len(answers):
        say(
            f"warning: skipped {counted(n_nulled, 'value')} of {arguments.predictions} replaced "
            "with null: to keep such values, extract with --null-threshold 0 and --on-invalid "
            "record"
        )
    return [answer.with_own_confidence for answer in answers]


def _ask_model(model: Path, arguments: argparse.Namespace) -> list[ScoredConfidence]:
    """Return a model's answers about hpd's documents."""
    from hpd.evaluation.calibration_documents import gold_documents, scored_extractions

    documents = gold_documents()
    given = {name: getattr(arguments, name) for name in _MODEL_OPTIONS}
    options = Options().with_checked_values(
        {name: value for name, value in given.items() if value is not None}
    )
    scored: list[ScoredConfidence] = []
    with ExtractProgress(len(documents), shown=sys.stderr.isatty()) as progress:
        for extraction, fields in scored_extractions(model, documents, options):
            progress.advance(failed=extraction.error is not None)
            scored += fields
    return scored


def _parse_threshold(text: str) -> float | str:
    return text if text == BEST_THRESHOLD else number(0, 1)(text)


def _calibration_errors(
    before: Sequence[ScoredConfidence], after: Sequence[ScoredConfidence]
) -> list[dict[str, Any]]:
    """Return the expected calibration errors without and with cross-fitted calibration."""
    errors = []
    kinds = sorted({answer.kind for answer in before})
    for is_null, word in ((False, "values"), (True, "nulls")):
        for kind in [None, *kinds] if len(kinds) > 1 else [None]:
            without, with_it = (
                reliability([a for a in state if a.is_null == is_null and kind in (None, a.kind)])
                for state in (before, after)
            )
            if without.n:
                name = word if kind is None else f"{word} of type {kind}"
                row = {"answers": name, "n": without.n, "without": without.ece, "with": with_it.ece}
                errors.append(row)
    return errors


def _check(arguments: argparse.Namespace, *, asks: bool) -> None:
    """Refuse arguments that exclude each other, and an output that must not be replaced."""
    if asks:
        names = ("predictions", "schema", "id_field", "text_field", "category_field")
        refuse(arguments, names, "does nothing with -m, which uses hpd's own documents")
        if arguments.output is None:
            why = "does nothing without -o: the calibration in hpd's cache is replaced"
            refuse(arguments, ["overwrite"], why)
            return
    elif arguments.gold is None:
        raise UsageError(
            "give either -m MODEL, to use the documents that come with hpd, or PRED and GOLD"
        )
    else:
        refuse(arguments, _MODEL_OPTIONS, "does nothing without -m")
    read = (arguments.predictions, arguments.gold)
    check_output_file(Path(arguments.output or _OUTPUT), read, overwrite=arguments.overwrite)
