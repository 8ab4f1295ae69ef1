"""Pictures and scans, with a stand-in for what recognises their text."""

import cmath
import importlib.util
import io
import math
import sys

import pytest

from fake_recogniser import recognising
from hpd.errors import InputError
from hpd.files.formats.pictures import recogniser
from hpd.files.inputs import InputReader, find_files, skipped_text
from hpd.files.reader import RecordReader
from pdf_files import PICTURE, pdf_of, placed_pdf

NAME = "rapidocr_onnxruntime"


def corners(left, top, right, bottom):
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


LINES = [
    (corners(300, 20, 360, 40), "Total", 0.99),
    (corners(20, 20, 80, 40), "Item", 0.99),
    (corners(20, 60, 120, 80), "Pan 28", 0.98),
    (corners(300, 60, 350, 80), "35.00", 0.97),
]
SIZE = (400, 100)


def result(quad, text, score):
    """A line as RapidOCR returns it, with a box for each letter; its first corner is top left.

    An underscore is a blank that it does not recognise.
    """
    n = min(range(4), key=lambda n: sum(quad[n]))
    quad = [*quad[n:], *quad[:n]]
    left, top, right, bottom = around(quad)
    one, two, three, four = quad if right - left > bottom - top else (*quad[1:], quad[0])
    boxes = []
    for n in range(len(text)):
        shares = (n / len(text), (n + 1) / len(text))
        begin, end = (
            [tuple(a + (b - a) * share for a, b in zip(*edge, strict=True)) for share in shares]
            for edge in ((one, two), (four, three))
        )
        boxes.append([*begin, *reversed(end)])
    letters = [(box, letter) for box, letter in zip(boxes, text, strict=True) if letter != "_"]
    boxes, text = zip(*letters, strict=True)
    return [quad, "".join(text), score, [*boxes], [*text], [score] * len(text)]


def draw_line(picture, line):
    """Draw a block for each letter of a line."""
    draw = pytest.importorskip("PIL.ImageDraw").Draw(picture)
    _, _, _, boxes, letters, _ = result(*line)
    for box, letter in zip(boxes, letters, strict=True):
        middle = [sum(part) / 4 for part in zip(*box, strict=True)]
        block = [tuple(m + 0.6 * (p - m) for p, m in zip(q, middle, strict=True)) for q in box]
        if letter != " ":
            draw.polygon(block, fill="black")


def around(points):
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


class Lines(list):
    """Lines on a picture."""

    are_upside_down = False


@pytest.fixture
def recognised(monkeypatch):
    """What stands on every picture, and whether lines of it are upside down."""
    lines = Lines(LINES)

    first = []

    def recognise(pixels, **options):
        if lines.are_upside_down:
            first.append(pixels)
        height, width = pixels.shape[:2]
        assert options == {"use_cls": False, "text_score": 0.0, "return_word_box": True}
        found = list(lines)
        if lines.are_upside_down and pixels is first[0]:
            found = [(quad, "sn l e", 0.4) for quad, *_ in found]
        elif lines.are_upside_down:
            # Of the picture as it is given: turned.
            found = [([(width - x, height - y) for x, y in quad], *rest) for quad, *rest in found]
        return [result(*line) for line in found] or None, [0.1]

    with recognising(monkeypatch, recognise):
        yield lines


@pytest.fixture
def unrecognised(monkeypatch):
    """Nothing that recognises texts is installed."""
    find = importlib.util.find_spec
    for module in ("hpd.files.inputs", "hpd.files.formats.pdf"):
        monkeypatch.setattr(
            sys.modules[module], "find_spec", lambda name: None if name == NAME else find(name)
        )
    monkeypatch.setitem(sys.modules, NAME, None)
    recogniser.cache_clear()


def picture(tmp_path, name):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", SIZE, "white").save(path := tmp_path / name)
    return path


@pytest.mark.parametrize("name", ["a.png", "a.JPG", "a.tiff"])
def test_the_text_of_a_picture_has_lines_columns_and_boxes(name, recognised, tmp_path):
    (record,) = RecordReader(picture(tmp_path, name))
    assert record.error is None, record.error
    first, second = record.text.splitlines()
    assert (first.split(), second.split()) == (["Item", "Total"], ["Pan", "28", "35.00"])
    assert second.index("35.00") == first.index("Total")
    place = record.places.of(record.text.index("28"), record.text.index("28") + 2)
    assert place.page == 1
    assert place.boxes[0] == pytest.approx((20 + 100 * 4 / 6, 60, 120, 80), abs=0.1)
    assert record.notes == ("the text was recognised in pictures, so that letters may be wrong",)


def rotated(points, degrees):
    """Points of a picture that is rotated clockwise, and moved so that none is left out."""
    turn = cmath.rect(1, math.radians(degrees))
    turned = [complex(*point) * turn for point in [*points, *corners(0, 0, *SIZE)]]
    left, top = (min(getattr(point, part) for point in turned) for part in ("real", "imag"))
    return [(point.real - left, point.imag - top) for point in turned[: len(points)]]


