"""``hpd judge``: a model judges extracted values."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hpd.cli.arguments import SCHEMA_HELP, add_category_argument, add_document_arguments, integer
from hpd.cli.common import EXIT_OK, EXIT_SIGNAL, UsageError, input_errors_as_usage, say
from hpd.cli.terminal import ExtractProgress
from hpd.cli.writing import RunWriter
from hpd.documents import Document
from hpd.evaluation.commands.answering import (
    add_answering_arguments,
    answering_settings,
    check_answering,
    open_answering,
    price,
    tokens_text,
)
from hpd.evaluation.commands.inputs import (
    add_output_argument,
    check_fields,
    check_output_file,
    read_gold,
    source_documents,
)
from hpd.evaluation.json_form import json_text
from hpd.evaluation.matching import match_rows
from hpd.evaluation.rows import Example, Prediction, load_predictions
from hpd.evaluation.scores import SCORES
from hpd.files.journal import text_fingerprint
from hpd.files.writer import FileWriter
from hpd.messages import counted, format_table
from hpd.schema import load_schemas
from hpd.schema.schemas import Schemas

if TYPE_CHECKING:
    from hpd.evaluation.judging import GoldAgreement, JudgeScores

_DESCRIPTION = """\
Let a model judge each value against its document: correct, incorrect, missing, correct null or
hallucination, with a reason (paper, appendix E). Prints LLM-precision, LLM-recall and LLM-F1 and,
with GOLD, the agreement of judge and gold.

  hpd judge values.jsonl -hf Qwen/Qwen3-8B-GGUF:Q8_0
  hpd judge values.jsonl gold.jsonl --api https://api.openai.com/v1 -m gpt-4.1

