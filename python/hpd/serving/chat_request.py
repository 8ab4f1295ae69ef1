"""The body of ``POST /v1/chat/completions``: the part of OpenAI's protocol that asks for values.

The schema of the answer is that of ``response_format``, or of the function that is to be called.
Every other parameter is honoured where it can be, changes nothing, or is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hpd.documents import Document
from hpd.options import OPTIONS, Options
from hpd.results import Extraction
from hpd.serving.asked import Answer, Asked
from hpd.serving.bodies import check_names, json_object, part
from hpd.serving.chat_reply import Form, write_reply
from hpd.serving.langextract_prompt import LangextractPrompt, langextract_prompt
from hpd.serving.messages import Conversation, read_messages, schema_in
from hpd.serving.plans import Plans
from hpd.serving.refusals import RefusedError, bad_request

_OWN = "hpd"
"""The part of a body that no other endpoint knows: options by name."""

_READ = (
    "model", "messages", "response_format", "tools", "tool_choice", "stream", "stream_options",
    "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", _OWN,
)  # fmt: skip

_NAMES_ONLY = (
    "user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
    "parallel_tool_calls",
)  # fmt: skip
"""Parameters that have nothing to say about an answer of one call."""

_CHANGES_NOTHING: Mapping[str, tuple[object, ...]] = {
    "n": (1,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "logit_bias": ({},),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "stop": ([],),
    "store": (False,),
    "service_tier": ("auto", "default"),
    "modalities": (["text"],),
    "reasoning_effort": ("none",),
}
"""The values with which other parameters ask for what is done in any case."""


@dataclass(frozen=True, slots=True)
class Served:
    """The model that is served."""

    name: str
    options: Options
    created: int
    """Seconds since 1970."""

    def check(self, name: object) -> None:
        """Refuse the name of another model.

        Raises:
            RefusedError: it is another one, or none.
        """
        if name != self.name:
            raise RefusedError(
                404,
                f"there is no model {str(name)[:80]!r} here, only {self.name!r}",
                code="model_not_found",
                param="model",
            )


def read_chat_request(body: bytes, plans: Plans, served: Served) -> Asked:
    """Read a body.

    Raises:
        RefusedError: it cannot be served, with the reason.
    """
    source = json_object(body)
    check_names(source, (*_READ, *_NAMES_ONLY, *_CHANGES_NOTHING))
    served.check(source.get("model"))
    _check_neutral(source)
    _check_sampling(source, served.options)
    wanted = _wanted(source)
    conversation = read_messages(source.get("messages"))
    schema = wanted.schema
    prompt = langextract_prompt(conversation.document) if wanted.may_be_langextract else None
    if prompt is not None:
        schema = prompt.schema
        conversation = _of_prompt(conversation, prompt)
    elif schema is None:
        schema, texts = schema_in(conversation.instructions)
        conversation = replace(conversation, instructions=texts)
    if schema is None:
        raise bad_request(
            "the answer's schema is missing: use the response_format json_schema; with json_object "
            'the schema stands beside the type ("schema"), or as JSON in a message of the system',
            "response_format",
            "missing_parameter",
        )
    n_most = _n_tokens(source)
    settings = _settings(source, wanted, conversation, served.options, n_most)
    plan = plans.plan(schema, settings, conversation.examples, wanted.param)
    form = Form(
        model=served.name,
        function=wanted.function,
        is_forced=wanted.is_forced,
        n_most=n_most,
        streams=_streams(source),
        with_usage=bool((part(source, "stream_options", dict) or {}).get("include_usage")),
        warnings=plan.warnings,
    )

    def answer(extractions: Sequence[Extraction[Any]]) -> Answer:
        (extraction,) = extractions
        return write_reply(extraction, form, prompt.answer if prompt else None)

    return Asked([Document(conversation.document)], plan, answer)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The form of the answer that a request asks for."""

    param: str
    schema: object = None
    function: str | None = None
    """The name of the function whose arguments the answer is."""
    is_forced: bool = False
    """Whether the request says that this function is to be called."""
    is_strict: bool = False
    may_be_langextract: bool = False
    description: str = ""


def _wanted(source: Mapping[str, Any]) -> _Wanted:
    form = part(source, "response_format", dict)
    tools = part(source, "tools", list)
    if tools:
        if form is not None and form.get("type") != "text":
            raise bad_request("response_format beside tools: there is one answer", "tools")
        return _wanted_call(tools, source.get("tool_choice"))
    if source.get("tool_choice") not in (None, "none"):
        raise bad_request("tool_choice without tools", "tool_choice")
    kind = None if form is None else form.get("type")
    if form is not None and kind == "json_schema":
        inner = part(form, "json_schema", dict, "response_format") or {}
        where = "response_format.json_schema"
        check_names(inner, ("name", "schema", "strict", "description"), where)
        schema = part(inner, "schema", dict, where)
        if schema is None:
            raise bad_request(f"{where}.schema is missing", f"{where}.schema", "missing_parameter")
        parts = schema.get("properties")
        return _Wanted(
            f"{where}.schema",
            schema,
            is_strict=bool(part(inner, "strict", bool, where)),
            may_be_langextract=isinstance(parts, dict) and [*parts] == ["extractions"],
            description=part(inner, "description", str, where) or "",
        )
    if form is not None and kind == "json_object":
        schema = part(form, "schema", dict, "response_format")
        return _Wanted("response_format.schema", schema, may_be_langextract=schema is None)
    raise bad_request(
        "this model answers with values only: give the response_format json_schema or json_object, "
        "or tools",
        "response_format",
    )


