"""The tables that ``hpd eval`` prints for people."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from hpd.cli.common import table
from hpd.evaluation.agreement import Agreement, FieldPair
from hpd.evaluation.assessment import Assessment, Versus
from hpd.evaluation.calibration import Calibration
from hpd.evaluation.commands.eval.figures import Figures
from hpd.evaluation.commands.eval.inputs import Inputs
from hpd.evaluation.intervals import Interval
from hpd.evaluation.outcomes import OUTCOMES
from hpd.evaluation.resampling import LEVEL, Resampling
from hpd.evaluation.score_names import AVERAGES, FORM_NAMES, SCOPES
from hpd.evaluation.scores import Counts, Macro
from hpd.evaluation.throughput import Throughput

N_DISAGREEMENTS = 20
"""Fields printed in which two files differ."""

_LONGEST = 36
"""Characters of a value in a table."""

_INTERVAL = f"{LEVEL:.0%} interval"


def all_tables(figures: Figures, arguments: argparse.Namespace) -> Iterator[str]:
    """Everything that was asked for, in the order in which it is read."""
    inputs, resampling = figures.inputs, figures.resampling
    yield _documents_line(inputs)
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


def _documents_line(inputs: Inputs) -> str:
    """The number of documents, and of those that count for nothing."""
    parts = [f"{len(inputs.examples)} documents"]
    if n_missing := len(inputs.first.matching.missing):
        parts.append(f"{n_missing} of them without a prediction")
    if n_failed := inputs.first.n_failed:
        parts.append(f"{n_failed} of them failed")
    return ", ".join(parts)


def _score_table(assessment: Assessment, resampling: Resampling) -> str:
    """Every score of one file; the interval is that of F1."""
    rows = [["", "", "", "P", "R", "F1", _INTERVAL, *OUTCOMES]]
    for form in FORM_NAMES:
        for scope in SCOPES:
            score = getattr(assessment.evaluations[form], scope)
            intervals = getattr(assessment.intervals[form], scope)
            micro, macro = intervals.micro["f1"], intervals.macro["f1"]
            rows.append([form, scope, "micro", *_micro_cells(score.micro, micro)])
            rows.append([form, scope, "macro", *_macro_cells(score.macro, macro)])
    return f"{table(rows, n_left=3)}\n{_how(resampling)}"


def _attribute_table(assessment: Assessment) -> str:
    """The exact plain scores of each attribute."""
    rows = [["category", "attribute", "P", "R", "F1", _INTERVAL, *OUTCOMES]]
    intervals = assessment.intervals["exact"].plain.cells
    for cell, counts in sorted(assessment.evaluations["exact"].plain.cells.items()):
        rows.append([*cell, *_micro_cells(counts, intervals[cell]["f1"])])
    return table(rows, n_left=2)


def _calibration_table(calibration: Calibration) -> str:
    """Confidence beside accuracy, and the thresholds."""
    parts = []
    other = calibration.counterpart
    kinds = (
        ("values", calibration.values, other.values),
        ("nulls", calibration.nulls, other.nulls),
    )
    for name, kind, counterpart in kinds:
        if kind.n:
            rows = [[f"confidence of {name}", "n", "mean", "accuracy"]]
            for each in kind.bins:
                bounds = f"{each.low:.1f} to {each.high:.1f}"
                means = [f"{each.confidence:.3f}", f"{each.accuracy:.3f}"]
                rows.append([bounds, str(each.n), *means])
            if other.is_calibrated:
                which = "with a calibration fitted to other documents (in five parts)"
            else:
                which = "before the calibration with which it was extracted"
            parts.append(
                f"{table(rows)}\nexpected calibration error: {kind.ece:.4f}; "
                f"{which}: {counterpart.ece:.4f}"
            )
    rows = [["--null-threshold", "P", "R", "F1", *OUTCOMES]]
    for row in calibration.thresholds:
        rows.append([f"{row.threshold:g}", *_scores(row.counts), *_outcomes(row.counts)])
    return "\n\n".join([*parts, table(rows)])


def _throughput_lines(throughput: Throughput) -> str:
    """Tokens, documents a second and dollars."""
    n, totals = throughput.n_documents, throughput.totals
    lines = [
        f"cost of {n} documents: {totals['prompt_tokens']} tokens read, "
        f"{totals['cached_tokens']} of them from the cache, {totals['completion_tokens']} "
        f"generated; {totals['steps'] / n:.1f} steps a document"
    ]
    rate, dollars = throughput.documents_per_second, throughput.dollars_per_1000
    if rate is not None:
        more, less = (" or more", " or less") if throughput.is_bound else ("", "")
        lines.append(f"throughput: {rate:.2f} documents a second{more}")
        if dollars is not None:
            lines[-1] += f"; ${dollars:.4f} for 1000 documents{less}"
        if throughput.is_bound:
            lines[-1] += " (by the documents' own times; --wall-seconds takes the run's)"
    return "\n".join(lines)


def difference_table(versus: Versus, names: Sequence[str], resampling: Resampling) -> str:
    """F1 of two files beside each other, with interval and p-value of the difference."""
    rows = [["F1", "", "", *names, "difference", _INTERVAL, "p"]]
    for form, by_scope in versus.differences.items():
        for scope, differences in by_scope.items():
            for average in AVERAGES:
                f1 = getattr(differences, average)["f1"]
                scores = [f"{f1.first:.2f}", f"{f1.second:.2f}", f"{f1.difference:+.2f}"]
                interval = _interval(f1.interval, "+.2f")
                rows.append([form, scope, average, *scores, interval, p_text(f1.p_value)])
    plain = versus.differences["exact"]["plain"]
    test = "all exchanges" if plain.is_exact else f"{resampling.n} random exchanges"
    return (
        f"{table(rows, n_left=3)}\n{_how(resampling)}\n"
        f"p: two-sided randomization test over documents, {test}; outcomes differ in "
        f"{plain.n_differing} of them"
    )


def p_text(p_value: float) -> str:
    """A p-value with as many places as say something."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def agreement_table(agreement: Agreement) -> str:
    """In how many fields two files say the same."""
    shares = agreement.to_json()
    rows = [
        ["agreement", "fields", "exact", "normalized"],
        [
            "all fields",
            str(agreement.n_fields),
            f"{shares['same']:.2f}%",
            f"{shares['same_normalized']:.2f}%",
        ],
        [
            "fields with a value in either",
            str(agreement.n_filled),
            f"{shares['filled_same']:.2f}%",
            f"{shares['filled_same_normalized']:.2f}%",
        ],
    ]
    return table(rows)


