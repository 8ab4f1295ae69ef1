"""Pictures and scans, whose text RapidOCR recognises."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import cos, dist, pi, radians, sin
from statistics import median
from typing import Any

from hpd.documents import Box, Document
from hpd.errors import InputError
from hpd.extras import import_extra
from hpd.files.formats.page_layout import Letter, lines_of
from hpd.files.rows import RECOGNISER, PlacedText, whole_text
from hpd.files.streams import Source

RECOGNISED = "the text was recognised in pictures, so that letters may be wrong"
MAX_SIDE = 1800
"""Pixels of the longer side of a page that is shown: posters are made smaller."""
_NEEDED_FOR = "reading pictures and scans"
_MIN_SCORE = 0.5
"""Minimum score of a line; others are taken for no text."""
_MIN_UPRIGHT_SCORE = 0.7
"""Mean score of lines below which they may be upside down: such lines have some 0.4, others 0.9."""
_MIN_BLANK, _MIN_BLANK_BESIDE_1 = 0.2, 0.3
"""Minimum width of a blank, relative to the height of its line; wider beside a narrow 1."""
_MIN_BLANK_TO_GAPS = 2.0
"""And relative to the line's median gap between letters, which is wide in typewriters' fonts."""
_MIN_BLANK_IN_NUMBER = 0.5
"""The same between a number's digits and marks."""
_IN_NUMBER = re.compile(r"\d[.,:/-]\d$|\d[/-]$|[$€£]\d$")
_NO_BLANK_WITHIN = re.compile(
    # Beside a blank, before a mark, or between letters of scripts without blanks.
    r"\s.$|.\s$|[,.;:!?)\]%]$"
    r"|[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]{2}$|[\u0e00-\u0e7f]{2}$"
)
"""The end of a text within which there is no blank before the last letter."""
_CONTRAST = 0.4
"""Minimum contrast of ink, relative to the darkest of its line."""
_MAX_SPECKS = 0.04
"""Maximum share of ink in a column of pixels between letters."""
_N_ROWS = 1000
"""Number of rows of pixels with which the angle of a page is measured."""
_MAX_SKEW = 80
"""Maximum angle of a page that is askew, in tenths of a degree."""
_MIN_GAIN = 1.05
"""Minimum contrast at that angle, relative to that of a level page."""

_Corners = tuple[Sequence[float], ...]
"""The corners of a line, clockwise from where it begins."""


@dataclass(frozen=True, slots=True)
class _OcrLine:
    """A recognised line."""

    corners: _Corners
    score: float
    letters: Sequence[str]
    middles: Sequence[float]
    """Where the middle of each letter is, from 0 at the beginning of the line to 1 at its end."""


@cache
def recogniser() -> Any:
    """RapidOCR, with its models.

    Raises:
        MissingPackageError: it is not installed.
    """
    return import_extra(RECOGNISER, "rapidocr-onnxruntime", "ocr", _NEEDED_FOR).RapidOCR()


def recognise_lines(pixels: Any, scale: float = 1.0) -> list[list[PlacedText]]:
    """Return the lines of a picture, which may be turned or askew.

    Args:
        pixels: a NumPy array of its rows.
        scale: pixels per point; boxes are in points.
    """
    found = _recognise(pixels)
    is_page_tall = sum(_tallness(line.corners) for line in found) > 0
    lines: list[_OcrLine] = []
    angle = 0.0
    turned: list[_OcrLine] | None = None
    for is_tall in (False, True):
        own, n_turns = _lines_of_direction(found, is_tall, is_page_tall), int(is_tall)
        if own and _mean_score(own) < _MIN_UPRIGHT_SCORE:
            if turned is None:
                turned = _recognise(pixels, is_turned=True)
            others = _lines_of_direction(turned, is_tall, is_page_tall)
            if _mean_score(others) > _mean_score(own):
                own, n_turns = others, n_turns + 2
        own = [line for line in own if line.letters and line.score >= _MIN_SCORE]
        lines += own
        if own and is_tall == is_page_tall:
            angle = n_turns * pi / 2 + _angle(pixels, is_tall)
    grey = _grey(pixels)
    letters = [
        letter
        for line in lines
        for letter in _letters(_rotate(line.corners, -angle), _insert_blanks(line, grey), scale)
    ]
    return [
        [(text, box and _bounding_box(_rotate(_corners(box), angle))) for text, box in line]
        for line in lines_of(letters)
    ]


