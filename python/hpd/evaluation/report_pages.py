"""Draws the pages that contain the values of a report."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from hpd.errors import InputError
from hpd.evaluation.report import ReportedDocument, ReportedPage
from hpd.files.formats.pdf import page_pictures
from hpd.files.formats.pictures import PagePicture, image_pages
from hpd.files.reader import open_source
from hpd.files.rows import EXTENSIONS
from hpd.files.streams import Source, without_compression
from hpd.messages import counted
from hpd.version import install_command

MAX_EMBEDDED = 16 << 20
"""Maximum bytes of all embedded pictures; if there are more, the pictures are files instead."""

_NAME = re.compile(r"\d+-\d+\.png")


class PictureStore:
    """Keeps the pictures of a report: embedded in its HTML or, if large, in a folder beside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pictures: dict[str, bytes] = {}
        self._n_bytes = 0
        self.is_beside = False
        """Whether the pictures are in the folder."""

    def add(self, document: int, picture: PagePicture) -> str:
        """Keep the picture of a page, and return its name."""
        name = f"{document}-{picture.number}.png"
        self._pictures[name] = picture.png
        self._n_bytes += len(picture.png)
        if self._n_bytes > MAX_EMBEDDED:
            if not self.is_beside:
                self.remove_files()
                self._folder.mkdir(exist_ok=True)
                self.is_beside = True
            for each, png in self._pictures.items():
                (self._folder / each).write_bytes(png)
            self._pictures.clear()
        return name

    def url(self, name: str) -> str:
        """Return the URL of a picture, once all have been added."""
        if self.is_beside:
            return f"{quote(self._folder.name)}/{name}"
        return "data:image/png;base64," + base64.b64encode(self._pictures[name]).decode()

    def remove_files(self) -> None:
        """Remove the pictures of an earlier report, and their folder if it is then empty."""
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if _NAME.fullmatch(path.name):
                    path.unlink()
            if not any(self._folder.iterdir()):
                self._folder.rmdir()


def with_pages(
    documents: Sequence[ReportedDocument], store: PictureStore, notices: list[str]
) -> list[ReportedDocument]:
    """Add pictures of their pages to documents that are readable PDF files or pictures.

    Pages with values and their neighbours are drawn; for a document without values, the first page.
    ``notices`` receives a line for what cannot be shown.
    """
    # Pages have names of pictures until it is known whether all of these can be embedded.
    found: list[list[ReportedPage]] = []
    errors: list[InputError] = []
    n_unknown = 0
    for number, document in enumerate(documents, start=1):
        pages: list[ReportedPage] = []
        suffix = without_compression(document.file or document.id).suffix.lower()
        is_image = EXTENSIONS.get(suffix) == "image"
        if document.file is not None and (is_image or suffix == ".pdf"):
            draw = image_pages if is_image else page_pictures
            places = [value.place for value in document.values if value.place is not None]
            near = {place.page + by for place in places for by in (-1, 0, 1)}
            try:
                with open_source(document.file) as file:
                    for each in draw(Source(file, document.file), sorted(near) or [1]):
                        name = store.add(number, each)
                        pages.append((each.number, each.width, each.height, name))
            except InputError as error:
                errors.append(error)
        elif document.file is None and suffix == ".pdf":
            n_unknown += any(value.place is not None for value in document.values)
        found.append(pages)
    if n_unknown:
        why = (
            "the files are not where they were; --documents PATH names them"
            if find_spec("pypdfium2")
            else f"pypdfium2 is not installed: run `{install_command('pdf')}`"
        )
        notices.append(f"the pages of {counted(n_unknown, 'PDF file')} are not shown: {why}")
    if errors:
        notices.append(f"the pages of {counted(len(errors), 'file')} cannot be shown: {errors[0]}")
    return [
        replace(document, pages=tuple((*page[:3], store.url(page[3])) for page in pages))
        for document, pages in zip(documents, found, strict=True)
    ]
