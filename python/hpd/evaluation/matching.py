"""Matches predictions with documents, by id or order; and the lookup baseline."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from hpd.cli.inputs import reopen_inputs
from hpd.cli.output import lines_file
from hpd.errors import InputError
from hpd.evaluation.rows import Example, Prediction
from hpd.files.inputs import InputReader
from hpd.files.journal import document_fingerprint, journal_path, read_journal
from hpd.messages import counted

MAX_LOCATIONS = 5


@dataclass(frozen=True, slots=True)
class Matching:
    """Predictions matched with documents, and the rows without a match."""

    predictions: tuple[Prediction | None, ...]
    """The prediction for each example; None if there is none."""
    by_order: bool
    """Whether rows were matched by order, not by id."""
    missing: tuple[Example, ...]
    surplus: tuple[Prediction, ...]
    """Predictions without a document, or for one that already has a prediction."""
    duplicates: tuple[Example, ...]
    """Documents with the id of an earlier one, matched in order."""

    @property
    def data(self) -> list[Mapping[str, Any] | None]:
        """The predicted data for each example; None if there is none."""
        return [None if each is None else each.data for each in self.predictions]

    @property
    def n_failed(self) -> int:
        """Documents that have a line without data."""
        return sum(each is not None and each.data is None for each in self.predictions)

    def notices(self, gold_name: str, prediction_name: str) -> list[str]:
        """Return a line for each problem that affects the scores."""
        lines = []
        if self.by_order:
            lines.append(
                f"{prediction_name} and {gold_name} share no ids: rows are matched by order"
            )
        if self.missing:
            lines.append(
                f"{counted(len(self.missing), 'document', 'has', of=len(self.predictions))} no "
                f"prediction in {prediction_name}, which counts as no value: "
                f"{_locations(self.missing, gold_name)}"
            )
        ids = {each.id for each in self.predictions if each is not None}
        for has_gold, what, verb, why in (
            (False, "document", "has", "no gold"),
            (True, "prediction", "is", "left out, as another has the same id"),
        ):
            unused = [each for each in self.surplus if (each.id in ids) == has_gold]
            if unused:
                lines.append(
                    f"{counted(len(unused), what, verb)} {why}: "
                    f"{_locations(unused, prediction_name)}"
                )
        if self.duplicates:
            lines.append(
                f"{counted(len(self.duplicates), 'document', 'has')} the id of an earlier one, "
                f"matched in order: {_locations(self.duplicates, gold_name)}"
            )
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return all rows without a match, as JSON."""
        return {
            "by_order": self.by_order,
            "missing": _ids(self.missing),
            "surplus": _ids(self.surplus),
            "duplicates": _ids(self.duplicates),
        }


def match_rows(examples: Sequence[Example], predictions: Iterable[Prediction]) -> Matching:
    """Match predictions with gold rows.

    They are matched by id; or by order if no prediction has an id, or if the gold has none and the
    ids of the predictions are not row numbers.

    Raises ``InputError`` if both have to be matched by order but differ in length.
    """
    predicted = list(predictions)
    ids = {example.id for example in examples}
    if not (examples and predicted) or any(prediction.id in ids for prediction in predicted):
        return _by_id(examples, predicted)
    without_ids = [name for name, lacks in (
        ("predictions", all(prediction.id is None for prediction in predicted)),
        ("documents", all(example.is_numbered for example in examples)),
    ) if lacks]  # fmt: skip
    if not without_ids:
        raise InputError(
            "no prediction has the id of a document: predictions have ids such as "
            f"{predicted[0].id!r}, documents such as {examples[0].id!r}"
        )
    if len(predicted) != len(examples):
        raise InputError(
            f"{counted(len(predicted), 'prediction')} for {counted(len(examples), 'document')}, "
            f"and the {' and the '.join(without_ids)} have no ids: cannot tell which belongs to "
            "which"
        )
    return Matching(tuple(predicted), True, (), (), ())


def _by_id(examples: Sequence[Example], predictions: Sequence[Prediction]) -> Matching:
    # Rows with the same id are matched in order.
    waiting: dict[str | None, deque[Prediction]] = {}
    for prediction in predictions:
        waiting.setdefault(prediction.id, deque()).append(prediction)
    matched: list[Prediction | None] = []
    for example in examples:
        queue = waiting.get(example.id)
        matched.append(queue.popleft() if queue else None)
    missing = [example for example, found in zip(examples, matched, strict=True) if found is None]
    unused = {id(left) for queue in waiting.values() for left in queue}
    surplus = [prediction for prediction in predictions if id(prediction) in unused]
    first = {example.id: example for example in reversed(examples)}
    repeated = tuple(example for example in examples if first[example.id] is not example)
    return Matching(tuple(matched), False, tuple(missing), tuple(surplus), repeated)


def _locations(rows: Sequence[Example | Prediction], name: str) -> str:
    """Format the first of some rows as ``file:line (id)``."""
    shown = [f"{name}:{row.line} (id {row.id!r})" for row in rows[:MAX_LOCATIONS]]
    if len(rows) > MAX_LOCATIONS:
        shown.append(f"and {len(rows) - MAX_LOCATIONS} more")
    return ", ".join(shown)


