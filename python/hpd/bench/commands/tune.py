"""``hpd tune``: finds and stores the fastest settings for a model on this machine."""

from __future__ import annotations

import argparse
import statistics
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hpd.bench.workload import Workload, catalogue, load_workload
from hpd.cli.arguments import (
    add_field_arguments,
    add_option_arguments,
    add_schema_argument,
    flag_of,
    number,
    parsed_options,
    say_ineffective_options,
)
from hpd.cli.common import (
    EXIT_OK,
    UsageError,
    input_errors_as_usage,
    say,
    setting_text,
    settings_text,
)
from hpd.messages import counted, format_table
from hpd.options import OPTIONS, TUNABLE, Options, speed_identity
from hpd.schema import load_schemas

if TYPE_CHECKING:
    from hpd.bench.measure import Measurement
    from hpd.bench.tune import TuneResult, TuneTrial

_SECONDS = 180


def _flags(names: Iterable[str]) -> str:
    """Format the flags of options for a description: indented and wrapped."""
    flags, indent = " ".join(OPTIONS[name].flag for name in names), " " * 4
    return textwrap.fill(
        flags, 96, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


_DESCRIPTION = f"""\
Find the fastest settings for a model on this machine and store them as defaults for hpd extract and
for the extractor in Python. Values do not depend on them, except for rounding. Settings tried,
unless given:

{_flags(TUNABLE)}

  hpd tune -m model.gguf listings.jsonl --schema "brand, color, size"
  hpd tune -m model.gguf                        # on made-up listings
  hpd tune -m model.gguf -t 8 --set drafts=off       # with these fixed

Tune on a hundred or more typical documents, while nothing else runs. Settings that change the
answers of more than one document in ten are not chosen. Stored settings apply to the same model,
processor, GPUs, versions of hpd and llama.cpp, and values of these options; HPD_TUNED=0 ignores
them:

{_flags(speed_identity(Options()))}
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "tune", usage="%(prog)s [INPUT --schema S] [options]", description=_DESCRIPTION
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "input", metavar="INPUT", nargs="?", help="documents (default: made-up listings)"
    )
    add_schema_argument(parser, required=False)
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=number(0),
        default=float(_SECONDS),
        help=f"stop trying after N seconds [default: {_SECONDS}]",
    )
    add_field_arguments(parser.add_argument_group("input"))
    # Only --method hpd is tuned.
    add_option_arguments(
        parser, leave_out=("method", "on_invalid", "deterministic", "dedupe", "cache")
    )


def run(arguments: argparse.Namespace) -> int:
    start = time.monotonic()
    seconds: float = arguments.seconds
    workload = _workload(arguments)
    base = parsed_options(arguments)
    if not base.unset:
        flags = ", ".join(OPTIONS[name].flag for name in TUNABLE)
        raise UsageError(f"nothing to try, as all of these are set: {flags}")

    from hpd.bench.measure import Bench
    from hpd.bench.tune import Timer, TuneSearch, axes_for, default_settings, n_tolerated
    from hpd.models.model_files import resolve_model
    from hpd.models.settings import load_model, store_tuned, tuning_key

    path = resolve_model(arguments.model, arguments.hf_repo, progress=not base.quiet)
    model = load_model(path, base)
    say_ineffective_options(base)
    tell: Callable[[str], None] = (lambda message: None) if base.quiet else say

    def note(settings: Mapping[str, int], measurement: Measurement) -> None:
        tell(f"{settings_text(settings)}: {measurement.ms_per_document:.1f} ms a document")

    timer = Timer(Bench(model, workload), base, len(workload.items), note)
    timer.fit(seconds)
    tell(f"{counted(timer.n_documents, 'document')} of {workload.name}, for about {seconds:g} s")
    default = default_settings(base)

    def is_over() -> bool:
        return time.monotonic() - start > seconds

    axes, tolerated = axes_for(base, timer.n_documents), n_tolerated(timer.n_documents)
    found = TuneSearch(timer.measure, default, axes, tolerated, is_over).run()
    if is_over():
        say("time was up before everything was tried: a larger --seconds may find faster settings")
    print(format_table(_table_rows(found, default, timer.n_documents), n_left=0))
    print(f"\n{_verdict_text(found, default)}")
    print(f"stored in {store_tuned(tuning_key(model, path, base), found.chosen)}")
    return EXIT_OK


def _workload(arguments: argparse.Namespace) -> Workload:
    if (arguments.input is None) != (arguments.schema is None):
        raise UsageError("give both INPUT and --schema, or neither for made-up listings")
    if arguments.input is None:
        for name in ("text_field", "id_field", "category_field"):
            if getattr(arguments, name) is not None:
                raise UsageError(f"{flag_of(name)} does nothing without INPUT")
        return catalogue()
    with input_errors_as_usage():
        return load_workload(
            arguments.input,
            load_schemas(arguments.schema),
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
        )


def _table_rows(
    found: TuneResult, default: Mapping[str, int], n_documents: int
) -> Sequence[Sequence[str]]:
    """Return the table's cells, headings first."""
    rows = [[*TUNABLE, "runs", "ms/doc", ""]]
    for trial in found.trials:
        cells = [setting_text(trial.settings[name]) for name in TUNABLE]
        ms = [1000 * seconds / n_documents for seconds in trial.seconds]
        time = f"{statistics.median(ms):.1f}" if ms else ""
        rows.append([*cells, str(len(ms)), time, _remark(trial, found.chosen, default)])
    return rows


def _remark(trial: TuneTrial, chosen: Mapping[str, int], default: Mapping[str, int]) -> str:
    remarks = []
    if trial.settings == default:
        remarks.append("default")
    if trial.settings == chosen:
        remarks.append("chosen")
    if trial.problem:
        remarks.append("fails")
    elif trial.n_different:
        remarks.append(f"{trial.n_different} other answers")
    return ", ".join(remarks)


def _verdict_text(found: TuneResult, default: Mapping[str, int]) -> str:
    if found.chosen == default:
        return "nothing is faster than the default settings"
    changed = {name: value for name, value in found.chosen.items() if value != default[name]}
    return f"{settings_text(changed)}: {found.speedup:.2f} times as fast as the default settings"
