"""Extractors for tests, and answers put into a model's mouth.

All logits are computed as always; only then is the known token taken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from hpd import _native
from hpd.extractor import Extractor
from hpd.pipeline.job import Ask, Job

Answer = Callable[[str], Mapping[str, Any] | None]


class SmallExtractor(Extractor):
    """One thread: a tiny model has no work for more, which would only wait for each other."""

    def __init__(self, schema: object, model: object, **settings: Any) -> None:
        super().__init__(schema, model, **{"n_threads": 1} | settings)  # type: ignore[arg-type]


def put_in_its_mouth(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    """From here on every field of a document takes its value from ``answer(text)``, if that has
    one for the document."""
    ask = Job._ask

    def told(job: Job, tokens: Any, n_cached: int, fields: Sequence[_native.Field]) -> Ask:
        told_fields = []
        for field, (d, leaf) in zip(fields, job._leaves, strict=True):
            known = answer(job.documents[d].text)
            if known is not None:
                replay = job._model.tokenize(value_text(look_up(known, leaf.path)))
                field = _native.Field(field.key, max_tokens=field.max_tokens, replay=replay)
            told_fields.append(field)
        return ask(job, tokens, n_cached, told_fields)

    monkeypatch.setattr(Job, "_ask", told)


def value_text(value: object) -> str:
    """As the model writes it; a number comes with what ends it."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f" {json.dumps(value, ensure_ascii=False)}" + ("}" if is_number else "")


def look_up(answer: Any, path: Sequence[str]) -> Any:
    """The value at a field's path; arrays are counted from 1."""
    for name in path:
        if isinstance(answer, list):
            answer = len(answer) if name == "count" else answer[int(name) - 1]
        else:
            answer = answer.get(name) if isinstance(answer, Mapping) else None
    return answer