def _recognise(pixels: Any, *, is_turned: bool = False) -> list[_OcrLine]:
    """Return what RapidOCR takes for lines, whatever their scores.

    It may read a picture that is turned by 180 degrees; the corners are those of the picture as it
    is. RapidOCR's own judgement of this is wrong about many long lines.
    """
    import numpy as np

    height, width = pixels.shape[:2]
    shown = np.ascontiguousarray(np.rot90(pixels, 2)) if is_turned else pixels
    options = {"use_cls": False, "text_score": 0.0, "return_word_box": True}
    lines = []
    for corners, text, score, boxes, letters, _ in recogniser()(shown, **options)[0] or ():
        quads = [corners, *boxes]
        if is_turned:
            quads = [[(width - x, height - y) for x, y in quad] for quad in quads]
        # Its first corner is the top left one, also of a line that is read from below.
        n = int(_tallness(quads[0]) > 0)
        line: _Corners = (*quads[0][n:], *quads[0][:n])
        middles = [_share_of_line(line, _middle(quad)) for quad in quads[1:]]
        if "".join(letters) != text or middles != sorted(middles):
            letters, middles = text, [(n + 0.5) / len(text) for n in range(len(text))]
        lines.append(_OcrLine(line, score, letters, middles))
    return lines


def _lines_of_direction(
    lines: Iterable[_OcrLine], is_tall: bool, is_page_tall: bool
) -> list[_OcrLine]:
    """Return the lines that are tall or wide; one or two letters are neither."""
    return [
        line
        for line in lines
        if (is_page_tall if len(line.letters) < 3 else _tallness(line.corners) > 0) == is_tall
    ]


def _mean_score(lines: Sequence[_OcrLine]) -> float:
    n_letters = sum(len(line.letters) for line in lines)
    return sum(line.score * len(line.letters) for line in lines) / max(1, n_letters)


def _tallness(corners: _Corners) -> float:
    """Return the height of a line minus its width."""
    left, top, right, bottom = _bounding_box(corners)
    return (bottom - top) - (right - left)


