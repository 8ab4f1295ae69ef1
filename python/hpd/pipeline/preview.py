"""What a model would be asked, in text and in numbers, with nothing loaded but its vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hpd import _native, prompt
from hpd.machine.model_files import resolve_model
from hpd.options import Options
from hpd.pipeline.job import Document, Job
from hpd.pipeline.questions import Examples, Plan
from hpd.prompt.template import render
from hpd.schema.attributes import Schema

DEFAULT_N_CTX = 8192
"""KV cells of the engine, if nobody names a number."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The first request for some documents."""

    text: str
    """The prompt, with the control tokens of the model's template."""
    keys: tuple[tuple[str, int], ...]
    """What follows the prompt: the text of each field's key, and how many tokens it has."""
    n_prompt: int
    """Tokens of the prompt."""
    n_shared: int
    """Those of them that every document of the schema shares."""
    n_later: int
    """Fields that wait for the values of others; items of arrays are not among them."""
    n_longest: int
    """Tokens that the longest field may take, its key and its value."""


def open_vocabulary(
    model: str | Path | None = None, hf: str | None = None, *, progress: bool = True
) -> _native.Model:
    """A model of which only the tokenizer is loaded; named as for the extractor."""
    native = _native.ModelOptions()
    native.vocab_only = True
    return _native.Model([str(resolve_model(model, hf, progress=progress))], native)


def context_size(model: _native.Model, options: Options | None = None) -> int:
    """The longest prompt with its value that the extractor would take."""
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
    """The first request for ``documents`` (several: stacked), as the extractor makes it."""
    options = options or Options()
    plan = Plan(model, schema, options, examples)
    job = Job(plan, model, options, [Document(text) for text in documents])
    ask = job.first()
    system = prompt.system_text(len(documents))
    bos = next((text for token, text, _, _ in model.control_tokens if token == model.bos), "")
    around = render(model.chat_template, system, prompt.instruction_text(schema, examples), bos=bos)
    leaves = [leaf for leaf in plan.leaves if leaf.wave == 0]
    keys = [""] if options.method == "ar" else plan.first_keys(leaves, len(documents))
    return Preview(
        around.before + prompt.documents_text(documents) + around.after,
        tuple((key, len(field.key)) for key, field in zip(keys, ask.fields, strict=True)),
        len(ask.prompt),
        ask.n_instruction,
        0 if options.method == "ar" else (len(plan.leaves) - len(leaves)) * len(documents),
        ask.n_cells - len(ask.prompt),
    )
