"""Matches predictions with documents, by id or order; and the lookup baseline."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from hpd.cli.inputs import reopen_inputs
from hpd.cli.output import lines_file
from hpd.errors import InputError
from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.rows import Example, Prediction
from hpd.files.journal import document_fingerprint, journal_path, read_journal
from hpd.messages import counted

MAX_LOCATIONS = 5


@dataclass(frozen=True, slots=True)
class Matching(JsonDataclass):
    """Predictions matched with documents, and the rows without a match."""

    predictions: tuple[Prediction | None, ...]
    """The prediction for each example; None if there is none."""
    examples: tuple[Example | None, ...]
    """The example for each prediction; None if there is none."""
    by_order: bool
    """Whether rows were matched by order, not by id."""
    missing: tuple[Example, ...]
    surplus: tuple[Prediction, ...]
    """Predictions without a document, or for one that already has a prediction."""
    duplicates: tuple[Example, ...]
    """Documents with the id of an earlier one, matched in order."""
    name: str = ""
    """The name of the file of predictions."""

    @property
    def data(self) -> list[Mapping[str, Any] | None]:
        """The predicted data for each example; None if there is none."""
        return [None if each is None else each.data for each in self.predictions]

    @property
    def n_failed(self) -> int:
        """Documents that have a line without data."""
        return sum(each is not None and each.data is None for each in self.predictions)

    def notices(self, gold_name: str) -> list[str]:
        """Return a line for each problem that affects the scores."""
        lines = []
        if self.by_order:
            lines.append(f"{self.name} and {gold_name} share no ids: rows are matched by order")
        ids = {each.id for each in self.predictions if each is not None}
        unknown = [each for each in self.surplus if each.id not in ids]
        repeated = [each for each in self.surplus if each.id in ids]
        in_order = "the id of an earlier one, matched in order"
        no_value = f"no prediction in {self.name}, which counts as no value"
        for rows, name, noun, verb, why in (
            (self.missing, gold_name, "document", "has", no_value),
            (unknown, self.name, "document", "has", "no gold"),
            (repeated, self.name, "prediction", "is", "left out, as another has the same id"),
            (self.duplicates, gold_name, "document", "has", in_order),
        ):
            if rows:
                of = len(self.predictions) if rows is self.missing else None
                shown = [f"{name}:{row.line} (id {row.id!r})" for row in rows[:MAX_LOCATIONS]]
                if len(rows) > MAX_LOCATIONS:
                    shown.append(f"and {len(rows) - MAX_LOCATIONS} more")
                lines.append(f"{counted(len(rows), noun, verb, of=of)} {why}: {', '.join(shown)}")
        return lines

    def members(self) -> dict[str, Any]:
        """Return all rows without a match."""
        kinds = ("missing", "surplus", "duplicates")
        rows = {kind: [{"id": r.id, "line": r.line} for r in getattr(self, kind)] for kind in kinds}
        return {"by_order": self.by_order, **rows}


def match_rows(
    examples: Sequence[Example], predictions: Iterable[Prediction], name: str = ""
) -> Matching:
    """Match predictions, those of the file ``name``, with gold rows.

    They are matched by id; or by order if no prediction has an id, or if the gold has none and the
    ids of the predictions are not row numbers.

    Raises ``InputError`` if both have to be matched by order but differ in length.
    """
    predicted = list(predictions)
    ids = {example.id for example in examples}
    if not (examples and predicted) or any(prediction.id in ids for prediction in predicted):
        return replace(_by_id(examples, predicted), name=name)
    without_ids = [rows for rows, lacks in (
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
    return Matching(tuple(predicted), tuple(examples), True, (), (), (), name)


def _by_id(examples: Sequence[Example], predictions: Sequence[Prediction]) -> Matching:
    # Rows with the same id are matched in order.
    waiting: dict[str | None, deque[int]] = {}
    for number, prediction in enumerate(predictions):
        waiting.setdefault(prediction.id, deque()).append(number)
    matched: list[Prediction | None] = []
    owners: list[Example | None] = [None] * len(predictions)
    for example in examples:
        queue = waiting.get(example.id)
        matched.append(predictions[queue[0]] if queue else None)
        if queue:
            owners[queue.popleft()] = example
    missing = [example for example, found in zip(examples, matched, strict=True) if found is None]
    surplus = [left for left, owner in zip(predictions, owners, strict=True) if owner is None]
    first = {example.id: example for example in reversed(examples)}
    repeated = tuple(example for example in examples if first[example.id] is not example)
    return Matching(tuple(matched), tuple(owners), False, tuple(missing), tuple(surplus), repeated)


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

    def former_id(own_id: str) -> str:
        parts = PurePath(own_id).parts
        return str(PurePath(*old, *parts[len(new) :])) if parts[: len(new)] == new else own_id

    return [replace(source, id=former_id(source.id)) for source in sources]


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
