"""``hpd bench``: compares the speed of methods on this machine."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpd.bench.methods import SWEEPS, Contest, parse_contest
from hpd.bench.workload import load_workload
from hpd.cli.arguments import (
    add_field_arguments,
    add_option_arguments,
    add_schema_argument,
    integer,
    not_empty,
    number,
    parsed_options,
    say_ineffective_options,
)
from hpd.cli.common import EXIT_FAILED, EXIT_OK, UsageError, input_errors_as_usage, say
from hpd.cli.output import is_stream
from hpd.messages import counted, format_table
from hpd.pipeline.task import check_method
from hpd.schema import load_schemas

if TYPE_CHECKING:
    from hpd.bench.measure import Measurement
    from hpd.options import Options

_DEFAULT_METHODS = ("prefill", "ar", "ar-batched", "hpd")

_DESCRIPTION = """\
Compare the speed of extraction methods with the same model and documents, and check the answers.

A METHOD is a kind, with any settings that differ from the defaults:

  prefill      reads documents and keys and generates nothing: the lower bound
  ar           one object, token by token, one document at a time
  ar-batched   the same with many documents in flight, at the best of 4, 8, 16 and 32; drafts are
               off in both unless set with ar:drafts=on
  hpd          every field in parallel

  hpd bench listings.jsonl --schema "brand, color, size"
  hpd bench listings.jsonl --schema s.json --method hpd --method hpd:stack=4,in_flight=8
  hpd bench gold.jsonl --schema s.json --replay gold.jsonl --rounds 5 -o figures.jsonl

Of several values (in_flight=8|16|32), the first round keeps the fastest. Settings are options by
their Python names, plus documents, for slow methods (ar:documents=8 times 8 of them), and grammar
(hpd:grammar=on). The options below apply to all methods, unless a method sets its own.

With --replay the model computes as usual, but its tokens are replaced with those of the known
answer, so any model of the same shape shows the cost. Random weights would violate every grammar,
so replayed values have none unless a method sets grammar=on: then each token is checked, as for a
model that obeys the grammar.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "bench",
        usage="%(prog)s INPUT --schema S [--method METHOD ...] [options]",
        description=_DESCRIPTION,
    )
    parser.set_defaults(run=run)
    parser.add_argument("input", metavar="INPUT", help="documents")
    add_schema_argument(parser, required=True)
    _add_methods(parser.add_argument_group("what is measured"))
    add_field_arguments(parser.add_argument_group("input"))
    # Methods set ``method``, no document fails, and each is decoded every time.
    add_option_arguments(parser, leave_out=("method", "on_invalid", "dedupe", "cache"))


def _add_methods(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--method",
        dest="methods",
        metavar="METHOD",
        action="append",
        help=f"may be repeated [default: {' '.join(_DEFAULT_METHODS)}]",
    )
    group.add_argument(
        "--sweep",
        choices=SWEEPS,
        action="append",
        help="a predefined list of methods; may be repeated",
    )
    group.add_argument(
        "--replay", metavar="FILE", help="known answers, by id: target_scores, gold or data"
    )
    group.add_argument(
        "--grammar", action="store_true", help="with --replay, also time every method with grammars"
    )
    group.add_argument(
        "--rounds",
        metavar="N",
        type=integer(1),
        default=3,
        help="rounds of every method [default: 3]",
    )
    group.add_argument(
        "--limit", metavar="N", type=integer(1), help="time N documents, spread over the file"
    )
    group.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=not_empty,
        help="write all figures to a new JSON Lines file",
    )
    group.add_argument(
        "--price-per-hour", metavar="P", type=number(0), help="price of the machine, in dollars"
    )


def run(arguments: argparse.Namespace) -> int:
    schemas = load_schemas(arguments.schema)
    base = parsed_options(arguments)
    output = arguments.output
    if not is_stream(output) and os.path.exists(output) and os.path.getsize(output):
        raise UsageError(f"{output} already exists: name another output, or remove it")
    contests = _parse_contests(arguments, base)
    for method in (method for contest in contests for method in contest.methods):
        check_method(method.options, schemas)
    with input_errors_as_usage():
        workload = load_workload(
            arguments.input,
            schemas,
            arguments.replay,
            limit=arguments.limit,
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
        )

    from hpd.bench.measure import Bench
    from hpd.bench.rounds import environment, run_rounds, summarise, table_rows, to_json
    from hpd.models.model_files import resolve_model
    from hpd.models.settings import load_model

    path = resolve_model(arguments.model, arguments.hf_repo, progress=not base.quiet)
    model = load_model(path, base)
    say_ineffective_options(base)
    known = environment(model, path, base.n_gpu_layers)
    with contextlib.ExitStack() as stack:
        # Written line by line, so that an interrupted run keeps its measurements.
        write = _open_writer(output, stack)
        write({"type": "environment", "workload": workload.name, **known})

        def note(measurement: Measurement) -> None:
            if not base.quiet:
                cpu_ms = 1000 * measurement.cpu_seconds / measurement.n_documents
                say(
                    f"round {measurement.round}: {measurement.method}: "
                    f"{measurement.ms_per_document:.0f} ms a document, "
                    f"{cpu_ms:.0f} ms of processors"
                )
            write(to_json(measurement))

        bench = Bench(model, workload)
        rounds = run_rounds(bench, contests, arguments.rounds, note)
        reference, n_different = rounds.compare_methods()
        summary = summarise(rounds.measurements, arguments.price_per_hour)
        for row in summary:
            write({**row, "n_different": n_different.get(row["method"])})
    print(
        f"{workload.name}: {counted(len(workload.items), 'document')}"
        f"{', replayed' if workload.is_replay else ''}; {known['model_description']}; "
        f"{known['computing_on']}; medians of {arguments.rounds} rounds\n"
    )
    print(format_table(table_rows(summary)))
    if workload.is_replay:
        if n_wrong := sum(row["n_wrong"] for row in summary):
            say(f"error: {n_wrong} answers differ from the replayed ones")
        return EXIT_FAILED if n_wrong else EXIT_OK
    for row in summary:
        name, n = row["method"], row["n_documents"]
        if name in n_different:
            print(
                f"{name}: {counted(n_different[name], 'document', 'has', of=n)} other answers "
                f"than with {reference}"
            )
    return EXIT_OK


def _parse_contests(arguments: argparse.Namespace, base: Options) -> Sequence[Contest]:
    texts = list(arguments.methods or ())
    for sweep in arguments.sweep or ():
        texts.extend(SWEEPS[sweep])
    try:
        contests = [parse_contest(text, base) for text in dict.fromkeys(texts or _DEFAULT_METHODS)]
    except ValueError as error:
        raise UsageError(str(error)) from error
    if arguments.grammar:
        contests = [two for one in contests for two in (one, one.with_grammar()) if two is not None]
    if arguments.replay is None and any(m.grammar for c in contests for m in c.methods):
        raise UsageError("grammars can only be switched on for replayed values: add --replay")
    return list(dict.fromkeys(contests))


def _open_writer(
    path: str | None, stack: contextlib.ExitStack
) -> Callable[[Mapping[str, Any]], None]:
    if path is None:
        return lambda row: None
    file = sys.stdout
    if path not in ("-", "/dev/stdout"):
        file = stack.enter_context(open(path, "w", encoding="utf-8"))  # noqa: SIM115

    def write(row: Mapping[str, Any]) -> None:
        print(json.dumps(row, ensure_ascii=False), file=file, flush=True)

    return write
