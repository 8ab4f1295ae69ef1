"""Arguments and input files that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from hpd.cli.arguments import flag_of, integer
from hpd.cli.common import UsageError
from hpd.cli.output import same_file
from hpd.evaluation.matching import match_rows, reread_sources, with_former_ids
from hpd.evaluation.rows import Example, Prediction, load_examples, load_predictions, row_category
from hpd.files.inputs import InputReader
from hpd.messages import counted
from hpd.options import OPTIONS
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema

_OTHER_NAMES = {"predictions": "PRED", "hf_repo": "-hf"}
"""The names of arguments whose flags have others."""


def add_output_argument(
    group: argparse._ActionsContainer, more: str, default: str | None = None
) -> None:
    shown = f"output file ({more})"
    group.add_argument("-o", "--output", metavar="FILE", default=default, help=shown)


def add_seed_argument(group: argparse._ActionsContainer, what: str, default: int) -> None:
    group.add_argument(
        "-s",
        "--seed",
        metavar="N",
        type=integer(0),
        default=default,
        help=f"{what} (default {default})",
    )


def check_output_file(output: Path, read: Iterable[str | None], *, overwrite: bool) -> None:
    """Raise ``UsageError`` if an output is read, or exists and must not be replaced."""
    if any(path is not None and same_file(output, path) for path in read):
        raise UsageError(f"{output} is read in this run: name another output")
    if output.exists() and not overwrite:
        raise UsageError(f"{output} already exists: replace it (--overwrite), or name another")


def refuse(arguments: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Raise ``UsageError`` if one of some arguments is given."""
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value is not False:
            flag = OPTIONS[name].flag if name in OPTIONS else _OTHER_NAMES.get(name, flag_of(name))
            raise UsageError(f"{flag} {why}")


def check_fields(arguments: argparse.Namespace) -> None:
    """Raise ``UsageError`` if fields are named but no file that could have them is given."""
    if arguments.documents is None and getattr(arguments, "gold", None) is None:
        or_gold = " or GOLD" if hasattr(arguments, "gold") else ""
        refuse(arguments, ("text_field", "id_field"), f"needs --documents{or_gold}")


def read_gold(
    path: str, arguments: argparse.Namespace, *, needs_text: bool = False
) -> list[Example]:
    """Read the rows of a gold file; ``--text-field`` is for ``--documents`` if that is given."""
    of_documents = getattr(arguments, "documents", None) is not None
    return list(
        load_examples(
            path,
            text_field=None if of_documents else arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
            needs_text=needs_text,
        )
    )


def read_predictions(path: str, arguments: argparse.Namespace) -> list[Prediction]:
    """Read the lines of a file whose columns are named as those of GOLD."""
    return list(
        load_predictions(path, id_field=arguments.id_field, category_field=arguments.category_field)
    )


def read_schemas(source: str | None, examples: Iterable[Example]) -> dict[str, Schema] | None:
    """Return the schema of each category, or None; one schema is for those of the examples."""
    if source is None:
        return None
    schemas = load_schemas(source)
    categories = schemas.categories or {example.category for example in examples}
    return {category: schemas.for_category(category) for category in categories}


def read_sources(arguments: argparse.Namespace, ids: Iterable[str | None]) -> list[Example]:
    """Read the documents that ``--documents`` names; ``ids`` are those of the predictions.

    Files that cannot be read are skipped, as a folder may contain some.

    Raises ``InputError`` if no file can be read.
    """
    id_field, category_field = arguments.id_field, getattr(arguments, "category_field", None)
    with InputReader(
        [arguments.documents],
        text_field=arguments.text_field,
        id_field=id_field,
        category_field=category_field,
    ) as reader:
        sources = [
            Example(
                record.id,
                record.text,
                row_category(record.row, category_field),
                line=record.line,
                is_numbered=id_field is None
                and record.row.get("id") is None
                and record.id != record.source,
                file=record.source,
            )
            for record in reader
            if record.error is None
        ]
    return with_former_ids(sources, ids)


def source_documents(
    arguments: argparse.Namespace, predictions: Sequence[Prediction], notices: list[str]
) -> Sequence[Example | None]:
    """Return each prediction's document, from ``--documents`` or the input of the run.

    Raises ``InputError`` if ``--documents`` cannot be read, or belong to other predictions.
    """
    if arguments.documents is None:
        return reread_sources(arguments.predictions, predictions, notices)
    found = read_sources(arguments, (prediction.id for prediction in predictions))
    matching = match_rows(found, predictions)
    if matching.surplus:
        notices.append(
            f"{counted(len(matching.surplus), 'line')} of {arguments.predictions} without a "
            f"document in {arguments.documents}"
        )
    return matching.examples
