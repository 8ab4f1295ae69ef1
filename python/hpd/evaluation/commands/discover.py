"""``hpd discover``: makes a schema of attributes that a model proposes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hpd.cli.arguments import add_category_argument, add_text_argument, integer
from hpd.cli.common import EXIT_OK, EXIT_SOME_FAILED, UsageError, input_errors_as_usage, say
from hpd.documents import Document
from hpd.errors import HpdError
from hpd.evaluation.commands.answering import (
    add_answering_arguments,
    check_answering,
    open_answering,
    tokens_text,
)
from hpd.evaluation.commands.inputs import add_output_argument, add_seed_argument, check_output_file
from hpd.evaluation.discovery import (
    Proposal,
    Sample,
    draw_samples,
    merged_schema,
    proposal_prompt,
    proposal_schema,
    read_proposals,
    sample_text,
)
from hpd.files.reader import RecordReader
from hpd.files.rows import FORMATS
from hpd.results import Extraction, Usage
from hpd.schema import to_json_schemas
from hpd.schema.schemas import Schemas

_DESCRIPTION = """\
Let a model propose attributes for your documents (paper, figure 10): it sees several samples, near
duplicates among its proposals are merged, and the K attributes proposed for the most samples become
a schema for hpd extract, with descriptions, types and typical values.

  hpd discover listings.jsonl -k 16 -hf Qwen/Qwen3-8B-GGUF:Q8_0 -o schema.json
  hpd discover listings.jsonl --category-field category --api https://api.openai.com/v1 -m gpt-4.1

Review the schema before you use it. The bundled model can copy values but not name attributes.
"""

_MAX_TOKENS = (32, 8192)
"""Maximum length of a local model's value (a name, a description), and of an endpoint's answer."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("discover", description=_DESCRIPTION)
    parser.add_argument("input", metavar="FILE", help="documents, or - for standard input")
    parser.add_argument(
        "-k",
        metavar="K",
        type=integer(1, 100),
        default=16,
        help="maximum number of attributes (default 16)",
    )
    add_output_argument(parser, "default: standard output")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing FILE")
    parser.add_argument(
        "--samples",
        metavar="N",
        type=integer(1),
        default=5,
        help="samples per category (default 5)",
    )
    parser.add_argument(
        "--sample-size",
        metavar="N",
        type=integer(1),
        default=8,
        help="documents per sample (default 8)",
    )
    add_seed_argument(parser, "seed of the samples", 0)
    group = parser.add_argument_group("input")
    group.add_argument("--format", choices=FORMATS, help="format of FILE (default: by extension)")
    add_text_argument(group)
    add_category_argument(group)
    add_answering_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    check_answering(arguments)
    output = None if arguments.output is None else Path(arguments.output)
    if output is not None:
        check_output_file(output, [arguments.input], overwrite=arguments.overwrite)
    with (
        input_errors_as_usage(),
        RecordReader(
            arguments.input,
            format=arguments.format,
            text_field=arguments.text_field,
            category_field=arguments.category_field,
        ) as reader,
    ):
        samples = list(
            draw_samples(
                reader, n_samples=arguments.samples, size=arguments.sample_size, seed=arguments.seed
            )
        )
    if not samples:
        raise UsageError(f"{arguments.input} has no documents")
    extractions = _ask_model(arguments, samples)
    schemas = _merge_proposals(arguments.k, samples, extractions)
    text = json.dumps(to_json_schemas(schemas), ensure_ascii=False, indent=2) + "\n"
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")
    used = sum((each.usage for each in extractions if each.usage is not None), Usage())
    tokens = tokens_text(arguments, used.prompt_tokens, used.completion_tokens)
    say(f"{len(samples)} samples, {tokens}")
    return EXIT_SOME_FAILED if any(each.error is not None for each in extractions) else EXIT_OK


def _ask_model(arguments: argparse.Namespace, samples: Sequence[Sample]) -> list[Extraction[Any]]:
    documents = [Document(sample_text(sample)) for sample in samples]
    # Autoregressively, as each attribute must differ from those before it.
    with open_answering(
        arguments,
        Schemas.of(proposal_schema(arguments.k)),
        proposal_prompt(arguments.k),
        max_tokens=_MAX_TOKENS,
        method="ar",
    ) as model:
        indexed = dict(model.iter_indexed(documents, on_error="record"))
    answers = [indexed[index] for index in range(len(samples))]
    for number, (sample, answer) in enumerate(zip(samples, answers, strict=True), start=1):
        if answer.error is not None:
            of_category = f" of {sample.category!r}" if sample.category else ""
            say(f"sample {number}{of_category} failed: {answer.error.message}")
    return answers


def _merge_proposals(
    k: int, samples: Sequence[Sample], extractions: Sequence[Extraction[Any]]
) -> Schemas:
    """Return the schema of each category that has proposals; raise ``HpdError`` if none has any."""
    proposals: dict[str, list[list[Proposal]]] = {}
    for sample, extraction in zip(samples, extractions, strict=True):
        proposals.setdefault(sample.category, []).append(list(read_proposals(extraction.data)))
    schemas = {
        category: merged_schema(each, k, title=category) for category, each in proposals.items()
    }
    for category in [category for category, schema in schemas.items() if not schema.attributes]:
        say(f"no attributes were proposed{f' for {category!r}' if category else ''}")
        del schemas[category]
    if not schemas:
        raise HpdError("the model proposed no attributes: try another model")
    return Schemas.of(schemas[""] if [*schemas] == [""] else schemas)
