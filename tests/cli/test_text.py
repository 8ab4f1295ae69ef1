"""``hpd text``: what a model will see of a document, and where it stands."""

import json

import pytest

from hpd.cli import main
from pdf_files import pdf_of, placed_pdf


def test_the_text_of_a_pdf_is_that_which_a_model_sees(tmp_path, capsys):
    path = tmp_path / "a.pdf"
    path.write_bytes(placed_pdf(("Item", 40, 200), ("Sum", 120, 200), ("5.00", 120, 185)))
    assert main(["text", str(path)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split() == ["Item", "Sum"]
    assert second.index("5.00") == first.index("Sum")


def test_several_documents_have_their_names_above_them(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.csv").write_text("name,price\nlamp,5\npan,7\n")
    (tmp_path / "c.pdf").write_bytes(b"broken")
    assert main(["text", str(tmp_path)]) == 3
    shown = capsys.readouterr()
    assert shown.out == (
        f"==> {tmp_path}/a.txt <==\none\n\n==> {tmp_path}/b.csv:1 <==\nname: lamp\nprice: 5\n\n"
        f"==> {tmp_path}/b.csv:2 <==\nname: pan\nprice: 7\n"
    )
    assert "c.pdf: cannot be read as PDF" in shown.err
    assert main(["text", str(tmp_path / "b.csv"), "--as", "document"]) == 0
    assert capsys.readouterr().out == "name  price\nlamp  5\npan   7\n"


@pytest.mark.parametrize(
    ("page", "matrix", "at", "left", "top"),
    [
        ("/MediaBox [0 0 500 300]", "1 0 0 1", (40, 250), 40, 43),
        ("/MediaBox [0 0 500 300] /CropBox [30 20 500 290]", "1 0 0 1", (40, 250), 10, 33),
        ("/MediaBox [0 0 300 500] /Rotate 90", "0 1 -1 0", (50, 40), 40, 43),
        ("/MediaBox [0 0 500 300] /Rotate 180", "-1 0 0 -1", (460, 50), 40, 43),
        ("/MediaBox [0 0 300 500] /Rotate 270", "0 -1 1 0", (250, 460), 40, 43),
    ],
)
def test_boxes_are_counted_from_the_top_left_of_the_page_as_it_is_shown(
    page, matrix, at, left, top, tmp_path, capsys
):
    path = tmp_path / "a.pdf"
    path.write_bytes(placed_pdf(("Invoice 4711", *at), matrix=matrix, page=page))
    assert main(["text", str(path), "--boxes"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["text"], first["start"], first["end"]) == ("Invoice", 0, 7)
    assert (second["text"], second["page"]) == ("4711", 1)
    ((x0, y0, x1, y1),) = first["boxes"]
    assert (x0, y0) == pytest.approx((left, top), abs=2)
    assert x1 - x0 == pytest.approx(32, abs=2)
    assert y1 - y0 == pytest.approx(7, abs=2)
    assert second["boxes"][0][0] > x1


def test_a_word_on_the_second_page_says_so(tmp_path, capsys):
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_of("one", "two"))
    main(["text", str(path), "--boxes"])
    words = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(word["text"], word["page"]) for word in words] == [("one", 1), ("two", 2)]
