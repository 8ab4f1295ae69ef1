"""System One: typed questions about a state, answered with the probability of each option.

The form of requests and answers is that of ``/v1/systemone`` in llama.cpp, vLLM and SGLang.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hpd.documents import Document
from hpd.results import Extraction, Usage
from hpd.schema.attributes import Attribute, Schema
from hpd.serving.bodies import (
    ApiQuestion,
    ChoiceQuestion,
    HttpError,
    NoulQuestion,
    ScoreQuestion,
    SystemOneBody,
    bad_request,
)
from hpd.serving.chat import ServedModel, check_decoded
from hpd.serving.dispatcher import ParsedRequest, PlanCache

_MEDIA_FIELDS = ("images", "files", "videos")


def parse_systemone(body: SystemOneBody, plans: PlanCache, served: ServedModel) -> ParsedRequest:
    """Parse a request of ``POST /v1/systemone``; raise ``HttpError`` if it cannot be served."""
    if served.is_strict:
        served.check(body.model)
    ignored = {name: value for name, value in (body.model_extra or {}).items() if value}
    for name in _MEDIA_FIELDS:
        if name in ignored:
            raise bad_request(f"{name} cannot be read here: send text", name, "unsupported_value")
    settings: dict[str, Any] = {
        "probabilities": True,
        "on_invalid": "record",
        "on_missing": "error",
    }
    if body.instructions:
        settings["instructions"] = body.instructions
    attributes = [_attribute(name, question) for name, question in body.questions.items()]
    plan = plans.plan(Schema(tuple(attributes)), settings, param="questions")

    def answer(extractions: Sequence[Extraction[Any]]) -> bytes:
        (extraction,) = extractions
        check_decoded(extraction, "state")
        usage = extraction.usage or Usage()
        answers = {
            attribute.name: _answer(attribute, question, extraction)
            for attribute, question in zip(attributes, body.questions.values(), strict=True)
        }
        whole = {
            "model": served.name,
            "answers": answers,
            "usage": {
                "input_tokens": usage.prompt_tokens,
                "output_tokens": usage.completion_tokens,
            },
        }
        return json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()

    warnings = tuple(f"{name[:80]} has no effect here" for name in ignored)
    return ParsedRequest([Document(_text(body.state))], plan, answer, warnings=warnings)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _attribute(name: str, question: ApiQuestion) -> Attribute:
    """Return the attribute that asks a question, which null does not answer."""
    described: Mapping[str, Any] = {}
    choices: tuple[str, ...] = ()
    if isinstance(question, ScoreQuestion):
        choices = tuple(map(_text, question.criteria))
        if len(set(choices)) < len(choices):
            raise bad_request(f"questions.{name}: two levels are the same", f"questions.{name}")
    elif isinstance(question, ChoiceQuestion):
        choices, described = tuple(question.criteria), question.criteria
    elif question.criteria is not None:
        described = question.criteria.model_dump(by_alias=True)
    parts = [f"{own}: {_text(about)}" for own, about in described.items() if about is not None]
    return Attribute(
        name,
        "enum" if choices else "boolean",
        description="; ".join([_text(question.instructions), *parts]),
        choices=choices,
        nullable=False,
        required=True,
        forbids_null=True,
    )


def _answer(
    attribute: Attribute, question: ApiQuestion, extraction: Extraction[Any]
) -> dict[str, Any]:
    """Return the answer to a question.

    Raises:
        HttpError: the probability of an option is not known.
    """
    known = {own.value: own.probability for own in extraction.fields[attribute.name].options}
    wanted = attribute.choices or (True, False)
    if len(known) < len(wanted):
        raise HttpError(
            422,
            f"questions.{attribute.name}: too many options begin alike: ask about fewer at a time",
            code="too_many_options",
            param=f"questions.{attribute.name}",
        )
    probabilities = [known[value] for value in wanted]
    if isinstance(question, NoulQuestion):
        return {"type": "noul", "noul": round(probabilities[0], 4)}
    if isinstance(question, ChoiceQuestion):
        return {
            "type": "choice",
            "choice": max(known, key=lambda value: known[value]),
            "probabilities": _by_name(attribute.choices, probabilities),
            "confidence": round(choice_confidence(probabilities), 4),
        }
    levels = range(len(probabilities))
    return {
        "type": "score",
        "score": round(sum(n * p for n, p in enumerate(probabilities)), 4),
        "legend": {str(n): level for n, level in enumerate(question.criteria)},
        "probabilities": _by_name(levels, probabilities),
        "confidence": round(score_confidence(probabilities), 4),
    }


def _by_name(names: Sequence[object], probabilities: Sequence[float]) -> dict[str, float]:
    return {str(name): round(p, 4) for name, p in zip(names, probabilities, strict=True)}


def choice_confidence(probabilities: Sequence[float]) -> float:
    """Return how far the greatest probability is above an even share: 0 if equal, 1 if certain.

    Args:
        probabilities: the probabilities of at least two options.
    """
    even = 1 / len(probabilities)
    return max(0.0, (max(probabilities) - even) / (1 - even))


def score_confidence(probabilities: Sequence[float]) -> float:
    """Return how close the levels are to the most probable one, on average.

    1: only that level is possible; 0: the mean distance from it is at least that of equally
    probable levels from their middle.

    Args:
        probabilities: the probabilities of at least two levels.
    """
    n = len(probabilities)
    mode = probabilities.index(max(probabilities))
    distance = sum(p * abs(level - mode) for level, p in enumerate(probabilities))
    even = sum(abs(level - (n - 1) / 2) for level in range(n)) / n
    return max(0.0, 1 - distance / even)
