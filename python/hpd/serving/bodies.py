"""The bodies of requests as Pydantic models, and the error for rejected requests."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError, from_json

from hpd.errors import HpdError
from hpd.schema.checks import join_path
from hpd.surrogates import is_unicode

_TYPES = {401: "authentication_error", 429: "rate_limit_error"}
_CODES = {
    "extra_forbidden": "unknown_parameter",
    "missing": "missing_parameter",
    "unsupported": "unsupported_value",
}
_MESSAGES = {
    "missing": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "model_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "list_type": "must be a list",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "has the unknown type '{tag}'; there are {expected_tags}",
    "union_tag_not_found": "must have a type",
    "too_short": "has too few entries ({actual_length}; at least {min_length})",
    "too_long": "has too many entries ({actual_length}; at most {max_length})",
    "greater_than_equal": "must be at least {ge}",
}
"""What is wrong, by Pydantic's type of error."""

_CONTENT_ERRORS = ("string_type", "dict_type", "list_type")
_CONTENT_KINDS = ("str", "dict[str,any]", "list[any]")
_QUESTION_TYPES = ("noul", "choice", "score")


class HttpError(HpdError):
    """The error response to a request.

    Args:
        status: HTTP status.
        message: what is wrong, and what to do.
        code: error code for programs.
        param: the invalid part of the body.
        headers: headers of the response.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers = dict(headers or {})

    @property
    def body(self) -> bytes:
        """The body of the response, in OpenAI's format."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        error = {
            "message": str(self),
            "type": _TYPES.get(self.status, kind),
            "param": self.param,
            "code": self.code,
        }
        # A message may quote any input.
        return json.dumps({"error": error}).encode()


def bad_request(message: str, param: str | None = None, code: str = "invalid_value") -> HttpError:
    """Return the error for an invalid body."""
    return HttpError(400, message, code=code, param=param)


def http_error_of(errors: Sequence[Any]) -> HttpError:
    """Return the error for the first problem that Pydantic found."""
    # Unknown names first: one is often the misspelt name of a missing part.
    unknown = [error for error in errors if error["type"] == "extra_forbidden"]
    first = [*unknown, *errors][0]
    kind: str = first["type"]
    place = [*first["loc"][1:]]
    # Pydantic also names the member of a union that it has tried.
    is_content = kind in _CONTENT_ERRORS and place and place[-1] in _CONTENT_KINDS
    if is_content:
        del place[-1]
    if place[0:1] == ["questions"] and place[2:3] and place[2] in _QUESTION_TYPES:
        del place[2]
    path = reduce(join_path, place, "")[:200]
    code = _CODES.get(kind, "invalid_type")
    if kind == "extra_forbidden":
        return bad_request(f"unknown field '{path}'", path, code)
    if kind == "missing" and path:
        return bad_request(f"'{path}' is missing", path, code)
    where = f"'{path}'" if path else "the body"
    if is_content:
        message = f"{where} must be a string, a JSON object or a list"
    elif kind in _MESSAGES:
        message = f"{where} {_MESSAGES[kind].format(**first.get('ctx', {}))}"
    else:
        message = f"{where}: {first['msg']}"
    return bad_request(message, path or None, code)


def json_of(body: bytes) -> Any:
    """Parse a body; raise ``HttpError`` if it is not valid JSON."""
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        if _has_unpaired_surrogate(body):
            why = "a text has an unpaired surrogate (\\ud800 to \\udfff)"
        else:
            why = f"it is not valid JSON: {error}"
        raise bad_request(f"the body cannot be read: {why}", code="invalid_json") from None


def _has_unpaired_surrogate(body: bytes) -> bool:
    try:
        return not is_unicode(json.dumps(json.loads(body), ensure_ascii=False))
    except (ValueError, RecursionError):
        return False


