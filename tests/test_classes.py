"""Classes as schemas, the data as their instances, and extractions at hand."""

from __future__ import annotations

import dataclasses
import datetime
import json

import pytest
from pydantic import BaseModel
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


def test_a_repr_is_short(tiny_model):
    result = extraction('brand, "day" date', tiny_model("qwen3"))
    assert repr(result) == "Extraction(data={'brand': 'Nike', 'day': '2024-05-31'})"
    failed = hpd.Extraction("7", error=hpd.results.Failure("InputError", "no text"))
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
