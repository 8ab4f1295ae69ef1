"""One call of ``hpd eval``: read, compute, print."""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from pathlib import Path

from hpd.cli.common import EXIT_FAILED, EXIT_OK, UsageError, say
from hpd.evaluation.commands.eval import tables
from hpd.evaluation.commands.eval.figures import Figures, compute
from hpd.evaluation.commands.eval.inputs import Inputs, read_inputs
from hpd.evaluation.commands.eval.thresholds import check_thresholds, misses
from hpd.evaluation.outcomes import field_outcomes
from hpd.version import install_command

IMAGES = (".svg", ".png", ".pdf")

_NEED_GOLD = ("per_attribute", "calibration", "plot", "text_field")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures; 1 if a score that must be reached was not."""
    _check(arguments)
    inputs = read_inputs(arguments)
    _check_inputs(arguments, inputs)
    figures = compute(inputs, arguments)
    if arguments.plot is not None:
        _plot(arguments.plot, figures)
    if arguments.disagreements is not None:
        _write_disagreements(arguments.disagreements, figures)
    if arguments.json:
        print(json.dumps(figures.to_json(), indent=2, ensure_ascii=False))
    else:
        print("\n\n".join(tables.all_tables(figures, arguments)))
    missed = misses(arguments.fail_under, figures.named_scores())
    for line in missed:
        say(f"--fail-under: {line}")
    return EXIT_FAILED if missed else EXIT_OK


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be before any file is read."""
    if arguments.plot is not None and Path(arguments.plot).suffix.lower() not in IMAGES:
        raise UsageError(f"--plot {arguments.plot}: the name must end in {', '.join(IMAGES)}")
    if arguments.plot is not None and find_spec("matplotlib") is None:
        raise UsageError(f"--plot needs matplotlib: {install_command('plot')}")
    if arguments.calibration and arguments.lookup is not None:
        raise UsageError("--calibration needs PRED: what --lookup predicts has no confidence")
    if arguments.disagreements is not None and arguments.vs is None:
        raise UsageError("--disagreements needs a second file: --vs OTHER")


def _check_inputs(arguments: argparse.Namespace, inputs: Inputs) -> None:
    check_thresholds(
        arguments.fail_under, has_gold=inputs.has_gold, has_other=inputs.second is not None
    )
    for name in _NEED_GOLD:
        if getattr(arguments, name) and not inputs.has_gold:
            raise UsageError(f"--{name.replace('_', '-')} needs GOLD")


def _plot(path: str, figures: Figures) -> None:
    from hpd.evaluation.plots import plot_evaluation

    inputs = figures.inputs
    files = {
        name: list(field_outcomes(inputs.examples, file.data, inputs.attributes))
        for name, file in inputs.files.items()
    }
    plot_evaluation(
        path,
        files,
        len(inputs.examples),
        calibration=figures.calibration,
        coverage=figures.coverage,
        resampling=figures.resampling,
    )


def _write_disagreements(path: str, figures: Figures) -> None:
    pairs = figures.versus.disagreements if figures.versus is not None else ()
    lines = (json.dumps(pair.to_json(), ensure_ascii=False) for pair in pairs)
    text = "".join(f"{line}\n" for line in lines)
    Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