class _StrictModel(BaseModel):
    """A model that rejects unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _OpenModel(BaseModel):
    """A model that ignores unknown fields."""

    model_config = ConfigDict(extra="ignore", strict=True)


def _decode_base64(value: object) -> bytes:
    try:
        return b64decode(value if isinstance(value, str) else b"-", validate=True)
    except ValueError:
        raise PydanticCustomError("base64", "not Base64") from None


def _as_text(value: object) -> object:
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        raise PydanticCustomError("text", "neither a string nor a JSON object")
    return value


class FileBody(_StrictModel):
    """A file with one document; its extension is its type."""

    name: str = Field(description="file name with extension: invoice.pdf")
    data: Annotated[bytes, BeforeValidator(_decode_base64)] = Field(
        description="content in Base64", json_schema_extra={"format": "base64"}
    )


class TextBody(_StrictModel):
    text: str
    id: Any = None
    category: str | None = None


class ExampleBody(_StrictModel):
    """A document with its answer."""

    text: str
    data: dict[str, Any]


class ExtractBody(_StrictModel):
    """The body of ``POST /extract``: one text, or several."""

    text: str | None = Field(None, description="the document")
    file: FileBody | None = Field(
        None, description="a file instead of a text; a table is read as one document"
    )
    id: Any = Field(None, description="returned unchanged")
    category: str | None = Field(None, description="chooses the schema, if there are several")
    texts: list[Annotated[TextBody, BeforeValidator(_as_text)]] | None = Field(
        None, description='several documents in place of "text": texts, or objects with "text"'
    )
    schema_: Any = Field(
        None,
        alias="schema",
        description="one line, a JSON Schema, a list of names, or an object of name to description",
        examples=["brand: the maker, color, price float?"],
    )
    options: dict[str, Any] = Field({}, description="options by name, for this request")
    examples: list[ExampleBody] = Field([], description="shown in the prompt")


class TextPart(_OpenModel):
    type: Literal["text"]
    text: str


def _as_parts(content: object) -> object:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind != "text":
            what = "images are" if "image" in kind else f"'{kind[:40]}' is"
            raise PydanticCustomError("unsupported", f"{what} not supported: send text")
    if content is not None and not isinstance(content, list):
        raise PydanticCustomError("content", "neither a string nor a list")
    return content or []


class CalledArguments(_OpenModel):
    arguments: str


class FunctionCall(_OpenModel):
    function: CalledArguments


class ChatMessage(_OpenModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[list[TextPart], BeforeValidator(_as_parts)] = []
    tool_calls: list[FunctionCall] | None = None

    @property
    def text(self) -> str:
        """The text; for a function call, the arguments."""
        if self.tool_calls:
            return "\n".join(call.function.arguments for call in self.tool_calls)
        text = ""
        for part in self.content:
            # Otherwise the last word of one part would join the first of the next.
            is_separated = not text or text[-1].isspace() or part.text[:1].isspace()
            text += part.text if is_separated else f"\n{part.text}"
        return text


class JsonSchemaFormat(_OpenModel):
    schema_: dict[str, Any] = Field(alias="schema")
    strict: bool | None = None
    description: str | None = None


class ResponseFormat(_OpenModel):
    """The format of the answer."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchemaFormat | None = None
    schema_: dict[str, Any] | None = Field(None, alias="schema")


class Function(_OpenModel):
    """A function of the client."""

    name: str
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(_OpenModel):
    function: Function


class StreamOptions(_OpenModel):
    include_usage: bool | None = None


class ChatBody(BaseModel):
    """The body of ``POST /v1/chat/completions``: the supported part of OpenAI's protocol.

    Other parameters are ignored, and listed in the response header ``X-Hpd-Warning``.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    model: Any = None
    messages: list[ChatMessage]
    response_format: ResponseFormat | None = None
    tools: list[Tool] | None = None
    tool_choice: Any = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    hpd: dict[str, Any] = Field({}, description="options by name, for this request")


Content = str | dict[str, Any] | list[Any]
"""Text, or JSON that is read as text."""


class NoulCriteria(_StrictModel):
    """What counts as yes and as no."""

    true: Content | None = None
    false: Content | None = None


class NoulQuestion(_StrictModel):
    """Asks whether something is so; the answer is the probability of yes."""

    type: Literal["noul"]
    instructions: Content
    criteria: NoulCriteria | None = None


class ChoiceQuestion(_StrictModel):
    """Asks which of several options it is."""

    type: Literal["choice"]
    instructions: Content
    criteria: dict[str, Content | None] = Field(
        description="options, with their descriptions or null", min_length=2, max_length=255
    )


class ScoreQuestion(_StrictModel):
    """Asks which of several ordered levels it is."""

    type: Literal["score"]
    instructions: Content
    criteria: list[Content] = Field(
        description="the levels, from the lowest", min_length=2, max_length=10
    )


ApiQuestion = NoulQuestion | ChoiceQuestion | ScoreQuestion


def _check_names(questions: dict[str, ApiQuestion]) -> dict[str, ApiQuestion]:
    if "" in questions:
        raise PydanticCustomError("empty_name", "a question has an empty name")
    return questions


class SystemOneBody(BaseModel):
    """The body of ``POST /v1/systemone``.

    Other parameters are ignored, and listed in the response header ``X-Hpd-Warning``.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    model: Any = None
    state: Content = Field(description="what the questions are about")
    questions: Annotated[
        dict[str, Annotated[ApiQuestion, Field(discriminator="type")]],
        AfterValidator(_check_names),
    ] = Field(min_length=1)
    instructions: str | None = Field(None, description="for the model, before the questions")
