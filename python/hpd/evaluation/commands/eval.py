"""``hpd eval``: scores predictions against gold values, and compares two files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hpd.cli.arguments import add_field_arguments, integer, number
from hpd.cli.common import EXIT_FAILED, EXIT_OK, UsageError, say
from hpd.evaluation.commands.inputs import add_seed_argument, refuse
from hpd.evaluation.json_form import json_text
from hpd.evaluation.scores import AGREEMENT_NAMES, DEFAULT_RESAMPLING, SCORE_KEYS
from hpd.extras import require_extra
from hpd.files.writer import line_bytes

if TYPE_CHECKING:
    from hpd.evaluation.commands.eval_figures import EvalFigures, EvalInputs

_DEFAULT = "f1"
IMAGE_FILES = (".svg", ".png", ".pdf")

_DESCRIPTION = """\
Score predictions against gold values: precision, recall and F1, micro and macro, with intervals.

PRED is the output of hpd extract, or {id, data} lines of any other program. GOLD has one row per
document: "category" if there are several, and the gold values in "target_scores" ({attribute:
{value: 1}}, "n/a" for none) or in "gold" or "data" ({attribute: value}); no text is needed.
Either may be a table (.csv, .tsv, .xlsx, .parquet) with a column for each attribute. Rows are
matched by id, or by row number if there is none.

