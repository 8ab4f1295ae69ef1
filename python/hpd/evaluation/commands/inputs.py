"""The files that several commands read, as their arguments name them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from hpd.cli.common import UsageError
from hpd.evaluation.matching import for_predictions, load_sources, match_rows
from hpd.evaluation.rows import Example, Prediction, load_examples


def check_fields(arguments: argparse.Namespace) -> None:
    """Refuse names of fields where no file has them.

    Raises:
        UsageError: naming the argument.
    """
    if arguments.documents is None and getattr(arguments, "gold", None) is None:
        for name in ("text", "id"):
            if getattr(arguments, f"{name}_field") is not None:
                or_gold = " or GOLD" if hasattr(arguments, "gold") else ""
                raise UsageError(f"--{name}-field needs --documents{or_gold}")


def examples_of(path: str, arguments: argparse.Namespace, *, needs_text: bool) -> list[Example]:
    """The rows of a gold file.

    Raises:
        InputError: a row cannot be read.
    """
    return list(
        load_examples(
            path,
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
            needs_text=needs_text,
        )
    )


def gold_examples(arguments: argparse.Namespace) -> list[Example]:
    """The rows of GOLD; they need no text, and fields are named for ``--documents`` if it is there.

    Raises:
        InputError: a row cannot be read.
    """
    return list(
        load_examples(
            arguments.gold,
            text_field=None if arguments.documents else arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
            needs_text=False,
        )
    )


def source_documents(
    arguments: argparse.Namespace,
    name: str,
    predictions: Sequence[Prediction],
    notices: list[str],
) -> list[Example | None]:
    """For each prediction its document of ``--documents``, if that is given."""
    if arguments.documents is None:
        return [None] * len(predictions)
    sources = list(
        load_sources(
            arguments.documents,
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
        )
    )
    matching = match_rows(sources, predictions)
    if matching.surplus:
        notices.append(
            f"{len(matching.surplus)} lines of {name} belong to no document of "
            f"{arguments.documents}"
        )
    return for_predictions(predictions, sources, matching)
