"""The Python interface: what comes in, in which forms, and what comes out."""

import asyncio
import json
import time

import pytest

import hpd
from hpd import Document, Extraction
from pdf_files import pdf_of
from shop import TEXTS
from small_extractor import SmallExtractor

BROKEN = "bad \ud83d text"


@pytest.fixture(scope="module")
def extractor(model):
    with SmallExtractor("brand, color", model, max_tokens=6) as made:
        yield made


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_a_document_that_is_no_text_is_an_error_of_its_own(model, method):
    with hpd.Extractor("brand", model, max_tokens=4, method=method, n_threads=1) as extractor:
        given = ["ok", BROKEN, "fine", Document("good", BROKEN, BROKEN)]
        found = list(extractor.extract_many(given, on_error="record"))
        assert [each.error is None for each in found] == [True, False, True, True]
        assert "half of a surrogate pair" in found[1].error.message
        assert found[1].error.type == "InputError"
        # An id is carried through, and its line can be written and read.
        assert json.loads(found[3].to_json().encode())["id"] == BROKEN
        with pytest.raises(hpd.InputError, match="half of a surrogate pair"):
            extractor.extract(BROKEN)
        assert extractor.extract("ok").error is None


def test_a_document_that_could_not_be_read_has_its_error(extractor):
    given = ["ok", Document("", 7, error=hpd.InputError("line 2: not JSON"))]
    read, unread = extractor.extract_many(given, on_error="record")
    assert read.error is None
    assert (unread.id, str(unread.error)) == (7, "InputError: line 2: not JSON")


@pytest.mark.parametrize("method", ["extract", "extract_many", "iter_extract", "iter_indexed"])
def test_an_unknown_way_to_treat_errors_is_refused(extractor, method):
    given = "ok" if method == "extract" else ["ok"]
    with pytest.raises(hpd.OptionError, match="on_error must be 'raise' or 'record', not 'ignore'"):
        getattr(extractor, method)(given, on_error="ignore")


def test_a_category_that_is_no_text_is_an_error(model):
    with SmallExtractor({"a": ["brand"], "b": ["color"]}, model, max_tokens=4) as extractor:
        given = [Document("x", category=BROKEN), Document("x", category="a")]
        bad, good = extractor.extract_many(given, on_error="record")
        assert bad.error is not None
        assert good.error is None
        str(bad.error).encode()


@pytest.mark.parametrize(
    "schema",
    [
        {BROKEN: "a description"},
        {"brand": BROKEN},
        {"type": "object", "properties": {"a": {"enum": ["x", BROKEN]}}},
        {"type": "object", "properties": {"a": {"items": {"properties": {BROKEN: {}}}}}},
    ],
    ids=["name", "description", "choice", "item"],
)
def test_a_schema_with_what_is_no_text_is_refused(extractor, model, schema):
    with pytest.raises(hpd.SchemaError):
        extractor.extract("x", schema=schema)
    with pytest.raises(hpd.SchemaError):
        hpd.Extractor(schema, model)


def test_options_with_what_is_no_text_are_refused(model):
    settings = [
        {"instructions": BROKEN},
        {"system_prompt": BROKEN},
        {"examples": [(BROKEN, {"brand": "x"})]},
        {"examples": [("x", {"brand": BROKEN})]},
    ]
    for each in settings:
        with pytest.raises(hpd.OptionError):
            hpd.Extractor("brand", model, **each)


def test_extractions_come_as_they_are_finished(extractor):
    documents = [Document(text, i) for i, text in enumerate(TEXTS)]
    found = list(extractor.iter_extract(documents))
    assert all(isinstance(each, Extraction) for each in found)
    assert {each.id: each.data for each in found} == {
        i: each.data for i, each in enumerate(extractor.extract_many(TEXTS))
    }


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_of_a_table_is_a_source_of_documents(extractor, library):
    series = pytest.importorskip(library).Series(TEXTS[:2])
    found = [each.data for each in extractor.extract_many(series)]
    assert found == [each.data for each in extractor.extract_many(TEXTS[:2])]