A local model gives all verdicts of a document at once. Verdicts are written like the values of
hpd extract, one line per document: {"id": ..., "data": {"Brand": {"reason": ..., "verdict": ...}}}.
"""

_MAX_TOKENS = (64, 8192)
"""Maximum length of a reason by a local model, and of an endpoint's answer for a document."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("judge", description=_DESCRIPTION)
    parser.add_argument("predictions", metavar="PRED", help="output of hpd extract")
    parser.add_argument("gold", metavar="GOLD", nargs="?", help="documents with gold values")
    add_output_argument(parser, "default verdicts.jsonl", "verdicts.jsonl")
    parser.add_argument(
        "--resume", action="store_true", help="continue FILE, or print its figures again"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace FILE")
    parser.add_argument("--limit", metavar="N", type=integer(1), help="judge N documents only")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--quiet", action="store_true", help="print only errors")
    group = parser.add_argument_group("texts, attributes and categories")
    add_document_arguments(group)
    add_category_argument(group)
    group.add_argument(
        "--schema",
        metavar="S",
        help="schema of the extraction, for descriptions and attributes that PRED leaves out: "
        + SCHEMA_HELP,
    )
    add_answering_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from hpd.evaluation.judging import JUDGE_SYSTEM_PROMPT, judge_questions

    check_answering(arguments)
    check_fields(arguments)
    read = (arguments.predictions, arguments.gold, arguments.documents, arguments.schema)
    # An existing file is the matter of the writer.
    check_output_file(Path(arguments.output), read, overwrite=True)
    schemas = None if arguments.schema is None else load_schemas(arguments.schema)
    notices: list[str] = []
    with input_errors_as_usage():
        predictions = list(load_predictions(arguments.predictions))
        sources = source_documents(arguments, predictions, notices)
        examples: Sequence[Example | None] = [None] * len(predictions)
        if arguments.gold is not None:
            examples = match_rows(read_gold(arguments.gold, arguments), predictions).examples
        documents = [own or gold for own, gold in zip(sources, examples, strict=True)]
        # Preferably from the lines themselves.
        texts = [
            row.text if row.text is not None or document is None else document.text or None
            for row, document in zip(predictions, documents, strict=True)
        ]
        questions, asked = judge_questions(predictions, texts, schemas, arguments.category_field)
        questions = questions[: arguments.limit]
    if not questions:
        raise UsageError(f"{arguments.predictions} has no values to judge")
    for notice in notices:
        say(notice)
    settings = {
        **answering_settings(arguments),
        "schema": text_fingerprint(repr(schemas)),
        "prompt": text_fingerprint(JUDGE_SYSTEM_PROMPT),
    }
    with input_errors_as_usage():
        writer = FileWriter(
            Path(arguments.output), settings, resume=arguments.resume, overwrite=arguments.overwrite
        )
    for repair in writer.repairs:
        say(f"{arguments.output}: {repair}")
    code = _judge(arguments, questions, asked, writer)
    if code > EXIT_SIGNAL:
        return code
    n_values = sum(len(asked.for_category(each.category).attributes) for each in questions)
    _print_figures(arguments, predictions, examples, n_values)
    return code


def figures_text(scores: JudgeScores, agreement: GoldAgreement | None, n_values: int) -> str:
    """Format the figures as tables; ``n_values`` is the number of values to judge."""
    from hpd.evaluation.judging import VERDICTS

    heads = ["", *(f"LLM-{head}" for head in ("P", "R", "F1")), *VERDICTS]
    rows = [heads]
    for name, counts in {**scores.attributes, "all": scores.total}.items():
        values = ["" if score is None else f"{score:.2f}" for score in counts.scores]
        rows.append([name, *values, *map(str, counts.counts)])
    bounds = [
        f"{name} {interval:.2f}"
        for name, interval in zip(SCORES, scores.intervals, strict=True)
        if interval is not None
    ]
    parts = [
        f"{counted(scores.n_documents, 'document')}, "
        f"{counted(sum(scores.total.counts), 'value', of=n_values)} judged",
        format_table(rows),
    ]
    if bounds:
        parts.append(f"95% intervals: {', '.join(bounds)}")
    if agreement is not None:
        parts.append(_agreement_text(agreement))
    return "\n\n".join(parts)


def _agreement_text(agreement: GoldAgreement) -> str:
    rows = [["judge \\ gold", *agreement.confusion]]
    rows += [[ours, *map(str, counts.values())] for ours, counts in agreement.confusion.items()]
    lines = [format_table(rows), ""]
    for what, n, kappa in (
        ("the same verdict", agreement.n_equal, agreement.kappa),
        ("both right or both not right", agreement.n_equally_right, agreement.kappa_right),
    ):
        shown = "not defined" if kappa is None else f"{kappa:.3f}"
        share = n / agreement.n
        lines.append(
            f"judge and gold: {what} on {counted(n, 'value', of=agreement.n)} ({share:.1%}), "
            f"Cohen's kappa {shown}"
        )
    return "\n".join(lines)


def _judge(
    arguments: argparse.Namespace,
    questions: Sequence[Document],
    schemas: Schemas,
    writer: FileWriter,
) -> int:
    """Judge the documents without verdicts; return the exit code."""
    from hpd.evaluation.judging import JUDGE_SYSTEM_PROMPT

    writing = RunWriter(schemas, writer, arguments.output, quiet=arguments.quiet)
    pending = None
    with writing.closing_writer():
        with input_errors_as_usage():
            pending = list(writer.pending(questions))
        if pending:
            with (
                open_answering(
                    arguments, schemas, JUDGE_SYSTEM_PROMPT, max_tokens=_MAX_TOKENS
                ) as model,
                ExtractProgress(
                    len(questions), writer.n_kept, shown=not arguments.quiet and sys.stderr.isatty()
                ) as progress,
            ):
                writing.run(model, pending, progress)
    if writing.stopped is not None:
        return writing.stopped
    return writing.finish() if pending else EXIT_OK


def _print_figures(
    arguments: argparse.Namespace,
    predictions: Sequence[Prediction],
    examples: Sequence[Example | None],
    n_values: int,
) -> None:
    from hpd.evaluation.judging import gold_agreement, judge_scores, judged_values

    answers = list(load_predictions(arguments.output))
    judged = list(judged_values(predictions, answers))
    scores = judge_scores(judged)
    agreement = gold_agreement(judged, predictions, examples)
    n_in, n_out = (
        sum(int(answer.usage.get(name, 0)) for answer in answers)
        for name in ("prompt_tokens", "completion_tokens")
    )
    if arguments.json:
        figures = {
            **scores.members(),
            "n_values": n_values,
            "agreement": agreement,
            "prompt_tokens": n_in,
            "completion_tokens": n_out,
            "price": price(arguments, n_in, n_out),
        }
        print(json_text(figures, indent=2))
        return
    print(figures_text(scores, agreement, n_values))
    if arguments.api is not None:
        print(f"\n{tokens_text(arguments, n_in, n_out)}")