A value is right, wrong, missed (the document states one), invented (it states none) or correctly
empty; --json calls these vc, vw, vn, nv and nn. The strict scope counts an attribute of the
category that the row does not name as none. Exact compares values letter by letter, as published;
normalized first normalizes case, blanks, Unicode, units and number formats.

  hpd eval values.jsonl gold.jsonl
  hpd eval hpd.jsonl gold.jsonl --vs ar.jsonl --disagreements differ.jsonl
  hpd eval hpd.jsonl --vs ar.jsonl                         # without gold: agreement only
  hpd eval values.jsonl gold.jsonl --fail-under f1=80,strict_f1=70
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "eval",
        usage="%(prog)s PRED GOLD [--vs OTHER] [options]\n       %(prog)s PRED --vs OTHER [options]"
        "\n       %(prog)s --lookup TRAIN GOLD [options]",
        description=_DESCRIPTION,
    )
    parser.add_argument("predictions", metavar="PRED", nargs="?", help="output of hpd extract")
    parser.add_argument("gold", metavar="GOLD", nargs="?", help="documents with gold values")
    parser.add_argument(
        "--lookup",
        metavar="TRAIN",
        help="instead of PRED: predict the first value of TRAIN that GOLD's text contains",
    )
    parser.add_argument(
        "--attributes",
        metavar="FILE",
        help="the schema of each category, for the strict scope (default: what any row names)",
    )
    parser.add_argument(
        "--per-attribute", action="store_true", help="print a line for each attribute"
    )
    parser.add_argument(
        "--calibration",
        action="store_true",
        help="also compare confidence with accuracy, before and after calibration, and show the "
        "effect of each --null-threshold",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="draw F1 by attribute, reliability, and precision against coverage (.svg, .png, "
        ".pdf); needs matplotlib (the extra plot)",
    )
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")
    parser.add_argument(
        "--fail-under",
        metavar="SCORE",
        type=thresholds,
        default={},
        help="exit with 1 if F1 is below this, or a named score: f1=80,strict_f1=70; names "
        "are [normalized_][strict_][macro_]precision, recall or f1, and with --vs "
        "[normalized_]agreement[_filled]",
    )

    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--vs",
        metavar="OTHER",
        help="compare with another file of predictions: differences with interval and p-value, "
        "agreement, and differing fields",
    )
    group.add_argument(
        "--disagreements", metavar="FILE", help="write all differing fields as JSON Lines"
    )

    group = parser.add_argument_group("intervals and p-values, by resampling documents")
    group.add_argument(
        "--resamples",
        metavar="B",
        type=integer(100),
        default=DEFAULT_RESAMPLING.n,
        help=f"samples of the bootstrap and the test (default {DEFAULT_RESAMPLING.n})",
    )
    add_seed_argument(group, "random seed", DEFAULT_RESAMPLING.seed)

    group = parser.add_argument_group("cost, where the lines of PRED have usage")
    group.add_argument(
        "--wall-seconds",
        metavar="S",
        type=number(0.001),
        help="duration of the run. By default the times of its documents are added up, which gives "
        "only bounds, because documents in flight together overlap",
    )
    group.add_argument(
        "--price-per-hour", metavar="X", type=number(0), help="price of the machine, in dollars"
    )
    add_field_arguments(parser.add_argument_group("fields of GOLD, columns of tables"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the figures; return 1 if a score is below its minimum."""
    # Imported late, so that --help is fast.
    from hpd.evaluation.commands.eval_figures import all_tables, compute_figures, read_inputs

    _check(arguments)
    inputs = read_inputs(arguments)
    _check_inputs(arguments, inputs)
    figures = compute_figures(inputs, arguments)
    if arguments.plot is not None:
        _plot(arguments.plot, figures)
    if arguments.disagreements is not None and figures.versus is not None:
        pairs = figures.versus.disagreements
        lines = b"".join(line_bytes(json_text(pair)) for pair in pairs)
        Path(arguments.disagreements).write_bytes(lines)
    if arguments.json:
        print(json_text(figures, indent=2))
    else:
        print("\n\n".join(all_tables(figures, arguments)))
    scores = figures.named_scores()
    missed = {name: low for name, low in arguments.fail_under.items() if scores[name] < low}
    for name, low in missed.items():
        score = scores[name]
        say(f"--fail-under: {name} is {score:.2f}, {low - score:.2f} below {low:g}")
    return EXIT_FAILED if missed else EXIT_OK


def _check(arguments: argparse.Namespace) -> None:
    """Refuse arguments that exclude each other, before reading any file."""
    if arguments.plot is not None and Path(arguments.plot).suffix.lower() not in IMAGE_FILES:
        raise UsageError(f"--plot {arguments.plot}: the name must end in {', '.join(IMAGE_FILES)}")
    if arguments.plot is not None:
        require_extra("--plot", "plot", ("matplotlib",))
    if arguments.calibration and arguments.lookup is not None:
        raise UsageError("--calibration needs PRED: predictions of --lookup have no confidence")
    if arguments.vs is None:
        refuse(arguments, ["disagreements"], "needs a second file: --vs OTHER")


def _check_inputs(arguments: argparse.Namespace, inputs: EvalInputs) -> None:
    """Refuse scores and options for which a file is missing."""
    for name in arguments.fail_under:
        if name in AGREEMENT_NAMES and inputs.second is None:
            raise UsageError(f"--fail-under {name} needs a second file: --vs OTHER")
        if name not in AGREEMENT_NAMES and not inputs.has_gold:
            raise UsageError(f"--fail-under {name} needs GOLD")
    if not inputs.has_gold:
        refuse(arguments, ("per_attribute", "calibration", "plot", "text_field"), "needs GOLD")


def _plot(path: str, figures: EvalFigures) -> None:
    from hpd.evaluation.outcomes import field_outcomes
    from hpd.evaluation.plots import plot_evaluation

    examples, attributes = figures.inputs.examples, figures.inputs.attributes
    files = {
        name: list(field_outcomes(examples, file.data, attributes))
        for name, file in figures.inputs.files.items()
    }
    more = (figures.calibration, figures.coverage, figures.resampling)
    plot_evaluation(path, files, len(examples), *more)


def thresholds(text: str) -> dict[str, float]:
    """Parse minimum scores: ``80`` or ``f1=80,strict_f1=70``."""
    thresholds = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        name = name.strip() if equals else _DEFAULT
        if name not in (*SCORE_KEYS, *AGREEMENT_NAMES):
            raise argparse.ArgumentTypeError(
                f"unknown score {name!r}; known: {', '.join(SCORE_KEYS)}, and with --vs "
                f"{', '.join(AGREEMENT_NAMES)}"
            )
        if name in thresholds:
            raise argparse.ArgumentTypeError(f"{name} is given twice")
        try:
            thresholds[name] = float(number)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{number!r} is not a number") from None
        # Also refuses NaN.
        if not 0 <= thresholds[name] <= 100:
            raise argparse.ArgumentTypeError(f"{name} is in percent, from 0 to 100: {number}")
    return thresholds
