"""Texts that contradict their schema, their twins, and how what hpd makes of them is counted."""

import json

import pytest

from benchmarks.contradictions.__main__ import headline, main, rows
from benchmarks.contradictions.counting import acceptance, refusal, tally
from benchmarks.contradictions.losses import COUNTS, LossTally, count_losses
from benchmarks.contradictions.records import (
    ContradictionRecord,
    RecordSide,
    leaves,
    read_records,
)
from hpd.errors import SchemaError
from hpd.evaluation.outcomes import normalize_value
from hpd.results import Extraction, Failure, FieldValue
from hpd.schema import load_schema
from hpd.values.parsing import check_value
from recipe.calibration_documents import gold_document
from recipe.handwritten import read_file
from small_model import small_model

RECORDS = read_records()


def attribute_at(schema, place):
    """The attribute at a place in the data."""
    found, attributes = None, schema.attributes
    for part in place.replace("]", "").replace("[", ".[").split("."):
        if part.startswith("["):
            found = found.item
        else:
            found = next(each for each in attributes if each.name == part)
        attributes = found.attributes
    return found


def test_there_are_three_hundred_texts_of_many_kinds_and_languages():
    kinds = [record.kind for record in RECORDS]
    assert len(RECORDS) == len({record.contradicting.text for record in RECORDS}) == 300
    assert len(set(kinds)) == 15
    assert min(kinds.count(kind) for kind in kinds) >= 10
    assert sum(not record.contradicting.text.isascii() for record in RECORDS) >= 25
    n_required = sum('"required": ["' in json.dumps(record.schema) for record in RECORDS)
    assert 75 <= n_required <= 225


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_what_is_stated_obeys_the_schema(record):
    schema = load_schema(record.schema)
    assert record.contradicting.text != record.fitting.text
    for side in (record.contradicting, record.fitting):
        for path, value in leaves(side.stated):
            attribute = attribute_at(schema, path)
            for each in value.split("||") if isinstance(value, str) else [value]:
                assert each is None or check_value(each, attribute).error is None, path
            is_copied = attribute.type in ("string", "enum") and attribute.format != "time"
            if value is not None and is_copied:
                texts = str(value).split("||")
                text = normalize_value(side.text)
                assert any(normalize_value(each) in text for each in texts), path


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ('x <1|2>\n{"a": }\n{"a": <null|2>}', "Expecting value"),
        ('x <1|2>\n{}\n{"a": <1|2>}', "not enough values"),
        ('x <1|2>\n{}\n{"a": <null|2>', "delimiter"),
    ],
)
def test_a_record_that_cannot_be_read_is_named(tmp_path, record, reason):
    path = tmp_path / "texts.txt"
    path.write_text(f"=== kind\n{record}\n")
    with pytest.raises(ValueError, match=rf"kind 1: .*{reason}"):
        read_records(path)


def record(place, contradicting, fitting):
    made = ContradictionRecord(
        "kind", "kind 1", {}, RecordSide("bad", contradicting), RecordSide("good", fitting)
    )
    assert made.field == place
    return made


AGE = record("age", {"age": None, "city": "Porto"}, {"age": 31, "city": "Porto||Oporto"})
CODES = record("codes[1]", {"codes": ["a", None, "c"]}, {"codes": ["a", "b", "c"]})
GUESTS = record(
    "guests[0].room",
    {"guests": [{"name": "Ann", "room": None}, {"name": "Bob", "room": 7}]},
    {"guests": [{"name": "Ann", "room": 4}, {"name": "Bob", "room": 7}]},
)
WHY = FieldValue(0.4, error="above the maximum", raw=" 130")


@pytest.mark.parametrize(
    ("asked", "data", "fields", "outcome"),
    [
        (AGE, {"age": 13}, {"age": FieldValue(0.97)}, "silently wrong"),
        (AGE, {"age": 13}, {}, "silently wrong"),
        (AGE, {"age": 13}, {"age": WHY}, "null and why"),
        (AGE, {"age": None}, {"age": WHY}, "null and why"),
        (AGE, {"age": None}, {"age": FieldValue(0.97)}, "null"),
        (AGE, {"age": None}, {"city": WHY}, "null"),
        (AGE, {"age": None}, {"ages": WHY}, "null"),
        (AGE, {}, {}, "null"),
        (CODES, {"codes": ["a", "c"]}, {}, "null"),
        (CODES, {"codes": ["a", None, "c"]}, {"codes[1]": WHY}, "null and why"),
        (CODES, {"codes": ["c"]}, {"codes": WHY}, "null and why"),
        (CODES, {"codes": ["a", "x", "c"]}, {}, "silently wrong"),
        (CODES, {"codes": ["a", "c", "a"]}, {}, "silently wrong"),
        (GUESTS, {"guests": [{"room": 7}, {"room": 7}]}, {}, "silently wrong"),
        (GUESTS, {"guests": [{"room": None}, {"room": 7}]}, {"guests[0]": WHY}, "null and why"),
        (GUESTS, {"guests": [{"room": None}]}, {"guests[0].name": WHY}, "null"),
    ],
)
def test_a_value_where_the_text_contradicts_is_wrong_unless_marked(asked, data, fields, outcome):
    assert refusal(asked, Extraction(data=data, fields=fields)).outcome == outcome


