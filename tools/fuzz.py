"""Fuzzing of all that reads input from outside: ``python -m tools.fuzz --target records``.

Each execution reads a mutated input of ``tests/fuzz/TARGET``. Only errors of hpd's own may come
out, within 5 seconds of processor time and a gigabyte of memory beyond that at the start. An input
that does otherwise is kept in the folder named by ``--keep``; its place, once the fault is mended,
is the corpus. With the same seed, number of executions and corpus, the inputs are the same.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from tools.fuzz_mutation import mutated
from tools.fuzz_targets import TARGETS, Target

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "fuzz"
SECONDS = 5
"""Of processor time, for one execution: other programs do not count."""

_DEAD_SECONDS = 120
_MORE_BYTES = 1 << 30
_N_FAULTS = 10


class HungError(BaseException):
    """An execution that took too long; no ``except Exception`` on the way catches it."""


def corpus(name: str) -> list[tuple[bytes, str]]:
    """The inputs of a target with their suffixes, in a fixed order."""
    files = sorted(path for path in (CORPUS / name).iterdir() if path.is_file())
    return [(path.read_bytes(), path.suffix) for path in files]


def execute(target: Target, data: bytes, suffix: str) -> None:
    """One execution.

    Raises:
        BaseException: whatever should not come out; ``HungError`` after too long a time.
    """
    with _time_limit(), contextlib.suppress(*target.errors):
        target.run(data, suffix)


def fuzz(
    name: str, seed: int, keep: Path, n_executions: int | None, seconds: float | None
) -> tuple[int, int]:
    """Run a target until the number of executions or the time is reached.

    Returns:
        the number of executions, and that of faults, whose inputs lie in ``keep``.
    """
    target = TARGETS[name]
    inputs = corpus(name)
    everything = [data for data, _ in inputs]
    rng = random.Random(f"{name} {seed}")
    kinds: set[str] = set()
    keep.mkdir(parents=True, exist_ok=True)
    last = keep / f"{name}-last"
    start = time.monotonic()
    n = 0
    while n != n_executions and (seconds is None or time.monotonic() - start < seconds):
        data, suffix = rng.choice(inputs)
        data = mutated(data, everything, target.words, rng)
        last.write_bytes(data)  # for a crash of the whole process
        faulthandler.dump_traceback_later(_DEAD_SECONDS, exit=True, file=sys.__stderr__ or 2)
        n += 1
        try:
            execute(target, data, suffix)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            kind = _kind(error)
            if kind in kinds:
                continue
            kinds.add(kind)
            path = keep / f"{name}-{seed}-{n}{suffix}"
            path.write_bytes(data)
            print(f"{path}: {kind}", file=sys.stderr)
            traceback.print_exc(limit=-6)
            if len(kinds) == _N_FAULTS:
                break
        finally:
            faulthandler.cancel_dump_traceback_later()
    last.unlink()
    return n, len(kinds)


def main() -> int:
    """Fuzz one target, or all; returns 1 if there were faults."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", choices=(*TARGETS, "all"), default="all")
    parser.add_argument("--seconds", type=float, help="for each target")
    parser.add_argument("--executions", type=int, help="of each target [default: 1000]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), metavar="FOLDER")
    arguments = parser.parse_args()
    n_executions = arguments.executions
    if n_executions is None and arguments.seconds is None:
        n_executions = 1000
    faulthandler.enable()
    warnings.simplefilter("ignore")  # hpd's own, of schemas
    _limit_memory()
    n_faults = 0
    for name in TARGETS if arguments.target == "all" else [arguments.target]:
        start = time.monotonic()
        n, n_here = fuzz(name, arguments.seed, arguments.keep, n_executions, arguments.seconds)
        n_faults += n_here
        took = time.monotonic() - start
        print(f"{name}: {n} executions in {took:.0f} s, {n_here} faults", flush=True)
    return 1 if n_faults else 0


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise HungError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _limit_memory() -> None:
    """Let no execution take all memory (Linux)."""
    import resource

    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + _MORE_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def _kind(error: BaseException) -> str:
    """An error's type and place: two with the same are one fault."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/hpd/" in frame.filename] or frames
    where = ours[-1]
    return f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}"


if __name__ == "__main__":
    sys.exit(main())
