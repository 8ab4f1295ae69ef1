"""Frames of pandas, polars and Arrow: typed columns, null rows, clashes, errors."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("polars")

import pandas
import polars
import pyarrow

import hpd.frames
from frame_texts import SCHEMA, SETTINGS, TEXTS, expected, expected_rows
from hpd.errors import InputError, InvalidDataError, OptionError, SchemaError
from hpd.extractor import Extractor
from hpd.results import Extraction
from hpd.schema import as_schemas
from hpd.schema.attributes import Attribute, Schema

TABLE = pyarrow.table({"sku": [*range(len(TEXTS))], "title": pyarrow.array(TEXTS, "string")})
NEW = ["brand", "colors", "price"]
TYPES = ["string", "list<item: string>", "struct<amount: double, currency: string>"]


def rows_of(table):
    return table.select(NEW).to_pylist()


def extract(frame, schema=SCHEMA, **settings):
    return hpd.frames.extract(frame, schema, column="title", **(SETTINGS | settings))


def types_of(table, names):
    return [str(table.schema.field(name).type).replace("element:", "item:") for name in names]


def test_a_table_of_arrow_gets_typed_columns_with_the_values_of_the_extractor():
    table = extract(TABLE)
    assert isinstance(table, pyarrow.Table)
    assert table.column_names == ["sku", "title", *NEW]
    assert types_of(table, NEW) == TYPES
    assert rows_of(table) == expected_rows()
    assert any(row["price"] and row["price"]["amount"] == 12.5 for row in rows_of(table))


def test_a_record_batch_stays_one():
    (batch,) = TABLE.to_batches()
    result = extract(batch)
    assert isinstance(result, pyarrow.RecordBatch)
    assert rows_of(pyarrow.Table.from_batches([result])) == expected_rows()


def test_a_frame_of_pandas_keeps_its_index_and_gets_arrow_types():
    index = pandas.Index(list("abcde"), name="key")
    frame = pandas.DataFrame({"sku": [*range(5)], "title": TEXTS}, index=index)
    result = extract(frame)
    assert list(result.columns) == ["sku", "title", *NEW]
    assert list(frame.columns) == ["sku", "title"]
    pandas.testing.assert_index_equal(result.index, index)
    pandas.testing.assert_frame_equal(result[["sku", "title"]], frame)
    table = pyarrow.Table.from_pandas(result, preserve_index=False)
    assert types_of(table, NEW) == TYPES
    assert rows_of(table) == expected_rows()


def test_a_frame_of_polars_gets_its_own_types():
    result = extract(polars.DataFrame({"title": TEXTS}))
    assert dict(result.schema) == {
        "title": polars.String,
        "brand": polars.String,
        "colors": polars.List(polars.String),
        "price": polars.Struct({"amount": polars.Float64, "currency": polars.String}),
    }
    assert result.select(NEW).to_dicts() == expected_rows()


def test_another_frame_with_arrow_s_stream_becomes_a_table():
    class Other:
        """A frame of a library that is not known here."""

        columns = ("title",)

        def __arrow_c_stream__(self, requested_schema=None):
            return TABLE.select(["title"]).__arrow_c_stream__(requested_schema)

    assert rows_of(extract(Other())) == expected_rows()


def test_of_a_dict_of_lists_the_new_ones_are_given():
    result = extract({"title": TEXTS})
    assert list(result) == NEW
    assert result["price"] == [row["price"] for row in expected_rows()]


@pytest.mark.parametrize(
    "texts",
    [
        pyarrow.chunked_array([TEXTS[:2], TEXTS[2:]], "string"),
        pyarrow.array(TEXTS, "large_string"),
        pyarrow.array(TEXTS, "string").dictionary_encode(),
        pyarrow.array(TEXTS, "string_view"),
    ],
    ids=["chunks", "large", "dictionary", "view"],
)
def test_texts_of_every_kind_are_read(texts):
    assert rows_of(extract(pyarrow.table({"title": texts}))) == expected_rows()


@pytest.mark.parametrize(
    "frame",
    [
        pandas.DataFrame({"title": pandas.Categorical(TEXTS)}),
        pandas.DataFrame({"title": pandas.array(TEXTS, "string")}),
        polars.DataFrame({"title": polars.Series(TEXTS, dtype=polars.Categorical)}),
        pandas.DataFrame({"title": TEXTS * 2})[:5],
        polars.concat([polars.DataFrame({"title": part}) for part in (TEXTS[:3], TEXTS[3:])]),
    ],
    ids=["pandas categorical", "pandas string", "polars categorical", "slice", "polars chunks"],
)
def test_columns_of_other_types_are_read_as_text(frame):
    column = extract(frame, "brand")["brand"]
    brands = [row["brand"] for row in expected_rows()]
    values = column.to_list() if hasattr(column, "to_list") else list(column)
    assert [None if value is pandas.NA else value for value in values] == brands


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
@pytest.mark.parametrize("texts", [[], [None, None]], ids=["empty", "nulls"])
def test_a_frame_without_texts_has_the_same_types(library, texts):
    table = pyarrow.table({"title": pyarrow.array(texts, "string")})
    frame = {
        "pyarrow": lambda: table,
        "pandas": table.to_pandas,
        "polars": lambda: polars.from_arrow(table),
    }[library]()
    result = extract(frame)
    assert len(result) == len(texts)
    if library == "pandas":
        result = pyarrow.Table.from_pandas(result, preserve_index=False)
    elif library == "polars":
        assert result.schema["colors"] == polars.List(polars.String)
        result = result.to_arrow()
    assert rows_of(result) == [dict.fromkeys(NEW)] * len(texts)
    if library != "polars":
        assert types_of(result, NEW) == TYPES


def test_confidence_and_spans_have_the_shape_of_the_values():
    table = extract(TABLE, confidence=True, spans=True)
    details = [f"{name}_{kind}" for name in NEW for kind in ("confidence", "span")]
    assert set(table.column_names) == {"sku", "title", *NEW, *details}
    assert types_of(table, ["colors_confidence", "price_confidence", "brand_span"]) == [
        "list<item: double>",
        "struct<amount: double, currency: double>",
        "struct<start: int64, end: int64>",
    ]
    for row, extraction in zip(table.to_pylist(), expected(), strict=True):
        if extraction is None:
            assert row["brand_confidence"] is row["colors_span"] is None
            continue
        fields = extraction.to_dict()["fields"]
        assert row["brand_confidence"] == fields["brand"].get("confidence")
        for i, span in enumerate(row["colors_span"] or []):
            field = fields[f"colors[{i}]"]
            assert (span or {}).get("start") == field.get("start")
        if row["brand"] is not None and row["brand_span"] is not None:
            span = row["brand_span"]
            assert row["title"][span["start"] : span["end"]] == row["brand"]
    assert any(row["brand_span"] for row in table.to_pylist())


def test_an_extractor_that_is_open_is_used_and_stays_open():
    with Extractor(SCHEMA, **SETTINGS) as extractor:
        first = hpd.frames.extract(TABLE, column="title", extractor=extractor)
        other = hpd.frames.extract(TABLE, "brand", column="title", extractor=extractor)
        assert extractor.extract("Luma shirt").data["brand"] == "Luma"
        with pytest.raises(OptionError, match="give no others"):
            hpd.frames.extract(TABLE, column="title", extractor=extractor, max_tokens=3)
    assert rows_of(first) == expected_rows()
    assert other.column_names == ["sku", "title", "brand"]


def test_a_schema_for_each_category():
    schemas = {"a": ["brand"], "b": ["brand", "color"]}
    table = pyarrow.table({"title": ["Luma shirt, red", "Luma shirt, red"], "kind": ["a", "b"]})
    result = extract(table, schemas, category_column="kind")
    assert result.column_names == ["title", "kind", "brand", "color"]
    assert result["color"][0].as_py() is None
    unknown = pyarrow.table({"title": ["Luma shirt"], "kind": ["c"]})
    with pytest.raises(InputError, match="row 0"):
        extract(unknown, schemas, category_column="kind")


def test_an_error_of_a_document_is_raised_with_its_row_or_recorded():
    table = pyarrow.table({"title": [None, "Luma shirt", "word " * 3000]})
    with pytest.raises(hpd.ContextOverflowError, match="row 2"):
        extract(table, "brand", n_ctx=512)
    result = extract(table, "brand", n_ctx=512, on_error="record").to_pylist()
    assert [row["brand"] for row in result] == [None, "Luma", None]
    assert [bool(row["error"]) for row in result] == [False, False, True]
    assert result[2]["error"].startswith("ContextOverflowError")


def test_data_that_breaks_the_schema_is_an_error_with_its_extraction():
    table = pyarrow.table({"title": ["nothing at all"]})
    with pytest.raises(InvalidDataError) as caught:
        extract(table, "isbn13!, price float!")
    assert caught.value.extraction.data["price"] is None


@pytest.fixture
def no_model(monkeypatch):
    """Fails if a model would be loaded."""
    monkeypatch.setattr(hpd.frames, "Extractor", lambda *_, **__: pytest.fail("a model was loaded"))


def twice(frame):
    return pandas.concat([frame, frame], axis=1)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pyarrow.table({"name": ["x"]}), "no column 'title'; its columns: name"),
        (pyarrow.table({"title": [3]}), "should hold text, but has 3 in row 0"),
        (pandas.DataFrame({"title": ["x", 3]}), "should hold text, but has 3 in row 1"),
        (twice(pandas.DataFrame({"title": ["x"]})), "more than one column 'title'"),
        (
            pyarrow.Table.from_arrays([pyarrow.array(["x"])] * 2, ["title"] * 2),
            "more than one column 'title'",
        ),
        (pyarrow.table({"title": ["x"], "brand": ["y"]}), r"two columns 'brand'.*prefix="),
        (polars.LazyFrame({"title": ["x"]}), r"frame\.collect\(\)"),
        (pandas.Series(["x"], name="title"), "Series is not a frame"),
        ("title", "str is not a frame"),
        ({"title": ["x", 3]}, "should hold text"),
    ],
)
def test_a_frame_that_cannot_be_used_is_refused_before_a_model_is_loaded(frame, message, no_model):
    with pytest.raises(InputError, match=message):
        extract(frame)


def test_new_columns_that_would_have_one_name_are_refused(no_model):
    with pytest.raises(InputError, match="two columns 'a_confidence'"):
        extract(TABLE, "a, a_confidence", confidence=True)
    with pytest.raises(InputError, match="two columns 'error'"):
        extract(TABLE, "error", on_error="record")


def test_an_unknown_way_to_treat_errors_is_refused(no_model):
    with pytest.raises(OptionError, match="on_error must be 'raise' or 'record'"):
        extract(TABLE, "brand", on_error="ignore")


def test_no_schema_is_refused(no_model):
    with pytest.raises(SchemaError, match="no schema"):
        extract(TABLE, None)


DAY_ROW = {
    "sold": datetime.date(2024, 5, 31),
    "seen": datetime.datetime(2024, 5, 31, 7, 30, tzinfo=datetime.timezone.utc),
    "price": Decimal("12.5"),
    "at": datetime.time(9, 30),
}


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_dates_times_and_decimals_come_typed_and_kept_columns_stay(library):
    class Known:
        """An extractor whose answer is known."""

        options = hpd.Options()
        schemas = as_schemas(
            Schema(
                (
                    Attribute("sold", "date"),
                    Attribute("seen", "array", item=Attribute("seen", "date-time")),
                    Attribute("price", "string", format="decimal"),
                    Attribute("at", "string", format="time"),
                )
            )
        )

        def extract_many(self, documents, **_):
            for _ in documents:
                yield Extraction(
                    None,
                    {
                        "sold": "2024-05-31",
                        "seen": ["2024-05-31T09:30:00+02:00", None],
                        "price": "12.5",
                        "at": "09:30",
                    },
                )

    kept = pyarrow.table(
        {
            "title": ["x", None],
            "day": pyarrow.array([DAY_ROW["sold"], None], "date32"),
            "n": pyarrow.array([1, None], "int8"),
        }
    )
    frames = {
        "pyarrow": lambda: kept,
        "pandas": lambda: kept.to_pandas(types_mapper=pandas.ArrowDtype),
        "polars": lambda: polars.from_arrow(kept),
    }
    result = hpd.frames.extract(frames[library](), column="title", extractor=Known())
    if library == "pandas":
        result = pyarrow.Table.from_pandas(result, preserve_index=False)
    elif library == "polars":
        result = result.to_arrow()
    types = [str(field.type).replace("large_", "") for field in result.schema]
    assert types[1:3] == ["date32[day]", "int8"]
    assert types[3] == "date32[day]"
    assert types[5:] == [
        "decimal128(38, 18)",
        "time64[ns]" if library == "polars" else "time64[us]",
    ]
    first, second = result.to_pylist()
    assert (first["sold"], first["price"], first["at"]) == (
        DAY_ROW["sold"],
        DAY_ROW["price"],
        DAY_ROW["at"],
    )
    assert first["seen"] == [DAY_ROW["seen"], None]
    assert second["sold"] is second["seen"] is second["price"] is None


@pytest.mark.parametrize(
    "column",
    [
        pandas.Series([float("nan")] * 2),
        pandas.Series([None, float("nan")], dtype=object),
        pandas.Series([pandas.NaT] * 2),
        polars.Series([float("nan"), None]),
        polars.Series([None, None]),
        pyarrow.array([None, None], "int64"),
    ],
    ids=["NaN", "objects", "NaT", "polars NaN", "polars null", "integers"],
)
def test_a_column_that_holds_nothing_has_no_texts(column):
    make = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}
    frame = make[type(column).__module__.partition(".")[0]]({"title": column})
    brands = extract(frame, "brand")["brand"]
    values = brands.to_pylist() if hasattr(brands, "to_pylist") else brands.to_list()
    assert [None if value is pandas.NA else value for value in values] == [None, None]


def test_a_text_that_is_no_unicode_is_the_error_of_its_row():
    texts = pandas.Series(["Luma shirt", "bad \ud83d text", float("nan")], dtype=object)
    result = extract(pandas.DataFrame({"title": texts}), "brand", on_error="record")
    assert result["brand"].to_list()[0] == "Luma"
    assert result["error"].notna().to_list() == [False, True, False]
    with pytest.raises(InputError, match="row 1"):
        extract(pandas.DataFrame({"title": texts}), "brand")


def test_names_that_are_no_texts():
    frame = pandas.DataFrame({1: ["Luma shirt"], ("a", "b"): [2]})
    result = hpd.frames.extract(frame, "brand", column=1, **SETTINGS)
    assert result["brand"].to_list() == ["Luma"]


def test_a_prefix_makes_room():
    table = pyarrow.table({"title": ["Luma shirt"], "brand": ["as it came"]})
    result = extract(table, "brand", prefix="hpd_", confidence=True, on_error="record")
    new = ["hpd_brand", "hpd_brand_confidence", "hpd_error"]
    assert result.column_names == ["title", "brand", *new]
    assert result["hpd_brand"].to_pylist() == ["Luma"]


def test_a_schema_with_checks_adds_a_column():
    schema = {"type": "object", "properties": {"brand": {"type": "string"}}}
    table = pyarrow.table({"title": ["Luma shirt"]})
    result = extract(table, {**schema, "checks": ["brand == 'Nike'"]})
    assert result.column_names == ["title", "brand", "checks"]
    assert result["checks"].to_pylist() == ["brand == 'Nike' (Luma and Nike)"]


def test_more_rows_than_a_chunk(monkeypatch):
    monkeypatch.setattr("hpd.frames.columns.CHUNK_ROWS", 2)
    table = extract(TABLE)
    assert table["brand"].num_chunks == 3
    assert rows_of(table) == expected_rows()
