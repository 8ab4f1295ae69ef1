"""The arguments of ``hpd eval``."""

from __future__ import annotations

import argparse

from hpd.cli.arguments import add_field_arguments, integer, number
from hpd.evaluation.commands.eval.thresholds import thresholds
from hpd.evaluation.resampling import USUAL

_DESCRIPTION = """\
Hold predictions against gold values: precision, recall and F1, micro and macro, with intervals.

PRED is what hpd extract wrote, or {id, data} lines of any other program. GOLD has one row a
document: "category" if there are several, and the gold values in "target_scores" ({attribute:
{value: 1}}, "n/a" for none) or in "gold" or "data" ({attribute: value}); its text is not needed.
Either may be a table (.csv, .tsv, .parquet) with a column for each attribute. Rows belong together
by id, which is the row's number if there is none.

Outcomes: vc right, vw wrong, vn missed, nv invented, nn rightly left out. The strict scope counts
an attribute of the category that the row does not name as none. Exact compares values letter by
letter, as published; normalized evens out case, blanks, Unicode, units and number formats first.

  hpd eval values.jsonl gold.jsonl
  hpd eval hpd.jsonl gold.jsonl --vs ar.jsonl --disagreements differ.jsonl
  hpd eval hpd.jsonl --vs ar.jsonl                         # without gold: agreement alone
  hpd eval values.jsonl gold.jsonl --fail-under f1=80,strict_f1=70
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "eval",
        usage="%(prog)s PRED GOLD [--vs OTHER] [options]\n       %(prog)s PRED --vs OTHER [options]"
        "\n       %(prog)s --lookup TRAIN GOLD [options]",
        help="score predictions against gold values, or compare two files of them",
        description=_DESCRIPTION,
    )
    parser.add_argument("predictions", metavar="PRED", nargs="?", help="output of hpd extract")
    parser.add_argument("gold", metavar="GOLD", nargs="?", help="documents with gold values")
    parser.add_argument(
        "--lookup",
        metavar="TRAIN",
        help="in place of PRED: predict the first value of TRAIN that the text of GOLD holds",
    )
    parser.add_argument(
        "--attributes",
        metavar="FILE",
        help="the schema of each category, for the strict scope (else: what any row names)",
    )
    _add_printing(parser)
    _add_comparison(parser)
    _add_resampling(parser)
    _add_cost(parser)
    add_field_arguments(parser.add_argument_group("fields of GOLD, columns of tables"))
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    # What computes is loaded when it is needed, so that --help comes at once.
    from hpd.evaluation.commands.eval.command import run

    return run(arguments)


def _add_printing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--per-attribute", action="store_true", help="a line for each attribute")
    parser.add_argument(
        "--calibration",
        action="store_true",
        help="also: confidence beside accuracy, before and after calibration, and the effect of "
        "each --null-threshold",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="F1 by attribute, reliability and precision against coverage as an image (.svg, "
        ".png, .pdf); needs matplotlib (the extra plot)",
    )
    parser.add_argument("--json", action="store_true", help="every figure, as JSON")
    parser.add_argument(
        "--fail-under",
        metavar="SCORE",
        type=thresholds,
        default={},
        help="exit with 1 if F1 is below this, or a score by its name: f1=80,strict_f1=70; names "
        "are [normalized_][strict_][macro_]precision, recall or f1, and with --vs "
        "[normalized_]agreement[_filled]",
    )


def _add_comparison(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--vs",
        metavar="OTHER",
        help="another file of predictions: differences with interval and p-value, agreement, and "
        "the fields in which the two differ",
    )
    group.add_argument("--disagreements", metavar="FILE", help="all of these, as JSON lines")


def _add_resampling(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("intervals and p-values, by drawing documents")
    group.add_argument(
        "--resamples",
        metavar="B",
        type=integer(100),
        default=USUAL.n,
        help=f"samples of the bootstrap, and of the test (default {USUAL.n})",
    )
    group.add_argument(
        "-s",
        "--seed",
        metavar="N",
        type=integer(0),
        default=USUAL.seed,
        help=f"(default {USUAL.seed})",
    )


def _add_cost(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cost, where the lines of PRED have usage")
    group.add_argument(
        "--wall-seconds",
        metavar="S",
        type=number(0.001),
        help="how long the run took; else the times of its documents are added up, though "
        "documents in flight together share theirs, and so the figures are bounds",
    )
    group.add_argument(
        "--price-per-hour", metavar="X", type=number(0), help="of the machine, in dollars"
    )
