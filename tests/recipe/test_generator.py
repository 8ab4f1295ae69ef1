"""The generator of listings that the box was trained on: its values are in its texts, or null."""

import json
import os
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from command_line import run_python
from recipe import makeup
from recipe.category import Category
from recipe.clarity import unclear
from recipe.forms import KINDS, make_form
from recipe.handwritten import documents
from recipe.listing import make_listing
from recipe.lists import COLORS, MATERIALS, PRAISE, QUALITIES
from recipe.names import CONFUSABLE
from recipe.sentences import make_entities
from recipe.vocab import CATEGORIES
from recipe.write import SOURCES, line, make_example
from word_runs import runs

N_EXAMPLES = 3000


@pytest.fixture(scope="module")
def listings():
    rng = Random(1)
    return [make_listing(rng) for _ in range(N_EXAMPLES)]


@pytest.fixture(scope="module")
def examples():
    rng = Random(2)
    return [make_example(rng) for _ in range(N_EXAMPLES // 4)]


@pytest.fixture(scope="module")
def by_source():
    rng = Random(3)
    return {name: [make(rng) for _ in range(150)] for name, make in SOURCES.items()}


def test_gold_values_are_in_the_text(listings):
    for listing in listings:
        for key, value in listing.gold.items():
            assert value, key
            assert value in listing.text


@pytest.mark.parametrize("source", [name for name in SOURCES if name != "handwritten"])
def test_what_is_asked_as_text_is_in_the_text_or_null(by_source, source):
    for example in by_source[source]:
        (text,), (answer,) = example.documents, example.answers
        plain = " ".join(text.split()).lower()
        for attribute in example.schema:
            assert attribute.name in answer
            # Codes of currencies, and what a description wants in a standard form, are not copied.
            if re.search("ISO|YYYY|HH:MM|24 hours|code", attribute.description):
                continue
            for value in _texts(attribute, answer[attribute.name]):
                is_code = re.fullmatch("[A-Z]{3}", value) is not None
                assert is_code or " ".join(value.split()).lower() in plain, attribute.name


def _texts(attribute, value):
    if attribute.type == "array" and attribute.item.type == "string":
        return value
    return [value] if attribute.type == "string" and value else []


@pytest.mark.parametrize("source", ["entities", "invoices"])
def test_lists_are_in_the_order_of_the_text(by_source, source):
    n_longer = 0
    for example in by_source[source]:
        for attribute in example.schema:
            values = example.answers[0][attribute.name]
            if attribute.type == "array" and attribute.item.type == "string":
                place = 0
                for value in values:
                    place = example.documents[0].find(value, place)
                    assert place >= 0
                n_longer += len(values) > 1
    assert n_longer or source == "invoices"


def test_most_types_of_entities_are_not_in_a_sentence(by_source):
    values = [
        value for example in by_source["entities"] for value in example.answers[0].values()
    ]  # fmt: skip
    assert 0.5 < sum(not value for value in values) / len(values) < 0.85


def test_an_entity_goes_to_the_most_special_type_that_is_asked():
    """And a type that a reader may or may not count is not asked where it would matter."""
    rng = Random(8)
    for _ in range(400):
        example = make_entities(rng)
        found = [v for value in example.answers[0].values() for v in _texts_of(value)]
        assert len(found) == len({*found}), "an entity stands in two lists"


def _texts_of(value):
    return value if isinstance(value, list) else [value] if value else []


def test_lists_have_none_one_or_many_items(by_source):
    lengths = {
        len(example.answers[0][attribute.name])
        for example in by_source["lists"]
        for attribute in example.schema
        if attribute.type == "array"
    }
    assert {0, 1, 2, 3, 4, 5, 6, 7} <= lengths


def test_titles_ask_for_brands_and_models_that_only_seem_to_be_there(by_source):
    absent = [
        example.documents[0]
        for example in by_source["titles"]
        if None in example.answers[0].values()
        and re.search(r"for |fits |compatible|Series|Label", example.documents[0])
    ]
    assert len(absent) > 20


def test_a_line_is_read_as_it_was_meant(by_source, tmp_path):
    pytest.importorskip("torch")
    from hpd.training.data import Source, gold_labels

    examples = [example for made in by_source.values() for example in made[:20]]
    file = tmp_path / "train.jsonl"
    file.write_text("\n".join(map(line, examples)), encoding="utf-8")
    for example, read in zip(examples, gold_labels(Source(file), None), strict=True):
        assert read.text == example.documents[0]
        assert read.schema.attributes == example.schema.attributes
        assert read.answer == example.answers[0]


def test_a_made_up_value_is_absent_where_its_key_is(listings):
    """An attribute that is asked for as absent is neither stated nor close to a stated one."""
    from recipe.examples import _absent

    rng = Random(3)
    for listing in listings[:1000]:
        for key in _absent(listing, rng, 6):
            assert key not in listing.gold
            assert not any(key in group and set(listing.gold) & group for group in CONFUSABLE)


BOOKCASE = Category(
    "Bookcase",
    {
        "type": ("Bookcase", "Shelf", "Oak Shelf"),
        "color": ("@color",),
        "material": ("@material",),
        "net": ("@weight",),
        "brand": ("@brand",),
        "line": ("@product",),
    },
    ("{brand} {type}",),
)


@pytest.mark.parametrize(
    ("headline", "rest", "gold", "undecided"),
    [
        ("Zorvex Shelf, Teak", "", {"brand": "Zorvex", "material": "Teak"}, ""),
        # Two of a kind, a colour that is a wood as well, the longer of two types.
        ("Zorvex Bookcase Shelf", "", {"brand": "Zorvex", "type": "Shelf"}, "type"),
        ("Zorvex Shelf, Oak", "", {"brand": "Zorvex", "color": "Oak"}, "material"),
        ("Zorvex Oak Shelf", "", {"brand": "Zorvex", "type": "Shelf"}, "color material type"),
        ("Zorvex Shelf 3 lb 20 oz", "", {"brand": "Zorvex", "net": "3 lb"}, "net"),
        # Words of a name answer nothing, and what is named below is decided.
        ("Silver Creek Shelf", "", {"brand": "Silver Creek"}, ""),
        ("Zorvex Shelf, Oak", "Color: Red", {"brand": "Zorvex", "color": "Red"}, "material"),
        # Which made-up word is the brand, and where it ends.
        ("Zorvex Trilo Shelf", "", {"brand": "Zorvex", "line": "Trilo"}, "brand line"),
        ("Zorvex - Trilo Shelf", "", {"brand": "Zorvex", "line": "Trilo"}, ""),
        ("Zorvex Trilo Shelf", "", {"brand": "Zorvex Trilo"}, ""),
        ("Zorvex Star Hill Shelf", "", {"brand": "Zorvex", "line": "Star Hill"}, "brand line"),
        ("Trilo Shelf by Zorvex", "", {"brand": "Zorvex", "line": "Trilo"}, ""),
        ("Trilo Shelf Zorvex", "", {"brand": "Zorvex", "line": "Trilo"}, "brand line"),
        ("Trilo Shelf", "", {"line": "Trilo"}, "brand line"),
    ],
)
def test_what_a_reader_could_not_decide_is_not_asked(headline, rest, gold, undecided):
    keys = list(BOOKCASE.values)
    found = unclear(BOOKCASE, headline, rest, {"type": "Shelf", **gold}, keys)
    assert found & set(keys) == set(undecided.split())


def test_no_more_than_a_tenth_is_undecided(listings):
    stated = [(listing, key) for listing in listings for key in listing.gold]
    n_unclear = sum(
        len(listing.unclear(list(listing.gold)) & listing.gold.keys()) for listing in listings
    )
    assert 0.01 < n_unclear / len(stated) < 0.1


def test_brands_have_one_word_or_several_as_real_ones_do():
    rng = Random(1)
    lengths = [len(makeup.brand(rng).split()) for _ in range(2000)]
    assert 0.35 < sum(n > 1 for n in lengths) / len(lengths) < 0.5
    assert sum(n > 2 for n in lengths) / len(lengths) > 0.07


def test_a_word_either_belongs_to_values_or_only_praises():
    qualities, praise = ({word.lower() for word in group} for group in (QUALITIES, PRAISE))
    assert not qualities & praise
    assert not (qualities | praise) & makeup.NAME_WORDS


def test_breadth(listings):
    assert len(CATEGORIES) >= 40
    assert len({category.name for category in CATEGORIES}) == len(CATEGORIES)
    assert {listing.category.name for listing in listings} == {c.name for c in CATEGORIES}
    assert {listing.kind for listing in listings} == {"title", "soup", "page", "sheet"}
    assert len({listing.gold.get("brand") for listing in listings}) > N_EXAMPLES // 3


def test_schemas_change_and_names_are_unique(examples):
    schemas = [tuple(attribute.name for attribute in example.schema) for example in examples]
    assert all(len(set(names)) == len(names) for names in schemas)
    assert len(set(schemas)) > 0.95 * len(schemas)


def test_forms_ask_for_all_types_and_are_hardly_ever_alike():
    rng = Random(4)
    asked = {attribute.type for make in KINDS for attribute in make(rng).attributes}
    assert asked == {
        "string", "integer", "number", "boolean", "enum", "date", "array", "object"
    }  # fmt: skip
    texts = [make_form(rng).text for _ in range(1000)]
    assert len({re.sub(r"\d", "0", text) for text in texts}) > 990


def test_forms_answer_every_attribute_with_its_type():
    rng = Random(4)
    types = {
        "string": str,
        "enum": str,
        "date": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "array": list,
        "object": dict,
    }
    for _ in range(1000):
        form = make_form(rng)
        assert list(form.answer) == list(range(len(form.attributes)))
        for attribute, value in zip(form.attributes, form.answer.values(), strict=True):
            assert value is None or isinstance(value, types[attribute.type]), attribute
            if attribute.type == "enum":
                assert value is None or value in attribute.choices


@pytest.mark.skipif("HPD_EVAL_DATA" not in os.environ, reason="HPD_EVAL_DATA is not set")
def test_nothing_comes_from_the_evaluation_data():
    """No eight words in a row; of a handwritten text not three runs of five from one row."""
    rows = []
    for file in Path(os.environ["HPD_EVAL_DATA"]).rglob("*.jsonl"):
        for read in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(read)
            keys = ("input", "input_title", "input_description", "text")
            rows.append("\n".join(row.get(key) or "" for key in keys))
    assert rows
    theirs = set().union(*(runs(row) for row in rows))
    rng = Random(5)
    for _ in range(10_000):
        assert not theirs & runs(make_example(rng).documents[0])
    recipe = Path(__file__).parents[2] / "models" / "recipe"
    for source in (*recipe.rglob("*.py"), *recipe.rglob("*.txt")):
        assert not theirs & runs(source.read_text(encoding="utf-8").replace("|", " "))
    rows_of = {}
    for number, row in enumerate(rows):
        for run in runs(row, 5):
            rows_of.setdefault(run, []).append(number)
    for each in documents():
        shared = Counter(n for run in runs(each.text, 5) for n in rows_of.get(run, ()))
        assert max(shared.values(), default=0) < 3, each.name


def test_a_seed_gives_the_same_examples_in_every_process():
    """However that process orders its sets; among these are towns of Italy."""
    program = "from random import Random; from recipe.write import make_example; "
    program += "print(*(repr(make_example(Random(seed))) for seed in (63, 65, 1)))"
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root / "models"), *sys.path])
    printed = [
        run_python(
            "-c",
            program,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(printed[0]) > 1000
    assert printed[0] == printed[1]


def test_a_color_or_a_material_behind_a_brand_is_hardly_ever_a_part_of_it():
    values = {value.lower() for value in (*COLORS, *MATERIALS)}
    rng = Random(4)
    brands = [makeup.brand(rng).lower().split() for _ in range(5000)]
    assert sum(len(words) > 1 and words[-1] in values for words in brands) < 50


def test_the_plainest_texts_ask_for_their_brand_and_color():
    (goods,) = (category for category in CATEGORIES if category.name == "Goods")
    rng = Random(4)
    listings = [make_listing(rng, goods) for _ in range(400)]
    short = [each for each in listings if each.kind == "title" and len(each.gold) > 2]
    for key in ("brand", "color", "type"):
        clear = [key not in each.unclear([key]) for each in short if key in each.gold]
        assert sum(clear) > 0.8 * len(clear) > 40
