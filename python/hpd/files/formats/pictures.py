"""Pictures and scans, whose text RapidOCR recognises."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from typing import Any

from hpd.errors import InputError
from hpd.extras import import_extra
from hpd.files.formats.page_layout import Letter, lines_of
from hpd.files.rows import RECOGNISER, WholeText, whole_text
from hpd.files.streams import Source

RECOGNISED = "the text was recognised in pictures, so that letters may be wrong"
_NEEDED_FOR = "reading pictures and scans"


@cache
def recogniser() -> Any:
    """RapidOCR, with its models.

    Raises:
        MissingPackageError: it is not installed.
    """
    return import_extra(RECOGNISER, "rapidocr-onnxruntime", "ocr", _NEEDED_FOR).RapidOCR()


def recognised_letters(pixels: Any, scale: float = 1.0) -> Iterator[Letter]:
    """Iterate over the letters of a picture.

    Args:
        pixels: a NumPy array of its rows.
        scale: pixels per point; boxes are in points.
    """
    lines, _ = recogniser()(pixels)
    for (top_left, top_right, bottom_right, bottom_left), text, _ in lines or ():
        for n, letter in enumerate(text):
            # Of a line only its four corners are known; its letters share it.
            corners = [
                (start[i] + (end[i] - start[i]) * part / len(text)) / scale
                for start, end in ((top_left, top_right), (bottom_left, bottom_right))
                for part in (n, n + 1)
                for i in (0, 1)
            ]
            xs, ys = corners[::2], corners[1::2]
            yield Letter(letter, (min(xs), min(ys), max(xs), max(ys)))
        yield Letter("\n", (0, 0, 0, 0))


def _read_picture(source: Source) -> WholeText:
    """Read the text of a picture; several pictures in a file, such as a fax, are pages."""
    recogniser()
    import numpy as np
    from PIL import Image, ImageOps, ImageSequence

    with Image.open(io.BytesIO(source.read())) as image:
        frames = [
            np.asarray(ImageOps.exif_transpose(frame).convert("RGB"))
            for frame in ImageSequence.Iterator(image)
        ]
    pages = [lines_of(recognised_letters(frame)) for frame in frames]
    if not any(pages):
        raise InputError(f"{source.name}: no text was recognised in this picture")
    source.notes.append(RECOGNISED)
    return whole_text(pages)


TEXT_READERS = {"image": _read_picture}