def _ids(rows: Sequence[Example | Prediction]) -> list[dict[str, Any]]:
    return [{"id": row.id, "line": row.line} for row in rows]


def load_sources(
    path: str | Path,
    *,
    text_field: Sequence[str] | None = None,
    id_field: str | None = None,
    category_field: str | None = None,
) -> Iterator[Example]:
    """Yield the documents of an input of ``hpd extract``, as examples without gold.

    Files that cannot be read are skipped, as a folder may contain some.

    Raises ``InputError`` if no file can be read.
    """
    with InputReader(
        [str(path)], text_field=text_field, id_field=id_field, category_field=category_field
    ) as reader:
        for record in reader:
            if record.error is not None:
                continue
            category = record.raw.get(category_field or "category")
            yield Example(
                record.id,
                record.text,
                "" if category is None else str(category),
                line=record.line,
                is_numbered=id_field is None
                and record.raw.get("id") is None
                and record.id != record.source,
                file=record.source,
            )


def with_former_ids(sources: Sequence[Example], ids: Iterable[str | None]) -> list[Example]:
    """Return the documents; if their files have moved, with the ids that they had before.

    Without ids of their own, documents have paths as ids; ``ids`` are those of their predictions.
    """
    former = {each for each in ids if each is not None}
    if any(source.id in former for source in sources):
        return [*sources]
    n_named = Counter(PurePath(source.id).name for source in sources)
    by_name = {PurePath(source.id).name: PurePath(source.id).parts for source in sources}
    moves: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for each in former:
        old = PurePath(each).parts
        if old and n_named[old[-1]] == 1:
            new = by_name[old[-1]]
            while old and new and old[-1] == new[-1]:
                old, new = old[:-1], new[:-1]
            moves[old, new] += 1
    if not moves:
        return [*sources]
    (old, new), _ = moves.most_common(1)[0]
    moved = []
    for source in sources:
        parts = PurePath(source.id).parts
        if parts[: len(new)] == new:
            source = replace(source, id=str(PurePath(*old, *parts[len(new) :])))
        moved.append(source)
    return moved


def reread_sources(
    name: str, predictions: Sequence[Prediction], notices: list[str]
) -> list[Example | None]:
    """Read documents again from the run's input, for predictions without a text or with pages.

    The run's journal, beside the file of the predictions, names its input. Other predictions get
    None, as do those whose documents have changed since: the spans would be wrong. ``notices`` gets
    a line if there are such documents.
    """
    found: list[Example | None] = [None] * len(predictions)
    wanted = [
        number
        for number, each in enumerate(predictions)
        if each.data is not None
        and (each.text is None or any("page" in known for known in each.fields.values()))
    ]
    try:
        head, documents = read_journal(journal_path(lines_file(name)))
        about = head.about
        if not wanted or not isinstance(about.get("input"), list) or "-" in about["input"]:
            return found
        with reopen_inputs(about, name) as reader:
            records = {record.id: record for record in reader if record.error is None}
    except (InputError, OSError):
        return found  # The input or its journal has moved.
    changed = []
    for number in wanted:
        own = predictions[number].known_id
        absolute = os.path.normpath(os.path.join(str(about.get("folder", "")), own))
        record = records.get(own) or records.get(absolute)
        if record is None:
            continue
        if document_fingerprint(own, record.text, record.category) in documents:
            found[number] = Example(
                own, record.text, record.category or "", line=record.line, file=record.source
            )
        else:
            changed.append(predictions[number])
    n_pictured = sum(each.text is not None for each in changed)
    for n, what in ((len(changed) - n_pictured, "texts"), (n_pictured, "pages")):
        if n:
            who = counted(n, "document", "has")
            notices.append(f"{who} changed since, so the {what} are not shown")
    return found


def examples_by_prediction(
    predictions: Sequence[Prediction], examples: Sequence[Example], matching: Matching
) -> list[Example | None]:
    """Return the example of each prediction, the inverse of a matching."""
    owners = {
        id(prediction): example
        for example, prediction in zip(examples, matching.predictions, strict=True)
        if prediction is not None
    }
    return [owners.get(id(prediction)) for prediction in predictions]


def lookup(train: Iterable[Example], examples: Iterable[Example]) -> list[dict[str, str | None]]:
    """Predict values by looking up training values.

    The value of an attribute is the first one in the training rows of the document's category that
    the document contains exactly.
    """
    values: dict[str, dict[str, dict[str, None]]] = {}
    for example in train:
        attributes = values.setdefault(example.category, {})
        for attribute, gold in example.gold.items():
            attributes.setdefault(attribute, {}).update(dict.fromkeys(gold or ()))
    return [
        {
            attribute: next((value for value in known if value in example.text), None)
            for attribute, known in values.get(example.category, {}).items()
        }
        for example in examples
    ]
