"""Pictures and scans, whose text RapidOCR recognises."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, dist, pi, radians, sin
from typing import Any

from hpd.documents import Box
from hpd.errors import InputError
from hpd.extras import import_extra
from hpd.files.formats.page_layout import Letter, lines_of
from hpd.files.rows import RECOGNISER, Placed, WholeText, whole_text
from hpd.files.streams import Source

RECOGNISED = "the text was recognised in pictures, so that letters may be wrong"
MAX_SIDE = 1800
"""Pixels of the longer side of a page that is shown: posters are made smaller."""
_NEEDED_FOR = "reading pictures and scans"
_N_JUDGED = 7
"""Number of lines that tell whether a page is upside down."""
_N_ROWS = 1000
"""Number of rows of pixels in which a page is seen whether it is askew."""
_MAX_TENTHS = 80
"""Maximum angle of a page that is askew, in tenths of a degree."""
_MIN_GAIN = 1.05
"""Minimum contrast at that angle, relative to that of a level page."""

_Corners = tuple[Sequence[float], ...]
"""The corners of a line, clockwise from where it begins."""


@cache
def recogniser() -> Any:
    """RapidOCR, with its models.

    Raises:
        MissingPackageError: it is not installed.
    """
    return import_extra(RECOGNISER, "rapidocr-onnxruntime", "ocr", _NEEDED_FOR).RapidOCR()


def recognised_lines(pixels: Any, scale: float = 1.0) -> list[list[Placed]]:
    """Return the lines of a picture, which may be turned or askew.

    Args:
        pixels: a NumPy array of its rows.
        scale: pixels per point; boxes are in points.
    """
    found = [(corners, text) for corners, text, _ in recogniser()(pixels)[0] or ()]
    is_page_tall = sum(_tallness(corners) for corners, _ in found) > 0
    lines: list[tuple[_Corners, str]] = []
    angle = 0.0
    for is_tall in (False, True):
        # One or two letters are neither tall nor wide.
        own = [
            (corners, text)
            for corners, text in found
            if (is_page_tall if len(text) < 3 else _tallness(corners) > 0) == is_tall
        ]
        turns = is_tall + 2 * _is_upside_down(pixels, [corners for corners, _ in own], is_tall)
        # RapidOCR's first corner is the top left one of the picture.
        lines += [((*corners[turns:], *corners[:turns]), text) for corners, text in own]
        if own and is_tall == is_page_tall:
            angle = turns * pi / 2 + _angle(pixels, is_tall)
    level = [(_turned(corners, -angle), text) for corners, text in lines]
    return [
        [(text, box and _around(_turned(_corners(box), angle))) for text, box in line]
        for line in lines_of(_letters(level, scale))
    ]


def _tallness(corners: _Corners) -> float:
    """Return by how much a line is taller than wide."""
    left, top, right, bottom = _around(corners)
    return (bottom - top) - (right - left)


def _is_upside_down(pixels: Any, found: Sequence[_Corners], is_tall: bool) -> bool:
    """Return whether most of the longest lines are upside down, which RapidOCR does not report."""
    import numpy as np

    n_turned = 0
    longest = sorted(found, key=lambda corners: dist(corners[0], corners[2]))[-_N_JUDGED:]
    for corners in longest:
        left, top, right, bottom = (max(0, round(side)) for side in _around(corners))
        line = np.ascontiguousarray(np.rot90(pixels[top:bottom, left:right], is_tall))
        (judged,), _ = recogniser()(line, use_det=False, use_cls=True, use_rec=False)
        n_turned += judged[0] == "180"
    return 2 * n_turned > len(longest)


def _angle(pixels: Any, is_tall: bool) -> float:
    """Return the angle by which a page is askew: at it, lines and gaps differ most."""
    import numpy as np

    step = max(1, max(pixels.shape) // _N_ROWS)
    small = pixels[::step, ::step]
    grey = small.reshape(*small.shape[:2], -1).mean(axis=2)
    ys, xs = np.nonzero(abs(grey - np.median(grey)) > grey.std())
    if is_tall:
        ys, xs = xs, -ys

    def contrast(angle: float) -> float:
        rows = np.round(ys * cos(angle) - xs * sin(angle)).astype(int)
        return float((np.bincount(rows - rows.min(initial=0)).astype(float) ** 2).sum())

    best = max(
        (radians(tenths / 10) for tenths in range(-_MAX_TENTHS, _MAX_TENTHS + 1)), key=contrast
    )
    return best if contrast(best) > _MIN_GAIN * contrast(0.0) else 0.0


def _turned(corners: _Corners, angle: float) -> _Corners:
    """Turn some points about the top left of the picture."""
    return tuple(
        (x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)) for x, y in corners
    )


def _corners(box: Box) -> _Corners:
    left, top, right, bottom = box
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _around(points: Iterable[Sequence[float]]) -> Box:
    """Return the box around some points."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _letters(lines: Iterable[tuple[_Corners, str]], scale: float) -> Iterator[Letter]:
    for (top_left, top_right, bottom_right, bottom_left), text in lines:
        for n, letter in enumerate(text):
            # Of a line only its four corners are known; its letters share it.
            around = _around(
                [(start[i] + (end[i] - start[i]) * part / len(text)) / scale for i in (0, 1)]
                for start, end in ((top_left, top_right), (bottom_left, bottom_right))
                for part in (n, n + 1)
            )
            yield Letter(letter, around)
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


def _read_picture(source: Source) -> WholeText:
    """Read the text of a picture; several pictures in a file, such as a fax, are pages."""
    recogniser()
    import numpy as np

    pages = [recognised_lines(np.asarray(frame)) for frame in _frames(source.read())]
    if not any(pages):
        raise InputError(f"{source.name}: no text was recognised in this picture")
    source.notes.append(RECOGNISED)
    return whole_text(pages)


TEXT_READERS = {"image": _read_picture}
