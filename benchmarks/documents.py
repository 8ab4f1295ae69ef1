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
from hpd.bench.measure import peak_bytes
from hpd.models.hardware import processor
from hpd.models.model_files import resolve_model
from hpd.options import OPTIONS

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
    scalars, lists = _points(_normalized(answer), schema, _normalized(label))
    return Score(scalars, lists)


def _points(answer: Any, schema: Mapping[str, Any], label: Any) -> tuple[Points, Points]:
    types = schema.get("type")
    if "array" in (types if isinstance(types, list) else [types]):
        return Points(), _list_points(_items(answer), _items(label))
    if "properties" not in schema:
        if _is_empty(answer) and _is_empty(label):
            return Points(), Points()
        return Points(float(answer == label), 1.0), Points()
    scalars = lists = Points()
    for name, part in schema["properties"].items():
        own = _points(_member(answer, name), part, _member(label, name))
        scalars, lists = scalars + own[0], lists + own[1]
    return scalars, lists


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
    paired: tuple[set[int], set[int]] = (set(), set())
    total = 0.0
    for similarity, i, j in sorted(similarities, reverse=True):
        if i not in paired[0] and j not in paired[1]:
            paired[0].add(i)
            paired[1].add(j)
            total += similarity
    return Points(weight * total / max(len(answer), len(label)), weight)


def _similarity(known: Mapping[str, Any], found: Mapping[str, Any]) -> float:
    names = {
        n for n in (*known, *found) if not _is_empty(known.get(n)) or not _is_empty(found.get(n))
    }
    return statistics.fmean(known.get(n) == found.get(n) for n in names) if names else 1.0


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


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


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
    for gold in sorted(folder.glob("*.gold.json")):
        name, label = gold.name.removesuffix(".gold.json"), _read(gold)
        path = next((p for p in folder.glob(f"{name}.*") if p != gold), None)
        if path is not None and schemas:
            schema = max(schemas, key=lambda schema: len(label.keys() & _properties(schema)))
            yield LabelledFile(name, path, schema, label)


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = schema.get("schema_definition", schema).get("properties", {})
    return properties


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def run(extractor: hpd.Extractor[Any], file: LabelledFile, output: Path | None) -> Run:
    """Extract one document, score it, and write its answer into a folder."""
    data: Any = None
    error = ""
    n_tokens = 0
    start = time.monotonic()
    try:
        (document,) = hpd.read_documents(file.path, whole=True)
        start = time.monotonic()
        extraction = extractor.extract(document, schema=file.schema, on_error="record")
        data, usage = extraction.data, extraction.usage
        n_tokens = usage.prompt_tokens if usage is not None else 0
        error = str(extraction.error or "")
    except hpd.HpdError as problem:
        error = str(problem)
    seconds = time.monotonic() - start
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data, ensure_ascii=False, indent=1)
        (output / f"{file.id}.json").write_text(text + "\n", encoding="utf-8")
    schema = file.schema.get("schema_definition", file.schema)
    return Run(file.id, score(data, schema, file.label), seconds, n_tokens, error)


# --- the table ------------------------------------------------------------------------------------


def table(runs: Sequence[Run]) -> str:
    """Return the runs of one method as a Markdown table."""
    lines = [
        "| document | all | scalars | lists | prompt tokens | seconds | |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for each in runs:
        points = (each.score.all, each.score.scalars.share, each.score.lists.share)
        cells = [
            each.id,
            *map(_percent, points),
            f"{each.n_tokens}",
            f"{each.seconds:.1f}",
            each.error,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    means = [
        _percent(_mean([pick(each.score) for each in runs]))
        for pick in (lambda s: s.all, lambda s: s.scalars.share, lambda s: s.lists.share)
    ]
    totals = [str(sum(each.n_tokens for each in runs)), f"{sum(each.seconds for each in runs):.1f}"]
    n_failed = sum(bool(each.error) for each in runs)
    cells = ["mean; total", *means, *totals, f"{n_failed} failed" if n_failed else ""]
    return "\n".join([*lines, f"| {' | '.join(cells)} |"])


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return statistics.fmean(known) if known else None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("-m", "--model", help="a GGUF file (else the bundled one)")
    parser.add_argument("--method", nargs="+", choices=("hpd", "ar"), default=["hpd"])
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these documents")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="a folder for answers")
    options = parser.parse_args(arguments)
    files = list(labelled_files(options.folder))
    if options.only:
        files = [file for file in files if file.id in options.only]
    if not files:
        parser.error(f"{options.folder}: no labelled documents (see --help for the layout)")
    model = str(resolve_model(options.model))
    settings: dict[str, Any] = {"on_overflow": "chunk"}
    for setting in options.set:
        name, _, text = setting.partition("=")
        try:
            settings[name] = OPTIONS[name].parsed(text)
        except KeyError:
            parser.error(f"--set {setting}: there is no option {name!r}")
        except ValueError as error:
            parser.error(f"--set {setting}: {error}")
    today = time.strftime("%Y-%m-%d")
    print(f"{Path(model).name}, {len(files)} documents, {processor()}, {today}", flush=True)
    for method in options.method:
        own = {**settings, "method": method}
        if method == "ar":  # AR writes an object from one prompt, so it cannot be chunked.
            del own["on_overflow"]
        runs = []
        with hpd.Extractor("document", model, **own) as extractor:
            for file in files:
                output = options.output / method if options.output else None
                runs.append(run(extractor, file, output))
                line = f"{file.id}: {_percent(runs[-1].score.all)} {runs[-1].error}"
                print(line, file=sys.stderr, flush=True)
        text = f"{method}\n\n{table(runs)}\n\nmost memory: {peak_bytes() >> 20} MB\n"
        print(text, flush=True)
        if options.output:
            (options.output / f"{method}.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
