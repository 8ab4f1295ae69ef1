"""Classes as schemas, the data as their instances, and extractions at hand."""

from __future__ import annotations

import dataclasses
import datetime
import json
from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import BaseModel, BeforeValidator
from typing_extensions import TypedDict

import hpd
from small_extractor import give_answers


@dataclasses.dataclass
class Maker:
    city: str | None


@dataclasses.dataclass
class Shoe:
    brand: str | None
    day: datetime.date | None
    maker: Maker | None


class ShoeModel(BaseModel):
    brand: str | None
    day: datetime.date | None
    maker: Maker | None


class ShoeRow(TypedDict):
    brand: str | None
    day: datetime.date | None
    maker: Maker | None


ANSWER = {"brand": "Nike", "day": "2024-05-31", "maker": {"city": "Oslo"}}
EXPECTED = {"brand": "Nike", "day": datetime.date(2024, 5, 31), "maker": Maker("Oslo")}


def extraction(schema, model):
    with hpd.Extractor(schema, model, n_threads=1) as extractor:
        give_answers(extractor, lambda _: ANSWER)
        return extractor.extract("Nike, made in Oslo on 2024-05-31")


@pytest.mark.parametrize("schema", [Shoe, ShoeModel, ShoeRow])
def test_the_data_is_an_instance_of_the_class(schema, tiny_model):
    result = extraction(schema, tiny_model("qwen3"))
    assert result.data == schema(**EXPECTED)
    assert type(result.data) is (dict if schema is ShoeRow else schema)
    assert json.loads(result.to_json())["data"] == ANSWER
    assert result["brand"] == "Nike"
    assert result["maker"] == Maker("Oslo")
    with pytest.raises(KeyError):
        result["color"]


class Bill(BaseModel):
    total: Decimal
    fees: list[Decimal]
    weight: float
    tax: float


class RoundedBill(Bill):
    tax: Annotated[Decimal, BeforeValidator(lambda value: round(value, 1))]  # takes no text


BILL_TEXT = "Total 235.60 EUR, fees 1,250.00 and 4, weight 4 kg, tax 1.30"
BILL = {"total": 235.6, "fees": [1250, 4], "weight": 4, "tax": 1.3}


def bill(schema, model):
    with hpd.Extractor(schema, model, n_threads=1) as extractor:
        give_answers(extractor, lambda _: BILL)
        return extractor.extract(BILL_TEXT)


def test_a_decimal_keeps_the_digits_that_are_stated(tiny_model):
    found = bill(Bill, tiny_model("qwen3"))
    assert str(found.data.total) == "235.60"
    assert [*map(str, found.data.fees)] == ["1250.00", "4"]
    assert json.loads(found.to_json())["data"] == BILL
    assert bill(RoundedBill, tiny_model("qwen3")).data.tax == Decimal("1.3")


def test_a_float_is_a_float_and_a_field_has_its_stated_text(tiny_model):
    schema = "total float, fees [float], weight float, tax float"
    found = bill(schema, tiny_model("qwen3"))
    assert repr(found.data) == repr(
        {"total": 235.6, "fees": [1250.0, 4.0], "weight": 4.0, "tax": 1.3}
    )
    assert '"weight": 4, ' in found.to_json()
    fields = found.fields
    assert repr(fields["weight"].value) == "4.0"
    assert fields["fees"].value == [1250.0, 4.0]
    assert [fields[path].text for path in ("total", "fees[0]")] == ["235.60", "1,250.00"]
    assert fields["total"].text == BILL_TEXT[slice(*fields["total"].span)]
    assert fields["fees"].text is None


def test_the_field_of_a_list_or_an_object_has_its_data(tiny_model):
    answer = {"lines": [{"qty": 2}], "tags": []}
    with hpd.Extractor("lines [{qty int}], tags [str]", tiny_model("qwen3")) as extractor:
        give_answers(extractor, lambda _: answer)
        found = extractor.extract("2 of these")
    assert found.fields["lines"].value == [{"qty": 2}]
    assert found.fields["tags"].value == []


def test_what_happens_is_logged(tiny_model, caplog):
    caplog.set_level("DEBUG", "hpd")
    model = tiny_model("qwen3")
    with hpd.Extractor("brand", model, n_threads=1, max_tokens=4) as extractor:
        documents = [hpd.Document("x", "a"), hpd.Document(7, "b")]
        list(extractor.extract_many(documents, on_error="record"))
    said = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert said[0][0] == "INFO"
    assert said[0][1].startswith(f"loaded {model} in ")
    assert ("DEBUG", "document 1 (id a) is finished: 1 fields") in said
    failed = "document 2 (id b) failed: InputError: a document must be text, not int"
    assert ("WARNING", failed) in said


def test_a_repr_is_short(tiny_model):
    result = extraction('brand, "day" date', tiny_model("qwen3"))
    assert repr(result) == "Extraction(data={'brand': 'Nike', 'day': '2024-05-31'})"
    failed = hpd.Extraction("7", error=hpd.results.Failure(hpd.InputError("no text")))
    assert repr(failed) == "Extraction(id='7', error='InputError: no text')"
    with pytest.raises(hpd.HpdError, match="no text"):
        failed["brand"]


def test_another_schema_for_one_call(tiny_model):
    with hpd.Extractor("brand", tiny_model("qwen3"), max_tokens=4, n_threads=1) as extractor:
        assert set(extractor.extract("x").data) == {"brand"}
        assert set(extractor.extract("x", schema="color, size").data) == {"color", "size"}
        many = extractor.extract_many(
            ["x", "y"], schema={"a": ["b"], "c": ["d"]}, on_error="record"
        )
        assert all("the schema has a, c" in str(result.error) for result in many)
        in_category = extractor.extract("x", category="c", schema={"a": ["b"], "c": ["d"]})
        assert set(in_category.data) == {"d"}
        for n in range(70):
            extractor.extract("x", schema=[f"name {n}"])
        assert len(extractor._pipeline._makers) <= 65
        assert set(extractor.extract("x").data) == {"brand"}