def test_asyncio_takes_another_schema_and_closes_the_extractor(model):
    async def run():
        async with SmallExtractor("brand", model, max_tokens=4) as extractor:
            return await extractor.aextract("x", schema=["size", "color"]), extractor

    extraction, extractor = asyncio.run(run())
    assert set(extraction.data) == {"size", "color"}
    with pytest.raises(hpd.EngineClosedError):
        extractor.extract("x")


def test_documents_may_come_asynchronously(extractor):
    answered = asyncio.Event()

    async def documents():
        yield Document(TEXTS[0], 0)
        # Whoever waits for the next document before it answers would wait for ever.
        await asyncio.wait_for(answered.wait(), 60)
        yield Document(TEXTS[1], 1)

    async def run():
        found = []
        async for extraction in extractor.aextract_many(documents()):
            found.append((extraction.id, extraction.data))
            answered.set()
        return found

    expected = [(i, extractor.extract(text).data) for i, text in enumerate(TEXTS[:2])]
    assert asyncio.run(run()) == expected

    async def failing():
        yield TEXTS[0]
        raise LookupError("no more")

    async def read():
        async for _ in extractor.aextract_many(failing()):
            pass

    with pytest.raises(LookupError, match="no more"):
        asyncio.run(read())
    assert extractor.extract(TEXTS[0]).error is None


def test_the_seconds_of_a_document_in_chunks_are_its_own(model):
    """Its chunks are decoded at the same time, so their seconds must not be added up."""
    settings = {"max_tokens": 6, "on_overflow": "chunk", "chunk_size": 40, "in_flight": 8}
    with SmallExtractor("brand, color", model, **settings) as extractor:
        start = time.perf_counter()
        usage = extractor.extract(" ".join(f"Thing {n} is red." for n in range(120))).usage
        seconds = time.perf_counter() - start
    assert usage.n_chunks > 8
    assert 0.0 < usage.seconds <= seconds


class Counted:
    """Says where each part stands, as if each letter were a point wide."""

    def __init__(self, page):
        self.page = page

    def of(self, start, end):
        return hpd.Place(self.page, ((start, 0, end, 9),))


@pytest.fixture(scope="module")
def reading():
    """An extractor whose model finds values."""
    with hpd.Extractor("Color, Size", n_threads=1) as made:
        yield made


SHIRT = "Luma Cotton T-Shirt for Men, White, XL"


def test_values_say_where_they_stand_in_the_file(reading):
    # Equal texts are decoded once, and stand in different files.
    documents = [Document(SHIRT, n, places=Counted(n)) for n in (1, 2)]
    for n, extraction in enumerate(reading.extract_many(documents), start=1):
        assert extraction["Color"] == "White"
        field = extraction.fields["Color"]
        assert field.place == hpd.Place(n, ((field.start, 0, field.end, 9),))
        line = extraction.to_dict()["fields"]["Color"]
        assert (line["page"], line["boxes"]) == (n, [[field.start, 0, field.end, 9]])
    assert reading.extract(SHIRT).fields["Color"].place is None


def test_documents_of_files_know_their_pages_and_cells(reading, tmp_path):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (["Name", "Text"], ["shirt", SHIRT]):
        book.active.append(row)
    (tmp_path / "a.pdf").write_bytes(pdf_of("nothing here", SHIRT))
    book.save(tmp_path / "b.xlsx")
    documents = list(hpd.read_documents(tmp_path))
    ids = [str(tmp_path / "a.pdf"), f"{tmp_path / 'b.xlsx'}:1"]
    assert [document.id for document in documents] == ids
    pdf, sheet = (each.fields["Color"].place for each in reading.extract_many(documents))
    assert pdf.page == 2
    ((left, top, right, bottom),) = pdf.boxes
    assert (top, bottom) == pytest.approx((91, 100), abs=3)
    assert 160 < left < right < 240
    assert sheet == hpd.Place(1, cell="Sheet!B2")
    with pytest.raises(hpd.InputError, match="No such file"):
        list(hpd.read_documents(tmp_path / "gone.pdf"))
