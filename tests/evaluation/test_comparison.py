"""Blind comparison: what is shown to whom, what is kept, and what it adds up to."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.errors import InputError
from hpd.evaluation.comparison import (
    ComparedRow,
    Judgement,
    JudgementFile,
    PairTrial,
    System,
    compared_rows,
    load_judgements,
    load_systems,
    plan_trials,
    system_names,
    trial_json,
)
from hpd.evaluation.comparison_results import WinTally, annotator_agreement, tally_matrix
from hpd.evaluation.json_form import json_text
from hpd.evaluation.rows import Prediction
from hpd.evaluation.scores import Resampling
from hpd.evaluation.statistics import cohen_kappa, krippendorff_alpha
from jsonl import read_lines, write_lines

IDS = [f"d{i}" for i in range(200)]


def system(name, ids=None, **data):
    ids = IDS if ids is None else ids
    return System(name, {each: Prediction(each, data) for each in ids})


A, B, C = (system(name) for name in "abc")


# --- systems ---


def test_systems_are_called_as_their_files():
    assert system_names(["x/hpd.jsonl", "ar.json"]) == ["hpd", "ar"]
    assert system_names(["x/p.jsonl", "y/p.jsonl", "z.csv"]) == ["x/p.jsonl", "y/p.jsonl", "z"]
    with pytest.raises(InputError, match=r"a.jsonl is given twice"):
        system_names(["a.jsonl", "a.jsonl"])


def test_predictions_are_known_by_their_ids_or_their_places(tmp_path):
    with_ids = write_lines(tmp_path / "a.jsonl", {"id": 7, "data": {"x": 1}})
    without = write_lines(tmp_path / "b.jsonl", {"data": {"x": 1}}, {"data": {"x": 2}})
    one, other = load_systems([str(with_ids), str(without)])
    assert [*one.predictions] == ["7"]
    assert [*other.predictions] == ["1", "2"]
    write_lines(with_ids, {"id": 7, "data": {}}, {"id": "7", "data": {}})
    with pytest.raises(InputError, match=r"a\.jsonl:2: the id '7' is used more than once"):
        load_systems([str(with_ids)])


# --- trials ---


def test_all_annotators_judge_the_same_pairs_in_the_same_order():
    ann, bob = (plan_trials([A, B, C], name) for name in ("ann", "bob"))
    assert [trial.id for trial in ann] == [trial.id for trial in bob] != IDS
    assert [{t.left.name, t.right.name} for t in ann] == [{t.left.name, t.right.name} for t in bob]
    assert [t.left.name for t in ann] != [t.left.name for t in bob]
    assert ann == plan_trials([A, B, C], "ann")
    assert ann != plan_trials([A, B, C], "ann", seed=1)


def test_sides_and_pairs_are_as_good_as_even():
    trials = plan_trials([A, B, C], "ann")
    pairs = Counter(frozenset((trial.left.name, trial.right.name)) for trial in trials)
    assert len(pairs) == 3
    assert min(pairs.values()) > 40
    lefts = Counter(trial.left.name for trial in trials)
    assert min(lefts.values()) > 40


def test_the_draw_stays_what_it_is():
    # A study may be resumed with a later version.
    trials = plan_trials([A, B, C], "ann", limit=3)
    assert [(t.id, t.left.name, t.right.name) for t in trials] == [
        ("d116", "b", "a"),
        ("d11", "a", "b"),
        ("d146", "c", "b"),
    ]


def test_only_documents_of_two_systems_are_shown():
    trials = plan_trials(
        [system("a", ["1", "2"]), system("b", ["2", "3"]), system("c", ["3"])], "n"
    )
    assert {(t.id, frozenset((t.left.name, t.right.name))) for t in trials} == {
        ("2", frozenset("ab")),
        ("3", frozenset("bc")),
    }


# --- what is seen ---


def test_the_values_of_both_sides_stand_beside_each_other():
    left = system("a", ["1"], brand="Diesel", tags=["x", "y"], size=None, both=None)
    right = system("b", ["1"], tags=[], brand="Diesel", color="red", both=None)
    assert compared_rows(PairTrial("1", left, right)) == [
        ComparedRow("brand", "brand", "Diesel", "Diesel"),
        ComparedRow("tags[0]", "tags", "x", None),
        ComparedRow("tags[1]", "tags", "y", None),
        ComparedRow("size", "size", None, None),
        ComparedRow("both", "both", None, None),
        ComparedRow("color", "color", None, "red"),
    ]


def test_nothing_tells_the_systems_apart():
    known = {"a": {"confidence": 0.9, "start": 0, "end": 3, "match": "exact"}}
    raw = {"id": "1", "usage": {"steps": 3}, "fields": known}
    rich = System("hpd", {"1": Prediction("1", {"a": "red"}, known, raw=raw)})
    plain = System("gpt", {"1": Prediction("1", {"a": "red"})})
    for trial in (PairTrial("1", rich, plain), PairTrial("1", plain, rich)):
        seen = trial_json(trial, "a red hat", None)
        assert seen == {
            "text": "a red hat",
            "rows": [["a", 0, "red", "red"]],
            "segments": [(2, 5, (0,), (0,))],
            "verdict": None,
        }


def test_a_value_is_marked_where_it_stands_as_words():
    text = "\N{GRINNING FACE} reddish red (XL+)"
    left, right = system("a", ["1"], a="red", b="XL+"), system("b", ["1"], a="dish", b="gone")
    seen = trial_json(PairTrial("1", left, right), text, "tie")
    units = text.encode("utf-16-le")
    marked = {
        numbers: units[2 * start : 2 * end].decode("utf-16-le")
        for start, end, numbers, _ in seen["segments"]
    }
    assert marked == {(1,): "dish", (0,): "red", (2,): "XL+"}
    assert units[2 * 11 : 2 * 14].decode("utf-16-le") == "red"
    assert seen["segments"][1][0] == 11


@pytest.mark.parametrize(
    ("value", "text", "marked"),
    [
        (88.2, "total 88.20", "88.20"),
        (1249.9, "1.249,90 EUR", "1.249,90"),
        (88, "188 and 88.5", None),
        (4, "4 of them", "4"),
    ],
)
def test_a_number_is_marked_whole(value, text, marked):
    trial = PairTrial("1", system("a", ["1"], total=value), system("b", ["1"], total=value))
    seen = trial_json(trial, text, None)["segments"]
    assert [text[start:end] for start, end, *_ in seen] == ([] if marked is None else [marked])


# --- judgements ---


def judgement(document, verdict, annotator="ann", left="a", right="b"):
    return Judgement(document, annotator, left, right, verdict)


def test_judgements_are_appended_and_known_again(tmp_path):
    path = tmp_path / "j.jsonl"
    with JudgementFile(path) as file, JudgementFile(path) as other:
        file.append(judgement("1", "win"))
        assert len(read_lines(path)) == 1
        other.append(judgement("1", "loss", "bob"))
        file.append(judgement("1", "tie"))
    assert [(each.annotator, each.verdict) for each in load_judgements(path)] == [
        ("ann", "win"),
        ("bob", "loss"),
        ("ann", "tie"),
    ]
    with JudgementFile(path) as again:
        assert again.verdict(PairTrial("1", A, B), "ann") == "tie"
        assert again.verdict(PairTrial("1", A, B), "bob") == "loss"
        assert again.verdict(PairTrial("1", B, A), "bob") == "win"
        assert again.verdict(PairTrial("1", A, C), "bob") is None
        assert again.verdict(PairTrial("2", A, B), "bob") is None


def test_a_line_that_was_cut_off_is_removed(tmp_path):
    path = tmp_path / "j.jsonl"
    with JudgementFile(path) as file:
        file.append(judgement("1", "win"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    with JudgementFile(path) as file:
        assert path.read_bytes() == whole
        file.append(judgement("2", "tie"))
    assert [each.id for each in load_judgements(path)] == ["1", "2"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"id": "1", "data": {}}, "j.jsonl:1: 'annotator' is missing"),
        ({**json.loads('{"id": "1", "annotator": "x", "left": "a", "right": "b"}'), "verdict": "w"},
         "the verdict is 'w'"),
    ],
)  # fmt: skip
def test_a_file_of_something_else_is_left_alone(tmp_path, line, says):
    path = write_lines(tmp_path / "j.jsonl", line)
    before = path.read_bytes()
    with pytest.raises(InputError, match=says):
        JudgementFile(path)
    assert path.read_bytes() == before


# --- the matrix and the score ---


def test_wins_of_one_are_losses_of_the_other():
    said = [
        judgement("1", "win"),
        judgement("2", "loss", left="b", right="a"),
        judgement("3", "tie"),
        judgement("4", "win", left="c", right="a"),
        judgement("4", "loss", "bob", left="b", right="c"),
        judgement("3", "loss", "bob"),
        judgement("5", "win", left="x", right="a"),
    ]
    matrix = tally_matrix(said, ["a", "b", "c"])
    assert matrix.against["a", "b"] == WinTally(2, 1, 1)
    assert matrix.against["b", "a"] == WinTally(1, 1, 2)
    assert matrix.against["a", "c"] == WinTally(0, 0, 1)
    assert matrix.systems["a"] == WinTally(2, 1, 2)
    assert matrix.systems["c"] == WinTally(2, 0, 0)
    assert (matrix.n_judgements, matrix.n_documents) == (6, 4)
    assert json.loads(json_text(matrix))["systems"]["c"]["score"] == 100


def test_a_judgement_that_was_changed_counts_once():
    changed = [judgement("1", "win"), judgement("1", "win", left="b", right="a")]
    assert tally_matrix(changed, ["a", "b"]).against["a", "b"] == WinTally(0, 0, 1)


@pytest.mark.parametrize(
    ("tally", "score"),
    [
        (WinTally(5, 0, 0), 100),
        (WinTally(0, 0, 5), 0),
        (WinTally(0, 7, 0), 50),
        (WinTally(3, 9, 3), 50),
        (WinTally(1, 1, 0), 100 * 2 / 3),
        # Figure 8 of the paper: HPD against AR, and against GPT-4.1.
        (WinTally(267, 545, 188), 100 * 812 / (812 + 733)),
        (WinTally(), None),
    ],
)
def test_the_score(tally, score):
    assert tally.score == (None if score is None else pytest.approx(score, abs=0.005))


def test_intervals_are_those_of_documents_drawn_one_by_one():
    verdicts = ["win", "tie", "loss", "win", "win", "tie", "loss", "win"] * 4
    said = [judgement(str(i), verdict) for i, verdict in enumerate(verdicts)]
    said += [judgement(str(i), verdict, "bob") for i, verdict in enumerate(verdicts)]
    interval = tally_matrix(said, ["a", "b"], Resampling(2_000)).systems["a"].interval
    slow = slow_interval(verdicts)
    assert (interval.low, interval.high) == pytest.approx(slow, abs=2)
    # Two annotators who say the same tell no more than one.
    once = tally_matrix(said[: len(verdicts)], ["a", "b"], Resampling(2_000)).systems["a"].interval
    assert once == interval


def slow_interval(verdicts):
    import random

    chance = random.Random(5)
    drawn = []
    for _ in range(4_000):
        sample = Counter(chance.choices(verdicts, k=len(verdicts)))
        score = WinTally(sample["win"], sample["tie"], sample["loss"]).score
        assert score is not None
        drawn.append(score)
    drawn.sort()
    return drawn[100], drawn[-101]


def test_a_system_without_a_judgement_has_no_score():
    matrix = tally_matrix([judgement("1", "win")], ["a", "b", "c"])
    assert matrix.systems["c"].score is None
    assert matrix.systems["c"].interval is None
    assert matrix.against["a", "b"].interval is not None


# --- agreement ---


def test_cohen_s_kappa_of_a_table_worked_by_hand():
    # 50 grant proposals, 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.7 observed, 0.5 by chance.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)
    assert cohen_kappa([("y", "y")] * 3) is None
    assert cohen_kappa([("y", "n"), ("n", "y")]) == -1


def test_krippendorff_s_alpha_of_the_book_s_example():
    # Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four
    # observers, twelve units, and some that were not observed by all; nominal alpha 0.743.
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    items = [[each for each in unit if each != "."] for unit in zip(*observers, strict=True)]
    assert krippendorff_alpha(items) == pytest.approx(0.743, abs=0.0005)
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]) is None


VERDICTS = st.sampled_from(["win", "tie", "loss"])


@given(st.lists(st.lists(VERDICTS, min_size=0, max_size=4), max_size=8))
def test_alpha_is_disagreement_over_what_chance_would_give(items):
    pairable = [item for item in items if len(item) >= 2]
    every = [verdict for item in pairable for verdict in item]
    n = len(every)
    by_chance = sum(
        every[i] != every[j] for i in range(n) for j in range(n) if i != j
    )  # of all ordered pairs, whoever said it of whatever
    if not by_chance:
        assert krippendorff_alpha(items) is None
        return
    observed = sum(
        sum(item[i] != item[j] for i in range(len(item)) for j in range(len(item)) if i != j)
        / (len(item) - 1)
        for item in pairable
    )
    expected = by_chance / (n - 1)
    assert krippendorff_alpha(items) == pytest.approx(1 - observed / expected)


def test_two_annotators_have_a_kappa_and_more_an_alpha():
    names = ["a", "b"]
    said = [judgement(str(i), v) for i, v in enumerate(["win", "tie", "loss", "win"])]
    # Bob says the same, of the other side; and something that nobody else judged.
    said += [
        judgement(str(i), v, "bob", left="b", right="a")
        for i, v in enumerate(["loss", "tie", "win", "win", "tie"])
    ]
    both = annotator_agreement(said, names)
    assert (both.measure, both.n_shared, both.n_annotators) == ("Cohen's kappa", 4, 2)
    assert both.raw == 0.75
    assert both.value == pytest.approx((0.75 - 5 / 16) / (1 - 5 / 16))
    three = annotator_agreement([*said, judgement("0", "win", "cy")], names)
    assert (three.measure, three.n_annotators) == ("Krippendorff's alpha", 3)
    assert annotator_agreement(said[:4], names) is None
    assert annotator_agreement(said, ["a", "x"]) is None
