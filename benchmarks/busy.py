"""The time of hpd beside other busy processes, against its fair share of the machine.

    python benchmarks/busy.py gold.jsonl --schema schema.json --replay gold.jsonl -m model.gguf

Two processes have the model: one as hpd is, one in which threads that wait for others go round as
long as GNU OpenMP has them by itself. In each round both take their turns: alone, and beside one
and two processes that do nothing but compute. The fair share is that of as many threads as hpd has
among all that want a core; 1.00 is a time as if it were kept. Prints a Markdown table of medians.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from hpd.models.hardware import n_cores

_VARIABLE = "GOMP_SPINCOUNT"
_OWN_SPINS = "300000"  # of GNU OpenMP, where there is a core for each thread
_BUSY = "while True: pass"
_N_BUSY = (0, 1, 2)


class Timed:
    """A process with the model, which times the workload whenever it is told to."""

    def __init__(self, arguments: list[str], spins: str | None) -> None:
        environment = {k: v for k, v in os.environ.items() if k not in (_VARIABLE,)}
        environment.pop("OMP_WAIT_POLICY", None)
        if spins is not None:
            environment[_VARIABLE] = spins
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def milliseconds(self) -> float:
        """The time of a document, measured now."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def serve(options: argparse.Namespace) -> None:
    """Time the workload once for each line of the input."""
    from hpd.bench.measure import Bench
    from hpd.bench.methods import parse_contest
    from hpd.bench.workload import load_workload
    from hpd.models.model_files import resolve_model
    from hpd.models.settings import load_model
    from hpd.options import Options
    from hpd.schema import load_schemas

    base = Options(n_threads=options.threads)
    workload = load_workload(
        options.input, load_schemas(options.schema), options.replay, limit=options.limit
    )
    model = load_model(resolve_model(options.model), base)
    bench = Bench(model, workload)
    (method,) = parse_contest(options.method, base).methods
    bench.measure(method, 0)  # reads the weights into memory
    for number, _ in enumerate(sys.stdin, start=1):
        print(bench.measure(method, number).measurement.ms_per_document, flush=True)


@contextlib.contextmanager
def competitors(n: int) -> Iterator[None]:
    """Processes that want a core each."""
    busy = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(n)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--schema", required=True)
    parser.add_argument("--replay", required=True)
    parser.add_argument("-m", "--model")
    parser.add_argument("-t", "--threads", type=int, default=n_cores())
    parser.add_argument("--method", default="hpd", help="as of hpd bench")
    parser.add_argument("--limit", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options)
        return
    arguments = sys.argv[1:]
    kinds = {"as hpd is": Timed(arguments, None), "long spins": Timed(arguments, _OWN_SPINS)}
    times: dict[tuple[str, int], list[float]] = {}
    try:
        for _ in range(options.rounds):
            for n_busy in _N_BUSY:
                with competitors(n_busy):
                    for name, timed in kinds.items():
                        times.setdefault((name, n_busy), []).append(timed.milliseconds())
    finally:
        for timed in kinds.values():
            timed.close()
    print("| busy processes | threads | ms a document | of the fair share |")
    print("|---:|---|---:|---:|")
    for (name, n_busy), measured in sorted(times.items(), key=lambda item: item[0][1]):
        alone = median(times[name, 0])
        fair = alone * max(1.0, (options.threads + n_busy) / n_cores())
        share = fair / median(measured)
        print(f"| {n_busy} | {name} | {median(measured):.1f} | {share:.2f} |")


if __name__ == "__main__":
    main()
