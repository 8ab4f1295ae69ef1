"""E-mails, pages, PDF and office files: no text of them is lost without a word.

The files in ``made`` are those of LibreOffice 7.4, from the .fodt, .fodp and .csv beside them, and
those of Outlook are written by aspose-email-foss 26.3.
"""

import gzip
import io
import weakref
import zipfile
from base64 import b64encode
from email.message import EmailMessage
from pathlib import Path

import pytest

from hpd.cli import main
from hpd.documents import Place
from hpd.errors import InputError
from hpd.files.encodings import known_encoding
from hpd.files.formats import pdf
from hpd.files.inputs import InputReader, Shard
from hpd.files.reader import RecordReader
from jsonl import read_lines
from pdf_files import PICTURE, locked_pdf, pdf_of, placed_pdf

MADE = Path(__file__).with_name("made")
HEAD = b"From: a@b.example\nSubject: order\nMIME-Version: 1.0\n"


def read(data, format):  # noqa: A002
    (record,) = RecordReader(io.BytesIO(data), format=format)
    return record


def mail_text(rest, encoding="utf-8"):
    data = rest if isinstance(rest, bytes) else rest.encode(encoding)
    record = read(HEAD + data, "eml")
    assert record.error is None, record.error
    assert record.text.startswith("From: a@b.example\nSubject: order\n\n")
    return record.text.split("\n\n", 1)[1]


def part(content, kind="text/plain", more=""):
    return f"--B\nContent-Type: {kind}\n{more}\n{content}\n"


def multipart(kind, *parts):
    return f"Content-Type: multipart/{kind}; boundary=B\n\n{''.join(parts)}--B--\n"


MESSAGE, HTML = "message/rfc822", "text/html"
QUOTED = "Content-Transfer-Encoding: quoted-printable\n"
PACKED = b64encode(b"Subject: old\n\nTotal 5").decode()
IMAGE = part("iVBORw0KGgo=", "image/png; name=x.png", "Content-Transfer-Encoding: base64\n")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (multipart("mixed", part("one"), IMAGE, part("two")), "one\n\ntwo\n\nAttachments: x.png"),
        (multipart("alternative", part("\n"), part("<p>Total 99</p>", HTML)), "Total 99"),
        (multipart("alternative", part("plain"), part("<p>html</p>", HTML)), "plain"),
        (multipart("mixed", part("a"), part("<p>b</p>", HTML)), "a\n\nb"),
        (multipart("mixed", part("a"), part("Subject: b\n\n5", MESSAGE)), "a\n\nSubject: b\n\n5"),
        (
            multipart("mixed", part("a"), part("b", more="Content-Disposition: attachment\n")),
            "a\n\nAttachments: unnamed",
        ),
        (
            multipart("mixed", part(PACKED, MESSAGE, "Content-Transfer-Encoding: base64\n")),
            "Subject: old\n\nTotal 5",
        ),
        (multipart("report", part("a"), part("b: c", "message/delivery-status")), "a\n\nb: c"),
        ("Content-Type: multipart/mixed\n\n--B\n\nTotal 5", "--B\n\nTotal 5"),
        ("Content-Type: multipart/alternative; boundary=B\n\nTotal 5", "Total 5"),
        ("Content-Type: multipart/mixed; boundary=--=_P;x\n\n----=_P\n\nbody\n----=_P--\n", "body"),
        (multipart("mixed", part("one")) + "\nlist of the club", "one\n\nlist of the club"),
        (multipart("mixed", "Total 5\n", IMAGE), "Total 5\n\nAttachments: x.png"),
        (multipart("mixed", "no MIME here\n", part("one")), "one"),
        (multipart("mixed") + "\nTotal 5", "Total 5"),
        (multipart("mixed", "Total 5\n") + "\nmore", "Total 5\n\n\nmore"),
        (multipart("mixed", part("a"), part("--C--\nb", "multipart/mixed; boundary=C")), "a\n\nb"),
        (multipart("alternative", part("a"), part("<p>b</p>", HTML), part("c")), "a\n\nc"),
        (
            multipart("alternative", part("no HTML"), part("<p>Total is 99 EUR today</p>", HTML)),
            "Total is 99 EUR today",
        ),
        (multipart("alternative", part("<p>b</p>", HTML), part("c", "text/calendar")), "b"),
        (multipart("report", part("IP: 1.2.3.4\n", "message/feedback-report")), "IP: 1.2.3.4"),
        (multipart("mixed", part("Subject: old\n\n=C3=B6", MESSAGE, QUOTED)), "Subject: old\n\nö"),
    ],
)
def test_the_parts_of_an_e_mail(content, text):
    assert mail_text(content) == text