def _wanted_call(tools: Sequence[Any], choice: object) -> _Wanted:
    functions = []
    for i, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise bad_request(f"tools[{i}] must be a function with a name", f"tools[{i}]")
        functions.append(function)
    names = [function["name"] for function in functions]
    if choice == "none":
        raise bad_request("tool_choice none: there would be no answer", "tool_choice")
    if isinstance(choice, dict):
        called = choice.get("function")
        name = called.get("name") if isinstance(called, dict) else None
        if name not in names:
            raise bad_request(f"tool_choice names none of {', '.join(names)}", "tool_choice")
        chosen = functions[names.index(name)]
    elif choice not in (None, "auto", "required"):
        raise bad_request("tool_choice must be auto, required or a function", "tool_choice")
    elif len(functions) > 1:
        raise bad_request(
            f"tool_choice must name one of {', '.join(names)}: which to call is not chosen here",
            "tool_choice",
        )
    else:
        chosen = functions[0]
    where = f"tools[{functions.index(chosen)}].function"
    check_names(chosen, ("name", "description", "parameters", "strict"), where)
    schema = part(chosen, "parameters", dict, where)
    if schema is None:
        raise bad_request(f"{where}.parameters is missing", where, "missing_parameter")
    return _Wanted(
        f"{where}.parameters",
        schema,
        function=chosen["name"],
        is_forced=isinstance(choice, dict),
        is_strict=bool(part(chosen, "strict", bool, where)),
    )


def _of_prompt(conversation: Conversation, prompt: LangextractPrompt) -> Conversation:
    """A chat whose last message is a prompt of langextract."""
    # Its system message says no more than that the answer is JSON.
    return replace(
        conversation,
        document=prompt.document,
        instructions=(prompt.description,) if prompt.description else (),
        examples=(*conversation.examples, *prompt.examples),
    )


def _settings(
    source: Mapping[str, Any],
    wanted: _Wanted,
    conversation: Conversation,
    options: Options,
    n_most: int | None,
) -> dict[str, Any]:
    """The options of the request, by name."""
    settings: dict[str, Any] = {}
    if options.on_invalid != "retry":
        settings["on_invalid"] = "raise" if wanted.is_strict else "record"
    if n_most is not None and n_most < options.max_tokens:
        settings["max_tokens"] = n_most
    settings |= part(source, _OWN, dict) or {}
    said = [text for text in (wanted.description, *conversation.instructions) if text.strip()]
    if said:
        settings["instructions"] = "\n\n".join([*said, *_own_instructions(settings, options)])
    return settings


def _own_instructions(settings: Mapping[str, Any], options: Options) -> list[str]:
    """The instructions of the body's own part, else those of the server."""
    own = settings.get("instructions", options.instructions)
    return [own] if own and isinstance(own, str) else []


def _check_neutral(source: Mapping[str, Any]) -> None:
    for name, values in _CHANGES_NOTHING.items():
        value = source.get(name)
        is_neutral = any(
            value == each and isinstance(value, bool) == isinstance(each, bool) for each in values
        )
        if value is not None and not is_neutral:
            raise bad_request(
                f"{name} cannot be honoured here: leave it out", name, "unsupported_parameter"
            )


def _check_sampling(source: Mapping[str, Any], options: Options) -> None:
    """Refuse a way of choosing tokens that is not the engine's, which all requests share."""
    names = ["temperature"] if options.temperature == 0 else ["temperature", "top_p", "seed"]
    for name in names:
        value = source.get(name)
        own = getattr(options, name)
        if value is not None and (isinstance(value, bool) or value != own):
            raise bad_request(
                f"{name} is {own:g} here for all requests ({OPTIONS[name].flag} of hpd serve): "
                "leave it out",
                name,
                "unsupported_value",
            )


def _n_tokens(source: Mapping[str, Any]) -> int | None:
    """The most tokens that an answer may have."""
    given = [
        (name, source[name])
        for name in ("max_tokens", "max_completion_tokens")
        if source.get(name) is not None
    ]
    for name, value in given:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise bad_request(f"{name} must be a whole number above 0", name, "invalid_type")
    return min((value for _, value in given), default=None)


def _streams(source: Mapping[str, Any]) -> bool:
    return bool(part(source, "stream", bool))
