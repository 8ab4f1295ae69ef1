"""Arguments that several commands have, and the parser that they have them on."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from hpd.cli.common import UsageError

SCHEMA_HELP = (
    'a JSON Schema, a list of names, the one-line form ("brand, price number?"), a file that holds '
    "one of these or {category: schema}, or module:Class of a Pydantic model"
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose descriptions are printed as they are."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        settings.setdefault("allow_abbrev", False)
        super().__init__(**settings)

    more_defaults: Callable[[argparse.Namespace], Mapping[str, Any] | None] | None = None
    """Gives values for arguments that were not said, after those that were."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse; ``--flag=--`` is refused, of which Python 3.11 makes an empty list."""
        given = list(sys.argv[1:] if args is None else args)
        for text in given:
            flag, _, value = text.partition("=")
            if flag.startswith("-") and value == "--":
                self.error(f"argument {flag}: must not be '--'")
        parsed = super().parse_known_args(given, namespace)
        more = None if self.more_defaults is None else self.more_defaults(parsed[0])
        if more is None:
            return parsed
        self.set_defaults(**more)
        return super().parse_known_args(given, namespace)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a help text; unlike argparse itself, do not pass over that it cannot be written."""
        stream = file or sys.stderr
        stream.write(message)
        stream.flush()

    def error(self, message: str) -> NoReturn:
        """Refuse a command line.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{message} (see {self.prog} --help)")


def integer(minimum: int, maximum: int = sys.maxsize) -> Callable[[str], int]:
    """An argument that is a whole number within bounds."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        _check(value, text, minimum, maximum)
        return value

    return convert


def number(minimum: float, maximum: float = math.inf) -> Callable[[str], float]:
    """An argument that is a finite number within bounds."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not math.isfinite(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
        _check(value, text, minimum, maximum)
        return value

    return convert


def not_empty(text: str) -> str:
    """An argument that says something, unlike a shell's variable that is not set."""
    if not text:
        raise argparse.ArgumentTypeError("is empty")
    return text


def flag_of(name: str) -> str:
    """The flag of an argument that is kept under a name."""
    return f"--{name.replace('_', '-')}"


def add_model_arguments(group: argparse._ActionsContainer) -> None:
    """``-m`` and ``-hf``."""
    source = group.add_mutually_exclusive_group()
    source.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        type=not_empty,
        help="a GGUF file, a short name (qwen3:0.6b; hpd models lists them) or ollama:NAME; else "
        "HPD_MODEL, else the one in the box",
    )
    source.add_argument(
        "-hf",
        "--hf-repo",
        dest="hf",
        type=not_empty,
        metavar="USER/REPO[:QUANT]",
        help="a repository on the Hugging Face Hub",
    )


def add_schema_argument(parser: argparse._ActionsContainer, *, required: bool) -> None:
    """``--schema``."""
    parser.add_argument("--schema", metavar="S", required=required, help=SCHEMA_HELP)


def add_field_arguments(group: argparse._ActionsContainer) -> None:
    """The fields of a record that hold its text, id and category."""
    _add_text_arguments(group)
    add_category_argument(group)


def add_category_argument(group: argparse._ActionsContainer) -> None:
    """``--category-field``."""
    group.add_argument("--category-field", metavar="F", help="the field with the category")


def add_document_arguments(group: argparse._ActionsContainer) -> None:
    """The documents that extractions were made from, for a command that shows both."""
    group.add_argument(
        "--documents", metavar="FILE", help="the input of hpd extract, which has the texts"
    )
    _add_text_arguments(group)


def add_text_argument(group: argparse._ActionsContainer) -> None:
    """``--text-field``."""
    group.add_argument(
        "--text-field",
        metavar="F",
        action="append",
        help="the field with the text; repeated, the texts are joined",
    )


def _add_text_arguments(group: argparse._ActionsContainer) -> None:
    add_text_argument(group)
    group.add_argument("--id-field", metavar="F", help="the field with the id")


def _check(value: float, text: str, minimum: float, maximum: float) -> None:
    if value < minimum:
        raise argparse.ArgumentTypeError(f"{text} is below {minimum:g}")
    if value > maximum:
        raise argparse.ArgumentTypeError(f"{text} is above {maximum:g}")
