"""A soak: ``hpd extract`` is killed again and again, and resumed until it is through.

``python -m tools.soak`` has made-up product titles read by the model in the box, kills the run with
SIGKILL at random moments, resumes it each time, half of the times with another number in flight,
and then checks what came out:

- of three runs in a row with time to finish documents, one moved the journal forward;
- no line is missing, doubled, torn or in the wrong place;
- with ``--deterministic``, the output is that of an undisturbed run, byte for byte but for the
  seconds in ``usage``; without, values that differ are near ties.

It prints a summary, and exits with 1 if anything is wrong. With the same seed it kills at the same
moments, as far as the machine is as fast. POSIX only.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = "brand, color, size, material, weight float, line after color, features [str]"
IN_FLIGHT = (1, 2, 5, 8, 16)
"""Numbers in flight that take turns with the default."""
MOST_IDLE = 3
"""The number of runs with enough time and no finished document that is no longer bad luck."""

_TIME_ENOUGH = 10.0  # seconds in which a busy machine has loaded the model and read a title
_WORDS = {
    "brand": ("Nordvik", "Luma", "Tavola", "Pinecrest", "Bosch", "Diesel", "Harlow", "Zenpure"),
    "kind": ("sneaker", "wool coat", "frying pan", "T-shirt", "hand soap", "desk lamp", "tea"),
    "color": ("red", "dark green", "black", "silver", "lavender", "caramel", "navy blue"),
    "more": ("28 cm", "12 oz", "6 pack", "2.5 kg", "size 9", "cotton", "steel", "for men"),
}
_SECONDS = re.compile(rb'(, )?"seconds": [0-9.e-]+')


@dataclass
class Outcome:
    """The course of a soak, and all that was wrong."""

    n_kills: int = 0
    n_idle: int = 0
    """Runs with time enough since the last one that finished a document."""
    n_finished: list[int] = field(default_factory=list)
    """The documents that were in the journal after each run."""
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Soak:
    """One soak in a folder of its own."""

    folder: Path
    n_documents: int
    n_kills: int
    shortest: float
    longest: float
    seed: int
    options: Sequence[str] = ()

    @property
    def source(self) -> Path:
        """The documents."""
        return self.folder / "in.jsonl"

    @property
    def output(self) -> Path:
        """The lines of the run that is killed."""
        return self.folder / "out.jsonl"

    def run(self) -> Outcome:
        """Write the documents, and kill and resume until they are all done."""
        outcome = Outcome()
        pick = random.Random(self.seed)
        self.source.write_text("".join(documents(self.n_documents, self.seed)), encoding="utf-8")
        is_done = False
        while outcome.n_kills < self.n_kills and not is_done:
            # As many between 0.2 and 2 seconds as between 2 and 20: short runs are the hard ones.
            seconds = math.exp(pick.uniform(math.log(self.shortest), math.log(self.longest)))
            is_done = self._killed_run(seconds, in_flight(pick), outcome)
        while not is_done and not outcome.problems:
            is_done = self._killed_run(None, in_flight(pick), outcome)
        self._check_lines(outcome)
        return outcome

    def undisturbed(self) -> Path:
        """The output of a run that nobody kills."""
        path = self.folder / "undisturbed.jsonl"
        run = subprocess.run(self._command(path), check=False, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"the undisturbed run ended with {run.returncode}: {run.stderr}")
        return path

    def _command(self, output: Path, *more: str) -> list[str]:
        command = [sys.executable, "-m", "hpd.cli", "extract", str(self.source), "-o", str(output)]
        return [*command, "--schema", SCHEMA, "--quiet", *self.options, *more]

    def _killed_run(self, seconds: float | None, n_in_flight: int | None, outcome: Outcome) -> bool:
        """Start or resume, and kill after so many seconds; returns whether it was done by then."""
        more = ["--resume"] if self.output.exists() else []
        if n_in_flight is not None:
            more += ["--set", f"in_flight={n_in_flight}"]
        process = subprocess.Popen(
            self._command(self.output, *more), stderr=subprocess.PIPE, text=True
        )
        try:
            _, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            outcome.n_kills += 1
            assert seconds is not None
            self._check_progress(outcome, seconds)
            return False
        if process.returncode:
            outcome.problems.append(f"a run ended with {process.returncode}: {said.strip()}")
        self._check_progress(outcome, math.inf)
        return True

    def _check_progress(self, outcome: Outcome, seconds: float) -> None:
        before = outcome.n_finished[-1] if outcome.n_finished else 0
        now = len(finished(self.output))
        if now < before:
            outcome.problems.append(f"{before} documents were finished, and {now} after a kill")
        outcome.n_finished.append(now)
        if now > before or now == self.n_documents:
            outcome.n_idle = 0
        elif seconds >= _TIME_ENOUGH:
            outcome.n_idle += 1
        if outcome.n_idle == MOST_IDLE:
            outcome.problems.append(f"{MOST_IDLE} long runs in a row have finished no document")

    def _check_lines(self, outcome: Outcome) -> None:
        if not self.output.exists():
            outcome.problems.append("there is no output")
            return
        ids = []
        for number, line in enumerate(self.output.read_bytes().splitlines(), start=1):
            try:
                row = json.loads(line)
            except ValueError:
                outcome.problems.append(f"line {number} is no JSON")
                continue
            ids.append(row["id"])
            if "data" not in row:
                outcome.problems.append(f"line {number} has no data: {row.get('error')}")
        expected = [str(i) for i in range(self.n_documents)]
        counts = Counter(ids)
        doubled = [id_ for id_, n in counts.items() if n > 1]
        missing = [id_ for id_ in expected if id_ not in counts]
        if doubled:
            outcome.problems.append(f"{len(doubled)} documents have several lines: {doubled[:5]}")
        if missing:
            outcome.problems.append(f"{len(missing)} documents have no line: {missing[:5]}")
        if not doubled and not missing and ids != expected:
            outcome.problems.append("the lines are not in the order of the documents")


def documents(n: int, seed: int) -> Iterator[str]:
    """Lines of made-up titles, some long and some short; one of ten may come again."""
    pick = random.Random(seed)
    for i in range(n):
        words = [pick.choice(_WORDS["brand"]), pick.choice(_WORDS["kind"])]
        words += [pick.choice(_WORDS[pick.choice(("color", "more"))]) for _ in range(i % 7)]
        if i % 10:
            words.append(f"no. {i}")
        yield json.dumps({"id": str(i), "text": ", ".join(words)}) + "\n"


def in_flight(pick: random.Random) -> int | None:
    """A number in flight, half of the times; None otherwise."""
    return pick.choice(IN_FLIGHT) if pick.random() < 0.5 else None


def finished(output: Path) -> set[int]:
    """The places of the documents that a journal knows as finished."""
    journal = output.with_name(output.name + ".run")
    places = set()
    if journal.exists():
        for line in journal.read_bytes().split(b"\n")[1:-1]:  # the last one may be torn
            places.add(json.loads(line)["place"])
    return places


def differences(one: Path, other: Path, *, exact: bool) -> list[str]:
    """The differences between two outputs that may not be."""
    problems = []
    pairs = zip(one.read_bytes().splitlines(), other.read_bytes().splitlines(), strict=True)
    for number, (line, theirs) in enumerate(pairs, start=1):
        if exact and _SECONDS.sub(b"", line) != _SECONDS.sub(b"", theirs):
            problems.append(f"line {number} differs")
        elif not exact:
            problems += [
                f"line {number}: {place} differs, and is no near tie"
                for place in _unmarked(json.loads(line), json.loads(theirs))
            ]
    return problems


def _unmarked(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    rows = (one, other)
    for name in {**one["data"], **other["data"]}:
        if one["data"].get(name) != other["data"].get(name):
            fields = [
                field
                for row in rows
                for place, field in row.get("fields", {}).items()
                if re.split(r"[.\[]", place)[0] == name
            ]
            if not any(field.get("near_tie") for field in fields):
                yield name


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak, print how it went, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=5000, metavar="N")
    parser.add_argument("--kills", type=int, default=50, metavar="N")
    parser.add_argument("--shortest", type=float, default=0.2, metavar="SECONDS")
    parser.add_argument("--longest", type=float, default=20.0, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("-t", "--threads", type=int, metavar="N", help="of hpd (else: its default)")
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--folder", type=Path, help="for the files (else: one that is deleted)")
    given = parser.parse_args(arguments)
    if not 0 < given.shortest <= given.longest:
        parser.error("--shortest must be above 0, and not above --longest")
    options = ["--set", "deterministic=on"] if given.deterministic else []
    options += [] if given.threads is None else ["-t", str(given.threads)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        soak = Soak(
            folder, given.documents, given.kills, given.shortest, given.longest, given.seed, options
        )
        start = time.monotonic()
        outcome = soak.run()
        problems = list(outcome.problems)
        if not problems:
            problems += differences(soak.output, soak.undisturbed(), exact=given.deterministic)
        seconds = time.monotonic() - start
    for problem in problems[:20]:
        print(f"WRONG: {problem}")
    steps = [b > a for a, b in zip([0, *outcome.n_finished], outcome.n_finished, strict=False)]
    print(
        f"{'deterministic' if given.deterministic else 'default'} soak, seed {given.seed}: "
        f"{given.documents} documents, {outcome.n_kills} kills {given.shortest:g} to "
        f"{given.longest:g} s after a start, {sum(steps)} of {len(steps)} runs "
        f"finished documents, {seconds:.0f} s in all"
    )
    if outcome.n_kills < given.kills:
        print(f"only {outcome.n_kills} kills: the documents were done; take more (--documents)")
    print(f"VERDICT: {f'{len(problems)} things are wrong' if problems else 'all is well'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
