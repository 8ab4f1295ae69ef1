"""Values that a constraint made of another one: null with a reason, or an error, and never sure."""

import json

import pytest

from answer_matrix import SMALL, STYLES, USUAL, models
from hpd import _native
from hpd.documents import Document
from hpd.options import Options
from hpd.pipeline.document_values import DocumentValues
from hpd.prompt.text import COUNT_KEY
from hpd.results import FieldValue
from hpd.schema import load_schema
from hpd.values.grounding import Grounder
from nightly import by_day
from scripted_model import Script, ScriptedAnswer, Written, scripted_extractions

PATTERN = {"type": "string", "pattern": r"^[A-Z]{2}-\d{3}$"}
DIGITS = {"type": "string", "pattern": r"^\d{8}$"}
COLORS = {"enum": ["red", "blue"]}

BENT = {
    "a code with a digit too many": (PATTERN, "AB-1234", "Code AB-1234."),
    "a code with a part too many": (PATTERN, "AB-123-4", "Code AB-123-4."),
    "a code without its mark": (PATTERN, "AB9123", "Code AB9123, and no other."),
    "too many digits": (DIGITS, "0012345678", "Ref: 0012345678"),
    "no such choice": (COLORS, "violet", "The coat is violet."),
    "a choice that is the beginning of a word": (COLORS, "reddish", "The coat is reddish."),
    "an address of five parts": (
        {"type": "string", "format": "ipv4"},
        "10.0.0.1.2",
        "Server 10.0.0.1.2.",
    ),
    "a date that goes on": ({"type": "string", "format": "date"}, "2024-05-061", "On 2024-05-061."),
}
"""Schemas of one field, what the model would write there, and the document."""

BEYOND = {
    "a number above the maximum": (
        {"type": "integer", "maximum": 120},
        130,
        "above the maximum 120",
    ),
    "a number below the minimum": ({"type": "number", "minimum": 0}, -4.5, "below the minimum 0"),
    "no multiple": ({"type": "number", "multipleOf": 0.01}, 12.345, "not a multiple of 0.01"),
    "no whole number": ({"type": "integer"}, 12.5, "a whole number is expected"),
    "a text that is too long": ({"type": "string", "maxLength": 4}, "Norway", "longer than 4 char"),
    "a text that is too short": (
        {"type": "string", "minLength": 9},
        "Norway",
        "shorter than 9 char",
    ),
    "no such day": ({"type": "string", "format": "date"}, "2024-02-31", "no day 2024-02-31"),
}
"""Schemas of one field, what the model writes there, and the error."""