@pytest.mark.parametrize("degrees", [90, 180, 270, 4, -2.5, 93, 266])
def test_a_scan_that_is_turned_or_askew_is_read_in_rows(degrees, recognised, tmp_path):
    image = pytest.importorskip("PIL.Image").new("RGB", (500, 500), "white")
    (level,) = RecordReader(picture(tmp_path, "level.png"))
    for n, (own, text, score) in enumerate(LINES):
        recognised[n] = (rotated(own, degrees), text, score)
        draw_line(image, recognised[n])
    recognised.are_upside_down = degrees > 93
    image.save(path := tmp_path / "turned.png")
    (record,) = RecordReader(path)
    assert [line.split() for line in record.text.splitlines()] == [
        line.split() for line in level.text.splitlines()
    ]
    at = record.text.index("35.00")
    (box,) = record.places.of(at, at + 5).boxes
    assert box == pytest.approx(around(rotated(LINES[3][0], degrees)), abs=6)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("John_Doe of_Leeds", "John Doe of Leeds"),
        ("T_o_t_a_l", "Total"),
        ("Total:_1250.50_EUR", "Total: 1250.50 EUR"),
        ("rooms 10,_200 and more", "rooms 10, 200 and more"),
        ("\u5409_\u7530 John Smith_\u7530", "\u5409\u7530 John Smith \u7530"),
    ],
)
def test_blanks_that_are_not_recognised_are_seen(shown, text, recognised, tmp_path):
    recognised[:] = [(corners(20, 20, 380, 50), shown, 0.99)]
    image = pytest.importorskip("PIL.Image").new("RGB", SIZE, "white")
    draw_line(image, recognised[0])
    image.save(path := tmp_path / "a.png")
    (record,) = RecordReader(path)
    assert record.text.strip() == text


def test_what_is_hardly_legible_is_left_out(recognised, tmp_path):
    recognised[0] = (*LINES[0][:2], 0.3)
    (record,) = RecordReader(picture(tmp_path, "a.png"))
    assert "Total" not in record.text
    assert "Item" in record.text


def test_a_picture_without_text_is_an_error(recognised, tmp_path):
    recognised.clear()
    (record,) = RecordReader(picture(tmp_path, "a.png"))
    assert "no text was recognised" in str(record.error)
    (record,) = RecordReader(io.BytesIO(b"nonsense"), format="image")
    assert "cannot be read as a picture" in str(record.error)


def test_pages_of_a_pdf_without_text_are_recognised(recognised):
    (record,) = RecordReader(io.BytesIO(pdf_of("one", "")), format="pdf")
    assert record.text.split() == ["one", "Item", "Total", "Pan", "28", "35.00"]
    place = record.places.of(record.text.index("35.00"), len(record.text))
    assert place.page == 2
    assert place.boxes[0] == pytest.approx(
        [n * 72 / 200 for n in LINES[3][0][0] + LINES[3][0][2]], abs=0.1
    )


def test_a_scan_with_a_stamp_is_recognised_and_a_text_with_a_picture_is_not(recognised):
    stamped = placed_pdf(("Page 1", 40, 280), before=PICTURE)
    (record,) = RecordReader(io.BytesIO(stamped), format="pdf")
    assert record.text.split() == ["Item", "Total", "Pan", "28", "35.00"]
    assert record.notes == ("the text was recognised in pictures, so that letters may be wrong",)
    # The text that is recognised is little more than what is there.
    letter = placed_pdf(("Item Total Pan 28", 40, 280), before=PICTURE)
    (record,) = RecordReader(io.BytesIO(letter), format="pdf")
    assert record.text.split() == ["Item", "Total", "Pan", "28"]
    assert record.notes == ()


def test_without_a_recogniser_it_is_said_what_to_install(unrecognised, tmp_path):
    text = tmp_path / "b.txt"
    text.write_text("two")
    path = picture(tmp_path, "a.png")
    with InputReader([str(path), str(text)]) as reader:
        failed, other = reader
    assert "rapidocr-onnxruntime: run `pip install" in str(failed.error)
    assert "[ocr]" in str(failed.error)
    assert other.text == "two"
    (scan,) = RecordReader(io.BytesIO(pdf_of("")), format="pdf")
    assert "no text layer (a scan?): `pip install" in str(scan.error)
    files = find_files([str(tmp_path)])
    assert files.paths == (str(text),)
    assert "pictures are read after `pip install" in skipped_text(files.skipped)
    path.unlink()
    with pytest.raises(InputError, match="no file"):
        find_files([str(tmp_path / "*.png")])


def test_pictures_of_a_folder_are_read_where_they_can_be(recognised, tmp_path):
    path = picture(tmp_path, "a.png")
    assert find_files([str(tmp_path)]).paths == (str(path),)
