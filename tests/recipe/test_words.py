"""Values made up of other words and digits."""

import re
from random import Random

from recipe.words import Words

WORDS = Words(
    [
        "Lumen Harbour and quiet amber fields",
        "NORTH kiosk",
        "\u6771\u4eac\u99c5\u3002\u65b0\u5bbf\u99c5",
    ]
)


def shape(text):
    return re.sub(
        r"[a-z]+", "a", re.sub(r"[A-Z]+(?![a-z])", "A", re.sub(r"[A-Z][a-z]+", "Aa", text))
    )


def test_made_up_texts_keep_their_form():
    for text in ("Nordic Steel, Gdansk", "ACME depot 12-B", "4x red bolt (M8)", "Sao Luis"):
        made = {WORDS.like(text, Random(seed)) for seed in range(40)}
        assert len(made) > 20
        for each in made:
            assert shape(re.sub(r"\d", "0", each)) == shape(re.sub(r"\d", "0", text))


def test_digits_are_as_many_and_leading_zeros_stay():
    made = {WORDS.like("0170 100", Random(seed)) for seed in range(50)}
    assert all(re.fullmatch(r"0\d{3} [1-9]\d\d", each) for each in made)
    assert len(made) == 50


def test_words_are_of_the_same_script():
    assert WORDS.like("\u5927\u962a\u99c5", Random(1)) in (
        "\u6771\u4eac\u99c5",
        "\u65b0\u5bbf\u99c5",
    )
    assert (
        WORDS.like("\u041c\u043e\u0441\u043a\u0432\u0430", Random(1))
        == "\u041c\u043e\u0441\u043a\u0432\u0430"
    )  # There is no other.


def test_units_and_articles_stay():
    assert re.fullmatch(r"[1-9] kg", WORDS.like("5 kg", Random(3)))
