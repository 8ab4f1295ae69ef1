"""The body of ``POST /extract``, and its answer: lines as those of ``hpd extract``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hpd.documents import Document
from hpd.results import Extraction
from hpd.serving.asked import Answer, Asked
from hpd.serving.bodies import check_names, json_object, part
from hpd.serving.limits import Limits
from hpd.serving.plans import Plan, Plans
from hpd.serving.refusals import RefusedError, bad_request

_DOCUMENT = ("text", "id", "category")
_KNOWN = (*_DOCUMENT, "texts", "schema", "options", "examples")


def read_extract_request(body: bytes, plans: Plans, limits: Limits) -> Asked:
    """Read a body.

    Raises:
        RefusedError: it cannot be served, with the reason.
    """
    source = json_object(body)
    check_names(source, _KNOWN)
    is_single = source.get("texts") is None
    documents = [_document(source, "")] if is_single else _documents(source, limits)
    settings = part(source, "options", dict) or {}
    examples = [
        _example(each, f"examples[{i}]")
        for i, each in enumerate(part(source, "examples", list) or [])
    ]
    plan = plans.plan(source.get("schema"), settings, examples)

    def answer(extractions: Sequence[Extraction[Any]]) -> Answer:
        lines = [extraction.to_json() for extraction in extractions]
        whole = lines[0] if is_single else f'{{"extractions": [{", ".join(lines)}]}}'
        return Answer(_with_warnings(whole, plan).encode())

    return Asked(documents, plan, answer)


def _with_warnings(whole: str, plan: Plan) -> str:
    """An object as JSON, with what the schema says that cannot be honoured."""
    if not plan.warnings:
        return whole
    return f'{whole[:-1]}, "warnings": {json.dumps(plan.warnings, ensure_ascii=False)}}}'


def _documents(source: dict[str, Any], limits: Limits) -> list[Document]:
    for name in _DOCUMENT:
        if source.get(name) is not None:
            raise bad_request(
                f'{name!r} stands beside "texts": give one text, or a list in which each is text '
                'or an object with "text", "id" and "category"',
                name,
            )
    texts = part(source, "texts", list) or []
    if not texts:
        raise bad_request('"texts" is empty', "texts")
    if len(texts) > limits.texts:
        raise RefusedError(
            413,
            f"{len(texts)} texts in one request, and {limits.texts} are allowed: send several",
            code="too_many_texts",
            param="texts",
        )
    return [
        _document({"text": each} if isinstance(each, str) else each, f"texts[{i}]")
        for i, each in enumerate(texts)
    ]


def _document(source: object, where: str) -> Document:
    if not isinstance(source, dict):
        raise bad_request(f"{where} must be text, or an object", where, "invalid_type")
    if where:
        check_names(source, _DOCUMENT, where)
    text = part(source, "text", str, where)
    if text is None:
        place = f"{where}.text" if where else "text"
        raise bad_request(f"{place!r} is missing", place, "missing_parameter")
    return Document(text, source.get("id"), part(source, "category", str, where))


def _example(source: object, where: str) -> tuple[str, object]:
    if not isinstance(source, dict):
        raise bad_request(f'{where} must be an object with "text" and "data"', where)
    check_names(source, ("text", "data"), where)
    text, data = part(source, "text", str, where), part(source, "data", dict, where)
    if text is None or data is None:
        raise bad_request(f'{where} must have "text" and "data"', where, "missing_parameter")
    return text, data
