"""``hpd extract --dry-run``: the first prompt and its token counts."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpd.cli.common import EXIT_OK, UsageError, input_errors_as_usage
from hpd.files.inputs import InputReader
from hpd.messages import format_table
from hpd.models.memory import DEFAULT_N_CTX
from hpd.models.settings import load_vocabulary
from hpd.options import Options
from hpd.pipeline.compiled_schema import CompiledSchema
from hpd.pipeline.examples import Examples, examples_for
from hpd.pipeline.plan import RunPlan
from hpd.prompt.text import instruction_text, system_text
from hpd.prompt.tokens import documents_text, render_for_model
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from hpd._native import Model


def print_prompt(arguments: argparse.Namespace, plan: RunPlan, reader: InputReader) -> int:
    """Print the prompt of the first document or stack."""
    schemas, options = plan.task.schemas, plan.task.options
    with input_errors_as_usage():
        n_shown = min(options.stack, sys.maxsize if arguments.limit is None else arguments.limit)
        records = list(itertools.islice(reader, n_shown))
        failed = next((record.error for record in records if record.error is not None), None)
        if failed is not None:
            raise failed
        if not records:
            raise UsageError(f"{', '.join(arguments.input)}: there is no document")
        category = records[0].category
        texts = [record.text for record in records if record.category == category]
        if category not in schemas:
            raise UsageError(f"there is no schema for the category {category!r}")
    model = load_vocabulary(plan.model, verbose=options.verbose)
    schema = schemas.for_category(category)
    shown = preview(model, schema, texts, options, examples_for(plan.task.examples, category))
    print(_preview_text(shown, context_size(model, options)))
    return EXIT_OK


@dataclass(frozen=True, slots=True)
class Preview:
    """The first request for a document or a stack."""

    text: str
    """The prompt, including the control tokens of the chat template."""
    keys: tuple[tuple[str, int], ...]
    """The text of each field's key, which follows the prompt, and its number of tokens."""
    n_prompt: int
    """The number of tokens in the prompt."""
    n_instruction: int
    """The number of prompt tokens that all documents of the schema share."""
    n_later: int
    """The number of fields that wait for other values, without items of arrays."""
    n_longest: int
    """The maximum number of tokens in a field's key and value."""


def context_size(model: Model, options: Options) -> int:
    """Return the context size: the maximum number of tokens in a prompt and a value."""
    architecture = model.metadata("general.architecture")
    trained = model.metadata(f"{architecture}.context_length")
    n_trained = int(trained) if trained.isdecimal() else 0
    return min(options.n_ctx or DEFAULT_N_CTX, n_trained or DEFAULT_N_CTX)


def preview(
    model: Model, schema: Schema, documents: Sequence[str], options: Options, examples: Examples
) -> Preview:
    """Return the first request for ``documents``; several form a stack."""
    compiled_schema = CompiledSchema(model, schema, options, examples)
    n_stacked = len(documents)
    waves = compiled_schema.waves(n_stacked)
    questions = waves.first()
    if options.method == "ar":
        keys = [""]
        request = compiled_schema.answer_request(documents)
        n_later = 0
    else:
        keys = [question.key for question in questions]
        request = compiled_schema.request(documents, questions, first=True, keep_prompt=False)
        n_later = len(compiled_schema.leaves) * n_stacked - len(questions)
    system = system_text(n_stacked, options.layout)
    instruction = instruction_text(schema, examples, options.layout, options.instructions)
    around = render_for_model(model, system)
    return Preview(
        text=around.text(instruction, documents_text(documents)),
        keys=tuple((key, len(field.key)) for key, field in zip(keys, request.fields, strict=True)),
        n_prompt=len(request.prompt),
        n_instruction=request.n_instruction,
        n_later=n_later,
        n_longest=request.n_cells - len(request.prompt),
    )


def _preview_text(preview: Preview, n_ctx: int) -> str:
    """Format the prompt and the token counts of its parts."""
    n_keys = sum(n_tokens for _, n_tokens in preview.keys)
    rows = [
        ["prompt", f"{preview.n_prompt} tokens"],
        ["  shared by all documents", f"{preview.n_instruction}"],
        ["  of this one", f"{preview.n_prompt - preview.n_instruction}"],
        ["keys", f"{n_keys} tokens"],
        ["fields that wait for other values", f"{preview.n_later}"],
        ["longest value and its key", f"up to {preview.n_longest} tokens"],
        ["context", f"{n_ctx} tokens"],
    ]
    n_over = preview.n_prompt + preview.n_longest - n_ctx
    if n_over > 0:
        rows.append(["over", f"{n_over} tokens"])
    fields = [["key", "tokens"], *([key or "(none)", str(n)] for key, n in preview.keys)]
    parts = [preview.text, "-" * 40, format_table(fields), "", format_table(rows)]
    return "\n".join(parts)
