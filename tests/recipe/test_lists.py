"""Short texts with long lists and tables, made out of the handwritten documents' own items."""

from collections import Counter
from random import Random

import pytest

from hpd.values.parsing import check_value
from recipe.handwritten import taught
from recipe.lists import Lists
from recipe.words import Words
from recipe.write import rows


@pytest.fixture(scope="module")
def drawn():
    documents = taught()[::2]
    words = Words(document.text for document in documents)
    lists, rng = Lists(documents, words), Random(7)
    return [lists.row(rng) for _ in range(400)]


def simplified(text):
    return " ".join(text.split()).casefold()


def test_each_text_states_the_items_in_their_order(drawn):
    for text, schema, answer in drawn:
        assert [each.name for each in schema.attributes] == list(answer)
        shown = simplified(text)
        for attribute in schema.attributes:
            items = answer[attribute.name]
            if attribute.item is None or attribute.item.type != "string":
                continue
            position = 0
            for item in items:
                position = shown.index(simplified(item), position) + len(simplified(item))


def test_each_text_states_the_cells_of_its_tables(drawn):
    n_rows = Counter()
    for text, schema, answer in drawn:
        shown = simplified(text)
        for attribute in schema.attributes:
            if attribute.item is None or attribute.item.type != "object":
                continue
            n_rows[len(answer[attribute.name])] += 1
            for row in answer[attribute.name]:
                for part in attribute.item.attributes:
                    value = row.get(part.name)
                    assert value is None or check_value(value, part).error is None
                    # Marks at the ends of a text are not told from those between cells.
                    if isinstance(value, str) and part.type == "string" and value.isalnum():
                        assert simplified(value) in shown
    assert sum(n for length, n in n_rows.items() if length > 8) > 50
    assert n_rows.total() > 150


def test_lists_are_long_and_some_are_absent(drawn):
    lengths = Counter(
        len(value) for _, _, answer in drawn for value in answer.values() if isinstance(value, list)
    )
    assert lengths[0] > 10
    n_stated = lengths.total() - lengths[0]
    assert sum(n for length, n in lengths.items() if length > 8) > n_stated / 5


def test_a_third_of_the_rows_for_training_have_such_lists():
    documents = {each.text for each in taught()}
    found = rows(seed=4)
    texts = [next(found)[0] for _ in range(400)]
    assert 0.4 < sum(text in documents for text in texts) / len(texts) < 0.55
