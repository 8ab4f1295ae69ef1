"""``hpd text``: show the text that a model sees, and where its words stand."""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from hpd.cli.arguments import integer
from hpd.cli.common import EXIT_OK, EXIT_SOME_FAILED, input_errors_as_usage, say
from hpd.cli.inputs import add_input_argument, add_reading_arguments, open_inputs
from hpd.documents import Document

_DESCRIPTION = """\
Print the text of each document as a model will see it: the first thing to check when a value is
wrong. Tables keep their columns, and the pages of a PDF follow each other.
"""
_WORD = re.compile(r"\S+")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("text", description=_DESCRIPTION)
    add_input_argument(parser, required=True)
    add_reading_arguments(parser)
    parser.add_argument("--limit", metavar="N", type=integer(0), help="stop after N documents")
    parser.add_argument(
        "--boxes",
        action="store_true",
        help="print a line of JSON for each word, with its page and boxes (in points, from the top "
        "left) or its cell",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the text or the words of each document."""
    n_failed = 0
    with input_errors_as_usage():
        reader = open_inputs(arguments)
    with reader:
        n_before = 0
        for record in itertools.islice(reader, arguments.limit):
            if record.error is not None:
                say(f"error: {record.error}")
                n_failed += 1
                continue
            if arguments.boxes:
                for word in _word_lines(record):
                    print(json.dumps(word, ensure_ascii=False))
            else:
                if len(reader.files.paths) > 1 or record.id != record.source:
                    print("\n" * (n_before > 0) + f"==> {record.id} <==")
                print(record.text)
            n_before += 1
        for note in reader.note_texts():
            say(note)
    return EXIT_SOME_FAILED if n_failed else EXIT_OK


def _word_lines(record: Document) -> Iterator[dict[str, Any]]:
    for word in _WORD.finditer(record.text):
        line: dict[str, Any] = {
            "id": record.id,
            "start": word.start(),
            "end": word.end(),
            "text": word[0],
        }
        found = None if record.places is None else record.places.of(*word.span())
        yield line if found is None else {**line, **found.to_dict()}
