"""Reads the files of ``hpd eval``, computes its figures, and formats its tables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from hpd.cli.common import UsageError, input_errors_as_usage, say
from hpd.evaluation.assessment import (
    Agreement,
    Assessment,
    FieldPair,
    Throughput,
    Versus,
    assess,
    throughput,
    versus,
)
from hpd.evaluation.calibration import (
    Calibration,
    CoveragePoint,
    calibrate,
    coverage_curve,
    scored_answers,
)
from hpd.evaluation.commands.inputs import read_gold, read_predictions, read_schemas
from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.matching import Matching, lookup, match_rows
from hpd.evaluation.outcomes import OUTCOME_WORDS
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import (
    AVERAGES,
    FORM_NAMES,
    INTERVAL_LEVEL,
    SCOPES,
    Counts,
    Macro,
    Resampling,
)
from hpd.evaluation.statistics import Interval
from hpd.files.reader import guess_format, source_name
from hpd.files.rows import TABLE_FORMATS
from hpd.files.streams import join_names
from hpd.messages import counted, format_table


@dataclass(frozen=True, slots=True)
class EvalInputs:
    """The files of one call."""

    examples: Sequence[Example]
    """Rows of GOLD; if it is not given, rows of the first file, without gold values."""
    has_gold: bool
    attributes: dict[str, list[str]] | None
    first: Matching
    second: Matching | None = None

    @property
    def files(self) -> dict[str, Matching]:
        """The files of predictions by display name: their file names or, if equal, their paths."""
        both = [file for file in (self.first, self.second) if file is not None]
        short = {Path(file.name).name: file for file in both}
        return short if len(short) == len(both) else {file.name: file for file in both}


def read_inputs(arguments: argparse.Namespace) -> EvalInputs:
    """Read all files; report rows that do not match, and refuse those that cannot be read."""
    name, gold = _file_names(arguments)
    with input_errors_as_usage():
        if gold is None:
            predictions = read_predictions(name, arguments)
            examples = [
                Example(row.known_id, "", "", {}, row.line, is_numbered=row.id is None)
                for row in predictions
            ]
        elif arguments.lookup is None:
            examples = _read_gold(gold, arguments, needs_text=False)
            predictions = read_predictions(name, arguments)
        else:
            examples = _read_gold(gold, arguments, needs_text=True)
            found = lookup(_read_gold(arguments.lookup, arguments, needs_text=True), examples)
            predictions = [
                Prediction(own.id, data) for own, data in zip(examples, found, strict=True)
            ]
        if not examples:
            raise UsageError(f"{gold or name} has no rows")
        files = [match_rows(examples, predictions, source_name(name))]
        if arguments.vs is not None:
            others = read_predictions(arguments.vs, arguments)
            files.append(match_rows(examples, others, source_name(arguments.vs)))
    # Without gold, the first file is matched with its own rows.
    for file in files[1:] if gold is None else files:
        for notice in file.notices(gold or name):
            say(notice)
    if gold is not None and arguments.lookup is None:
        _check_common_attributes(name, gold, predictions, examples)
    schemas = read_schemas(arguments.attributes, examples)
    attributes = None
    if schemas is not None:
        attributes = {category: [each.name for each in own] for category, own in schemas.items()}
    return EvalInputs(examples, gold is not None, attributes, *files)


def _check_common_attributes(
    name: str, gold: str, predictions: Sequence[Prediction], examples: Sequence[Example]
) -> None:
    """Refuse two files without a common attribute, as every score would be zero."""
    predicted = dict.fromkeys(attribute for row in predictions for attribute in row.data or ())
    known = dict.fromkeys(attribute for example in examples for attribute in example.gold)
    if predicted and not {*predicted} & {*known}:
        raise UsageError(
            f"{name} and {gold} have no attribute in common: {join_names(predicted)} against "
            f"{join_names(known)}"
        )


def _file_names(arguments: argparse.Namespace) -> tuple[str, str | None]:
    """Return the name of the predictions, and that of the gold file, if any."""
    first, second = arguments.predictions, arguments.gold
    if arguments.lookup is not None and first is not None and second is None:
        return "--lookup", first
    if arguments.lookup is None and first is not None and (second, arguments.vs) != (None, None):
        return first, second
    raise UsageError(
        "give PRED and GOLD, or --lookup TRAIN and GOLD, or PRED and --vs OTHER for agreement only"
    )


def _read_gold(path: str, arguments: argparse.Namespace, *, needs_text: bool) -> list[Example]:
    examples = read_gold(path, arguments, needs_text=needs_text)
    if guess_format(path) in TABLE_FORMATS:
        names = dict.fromkeys(name for example in examples for name in example.gold)
        say(f"{path}: columns taken as attributes: {', '.join(names)}")
    return examples


@dataclass(frozen=True, slots=True)
class EvalFigures(JsonDataclass):
    """The figures of one file, and of its comparison with a second one."""

    inputs: EvalInputs
    resampling: Resampling
    assessment: Assessment | None
    """None without gold values."""
    calibration: Calibration | None
    """None if the lines have no confidences."""
    coverage: Sequence[CoveragePoint]
    throughput: Throughput | None
    """None if the lines have no ``usage``."""
    versus: Versus | None
    """None without a second file."""

    def named_scores(self) -> dict[str, float]:
        """Return the scores that may have a minimum."""
        parts = [part.named_scores() for part in (self.assessment, self.versus) if part is not None]
        return {name: score for part in parts for name, score in part.items()}

    def members(self) -> dict[str, Any]:
        inputs = self.inputs
        result: dict[str, Any] = {
            "n_rows": len(inputs.examples),
            "n_missing": len(inputs.first.missing),
            "n_failed": inputs.first.n_failed,
            "matching": inputs.first,
        }
        if self.assessment is not None:
            result |= self.assessment.members()
        if self.calibration is not None:
            result["calibration"] = self.calibration
            result["coverage"] = self.coverage
        if self.throughput is not None:
            result["throughput"] = self.throughput
        if self.versus is not None and inputs.second is not None:
            result["versus"] = {
                "first": inputs.first.name,
                "second": inputs.second.name,
                "second_matching": inputs.second,
                **self.versus.members(),
            }
        result["scores"] = self.named_scores()
        return {**result, "resampling": self.resampling}


def compute_figures(inputs: EvalInputs, arguments: argparse.Namespace) -> EvalFigures:
    """Compute the figures; refuse options whose figures cannot be computed from the files."""
    resampling = Resampling(arguments.resamples, arguments.seed)
    examples, first = inputs.examples, inputs.first
    assessment = calibration = comparison = None
    coverage: list[CoveragePoint] = []
    if inputs.has_gold:
        assessment = assess(examples, first.data, inputs.attributes, resampling)
        if stated := scored_answers(examples, first.predictions):
            calibration, coverage = calibrate(stated), coverage_curve(stated)
        elif arguments.calibration:
            raise UsageError(f"{inputs.first.name} has no confidences for these attributes")
    if inputs.second is not None:
        second = inputs.second
        comparison = versus(examples, first.data, second.data, inputs.attributes, resampling)
    lines = [row for row in first.predictions if row is not None]
    cost = throughput(lines, arguments.wall_seconds, arguments.price_per_hour)
    if cost is None and (arguments.wall_seconds or arguments.price_per_hour):
        raise UsageError(f"the cost is unknown, as the lines of {inputs.first.name} have no usage")
    return EvalFigures(inputs, resampling, assessment, calibration, coverage, cost, comparison)


N_DISAGREEMENTS = 20
"""Differing fields printed."""

_MAX_LABEL = 36
"""Maximum length of a value in a table, in characters."""

_INTERVAL = f"{INTERVAL_LEVEL:.0%} interval"


def all_tables(figures: EvalFigures, arguments: argparse.Namespace) -> Iterator[str]:
    inputs, resampling = figures.inputs, figures.resampling
    matching = inputs.first
    parts = [counted(len(inputs.examples), "document")]
    parts += [f"{len(matching.missing)} without a prediction"] if matching.missing else []
    parts += [f"{matching.n_failed} failed"] if matching.n_failed else []
    yield ", ".join(parts)
    if figures.assessment is not None:
        yield _score_table(figures.assessment, resampling)
        if arguments.per_attribute:
            yield _attribute_table(figures.assessment)
    if figures.calibration is not None and arguments.calibration:
        yield _calibration_table(figures.calibration)
    if figures.throughput is not None:
        yield _throughput_lines(figures.throughput)
    if figures.versus is not None:
        if figures.versus.differences:
            yield difference_table(figures.versus, list(inputs.files), resampling)
        yield agreement_table(figures.versus.agreement)
        if figures.versus.disagreements:
            yield _disagreement_table(figures.versus.disagreements)


def _score_table(assessment: Assessment, resampling: Resampling) -> str:
    """Format the scores of one file; the interval is that of F1."""
    rows = [["", "", "", "P", "R", "F1", _INTERVAL, *OUTCOME_WORDS.values()]]
    for form, scope, average in product(FORM_NAMES, SCOPES, AVERAGES):
        scored = (getattr(each, scope) for each in assessment.by_form[form])
        score, intervals = (getattr(each, average) for each in scored)
        rows.append([form, scope, average, *_score_cells(score, intervals["f1"])])
    return f"{format_table(rows, n_left=3)}\n{_resampling_text(resampling)}"


def _attribute_table(assessment: Assessment) -> str:
    rows = [["category", "attribute", "P", "R", "F1", _INTERVAL, *OUTCOME_WORDS.values()]]
    evaluation, intervals = assessment.by_form["exact"]
    for cell, counts in sorted(evaluation.plain.cells.items()):
        rows.append([*cell, *_score_cells(counts, intervals.plain.cells[cell]["f1"])])
    return format_table(rows, n_left=2)


def _calibration_table(calibration: Calibration) -> str:
    parts = []
    which = "before calibration"
    if calibration.is_counterpart_calibrated:
        which = "with a calibration, cross-validated in five parts"
    for name, (kind, counterpart) in calibration.by_kind.items():
        if kind.n:
            rows = [[f"confidence of {name}", "n", "mean", "accuracy"]]
            for each in kind.bins:
                means = [f"{each.confidence:.3f}", f"{each.accuracy:.3f}"]
                rows.append([f"{each.low:.1f} to {each.high:.1f}", str(each.n), *means])
            parts.append(
                f"{format_table(rows)}\nexpected calibration error: {kind.ece:.4f}; "
                f"{which}: {counterpart.ece:.4f}"
            )
    rows = [["--null-threshold", "P", "R", "F1", *OUTCOME_WORDS.values()]]
    for threshold, counts in calibration.thresholds.items():
        rows.append([f"{threshold:g}", *_score_cells(counts)])
    return "\n\n".join([*parts, format_table(rows)])


def _throughput_lines(throughput: Throughput) -> str:
    n = throughput.n_documents
    lines = [
        f"cost of {counted(n, 'document')}: {throughput.prompt_tokens} tokens read, "
        f"{throughput.cached_tokens} from the cache, {throughput.completion_tokens} "
        f"generated; {throughput.steps / n:.1f} steps a document"
    ]
    rate, dollars = throughput.documents_per_second, throughput.dollars_per_1000
    if rate is not None:
        more, less = (" or more", " or less") if throughput.is_bound else ("", "")
        lines.append(f"throughput: {rate:.2f} documents a second{more}")
        if dollars is not None:
            lines[-1] += f"; ${dollars:.4f} for 1000 documents{less}"
        if throughput.is_bound:
            lines[-1] += " (from the documents' times; for the run's, use --wall-seconds)"
    return "\n".join(lines)


def difference_table(versus: Versus, names: Sequence[str], resampling: Resampling) -> str:
    """Format F1 of two files, with interval and p-value of the difference."""
    rows = [["F1", "", "", *names, "difference", _INTERVAL, "p"]]
    for form, by_scope in versus.differences.items():
        for scope, differences in by_scope.items():
            for average in AVERAGES:
                f1 = getattr(differences, average)["f1"]
                scores = [f"{f1.first:.2f}", f"{f1.second:.2f}", f"{f1.difference:+.2f}"]
                scores += [f"{f1.interval:+.2f}", p_text(f1.p_value)]
                rows.append([form, scope, average, *scores])
    plain = versus.differences["exact"]["plain"]
    return (
        f"{format_table(rows, n_left=3)}\n{_resampling_text(resampling)}\n"
        f"p: two-sided randomization test over documents, {resampling.n} exchanges; outcomes "
        f"differ in {counted(plain.n_differing, 'document')}"
    )


def p_text(p_value: float) -> str:
    """Format a p-value with its meaningful digits."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def agreement_table(agreement: Agreement) -> str:
    rows = [["agreement", "fields", "exact", "normalized"]]
    every = (agreement.n_fields, agreement.same, agreement.same_normalized)
    filled = (agreement.n_filled, agreement.filled_same, agreement.filled_same_normalized)
    for name, (n, *shares) in (("all fields", every), ("fields with a value in either", filled)):
        rows.append([name, str(n), *(f"{share:.2f}%" for share in shares)])
    return format_table(rows)