@pytest.fixture(scope="module", params=by_day(2, SMALL))
def script(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vocabulary")
    return Script(_native.Model([str(models(folder)[request.param]())]))


def field(script, schema, answer, text, *, required=False, doubts=None, **settings):
    """What becomes of a field where a model would write an answer, or a likelier one in doubt."""
    whole = {"type": "object", "properties": {"x": schema}, "required": ["x"] * required}
    known = {text: ScriptedAnswer({"x": answer}, STYLES[0], doubts=doubts or {})}
    (extraction,) = scripted_extractions(
        script,
        {"": load_schema(whole)},
        [Document(text, 0, "")],
        known.__getitem__,
        **USUAL,
        null_threshold=0.0,
        **settings,
    )
    return extraction.fields["x"], extraction


@pytest.mark.parametrize("name", BENT)
def test_what_a_constraint_bends_is_null_and_why(script, name):
    schema, answer, text = BENT[name]
    found, extraction = field(script, schema, answer, text)
    assert found.value is None
    assert found.confidence is None
    assert "something else" in found.reason or "rules it out" in found.reason
    assert found.raw
    assert extraction.error is None


@pytest.mark.parametrize("name", BENT)
def test_and_an_error_where_it_is_required(script, name):
    schema, answer, text = BENT[name]
    found, extraction = field(script, schema, answer, text, required=True)
    assert found.value is None
    assert found.error.startswith("required, but")
    assert extraction.error is not None


@pytest.mark.parametrize("name", BEYOND)
def test_what_is_beyond_a_limit_is_an_error_with_what_was_written(script, name):
    schema, answer, error = BEYOND[name]
    found, _ = field(script, schema, answer, f"It says {answer} here.")
    assert found.value is None
    assert error in found.error
    assert str(answer) in found.raw


def test_a_text_that_the_document_states_is_kept_though_the_model_would_go_on(script):
    found, _ = field(script, PATTERN, "AB-123 (new)", "Code AB-123 (new), says the label.")
    assert found.value == "AB-123"


def test_a_text_that_the_document_states_once_is_one_item_of_a_list(script):
    schema = {"type": "array", "items": PATTERN}
    _, extraction = field(script, schema, ["AB-123", "AB-1234"], "Codes AB-123, AB-1234.")
    assert extraction.data == {"x": ["AB-123"]}
    assert extraction.fields["x"].error.startswith("item 2: the model would write something else")
    _, extraction = field(script, schema, ["AB-123", "AB-123"], "Codes AB-123, AB-123.")
    assert extraction.data == {"x": ["AB-123", "AB-123"]}


def test_a_name_of_a_row_that_was_bent_is_an_error(script):
    flight = {
        "type": "object",
        "properties": {"number": PATTERN, "to": {"type": "string"}},
        "required": ["number", "to"],
    }
    rows = [{"number": "OS-451", "to": "Paris"}, {"number": "OS-45", "to": "Vienna"}]
    text = "OS-451 to Paris, OS-45 to Vienna"
    _, extraction = field(script, {"type": "array", "items": flight}, rows, text, lists="names")
    assert extraction.data["x"][0] == rows[0]
    assert extraction.data["x"][1]["number"] is None
    assert "something else" in extraction.fields["x[1].number"].error


@pytest.mark.parametrize(
    ("text", "value", "confidence", "is_kept"),
    [
        ("A box without a size.", "40.00 X 25.00 X 30.00", 0.6, False),
        ("A box, 40.00 X 25.00 X 30.00.", "40.00 X 25.00 X 30.00", 0.6, True),
        ("A box of 41.00 X 25.00 X 30.00.", "40.00 X 25.00 X 30.00", 0.6, False),
        ("A box without a size.", "40.00 X 25.00 X 30.00", 0.97, True),
        ("A box without a size.", "10 x 10", 0.6, True),
        ("A box without a size.", "1.20 X 2.00", 0.6, False),
        (
            "Size        Boxes\n40.00 X         7\n25.00 X\n30.00",
            "40.00 X 25.00 X 30.00",
            0.6,
            True,
        ),
        (f"40.00 X 25.00{' word' * 50} X 30.00", "40.00 X 25.00 X 30.00", 0.6, False),
    ],
)
def test_what_only_the_description_of_a_field_states_is_null(text, value, confidence, is_kept):
    schema = load_schema(
        {
            "type": "object",
            "properties": {
                "size": {
                    "type": "string",
                    "description": "length by width by height, e.g. 40.00 X 25.00 X 30.00",
                    "examples": ["1.20 X 2.00"],
                }
            },
        }
    )
    values = DocumentValues({("size",): FieldValue(confidence, value=value, raw=f' "{value}"')})
    values.ground(schema, Grounder(text), Options())
    field = values.fields["size",]
    assert field.value == (value if is_kept else None)
    assert (field.reason is None) == is_kept


PAIRS = [{"who": "Ann Lee", "day": None}]


@pytest.mark.parametrize(
    ("items", "n_stated", "is_cut"),
    [
        (["Ann Lee"], 0, True),
        (["Ann Lee"], 10, True),
        (["Ann Lee"], 30, False),
        (["Ann Lee", "Bob Day", "Cy Ho"], 0, True),
        (["Ann Lee", "Bob Day", "Cy Ho"], 30, False),
        ([12.5], 0, True),
        ([12.5], 30, False),
        ([f"Guest {n} of many" for n in range(5)], 1, True),
        (PAIRS, 0, True),
        (PAIRS, 30, False),
    ],
)
def test_items_that_repeat_more_often_than_in_the_document_end_a_list(
    script, items, n_stated, is_cut
):
    """A model that repeats itself would fill the context, which takes minutes."""
    parts = {"who": {"type": "string"}, "day": {"type": "string"}}
    item = {
        str: {"type": "string"},
        float: {"type": "number"},
        dict: {"type": "object", "properties": parts},
    }[type(items[0])]
    text = "List:" + f" {json.dumps(items)}" * n_stated
    schema = {"type": "array", "items": item}
    found, extraction = field(script, schema, items * 30, text, lists="ar")
    n = len(extraction.data["x"])
    assert found.repeated == is_cut
    if is_cut:
        assert n <= (2 if n_stated else 1) * len(items)
    else:
        assert n == 30 * len(items)


@pytest.mark.parametrize("lists", ["names", "ar"])
def test_texts_and_numbers_of_a_list_that_is_held_to_the_text_are_in_it(script, lists):
    parts = {"name": {"type": "string"}, "n": {"type": "integer"}}
    schema = {"type": "array", "items": {"type": "object", "properties": parts}}
    rows = [{"name": "Leek", "n": 31}, {"name": "Kale", "n": 9}]
    written = [{**rows[0], "name": "Leek soup"}, {**rows[1], "n": 70}]
    text = "Sown: Leek 31, Kale 9."
    _, free = field(script, schema, written, text, lists=lists)
    assert free.data["x"] == written
    _, held = field(script, schema, written, text, lists=lists, verbatim=True)
    assert held.data["x"]
    assert all(row["name"] in text and row["n"] in (31, 9, None) for row in held.data["x"])


@pytest.mark.parametrize("text", ["Rooms: kitchen, cellar.", "Rooms: kitchen, cellar, attic."])
def test_after_a_choice_that_was_changed_a_list_has_only_stated_ones(script, text):
    schema = {"type": "array", "items": {"enum": ["kitchen", "bath", "attic"]}}
    cellar, bath = (["kitchen", room, "attic"] for room in ("cellar", "bath"))
    _, extraction = field(script, schema, bath, text, doubts={("x", COUNT_KEY): cellar}, lists="ar")
    assert extraction.data == {"x": [room for room in cellar if room in text and room != "cellar"]}
    assert "item 2: the model would write something else" in extraction.fields["x"].error


SEX = {"enum": ["male", "female"]}


@pytest.mark.parametrize(
    ("schema", "value", "written", "document", "is_kept"),
    [
        (SEX, "male", "M", "X: M, born in 1958", True),
        (SEX, "female", "f", "Name Ann Lee\nX  f", True),
        (SEX, "male", "Ms", "X: Ms", False),
        ({"enum": ["P1 - urgent", "P2 - high"]}, "P1 - urgent", "P1", "X: P1", True),
        ({"enum": ["male", "married"]}, "male", "M", "X: M", False),
        ({"type": "boolean"}, False, "NO", "X: NO", True),
        ({"type": "boolean"}, True, "Sí", "X=Sí", True),
        ({"type": "boolean"}, True, "NO", "X: NO", False),
        ({"type": "boolean"}, False, "green", "X: green", False),
    ],
)
def test_a_short_form_after_the_name_of_a_field_states_a_choice(
    script, schema, value, written, document, is_kept
):
    found, _ = field(script, schema, value, document, required=True, doubts={("x",): written})
    assert found.value == (value if is_kept else None)
    assert is_kept or "something else" in found.error


def test_a_list_in_a_row_keeps_its_items_though_the_model_would_write_one_text(script):
    ports = {"type": "array", "items": {"type": "integer"}}
    row = {"type": "object", "properties": {"name": {"type": "string"}, "ports": ports}}
    numbers, text = ([{"name": "api", "ports": each}] for each in ([8080], "8080"))
    _, extraction = field(
        script,
        {"type": "array", "items": row},
        numbers,
        "Container api, port: 8080.",
        doubts={("x", COUNT_KEY): text},
        lists="whole",
    )
    assert extraction.data == {"x": numbers}


def test_numbers_that_repeat_end_a_list_also_after_others_with_the_same_last_digit(script):
    parts = {"position": {"type": "integer"}, "pieces": {"type": "integer"}}
    schema = {"type": "array", "items": {"type": "object", "properties": parts}}
    rows = [{"position": 30, "pieces": 500}, {"position": 40, "pieces": 40}]
    found, extraction = field(script, schema, [*rows, *rows[1:] * 60], f"{rows}", lists="ar")
    assert found.repeated
    assert extraction.data["x"] in (rows, [*rows, rows[1]])


STATED = [f"PX-{n} ({n})" for n in range(30)]


@pytest.mark.parametrize(
    ("items", "text", "n_kept"),
    [
        ([f"2565{n}" for n in range(30)], "Parts: none", 0),
        ([*STATED[:5], *(f"PX-{n}" for n in range(70, 95))], "Parts: " + ", ".join(STATED[:5]), 5),
        # Short ones are words of their own.
        ([str(n) for n in range(30)], "Parts: 01234567890123456789.0012 A22", 0),
        (STATED, "Parts: " + ", ".join(STATED), 30),
        ([each.lower() for each in STATED], "Parts: " + ", ".join(STATED), 30),
        ([str(n) for n in range(30)], "Parts " + ", ".join(map(str, range(30))), 30),
        (["Ann  \n" + each for each in STATED], "Parts: Ann " + " Ann ".join(STATED), 30),
        # A few texts of its own are no invention without end.
        ([f"2565{n}" for n in range(11)], "Parts: none", 11),
    ],
)
@pytest.mark.parametrize("lists", ["names", "ar"])
def test_a_list_ends_where_many_texts_in_a_row_are_not_in_the_document(
    script, items, text, n_kept, lists
):
    """A model that counts on would fill the context, which takes minutes."""
    schema = {"type": "array", "items": {"type": "string"}}
    found, extraction = field(script, schema, items, text, lists=lists)
    assert [*map(str.split, extraction.data["x"])] == [*map(str.split, items[:n_kept])]
    assert found.repeated == (n_kept < len(items))


def test_a_list_of_dates_in_another_form_is_no_invention(script):
    schema = {"type": "array", "items": {"type": "string", "format": "date"}}
    dates = [f"2024-05-{day:02}" for day in range(1, 28)]
    text = "Days: " + ", ".join(f"{day}.5.24" for day in range(1, 28))
    found, extraction = field(script, schema, dates, text, lists="names")
    assert extraction.data["x"] == dates
    assert not found.repeated


@pytest.mark.parametrize(
    ("choices", "answer", "text"),
    [
        (["IN_STOCK", "OUT_OF_STOCK"], "OUT_OF_STOCK", "Kettle, out of stock."),
        (["tres_bon", "neuf"], "tres_bon", "Vélo en très bon état."),
    ],
)
def test_a_choice_whose_words_are_stated_is_kept_though_the_model_would_write_them(
    script, choices, answer, text
):
    scripted = ScriptedAnswer(
        {"x": answer}, STYLES[0], doubts={("x",): text.rstrip(".").partition(" ")[2]}
    )
    (extraction,) = scripted_extractions(
        script,
        {"": load_schema({"properties": {"x": {"enum": choices}}})},
        [Document(text, 0, "")],
        {text: scripted}.__getitem__,
        **USUAL,
        null_threshold=0.0,
    )
    found = extraction.fields["x"]
    assert (found.value, found.reason, found.match) == (answer, None, "normalized")


@pytest.mark.parametrize("verbatim", [False, True])
@pytest.mark.parametrize("written", ["1.67e-27", "6.02E+23", "6.02e23"])
def test_a_number_may_be_written_with_an_exponent(script, written, verbatim):
    found, _ = field(
        script,
        {"type": "number"},
        Written(float(written), written),
        f"It is {written} in all.",
        verbatim=verbatim,
    )
    assert (found.value, found.reason) == (float(written), None)


@pytest.mark.parametrize("word", ["null", "None", "N/A"])
@pytest.mark.parametrize("item", [{"type": "string"}, {"properties": {"who": {"type": "string"}}}])
def test_a_list_of_one_word_for_nothing_is_empty(script, word, item):
    schema = {"type": "array", "items": item}
    answer = [word if "type" in item else {"who": word}]
    _, extraction = field(script, schema, answer, "Guests: none.", lists="names")
    assert extraction.data["x"] == []
    # The document does state a "none", once.
    n_stated = 0 if word != "None" else 1 if "type" in item else 2
    _, extraction = field(script, schema, [*answer, *answer], "Guests: none.", lists="names")
    assert len(extraction.data["x"]) == n_stated


@pytest.mark.parametrize("word", ["null", "None", "n/a"])
def test_a_word_for_nothing_that_the_document_lacks_is_null(script, word):
    found, _ = field(script, {"type": "string"}, word, "Article: Locks. Price: 41.14 EUR.")
    assert (found.value, found.error, found.raw.strip()) == (None, None, json.dumps(word))
    found, _ = field(script, {"type": "string"}, word, f"Colour: {word}.")
    assert found.value == word
    found, _ = field(script, {"enum": [word, "red"]}, word, "Article: Locks.")
    assert found.value == word


STAFF = {
    "properties": {
        "name": {"type": "string"},
        "team": {"type": "string"},
        "pay": {"type": "integer"},
        "phone": {"type": "string"},
    }
}
PEOPLE = [
    {"name": "Ann Lee", "team": "Sales", "pay": 2450, "phone": "604-9164"},
    {"name": "Bob Day", "team": "Stores", "pay": 4739, "phone": "898-3291"},
]


@pytest.mark.parametrize(
    ("part", "doubt", "is_mended"),
    [("pay", 25, True), ("phone", "898-3291", True), ("team", "Stores", False)],
)
def test_an_unsure_value_of_a_row_is_asked_for_after_the_sure_ones_before_it(
    script, part, doubt, is_mended
):
    text = "\n".join(", ".join(map(str, row.values())) for row in PEOPLE)
    schema = load_schema({"properties": {"x": {"type": "array", "items": STAFF}}})
    known = ScriptedAnswer({"x": PEOPLE}, STYLES[0], doubts={("x", "1", part): doubt})
    (extraction,) = scripted_extractions(
        script,
        {"": schema},
        [Document(text, 0, "")],
        {text: known}.__getitem__,
        **USUAL,
        lists="names",
    )
    # The first value after the name has none before it.
    first = PEOPLE[0] if is_mended else {**PEOPLE[0], part: doubt}
    assert extraction.data["x"] == [first, PEOPLE[1]]
    assert (extraction.fields[f"x[0].{part}"].confidence > 0.9) == is_mended


TEAM = [
    {"name": name, "team": team, "pay": 2000 + 7 * n, "phone": phone}
    for n, (name, team, phone) in enumerate(
        [
            ("Ann Lee", "Sales", "604-9164"),
            ("Bob Day", None, "898-3291"),
            ("Eva Moss", None, "112-4450"),
            ("Leo Kern", "Stores", "230-9981"),
            ("Kim Jung", None, "771-0032"),
            ("Sam Cruz", "Sales", "690-2211"),
        ]
    )
]


@pytest.mark.parametrize(
    ("is_stated_twice", "is_equal"), [(False, True), (True, True), (False, False)]
)
def test_a_row_that_repeats_another_is_dropped_unless_the_document_has_it_twice(
    script, is_stated_twice, is_equal
):
    rows = [*TEAM, TEAM[2] if is_equal else {**TEAM[2], "pay": 2021}]
    text = "\n".join(" ".join(str(own) for own in row.values() if own) for row in TEAM)
    text += "\nEva Moss" * is_stated_twice + "\n2021"
    schema = {"type": "array", "items": STAFF}
    found, extraction = field(script, schema, rows, text, lists="ar")
    kept = [{"team": None, **row} for row in extraction.data["x"]]
    is_kept = is_stated_twice or not is_equal
    assert kept == (rows if is_kept else TEAM)
    assert ("item 7" in (found.error or "")) != is_kept
