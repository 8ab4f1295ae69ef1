"""Small PDF files, written by hand."""

HEBREW = range(0x05D0, 0x05EB)
_FIRST_CODE = 0xE0  # of the Hebrew letters in the font


def pdf_of(*pages):
    """A PDF with a line of text on each page; an empty text gives an empty page."""
    shown = [f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET" if text else "" for text in pages]
    return _pdf([content.encode() for content in shown], "/MediaBox [0 0 300 200]")


def placed_pdf(
    *texts, matrix="1 0 0 1", page="/MediaBox [0 0 500 300]", before="", font="Helvetica"
):
    """A PDF of one page with texts at their places.

    Args:
        texts: each a text, its left end and the height of its line above the bottom of the page, in
            points; what is read from right to left is given in logical order.
        matrix: of each text: the size and the direction of its letters.
        page: further entries of the page.
        before: further operators, before the texts.
        font: one of those that every viewer has.
    """
    shown = [before.encode()]
    for text, x, y in texts:
        at = f"BT /F1 10 Tf {matrix} {x} {y} Tm (".encode()
        shown.append(at + _encoded(text) + b") Tj ET")
    return _pdf([b"\n".join(shown)], page, font)


PICTURE = "q 460 0 0 200 20 20 cm BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 80> EI Q"
"""An operator of ``placed_pdf`` that shows a picture on most of the page."""


def table_pdf(*pages, ends=(20, 200, 380)):
    """A PDF with a table on each page, which is a list of rows; empty cells are left out."""
    return _pdf(
        [
            "\n".join(
                f"BT /F1 10 Tf 1 0 0 1 {x} {260 - 20 * i} Tm ({cell}) Tj ET"
                for i, row in enumerate(rows)
                for x, cell in zip(ends, row, strict=False)
                if cell
            ).encode()
            for rows in pages
        ],
        "/MediaBox [0 0 500 300]",
    )


def locked_pdf(data):
    """A PDF that no password opens: what it compares with those that are tried is made up."""
    lock = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <%b> /U <%b> >>" % (
        2 * (b"0f" * 32,)
    )
    return data.replace(b"/Root 1 0 R", b"/Root 1 0 R %b /ID [<0f> <0f>]" % lock)


def _encoded(text):
    is_hebrew = any(ord(letter) in HEBREW for letter in text)
    codes = bytes(
        ord(letter) - HEBREW[0] + _FIRST_CODE if ord(letter) in HEBREW else ord(letter)
        for letter in (reversed(text) if is_hebrew else text)
    )
    return codes.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _pdf(pages, entries, font="Helvetica"):
    cmap = (
        "/CMapName /H def 1 begincodespacerange <00> <ff> endcodespacerange\n3 beginbfrange\n"
        "<20> <7e> <0020>\n<80> <9f> <0080>\n"
        f"<{_FIRST_CODE:02x}> <fa> <{HEBREW[0]:04x}>\nendbfrange"
    )
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding "
        "/ToUnicode 4 0 R >>".encode()
    )
    objects.append(f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream".encode())
    for i, shown in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {entries} /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {6 + 2 * i} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(shown), shown))
    data = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
    return data + f"{head}{trailer}startxref\n{len(data)}\n%%EOF\n".encode()