def test_a_document_that_failed_has_said_why():
    failed = Extraction(error=Failure(SchemaError("age is missing")))
    assert refusal(AGE, failed).outcome == "null and why"
    assert acceptance(AGE, failed).outcome == "lost"


@pytest.mark.parametrize(
    ("asked", "data", "fields", "outcome"),
    [
        (AGE, {"age": 31.0}, {}, "right"),
        (AGE, {"age": 3}, {}, "wrong"),
        (AGE, {"age": None}, {}, "lost"),
        (AGE, {"age": 31}, {"age": WHY}, "lost"),
        (CODES, {"codes": ["b", "a"]}, {}, "right"),
        (CODES, {"codes": ["a", "c"]}, {}, "lost"),
        (CODES, {"codes": ["a", "x", "c"]}, {}, "wrong"),
        (GUESTS, {"guests": [{"room": 7}]}, {}, "lost"),
        (GUESTS, {"guests": [{"room": 4}]}, {}, "right"),
    ],
)
def test_a_twin_is_right_wrong_or_lost(asked, data, fields, outcome):
    assert acceptance(asked, Extraction(data=data, fields=fields)).outcome == outcome


def test_the_counts_of_a_kind():
    sure, unsure = FieldValue(0.9), FieldValue(0.5)
    right = Extraction(data={"age": 31, "city": "Oporto"})
    pairs = [
        (Extraction(data={"age": 13, "city": "Porto"}, fields={"age": sure}), right),
        (Extraction(data={"age": 13, "city": None}, fields={"age": unsure}), right),
        (Extraction(data={"age": None}, fields={"age": WHY}), Extraction(data={"age": None})),
    ]
    counted = tally([AGE] * 3, pairs)
    assert rows(counted)[1] == ("kind", 3, 2, 1, 1, 0, 2, 0, 1, "3 of 6")
    assert rows(counted)[2] == ("all", *rows(counted)[1][1:])
    assert headline(counted["all"]).startswith("66.7% of 3 silently wrong; of their twins 2 right")
    assert [fault["outcome"] for fault in counted["all"].faults] == [
        "silently wrong", "silently wrong", "lost",
    ]  # fmt: skip


def test_a_result_has_the_counts_and_the_conditions(tmp_path, capsys):
    output = tmp_path / "result.json"
    asked = ["-m", str(small_model()), "--limit", "3", "-t", "1"]
    assert main([*asked, "-o", str(output)]) == 0
    assert "silently wrong" in capsys.readouterr().out
    result = json.loads(output.read_text())
    (table,) = result["finding"]["tables"]
    assert table["rows"][-1][:2] == ["all", 3]
    assert result["conditions"]["models"].keys() == {small_model().name}
    assert str(tmp_path) not in output.read_text()
    assert result["commands"] == [
        f"python -m benchmarks.contradictions -m {small_model().name} --limit 3 -t 1 -o result.json"
    ]


def test_right_values_that_were_rejected_are_lost(tmp_path):
    file = tmp_path / "pets.txt"
    questions = "kind ([cat|dog]) = cat || dog\nage (int) = 7\nborn (date) =\nname = Tom\nsex ="
    file.write_text(f"=== pet\nTom, 7\n---\n{questions}\n")
    (document,) = read_file(file)
    fields = {
        "kind": FieldValue(0.1, reason="too unlikely", raw=' "dog"'),
        "age": FieldValue(0.1, error="above the maximum", raw=" 70"),
        "born": FieldValue(0.1, reason="no such day", raw=' "2024-02-31"'),
        "name": FieldValue(0.9, value="tom"),
        "sex": FieldValue(0.9),
    }
    found = LossTally()
    count_losses(found, gold_document(document), Extraction(data={}, fields=fields))
    assert [found.counts[count] for count in COUNTS] == [1, 3, 1, 2, 1]
    assert [(fault["field"], fault["lost"]) for fault in found.faults] == [
        ("kind", True), ("age", False),
    ]  # fmt: skip


def test_losses_are_a_table_of_their_own(tmp_path, capsys):
    output = tmp_path / "result.json"
    asked = ["-m", str(small_model()), "--limit", "1", "--held-out", "2", "-t", "1"]
    assert main([*asked, "-o", str(output)]) == 0
    assert "rejected" in capsys.readouterr().out
    _, table = json.loads(output.read_text())["finding"]["tables"]
    assert table["rows"][1][0] == 2


def test_no_texts_are_too_few(capsys):
    with pytest.raises(SystemExit):
        main(["--limit", "0"])
    assert "--limit" in capsys.readouterr().err
