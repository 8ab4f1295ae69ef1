"""A soak test: ``hpd extract`` is killed repeatedly, and resumed until it is done.

``python -m tools.soak`` extracts made-up product titles with the bundled model, kills the run with
SIGKILL at random times, resumes it each time, half of the times with another number of documents in
flight, and then checks:

- of three consecutive runs with enough time, at least one finished documents;
- no line is missing, doubled, torn or in the wrong place;
- the output is that of an undisturbed run, byte for byte except for the seconds in ``usage``.

It prints a summary, and exits with 1 if anything is wrong. The same seed kills after the same
times. POSIX only.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

SCHEMA = "brand, color, size, material, weight float, line after color, features [str]"
IN_FLIGHT = (1, 2, 5, 8, 16)
"""Numbers of documents in flight that alternate with the default."""
MAX_IDLE_RUNS = 3
"""Consecutive runs with enough time but no finished document that count as a failure."""

_ENOUGH_SECONDS = 10.0  # seconds in which a busy machine has loaded the model and read a title
_WORDS = {
    "brand": ("Nordvik", "Luma", "Tavola", "Pinecrest", "Bosch", "Diesel", "Harlow", "Zenpure"),
    "kind": ("sneaker", "wool coat", "frying pan", "T-shirt", "hand soap", "desk lamp", "tea"),
    "color": ("red", "dark green", "black", "silver", "lavender", "caramel", "navy blue"),
    "more": ("28 cm", "12 oz", "6 pack", "2.5 kg", "size 9", "cotton", "steel", "for men"),
}
_SECONDS = re.compile(rb'(, )?"seconds": [0-9.e-]+')


@dataclass
class Soak:
    """A soak test in its own folder."""

    folder: Path
    n_documents: int
    n_kills: int
    """Remaining kills."""
    shortest: float
    longest: float
    seed: int
    n_threads: int | None = None
    n_killed: int = 0
    n_idle: int = 0
    """Runs with enough time since the last one that finished a document."""
    n_finished: list[int] = field(default_factory=list)
    """Documents in the journal after each run."""
    problems: list[str] = field(default_factory=list)
    """Everything that was wrong."""

    def __post_init__(self) -> None:
        self.output = self.folder / "out.jsonl"
        self._source = self.folder / "in.jsonl"
        self._pick = random.Random(self.seed)

    def run(self) -> None:
        """Write the documents, then kill and resume until all are done."""
        self._source.write_text("".join(documents(self.n_documents, self.seed)), encoding="utf-8")
        is_done = False
        while self.n_killed < self.n_kills and not is_done:
            # As many between 0.2 and 2 seconds as between 2 and 20: short runs are harder.
            limits = math.log(self.shortest), math.log(self.longest)
            is_done = self._killed_run(math.exp(self._pick.uniform(*limits)))
        while not is_done and not self.problems:
            is_done = self._killed_run(None)
        self.problems += wrong_lines(self.output, self.n_documents)

    def undisturbed(self) -> Path:
        """Return the output of an undisturbed run."""
        path = self.folder / "undisturbed.jsonl"
        subprocess.run(self._command(path), check=True)
        return path

    def check_progress(self, seconds: float) -> None:
        """Record the journal's progress in a run of so many seconds, and what is wrong with it."""
        before = self.n_finished[-1] if self.n_finished else 0
        now = len(finished_indexes(self.output))
        if now < before:
            self.problems.append(f"{before} documents were finished, and {now} after a kill")
        self.n_finished.append(now)
        if now > before or now == self.n_documents:
            self.n_idle = 0
        elif seconds >= _ENOUGH_SECONDS:
            self.n_idle += 1
        if self.n_idle == MAX_IDLE_RUNS:
            self.problems.append(f"{MAX_IDLE_RUNS} long runs in a row have finished no document")

    def _command(self, output: Path, *more: str) -> list[str]:
        command = [sys.executable, "-m", "hpd.cli", "extract", str(self._source), "-o", str(output)]
        if self.n_threads is not None:
            command += ["-t", str(self.n_threads)]
        # What is said of a document must not depend on the documents beside it.
        return [*command, "--schema", SCHEMA, "--set", "deterministic=on", "--quiet", *more]

    def _killed_run(self, seconds: float | None) -> bool:
        """Start or resume a run, kill it after so many seconds, and return whether it was done."""
        more = ["--resume"] if self.output.exists() else []
        if self._pick.random() < 0.5:
            more += ["--set", f"in_flight={self._pick.choice(IN_FLIGHT)}"]
        command = self._command(self.output, *more)
        try:  # with SIGKILL
            run = subprocess.run(command, timeout=seconds, capture_output=True, text=True)
        except subprocess.TimeoutExpired as killed:
            self.n_killed += 1
            self.check_progress(killed.timeout)
            return False
        if run.returncode:
            self.problems.append(f"a run ended with {run.returncode}: {run.stderr.strip()}")
        self.check_progress(math.inf)
        return True


