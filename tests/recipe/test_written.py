"""The written documents that the box is tested on: their size, their schemas and their golds."""

import pytest

from hpd.evaluation.rows import GOLD_NULL
from hpd.results import Extraction, FieldValue
from hpd.schema import load_schema
from hpd.values.parsing import check_value
from recipe.handwritten import documents
from recipe.scores import held_out
from recipe.written import (
    Written,
    answers,
    cells,
    judged,
    order,
    read_written,
    scores,
    table,
)
from word_runs import runs

DOCUMENTS = read_written()


def test_there_are_enough_of_each_kind():
    by_kind = {}
    for document in DOCUMENTS:
        by_kind.setdefault(document.kind, []).append(document)
    assert len(DOCUMENTS) >= 120
    assert len(by_kind) >= 10
    assert min(map(len, by_kind.values())) >= 12
    assert len({document.id for document in DOCUMENTS}) == len(DOCUMENTS)
    assert len({document.text for document in DOCUMENTS}) == len(DOCUMENTS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.id)
def test_a_gold_is_valid_for_its_schema_and_copied_from_the_text(document):
    schema = load_schema(document.schema)
    assert 3 <= len(schema.attributes) <= 7
    assert "\n" not in document.schema
    assert list(document.data) == [attribute.name for attribute in schema.attributes]
    text = " ".join(document.text.split())
    for cell in cells(schema.attributes, document.data, {}):
        for value in cell.gold:
            parsed = check_value(value, cell.attribute)
            assert parsed.error is None, cell.path
            assert parsed.value == value, cell.path
            assert value != GOLD_NULL
            if cell.attribute.type == "string":
                assert value in text, cell.path


def test_no_eight_words_in_a_row_are_in_what_is_trained_on():
    trained = set().union(*(runs(each.text) for each in documents()))
    assert len(trained) > 100_000
    for document in DOCUMENTS:
        assert not trained & runs(document.text), document.id


ATTRIBUTES = load_schema("shop, total float, lines [{name, price float}], tags [str]").attributes
GOLD = {
    "shop": ["Moth & Lantern", "Moth"],
    "total": 7.6,
    "lines": [{"name": "tea", "price": 3.1}, {"name": "bun", "price": 4.5}],
    "tags": [],
}


def compared(**predicted):
    return list(cells(ATTRIBUTES, GOLD, predicted))


def wrong(**changes):
    gold = {**GOLD, "shop": "Moth"}
    return [cell.path for cell in compared(**{**gold, **changes}) if not cell.is_right]


def test_fields_are_compared_place_by_place():
    assert wrong() == []
    assert wrong(shop="Lantern") == ["shop"]
    assert wrong(total=7.60, shop="MOTH") == []
    assert wrong(total=None, tags=["x"]) == ["total", "tags[0]"]
    assert wrong(lines=GOLD["lines"][:1]) == ["lines[1].name", "lines[1].price"]
    more = [*GOLD["lines"], {"name": "cake", "price": None}]
    assert wrong(lines=more) == ["lines[2]"]
    swapped = [{"name": "bun", "price": 3.1}, {"name": "tea", "price": 4.5}]
    assert wrong(lines=swapped) == ["lines[0].name", "lines[1].name"]


def test_order_counts_values_of_the_list_and_those_in_place():
    assert order(compared(**GOLD)) == {"stated": 4, "in place": 4}
    repeated = [GOLD["lines"][0], GOLD["lines"][0]]
    assert order(compared(lines=repeated)) == {"stated": 4, "in place": 2}
    assert order(compared(lines=[{"name": "cake", "price": 4.5}])) == {"stated": 1, "in place": 0}


def test_confidence_is_counted_for_values_nulls_and_empty_lists():
    document = Written("test/one", "Moth", "shop, total float, tags [str], names [str]",
                       {"shop": "Moth", "total": 3, "tags": [], "names": ["Ann"]})  # fmt: skip
    data = {"shop": "Lantern", "total": None, "tags": [], "names": []}
    extraction = Extraction(
        data=data,
        fields={
            name: FieldValue(confidence=confidence)
            for name, confidence in {
                "shop": 0.95,
                "total": 0.94,
                "tags": 1.0,
                "names": 0.99,
            }.items()
        },
    )
    fields = list(cells(document.attributes, document.data, data))
    found = judged(document, fields, extraction)
    assert [(answer.confidence, answer.is_null, answer.is_right) for answer in found] == [
        (0.95, False, False), (0.94, True, False), (1.0, True, True), (0.99, True, False),
    ]  # fmt: skip


class Oracle:
    """Gives the gold, or one answer to everything."""

    def __init__(self, answer=None):
        self.answer = answer

    def extract_many(self, texts, schema, on_error):
        (document,) = (each for each in DOCUMENTS if each.text == texts[0])
        gold = {
            attribute.name: value[0]
            if isinstance(value := document.data[attribute.name], list) and attribute.item is None
            else value
            for attribute in document.attributes
        }
        return [Extraction(data=self.answer if self.answer is not None else gold)]

    def extract(self, text, schema):
        (extraction,) = self.extract_many([text], schema, "raise")
        return extraction


def test_the_gold_is_right_everywhere_and_nothing_only_where_nothing_is_stated():
    right = scores(Oracle(), DOCUMENTS)
    counts = right["all"].counts
    assert counts["right"] == counts["fields"] >= 900
    assert counts["in place"] == counts["stated"] > 100
    assert f"| all | {len(DOCUMENTS)} | 100% " in table(right)
    n_absent = sum(
        not cell.gold
        for document in DOCUMENTS
        for cell in cells(document.attributes, document.data, {})
    )
    assert scores(Oracle({}), DOCUMENTS)["all"].counts["right"] == n_absent > 40


def test_what_is_absent_and_what_lists_hold_is_counted_apart():
    document = Written("test/one", "Moth", "shop, total float, tags [str]",
                       {"shop": None, "total": None, "tags": ["a", "b"]})  # fmt: skip

    class Answer(Oracle):
        def extract_many(self, texts, schema, on_error):
            return [Extraction(data={"shop": "Moth", "total": None, "tags": ["a", "c", "d"]})]

    counts = scores(Answer(), [document])["all"].counts
    assert (counts["invented"], counts["absent"]) == (2, 3)
    assert (counts["cells right"], counts["cells"]) == (1, 2)
    assert "| 67% (2 of 3) | 50% (1 of 2) |" in table(scores(Answer(), [document]))


def test_the_held_out_documents_have_golds_for_their_schemas():
    found = held_out(100)
    assert len({document.id for document in found}) == 100
    fields = [
        cell
        for document in found
        for cell in cells(document.attributes, document.data, document.data)
        if cell.attribute.item is None
    ]
    right = [cell for cell in fields if not isinstance(cell.predicted, list)]
    assert len(right) > 500
    assert all(cell.is_right for cell in right)


def test_a_wrong_answer_is_shown_with_the_right_one():
    document = next(each for each in DOCUMENTS if each.id == "products/drill")
    assert answers(Oracle(), document) == (
        "products/drill: brand=Makita; model=DHP486Z; voltage=18; battery_included=false; color=-"
    )
    wrong_one = answers(Oracle({**document.data, "voltage": 81, "color": "red"}), document)
    assert "voltage=81 ≠ 18; battery_included=false; color=red ≠ -" in wrong_one
