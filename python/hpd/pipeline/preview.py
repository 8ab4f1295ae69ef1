"""A preview of the first request, as text and in numbers, for which no weights are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hpd import _native, prompt
from hpd.models.model_files import resolve_model
from hpd.options import Options
from hpd.pipeline.questionnaire import Examples, Questionnaire
from hpd.prompt.template import render
from hpd.schema.attributes import Schema

DEFAULT_N_CTX = 8192
"""The KV cells of the engine, if the user names no number."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The first request for some documents."""

    text: str
    """The prompt, with the control tokens of the model's template."""
    keys: tuple[tuple[str, int], ...]
    """The text of each field's key, which follows the prompt, and the number of its tokens."""
    n_prompt: int
    """The number of tokens in the prompt."""
    n_instruction: int
    """The number of these that every document of the schema shares."""
    n_later: int
    """The number of fields that wait for the values of others; items of arrays do not count."""
    n_longest: int
    """The most tokens that a field can have, with its key and its value."""


def open_vocabulary(
    model: str | Path | None = None, hf: str | None = None, *, progress: bool = True
) -> _native.Model:
    """Load only the tokenizer of a model, which is named as for the extractor."""
    native = _native.ModelOptions()
    native.vocab_only = True
    return _native.Model([str(resolve_model(model, hf, progress=progress))], native)


def context_size(model: _native.Model, options: Options | None = None) -> int:
    """The most tokens of a prompt with a value that the extractor would accept."""
    architecture = model.metadata("general.architecture")
    trained = model.metadata(f"{architecture}.context_length")
    wanted = options.n_ctx if options is not None else 0
    n_trained = int(trained) if trained.isdecimal() else 0
    return min(wanted or DEFAULT_N_CTX, n_trained or DEFAULT_N_CTX)


def preview(
    model: _native.Model,
    schema: Schema,
    documents: Sequence[str],
    options: Options | None = None,
    examples: Examples = (),
) -> Preview:
    """The first request for ``documents``, as the extractor makes it; several are a stack."""
    options = options or Options()
    questionnaire = Questionnaire(model, schema, options, examples)
    n_stacked = len(documents)
    waves = questionnaire.waves(n_stacked)
    questions = waves.first()
    if options.method == "ar":
        keys = [""]
        request = questionnaire.answer_request(documents)
        n_later = 0
    else:
        keys = [question.key for question in questions]
        request = questionnaire.request(documents, questions, first=True, keep_prompt=False)
        n_later = len(questionnaire.leaves) * n_stacked - len(questions)
    system = prompt.system_text(n_stacked, options.layout)
    instruction = prompt.instruction_text(
        schema, examples, options.layout, options.instructions, options.document_turn
    )
    bos = next((text for token, text, _, _ in model.control_tokens if token == model.bos), "")
    around = render(model.chat_template, system, bos=bos)
    return Preview(
        text=around.text(instruction, prompt.documents_text(documents), options.document_turn),
        keys=tuple((key, len(field.key)) for key, field in zip(keys, request.fields, strict=True)),
        n_prompt=len(request.prompt),
        n_instruction=request.n_instruction,
        n_later=n_later,
        n_longest=request.n_cells - len(request.prompt),
    )
