"""The server's responses as Pydantic models, for ``/openapi.json``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class OptionBody(BaseModel):
    """A value that a field could have."""

    value: str | float | bool | None
    probability: float = Field(ge=0, le=1)


class RejectedBody(BaseModel):
    """An answer that was rejected, so that the field was asked again."""

    raw: str
    error: str


class FieldDetails(BaseModel):
    """The details of one value; empty ones are omitted."""

    confidence: float | None = Field(None, ge=0, le=1, description="that the value is right")
    uncalibrated: float | None = Field(None, ge=0, le=1, description="the model's own confidence")
    start: int | None = Field(None, description="index of the first character in the text, from 0")
    end: int | None = Field(None, description="index after the last character")
    match: Literal["exact", "normalized", "fuzzy", "none"] | None = None
    page: int | None = Field(None, description="of a file: the page, slide or sheet, from 1")
    boxes: list[tuple[float, float, float, float]] = Field(
        [], description="left, top, right and bottom of each line of the value on its page"
    )
    cell: str | None = Field(None, description="of a sheet, such as May!B7")
    error: str | None = Field(None, description="why a required value is missing or invalid")
    reason: str | None = Field(None, description="why the model's text was replaced")
    raw: str | None = Field(None, description="what the model wrote")
    rejected: list[RejectedBody] = Field([], description="with on_invalid retry: earlier answers")
    near_tie: bool = False
    margin: float | None = None
    truncated: bool = False
    repeated: bool = False
    forced: bool = False
    lacks_timezone: bool = False
    options: list[OptionBody] = Field(
        [], description="with probabilities: each choice, the most probable first"
    )


class DocumentError(BaseModel):
    """Why a document has no values, or why they violate the schema."""

    type: str
    message: str


class UsageBody(BaseModel):
    """Usage of a document."""

    prompt_tokens: int
    cached_tokens: int = 0
    completion_tokens: int
    steps: int
    seconds: float = 0.0
    chunks: int = Field(1, description="into which a long document was split")
    reused_values: int = Field(0, description="taken from an identical document")


class ExtractionBody(BaseModel):
    """The values of one text."""

    id: Any = None
    data: Any = Field(None, description="an object with the attributes of the schema")
    error: DocumentError | None = None
    truncated_at: int | None = Field(None, description="index at which the text was cut off")
    fields: dict[str, FieldDetails] = Field({}, description="by path: maker.city, tags[0]")
    checks: list[dict[str, Any]] = Field(
        [], description="checks of the schema that did not pass, with both sides"
    )
    usage: UsageBody | None = None
    warnings: list[str] = Field([], description="parts of the schema that are not guaranteed")


class ExtractionsBody(BaseModel):
    """The values of several texts, in order."""

    extractions: list[ExtractionBody]
    warnings: list[str] = []


class ErrorBody(BaseModel):
    """The error of a rejected request."""

    class Error(BaseModel):
        """An error in OpenAI's format."""

        message: str
        type: str
        param: str | None = None
        code: str | None = None

    error: Error


class Health(BaseModel):
    """Whether the server accepts requests."""

    status: Literal["ok", "stopping"]
    model: str
    waiting: int = Field(description="unanswered documents")


class ModelCard(BaseModel):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelList(BaseModel):
    """The list of models, with the one that is served."""

    object: Literal["list"]
    data: list[ModelCard]


class ChatCompletion(BaseModel):
    """A chat completion; each choice has the values as JSON, in its content or in a tool call."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, Any]
    hpd: dict[str, Any] = Field({}, description="fields, checks, and warnings about the schema")


class NoulAnswer(BaseModel):
    type: Literal["noul"]
    noul: float = Field(ge=0, le=1, description="the probability of yes")


class ChoiceAnswer(BaseModel):
    type: Literal["choice"]
    choice: str
    probabilities: dict[str, float] = Field(description="by option")
    confidence: float = Field(
        ge=0, le=1, description="0 if all options are as probable, 1 if one is certain"
    )


class ScoreAnswer(BaseModel):
    type: Literal["score"]
    score: float = Field(description="the expected level, from 0")
    legend: dict[str, Any] = Field(description="the levels by number")
    probabilities: dict[str, float] = Field(description="by the number of the level")
    confidence: float = Field(ge=0, le=1)


class SystemOneUsage(BaseModel):
    input_tokens: int
    output_tokens: int


class SystemOneAnswers(BaseModel):
    """The answers to the questions, by their names."""

    model: str
    answers: dict[str, NoulAnswer | ChoiceAnswer | ScoreAnswer]
    usage: SystemOneUsage


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorBody, "description": "the body, the schema or an option is wrong"},
    401: {"model": ErrorBody, "description": "the API key is missing or wrong"},
    408: {"model": ErrorBody, "description": "the body did not arrive in time"},
    413: {"model": ErrorBody, "description": "the body or the schema is too large"},
    415: {"model": ErrorBody, "description": "the body is not application/json"},
    429: {"model": ErrorBody, "description": "too many documents are waiting; see Retry-After"},
    503: {"model": ErrorBody, "description": "the server is shutting down"},
    504: {"model": ErrorBody, "description": "no answer in time"},
    "default": {"model": ErrorBody, "description": "any other error"},
}
"""The error responses of endpoints that take documents."""

MODEL_RESPONSES: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "there is no model with this name"},
    422: {"model": ErrorBody, "description": "the model's answer breaks the schema"},
}
"""Those of endpoints that name a model and answer one document."""

UNSUPPORTED_FILE: dict[str, Any] = {
    "model": ErrorBody,
    "description": "the server is not set up to read such files",
}