def wrong_lines(output: Path, n_documents: int) -> list[str]:
    """Return what is wrong with the lines of an output."""
    if not output.exists():
        return ["there is no output"]
    problems, ids = [], []
    for number, line in enumerate(output.read_bytes().splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError:
            problems.append(f"line {number} is no JSON")
            continue
        ids.append(row["id"])
        if "data" not in row:
            problems.append(f"line {number} has no data: {row.get('error')}")
    expected = [str(i) for i in range(n_documents)]
    faults = {
        "several lines": [id_ for id_, n in Counter(ids).items() if n > 1],
        "no line": [id_ for id_ in expected if id_ not in ids],
    }
    problems += [
        f"{len(who)} documents have {how}: {who[:5]}" for how, who in faults.items() if who
    ]
    if not any(faults.values()) and ids != expected:
        problems.append("the lines are not in the order of the documents")
    return problems


def documents(n: int, seed: int) -> Iterator[str]:
    """Yield lines of made-up titles, long and short; one of ten may be repeated."""
    pick = random.Random(seed)
    for i in range(n):
        words = [pick.choice(_WORDS["brand"]), pick.choice(_WORDS["kind"])]
        words += [pick.choice(_WORDS[pick.choice(("color", "more"))]) for _ in range(i % 7)]
        if i % 10:
            words.append(f"no. {i}")
        yield json.dumps({"id": str(i), "text": ", ".join(words)}) + "\n"


def finished_indexes(output: Path) -> set[int]:
    """Return the indexes of documents that are finished according to a journal."""
    journal = output.with_name(output.name + ".run")
    # The last line may be torn.
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    return {json.loads(line)["index"] for line in lines}


def differences(one: Path, other: Path) -> list[str]:
    """Return the lines in which two outputs differ."""
    lines, others = (_SECONDS.sub(b"", path.read_bytes()).splitlines() for path in (one, other))
    pairs = enumerate(zip(lines, others, strict=True), start=1)
    return [f"line {number} differs" for number, (line, theirs) in pairs if line != theirs]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak test, print a summary, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=5000, metavar="N")
    parser.add_argument("--kills", type=int, default=50, metavar="N")
    parser.add_argument("--shortest", type=float, default=0.2, metavar="SECONDS")
    parser.add_argument("--longest", type=float, default=20.0, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("-t", "--threads", type=int, metavar="N", help="threads [default: hpd's]")
    parser.add_argument("--folder", type=Path, help="for the files [default: temporary]")
    given = parser.parse_args(arguments)
    if not 0 < given.shortest <= given.longest:
        parser.error("--shortest must be above 0, and not above --longest")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        soak = Soak(
            folder, given.documents, given.kills, given.shortest, given.longest, given.seed,
            given.threads,
        )  # fmt: skip
        start = time.monotonic()
        soak.run()
        problems = soak.problems or differences(soak.output, soak.undisturbed())
        seconds = time.monotonic() - start
    for problem in problems[:20]:
        print(f"WRONG: {problem}")
    steps = [b > a for a, b in pairwise([0, *soak.n_finished])]
    print(
        f"seed {given.seed}: {given.documents} documents, {soak.n_killed} kills "
        f"{given.shortest:g} to {given.longest:g} s after a start, {sum(steps)} of {len(steps)} "
        f"runs finished documents, {seconds:.0f} s in all"
    )
    if soak.n_killed < given.kills:
        print(f"only {soak.n_killed} kills: the documents were done; take more (--documents)")
    print(f"VERDICT: {f'{len(problems)} things are wrong' if problems else 'all is well'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
