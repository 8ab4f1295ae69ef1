"""OpenAI's chat completions: requests, and answers, whole or streamed.

The schema of the answer is in ``response_format``, in the function to call, or in a message.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from hpd.documents import Document
from hpd.errors import ContextOverflowError, InputError, InvalidDataError, OptionError
from hpd.options import Options
from hpd.results import Extraction, Usage, plain_data
from hpd.serving.bodies import ChatBody, Function, HttpError, bad_request
from hpd.serving.dispatcher import ParsedRequest, PlanCache
from hpd.serving.messages import LangextractPrompt, langextract_prompt, read_messages, schema_in

_WITHOUT_EFFECT = (
    "user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
    "parallel_tool_calls", "store", "service_tier",
)  # fmt: skip
"""Parameters that do not affect the values of an answer."""

_SAMPLING = ("temperature", "top_p", "seed")
"""Sampling parameters: set once for the engine, so the same for all requests."""

_NEUTRAL: Mapping[str, tuple[object, ...]] = {
    "modalities": (["text"],),
    "reasoning_effort": ("none", "minimal"),
}
"""Values of other parameters that change nothing, as empty, zero and false values do."""

_DETAIL_KEYS: tuple[str, ...] = ("fields", "checks", "truncated_at")
"""The parts of a line of ``/extract`` that OpenAI's format lacks."""

_STATUS_AND_CODE: dict[type[BaseException], tuple[int, str]] = {
    ContextOverflowError: (400, "context_length_exceeded"),
    InputError: (400, "invalid_document"),
    InvalidDataError: (422, "invalid_data"),
}
"""Status and error code for a failed document, by its exception; for others 500 and ``failed``."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """The model that is served."""

    name: str
    options: Options
    created: int
    """Seconds since 1970."""
    is_strict: bool = False
    """Whether requests must name this model."""

    def check(self, name: object) -> None:
        """Raise ``HttpError`` unless this is the model's name."""
        if name != self.name:
            raise HttpError(
                404,
                f"there is no model {str(name)[:80]!r} here, only {self.name!r}",
                code="model_not_found",
                param="model",
            )


@dataclass(frozen=True, slots=True)
class _AnswerForm:
    """The form of the answer that a request asks for."""

    param: str = "response_format"
    schema: object = None
    function: str | None = None
    """Name of the function whose arguments are the answer."""
    is_forced: bool = False
    """Whether the request requires a call of this function."""
    is_strict: bool = False
    description: str = ""
    may_be_langextract: bool = False


def parse_chat(body: ChatBody, plans: PlanCache, served: ServedModel) -> ParsedRequest:
    """Parse a chat completion request; raise ``HttpError`` if it cannot be served."""
    if served.is_strict:
        served.check(body.model)
    warnings = _ignored_parameters(body, served.options)
    wanted = _answer_form(body)
    conversation = read_messages(body.messages)
    schema = wanted.schema
    prompt = langextract_prompt(conversation.document) if wanted.may_be_langextract else None
    if prompt is not None:
        schema = prompt.schema
        # langextract's system message only says that the answer is JSON.
        conversation = replace(
            conversation,
            document=prompt.document,
            instructions=(prompt.description,) if prompt.description else (),
            examples=(*conversation.examples, *prompt.examples),
        )
    elif schema is None:
        schema, texts = schema_in(conversation.instructions)
        conversation = replace(conversation, instructions=texts)
    if schema is None and not plans.has_own:
        raise bad_request(
            "the schema is missing, and this model only extracts values: use the response_format "
            'json_schema, or tools; with json_object the schema goes next to the type ("schema"), '
            "or as JSON in a system message",
            "response_format",
            "missing_parameter",
        )
    bounds = [n for n in (body.max_tokens, body.max_completion_tokens) if n is not None]
    max_tokens = min(bounds, default=None)
    settings = _settings(body, wanted, conversation.instructions, served.options, max_tokens)
    plan = plans.plan(schema, settings, conversation.examples, wanted.param)
    with_usage = bool(body.stream_options and body.stream_options.include_usage)
    reply = Reply(
        served.name,
        wanted.function,
        wanted.is_forced,
        max_tokens,
        bool(body.stream),
        with_usage,
        (*plan.warnings, *warnings),
        prompt,
    )
    return ParsedRequest(
        [Document(conversation.document)],
        plan,
        lambda found: reply.answer(found[0]),
        reply.part if reply.streams else None,
        warnings,
    )


