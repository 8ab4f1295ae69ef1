"""Short texts of labels and values, made out of the handwritten documents' fields."""

from collections import Counter
from random import Random

import pytest

from hpd.evaluation.outcomes import normalize_value
from hpd.schema.attributes import Attribute
from hpd.values.parsing import check_value
from recipe.handwritten import read_file, taught
from recipe.short import MAX_TEXT, short_row
from recipe.words import Words

ORDER = """\
=== order
Order A-7 of 14 May 2025 for Lind, paid by card: 3 chairs (1,250.50 in all), red and blue.
---
order number / order = A-7
orderDate (date) = 2025-05-14
customer: full name = Lind
chairs (int) = 3
total (float) = 1250.5
colours ([str]) = red ; blue
payment ([card|cash|invoice]) = card
gift (bool) =
chairs by colour ([{colour, n int}]) = [{"colour": "red", "n": 3}]
"""


@pytest.fixture(scope="module")
def order(tmp_path_factory):
    file = tmp_path_factory.mktemp("short") / "orders.txt"
    file.write_text(ORDER)
    return next(read_file(file))


WORDS = Words(["Lumen Harbour and quiet amber fields", "NORTH kiosk"])


def drawn(order, n=600):
    return [short_row(order, Random(seed)) for seed in range(n)]


def test_texts_state_their_values_and_no_others(order):
    asked, stated = Counter(), Counter()
    for text, schema, answer in drawn(order):
        assert len(text) < 5 * (MAX_TEXT + 40)
        assert [each.name for each in schema.attributes] == list(answer)
        for name, value in answer.items():
            asked[name] += 1
            stated[name] += value not in (None, [])
        for name in ("order", "order number", "payment"):
            if answer.get(name) is not None:
                assert answer[name] in text
        if answer.get("total") is not None:
            assert "250" in text
    names = {"order number", "order", "orderDate", "chairs", "total", "colours", "payment", "gift"}
    # Not those with a description, which a label does not repeat, and not objects.
    assert set(asked) == names
    assert stated["gift"] == 0
    assert all(0.4 < stated[name] / asked[name] < 0.8 for name in names - {"gift"})


def test_what_is_no_choice_is_null(order):
    no_choices = [
        (text, answer)
        for text, schema, answer in drawn(order)
        for attribute in schema.attributes
        if attribute.type == "enum" and "card" not in attribute.choices
    ]
    assert no_choices
    assert all("card" in text and answer["payment"] is None for text, answer in no_choices)


def test_a_document_with_nothing_short_gives_none(tmp_path):
    file = tmp_path / "none.txt"
    file.write_text("=== none\nx\n---\nname = \nnote = " + "long " * 40 + "\n")
    assert short_row(next(read_file(file)), Random(1), WORDS) is None


def test_answers_of_all_documents_obey_their_schemas():
    rng = Random(5)
    for document in taught()[::9]:
        if made := short_row(document, rng, WORDS):
            text, schema, answer = made
            for attribute in schema.attributes:
                value = answer[attribute.name]
                kind: Attribute = attribute.item or attribute
                for each in value if isinstance(value, list) else [value]:
                    assert each is None or check_value(each, kind).error is None
                    if kind.type == "string" and each is not None:
                        assert each in text or normalize_value(each) in normalize_value(text)
