"""Values that a model bends to fit the schema, of what the document states."""

from dataclasses import replace

import pytest

from hpd.pipeline.document_values import ConfidenceLimits, DocumentValues
from hpd.results import FieldValue
from hpd.schema.attributes import Attribute
from hpd.values.grounding import Grounder

POINTS = Attribute("points", "integer")


def stored(text, value, confidence, attribute=POINTS):
    values = DocumentValues()
    result = FieldValue(value=value, confidence=confidence, raw=str(value))
    values.store(("score",), attribute, result, ConfidenceLimits(0.0), None, Grounder(text))
    return values.fields["score",]


@pytest.mark.parametrize(
    ("text", "value", "stated"),
    [
        ("Score: 12.5. Team: Wrens.", 12, "12.5"),
        ("Score: 12.5. Team: Wrens.", 13, "12.5"),
        ("Gewicht: 82,4 kg", 82, "82,4"),
        ("身高172.5厘米", 172, "172.5"),
        ("Loss: -3.7 on average", -3, "-3.7"),
    ],
)
def test_it_is_null_unless_the_model_is_sure(text, value, stated):
    field = stored(text, value, 0.8)
    assert (field.value, field.raw, field.confidence) == (None, str(value), None)
    assert field.reason == f"the document states {stated}, not a whole number"
    assert stored(text, value, 0.97).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 points, on average 12.5", 12),
        ("twelve points, on average 12.5", 12),
        ("Score: 12.0", 12),
        ("Score: 1,200", 1200),
        ("Score: 1.200", 1200),
        ("Score: 12.5", 14),
        ("no number", 3),
    ],
)
def test_a_number_that_is_stated_or_is_no_part_of_another_is_kept(text, value):
    assert stored(text, value, 0.4).value == value


@pytest.mark.parametrize(
    ("text", "value", "step", "is_kept"),
    [
        ("12.345 USD", 12345, 0.01, False),
        ("-12.345 USD", -12345, 0.01, False),
        ("12.345 EUR", 12345, 0.01, True),
        ("12.345 USD und 2,50 EUR", 12345, 0.01, True),
        ("12,345 USD", 12345, 0.01, True),
        ("12345 USD", 12345, 0.01, True),
        ("12.345 USD", 12345, 0.001, True),
        ("12.345 people", 12345, 1, True),
        ("12.345 people", 12345, None, True),
    ],
)
def test_cents_are_not_read_as_thousands(text, value, step, is_kept):
    field = stored(text, value, 0.8, Attribute("amount", "number", multiple_of=step))
    assert (field.value is not None) == is_kept
    if not is_kept:
        assert field.reason == f"the document states {text.split()[0]}, which is not allowed"


def test_a_share_may_be_written_as_a_percentage():
    share = Attribute("share", "number", maximum=1)
    text = "Share: 35 %, of 2400 units"
    assert stored(text, 0.35, 0.8, share).value == 0.35
    assert stored("Share: 35 units", 0.35, 0.8, share).value is None


def test_a_required_one_is_an_error():
    required = Attribute("points", "integer", required=True, nullable=False)
    field = stored("Score: 12.5", 12, 0.8, required)
    assert field.value is None
    assert "12.5" in field.error


def test_numbers_with_fractions_are_left_alone():
    assert stored("Score: 12.5", 12, 0.8, Attribute("score", "number")).value == 12


CODE = Attribute("code", "string", max_length=3)


@pytest.mark.parametrize(
    ("text", "value"), [("Country: USAX.", "USA"), ("No. 12345", "123"), ("Code xAB7", "AB7")]
)
def test_a_text_that_is_cut_from_a_longer_word_is_null_unless_the_model_is_sure(text, value):
    field = stored(text, value, 0.8, CODE)
    assert (field.value, field.reason) == (None, "the document has it in longer words alone")
    assert stored(text, value, 0.97, CODE).value == value
    assert stored(text, value, 0.8, Attribute("code", "string")).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Country: USA.", "USA"), ("USAX, USA", "USA"), ("500ml", "500"), ("在中国北京", "中国"),
        ("Country: United States", "USA"), ("AB-123", "AB"),
    ],
)  # fmt: skip
def test_a_text_that_stands_alone_or_nowhere_is_kept(text, value):
    assert stored(text, value, 0.8, CODE).value == value


@pytest.mark.parametrize(
    ("text", "name", "value", "stated"),
    [
        ("Rooms: 4.5. Rent: 1,200.", "rooms", 1200, "4.5"),
        ("Profit: -2500. Quarter: Q3.", "profit", 3, "-2500"),
        ("Goal difference -7 after ten matches.", "goal_difference", 10, "-7"),
        ("He waited 1.5 hours. Two lorries had stopped.", "hours", 2, "1.5"),
        ("Age: 130 years, 12 teeth", "age", 12, "130"),
    ],
)
def test_another_number_than_one_beside_the_name_that_is_not_allowed(text, name, value, stated):
    attribute = Attribute(name, "integer", minimum=0, maximum=2000 if name != "age" else 120)
    field = stored(text, value, 0.99, attribute)
    assert field.value is None
    assert field.reason == f"the document states {stated} there, which is not allowed"


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Rooms: 4.5, later rooms: 5", "rooms", 5),
        ("Rooms: 4. Rent: 1,200.", "rooms", 1200),
        ("Rooms 4.5, 7 rooms", "rooms", 7),
        ("Bathrooms: 4.5. 3 in all", "rooms", 3),
        ("Rooms\n4.5 m2, 3 windows", "rooms", 3),
        ("Rooms, 4.5 m2, 3 of them", "rooms", 3),
        ("Price: 1.200", "price", 1200),
    ],
)
def test_what_stands_beside_the_name_may_be_allowed_or_something_else(text, name, value):
    assert stored(text, value, 0.99, Attribute(name, "integer", minimum=0)).value == value


