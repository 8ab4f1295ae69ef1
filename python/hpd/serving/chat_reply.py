"""The answer of ``POST /v1/chat/completions``, at once or as a stream of events."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpd.results import Extraction, Usage, plain_data
from hpd.serving.asked import EVENTS, Answer
from hpd.serving.refusals import RefusedError

_STATUS = {"ContextOverflowError": 400, "InputError": 400, "InvalidDataError": 422}
_CODES = {
    "ContextOverflowError": "context_length_exceeded",
    "InputError": "invalid_document",
    "InvalidDataError": "invalid_data",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The form that a request wants its answer in."""

    model: str
    function: str | None = None
    """The name of the function whose arguments the answer is."""
    is_forced: bool = False
    n_most: int | None = None
    """The most tokens that an answer may have, by the request."""
    streams: bool = False
    with_usage: bool = False
    """Whether a stream ends with the usage."""
    warnings: tuple[str, ...] = ()


def write_reply(
    extraction: Extraction[Any],
    form: Form,
    convert: Callable[[Extraction[Any]], object] | None = None,
) -> Answer:
    """The answer for one extraction; ``convert`` gives it in another form than its data.

    Raises:
        RefusedError: there is no data, or it breaks the schema and the request is strict.
    """
    if extraction.error is not None:
        kind = extraction.error.type
        raise RefusedError(
            _STATUS.get(kind, 500),
            str(extraction.error),
            code=_CODES.get(kind, "failed"),
            param="messages" if kind in _STATUS else None,
        )
    usage = extraction.usage or Usage()
    data = convert(extraction) if convert else plain_data(extraction.data)
    content = json.dumps(data, ensure_ascii=False, allow_nan=False)
    identity = uuid.uuid4().hex
    head = {
        "id": f"chatcmpl-{identity}",
        "object": "chat.completion.chunk" if form.streams else "chat.completion",
        "created": int(time.time()),
        "model": form.model,
    }
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if form.function is not None:
        call = {
            "id": f"call_{identity}",
            "type": "function",
            "function": {"name": form.function, "arguments": content},
        }
        message |= {"content": None, "tool_calls": [call]}
    own = _own(extraction, form)
    reason = _finish_reason(extraction, usage, form)
    if form.streams:
        events = _events(head, message, reason, _usage(usage) if form.with_usage else None, own)
        return Answer("".join(events).encode(), EVENTS)
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    whole = {**head, "choices": [choice], "usage": _usage(usage), "hpd": own}
    return Answer(json.dumps(whole, ensure_ascii=False).encode())


def _finish_reason(extraction: Extraction[Any], usage: Usage, form: Form) -> str:
    is_over = form.n_most is not None and usage.completion_tokens > form.n_most
    if is_over or any(field.truncated for field in extraction.fields.values()):
        return "length"
    return "stop" if form.function is None or form.is_forced else "tool_calls"


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }


def _own(extraction: Extraction[Any], form: Form) -> dict[str, Any]:
    """The part of an answer that only hpd gives: the details of each value."""
    line = extraction.to_dict()
    own: dict[str, Any] = {name: line[name] for name in ("fields", "truncated_at") if name in line}
    if form.warnings:
        own["warnings"] = list(form.warnings)
    return own


def _events(
    head: Mapping[str, Any],
    message: Mapping[str, Any],
    reason: str,
    usage: Mapping[str, Any] | None,
    own: Mapping[str, Any],
) -> Iterator[str]:
    """The whole answer in one event, the reason for its end in another."""
    delta = {name: value for name, value in message.items() if value is not None}
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": 0, **call} for call in delta["tool_calls"]]
    for part, end, more in ((delta, None, {}), ({}, reason, {"hpd": own})):
        choice = {"index": 0, "delta": part, "finish_reason": end, "logprobs": None}
        yield _event({**head, "choices": [choice], **more})
    if usage is not None:
        yield _event({**head, "choices": [], "usage": usage})
    yield "data: [DONE]\n\n"


def _event(part: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(part, ensure_ascii=False)}\n\n"
