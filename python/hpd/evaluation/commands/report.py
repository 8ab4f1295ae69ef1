"""``hpd report``: a page that shows extractions."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from markupsafe import escape

from hpd.cli.arguments import add_category_argument, add_document_arguments
from hpd.cli.common import EXIT_OK, UsageError, input_errors_as_usage, say
from hpd.cli.output import lines_file
from hpd.evaluation.calibration import calibrate, scored_answers
from hpd.evaluation.commands.inputs import (
    add_output_argument,
    check_fields,
    check_output_file,
    read_gold,
    source_documents,
)
from hpd.evaluation.matching import match_rows
from hpd.evaluation.report import report_html, reported_documents
from hpd.evaluation.report_pages import PictureStore, with_pages
from hpd.evaluation.rows import Example, load_predictions
from hpd.evaluation.scores import evaluate
from hpd.files.own_files import N_PAGE_HEAD, PAGE_MARK
from hpd.messages import counted

_DESCRIPTION = """\
Make an HTML page of the output of hpd extract: each document with its values marked in the text,
totals, confidences, and filters to find what needs attention. PDF files are shown as pages, with
boxes around the values. Values can be corrected in the page, and saved as gold. It is one file
(with a folder beside it if the pages are large) and needs no network.

The texts come from --documents; otherwise from PRED if it was written with --with-text, from the
input of the run, which is read again, or from GOLD.
With GOLD, the page shows what is right and wrong, as counted by hpd eval.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("report", description=_DESCRIPTION)
    parser.add_argument("predictions", metavar="PRED", help="output of hpd extract")
    parser.add_argument("gold", metavar="GOLD", nargs="?", help="documents with gold values")
    add_output_argument(parser, "default report.html", "report.html")
    parser.add_argument(
        "--title", metavar="TEXT", default="Extractions", help="heading of the page"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a page of other extractions"
    )
    parser.add_argument(
        "--no-pages", action="store_true", help="show the text of PDF files, but not their pages"
    )
    group = parser.add_argument_group("texts and categories")
    add_document_arguments(group)
    add_category_argument(group)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    read = (arguments.predictions, arguments.gold, arguments.documents)
    check_output_file(Path(arguments.output), read, overwrite=True)
    folder = Path(arguments.output).with_name(f"{Path(arguments.output).stem}_files")
    check_fields(arguments)
    with input_errors_as_usage():
        predictions = list(load_predictions(arguments.predictions))
    if os.path.exists(arguments.output):
        _check_page(arguments.output, arguments.predictions, overwrite=arguments.overwrite)
    elif folder.exists():
        raise UsageError(
            f"{folder}, where the pictures of {arguments.output} may go, exists already: move it, "
            "or name another output"
        )
    with input_errors_as_usage():
        if not predictions:
            raise UsageError(f"{arguments.predictions} has no lines")
        notices: list[str] = []
        sources = source_documents(arguments, predictions, notices)
        examples: Sequence[Example | None] = [None] * len(predictions)
        scores = calibration = None
        if arguments.gold is not None:
            gold = read_gold(arguments.gold, arguments)
            matching = match_rows(gold, predictions, arguments.predictions)
            notices += matching.notices(arguments.gold)
            examples, scores = matching.examples, evaluate(gold, matching.data).plain.micro
            if stated := scored_answers(gold, matching.predictions):
                calibration = calibrate(stated)
    documents = reported_documents(predictions, examples, sources, arguments.category_field)
    n_failed = sum(document.error is not None and not document.attributes for document in documents)
    if n_failed:
        notices.append(f"{counted(n_failed, 'document', of=len(documents))} failed")
    n_without = sum(document.text is None and document.error is None for document in documents)
    if n_without:
        notices.append(
            f"{counted(n_without, 'document', 'has', of=len(documents))} no text here, so the "
            "values are shown alone; hpd extract --with-text writes it, --documents PATH adds it"
        )
    lines = lines_file(arguments.predictions)
    is_table = lines != Path(arguments.predictions)
    if is_table and lines.is_file() and not any(each.fields for each in predictions):
        notices.append(f"a table has neither confidences nor places: hpd report {lines} shows both")
    store = PictureStore(folder)
    if not arguments.no_pages:
        documents = with_pages(documents, store, notices)
    page = report_html(
        documents,
        title=arguments.title,
        source=Path(arguments.predictions).name,
        scores=scores,
        calibration=calibration,
        notices=notices,
        pictures_beside=store.is_beside,
    )
    if not store.is_beside:
        store.remove_files()
    Path(arguments.output).write_text(page, encoding="utf-8")
    for notice in notices:
        say(notice)
    print(arguments.output)
    return EXIT_OK


def _check_page(path: str, predictions: str, *, overwrite: bool) -> None:
    """Refuse to replace another file, or, without ``--overwrite``, a page of other extractions."""
    try:
        page = Path(path).read_bytes()
    except OSError:
        page = b""
    if PAGE_MARK not in page[:N_PAGE_HEAD]:
        raise UsageError(f"{path} is not a page of hpd report: name another output")
    # A table and its lines have the same extractions.
    name = Path(predictions).name
    names = (name, lines_file(name).name, name.removesuffix(".jsonl"))
    shown = [f'<p class="source">{escape(each)}</p>'.encode() for each in names]
    if not overwrite and not any(each in page for each in shown):
        raise UsageError(
            f"{path} is the page of other extractions: replace it (--overwrite), or name another "
            "(-o FILE)"
        )
