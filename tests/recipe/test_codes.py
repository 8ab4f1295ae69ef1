"""Short texts with values that can only be copied character by character."""

import json
from collections import Counter
from itertools import islice
from random import Random
from unicodedata import is_normalized

from hpd.schema.attributes import Attribute, Schema
from recipe.codes import code_row
from recipe.write import decomposed, rows


def test_texts_have_each_value_as_it_is():
    kinds = Counter()
    for seed in range(500):
        text, schema, answer = code_row(Random(seed))
        assert [each.name for each in schema.attributes] == list(answer)
        for attribute in schema.attributes:
            value = answer[attribute.name]
            kinds["\\" in str(value)] += attribute.type == "string"
            if attribute.type == "string":
                assert value in text
                continue
            assert attribute.type == "number" or isinstance(value, int)
            shown = [f"{abs(value):,.{places}f}" for places in (0, 1, 2)]
            assert any(each in text for each in shown[isinstance(value, float) :])
            kinds[any(f"({each})" in text for each in shown)] += value < 0
            assert value > 0 or any(mark in text for mark in ("(", "-", "\u2212"))
    assert kinds[True] > 50
    assert kinds[False] > 50


def test_some_texts_have_their_accents_apart_from_the_letters():
    schema = Schema((Attribute("café"), Attribute("size", "integer")))
    made = "Café: Dupré, size 3", schema, {"café": "Dupré", "size": 3}
    text, same, answer = decomposed(made)
    assert (text, same) == ("Cafe\u0301: Dupre\u0301, size 3", schema)
    assert answer == {"café": "Dupre\u0301", "size": 3}
    for text, _, answer in (made, ("plain", schema, {"café": None, "size": None})):
        again = decomposed((text, schema, answer))
        assert is_normalized("NFD", again[0])
    chosen = Schema((Attribute("café", "enum", choices=("Dupré",)),))
    assert decomposed((made[0], chosen, {"café": "Dupré"}))[0] == made[0]
    drawn = islice(rows(seed=1), 2000)
    n_apart = sum(
        not is_normalized("NFC", json.dumps(each[2], ensure_ascii=False)) for each in drawn
    )
    assert n_apart > 2
