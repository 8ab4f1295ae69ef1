"""Tells the files that hpd wrote, so that results in a folder are not read as its documents."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from zipfile import ZipFile

from hpd.files.journal import journal_path, last_table
from hpd.files.streams import is_url

CREATOR = "hpd"
"""The creator in the properties of a workbook; other programs keep it when they save a copy."""
PAGE_MARK = b'<meta name="generator" content="hpd">'
"""What the head of an HTML page of hpd contains."""
N_PAGE_HEAD = 4096
_PROPERTIES = "docProps/core.xml"
_CREATED = re.compile(rf"<dc:creator[^>]*>{CREATOR}</dc:creator>".encode())


def is_journal(path: str, among: Collection[str]) -> bool:
    """Return whether a path is the journal of one of the known files, or of a file beside it."""
    lines = path.removesuffix(".run")
    return lines != path and _exists(lines, among)


def is_output(path: str, among: Collection[str]) -> bool:
    """Return whether hpd wrote a file: lines with a journal, a table made from such lines, or a
    workbook or page with hpd's mark. ``among`` are the known paths, as remote ones are not looked
    up."""
    folder = path[: len(path) - len(os.path.basename(path))]
    own, of_lines = (folder + journal_path(Path(lines)).name for lines in (path, f"{path}.jsonl"))
    if _exists(own, among):
        return True
    if is_url(path):
        return of_lines in among
    # ``a.csv`` may also be the input of the lines ``a.csv.jsonl``.
    with suppress(OSError):
        if _table_in_journal(of_lines, os.stat(of_lines).st_mtime_ns) == os.path.basename(path):
            return True
    with suppress(OSError):
        is_marked = path.lower().endswith((".xlsx", ".html"))
        return is_marked and _has_mark(path, os.stat(path).st_mtime_ns)
    return False


def _exists(path: str, among: Collection[str]) -> bool:
    return path in among or (not is_url(path) and os.path.isfile(path))


@lru_cache(1 << 16)  # A watched folder is listed every second.
def _table_in_journal(journal: str, changed: int) -> str | None:
    entry = last_table(Path(journal))
    return None if entry is None else entry.table


@lru_cache(1 << 16)  # A watched folder is listed every second.
def _has_mark(path: str, changed: int) -> bool:
    with suppress(Exception):  # A damaged file is an error of its reader.
        if path.lower().endswith(".html"):
            with open(path, "rb") as page:
                return PAGE_MARK in page.read(N_PAGE_HEAD)
        with ZipFile(path) as book:
            return _CREATED.search(book.read(_PROPERTIES)) is not None
    return False