def test_marks_alone_are_no_text_unless_the_document_has_them():
    text = Attribute("initials", "string")
    assert (
        stored("Initials ABC", "{", 0.4, text).reason
        == "the model wrote marks that are not in the document"
    )
    assert stored("Rating: ***", "***", 0.4, text).value == "***"
    assert stored("Initials ABC", "ABC", 0.4, text).value == "ABC"


DAY = Attribute("day", "date")


@pytest.mark.parametrize(
    ("text", "value", "stated"),
    [
        ("The demo is moved to 14 May, 3pm.", "2023-05-14", "14 May"),
        ("Delivery on the 3rd of July.", "2025-07-03", "3rd of July"),
        ("Am 23. März geht es los.", "2023-03-23", "23. März"),
    ],
)
def test_a_year_that_is_made_up_makes_a_date_null_unless_the_model_is_sure(text, value, stated):
    field = stored(text, value, 0.8, DAY)
    assert (field.value, field.reason) == (None, f"the document states {stated} without a year")
    assert stored(text, value, 0.97, DAY).value == value
    at = stored(text, f"{value}T15:00:00", 0.8, Attribute("start", "date-time"))
    assert at.reason == field.reason


def test_a_year_that_stands_nowhere_is_made_up():
    why = "the document does not state the year 2023"
    assert stored("the second Sunday of May", "2023-05-14", 0.8, DAY).reason == why
    assert stored("Metformin 500 mg 1-0-1", "2023-01-01", 0.8, DAY).reason == why


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("14 May 2023", "2023-05-14"),
        ("Report 2023. The demo is on 14 May.", "2023-05-14"),
        ("Season 22/23: the final is on 14 May.", "2023-05-14"),
        ("14 May 23", "2023-05-14"),
        ("令和5年5月14日", "2023-05-14"),
        ("Reports: 20230514", "2023-05-14"),
        ("\u0662\u0660\u0662\u0663/05/14", "2023-05-14"),
        ("14 พ.ค. 2566", "2023-05-14"),
    ],
)
def test_a_date_whose_year_may_be_stated_is_kept(text, value):
    assert stored(text, value, 0.4, DAY).value == value


def test_a_year_may_be_stated_by_the_description_or_the_instructions():
    text, value = "The demo is on 14 May.", "2023-05-14"
    described = Attribute("day", "date", "a day of 2023")
    assert stored(text, value, 0.4, described).value == value
    assert Grounder(text, {2023}).year_error(value) is None
    assert [span.start for span in Grounder(text, {2023}).candidate_spans(value)] == [15]


MOMENT = Attribute("begins", "date-time")
MIDNIGHT = "2024-05-06T00:00:00"


def test_midnight_in_place_of_a_time_that_is_none_is_made_up():
    for text, time in (
        ("2024-05-06, from 36:00 on", "36:00"),
        ("2024-05-06T31:00:00, attic", "31:00:00"),
    ):
        why = f"the document states {time}, which is no time"
        assert stored(text, MIDNIGHT, 0.99, MOMENT).reason == why


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on 2024-05-06", MIDNIGHT),
        ("2024-05-06, score 36:28, a film of 90:00", MIDNIGHT),
        ("2024-05-06 at 24:00, part 3:75, 1.36:00", MIDNIGHT),
        ("2024-05-06 at 36:00", "2024-05-06T12:00:00"),
    ],
)
def test_other_times_are_kept(text, value):
    assert stored(text, value, 0.99, MOMENT).value == value


CONTINENT = Attribute("continent", "enum", choices=("Europe", "Asia", "Oceania"))


@pytest.mark.parametrize(
    ("text", "value", "other"),
    [
        ("Continent: Africa. Country: Ghana.", "Oceania", "Africa"),
        ("continent Africa", "Asia", "Africa"),
        ("Continent: Eur. / Country: Italy", "Europe", None),
        ("Continent: African plate, Asia", "Asia", None),
        ("Which continent is it? Ghana.", "Asia", None),
        ("The continent has 50 countries.", "Asia", None),
        ("Continent: none", "Asia", None),
        ("Ghana", "Asia", None),
    ],
)
def test_another_word_behind_the_name_than_a_choice(text, value, other):
    """A model that copies values is rarely right about which choice another word means."""
    values = DocumentValues()
    result = FieldValue(value=value, confidence=0.7, raw=value)
    for limits in (ConfidenceLimits(0.0), ConfidenceLimits(choices_are_stated=True)):
        values.store(("a",), CONTINENT, result, limits, None, Grounder(text))
        is_kept = other is None or not limits.choices_are_stated
        assert values.fields["a",].value == (value if is_kept else None)
    values.store(
        ("sure",), CONTINENT, replace(result, confidence=0.9), limits, None, Grounder(text)
    )
    assert values.fields["sure",].value == value
    if other:
        reason = f"the document states {other} there, which is not allowed"
        assert values.fields["a",].reason == reason


def test_an_item_is_not_given_more_often_than_the_document_has_it():
    text = "Skills: SQL, Go, Rust (SQL twice), Ada"
    values = DocumentValues()
    items = ("SQL", "Go", "Go", "SQL", "SQL", "C")
    for n, item in enumerate(items):
        result = FieldValue(value=item, confidence=0.9, raw=item)
        attribute = Attribute("skills", "string")
        values.store(
            ("skills", str(n)), attribute, result, ConfidenceLimits(), None, Grounder(text)
        )
    found = [values.fields["skills", str(n)] for n in range(len(items))]
    assert [each.value for each in found] == ["SQL", "Go", None, "SQL", None, "C"]
    assert found[2].reason == "the document has it only once"
    assert found[4].reason == "the document has it only 2 times"