def _disagreement_table(pairs: Sequence[FieldPair]) -> str:
    has_gold = any(pair.outcomes is not None for pair in pairs)
    head = ["id", "attribute", "first", "second", *(["gold", "outcomes"] if has_gold else [])]
    rows = [head]
    for pair in pairs[:N_DISAGREEMENTS]:
        row = [pair.example.id, pair.attribute, _short_json(pair.first), _short_json(pair.second)]
        if has_gold:
            gold = pair.example.gold.get(pair.attribute)
            row.append(" or ".join(map(_short_json, gold)) if gold else "null")
            row.append(", ".join(OUTCOME_WORDS[each] for each in pair.outcomes or ()))
        rows.append(row)
    shown = "all" if len(pairs) <= N_DISAGREEMENTS else f"the first {N_DISAGREEMENTS}"
    title = f"fields that differ: {len(pairs)}; {shown} (--disagreements FILE writes all):"
    return f"{title}\n{format_table(rows, n_left=len(head))}"


def _short_json(value: object) -> str:
    """Format a value as JSON, which cannot break the table, and truncate it."""
    text = json.dumps(value, ensure_ascii=False)
    if not text.isprintable():
        text = json.dumps(value)
    return text if len(text) <= _MAX_LABEL else text[: _MAX_LABEL - 3] + "..."


def _resampling_text(resampling: Resampling) -> str:
    return (
        f"intervals: percentile bootstrap over documents, {resampling.n} samples, "
        f"seed {resampling.seed}"
    )


def _score_cells(score: Counts | Macro, *intervals: Interval) -> list[str]:
    """Format scores, an interval if given, and the number of each outcome, which a mean lacks."""
    figures = (score.precision, score.recall, score.f1, *intervals)
    counts = (getattr(score, name, "") for name in OUTCOME_WORDS)
    return [*(f"{each:.2f}" for each in figures), *map(str, counts)]
