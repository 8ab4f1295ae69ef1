"""Gives the parts of a benchmark their data sets, models, work folder and commands."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from hpd.evaluation.datasets import schema_path
from hpd.models.model_files import bundled_model, resolve_model
from tools.docs import ROOT

RESULTS = ROOT / "benchmarks" / "results"

N_RESAMPLES = 10_000
"""Number of samples for intervals, and of exchanges for tests."""

_PATH = re.compile(r"(?:^|(?<==))/[^,|=]+")
"""An absolute path in an argument."""

_FILES = {"oa-mine": "dev.jsonl", "ae-110k": "dev.jsonl", "wdc-pave": "train.jsonl"}
_TITLES = {"oa-mine": "OA-Mine", "ae-110k": "AE-110k", "wdc-pave": "WDC-PAVE"}
_TITLES["catalogue-300"] = "descriptions of 300 tokens"


class MissingInputError(Exception):
    """A data set, model or program that a part needs was not given or does not exist."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Documents with gold values, and the schema of each category."""

    name: str
    gold: Path
    """In the format of hpd's own lines."""
    schema: Path
    train: Path | None = None
    """Training rows, as published."""
    has_categories: bool = True
    """Whether there is a schema for each category."""

    @property
    def title(self) -> str:
        """The name in tables."""
        return _TITLES.get(self.name, self.name)

    def schemas(self) -> list[str]:
        """Return the arguments that specify the schemas."""
        by_category = ["--category-field", "category"] if self.has_categories else []
        return ["--schema", str(self.schema), *by_category]