@pytest.mark.parametrize("charset", [None, "us-ascii", "utf-8", "iso-8859-1", "x-unknown"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_letters_of_an_e_mail_are_those_that_were_meant(charset, encoding):
    kind = "" if charset is None else f"Content-Type: text/plain; charset={charset}\n"
    assert mail_text(f"{kind}\nGröße: 5 € “x”", encoding) == "Größe: 5 € “x”"


def test_other_charsets_of_an_e_mail():
    kind = "Content-Type: text/plain; charset={}\n\n"
    assert mail_text(kind.format("shift_jis") + "日本", "shift_jis") == "日本"
    assert mail_text(kind.format("koi8-r") + "Луна", "koi8-r") == "Луна"
    html = '<html><head><meta charset="koi8-r"></head><body>Луна</body></html>'
    assert mail_text("Content-Type: text/html\n\n" + html, "koi8-r") == "Луна"
    record = read(HEAD + kind.format("shift_jis").encode() + b"ab\x81", "eml")
    assert record.notes == ("letters of a part are not valid shift_jis",)
    record = read(HEAD + kind.format("x-klingon").encode() + b"ab\x81", "eml")
    assert record.notes == ("a part is in an encoding that is not known, x-klingon",)


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        ("utf-8", "Größe für 5 €".encode() + b"\xe2\x82", "Größe für 5 €�"),
        ("gb2312", "日本 für €".encode(), "日本 für €"),
        ("gb2312", "日本".encode("gb18030") + b"\xc8", "日本�"),
        ("iso-2022-jp", b"\x1b$B\x7f\x7f\x1b(B", "�"),
    ],
)
def test_some_letters_of_an_e_mail_may_be_wrong(charset, data, text):
    head = HEAD + f"Content-Type: text/plain; charset={charset}\n\n".encode()
    record = read(head + data, "eml")
    assert record.text.split("\n\n", 1)[1] == text
    assert record.notes == (f"letters of a part are not valid {charset}",) * ("�" in text)


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("windows-31j", "cp932"),
        ("x-gbk", "gb18030"),
        ("cn-big5", "big5"),
        ("ISO-8859-8-I", "iso8859-8"),
        ("windows-874", "cp874"),
        ("x-mac-cyrillic", "mac-cyrillic"),
        ("ansi_x3.4-1968", "cp1252"),
        ("utf-8", "utf-8"),
        ("rot13", None),
    ],
)
def test_names_of_encodings_that_programs_write(label, encoding):
    assert known_encoding(label) == encoding


@pytest.mark.parametrize(
    ("coding", "content", "text"),
    [
        ("quoted-printable;", "=C3=B6", "ö"),
        ('"Quoted Printable" (as it is)', "=C3=B6", "ö"),
        ("base64; charset=utf-8", "w7Y=", "ö"),
        ("base-64", "w7Y", "ö"),
        (
            "base64",
            "bGluZSAx\nbGluZSAy\n___\nlist of the club",
            "line 1line 2\n___\nlist of the club",
        ),
        ("base64", "bGluZSAx\nw7Y=\nbGluZSAy", "line 1öline 2"),
        ("base64", "Total for ö: 5", "Total for ö: 5"),
        ("7-bit", "ö", "ö"),
    ],
)
def test_how_a_part_of_an_e_mail_is_encoded(coding, content, text):
    kind = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding:"
    assert mail_text(f"{kind} {coding}\n\n{content}") == text


def test_a_part_that_is_cut_off_is_told():
    record = read(HEAD + b"Content-Transfer-Encoding: base64\n\nbGluZSAxb", "eml")
    assert record.text.endswith("line 1")
    assert record.notes == ("a part is cut off",)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("=?iso-8859-1?Q?5_=80?=", "5 €"),
        ("=?x-sjis?B?k/qWew==?=", "日本"),
        ("=?unknown?Q?M=FCller?= <a@b@c>", "Müller <a@b@c>"),
        ('"=?utf-8?Q?=C3?= =?utf-8?Q?=B6?=" <mailto:a@b>', '"ö" <mailto:a@b>'),
        ("=?utf-8?B?abcde?= 5", "=?utf-8?B?abcde?= 5"),
        ("=?utf-8?Q?a?= C:\\users", "=?utf-8?Q?a?= C:\\users"),
    ],
)
def test_headers_of_an_e_mail_lose_no_letter(written, meant):
    assert read(f"From: {written}\n\nbody".encode(), "eml").row["from"] == meant


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n\n", b""])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_an_e_mail_begins_and_ends_its_lines_as_it_likes(before, end):
    record = read(before + end.join([b"From: M\xfcller", b"Subject: s", b"", b"body"]), "eml")
    assert record.text == "From: Müller\nSubject: s\n\nbody"


def test_names_and_values_of_a_page_are_not_one_word():
    page = b"<dl><dt>Color<dd>red<dt>Size<dd>M</dl><details><summary>More</summary>5 kg</details>"
    lines = [line.strip() for line in read(page, "html").text.splitlines()]
    assert lines == ["Color", "red", "Size", "M", "More", "5 kg"]


def test_forms_of_a_page_show_what_is_filled_in_checked_and_chosen():
    page = """<form>Name: <input value="Ann Smith"> <input type="hidden" value="secret">
    <input type=checkbox checked>paid <input type=CHECKBOX>sent <input type=radio checked>cash
    Size: <select><option>S<option selected>M<option>L</select>
    Color: <select><option>red<option>blue</select> <select multiple><option>x</select>
    <input type=submit value=Send></form>"""
    words = read(page.encode(), "html").text.split()
    assert words == [*("Name:", "Ann", "Smith", "☒", "paid", "☐", "sent", "☒", "cash"),
                     *("Size:", "M", "Color:", "red")]  # fmt: skip


def test_cells_of_several_rows_or_columns_of_a_page_leave_the_others_in_place():
    page = """<table><tr><th>Region<th>City<th>Sum</tr>
    <tr><td rowspan=2>North<td>Kiel<td>5</tr><tr><td>Husum<td></tr>
    <tr><td colspan=2>Total<td>7</tr><tr><td>a<td rowspan=9>b<td>c</tr><tr><td>d<td>e</table>"""
    lines = [line.rstrip() for line in read(page.encode(), "html").text.splitlines()]
    assert lines == [
        "Region  City   Sum",
        "North   Kiel   5",
        "North   Husum",
        "Total          7",
        "a       b      c",
        "d       b      e",
    ]


@pytest.mark.parametrize("span", ["9", "0"])
def test_a_cell_spans_no_rows_of_another_group(span):
    page = f"""<table><thead><tr><th>Item<th>Qty<tbody><tr><td rowspan={span}>Lamp<td>1<tr><td>2
    <tfoot><tr><td>Sum<td>3</table>"""
    lines = [line.split() for line in read(page.encode(), "html").text.splitlines()]
    assert lines == [["Item", "Qty"], ["Lamp", "1"], ["Lamp", "2"], ["Sum", "3"]]


def test_buttons_are_words_of_their_own():
    page = b"<button>Save</button><button>Send</button><label>Agree</label>"
    assert read(page, "html").text.split() == ["Save", "Send", "Agree"]


