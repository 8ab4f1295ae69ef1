"""``hpd data``: lists, checks and converts published data sets."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from hpd.cli.common import EXIT_OK, EXIT_SOME_FAILED, UsageError, input_errors_as_usage, say
from hpd.evaluation.commands.inputs import check_output_file
from hpd.evaluation.datasets import (
    DATASET_FORMATS,
    Survey,
    find_format,
    read_dataset,
    schema_path,
    suggest_schemas,
    survey,
    write_dataset,
)
from hpd.evaluation.json_form import json_text
from hpd.messages import counted, format_table

_DESCRIPTION = """\
Read published data sets: list the formats, check a file, or convert it to lines for hpd extract,
eval and finetune, with a schema for each category beside them.

  hpd data list
  hpd data check dev.jsonl
  hpd data convert dev.jsonl -o gold.jsonl
  hpd extract gold.jsonl --schema gold.schema.json --category-field category -o values.jsonl
  hpd eval values.jsonl gold.jsonl
"""

_N_SHOWN = 20
"""Problems printed; --json prints all."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("data", description=_DESCRIPTION)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list the formats")
    listing.set_defaults(run=_print_formats)
    checking = actions.add_parser(
        "check", help="count the contents of a file, and name unreadable lines"
    )
    _add_source(checking)
    checking.add_argument("--json", action="store_true", help="print everything as JSON")
    checking.set_defaults(run=_print_survey)
    converting = actions.add_parser(
        "convert", help="write hpd's own lines, and the schema of each category as OUT.schema.json"
    )
    _add_source(converting)
    converting.add_argument("-o", "--output", metavar="OUT", required=True, help="a .jsonl file")
    converting.add_argument(
        "--overwrite", action="store_true", help="replace an existing OUT and its schema"
    )
    converting.set_defaults(run=_convert)


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the file, possibly compressed (.gz)")
    parser.add_argument(
        "--format",
        metavar="NAME",
        choices=[*DATASET_FORMATS],
        help="format of FILE (default: detected from the first lines)",
    )
    parser.add_argument(
        "--whole-documents",
        action="store_true",
        help="conll: everything between two -DOCSTART- lines is one document",
    )


def _print_formats(arguments: argparse.Namespace) -> int:
    print(
        format_table([[each.name, each.description] for each in DATASET_FORMATS.values()], n_left=2)
    )
    return EXIT_OK


def _print_survey(arguments: argparse.Namespace) -> int:
    """Print counts of a file's contents; return 3 if some rows cannot be read."""
    found = _survey_file(arguments)
    if arguments.json:
        print(json_text(found, indent=2))
    else:
        print("\n\n".join(_tables(arguments.file, found)))
    return EXIT_SOME_FAILED if found.problems else EXIT_OK


def _convert(arguments: argparse.Namespace) -> int:
    """Write the rows that can be read; return 3 if some cannot."""
    output = Path(arguments.output)
    for path in (output, schema_path(output)):
        # Files such as those of mktemp have nothing to lose.
        is_empty = path.exists() and not path.stat().st_size
        check_output_file(path, [arguments.file], overwrite=arguments.overwrite or is_empty)
    found = _survey_file(arguments)
    rows = read_dataset(arguments.file, found.dataset, whole_documents=arguments.whole_documents)
    with input_errors_as_usage():
        write_dataset(rows, found, output)
    for line in (
        *(f"left out: {each}" for each in _first_lines(found.problems)),
        *_first_lines(found.notices),
    ):
        say(line)
    say(f"{counted(found.n_documents, 'document')} in {output}")
    if suggest_schemas(found):
        say(f"schema in {schema_path(output)}")
    else:
        say("no schema, as the file has no attributes")
    return EXIT_SOME_FAILED if found.problems else EXIT_OK


def _first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and the number of the others."""
    n_more = len(lines) - _N_SHOWN
    more = [f"... and {n_more} more (hpd data check --json has all)"] if n_more > 0 else []
    return [*lines[:_N_SHOWN], *more]


def _survey_file(arguments: argparse.Namespace) -> Survey:
    if arguments.file == "-":
        raise UsageError("standard input cannot be read twice: name a file")
    with input_errors_as_usage():
        name = arguments.format
        dataset = find_format(arguments.file) if name is None else DATASET_FORMATS[name]
        if arguments.whole_documents and dataset.read_whole_documents is None:
            raise UsageError(f"--whole-documents is for conll; {arguments.file} is {dataset.name}")
        rows = read_dataset(arguments.file, dataset, whole_documents=arguments.whole_documents)
        return survey(rows, dataset, arguments.file)


def _tables(name: str, found: Survey) -> Iterator[str]:
    dataset = found.dataset
    yield f"{name}: {dataset.name} ({dataset.description})"
    rows = [
        ["documents", f"{found.n_documents}"],
        ["characters a document", f"{found.n_characters / max(1, found.n_documents):.0f}"],
        ["categories", f"{len(found.categories)}"],
        ["attributes", f"{sum(len(found.attribute_names(c)) for c in found.categories)}"],
    ]
    if dataset.has_gold:
        share = 100 * found.n_in_text / max(1, found.n_values)
        rows += [
            ["attributes with gold values", f"{found.n_filled}"],
            ["attributes with several gold values", f"{found.n_several}"],
            ["attributes without a value", f"{found.n_none}"],
            ["gold values found in the text", f"{share:.1f}%"],
        ]
    yield format_table(rows)
    by_category = [["category", "documents", "attributes", "filled in"]]
    for category, n in sorted(found.categories.items()):
        counts = found.attributes[category]
        n_names = str(len(found.attribute_names(category)))
        by_category.append([category or "(none)", str(n), n_names, str(counts.total())])
    yield format_table(by_category)
    if found.problems:
        heading = f"{counted(len(found.problems), 'row')} cannot be read:"
        yield "\n".join([heading, *_first_lines(found.problems)])
    if found.notices:
        heading = f"{counted(len(found.notices), 'row', 'is')} odd:"
        yield "\n".join([heading, *_first_lines(found.notices)])
