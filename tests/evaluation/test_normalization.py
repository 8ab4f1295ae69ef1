"""The normalized form: what becomes the same, and what must not."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hpd.evaluation.outcomes import UNITS, normalized, outcome, predicted_values


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
def test_ways_to_write_the_same(group: list[str], expected: str) -> None:
    assert {written: normalized(written) for written in group} == dict.fromkeys(group, expected)


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
def test_what_stays_different(one: str, two: str) -> None:
    assert normalized(one) != normalized(two)


def test_every_spelling_of_every_unit() -> None:
    for symbol, spellings in UNITS.items():
        for spelling in spellings.split():
            for text in (f"3{spelling}", f"3 {spelling}s", f"3-{spelling}."):
                assert normalized(text) == f"3 {symbol}", text


def test_no_spelling_stands_for_two_units() -> None:
    spellings = [spelling for each in UNITS.values() for spelling in each.split()]
    assert len(spellings) == len(set(spellings))


texts = st.text() | st.text(st.sampled_from("0123456789 .,'\"-/x%inftozk\u00bd\u00a0"))


@given(texts)
@example("1 000 0000")
@example("0 123,45 678")
def test_depends_on_the_text_alone_and_keeps_to_one_line(text: str) -> None:
    first = normalized(text)
    normalized.cache_clear()
    assert normalized(text) == first
    assert first == " ".join(first.split())
    assert first == normalized(f"  {text}\n")


@given(st.integers(0, 10**12), st.sampled_from(["oz", "GB", "inch"]))
def test_an_amount_comes_out_however_it_is_grouped(number: int, unit: str) -> None:
    forms = {f"{number} {unit}", f"{number:,}{unit}", f"{number:,} {unit}".replace(",", " ")}
    forms |= {f"{number:,}.00 {unit}", f"{number:,}".replace(",", ".") + f",0 {unit}"}
    assert len({normalized(form) for form in forms}) == 1


def test_outcomes_in_the_normalized_form() -> None:
    assert outcome(["8 Ounces"], "8oz") == "vw"
    assert outcome(["8 Ounces"], "8oz", normalized) == "vc"
    assert outcome(["1,299"], 1299, normalized) == "vc"
    assert outcome(["red", "Blue"], ["blue", "RED"], normalized) == "vc"
    assert outcome(["red"], "blue", normalized) == "vw"
    # Empty text and every way to write that there is nothing are no value, on either side.
    for nothing in ("", " ", "N/A", "none", "NULL"):
        assert outcome(["red"], nothing, normalized) == "vn"
        assert outcome([nothing], None, normalized) == "nn"
        assert outcome([nothing], "red", normalized) == "nv"
    assert predicted_values([None, "N/A", " A "], normalized) == ["a"]
