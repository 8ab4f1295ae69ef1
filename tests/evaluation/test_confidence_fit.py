"""Fitted maps of confidence: the fit against its definition, and what is written and read."""

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.evaluation.confidence_fit import (
    ScoredConfidence,
    best_null_threshold,
    cross_validate,
    fit,
    isotonic_fit,
)
from hpd.values.confidence import ConfidenceMap, kind_of, read_map


def answers(n, *, kind="string", is_null=False, power=3.0, seed=0):
    """Answers that are right less often than they say: ``confidence ** power`` of them."""
    chance = random.Random(seed)
    made = []
    for number in range(n):
        confidence = chance.random()
        is_right = chance.random() < confidence**power
        made.append(ScoredConfidence(number // 3, kind, confidence, is_null, is_right))
    return made


def error(judged, n_bins=10):
    """The expected calibration error, written down plainly."""
    total = 0.0
    for number in range(n_bins):
        inside = [a for a in judged if min(int(a.confidence * n_bins), n_bins - 1) == number]
        total += abs(sum(a.confidence - a.is_right for a in inside))
    return total / len(judged)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_isotonic_regression_is_what_its_min_max_formula_says(points):
    """The greatest over all beginnings of the least over all ends of the mean between them."""

    def mean(low, high):
        inside = points[low : high + 1]
        return sum(w * y for w, y in inside) / sum(w for w, _ in inside)

    n = len(points)
    expected = [
        max(min(mean(low, high) for high in range(i, n)) for low in range(i + 1)) for i in range(n)
    ]
    heights = []
    steps = isotonic_fit((w, float(i), float(y)) for i, (w, y) in enumerate(points))
    weights = [w for w, _ in points]
    for weight, _, height in steps:
        begin = len(heights)
        while sum(weights[begin : len(heights)]) < weight:
            heights.append(height)
    assert heights == pytest.approx(expected)


def test_a_fitted_map_says_how_many_are_right():
    judged = answers(6000)
    fitted = fit(judged)
    for confidence in (0.2, 0.5, 0.8, 0.95):
        assert fitted("string", confidence, is_null=False) == pytest.approx(confidence**3, abs=0.06)
    again = [*answers(3000, seed=1)]
    assert error(again) > 0.2
    mapped = [
        ScoredConfidence(
            a.document, a.kind, fitted(a.kind, a.confidence, is_null=False), False, a.is_right
        )
        for a in again
    ]
    assert error(mapped) < 0.04


def test_each_kind_and_its_nulls_have_curves_of_their_own():
    judged = [
        *answers(2000, kind="string", power=1.0),
        *answers(2000, kind="date", power=6.0),
        *answers(2000, kind="date", is_null=True, power=0.2),
    ]
    fitted = fit(judged)
    assert fitted("string", 0.7, is_null=False) == pytest.approx(0.7, abs=0.08)
    assert fitted("date", 0.7, is_null=False) < 0.25
    assert fitted("date", 0.7, is_null=True) > 0.85
    # A kind that was never seen is mapped as all together are.
    assert 0.25 < fitted("enum", 0.7, is_null=False) < 0.65


def test_two_answers_do_not_decide():
    few = [ScoredConfidence(n, "date", 0.9, False, False) for n in range(2)]
    assert fit(few)("date", 0.9, is_null=False) > 0.3
    many = [ScoredConfidence(n, "date", 0.9, False, False) for n in range(200)]
    assert fit(many)("date", 0.9, is_null=False) < 0.1
    # A rare kind follows the others.
    others = [*answers(3000, kind="string"), *few[:1]]
    fitted = fit(others)
    assert fitted("date", 0.9, is_null=False) == pytest.approx(
        fitted("string", 0.9, is_null=False), abs=0.2
    )


def test_no_answer_is_mapped_by_what_was_fitted_to_its_own_document():
    """Right or wrong at random, one document apart from the others: nothing can be learnt of it."""
    judged = [ScoredConfidence("a", "string", 0.5, False, True) for _ in range(10)]
    judged += [ScoredConfidence(n, "string", 0.5, False, False) for n in range(10)]
    mapped = cross_validate(judged)
    assert [(m.document, m.is_right) for m in mapped] == [(j.document, j.is_right) for j in judged]
    assert all(m.confidence < 0.2 for m in mapped[:10])
    # All but a fifth of the others have seen it.
    assert 8 <= sum(m.confidence > 0.4 for m in mapped[10:]) <= 9


def test_an_empty_map_leaves_all_as_it_is():
    empty = fit([])
    assert empty == ConfidenceMap()
    assert empty("string", 0.3, is_null=True) == 0.3
    assert empty.inverse("string", 0.3) == 0.3


@pytest.mark.parametrize("power", [0.3, 1.0, 4.0])
def test_the_best_threshold_is_half_of_the_f1_that_it_reaches(power):
    """So it is where confidence is the share that is right (Lipton et al. 2014)."""
    n_stated = 12_000
    calibrated = [
        replace(answer, confidence=answer.confidence**power, is_stated=number < n_stated)
        for number, answer in enumerate(answers(20_000, power=power))
    ]
    threshold = best_null_threshold(calibrated)
    kept = [answer.is_right for answer in calibrated if answer.confidence >= threshold]
    f1 = 2 * sum(kept) / (len(kept) + n_stated)
    assert threshold == pytest.approx(f1 / 2, abs=0.05)
    # Nulls have no part in it.
    nulls = answers(20_000, is_null=True)
    assert best_null_threshold([*calibrated, *nulls]) == threshold
    assert best_null_threshold([]) == 0


def test_fields_in_lists_have_curves_of_their_own():
    inside, outside = ("lines", "2", "name"), ("buyer", "name")
    kinds = kind_of("string", inside), kind_of("string", outside), kind_of("date", inside)
    assert kinds[:2] == ("string in a list", "string")
    fitted = fit(
        [
            *(ScoredConfidence(n, kinds[0], 0.5, False, n % 10 > 0) for n in range(1000)),
            *(ScoredConfidence(n, kinds[1], 0.5, False, n % 10 == 0) for n in range(1000)),
            *(ScoredConfidence(n, "date", 0.5, False, n % 2 == 0) for n in range(1000)),
        ]
    )
    again = ConfidenceMap.from_json(json.dumps(fitted.to_json()))
    for each in (fitted, again):
        shares = [each(kind, 0.5, is_null=False) for kind in kinds]
        # There were no dates in lists: they are like other dates.
        assert shares == pytest.approx([0.9, 0.1, 0.5], abs=0.01)


def test_a_document_with_a_long_list_counts_no_more_than_others():
    wrong = [ScoredConfidence("list", "string", 0.9, False, False)] * 400
    right = [ScoredConfidence(n, "string", 0.9, False, True) for n in range(90)]
    assert fit([*wrong, *right])("string", 0.9, is_null=False) == pytest.approx(0.9, abs=0.01)


def test_what_is_written_is_read(tmp_path):
    fitted = fit([*answers(500), *answers(300, kind="enum", is_null=True)])
    fitted = replace(fitted, null_threshold=0.07)
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(fitted.to_json()))
    again = read_map(path)
    assert again.to_json() == fitted.to_json()
    assert again.null_threshold == 0.07
    older = {key: value for key, value in fitted.to_json().items() if key != "null_threshold"}
    assert ConfidenceMap.from_json(json.dumps(older)).null_threshold == 0
    for confidence in (0.0, 0.1, 0.5, 0.987, 1.0):
        assert again("string", confidence, is_null=False) == pytest.approx(
            fitted("string", confidence, is_null=False), abs=1e-3
        )
