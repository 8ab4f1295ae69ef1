"""Prints every batch of a method: its tokens, rows and times.

    python benchmarks/steps.py gold.jsonl --schema schema.json --replay gold.jsonl -m model.gguf hpd

`llama` is the call into llama.cpp, `engine` the rest of the engine's step (scheduling, choosing
tokens), and `python` the time between two steps (tokenising documents, parsing and grounding
values), all in milliseconds. The lines above the rule are the warm-up.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from hpd import _native
from hpd.bench.measure import Bench
from hpd.bench.methods import parse_contest
from hpd.bench.workload import load_workload
from hpd.cli.arguments import add_option_arguments, options_of
from hpd.messages import format_table
from hpd.models.model_files import resolve_model
from hpd.models.settings import load_model
from hpd.schema import load_schemas


class WatchedEngine:
    """An engine that records the time of each step."""

    def __init__(self, model: _native.Model, options: _native.EngineOptions) -> None:
        self._engine = _native.Engine(model, options)
        self._end = time.perf_counter()
        self.steps: list[tuple[float, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def advance(self) -> list[_native.Answer]:
        """Record a single step, rather than steps until a request is finished."""
        start, before = time.perf_counter(), self._engine.stats
        results = self._engine.step()
        end, after = time.perf_counter(), self._engine.stats
        llama = after.decode_seconds - before.decode_seconds
        counts = after.n_tokens - before.n_tokens, after.n_rows - before.n_rows
        times = (1000 * seconds for seconds in (llama, end - start - llama, start - self._end))
        self.steps.append((*counts, *times))
        self._end = end
        return results


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("methods", metavar="METHOD", nargs="+", help="as for hpd bench")
    parser.add_argument("--schema", required=True)
    parser.add_argument("--replay", required=True)
    parser.add_argument("--limit", type=int, default=16)
    add_option_arguments(parser, leave_out=("method",))
    options = parser.parse_args(arguments)
    base = options_of(options)
    workload = load_workload(
        options.input, load_schemas(options.schema), options.replay, limit=options.limit
    )
    path = resolve_model(options.model, options.hf_repo)
    model = load_model(path, base)
    for text in options.methods:
        for method in parse_contest(text, base).methods:
            made: list[WatchedEngine] = []

            def watch(model: _native.Model, settings: _native.EngineOptions) -> Any:
                made.append(WatchedEngine(model, settings))  # noqa: B023 - called within this turn
                return made[-1]  # noqa: B023

            run = Bench(model, workload, watch).measure(method, 1).measurement
            steps = made[0].steps
            heads = ["tokens", "rows read", "llama", "engine", "python"]
            cells = [[f"{x:.0f}" if i < 2 else f"{x:.1f}" for i, x in enumerate(s)] for s in steps]
            n_warm_up = len(steps) - run.n_batches
            rule = ["-" * len(head) for head in heads]
            sums = [f"{sum(column):.0f}" for column in zip(*steps[n_warm_up:], strict=True)]
            print(f"{method.name}: {run.ms_per_document:.0f} ms a document")
            rows = [heads, *cells[:n_warm_up], rule, *cells[n_warm_up:], rule, sums]
            print(format_table(rows, n_left=0), end="\n\n")


if __name__ == "__main__":
    main()
