"""Values that a model judges, and ``hpd judge``."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.cli import main
from hpd.errors import InputError
from hpd.evaluation.commands import answering
from hpd.evaluation.judging import (
    CORRECT_VERDICTS,
    POSSIBLE_VERDICTS,
    VERDICT_OF_OUTCOME,
    VERDICTS,
    JudgedField,
    gold_agreement,
    judge_questions,
    judge_scores,
    judged_values,
    value_kind,
)
from hpd.evaluation.outcomes import outcome
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import Resampling
from hpd.schema import load_schemas
from jsonl import read_lines, write_lines

COUNTS = st.lists(st.integers(0, 30), min_size=5, max_size=5)


def judged(counts):
    return [JudgedField(0, "a", verdict) for verdict, n in counts.items() for _ in range(n)]


# --- the question ---


def test_a_judge_sees_the_document_and_the_values():
    prediction = Prediction("1", {"Brand": "Diesel", "Size": 10, "Color": None, "Tags": ["a", "b"]})
    (record,), _ = judge_questions([prediction], ["Diesel sneaker, 10"])
    assert record.id == "1"
    assert record.text == (
        "Diesel sneaker, 10\n\nExtracted values:\n"
        '- Brand: Diesel\n- Size: 10\n- Color: null\n- Tags: ["a", "b"]\n'
    )


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"), ("", "null"), ([], "null"), ({}, "null"), ("none", "denial"),
        (" N/A ", "denial"), ("Nonesuch", "value"), (0, "value"), (False, "value"),
        (["x"], "value"),
    ],
)  # fmt: skip
def test_a_value_gets_only_verdicts_that_make_sense(value, kind):
    assert value_kind(value) == kind
    _, schemas = judge_questions([Prediction("1", {"a": value})], ["x"])
    ((attribute,),) = schemas.by_category.values()
    assert attribute.attributes[1].choices == POSSIBLE_VERDICTS[kind]


def test_all_verdicts_of_gold_can_be_chosen():
    for gold in (None, ["red"]):
        for value in (None, "red", "blue", "none", ["red"], []):
            verdict = VERDICT_OF_OUTCOME[outcome(gold, value)]
            # "none" beside no gold is an invention to the metric, and rightly nothing to a judge.
            assert verdict in POSSIBLE_VERDICTS[value_kind(value)] or value == "none"


def test_documents_whose_values_are_of_the_same_kinds_share_a_prompt():
    predictions = [
        Prediction("1", {"a": "x", "b": None}),
        Prediction("2", {"a": "y", "b": None}),
        Prediction("3", {"a": None, "b": "z"}),
        Prediction("4", None),
    ]
    (first, second, third), schemas = judge_questions(predictions, ["t"] * 4)
    assert first.category == second.category != third.category
    assert {*schemas.categories} == {first.category, third.category}


def test_attributes_are_those_of_the_category_or_of_the_schema():
    predictions = [
        Prediction("1", {"a": "x"}, raw={"category": "one"}),
        Prediction("2", {"b": "y"}, raw={"input": {"category": "one"}}),
        Prediction("3", {"c": "z"}, raw={"category": "two"}),
    ]
    records, asked = judge_questions(predictions, ["t"] * 3)
    names = [[a.name for a in asked.for_category(record.category)] for record in records]
    assert names == [["a", "b"], ["a", "b"], ["c"]]
    schemas = load_schemas({"one": {"a": "the first", "d": "the last"}, "two": ["c"]})
    records, asked = judge_questions(predictions, ["t"] * 3, schemas)
    a, d = asked.for_category(records[0].category)
    assert (a.name, a.description, d.name) == ("a", "the first", "d")
    assert records[0].text.endswith("- a: x\n- d: null\n")
    with pytest.raises(InputError, match="no schema for the category 'two'"):
        judge_questions(predictions, ["t"] * 3, load_schemas({"one": ["a"]}))


def test_documents_without_text_or_with_the_same_id_are_named():
    with pytest.raises(InputError, match="line 3: the document '1' has no text"):
        judge_questions([Prediction("1", {"a": 1}, line=3)], [None])
    twice = [Prediction("1", {"a": 1}, line=1), Prediction("1", {"a": 2}, line=2)]
    with pytest.raises(InputError, match="line 2: the id '1' is used more than once"):
        judge_questions(twice, ["x", "x"])


# --- the answer ---


def test_verdicts_are_read_back_by_document_and_attribute():
    predictions = [Prediction("x", {"a": 1}), Prediction(None, {"a": 1}, number=2)]
    answers = [
        Prediction(
            "2", {"a": {"reason": "it says so", "verdict": "correct"}, "b": {"verdict": ""}}
        ),
        Prediction("x", None),
        Prediction("gone", {"a": {"verdict": "correct"}}),
    ]
    assert [*judged_values(predictions, answers)] == [JudgedField(1, "a", "correct")]


# --- the scores ---


@given(COUNTS)
def test_scores_are_the_paper_s(counts):
    c, i, m, cn, h = counts
    scores = judge_scores(judged(dict(zip(VERDICTS, counts, strict=True))), Resampling(1)).total
    precision = 100 * (c + cn) / (c + cn + h + i) if c + cn + h + i else None
    recall = 100 * (c + cn) / (c + cn + m + i) if c + cn + m + i else None
    f1 = None
    if precision is not None and recall is not None:
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
    expected = [None if score is None else pytest.approx(score, abs=0.006) for score in
                (precision, recall, f1)]  # fmt: skip
    assert [*scores.scores] == expected


def test_intervals_are_those_of_documents_drawn_one_by_one():
    chance = random.Random(3)
    verdicts = [
        JudgedField(row, "a", chance.choice(VERDICTS)) for row in range(40) for _ in range(row % 3)
    ]
    scores = judge_scores(verdicts, Resampling(2000))
    rows = sorted({each.row for each in verdicts})
    drawn = []
    for _ in range(2000):
        picked = chance.choices(rows, k=len(rows))
        again = [each for row in picked for each in verdicts if each.row == row]
        precision = judge_scores(again, Resampling(1)).total.scores[0]
        drawn.append(precision or 0.0)
    drawn.sort()
    interval = scores.intervals[0]
    assert (interval.low, interval.high) == pytest.approx((drawn[50], drawn[-51]), abs=3)


def test_no_verdict_is_no_score():
    scores = judge_scores([])
    assert scores.total.scores == (None, None, None)
    assert scores.intervals == (None, None, None)


# --- gold ---


def test_judge_and_gold_are_compared_where_gold_says_something():
    predictions = [Prediction("1", {"a": "x", "b": "y", "c": None}), Prediction("2", {"a": "z"})]
    gold = [Example("1", "", "", {"a": ["x"], "b": None}), None]
    verdicts = [
        JudgedField(0, "a", "correct"),
        JudgedField(0, "b", "correct"),
        JudgedField(0, "c", "correct null"),
        JudgedField(1, "a", "correct"),
    ]
    agreement = gold_agreement(verdicts, predictions, gold)
    assert agreement.confusion["correct"]["correct"] == 1
    assert sum(sum(counts.values()) for counts in agreement.confusion.values()) == 2
    assert (agreement.n, agreement.n_equal, agreement.n_equally_right) == (2, 1, 1)
    assert agreement.kappa == 0
    assert gold_agreement(verdicts, predictions, [None, None]) is None
    assert agreement.confusion["correct"]["hallucination"] == 1


def test_verdicts_that_mean_the_same_are_equally_right():
    predictions = [Prediction(str(i), {"a": value}) for i, value in enumerate(["x", "y", None])]
    gold = [Example(str(i), "", "", {"a": ["x"]}) for i in range(3)]
    said = ["correct", "hallucination", "missing"]
    verdicts = [JudgedField(i, "a", verdict) for i, verdict in enumerate(said)]
    agreement = gold_agreement(verdicts, predictions, [*gold])
    assert (agreement.n_equal, agreement.n_equally_right) == (2, 3)
    assert agreement.kappa_right == 1
    assert {"correct", "correct null"} == CORRECT_VERDICTS


ROWS = [
    {"id": "1", "text": "Diesel sneaker, black", "data": {"Brand": "Diesel", "Color": None}},
    {"id": "2", "text": "Nordvik wool coat", "data": {"Brand": "Kestrel", "Color": "red"}},
    {"id": "3", "error": {"type": "InputError", "message": "broken"}},
]
GOLD = [
    {"id": "1", "gold": {"Brand": "Diesel", "Color": "black"}},
    {"id": "2", "gold": {"Brand": "Nordvik", "Color": None}},
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "values.jsonl", *ROWS)
    write_lines(tmp_path / "gold.jsonl", *GOLD)
    return tmp_path


def test_every_value_gets_a_verdict_and_a_reason(files, monkeypatch, capsys):
    monkeypatch.setattr(answering, "is_bundled", lambda path: True)
    assert main(["judge", "values.jsonl", "gold.jsonl", "-t", "1"]) == 0
    out, err = capsys.readouterr()
    assert "so its answers mean little" in err
    assert "2 documents, 4 of 4 values judged" in out
    assert "judge and gold: the same verdict on" in out
    lines = read_lines(files / "verdicts.jsonl")
    of_color = {"1": ("missing", "correct null"), "2": ("correct", "incorrect", "hallucination")}
    assert [line["id"] for line in lines] == ["1", "2"]
    for line in lines:
        assert line["data"]["Brand"]["verdict"] in ("correct", "incorrect", "hallucination")
        assert line["data"]["Color"]["verdict"] in of_color[line["id"]]
        assert all(isinstance(each["reason"], str) for each in line["data"].values())


def test_a_run_goes_on_and_its_figures_are_printed_once_more(files, capsys, monkeypatch):
    judge = ["judge", "values.jsonl", "gold.jsonl", "-t", "1", "--json", "--quiet"]
    assert main([*judge, "--limit", "1"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["n_documents"] == 1
    assert not err
    first = read_lines(files / "verdicts.jsonl")
    assert main(judge) == 2
    assert "verdicts.jsonl already exists" in capsys.readouterr().err
    assert main([*judge, "--resume"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["n_documents"] == 2
    assert figures["n_values"] == 4
    assert figures["agreement"]["n"] == 4
    assert read_lines(files / "verdicts.jsonl")[:1] == first

    def refuse(*_, **__):
        pytest.fail("a model was loaded")

    monkeypatch.setattr("hpd.extractor.Extractor.from_plan", refuse)
    assert main([*judge, "--resume"]) == 0
    assert json.loads(capsys.readouterr().out) == figures


def test_verdicts_on_other_values_are_not_gone_on_with(files, capsys):
    judge = ["judge", "values.jsonl", "-t", "1", "--quiet"]
    assert main(judge) == 0
    write_lines(files / "values.jsonl", {**ROWS[0], "data": {"Brand": "Nike", "Color": None}})
    assert main([*judge, "--resume"]) == 2
    assert "the input has changed" in capsys.readouterr().err


def test_texts_come_from_the_documents(files, capsys):
    write_lines(files / "bare.jsonl", {"id": "1", "data": {"Brand": "Diesel"}})
    assert main(["judge", "bare.jsonl"]) == 2
    assert "has no text" in capsys.readouterr().err
    write_lines(files / "texts.jsonl", {"id": "1", "title": "Diesel sneaker"})
    more = ["--documents", "texts.jsonl", "--text-field", "title", "-t", "1", "--quiet"]
    assert main(["judge", "bare.jsonl", *more]) == 0
    assert "1 document, 1 of 1 value judged" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone.jsonl"], "cannot be opened"),
        (["values.jsonl", "-o", "values.jsonl"], "is read in this run"),
        (["values.jsonl", "--price-in", "1"], "--price-in does nothing without --api"),
        (["values.jsonl", "--no-cache"], "--no-cache does nothing without --api"),
        (["values.jsonl", "--api", "http://x/v1"], "the name of a model"),
        (["values.jsonl", "--api", "localhost:1/v1", "-m", "m"], "is not a URL"),
        (["values.jsonl", "--api", "http://x/v1", "-m", "m", "-c", "9"], "for local models"),
        (["values.jsonl", "--api", "http://x/v1", "-m", "m", "--price-in", "1"], "need each other"),
        (["values.jsonl", "--text-field", "t"], "needs --documents or GOLD"),
        (["empty.jsonl"], "no values to judge"),
    ],
)
def test_wrong_use_is_said(files, arguments, says, capsys):
    write_lines(files / "empty.jsonl", {"id": "1", "data": {}})
    assert main(["judge", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not (files / "verdicts.jsonl").exists()