def check_decoded(extraction: Extraction[Any], param: str) -> None:
    """Raise ``HttpError`` if a document failed.

    Args:
        extraction: the document's extraction.
        param: the part of the body that has the document.
    """
    if extraction.error is not None:
        status, code = _STATUS_AND_CODE.get(type(extraction.error.exception), (500, "failed"))
        raise HttpError(
            status, str(extraction.error), code=code, param=param if status < 500 else None
        )


def _ignored_parameters(body: ChatBody, options: Options) -> tuple[str, ...]:
    """Return a warning for each ignored parameter.

    Raises:
        HttpError: more than one answer is requested.
    """
    more = dict(body.model_extra or {})
    n = more.pop("n", None)
    if n is not None and n != 1:
        raise bad_request("n must be 1: there is only one answer", "n", "unsupported_value")
    warnings = []
    for name, value in more.items():
        if name in _SAMPLING:
            configured = getattr(options, name)
            # The others only matter for sampling.
            has_effect = name == "temperature" or options.temperature > 0
            if value is not None and value != configured and has_effect:
                warnings.append(f"{name} is {configured:g} here for all requests")
        elif value and name not in _WITHOUT_EFFECT and value not in _NEUTRAL.get(name, ()):
            warnings.append(f"{name[:80]} has no effect here")
    return tuple(warnings)


def _answer_form(body: ChatBody) -> _AnswerForm:
    form = body.response_format
    if body.tools:
        if form is not None and form.type != "text":
            raise bad_request(
                "give either response_format or tools: there is only one answer", "tools"
            )
        return _function_form([tool.function for tool in body.tools], body.tool_choice)
    if body.tool_choice not in (None, "none"):
        raise bad_request("tool_choice without tools", "tool_choice")
    if form is None or form.type == "text":
        return _AnswerForm()
    if form.type == "json_object":
        return _AnswerForm(
            "response_format.schema", form.schema_, may_be_langextract=form.schema_ is None
        )
    inner = form.json_schema
    if inner is None:
        where = "response_format.json_schema"
        raise bad_request(f"'{where}' is missing", where, "missing_parameter")
    parts = inner.schema_.get("properties")
    return _AnswerForm(
        "response_format.json_schema.schema",
        inner.schema_,
        is_strict=bool(inner.strict),
        description=inner.description or "",
        may_be_langextract=isinstance(parts, dict) and [*parts] == ["extractions"],
    )


def _function_form(functions: Sequence[Function], choice: object) -> _AnswerForm:
    names = [function.name for function in functions]
    if choice == "none":
        raise bad_request("tool_choice none: there would be no answer", "tool_choice")
    if isinstance(choice, dict):
        called = choice.get("function")
        name = called.get("name") if isinstance(called, dict) else None
        if name not in names:
            raise bad_request(f"tool_choice names none of {', '.join(names)}", "tool_choice")
        chosen = functions[names.index(name)]
    elif choice not in (None, "auto", "required", "any"):
        raise bad_request("tool_choice must be auto, required or a function", "tool_choice")
    elif len(functions) > 1:
        raise bad_request(
            f"tool_choice must name one of {', '.join(names)}: it is not chosen automatically",
            "tool_choice",
        )
    else:
        chosen = functions[0]
    where = f"tools[{functions.index(chosen)}].function"
    if chosen.parameters is None:
        raise bad_request(f"'{where}.parameters' is missing", where, "missing_parameter")
    return _AnswerForm(
        f"{where}.parameters",
        chosen.parameters,
        function=chosen.name,
        is_forced=isinstance(choice, dict),
        is_strict=bool(chosen.strict),
    )


def _settings(
    body: ChatBody,
    wanted: _AnswerForm,
    instructions: Sequence[str],
    options: Options,
    max_tokens: int | None,
) -> dict[str, Any]:
    """Return the options of the request, by name."""
    settings: dict[str, Any] = {}
    if options.on_invalid != "retry":
        settings["on_invalid"] = "raise" if wanted.is_strict else "record"
    if max_tokens is not None and max_tokens < options.max_tokens:
        settings["max_tokens"] = max_tokens
    settings |= body.hpd
    texts = [text for text in (wanted.description, *instructions) if text.strip()]
    if texts:
        configured = settings.get("instructions", options.instructions)
        settings["instructions"] = "\n\n".join([*texts, configured] if configured else texts)
    if options.on_missing == "error" and "on_missing" not in settings:
        # OpenAI's clients expect every value that the schema requires.
        with suppress(OptionError):  # Some options exclude it.
            options.with_settings({**settings, "on_missing": "force"})
            settings["on_missing"] = "force"
    return settings


