"""Workloads: documents, and the answers that are replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarking import SCHEMA
from hpd.bench.measure import without_nulls
from hpd.bench.methods import parse_contest
from hpd.bench.workload import complete_answer, load_workload, spread
from hpd.errors import InputError
from hpd.prompt import value_text
from hpd.prompt.questions import answer_at
from hpd.schema import load_schemas
from jsonl import write_lines


def test_a_slow_method_may_take_fewer_documents() -> None:
    (method,) = parse_contest("ar:documents=8").methods
    assert (method.n_documents, method.name) == (8, "ar:documents=8")
    assert parse_contest("ar").methods[0].n_documents is None
    assert spread(10, 4) == [0, 2, 5, 7]
    assert spread(3, 4) == spread(3, None) == [0, 1, 2]


def test_gold_rows_become_whole_answers(gold: Path) -> None:
    workload = load_workload(gold, load_schemas(SCHEMA), gold)
    assert [item.answer for item in workload.items] == [
        {"Brand": "Nike", "Color": "black"},
        {"Brand": "Diesel", "Color": None},
        {"Brand": None, "Color": "red"},
        {"Brand": None, "Color": None},
    ]


def test_documents_to_warm_up_with_are_not_timed(gold: Path) -> None:
    workload = load_workload(gold, load_schemas(SCHEMA), gold, limit=2)
    assert [item.id for item in workload.items] == ["a", "c"]
    assert [item.id for item in workload.warm_up] == ["b"]


def test_each_category_is_warmed_up(tmp_path: Path) -> None:
    rows = [{"text": f"cap {n}", "category": "ab"[n % 2]} for n in range(6)]
    source = write_lines(tmp_path / "rows.jsonl", *rows)
    workload = load_workload(source, load_schemas({"a": ["Brand"], "b": ["Color"]}), limit=3)
    # Timed are the documents 0, 2 and 4, all of category a.
    assert {item.category for item in workload.items} == {"a"}
    assert [item.text for item in workload.warm_up] == ["cap 0"]


def test_a_document_without_an_answer_is_an_error(tmp_path: Path, gold: Path) -> None:
    source = write_lines(tmp_path / "more.jsonl", {"id": "z", "text": "Hat"})
    with pytest.raises(InputError, match=r"more\.jsonl:1.*'z'"):
        load_workload(source, load_schemas(SCHEMA), gold)


def test_a_document_without_a_schema_is_an_error(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "rows.jsonl", {"text": "Hat", "category": "hats"})
    with pytest.raises(InputError, match=r"rows\.jsonl:1.*'hats'"):
        load_workload(source, load_schemas({"shoes": ["Brand"]}))


def test_replay_rows_without_values_are_an_error(tmp_path: Path, gold: Path) -> None:
    answers = write_lines(tmp_path / "answers.jsonl", {"id": "a", "text": "Hat"})
    with pytest.raises(InputError, match=r"answers\.jsonl:1.*target_scores"):
        load_workload(gold, load_schemas(SCHEMA), answers)


def test_answers_have_the_schemas_shape_and_order() -> None:
    schema = load_schemas(
        {
            "type": "object",
            "properties": {
                "maker": {"type": "object", "properties": {"city": {"type": "string"}}},
                "tags": {"type": "array", "items": {"type": "string"}},
                "n": {"type": "integer"},
            },
        }
    )
    assert complete_answer(schema.attributes, {"n": 3, "tags": ["x"], "other": 1}) == {
        "maker": {"city": None},
        "tags": ["x"],
        "n": 3,
    }


def test_fields_find_their_values() -> None:
    answer = {"maker": {"city": "Oslo"}, "lines": [{"qty": 2}, {"qty": 5}]}
    assert answer_at(answer, ("maker", "city")) == "Oslo"
    assert answer_at(answer, ("lines", "count")) == 2
    assert answer_at(answer, ("lines", "2", "qty")) == 5
    assert answer_at(answer, ("maker", "street")) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [('10″ "M"', ' "10″ \\"M\\""'), (None, " null"), (True, " true"), (3, " 3}"), (0.5, " 0.5}")],
)
def test_values_are_written_as_the_model_writes_them(value: object, text: str) -> None:
    assert value_text(value) == text


def test_missing_and_null_values_are_the_same() -> None:
    assert without_nulls({"a": None, "b": {"c": None}, "d": [], "e": 0, "f": False}) == {
        "e": 0,
        "f": False,
    }
