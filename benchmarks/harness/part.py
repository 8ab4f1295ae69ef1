"""Parts of a benchmark, and its command line: list, measure, resume, publish."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import importlib.metadata
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.awake import AWAKE
from benchmarks.harness import page
from benchmarks.harness.result import Conditions, Finding, Result, load_results, result_path
from benchmarks.harness.workbench import RESULTS, MissingInputError, Workbench
from hpd import _native
from hpd.models.hardware import n_cores, processor, use_amx
from hpd.models.model_files import resolve_model
from hpd.version import __version__
from tools.docs import ROOT

_SHORT_HASH = 12


@dataclass(frozen=True, slots=True)
class Part:
    """A measurement with one result."""

    name: str
    title: str
    minutes: float
    """Estimated time on two idle cores, for ``--list``."""
    measure: Callable[[Workbench], Finding]


def run(
    parts: Sequence[Part], program: str, description: str, arguments: Sequence[str] | None = None
) -> int:
    """Run a program (``benchmarks.tables``); return 1 if a part failed."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    named = {part.name: part for part in parts}
    parser.add_argument("--list", action="store_true", help="list the parts and their dates")
    parser.add_argument("--part", action="append", choices=named, help="[default: all]")
    parser.add_argument("--again", action="store_true", help="measure parts that have a result")
    parser.add_argument("--pages", action="store_true", help="write the pages from the results")
    parser.add_argument("--data", type=Path, help="a folder with oa-mine/, ae-110k/ and wdc-pave/")
    parser.add_argument("--work", type=Path, default=Path("work"), help="for intermediate files")
    parser.add_argument("--results", type=Path, help="[default: benchmarks/results]")
    parser.add_argument("-m", "--model", type=Path, help="[default: the bundled one]")
    parser.add_argument("--server", type=Path, help="llama.cpp's llama-server, as a peer")
    parser.add_argument("--limit", type=int, metavar="N", help="a trial with N documents a file")
    parser.add_argument("-t", "--threads", type=int, default=0, help="(0: automatic)")
    options = parser.parse_args(arguments)
    if options.limit is not None and options.results is None:
        parser.error(
            "--limit is for trials, which must not be published: name a folder with --results"
        )
    options.results = options.results or RESULTS
    if options.list:
        _print_list(parts, options.results)
        return 0
    if options.pages:
        changed = page.write_all(options.results)
        print("\n".join(f"written: {path.relative_to(ROOT)}" for path in changed) or "unchanged")
        return 0
    chosen = [named[name] for name in options.part or named]
    failed = [part.name for part in chosen if not _attempt(part, program, options)]
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _attempt(part: Part, program: str, options: argparse.Namespace) -> bool:
    """Measure a part and save its result; if it fails, print why and return False."""
    if result_path(options.results, part.name).exists() and not options.again:
        print(f"{part.name}: measured already", file=sys.stderr)
        return True
    model: Path = resolve_model(options.model)
    bench = Workbench(
        options.data,
        options.work / file_hash(model)[:_SHORT_HASH] / f"limit-{options.limit or 'none'}",
        results=options.results,
        model=model,
        server=options.server,
        limit=options.limit,
        n_threads=options.threads,
        again=options.again,
    )
    start = time.monotonic()
    try:
        finding = part.measure(bench)
    except (MissingInputError, RuntimeError) as error:
        print(f"{part.name}: {error}", file=sys.stderr)
        return False
    made_under = conditions(
        bench.used_models,
        time.monotonic() - start,
        n_threads=bench.n_threads,
        limit=bench.limit,
        stolen=bench.stolen,
    )
    # The command for the whole part follows those that it ran.
    commands = (*bench.commands, _command(part, program, options))
    result = Result(part.name, part.title, commands, finding, made_under)
    print(f"{part.name}: {finding.headline}\n  {result.save(options.results)}", flush=True)
    return True


def _command(part: Part, program: str, options: argparse.Namespace) -> str:
    """Return the command of a part, without the machine's paths."""
    words = ["python -m", program, "--part", part.name]
    words += ["--data DATA", "--work WORK"] if options.data else ["--work WORK"]
    words += ["-m", options.model.name] if options.model else []
    words += ["--server", options.server.name] if options.server else []
    words += ["-t", str(options.threads)] if options.threads else []
    return " ".join(words)


def conditions(
    models: Mapping[str, Path],
    seconds: float,
    *,
    n_threads: int = 0,
    limit: int | None = None,
    stolen: float | None = None,
) -> Conditions:
    """Return the conditions of a measurement, with the hash of each model file."""
    return Conditions(
        datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        __version__,
        _git_version(),
        importlib.metadata.version("llama-cpp-python"),
        processor(),
        n_cores(),
        n_threads,
        {name: file_hash(path) for name, path in sorted(models.items())},
        round(seconds, 1),
        limit,
        AWAKE in os.environ,
        _weights(),
        stolen,
    )


def _weights() -> str:
    """Return what multiplies with quantised weights."""
    if use_amx():
        return "AMX"
    usable = [name for name, problem in _native.product_problems() if not problem]
    return f"hpd's kernel {usable[0]}" if usable else "repacked weights"


def _git_version() -> str:
    """Return the commit of the checkout, or ``unknown``."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _print_list(parts: Sequence[Part], results: Path) -> None:
    done = load_results(results)
    for part in parts:
        state = done[part.name].conditions.date if part.name in done else "not measured"
        print(f"{part.name:20} {part.minutes:5.1f} min  {state:12}  {part.title}")