@dataclass(slots=True)
class Reply:
    """The form of a request's answer, and how much of it has been sent."""

    model: str
    function: str | None = None
    """Name of the function whose arguments are the answer."""
    is_forced: bool = False
    max_tokens: int | None = None
    """The request's maximum number of tokens in an answer."""
    streams: bool = False
    with_usage: bool = False
    """Whether a stream ends with the usage."""
    warnings: tuple[str, ...] = ()
    prompt: LangextractPrompt | None = None
    """langextract's prompt, if the answer has its form."""
    _identity: str = field(default_factory=lambda: uuid.uuid4().hex)
    _created: int = field(default_factory=lambda: int(time.time()))
    _sent: str = ""
    """The beginning of the data's JSON that has been streamed."""

    def part(self, data: Mapping[str, Any]) -> bytes:
        """Return events with the final values that have not been sent."""
        if self.prompt or not data:
            return b""
        # Without the closing brace, as the JSON continues.
        return _events(self._chunks(_json(plain_data(data))[:-1]))

    def answer(self, extraction: Extraction[Any]) -> bytes:
        """Return the answer for an extraction, or the remaining events of a stream.

        Raises:
            HttpError: there is no data, or it violates the schema and the request is strict.
        """
        check_decoded(extraction, "messages")
        usage = extraction.usage or Usage()
        content = _json(
            self.prompt.answer(extraction) if self.prompt else plain_data(extraction.data)
        )
        reason = self._finish_reason(extraction, usage)
        line: Mapping[str, Any] = extraction.to_dict()
        details: dict[str, Any] = {name: line[name] for name in _DETAIL_KEYS if name in line}
        if self.warnings:
            details["warnings"] = list(self.warnings)
        if self.streams:
            events = [*self._chunks(content), self._chunk({}, reason) | {"hpd": details}]
            if self.with_usage:
                events.append({**self._head(), "choices": [], "usage": _usage(usage)})
            return _events(events) + b"data: [DONE]\n\n"
        message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
        if self.function is not None:
            message |= {"content": None, "tool_calls": [self._call(content)]}
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        whole = {**self._head(), "choices": [choice], "usage": _usage(usage), "hpd": details}
        return _json(whole).encode()

    def _chunks(self, content: str) -> Iterator[dict[str, Any]]:
        """Yield chunks with the rest of the data's JSON; a stream's first chunk has the role."""
        if not content.startswith(self._sent):
            raise HttpError(
                500,
                "a value that was already sent has changed, because it was decoded again after an "
                "error: send the request again",
                code="failed",
            )
        more = content[len(self._sent) :]
        if not self._sent:
            call = None if self.function is None else [{"index": 0, **self._call("")}]
            message = {"content": ""} if call is None else {"content": None, "tool_calls": call}
            yield self._chunk({"role": "assistant", **message})
        if more and self.function is None:
            yield self._chunk({"content": more})
        elif more:
            yield self._chunk({"tool_calls": [{"index": 0, "function": {"arguments": more}}]})
        self._sent = content

    def _chunk(self, delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {**self._head(), "choices": [choice]}

    def _head(self) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self._identity}",
            "object": "chat.completion.chunk" if self.streams else "chat.completion",
            "created": self._created,
            "model": self.model,
        }

    def _call(self, arguments: str) -> dict[str, Any]:
        function = {"name": self.function, "arguments": arguments}
        return {"id": f"call_{self._identity}", "type": "function", "function": function}

    def _finish_reason(self, extraction: Extraction[Any], usage: Usage) -> str:
        is_over = self.max_tokens is not None and usage.completion_tokens > self.max_tokens
        if is_over or any(field.truncated for field in extraction.fields.values()):
            return "length"
        return "stop" if self.function is None or self.is_forced else "tool_calls"


def _events(chunks: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"data: {_json(chunk)}\n\n" for chunk in chunks).encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }
