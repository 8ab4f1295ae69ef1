"""The drafter's part in a run: what it is told, and what it must not change."""

import json

import pytest

from hpd._core import testing
from hpd.pipeline.compiled_schema import attribute_id
from hpd.prompt.questions import item_leaves, schema_leaves
from hpd.schema import load_schema
from small_extractor import SmallExtractor as Extractor

EXAMPLES = [("Some other text", {"brand": "Wonderful Widgets of Wisconsin", "tags": ["a", "b"]})]


def n_steps(model, **settings):
    """Steps for a value that the document does not hold, so that only history can guess it."""
    answer = {"brand": "Wonderful Widgets of Wisconsin"}
    with Extractor("brand, tags [str]", model, answers={"doc": answer}, **settings) as extractor:
        testing.fix_least_probability(extractor.engine, 0.1)
        extraction = extractor.extract("doc")
    assert extraction.data["brand"] == answer["brand"]
    return extraction.usage.steps


def test_the_examples_answers_are_guessed(model):
    assert n_steps(model, examples=EXAMPLES) < n_steps(model) / 2


def test_items_and_stacked_documents_share_the_number_of_their_attribute():
    schema = load_schema("tags [str], lines [{item, qty int}], count int")
    tags, lines, count = schema_leaves(schema)
    first, second = item_leaves(tags, 2)
    assert attribute_id(first) == attribute_id(second)
    numbers = {attribute_id(leaf) for leaf in (tags, lines, count, first)}
    numbers |= {attribute_id(leaf) for leaf in item_leaves(lines, 2)}
    assert len(numbers) == 6


@pytest.mark.parametrize("gap", [" | ", "\t", ", "])
def test_the_items_of_a_list_are_guessed_one_after_the_other(model, gap):
    """After a name comes what came after the last one, and the next one begins alike."""
    names = [
        f"{first} {last}"
        for first in ("Ann", "Bob", "Eva", "Leo")
        for last in ("Lee", "Moss", "Day")
    ]
    text = "\n".join(["Guests", *(f"{name}{gap}{n + 10}" for n, name in enumerate(names)), "End"])
    answer = {"guests": [{"name": name, "room": n + 10} for n, name in enumerate(names)]}
    settings = {"lists": "names", "answers": {text: answer}}
    with Extractor("guests [{name, room int}]", model, **settings) as extractor:
        testing.fix_least_probability(extractor.engine, 0.1)
        extraction = extractor.extract(text)
        n_tokens = len(extractor.native_model.tokenize(json.dumps(names)))
    assert extraction.data == answer
    assert extraction.usage.steps < n_tokens / 3


@pytest.mark.parametrize("gap", ["  ", " | ", "\t", "; "])
@pytest.mark.parametrize("columns", [("day", "what", "amount", "rest"), ("what", "amount")])
def test_the_values_of_rows_are_guessed_one_after_the_other(model, gap, columns):
    """Each value begins where that of the row above it did, and the names between are the same."""
    rows = [
        {"day": f"2024-05-{n + 10}", "what": f"{what} card", "amount": n * 7.25, "rest": 90 - n}
        for n, what in enumerate(("Rent", "Fee", "Fee", "Pay", "Rent", "Fee", "Pay", "Fee"))
    ]
    text = "\n".join(["Bookings", *(gap.join(map(str, row.values())) for row in rows), "End"])
    answer = {"bookings": [{name: row[name] for name in columns} for row in rows]}
    types = {"day": "str", "what": "str", "amount": "float", "rest": "int"}
    schema = f"bookings [{{{', '.join(f'{name} {types[name]}' for name in columns)}}}]"

    n_drafted = steps_of_list(model, schema, text, answer)
    assert n_drafted < steps_of_list(model, schema, text, answer, drafts=False) / 4


def steps_of_list(model, schema, text, answer, **settings):
    settings |= {"lists": "ar", "answers": {text: answer}}
    with Extractor(schema, model, **settings) as extractor:
        testing.fix_least_probability(extractor.engine, 0.1)
        extraction = extractor.extract(text)
    assert extraction.data == answer
    return extraction.usage.steps


def test_members_that_are_null_and_lists_in_rows_are_guessed_by_their_names(model):
    schema = "orders [{customer, lines [{what, amount int}], city}]"
    answer = {
        "orders": [
            {
                "customer": f"{name} Lee",
                "lines": [{"what": what, "amount": 70 + n} for what in ("soap", "tape", "rope")],
                "city": None if n % 3 == 0 else "Oslo",
            }
            for n, name in enumerate(("Ann", "Bob", "Eva", "Leo", "Kim", "Jan"))
        ]
    }
    text = "\n".join(
        "\n".join(
            [order["customer"], *(f"{line['what']}: {line['amount']}" for line in order["lines"])]
            + ([f"to {order['city']}"] if order["city"] else [])
        )
        for order in answer["orders"]
    )
    n_drafted = steps_of_list(model, schema, text, answer)
    n_plain = steps_of_list(model, schema, text, answer, drafts=False)
    assert n_drafted < n_plain / 2