MERGED = """Region  City   Sum
North   Kiel   5
North   Husum  6
Total          11"""


def test_cells_of_several_rows_or_columns_of_office_files_leave_the_others_in_place():
    def word(text, settings=""):
        return f"<w:tc><w:tcPr>{settings}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"

    start, rest = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = [
        word("Region") + word("City") + word("Sum"),
        word("North", start) + word("Kiel") + word("5"),
        word("", rest) + word("Husum") + word("6"),
        word("Total", '<w:gridSpan w:val="2"/>') + word("11"),
    ]
    skipped = '<w:trPr><w:gridBefore w:val="1"/></w:trPr>'
    rows.append(skipped + word("Bonn") + word("7"))
    table = "".join(f"<w:tr>{row}</w:tr>" for row in rows)
    document = {
        "_rels/.rels": relations(officeDocument="d.xml"),
        "d.xml": f"<w:tbl>{table}</w:tbl>",
    }
    assert read(zipped(document), "docx").text == f"{MERGED}\n        Bonn   7"

    def slide(text, settings=""):
        return (
            f"<a:tc {settings}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"
        )

    rows = [
        slide("Region") + slide("City") + slide("Sum"),
        slide("North", 'rowSpan="2"') + slide("Kiel") + slide("5"),
        slide("", 'vMerge="1"') + slide("Husum") + slide("6"),
        slide("Total", 'gridSpan="2"') + slide("", 'hMerge="1"') + slide("11"),
    ]
    table = "".join(f"<a:tr>{row}</a:tr>" for row in rows)
    show = {
        "_rels/.rels": relations(officeDocument="s.xml"),
        "s.xml": '<p:sldId id="256" r:id="slide_1"/>',
        "_rels/s.xml.rels": relations(slide_1="1.xml"),
        "1.xml": f"<a:tbl>{table}</a:tbl>",
    }
    assert read(zipped(show), "pptx").text == MERGED

    def odf(text, settings=""):
        return f"<otable:table-cell {settings}><otext:p>{text}</otext:p></otable:table-cell>"

    covered = "<otable:covered-table-cell/>"
    rows = [
        odf("Region") + odf("City") + odf("Sum"),
        odf("North", 'otable:number-rows-spanned="2"') + odf("Kiel") + odf("5"),
        covered + odf("Husum") + odf("6"),
        odf("Total", 'otable:number-columns-spanned="2"') + covered + odf("11"),
    ]
    table = "".join(f"<otable:table-row>{row}</otable:table-row>" for row in rows)
    text = {"content.xml": f"<ooffice:body><otable:table>{table}</otable:table></ooffice:body>"}
    assert read(zipped(text), "odt").text == MERGED


def test_a_table_within_a_table_is_read_once():
    inner = "<w:tbl><w:tr><w:tc><w:p><w:t>in</w:t></w:p></w:tc></w:tr></w:tbl>"
    outer = f"<w:tbl><w:tr><w:tc><w:p><w:t>out</w:t></w:p>{inner}</w:tc></w:tr></w:tbl>"
    document = {"_rels/.rels": relations(officeDocument="d.xml"), "d.xml": outer}
    assert read(zipped(document), "docx").text == "out in"


@pytest.mark.parametrize("n", [100, 300, 1500])
def test_a_page_is_read_to_its_end_however_deep_it_is(n):
    record = read(f"<p>one</p>{'<div>' * n}two{'</div>' * n}<p>three".encode(), "html")
    assert (record.error, record.text.split()) == (None, ["one", "two", "three"])


def test_what_stands_behind_the_end_of_a_page_is_read():
    page = b"<html><body>a</body></html> b <html><body><p>c</p></body></html><p>d</p>"
    assert read(page, "html").text.split() == ["a", "b", "c", "d"]


def test_blocks_of_a_page_are_not_one_word():
    for element in ("section", "form", "center", "fieldset", "dialog", "menu"):
        page = f"x<{element}>a</{element}><{element}>b</{element}>y"
        assert read(page.encode(), "html").text.split() == ["x", "a", "b", "y"], element


def test_a_table_of_a_page_begins_a_line():
    table = "<table><tr><td>Item</td><td>Qty</td></tr></table>"
    for page in (f"Order {table}", f"<b>Order</b>{table}", f"<div>Order</div>{table}"):
        assert read(page.encode(), "html").text == "Order\nItem  Qty", page
    nested = f"<table><tr><td>Order{table}</td><td>Open</td></tr></table>"
    assert read(nested.encode(), "html").text.split() == ["Order", "Item", "Qty", "Open"]


def test_lines_of_a_page_end_with_their_last_letter():
    page = b"<table><tr><td>Item<td>Qty</tr><tr><td>Lamp<td></tr><tr><td>Pan<td>2</tr></table>"
    assert read(page, "html").text == "Item  Qty\nLamp\nPan   2"


def test_templates_of_a_page_are_not_shown():
    page = b"<p>a<template>{{name}}</template> b<noscript>Turn scripts on</noscript> c"
    assert read(page, "html").text == "a b c"


def test_character_data_of_xml_is_text():
    page = "<html><p><![CDATA[5 < 7 & more]]></p></html>"
    assert read(b'<?xml version="1.0"?>' + page.encode(), "html").text == "5 < 7 & more"
    assert read(b"<p>shown</p>" + page.encode(), "html").text == "shown"


def test_a_page_that_shows_nothing_says_so():
    record = read(b"<html><head><title>t<body>text", "html")
    assert (record.text, record.notes) == ("", ("this page has no text that a browser would show",))


def test_a_page_that_is_too_deep_is_an_error():
    assert "Excessive depth" in str(read(b"<div>" * 5000 + b"text", "html").error)


