"""``hpd tune``: the fastest settings for a model on this machine, tried and kept."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hpd.bench.methods import parse_settings
from hpd.bench.workload import Workload, load_workload
from hpd.cli.common import (
    EXIT_OK,
    UsageError,
    add_model_arguments,
    before_the_model,
    in_words,
    number,
    say,
    setting_text,
    table,
)
from hpd.cli.schema import SCHEMA_HELP
from hpd.options import TUNABLE
from hpd.schema import load_schemas

if TYPE_CHECKING:
    from hpd.bench.measure import Measurement
    from hpd.tune.search import Found, Trial

_SECONDS = 180

_DESCRIPTION = f"""\
Try which settings are the fastest for a model on this machine, and keep them: from then on
hpd extract, and the extractor in Python, take them for what they are not told. Values do
not depend on them, but for rounding. Tried are {", ".join(TUNABLE)}.

  hpd tune -m model.gguf listings.jsonl --schema "brand, color, size"
  hpd tune -m model.gguf                                     # on made-up listings
  hpd tune -m model.gguf --set n_threads=8 --set drafts=off  # with these as they are

Best tried on documents like those to come, a hundred of them or more, and while nothing else runs.
What is kept holds for the model, the processor, the GPUs, the number of threads, the versions of
hpd and llama.cpp, and the options layout, stack, n_gpu_layers, flash_attn and cache_type_k and _v.
Settings are refused with which more than one document in ten is answered otherwise. HPD_TUNED=0
leaves out what is kept.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "tune",
        help="find the fastest settings for a model on this machine",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "input", metavar="INPUT", nargs="?", help="documents (else made-up listings)"
    )
    parser.add_argument("-s", "--schema", metavar="S", help=SCHEMA_HELP)
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=number(0),
        default=float(_SECONDS),
        help=f"try no more after N seconds (default {_SECONDS})",
    )
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of hpd.Options that is used as it is; may be repeated",
    )
    parser.add_argument("--text-field", metavar="F", action="append", help="the field of the text")
    parser.add_argument("--id-field", metavar="F", help="the field of the id")
    parser.add_argument("--category-field", metavar="F", help="the field of the category")
    add_model_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Try, print what was tried, and keep what was chosen."""
    start = time.monotonic()
    seconds: float = arguments.seconds
    workload = _workload(arguments)
    try:
        base = parse_settings(arguments.settings)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not base.unset:
        raise UsageError(f"nothing is left to try: --set says {', '.join(TUNABLE)}")

    from hpd import _native
    from hpd.bench.measure import Bench
    from hpd.machine.model_files import resolve_model
    from hpd.machine.native_options import model_options
    from hpd.machine.tuned_settings import identity, store
    from hpd.tune.search import Search
    from hpd.tune.timing import Timer, axes_for, default_settings, n_tolerated

    path = resolve_model(arguments.model, arguments.hf)
    model = _native.Model([str(path)], model_options(base))
    timer = Timer(Bench(model, workload), base, len(workload.items), _say_measurement)
    timer.fit(seconds)
    say(f"{timer.n_documents} documents of {workload.name}, for about {seconds:g} s")
    default = default_settings(base)

    def is_over() -> bool:
        return time.monotonic() - start > seconds

    axes, tolerated = axes_for(base, timer.n_documents), n_tolerated(timer.n_documents)
    found = Search(timer.measure, default, axes, tolerated, is_over).run()
    if is_over():
        say("the time was up before all was tried: with more --seconds there may be more to gain")
    print(table(_rows(found, default, timer.n_documents), n_left=0))
    print(f"\n{_verdict(found, default)}")
    print(f"kept in {store(identity(model, path, base), found.chosen)}")
    return EXIT_OK


def _workload(arguments: argparse.Namespace) -> Workload:
    if (arguments.input is None) != (arguments.schema is None):
        raise UsageError("give INPUT and --schema, or neither of them for made-up listings")
    if arguments.input is None:
        from hpd.tune.catalogue import catalogue

        return catalogue()
    with before_the_model():
        return load_workload(
            arguments.input,
            load_schemas(arguments.schema),
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
        )


def _say_measurement(settings: Mapping[str, int], measurement: Measurement) -> None:
    say(f"{in_words(settings)}: {measurement.ms_per_document:.1f} ms a document")


def _rows(found: Found, default: Mapping[str, int], n_documents: int) -> Sequence[Sequence[str]]:
    """The table's cells, headings first."""
    rows = [[*TUNABLE, "runs", "ms/doc", ""]]
    for trial in found.trials:
        rows.append(
            [
                *(setting_text(trial.settings[name]) for name in TUNABLE),
                str(len(trial.seconds)),
                _milliseconds(trial, n_documents),
                _remark(trial, found.chosen, default),
            ]
        )
    return rows


def _milliseconds(trial: Trial, n_documents: int) -> str:
    if not trial.seconds:
        return ""
    return f"{1000 * statistics.median(trial.seconds) / n_documents:.1f}"


def _remark(trial: Trial, chosen: Mapping[str, int], default: Mapping[str, int]) -> str:
    remarks = []
    if trial.settings == default:
        remarks.append("default")
    if trial.settings == chosen:
        remarks.append("chosen")
    if trial.problem:
        remarks.append("fails")
    elif trial.n_different:
        remarks.append(f"{trial.n_different} answered otherwise")
    return ", ".join(remarks)


def _verdict(found: Found, default: Mapping[str, int]) -> str:
    if found.chosen == default:
        return "nothing is faster than the default settings"
    changed = {name: value for name, value in found.chosen.items() if value != default[name]}
    return f"{in_words(changed)}: {found.speedup:.2f} times as fast as the default settings"
