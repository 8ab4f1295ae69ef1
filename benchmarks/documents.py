"""Scores extractions of whole documents with nested schemas, as public leaderboards do.

    python -m benchmarks.documents FOLDER -m MODEL [--method hpd ar] [-o OUT]

FOLDER has ``documents/ID.*`` with ``schemas/ID.json`` and ``labels/ID.json`` (DocuBench), or
``ID.pdf`` with ``ID.gold.json`` beside a few ``KIND-schema.json`` (extract-bench), from which a
document gets the schema with most keys of its gold. Each answer is written to OUT, as
``METHOD/ID.json``, and the table as ``METHOD.md``.

The score of a document is the share of its leaves that are right. Case, blanks and punctuation are
ignored, numbers are rounded to six decimals, and leaves that are empty in both the answer and the
label are skipped. An array's items are paired with those of the label, the most similar first; its
weight is the number of items in the longer of the two, times the leaves of a labelled item. *all*
is the mean over documents, *scalars* and *lists* are means over the documents that have them.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hpd
from benchmarks.harness.result import Table
from hpd.bench.measure import peak_bytes
from hpd.cli.arguments import add_option_arguments, parsed_options
from hpd.models.hardware import processor
from hpd.models.model_files import resolve_model

_SEPARATORS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """A document's file, its schema and its right answer."""

    id: str
    path: Path
    schema: Mapping[str, Any]
    label: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Points:
    """The numbers of leaves that were right, and that counted."""

    right: float = 0.0
    total: float = 0.0

    def __add__(self, other: Points) -> Points:
        return Points(self.right + other.right, self.total + other.total)

    @property
    def share(self) -> float | None:
        """The share that was right; None if nothing counted."""
        return self.right / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Score:
    """The points of one answer."""

    scalars: Points
    lists: Points

    def __add__(self, other: Score) -> Score:
        return Score(self.scalars + other.scalars, self.lists + other.lists)

    @property
    def all(self) -> float:
        share = (self.scalars + self.lists).share
        return 1.0 if share is None else share


@dataclass(frozen=True, slots=True)
class Run:
    """The score and the cost of one document's answer."""

    id: str
    score: Score
    seconds: float
    n_tokens: int
    error: str


# --- scoring --------------------------------------------------------------------------------------


def score(answer: Any, schema: Mapping[str, Any], label: Any) -> Score:
    """Return the points of an answer for the leaves of a schema."""
    return _points(_normalized(answer), schema, _normalized(label))


def _points(answer: Any, schema: Mapping[str, Any], label: Any) -> Score:
    """Return the points for scalars and for lists."""
    types = schema.get("type")
    if "array" in (types if isinstance(types, list) else [types]):
        lists = (each if isinstance(each, list) else [] for each in (answer, label))
        return Score(Points(), _list_points(*lists))
    if "properties" not in schema:
        counts = not (_is_empty(answer) and _is_empty(label))
        return Score(Points(float(answer == label), 1.0) if counts else Points(), Points())
    answer, label = (each if isinstance(each, Mapping) else {} for each in (answer, label))
    total = Score(Points(), Points())
    for name, part in schema["properties"].items():
        total += _points(answer.get(name), part, label.get(name))
    return total


def _list_points(answer: Sequence[Any], label: Sequence[Any]) -> Points:
    n_leaves = [max(1, sum(not _is_empty(v) for v in _leaves(item).values())) for item in label]
    weight = max(len(answer), len(label)) * (statistics.fmean(n_leaves) if label else 1.0)
    if not answer or not label:
        return Points(0.0, weight)
    similarities = (
        (_similarity(_leaves(known), _leaves(found)), -i, -j)
        for i, known in enumerate(label)
        for j, found in enumerate(answer)
    )
    paired: dict[int, float] = {}  # by the item of the label
    taken: set[int] = set()
    for similarity, i, j in sorted(similarities, reverse=True):
        if i not in paired and j not in taken:
            paired[i] = similarity
            taken.add(j)
    return Points(weight * sum(paired.values()) / max(len(answer), len(label)), weight)


def _similarity(known: Mapping[str, Any], found: Mapping[str, Any]) -> float:
    pairs = [(known.get(name), found.get(name)) for name in {**known, **found}]
    same = [one == other for one, other in pairs if not (_is_empty(one) and _is_empty(other))]
    return statistics.fmean(same) if same else 1.0


def _leaves(item: Any, path: str = "") -> dict[str, Any]:
    """Return the leaves of an item by path; a list in it is one leaf."""
    if isinstance(item, Mapping):
        return {
            name: leaf
            for key, value in item.items()
            for name, leaf in _leaves(value, f"{path}.{key}").items()
        }
    return {path: json.dumps(item, sort_keys=True) if isinstance(item, list) else item}


