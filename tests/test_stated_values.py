"""Values that are held to what the document states, while they are decoded."""

import json
import shutil

import pytest

from hpd.schema import load_schema
from hpd.values.stated import STATED_KEY, StatedValues
from shop import EXACT
from small_extractor import SmallExtractor as Extractor
from small_extractor import extracted

SCHEMA = 'total int, price float, "day" date, at datetime, name, paid bool'
HELD = ("total", "price", "day", "at", "name")
TEXTS = (
    "Invoice 4711 of 3 March 2026, 18:30: two lamps, 58,000 in all, 22,50 each",
    "No. 7 and no. 8, on 12.05.2025 or 13.05.2025, at 9:15, for 1.2 million or 99.95",
    "Nothing at all",
)


def is_stated(name, value, text):
    """Whether the document states a value: all of them, held against it one by one."""
    if name == "name":
        return str(value) in text
    (attribute,) = (a for a in load_schema(SCHEMA).attributes if a.name == name)
    texts = StatedValues(text).texts_for(attribute)
    return texts is None or value in [json.loads(each) for each in texts]


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_a_model_that_makes_things_up_says_only_what_is_stated(model, method):
    said = {}
    for held in (False, True):
        settings = {"method": method, "max_tokens": 24, "verbatim": held, **EXACT}
        with Extractor(SCHEMA, model, **settings) as extractor:
            found = [extractor.extract(text) for text in TEXTS]
        values = [
            (name, extraction.data[name], text)
            for extraction, text in zip(found, TEXTS, strict=True)
            for name in HELD
            if extraction.data[name] is not None
        ]
        said[held] = sum(not is_stated(*each) for each in values)
        assert values
    assert said[False] > 0
    assert said[True] == 0


@pytest.mark.parametrize("odd", ["\u00ad", "\u200b", "\u200e", "\u2066"])
def test_words_are_quoted_as_the_model_sees_them(model, odd):
    text = "Nordvik wool coat, dark green"
    settings = {"max_tokens": 24, "verbatim": True, **EXACT}
    plain, found = extracted("name, color", model, (text, odd.join(text)), **settings)
    assert found.data == plain.data


def test_in_a_stack_each_document_has_its_own_numbers(model):
    found = extracted(SCHEMA, model, TEXTS, max_tokens=24, stack=3, verbatim=True, **EXACT)
    for extraction, text in zip(found, TEXTS, strict=True):
        for name in HELD:
            value = extraction.data[name]
            assert value is None or is_stated(name, value, text)


def test_what_must_be_there_and_is_not_stated_is_an_error(model):
    schema = "total int!"
    (found,) = extracted(
        schema, model, ["Nothing at all"], verbatim=True, on_invalid="record", **EXACT
    )
    assert found.data["total"] is None
    assert found.fields["total"].error == "required, but the model found no value"


def test_the_number_of_items_is_free(tiny_model):
    texts = [f"{word} and nothing else" for word in ("Lamp", "Tea", "Boat", "Red", "Oak", "Salt")]
    found = {}
    for held in (False, True):
        settings = {"max_tokens": 8, "verbatim": held, "lists": "numbers", **EXACT}
        with Extractor(
            "tags [bool], lines [{is_red bool}]", tiny_model(seed=1), **settings
        ) as extractor:
            counts = [extractor.extract(text).fields for text in texts]
        found[held] = [(each["tags"].raw, each["lines"].raw) for each in counts]
    assert found[True] == found[False]
    assert any(raw.strip() not in ("", "null") for pair in found[True] for raw in pair)


def test_the_file_of_a_model_can_ask_for_it(model, tmp_path):
    pytest.importorskip("gguf")
    from hpd.training.weights import set_metadata

    own = tmp_path / "own.gguf"
    shutil.copy(model, own)
    set_metadata(own, STATED_KEY, "on")
    settings = {"max_tokens": 24, **EXACT}
    answers = {}
    for name, path, more in (
        ("held", model, {"verbatim": True}),
        ("free", model, {}),
        ("own", own, {}),
        ("own, free", own, {"verbatim": False}),
    ):
        with Extractor(SCHEMA, path, **settings, **more) as extractor:
            answers[name] = [extractor.extract(text).data for text in TEXTS]
    assert answers["own"] == answers["held"] != answers["free"] == answers["own, free"]


@pytest.mark.parametrize("at", ["2024-05-31T09:30:00", "2024-05-31T09:30:00+02:00"])
def test_a_time_without_a_zone_is_marked(model, at):
    settings = {"verbatim": True, "on_missing": "force", "max_tokens": 32, **EXACT}
    (extraction,) = extracted("at datetime!", model, [f"The concert starts at {at}."], **settings)
    assert extraction.data == {"at": at}
    assert extraction.fields["at"].to_dict().get("lacks_timezone", False) is ("+" not in at)
