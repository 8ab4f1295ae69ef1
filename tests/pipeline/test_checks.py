"""The checks of a schema in extractions."""

import re

import pytest
from pydantic import BaseModel, ConfigDict

from small_extractor import SmallExtractor, give_answers

CHECK = "sum(lines.amount) == total"
SCHEMA = {
    "type": "object",
    "properties": {
        "total": {"type": "number"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"what": {"type": "string"}, "amount": {"type": "number"}},
            },
        },
    },
    "checks": [CHECK],
}


class Line(BaseModel):
    what: str | None
    amount: float | None


class Bill(BaseModel):
    model_config = ConfigDict(json_schema_extra={"checks": [CHECK]})
    total: float | None
    lines: list[Line]


def bill(total, *amounts):
    return {"total": total, "lines": [{"what": "x", "amount": amount} for amount in amounts]}


@pytest.mark.parametrize("schema", [SCHEMA, Bill])
def test_an_extraction_tells_the_checks_that_its_data_does_not_pass(schema, model):
    answers = {"right": bill(3, 1, 2), "wrong": bill(4, 1, 2), "null": bill(3, 1, None)}
    with SmallExtractor(schema, model, answers=answers) as extractor:
        right, wrong, unknown = extractor.extract_many(["right", "wrong", "null"])
    assert right.checks == ()
    assert "checks" not in right.to_dict()
    assert wrong["total"] == 4  # Nothing is dropped.
    assert wrong.error is None
    expected = [{"check": CHECK, "passed": False, "left": 3, "right": 4}]
    assert wrong.to_dict()["checks"] == expected
    assert [check.passed for check in unknown.checks] == [None]


def test_data_that_its_class_rejects_is_checked(model):
    class Strict(Bill):
        def model_post_init(self, _):
            raise ValueError("never right")

    with SmallExtractor(Strict, model, answers={"a": bill(4, 1)}) as extractor:
        (refused,) = extractor.extract_many(["a"], on_error="record")
    assert refused.error is not None
    assert [check.right for check in refused.checks] == [4]


def test_the_rows_of_all_chunks_are_checked_together(model):
    def known(text):
        whats = re.findall(r"item\d+", text)
        lines = [{"what": what, "amount": int(what[4:])} for what in whats]
        return {"total": 400 if "total" in text else None, "lines": lines}

    text = "".join(f"item{n} costs {n}\n" for n in range(30)) + "total 400\n"
    settings = {"on_overflow": "chunk", "chunk_size": 100, "n_ctx": 2048}
    with SmallExtractor(SCHEMA, model, **settings) as extractor:
        give_answers(extractor, known)
        found = extractor.extract(text)
    assert found.usage.n_chunks > 1
    assert [(check.left, check.right) for check in found.checks] == [(sum(range(30)), 400)]