def test_a_page_with_a_text_or_an_attribute_of_more_than_10_mb():
    long = "x" * 10_500_000
    for page in (f"<p>{long}</p><p>end</p>", f'<p title="{long}">a</p><p>end</p>'):
        assert read(page.encode(), "html").text.endswith("end")


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="windows-1252">', "cp1252"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">', "cp1252"),
        ("<meta charset=koi8-r>", "koi8-r"),
        ('<meta charset="utf-16">', "utf-8"),
        ("<!-- <meta charset=koi8-r> -->", "utf-8"),
        ("", "utf-8"),
        ("", "utf-16"),
    ],
)
def test_the_declared_encoding_of_a_page_is_obeyed(head, encoding):
    word = "Луна" if encoding == "koi8-r" else "Größe"
    record = read(f"<html><head>{head}</head><body>{word}</body></html>".encode(encoding), "html")
    assert (record.text, record.notes) == (word, ())
    xml = f'<?xml version="1.0" encoding="{encoding}"?><html><body>{word}</body></html>'
    assert read(xml.encode(encoding), "html").text == word


def test_a_page_whose_declared_encoding_is_wrong_says_so():
    page = '<html><head><meta charset="utf-8"></head><body>Größe</body></html>'
    record = read(page.encode("cp1252"), "html")
    assert record.text == "Größe"
    assert "declared as UTF-8, but is not" in record.notes
    mixed = read(page.encode().replace(b"<meta", b'<meta content="Gr\xfcn"><meta'), "html")
    assert (mixed.text, mixed.notes) == ("Größe", ("declared as UTF-8, but is not",))
    (named,) = RecordReader(
        io.BytesIO("<p>Луна".encode("koi8-r")), format="html", encoding="koi8-r"
    )
    assert named.text == "Луна"


def form():
    """A PDF with a form: a text, and a box that is checked."""
    shown = "BT /F1 12 Tf 20 150 Td (Name:) Tj 0 -40 Td (Total:) Tj ET"
    widget = "<< /Type /Annot /Subtype /Widget /P 4 0 R /F 4"
    text = f"{widget} /FT /Tx /DA (/F1 12 Tf 0 g)"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 7 0 R 8 0 R] "
        "/DR << /Font << /F1 3 0 R >> >> /DA (/F1 12 Tf 0 g) >> >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [6 0 R 7 0 R 8 0 R] "
        "/Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
        f"{text} /T (name) /V (Ann Smith) /Rect [80 145 200 165] >>",
        f"{text} /T (total) /V (99.50 EUR) /Rect [80 105 200 125] >>",
        f"{widget} /FT /Btn /T (paid) /V /Yes /AS /Yes /Rect [80 65 95 80] "
        "/AP << /N << /Yes 9 0 R >> >> >>",
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 0 >>\nstream\n\nendstream",
    ]
    body = "".join(f"{n} 0 obj\n{each}\nendobj\n" for n, each in enumerate(objects, start=1))
    return f"%PDF-1.4\n{body}trailer\n<< /Size 10 /Root 1 0 R >>\n".encode()


def test_the_values_of_a_pdf_form_stand_beside_their_labels():
    record = read(form(), "pdf")
    assert record.error is None, record.error
    assert [line.split() for line in record.text.splitlines()] == [
        ["Name:", "Ann", "Smith"],
        ["Total:", "99.50", "EUR"],
        ["paid:", "Yes"],
    ]


def test_text_that_is_turned_is_read_along_its_lines():
    turned = "Body) Tj 0 1 -1 0 10 20 Tm (up the side) Tj -1 0 0 -1 200 50 Tm (down again"
    lines = read(pdf_of(turned), "pdf").text.splitlines()
    assert [line for line in lines if line] == ["Body", "up the side", "down again"]


def test_the_letters_of_a_pdf_are_kept_for_one_page_at_a_time(monkeypatch):
    class Lines(list):
        pass

    def lines_of_page(*page):
        alive.append(weakref.ref(lines := Lines(read_page(*page))))
        most.append(sum(each() is not None for each in alive))
        return lines

    alive, most = [], []
    read_page = pdf._lines_of_page
    monkeypatch.setattr(pdf, "_lines_of_page", lines_of_page)
    assert read(pdf_of(*map(str, range(9))), "pdf").text.split() == [str(n) for n in range(9)]
    assert len(most) == 9
    assert max(most) <= 2


def test_pages_of_a_pdf_without_text_are_told():
    record = read(pdf_of("one", "", "three", ""), "pdf")
    assert record.text.split() == ["one", "three"]
    assert record.notes[0].startswith("2 of 4 pages have no text (scans?)")
    assert len(record.places.page_starts) == 4
    assert "no text layer" in str(read(pdf_of("", ""), "pdf").error)


def test_a_page_that_is_a_picture_but_for_a_line_is_told():
    stamp = [("Page 1 of 9, received 2024-05-31", 40, 280)]
    record = read(placed_pdf(*stamp, before=PICTURE), "pdf")
    assert record.text.split()[:2] == ["Page", "1"]
    (note,) = record.notes
    assert note.startswith("1 of 1 page is a picture with little text (scans?)")
    full = [("A letter with its letterhead as a picture", 40, 280 - 12 * n) for n in range(20)]
    assert read(placed_pdf(*full, before=PICTURE), "pdf").notes == ()
    small = PICTURE.replace("460 0 0 200", "90 0 0 60")
    assert read(placed_pdf(*stamp, before=small), "pdf").notes == ()


def test_what_a_pdf_has_beside_its_pages_is_told():
    pdf = pytest.importorskip("pypdfium2").PdfDocument(pdf_of("Invoice"))
    pdf.new_attachment("invoice.xml").set_data(b"<total>5</total>")
    pdf.save(saved := io.BytesIO())
    assert read(saved.getvalue(), "pdf").notes == ("files within it that are not read: 1",)
    dynamic = form().replace(b"/AcroForm <<", b"/NeedsRendering true /AcroForm << /XFA 5 0 R")
    assert read(dynamic, "pdf").notes == (
        "its XFA form is not read: print it as a PDF without one",
    )


