"""Reports of PDF files: pictures of their pages, and boxes on them."""

import base64
import html
import json
import re
import struct
import zlib

import numpy as np
import pypdfium2
import pytest

import hpd
from fake_extractor import FakeExtractor
from fake_recogniser import recognising
from hpd.cli import main
from hpd.evaluation import report_pages
from hpd.files.formats.pdf import page_pictures
from hpd.files.streams import Source
from hpd.results import Extraction, FieldValue
from hpd.show.shown_values import shown_values
from jsonl import write_lines
from pdf_files import pdf_of, placed_pdf

DPI = 110
WHITE = 15


def report_data(page):
    """The data of the page's script."""
    (data,) = re.findall(
        r'<script id="data" type="application/json">(.*?)</script>', page.read_text("utf-8")
    )
    return json.loads(data)


def pages_of(page):
    """For each document its pages: number, width, height, address."""
    return [(row + [None] * 8)[7] or [] for row in report_data(page)["documents"]]


def line_of(path, *words):
    """A line as ``hpd extract`` writes it, with values that are words of the document."""
    (document,) = hpd.read_documents(path)
    data, fields = {}, {}
    for number, word in enumerate(words):
        start = document.text.index(word)
        span = {"start": start, "end": start + len(word), "match": "exact"}
        data[f"f{number}"] = word
        fields[f"f{number}"] = span | document.places.of(start, start + len(word)).to_dict()
    return {"id": document.id, "data": data, "fields": fields}