@dataclass
class Workbench:
    """Runs commands once, and records each as a reader can type it."""

    data: Path | None
    """The folder that contains a folder for each data set."""
    work: Path
    """Folder for intermediate files."""
    results: Path = RESULTS
    """The folder with the results of other parts."""
    model: Path = field(default_factory=resolve_model)
    """The model that is scored and timed."""
    server: Path | None = None
    """llama.cpp's server, as a peer."""
    limit: int | None = None
    """Number of documents per file in a trial; None: all that a part measures."""
    n_threads: int = 0
    again: bool = False
    """Whether times are measured again, instead of resumed from an interrupted call."""
    commands: list[str] = field(default_factory=list)
    used_models: dict[str, Path] = field(default_factory=dict)
    stolen: float = 0.0
    """Maximum share of a timed run that the host of a virtual machine took."""

    def __post_init__(self) -> None:
        self.model, self.work = self.model.resolve(), self.work.resolve()
        self.data = None if self.data is None else self.data.resolve()
        self.work.mkdir(parents=True, exist_ok=True)

    # --- documents ---

    def data_sets(self, *names: str) -> list[DataSet]:
        """Return those of the named data sets that exist.

        Raises:
            MissingInputError: none of them exists.
        """
        names = names or tuple(_FILES)
        there = [self.data_set(name) for name in names if self._source(name).exists()]
        if not there:
            raise MissingInputError(f"needs --data FOLDER with {' or '.join(names)} in it")
        return there

    def data_set(self, name: str) -> DataSet:
        """Return a data set with its first ``limit`` rows, converted to hpd's own lines."""
        source = self._source(name)
        if not source.exists():
            raise MissingInputError(f"needs --data FOLDER with {name}/{_FILES[name]} in it")
        gold = self.folder(name) / "gold.jsonl"
        rows = self._first_rows(name, source)
        self.make(gold, ["hpd", "data", "convert", str(rows), "-o", str(gold)])
        attributes = source.with_name("attributes.json")
        schema = attributes if attributes.exists() else schema_path(gold)
        train = source.with_name("train.jsonl")
        has_train = train != source and train.exists()
        return DataSet(name, gold, schema, self._first_rows(name, train) if has_train else None)

    def catalogue(self, n_documents: int, n_tokens: int) -> DataSet:
        """Return made-up product descriptions with gold values (``benchmarks/workloads.py``)."""
        name = f"catalogue-{n_tokens}"
        made = self.folder("catalogue") / f"{name}-{n_documents}"
        gold, schema = made.with_suffix(".jsonl"), made.with_suffix(".schema.json")
        command = ["benchmarks/workloads.py", str(made), "--documents", str(n_documents)]
        self.make(schema, [*command, "--tokens", str(n_tokens)])
        return DataSet(name, gold, schema, has_categories=False)

    def some(self, data: DataSet, n: int) -> DataSet:
        """Return about ``n`` documents spread evenly over a data set, which may be sorted."""
        lines = data.gold.read_text(encoding="utf-8").splitlines(keepends=True)
        gold = data.gold.with_name(f"{data.gold.stem}-{n}.jsonl")
        gold.write_text("".join(lines[:: max(1, round(len(lines) / n))]), encoding="utf-8")
        return replace(data, gold=gold)

    def count(self, n: int) -> int:
        """Return ``n``, or fewer in a trial."""
        return n if self.limit is None else min(n, self.limit)

    def _source(self, name: str) -> Path:
        return (self.data or Path("no --data")) / name / _FILES[name]

    def _first_rows(self, name: str, source: Path) -> Path:
        if self.limit is None:
            return source
        path = self.folder(name) / source.name
        with source.open(encoding="utf-8") as rows:
            path.write_text("".join(islice(rows, self.limit)), encoding="utf-8")
        return path

    # --- commands ---

    def folder(self, *names: str) -> Path:
        """Return a folder for output, creating it."""
        path = self.work.joinpath(*names)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def extract(
        self,
        data: DataSet,
        name: str,
        *arguments: str,
        model: Path | None = None,
        unlikely: bool = True,
    ) -> Path:
        """Extract with a model and some arguments; return the output file, named with ``name``.

        With ``unlikely`` all values are kept, so that decoding can be compared between models with
        and without calibration; otherwise values below the null threshold of the model's
        calibration are null, as for a user.
        """
        threshold = ("--null-threshold", "0") if unlikely else ()
        output = data.gold.with_name(f"{data.gold.stem}-{name}.jsonl")
        command = ["hpd", "extract", str(data.gold), *data.schemas()]
        command += ["-m", str(self.using(model or self.model)), *self.threads(), "--quiet"]
        return self.make(
            output, [*command, *threshold, *arguments, "-o", str(output), "--overwrite"]
        )

    def evaluate(self, data: DataSet, predictions: Path, versus: Path | None = None) -> Any:
        """Return the figures of ``hpd eval``, including differences from other extractions."""
        command = ["hpd", "eval", str(predictions), str(data.gold), "--attributes"]
        command += [str(data.schema), "--json"]
        if versus is not None:
            command += ["--vs", str(versus), "--resamples", str(N_RESAMPLES)]
        return json.loads(self.run(command))

    def bench(
        self,
        name: str,
        data: DataSet,
        methods: Iterable[str],
        *arguments: str,
        n: int,
        rounds: int = 1,
        replay: bool = False,
    ) -> list[dict[str, Any]]:
        """Return the summaries of ``hpd bench`` for the first ``n`` documents; trials have a round.

        With ``replay`` all methods write the known answers, otherwise the model's own.
        """
        output = self.folder("bench") / f"{name}.jsonl"
        known = ["--replay", str(data.gold)] if replay else []
        command = ["hpd", "bench", str(data.gold), "--schema", str(data.schema), *known]
        command += ["-m", str(self.using(self.model)), *self.threads()]
        for method in methods:
            command += ["--method", method]
        command += [*arguments, "--limit", str(n)]
        command += ["--rounds", str(rounds if self.limit is None else 1), "-o", str(output)]
        if self.again or not _summaries(output):
            output.unlink(missing_ok=True)
        rows = _summaries(self.make(output, command))
        self.stolen = max([self.stolen, *(row["stolen"] for row in rows)])
        return rows

    def threads(self) -> list[str]:
        """Return the argument for the number of threads, if given."""
        return ["-t", str(self.n_threads)] if self.n_threads else []

    def make(self, output: Path, command: Sequence[str]) -> Path:
        """Return a file that a command writes, running it if the file is missing."""
        if output.exists():
            self._note(command)
        else:
            self.run(command)
        return output

    def made(self, output: Path, write: Callable[[Path], object]) -> Path:
        """Return a file that a function writes, calling it if the file is missing."""
        if not output.exists():
            unfinished = output.with_name(f"{output.name}.unfinished")
            write(unfinished)
            unfinished.replace(output)
        return output

    def run(self, command: Sequence[str]) -> str:
        """Run a command, record it, and return its output.

        Raises:
            RuntimeError: it failed.
        """
        self._note(command)
        print(f"+ {self.commands[-1]}", file=sys.stderr, flush=True)
        program = ["-m", "hpd.cli", *command[1:]] if command[0] == "hpd" else list(command)
        path = os.pathsep.join([str(ROOT), str(ROOT / "models"), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, *program],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
            stdout=subprocess.PIPE,
            text=True,
        )
        # 3: some documents failed, which is visible in the scores.
        if done.returncode not in (0, 3):
            raise RuntimeError(f"exit code {done.returncode} of: {' '.join(command)}")
        return done.stdout

    def shown(self, argument: object) -> str:
        """Return an argument as it is printed, without this machine's paths.

        A path may be the whole argument, or follow an equals sign in it.
        """
        return _PATH.sub(lambda match: self._shown_path(match.group()), str(argument))

    def _shown_path(self, path: str) -> str:
        names = {self.work: "WORK", self.data: "DATA", bundled_model().parents[1]: "", ROOT: ""}
        for folder, name in names.items():
            if folder and Path(path).is_relative_to(folder):
                return str(Path(name) / Path(path).relative_to(folder))
        return Path(path).name

    def using(self, model: Path) -> Path:
        """Return the model, recording that the figures depend on it."""
        self.used_models[model.name] = model
        return model

    def _note(self, command: Sequence[str]) -> None:
        program = [] if command[0] == "hpd" else ["python"]
        shown = shlex.join([*program, *map(self.shown, command)])
        if shown not in self.commands:
            self.commands.append(shown)


def _summaries(path: Path) -> list[dict[str, Any]]:
    """Return the summaries in a file of ``hpd bench``; none if it does not exist."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [row for row in map(json.loads, lines) if row["type"] == "summary"]