def _normalized(value: Any) -> Any:
    if isinstance(value, Mapping):
        parts = {name: _normalized(part) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part is None or not _is_empty(part)}
    if isinstance(value, list):
        return [_normalized(part) for part in value]
    if isinstance(value, str):
        return _SEPARATORS.sub("", value.lower())
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return round(float(value), 6) if is_number else value


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


# --- documents ------------------------------------------------------------------------------------


def labelled_files(folder: Path) -> Iterator[LabelledFile]:
    """Yield the documents with labels in a leaderboard's folder."""
    if (folder / "documents").is_dir():
        for path in sorted((folder / "documents").iterdir()):
            schema, label = (folder / part / f"{path.stem}.json" for part in ("schemas", "labels"))
            if schema.exists() and label.exists():
                yield LabelledFile(path.stem, path, _read(schema), _read(label))
        return
    schemas = [_read(path) for path in sorted(folder.glob("*-schema.json"))]
    properties = [each.get("schema_definition", each).get("properties", {}) for each in schemas]
    for gold in sorted(folder.glob("*.gold.json")):
        name, label = gold.name.removesuffix(".gold.json"), _read(gold)
        path = next((p for p in folder.glob(f"{name}.*") if p != gold), None)
        if path is not None and schemas:
            n_common = [len(label.keys() & names) for names in properties]
            yield LabelledFile(name, path, schemas[n_common.index(max(n_common))], label)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def run(extractor: hpd.Extractor[Any], file: LabelledFile, output: Path | None) -> Run:
    """Extract one document, score it, and write its answer into a folder."""
    extraction: hpd.Extraction[Any] = hpd.Extraction()
    start = time.monotonic()
    try:
        (document,) = hpd.read_documents(file.path, whole=True)
        start = time.monotonic()
        extraction = extractor.extract(document, schema=file.schema, on_error="record")
        error = str(extraction.error or "")
    except hpd.HpdError as problem:
        error = str(problem)
    seconds = time.monotonic() - start
    n_tokens = extraction.usage.prompt_tokens if extraction.usage else 0
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        text = json.dumps(extraction.data, ensure_ascii=False, indent=1)
        (output / f"{file.id}.json").write_text(text + "\n", encoding="utf-8")
    schema = file.schema.get("schema_definition", file.schema)
    return Run(file.id, score(extraction.data, schema, file.label), seconds, n_tokens, error)


# --- the table ------------------------------------------------------------------------------------

_HEAD = ("document", "all", "scalars", "lists", "prompt tokens", "seconds", "")


def table(runs: Sequence[Run]) -> str:
    """Return the runs of one method as a Markdown table."""
    points = [(r.score.all, r.score.scalars.share, r.score.lists.share) for r in runs]
    rows = [
        (run.id, *map(_percent, own), run.n_tokens, f"{run.seconds:.1f}", run.error)
        for run, own in zip(runs, points, strict=True)
    ]
    means = [_percent(_mean(column)) for column in zip(*points, strict=True)]
    totals = sum(run.n_tokens for run in runs), f"{sum(run.seconds for run in runs):.1f}"
    n_failed = sum(bool(run.error) for run in runs)
    rows.append(("mean; total", *means, *totals, f"{n_failed} failed" if n_failed else ""))
    return Table("", [_HEAD, *rows]).markdown()


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return statistics.fmean(known) if known else None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--method", dest="methods", nargs="+", choices=("hpd", "ar"), default=["hpd"]
    )
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these documents")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="a folder for answers")
    add_option_arguments(parser, leave_out=("method",))
    asked = parser.parse_args(arguments)
    files = list(labelled_files(asked.folder))
    if asked.only:
        files = [file for file in files if file.id in asked.only]
    if not files:
        parser.error(f"{asked.folder}: no labelled documents (see --help for the layout)")
    model = resolve_model(asked.model, asked.hf_repo)
    today = time.strftime("%Y-%m-%d")
    print(f"{model.name}, {len(files)} documents, {processor()}, {today}", flush=True)
    on_overflow = asked.on_overflow or "chunk"
    for method in asked.methods:
        asked.method = method
        # AR writes an object from one prompt, so it cannot be chunked.
        asked.on_overflow = None if method == "ar" else on_overflow
        output = asked.output and asked.output / method
        runs = []
        with hpd.Extractor("document", model, options=parsed_options(asked)) as extractor:
            for file in files:
                runs.append(run(extractor, file, output))
                line = f"{file.id}: {_percent(runs[-1].score.all)} {runs[-1].error}"
                print(line, file=sys.stderr, flush=True)
        text = f"{method}\n\n{table(runs)}\n\nmost memory: {peak_bytes() >> 20} MB\n"
        print(text, flush=True)
        if output:
            output.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