def pixels(png):
    """The shades of a PNG with four bits per pixel, 15 for white."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, bits, kind = struct.unpack(">IIBB", png[16:26])
    assert (bits, kind) == (4, 0)
    (n_bytes,) = struct.unpack(">I", png[33:37])
    rows = np.frombuffer(zlib.decompress(png[41 : 41 + n_bytes]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return np.stack([rows[:, 1:] >> 4, rows[:, 1:] & 15], axis=2).reshape(height, -1)[:, :width]


def embedded(address):
    return base64.b64decode(address.removeprefix("data:image/png;base64,"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    return tmp_path


def written(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


# --- which pages ---


def test_pages_with_values_and_their_neighbours_are_shown(folder, capsys):
    long = written("docs/long.pdf", pdf_of(*(f"page{n} here" for n in range(1, 10))))
    bare = written("docs/bare.pdf", pdf_of("first", "second"))
    write_lines(folder / "v.jsonl", line_of(long, "page2", "page7"), {"id": bare, "data": {"a": 1}})
    assert main(["report", "v.jsonl", "--documents", "docs", "-o", "r.html"]) == 0
    assert capsys.readouterr().err == ""
    found = pages_of(folder / "r.html")
    assert [[each[0] for each in pages] for pages in found] == [[1, 2, 3, 6, 7, 8], [1]]
    for _, width, height, address in found[0]:
        assert (width, height) == (300, 200)
        shades = pixels(embedded(address))
        assert shades.shape == (round(200 * DPI / 72), round(300 * DPI / 72) + 1)
    assert not (folder / "r_files").exists()
    assert "img-src data:;" in (folder / "r.html").read_text()


@pytest.fixture
def recognised(monkeypatch):
    """A stand-in for what recognises the texts of pictures."""
    line = [[[200, 40], [400, 40], [400, 60], [200, 60]], "Nordvik", 0.99, [], [], []]

    def recognise(_, **__):
        return [line], [0.1]

    with recognising(monkeypatch, recognise):
        yield


@pytest.mark.parametrize(("size", "shown"), [((401, 100), (401, 100)), ((3600, 90), (1800, 45))])
def test_a_picture_is_shown_with_its_boxes_in_pixels(size, shown, folder, recognised, capsys):
    image = pytest.importorskip("PIL.Image").new("RGB", size, "white")
    image.paste("black", (200, 40, 400, 60))
    image.save("docs/a.png")
    write_lines(folder / "v.jsonl", line_of("docs/a.png", "Nordvik"))
    assert main(["report", "v.jsonl", "--documents", "docs", "-o", "r.html"]) == 0
    (((number, width, height, address),),) = pages_of(folder / "r.html")
    assert (number, width, height) == (1, *size)
    shades = pixels(embedded(address))
    scale = shown[0] / size[0]
    assert shades.shape[0] == shown[1]
    assert shades[int(50 * scale), int(300 * scale)] == 0
    assert shades[2, 2] == WHITE


def test_without_pages_the_text_is_shown_alone(folder):
    path = written("docs/a.pdf", pdf_of("Nordvik"))
    write_lines(folder / "v.jsonl", line_of(path, "Nordvik"))
    assert main(["report", "v.jsonl", "--documents", "docs", "-o", "r.html", "--no-pages"]) == 0
    assert pages_of(folder / "r.html") == [[]]
    assert report_data(folder / "r.html")["documents"][0][2] == "Nordvik"


def test_the_files_of_the_run_are_found_again(folder, fake, monkeypatch, capsys):
    def answer(_, index, document):
        start = document.text.index("Nordvik")
        span = (start, start + len("Nordvik"))
        brand = FieldValue(start=span[0], end=span[1], match="exact", value="Nordvik")
        fields = {"brand": brand.with_place(document.places)}
        return index, Extraction(document.id, {"brand": "Nordvik"}, fields)

    monkeypatch.setattr(FakeExtractor, "answer", answer)
    for name in ("a", "b"):
        written(f"docs/{name}.pdf", pdf_of("Nordvik"))
    for options in ((), ("--with-text",)):
        run = ["extract", "docs", "--schema", "brand", "-o", "v.jsonl", "--quiet", "--overwrite"]
        assert main([*run, *options]) == 0
        assert main(["report", "v.jsonl", "-o", "r.html"]) == 0
        assert [len(pages) for pages in pages_of(folder / "r.html")] == [1, 1]
    # With --with-text, the text of a changed file is known, but its boxes are wrong.
    written("docs/b.pdf", pdf_of("Not Nordvik"))
    capsys.readouterr()
    assert main(["report", "v.jsonl", "-o", "r.html"]) == 0
    assert "1 document has changed since, so the pages are not shown" in capsys.readouterr().err
    assert [len(pages) for pages in pages_of(folder / "r.html")] == [1, 0]
    assert [row[2] for row in report_data(folder / "r.html")["documents"]] == ["Nordvik"] * 2


# --- boxes ---


@pytest.mark.parametrize(
    "page",
    [
        "/MediaBox [0 0 500 300]",
        "/MediaBox [0 0 500 300] /Rotate 90",
        "/MediaBox [0 0 500 300] /Rotate 180",
        "/MediaBox [0 0 500 300] /Rotate 270",
        "/MediaBox [0 0 500 300] /CropBox [30 20 430 280]",
        "/MediaBox [0 0 500 300] /CropBox [-50 -40 600 400]",
        "/MediaBox [10 20 500 300]",
        "/MediaBox [0 0 500 300] /CropBox [30 20 430 280] /Rotate 90",
        "/MediaBox [500 300 0 0]",
        "/MediaBox [0 0 500 300] /UserUnit 2",
    ],
)
def test_all_ink_is_in_the_boxes(page, folder):
    texts = [("Nordvik", 60, 250), ("240.72", 300, 40)]
    path = written("docs/a.pdf", placed_pdf(*texts, page=page))
    write_lines(folder / "v.jsonl", line_of(path, "Nordvik", "240.72"))
    assert main(["report", "v.jsonl", "--documents", path, "-o", "r.html"]) == 0
    (row,) = report_data(folder / "r.html")["documents"]
    ((_, width, height, address),) = row[7]
    shades = pixels(embedded(address)).copy()
    scale = shades.shape[1] / width
    assert shades.shape[0] / height == pytest.approx(scale, rel=0.01)
    for _, (value, *_) in row[3]:
        (box,) = value[9]
        left, top, right, bottom = (side * scale for side in box)
        inside = np.s_[int(top) - 1 : int(bottom) + 2, int(left) - 1 : int(right) + 2]
        assert shades[inside].min() < 4
        shades[inside] = WHITE
    assert shades.min() == WHITE


def test_a_place_that_is_none_is_left_out():
    fields = {
        "a": {"page": 2, "boxes": [[1, 2, 3, 4], [1, 2, 3], [1, 2, 3, "4"], [1, 2, 3, None], 5]},
        "b": {"page": True, "boxes": [[1, 2, 3, 4]]},
        "c": {"page": 0},
        "d": {"page": 1, "cell": "May!B7"},
        "e": {"page": 1, "boxes": [[1, 2, 3, float("nan")]]},
    }
    places = [value.place for value in shown_values(dict.fromkeys(fields, "x"), fields)]
    assert places == [
        hpd.Place(2, ((1, 2, 3, 4),)),
        None,
        None,
        hpd.Place(1, (), "May!B7"),
        hpd.Place(1),
    ]


def test_the_cell_of_a_value_is_shown(folder):
    fields = {"a": {"start": 0, "end": 1, "page": 1, "cell": "May!B7", "match": "exact"}}
    write_lines(
        folder / "v.jsonl", {"id": "m.xlsx:1", "data": {"a": 7}, "fields": fields, "text": "7"}
    )
    assert main(["report", "v.jsonl", "-o", "r.html"]) == 0
    ((_, (value,)),) = report_data(folder / "r.html")["documents"][0][3]
    assert value == ["7", None, 0, None, None, None, None, True, 1, "May!B7"]


# --- large reports ---


def test_large_pictures_are_files_beside_the_page(folder, monkeypatch, capsys):
    lines = [
        line_of(written(f"docs/{n}.pdf", pdf_of("Nordvik", "a", "b")), "Nordvik") for n in range(4)
    ]
    write_lines(folder / "v.jsonl", *lines)
    command = ["report", "v.jsonl", "--documents", "docs", "-o", "<my> report.html"]
    with monkeypatch.context() as patch:
        patch.setattr(report_pages, "MAX_EMBEDDED", 3000)
        assert main(command) == 0
        page = html.unescape((folder / "<my> report.html").read_text())
        assert "img-src data: 'self' file:;" in page
        addresses = [each[3] for pages in pages_of(folder / "<my> report.html") for each in pages]
        assert addresses[:3] == [f"%3Cmy%3E%20report_files/1-{n}.png" for n in (1, 2)] + [
            "%3Cmy%3E%20report_files/2-1.png"
        ]
        files = sorted(path.name for path in (folder / "<my> report_files").iterdir())
        assert files == [f"{document}-{page}.png" for document in range(1, 5) for page in (1, 2)]
        for name in files:
            assert pixels((folder / "<my> report_files" / name).read_bytes()).min() < WHITE
        # What else is in the folder stays.
        (folder / "<my> report_files" / "mine.txt").write_text("mine")
        write_lines(folder / "v.jsonl", *lines[:3])
        assert main(command) == 0
        assert len([*(folder / "<my> report_files").iterdir()]) == 7
        (folder / "<my> report_files" / "mine.txt").unlink()
    assert main(command) == 0
    assert not (folder / "<my> report_files").exists()
    (folder / "other_files").mkdir()
    capsys.readouterr()
    assert main([*command[:-1], "other.html"]) == 2
    assert "exists already: move it" in capsys.readouterr().err


def test_pages_are_rendered_one_at_a_time(folder, monkeypatch):
    opened = []
    get_page, close = pypdfium2.PdfDocument.get_page, pypdfium2.PdfDocument.close
    closed = []

    def get(pdf, number):
        assert all(page.raw is None for page in opened)
        opened.append(get_page(pdf, number))
        return opened[-1]

    monkeypatch.setattr(pypdfium2.PdfDocument, "get_page", get)
    monkeypatch.setattr(
        pypdfium2.PdfDocument, "close", lambda pdf: (closed.append(pdf), close(pdf))[1]
    )
    with open(written("a.pdf", pdf_of(*"abcde")), "rb") as file:
        pictures = page_pictures(Source(file, "a.pdf"), [1, 2, 3, 9])
        for number, picture in enumerate(pictures, start=1):
            assert len(opened) == picture.number == number
    assert all(page.raw is None for page in opened)
    assert len(closed) == 1
    with open("a.pdf", "rb") as file:
        pictures = page_pictures(Source(file, "a.pdf"), [1, 2, 3])
        next(pictures)
        pictures.close()
    assert len(closed) == 2
    assert len(opened) == 4


def test_the_picture_of_a_poster_is_bounded(folder):
    path = written("a.pdf", placed_pdf(("big", 60, 250), page="/MediaBox [0 0 9000 3000]"))
    with open(path, "rb") as file:
        (picture,) = page_pictures(Source(file, path), [1])
    assert (picture.width, picture.height) == (9000, 3000)
    assert pixels(picture.png).shape == (600, 1800)


# --- what cannot be shown ---


def test_without_pypdfium2_the_text_is_shown(folder, monkeypatch, capsys):
    path = written("docs/a.pdf", pdf_of("Nordvik"))
    write_lines(folder / "v.jsonl", {**line_of(path, "Nordvik"), "text": "Nordvik"})
    monkeypatch.setattr("hpd.evaluation.report_pages.find_spec", lambda _: None)
    assert main(["report", "v.jsonl", "-o", "r.html"]) == 0
    said = capsys.readouterr().err
    assert "the pages of 1 PDF file are not shown: pypdfium2 is not installed: run `pip" in said
    assert pages_of(folder / "r.html") == [[]]
    assert report_data(folder / "r.html")["documents"][0][2] == "Nordvik"


def test_files_that_are_gone_are_told(folder, capsys):
    path = written("docs/a.pdf", pdf_of("Nordvik"))
    write_lines(folder / "v.jsonl", {**line_of(path, "Nordvik"), "text": "Nordvik"})
    assert main(["report", "v.jsonl", "-o", "r.html"]) == 0
    assert "the files are not where they were; --documents PATH names them" in (
        capsys.readouterr().err
    )


def test_a_file_that_cannot_be_rendered_is_told(folder, monkeypatch, capsys):
    paths = [written(f"docs/{name}.pdf", pdf_of("Nordvik")) for name in "ab"]
    write_lines(folder / "v.jsonl", *(line_of(path, "Nordvik") for path in paths))
    rendered = report_pages.page_pictures

    def damaged(source, numbers):
        if source.name == "docs/a.pdf":
            raise hpd.InputError("docs/a.pdf: cannot be rendered")
        return rendered(source, numbers)

    monkeypatch.setattr(report_pages, "page_pictures", damaged)
    assert main(["report", "v.jsonl", "--documents", "docs", "-o", "r.html"]) == 0
    said = capsys.readouterr().err
    assert "the pages of 1 file cannot be shown: docs/a.pdf: cannot be rendered" in said
    assert [len(pages) for pages in pages_of(folder / "r.html")] == [0, 1]
