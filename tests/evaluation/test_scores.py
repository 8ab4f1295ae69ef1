"""The outcome of each field, the normalized form of values, and the scores."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reference_metric
from hpd.evaluation.matching import lookup, match_rows
from hpd.evaluation.outcomes import OUTCOMES, UNITS, normalize_value, outcome, predicted_values
from hpd.evaluation.rows import Example, load_examples, load_predictions
from hpd.evaluation.scores import Counts, average, evaluate, precision_recall_f1
from jsonl import write_lines

# --- outcomes and scores ---


@pytest.mark.parametrize(
    ("gold", "prediction", "expected"),
    [
        (None, None, "nn"),
        (None, "n/a", "nn"),
        (None, "None", "nn"),
        (None, [], "nn"),
        (None, "x", "nv"),
        (None, "", "nv"),
        (["a"], None, "vn"),
        (["a"], "n/a", "vn"),
        (["a"], [None, "n/a"], "vn"),
        (["a", "b"], "b", "vc"),
        (["a", "b"], ["b", "a"], "vc"),
        (["a", "b"], ["b", "c"], "vw"),
        (["a"], "A", "vw"),
        (["a"], "a ", "vw"),
        (["12"], 12, "vc"),
        (["1.5"], 1.5, "vc"),
        (["true"], True, "vc"),
        (["é"], "é", "vc"),
        (['{"é": 1}'], {"é": 1}, "vc"),
    ],
)
def test_outcomes(gold, prediction, expected):
    assert outcome(gold, prediction) == expected


def test_precision_and_recall_are_rounded_before_f1():
    counts = Counts(nn=9, nv=1, vn=3, vc=1, vw=1)
    assert (counts.precision, counts.recall) == (33.33, 20.0)
    assert counts.f1 == round(2 * 33.33 * 20.0 / 53.33, 2)
    # Where it matters: 57.05 without rounding on the way.
    tight = Counts(vn=38, vc=81, vw=46, nv=38)
    assert (tight.precision, tight.recall, tight.f1) == (49.09, 49.09, 49.09)


@pytest.mark.parametrize("undefined", [0.0, None])
def test_scores_of_arrays_are_those_of_each_count(undefined):
    counts = np.array([*product(range(4), range(6), range(6))]).reshape(4, 6, 6, 3)
    right, predicted, gold = np.moveaxis(counts, -1, 0)
    scores = precision_recall_f1(right, predicted, gold, np.nan if undefined is None else 0.0)
    for n, n_predicted, n_gold in np.ndindex(4, 6, 6):
        one = 100 * n / n_predicted if n_predicted else undefined
        two = 100 * n / n_gold if n_gold else undefined
        both = undefined if None in (one, two) else one and 2 * one * two / (one + two)
        expected = [np.nan if each is None else each for each in (one, two, both)]
        if n <= min(n_predicted, n_gold):
            assert list(scores[n, n_predicted, n_gold]) == pytest.approx(expected, nan_ok=True)


def test_nothing_scores_nothing():
    assert (Counts(nn=5).precision, Counts().recall, Counts(vn=3).f1) == (0.0, 0.0, 0.0)
    assert average({}).macro.n_cells == 0
    assert average({}).micro == Counts()


def test_micro_sums_and_macro_averages_without_cells_of_only_nn():
    score = average(
        {
            ("Shoes", "Brand"): Counts(vc=3, vw=1),
            ("Shoes", "Size"): Counts(vn=2),
            ("Tea", "Brand"): Counts(nn=7),
        }
    )
    assert score.micro == Counts(nn=7, vn=2, vc=3, vw=1)
    assert (score.macro.precision, score.macro.recall, score.macro.f1) == (37.5, 37.5, 37.5)
    assert score.macro.n_cells == 2


# --- the second implementation ---

N_FILES = 200
TEXTS = ["red", "Red", " red ", "blue", "10 M", "", "n/a", "None", " n/a", "a, b"]
NAMES = ["Brand", "Color", "Size", "Item form"]


def random_files(seed):
    """Gold and predictions: ids twice, missing, of no document; several gold values, and none."""
    draw = random.Random(seed)
    texts = TEXTS[: draw.randint(2, len(TEXTS))]
    ids = [f"d{draw.randrange(40)}" if seed % 3 == 0 else f"d{i}" for i in range(40)]
    rows = [
        {
            "id": ids[i],
            "category": draw.choice(["Shoes", "Tea", ""]),
            "target_scores": {
                name: {draw.choice(texts): 1 for _ in range(draw.randint(0, 3))}
                for name in draw.sample(NAMES, draw.randint(0, len(NAMES)))
            },
        }
        for i in range(draw.randint(1, 40))
    ]
    lines = [{"id": rows[0]["id"], "data": {}}]
    for row in rows:
        data = {
            name: draw.choice([None, *row["target_scores"].get(name, {}), *texts])
            for name in draw.sample(NAMES, draw.randint(1, len(NAMES)))
        }
        line = {"id": row["id"], "data": data}
        failed = {"id": row["id"], "error": {"type": "E", "message": "m"}}
        lines += draw.choice([[line], [line], [line], [line, line], [failed], []])
    lines.append({"id": "of no document", "data": {"Brand": "red"}})
    if seed % 2:
        draw.shuffle(lines)
    return rows, lines


@pytest.mark.parametrize("seed", range(N_FILES))
def test_equal_to_the_last_digit(seed, tmp_path):
    rows, lines = random_files(seed)
    gold = write_lines(tmp_path / "gold.jsonl", *rows)
    predicted = write_lines(tmp_path / "predicted.jsonl", *lines)
    examples = list(load_examples(gold, needs_text=False))
    result = evaluate(examples, match_rows(examples, load_predictions(predicted)).data)
    for score, strict in ((result.plain, False), (result.strict, True)):
        expected = reference_metric.evaluate(rows, lines, strict=strict)
        micro, macro = score.micro, score.macro
        assert {cell: counted(counts) for cell, counts in score.cells.items()} == expected["cells"]
        assert counted(micro) == expected["counts"]
        assert (micro.precision, micro.recall, micro.f1) == expected["micro"]
        assert (macro.precision, macro.recall, macro.f1) == expected["macro"]
        assert macro.n_cells == expected["n_cells"]


def counted(counts):
    return tuple(getattr(counts, name) for name in OUTCOMES)


# --- plain and strict ---

SHOE = Example("1", "Diesel sneaker", "Shoes", {"Brand": ["Diesel"]})


def test_inventing_is_free_in_plain_and_counts_in_strict():
    other = Example("2", "red shoe", "Shoes", {"Color": ["red"]})
    result = evaluate([SHOE, other], [{"Brand": "Diesel", "Color": "red"}, {"Color": "red"}])
    assert result.plain.micro == Counts(vc=2)
    assert result.strict.micro == Counts(nn=1, nv=1, vc=2)


def test_the_attributes_of_a_category_can_be_given():
    result = evaluate([SHOE], [{"Brand": "Diesel", "Heel": "high"}], {"Shoes": ["Brand", "Heel"]})
    assert result.strict.micro == Counts(nv=1, vc=1)
    # An attribute that only the row names counts in both.
    result = evaluate([SHOE], [{"Brand": "Diesel"}], {"Shoes": ["Heel"], "Tea": ["Leaf"]})
    assert result.strict.micro == Counts(nn=1, vc=1)


def test_a_row_without_a_prediction_has_no_values():
    assert evaluate([SHOE], [None]).plain.micro == Counts(vn=1)
    with pytest.raises(ValueError, match="shorter"):
        evaluate([SHOE], [])


# --- the baseline ---


def test_lookup_takes_the_first_training_value_that_the_text_holds():
    train = [
        Example("1", "", "Shoes", {"Color": ["red", "dark red"], "Size": None}),
        Example("2", "", "Tea", {"Color": ["black"]}),
        Example("3", "", "Shoes", {"Color": ["Blue"]}),
    ]
    rows = [
        Example("1", "a dark red shoe, Blue", "Shoes", {"Color": None, "Size": None}),
        Example("2", "a Blue shoe", "Shoes", {"Color": None}),
        Example("3", "a black shoe", "Shoes", {"Color": None}),
    ]
    assert lookup(train, rows) == [
        {"Color": "red", "Size": None},
        {"Color": "Blue", "Size": None},
        {"Color": None, "Size": None},
    ]


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (["Red", "RED", " red ", "r\u200bed"], "red"),
        (["dark  blue", "Dark\u00a0Blue", "dark\nblue"], "dark blue"),
        (["Caf\u00e9", "cafe\u0301", "CAF\u00c9"], "caf\u00e9"),
        (["\uff21\uff22\uff11", "ab1"], "ab1"),
        (["men's", "Men\u2019s"], "men's"),
        (["slip-on", "Slip\u2013On", "slip\u2010on"], "slip-on"),
        (["1299", "1,299", "1,299.00", "1.299,00", "1 299", "1'299", "1299.0"], "1299"),
        (["1,234,567", "1.234.567", "1 234 567"], "1234567"),
        (["0.5", ".5", ".50", "0,5", "1/2", "\u00bd"], "0.5"),
        (["5.5", "5 1/2", "5-1/2", "5\u00bd", "5,50"], "5.5"),
        (["8 oz", "8oz", "8-ounce", "8 Ounces", "8 oz.", "8.0 OZ"], "8 oz"),
        (["16 fl oz", "16 fl. oz.", "16-fl-oz", "16 Fluid Ounces"], "16 fl oz"),
        (["10 in", '10"', "10 inches", "10\u2033", "10-Inch"], "10 in"),
        (["5 ft 10 in", "5'10\"", "5 feet 10 inches"], "5 ft 10 in"),
        (["10 x 20 in", "10x20 in", '10\u00d720"'], "10 x 20 in"),
        (["50 %", "50%", "50 percent"], "50 %"),
        (["12 pk", "12 Pack", "12-pack", "12 packs"], "12 pk"),
        (["True", "true"], "true"),
    ],
)
def test_ways_to_write_the_same(group, expected):
    assert {form: normalize_value(form) for form in group} == dict.fromkeys(group, expected)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("red", "dark red"),
        ("shoe", "shoes"),
        ("1 kg", "1000 g"),
        ("1.299", "1,299"),
        ("007", "7"),
        ("1.0.3", "1.03"),
        ("24/7", "3.5"),
        ("1/2/2024", "0.5/2024"),
        ("10 ml", "10 m l"),
        ("3 in", "3 m"),
        ("-5", "5"),
    ],
)
def test_what_stays_different(one, two):
    assert normalize_value(one) != normalize_value(two)


def test_every_spelling_of_every_unit():
    for symbol, *others in (*UNITS, ("%", "percent")):
        for spelling in others if symbol == "%" else (symbol, *others):
            for text in (f"3{spelling}", f"3 {spelling}s", f"3-{spelling}."):
                assert normalize_value(text) == f"3 {symbol}", text


texts = st.text() | st.text(st.sampled_from("0123456789 .,'\"-/x%inftozk\u00bd\u00a0"))


@given(texts)
@example("1 000 0000")
@example("0 123,45 678")
def test_depends_on_the_text_alone_and_keeps_to_one_line(text):
    first = normalize_value(text)
    normalize_value.cache_clear()
    assert normalize_value(text) == first
    assert first == " ".join(first.split())
    assert first == normalize_value(f"  {text}\n")


@given(st.integers(0, 10**12), st.sampled_from(["oz", "GB", "inch"]))
def test_an_amount_comes_out_however_it_is_grouped(number, unit):
    forms = {f"{number} {unit}", f"{number:,}{unit}", f"{number:,} {unit}".replace(",", " ")}
    forms |= {f"{number:,}.00 {unit}", f"{number:,}".replace(",", ".") + f",0 {unit}"}
    assert len({normalize_value(form) for form in forms}) == 1


def test_outcomes_in_the_normalized_form():
    assert outcome(["8 Ounces"], "8oz") == "vw"
    assert outcome(["8 Ounces"], "8oz", normalize_value) == "vc"
    assert outcome(["1,299"], 1299, normalize_value) == "vc"
    assert outcome(["red", "Blue"], ["blue", "RED"], normalize_value) == "vc"
    assert outcome(["red"], "blue", normalize_value) == "vw"
    # Empty text and every way to write that there is nothing are no value, on either side.
    for nothing in ("", " ", "N/A", "none", "NULL"):
        assert outcome(["red"], nothing, normalize_value) == "vn"
        assert outcome([nothing], None, normalize_value) == "nn"
        assert outcome([nothing], "red", normalize_value) == "nv"
    assert predicted_values([None, "N/A", " A "], normalize_value) == ["a"]
