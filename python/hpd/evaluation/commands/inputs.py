"""Input files of several commands."""

from __future__ import annotations

import argparse

from hpd.cli.common import UsageError
from hpd.evaluation.rows import Example, load_examples


def check_fields(arguments: argparse.Namespace) -> None:
    """Raise ``UsageError`` if fields are named but no file that could have them is given."""
    if arguments.documents is None and getattr(arguments, "gold", None) is None:
        for name in ("text", "id"):
            if getattr(arguments, f"{name}_field") is not None:
                or_gold = " or GOLD" if hasattr(arguments, "gold") else ""
                raise UsageError(f"--{name}-field needs --documents{or_gold}")


def read_examples(path: str, arguments: argparse.Namespace, *, needs_text: bool) -> list[Example]:
    """Read the rows of a gold file.

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