def _middle(quad: _Corners) -> tuple[float, float]:
    xs, ys = zip(*quad, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def _share_of_line(corners: _Corners, point: Sequence[float]) -> float:
    """Return how far along a line a point is, from 0 to 1."""
    (x, y), (end_x, end_y), *_ = corners
    along = (end_x - x, end_y - y)
    length = along[0] ** 2 + along[1] ** 2
    return ((point[0] - x) * along[0] + (point[1] - y) * along[1]) / max(length, 1e-9)


def _grey(pixels: Any) -> Any:
    return pixels.reshape(*pixels.shape[:2], -1).mean(axis=2)


def _insert_blanks(line: _OcrLine, grey: Any) -> Iterator[tuple[str, float]]:
    """Yield the letters of a line and their middles, with blanks where there are gaps.

    RapidOCR's model leaves out most blanks.
    """
    gaps = _gaps(line.corners, grey)
    usual = median(width for _, width in gaps) if gaps else 0.0
    written, last = "", 0.0
    for letter, middle in zip(line.letters, line.middles, strict=True):
        text = written[-2:] + letter
        if written and not _NO_BLANK_WITHIN.search(text):
            if _IN_NUMBER.search(text):
                least = _MIN_BLANK_IN_NUMBER
            else:
                is_beside_1 = text[-2:].isdecimal() and "1" in text[-2:]
                least = _MIN_BLANK_BESIDE_1 if is_beside_1 else _MIN_BLANK
            needed = max(least, _MIN_BLANK_TO_GAPS * usual)
            if any(last < gap <= middle and width >= needed for gap, width in gaps):
                yield " ", (last + middle) / 2
        yield letter, middle
        written, last = written + letter, middle


def _gaps(corners: _Corners, grey: Any) -> list[tuple[float, float]]:
    """Return the gaps in a line: their middles, from 0 to 1, and widths relative to its height."""
    import numpy as np

    top_left, top_right, bottom_right, bottom_left = (np.array(corner) for corner in corners)
    height = int(dist(top_left, bottom_left))
    width = int(dist(top_left, top_right))
    if min(height, width) < 2:
        return []
    along = np.linspace(0, 1, width)[None, :, None]
    # Rules above and below the line are left out.
    down = np.linspace(0.12, 0.88, height)[:, None, None]
    points = (1 - down) * ((1 - along) * top_left + along * top_right) + down * (
        (1 - along) * bottom_left + along * bottom_right
    )
    columns, rows = np.moveaxis(points.round().astype(int), 2, 0)
    shades = grey[rows.clip(0, grey.shape[0] - 1), columns.clip(0, grey.shape[1] - 1)]
    contrast = abs(shades - np.median(shades))
    is_ink = contrast > _CONTRAST * np.percentile(contrast, 98)
    marked = np.flatnonzero(is_ink.mean(axis=0) > _MAX_SPECKS)
    before = np.flatnonzero(np.diff(marked) > 1)
    begin, end = marked[before] + 1, marked[before + 1]
    middles, widths = (begin + end) / 2 / width, (end - begin) / height
    return list(zip(middles.tolist(), widths.tolist(), strict=True))


def _angle(pixels: Any, is_tall: bool) -> float:
    """Return the angle by which a page is askew: the one at which lines and gaps differ most."""
    import numpy as np

    step = max(1, max(pixels.shape) // _N_ROWS)
    grey = _grey(pixels[::step, ::step])
    ys, xs = np.nonzero(abs(grey - np.median(grey)) > grey.std())
    if is_tall:
        ys, xs = xs, -ys

    def contrast(angle: float) -> float:
        rows = np.round(ys * cos(angle) - xs * sin(angle)).astype(int)
        return float((np.bincount(rows - rows.min(initial=0)).astype(float) ** 2).sum())

    best = max((radians(tenths / 10) for tenths in range(-_MAX_SKEW, _MAX_SKEW + 1)), key=contrast)
    return best if contrast(best) > _MIN_GAIN * contrast(0.0) else 0.0


def _rotate(corners: _Corners, angle: float) -> _Corners:
    """Rotate some points about the top left of the picture."""
    return tuple(
        (x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)) for x, y in corners
    )


def _corners(box: Box) -> _Corners:
    left, top, right, bottom = box
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _bounding_box(points: Iterable[Sequence[float]]) -> Box:
    """Return the box around some points."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _letters(
    corners: _Corners, letters: Iterable[tuple[str, float]], scale: float
) -> Iterator[Letter]:
    """Yield the letters of a line, and its end. Each reaches halfway to its neighbours."""
    top_left, top_right, bottom_right, bottom_left = corners
    texts, middles = zip(*letters, strict=True)
    bounds = [0.0, *((one + two) / 2 for one, two in pairwise(middles)), 1.0]
    for text, left, right in zip(texts, bounds, bounds[1:], strict=False):
        box = _bounding_box(
            [(start[i] + (end[i] - start[i]) * share) / scale for i in (0, 1)]
            for start, end in ((top_left, top_right), (bottom_left, bottom_right))
            for share in (left, right)
        )
        yield Letter(text, box)
    yield Letter("\n", (0, 0, 0, 0))


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is displayed."""

    number: int
    """Of the page, from 1."""
    width: float
    """In the unit of its boxes: points, or pixels of a picture."""
    height: float
    png: bytes
    """The picture in 16 shades of grey."""


def image_pages(source: Source, numbers: Iterable[int]) -> Iterator[PagePicture]:
    """Yield some of the pictures in a file; numbers that it does not have are left out.

    Raises:
        InputError: the file cannot be read.
        MissingPackageError: Pillow is not installed.
    """
    import_extra("PIL", "pillow", "ocr", _NEEDED_FOR)
    import numpy as np
    from PIL import Image

    try:
        frames = _frames(source.read())
    except OSError as error:
        raise InputError(f"{source.name}: cannot be shown: {error}") from error
    for number in numbers:
        if 1 <= number <= len(frames):
            frame = frames[number - 1]
            width, height = frame.size
            scale = min(1.0, MAX_SIDE / max(frame.size))
            shown = frame.convert("L").resize(
                (max(1, round(width * scale)), max(1, round(height * scale))), Image.Resampling.BOX
            )
            yield PagePicture(number, width, height, png_of(np.asarray(shown)))


def png_of(pixels: Any) -> bytes:
    """Encode rows of grey pixels as a PNG with four bits per pixel."""
    import numpy as np

    height, width = pixels.shape[:2]
    shades = pixels.reshape(height, width) >> 4
    if width % 2:
        shades = np.pad(shades, ((0, 0), (0, 1)))
    rows = np.zeros((height, 1 + shades.shape[1] // 2), np.uint8)  # each begins with its filter: 0
    rows[:, 1:] = shades[:, ::2] << 4 | shades[:, 1::2]
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes())),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


def _frames(data: bytes) -> list[Any]:
    """Return the pictures in a file, upright as cameras record it."""
    from PIL import Image, ImageOps, ImageSequence

    with Image.open(io.BytesIO(data)) as image:
        return [
            ImageOps.exif_transpose(frame).convert("RGB") for frame in ImageSequence.Iterator(image)
        ]


def _read_picture(source: Source) -> Document:
    """Read the text of a picture; several pictures in a file, such as a fax, are pages."""
    recogniser()
    import numpy as np

    pages = [recognise_lines(np.asarray(frame)) for frame in _frames(source.read())]
    if not any(pages):
        raise InputError(f"{source.name}: no text was recognised in this picture")
    source.notes.append(RECOGNISED)
    return whole_text(pages)


TEXT_READERS = {"image": _read_picture}