def _disagreement_table(pairs: Sequence[FieldPair]) -> str:
    has_gold = any(pair.outcomes is not None for pair in pairs)
    head = ["id", "attribute", "first", "second", *(["gold", "outcomes"] if has_gold else [])]
    rows = [head]
    for pair in pairs[:N_DISAGREEMENTS]:
        row = [pair.example.id, pair.attribute, _short(pair.first), _short(pair.second)]
        if has_gold:
            gold = pair.example.gold.get(pair.attribute)
            row.append(" or ".join(map(_short, gold)) if gold else "null")
            row.append(" ".join(pair.outcomes or ()))
        rows.append(row)
    shown = "all of them" if len(pairs) <= N_DISAGREEMENTS else f"the first {N_DISAGREEMENTS}"
    title = f"fields that differ: {len(pairs)}; {shown} (--disagreements FILE keeps all):"
    return f"{title}\n{table(rows, n_left=len(head))}"


def _short(value: object) -> str:
    """A value as JSON, so that nothing in it can break the table; cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    if not text.isprintable():
        text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _how(resampling: Resampling) -> str:
    return (
        f"intervals: percentile bootstrap over documents, {resampling.n} samples, "
        f"seed {resampling.seed}"
    )


def _micro_cells(counts: Counts, interval: Interval) -> list[str]:
    return [*_scores(counts), _interval(interval), *_outcomes(counts)]


def _macro_cells(macro: Macro, interval: Interval) -> list[str]:
    return [*_scores(macro), _interval(interval), *("" for _ in OUTCOMES)]


def _outcomes(counts: Counts) -> list[str]:
    return [str(getattr(counts, name)) for name in OUTCOMES]


def _scores(score: Counts | Macro) -> list[str]:
    return [f"{value:.2f}" for value in (score.precision, score.recall, score.f1)]


def _interval(interval: Interval, form: str = ".2f") -> str:
    return f"{interval.low:{form}} to {interval.high:{form}}"