WORD = ["HeaderWord Nordvik", "Invoice 4711", "ListWord one", "Last paragraph"]


@pytest.mark.parametrize("format", ["docx", "odt", "epub"])
def test_a_text_of_an_office_program_is_whole_and_in_order(format):  # noqa: A002
    record = read((MADE / f"w.{format}").read_bytes(), format)
    expected = WORD[format == "epub" :]
    assert sorted(expected, key=record.text.index) == expected
    for word in ("break & Größe 日本", "FootnoteWord", "TextBoxWord"):
        assert record.text.count(word) == 1, word
    (row,) = (line for line in record.text.splitlines() if "Wool coat" in line)
    assert row.split() == ["Wool", "coat", "2", "198.50"]
    if format != "epub":  # which LibreOffice writes without these
        assert "CommentWord" in record.text
        assert "First\tparagraph   with\nbreak" in record.text
        assert record.text.endswith("FooterWord")


def zipped(files):
    """An archive of files by their names; texts stand in an element ``x`` there."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            names = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
            text = content if isinstance(content, bytes) else f"<x {names}>{content}</x>".encode()
            archive.writestr(name, text)
    return packed.getvalue()


NAMESPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://www.w3.org/1998/Math/MathML",
    **{f"o{n}": f"urn:oasis:names:tc:opendocument:xmlns:{n}:1.0" for n in ("text", "drawing")},
    **{f"o{n}": f"urn:oasis:names:tc:opendocument:xmlns:{n}:1.0" for n in ("office", "table")},
}


def relations(**targets):
    """The file with relations, by their kinds and numbers: ``chart_1``."""
    return "".join(
        f'<Relationship Id="{name}" Type="http://r/{name.partition("_")[0]}" Target="{target}"/>'
        for name, target in targets.items()
    )


def series(name, labels, form, values):
    def points(texts):
        return "".join(f'<c:pt idx="{i}"><c:v>{text}</c:v></c:pt>' for i, text in enumerate(texts))

    return (
        f"<c:ser><c:tx><c:v>{name}</c:v></c:tx><c:cat><c:strCache>{points(labels)}</c:strCache>"
        f"</c:cat><c:val><c:numCache><c:formatCode>{form}</c:formatCode>{points(values)}"
        "</c:numCache></c:val></c:ser>"
    )


CHART = (
    "<c:title><a:p><a:r><a:t>Shops</a:t></a:r></a:p></c:title>"
    + series("Sales", ["007", "West"], "General", ["8.2000000000000011", "#N/A"])
    + series("Share", ["007"], "0.0%", ["0.125"])
    + series("Opened", ["007"], "m/d/yyyy", ["45658"])
)
CHARTED = "Shops\nSales: 007 8.2 | West #N/A\nShare: 007 12.5%\nOpened: 007 2025-01-01"


def test_charts_forms_and_drawings_of_a_document_are_read_and_other_files_in_it_are_told():
    box = "<w:ffData><w:checkBox>{}</w:checkBox></w:ffData>"
    choice = '<w:listEntry w:val="S"/><w:listEntry w:val="M"/>'
    chosen = f'<w:ffData><w:ddList><w:result w:val="1"/>{choice}</w:ddList></w:ffData>'
    boxes = box.format("<w:checked/>") + box.format('<w:default w:val="0"/>')
    document = zipped(
        {
            "_rels/.rels": relations(officeDocument="word/document2.xml"),
            "word/document2.xml": f"<w:p>{boxes}<w:r><w:t> Size </w:t></w:r>{chosen}</w:p>",
            "word/_rels/document2.xml.rels": relations(
                footer="f.xml", chart="/word/chart.xml", diagramData="d.xml", package="e.xlsx"
            ),
            "word/chart.xml": CHART,
            "word/d.xml": "<a:p><a:t>Paint</a:t></a:p>",
            "word/f.xml": "<w:p><w:t>Page 1</w:t></w:p>",
            "word/e.xlsx": b"",
        }
    )
    record = read(document, "docx")
    assert record.text == f"☒☐ Size M\n{CHARTED}\nPaint\nPage 1"
    assert record.notes == ("files within it that are not read: 1",)


def test_slides_come_in_the_order_of_the_show_with_their_comments():
    show = zipped(
        {
            "_rels/.rels": relations(officeDocument="ppt/show.xml"),
            "ppt/show.xml": '<p:sldId id="256" r:id="slide_2"/><p:sldId id="257" r:id="slide_1"/>',
            "ppt/_rels/show.xml.rels": relations(
                slide_1="s/1.xml", slide_2="s/2.xml", slide_3="s/3.xml"
            ),
            "ppt/s/1.xml": "<a:p><a:t>last</a:t></a:p>",
            "ppt/s/2.xml": "<a:p><a:t>first</a:t></a:p>",
            "ppt/s/3.xml": "<a:p><a:t>taken out</a:t></a:p>",
            "ppt/s/_rels/2.xml.rels": relations(comments="../c.xml", chart="../chart.xml"),
            "ppt/c.xml": "<p:cm><p:text>not sure</p:text></p:cm>",
            "ppt/chart.xml": CHART,
        }
    )
    assert read(show, "pptx").text == f"first\n{CHARTED}\nnot sure\n\nlast"


def test_texts_of_a_slide_have_the_boxes_of_their_shapes():
    def shape(text, at="", place="<p:ph idx='7'/>"):
        x, y, wide, high = map(int, at.split()) if at else (0, 0, 0, 0)
        where = f'<a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{wide}" cy="{high}"/></a:xfrm>' * bool(
            at
        )
        return (
            f"<p:sp><p:nvSpPr>{place}</p:nvSpPr><p:spPr>{where}</p:spPr>"
            f"<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        )

    inside = shape("grouped", "100 0 100 100")
    group = (
        '<p:grpSp><p:grpSpPr><a:xfrm><a:off x="127000" y="127000"/><a:ext cx="254000" cy="127000"/>'
        f'<a:chOff x="0" y="0"/><a:chExt cx="200" cy="100"/></a:xfrm></p:grpSpPr>{inside}</p:grpSp>'
    )
    show = zipped(
        {
            "_rels/.rels": relations(officeDocument="s.xml"),
            "s.xml": '<p:sldId id="256" r:id="slide_1"/><p:sldId id="257" r:id="slide_2"/>',
            "_rels/s.xml.rels": relations(slide_1="1.xml", slide_2="2.xml"),
            "1.xml": "<a:p><a:t>first</a:t></a:p>",
            "2.xml": shape("own", "127000 254000 1270000 127000") + shape("of the layout") + group,
            "_rels/2.xml.rels": relations(slideLayout="l.xml"),
            "l.xml": shape("x", "0 0 12700 12700", "<p:ph idx='9'/>")
            + shape("x", "12700 25400 12700 12700"),
        }
    )
    record = read(show, "pptx")
    assert record.text == "first\n\nown\nof the layout\ngrouped"

    def place(text):
        return record.places.of(record.text.index(text), record.text.index(text) + len(text))

    assert place("first") == Place(1)
    assert place("own") == Place(2, ((10.0, 20.0, 110.0, 30.0),))
    assert place("layout") == Place(2, ((1.0, 2.0, 2.0, 3.0),))
    assert place("grouped") == Place(2, ((20.0, 10.0, 30.0, 20.0),))


def test_fields_shapes_charts_and_formulas_of_a_text_are_read():
    fields = "<otext:date>May 5</otext:date>,  <otext:sequence>7</otext:sequence>\n of 9"
    shape = "<odrawing:custom-shape><otext:p>Paid</otext:p></odrawing:custom-shape>"
    table = (
        "<otable:table-row><otable:table-cell><otext:p>West</otext:p></otable:table-cell>"
        "<otable:table-cell><otext:p>5</otext:p></otable:table-cell></otable:table-row>"
    )
    text = {
        "content.xml": f"<ooffice:body><otext:p>{fields}{shape}</otext:p></ooffice:body>",
        "Object 1/content.xml": f"<otable:table>{table}</otable:table>",
        "Object 2/content.xml": "<m:annotation>E = m c^2</m:annotation>",
    }
    assert read(zipped(text), "odt").text == "May 5, 7 of 9\nPaid\nWest  5\nE = m c^2"


def test_chapters_of_a_book_may_have_other_encodings_and_names():
    chapter = '<?xml version="1.0" encoding="iso-8859-1"?><html><p>Größe</p></html>'
    book = {
        "META-INF/container.xml": '<rootfile full-path="b/p.opf"/>',
        "b/p.opf": '<item id="c" href="Chapter%201.xhtml"/><itemref idref="c"/>',
        "b/Chapter 1.xhtml": chapter.encode("latin-1"),
    }
    assert read(zipped(book), "epub").text == "Größe"


def test_slides_are_pages_with_their_notes():
    record = read((MADE / "p.pptx").read_bytes(), "pptx")
    assert record.text == "Slide one title\nLamp  35.00\nNotesWord\n\nSlide two"
    assert record.places.page_starts == [0, record.text.index("Slide two")]


def test_attachments_are_documents_of_their_own_where_that_is_asked(tmp_path):
    outer, inner = EmailMessage(), EmailMessage()
    inner["Subject"], inner["From"] = "the order", "b@shop.example"
    inner.set_content("Three pans")
    inner.add_attachment("red", filename="color.txt")
    outer["Subject"], outer["From"] = "Fwd: the order", "a@shop.example"
    outer.set_content("See below")
    word = (MADE / "w.docx").read_bytes()
    for data, name in ((word, "w.docx"), (b"nonsense", "x.docx"), (word, "w.docx"), (b"", "l.bin")):
        outer.add_attachment(data, maintype="application", subtype="x", filename=name)
    outer.add_attachment(inner)
    (tmp_path / "m.eml").write_bytes(bytes(outer))
    (tmp_path / "z.txt").write_text("Wool coat")
    path, z = str(tmp_path / "m.eml"), str(tmp_path / "z.txt")

    def records(**more):
        with InputReader([str(tmp_path)], **more) as reader:
            return list(reader)

    assert [record.id for record in records()] == [path, z]
    assert "Three pans" in records()[0].text
    found = {record.id: record for record in records(attachments=True)}
    names = ("w.docx", "x.docx", "2-w.docx", "the order.eml", "the order.eml/color.txt")
    assert list(found) == [path, *(f"{path}/{name}" for name in names), z]
    assert "Three pans" not in found[path].text
    assert "Attachments: w.docx, x.docx, w.docx, l.bin, the order.eml" in found[path].text
    assert "Three pans" in found[f"{path}/the order.eml"].text
    assert found[f"{path}/the order.eml/color.txt"].text.strip() == "red"
    assert found[f"{path}/w.docx"].text == found[f"{path}/2-w.docx"].text != ""
    assert "x.docx: cannot be read as Word" in str(found[f"{path}/x.docx"].error)
    shards = [records(attachments=True, shard=Shard(n, 2)) for n in (1, 2)]
    assert sorted(record.id for shard in shards for record in shard) == sorted(found)
    with InputReader([str(tmp_path)], attachments=True) as reader:
        assert reader.count() is None
    with pytest.raises(InputError, match="--attachments is for eml, msg"):
        InputReader([z], attachments=True)


def test_attached_tables_are_documents_of_their_own():
    message = EmailMessage()
    message["Subject"] = "Order 4711"
    message.set_content("See the order")
    sheet = sheets(Order={"A1": "Item", "B1": "Qty", "A2": "Lamp", "B2": 3})
    for data, name in ((sheet, "o.xlsx"), (b"Item;Qty\nPan;2\nPot;4\n", "o.csv")):
        message.add_attachment(data, maintype="application", subtype="x", filename=name)
    (mail,) = RecordReader(io.BytesIO(bytes(message)), format="eml")
    assert mail.notes == ("2 attachments not read (--attachments)",)
    _, book, table = RecordReader(io.BytesIO(bytes(message)), format="eml", attachments=True)
    assert (book.id, book.text) == ("<stream>/o.xlsx", "Item  Qty\nLamp  3")
    assert book.places.of(11, 15) == Place(1, cell="Order!A2")
    assert (table.id, table.text) == ("<stream>/o.csv", "Item  Qty\nPan   2\nPot   4")


@pytest.mark.parametrize("name", ["t.xlsx", "t.xls", "t.ods"])
def test_rows_of_a_sheet_are_records(name):
    with InputReader([str(MADE / name)], text_field=["Text"]) as reader:
        first, second = reader
        assert reader.columns(first) == {
            "text": "Wool coat, size M",
            "input": {"Price": 198.5, "Day": "2024-05-31", "Stock": 12, "Note": None, "Id": "a"},
        }
    assert (second.id, second.text, second.row["Stock"]) == ("b", "Lamp", 0)
    with pytest.raises(Exception, match="no field 'body'"):
        list(InputReader([str(MADE / name)], text_field=["body"]))


def test_a_sheet_of_one_row_is_told():
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["Invoices", "Invoices"])
    rows = book.create_sheet("rows")
    for row in (["text"], ["Lamp"]):
        rows.append(row)
    book.save(saved := io.BytesIO())
    saved.seek(0)
    (record,) = RecordReader(saved, format="xlsx", needs_columns=True)
    assert record.text == "Lamp"
    assert record.notes == ("sheets with one row, taken for the header: 'Sheet'",)


def test_cells_of_several_rows_of_a_sheet_are_in_each_of_them():
    book = pytest.importorskip("openpyxl").Workbook()
    for row in ([], ["Region", "City", "Sum"], ["North", "Kiel", 5], [None, "Husum", 6]):
        book.active.append([None, *row])
    for cells in ("B3:B4", "B9:B10", "F1:G4"):
        book.active.merge_cells(cells)
    book.save(saved := io.BytesIO())
    saved.seek(0)
    (_, husum) = RecordReader(saved, format="xlsx")
    assert husum.text == "Region: North\nCity: Husum\nSum: 6"


@pytest.mark.parametrize(
    ("rows", "merged", "text", "note"),
    [
        (
            [["Item", "Price", None, "Stock"], [None, "net", "gross"], ["Lamp", 5, 6, 7]],
            ("A1:A2", "B1:C1", "D1:D2"),
            "Item: Lamp\nPrice net: 5\nPrice gross: 6\nStock: 7",
            (),
        ),
        (
            [["2026"], [None, "May", None, "June", None], ["Item", *("net", "gross") * 2],
             ["Lamp", 5, 6, 7, 8]],
            ("A1:E1", "B2:C2", "D2:E2"),
            "Item: Lamp\nMay net: 5\nMay gross: 6\nJune net: 7\nJune gross: 8",
            ("above the header of sheet 'Sheet', left out: '2026'",),
        ),
        (
            [["Prices"], ["Item", "Price"], ["Lamp", 5]],
            ("A1:B1",),
            "Item: Lamp\nPrice: 5",
            ("above the header of sheet 'Sheet', left out: 'Prices'",),
        ),
        (
            [["Item", "Note", None], ["Lamp", "old", None]],
            ("B1:C1", "B2:C2"),
            "Item: Lamp\nNote: old",
            (),
        ),
    ],
)  # fmt: skip
def test_a_header_of_two_rows_with_merged_cells_is_one(rows, merged, text, note):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(saved := io.BytesIO())
    saved.seek(0)
    (record,) = RecordReader(saved, format="xlsx")
    assert (record.text, record.notes) == (text, note)


def test_hidden_text_is_not_read_and_symbols_are():
    run = "<w:r><w:rPr>{}</w:rPr><w:t>{}</w:t></w:r>"
    runs = [run.format("<w:vanish/>", "not"), run.format('<w:vanish w:val="0"/>', "paid "),
            '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>']  # fmt: skip
    document = {
        "_rels/.rels": relations(officeDocument="d.xml"),
        "d.xml": f"<w:p>{''.join(runs)}</w:p>",
    }
    assert read(zipped(document), "docx").text == "paid ☒"
    page = b"<p>paid</p><p hidden>not</p><div hidden=''>not</div> 5"
    assert read(page, "html").text.split() == ["paid", "5"]


def sheets(**rows):
    book = pytest.importorskip("openpyxl").Workbook()
    book.remove(book.active)
    for name, cells in rows.items():
        sheet = book.create_sheet(name)
        for place, value in cells.items():
            sheet[place] = value
    book.save(saved := io.BytesIO())
    return saved.getvalue()


MAY = {"B2": "Sales of May", "B4": "Item", "C4": "Sum", "B5": "Lamp", "C5": 0, "B6": "Pan"}


def test_rows_of_a_sheet_know_their_cells_also_below_a_title():
    (lamp, pan) = RecordReader(io.BytesIO(sheets(May=MAY)), format="xlsx")
    assert (lamp.line, lamp.text, pan.text) == (5, "Item: Lamp\nSum: 0", "Item: Pan")
    assert lamp.notes == ("above the header of sheet 'May', left out: 'Sales of May'",)
    assert lamp.places.of(6, 10) == Place(1, cell="May!B5")
    assert lamp.places.of(lamp.text.index("0"), len(lamp.text)) == Place(1, cell="May!C5")
    assert lamp.places.of(0, 4) is None  # the name of a column


def test_pairs_above_a_blank_row_of_a_sheet_are_no_header():
    pairs = {"A1": "From:", "B1": "ACME", "A2": "Date:", "B2": "2024-05-01"}
    table = {"A4": "Pos", "B4": "Item", "C4": "Sum", "A5": 1, "B5": "Lamp", "C5": 9.5}
    (lamp,) = RecordReader(io.BytesIO(sheets(May=pairs | table)), format="xlsx")
    assert lamp.text == "Pos: 1\nItem: Lamp\nSum: 9.5"
    note = "above the header of sheet 'May', left out: 'From: ACME Date: 2024-05-01'"
    assert lamp.notes == (note,)
    records = RecordReader(io.BytesIO(sheets(May=pairs | {"A4": "x", "B4": "y"})), format="xlsx")
    assert [record.row["From:"] for record in records] == ["Date:", "x"]


def test_a_workbook_as_one_document():
    data = sheets(May=MAY, Empty={}, June={"AA3": "x", "AB3": "y"})
    (record,) = RecordReader(io.BytesIO(data), format="xlsx", whole=True)
    text = "May\nSales of May\nItem          Sum\nLamp          0\nPan\n\nJune\nx  y"
    assert record.text == text
    assert record.places.of(text.index("0"), text.index("0") + 1) == Place(1, cell="May!C5")
    assert record.places.of(len(text) - 1, len(text)) == Place(3, cell="June!AB3")


def cut(name):
    return (MADE / name).read_bytes()[:-300]


NOISE = bytes(range(256)) * 4
DEEP = "<ooffice:body>" + 2000 * "<otext:p>" + 2000 * "</otext:p>" + "</ooffice:body>"


def test_a_message_of_outlook() -> None:
    pytest.importorskip("oxmsg")
    first, listed = RecordReader(MADE / "m.msg", attachments=True)
    assert first.text.splitlines()[0] == 'From: "Tavola GmbH" <shop@tavola.example>'
    assert "invoice 4711 is 35.00 EUR, Größe M, 日本." in first.text
    assert first.text.endswith("Attachments: list.txt")
    assert first.row["subject"] == "Größe der Bestellung 4711"
    assert listed.text == "Frying pan, black"
    (outer,) = RecordReader(MADE / "e.msg", attachments=True)
    assert "see the message within" in outer.text
    assert outer.notes == ("a message within it is not read: Größe der Bestellung 4711.msg",)


def test_the_text_of_an_outlook_message_in_other_forms():
    encodings = pytest.importorskip("oxmsg.domain.encodings")
    data = (MADE / "m.msg").read_bytes()
    tags = ("1000001F", "10090102")  # of a text, and of one as RTF: in its name and in a list
    data = data.replace(*(f"__substg1.0_{tag}".encode("utf-16-le") for tag in tags))
    data = data.replace(*(int(tag, 16).to_bytes(4, "little") for tag in tags))
    record = read(data, "msg")
    assert record.text.endswith("4711\n\nAttachments: list.txt")
    assert record.notes[0] == "its text is RTF, which is not read"
    assert "中文".encode("cp950").decode(encodings.encoding_from_codepage(950)) == "中文"


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("w.docx", cut("w.docx"), "cannot be read as Word"),
        ("w.docx", bytes.fromhex("d0cf11e0a1b11ae1") + NOISE, "it has a password"),
        ("w.odt", cut("w.odt"), "cannot be read as OpenDocument"),
        ("w.odt", zipped({"content.xml": DEEP}), "OpenDocument: maximum recursion depth"),
        (
            "w.odt",
            zipped({"content.xml": b'<?xml version="1.0" encoding="x"?><a/>'}),
            "encoding: x",
        ),
        ("w.epub", cut("w.epub"), "cannot be read as EPUB"),
        ("p.pptx", cut("p.pptx"), "cannot be read as PowerPoint"),
        ("t.xlsx", cut("t.xlsx"), "cannot be read as a workbook"),
        ("l.xlsx", "EncryptedPackage".encode("utf-16-le"), "a workbook: it has a password"),
        ("t.ods", cut("t.ods"), "cannot be read as a workbook"),
        ("h.xls", b"<table><tr><td>Date", "often HTML, CSV or TSV: say which (--format html)"),
        ("m.msg", bytes.fromhex("d0cf11e0a1b11ae1") + NOISE, "cannot be read as an Outlook"),
        ("m.eml", NOISE, "not an e-mail"),
        ("f.pdf", form()[:200], "cannot be read as PDF"),
        ("l.pdf", locked_pdf(pdf_of("Size 42")), "this PDF is locked with a password"),
        ("r.parquet", b"PAR1" + NOISE, "Parquet"),
        ("t.txt", b"\xf3\xd4\xcf\xcc", "not valid UTF-8 at byte 1"),  # KOI8-R
        ("g.html", NOISE, "not valid UTF-8"),
        ("j.json", b'{"text": "Lamp', "not valid JSON"),
        ("c.csv", b"text\n\xf3\xd4\xcf\xcc\n", "not valid UTF-8"),
        ("c.csv", "品名,色\n".encode("shift_jis"), "the header is not valid UTF-8"),
        # Without the time, which would be in the test's name, and differ from worker to worker.
        ("c.csv.gz", gzip.compress(b"text\nLamp\n", mtime=0)[:-8], "cannot be decompressed"),
        ("n.txt.gz", NOISE, "Not a gzipped file"),
    ],
)
def test_a_file_that_is_damaged_is_an_error_line_and_the_run_goes_on(name, data, problem, tmp_path):
    folder, out = tmp_path / "in", tmp_path / "out.jsonl"
    folder.mkdir()
    (folder / name).write_bytes(data)
    (folder / "z.txt").write_text("Wool coat, size M")
    assert main(["extract", str(folder), "--schema", "size", "-o", str(out), "--quiet"]) == 3
    *_, failed, other = read_lines(out)
    assert problem in failed["error"]["message"]
    assert failed["id"].startswith(str(folder / name))
    assert "error" not in other
