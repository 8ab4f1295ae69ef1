"""One raw text into one value, and how sure the model was of it."""

import json
import math
import re
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from hpd.results import FieldValue
from hpd.schema import to_json_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.numbers import without_trailing_zeros
from hpd.values.parsing import (
    joint_probability,
    parse_forced,
    parse_truncated,
    parse_value,
    typed_value,
)


def pieces(schema):
    """The JSON Schema of each attribute, for jsonschema to judge by."""
    return to_json_schema(schema)["properties"]


@pytest.mark.parametrize(
    ("attribute", "raw", "value"),
    [
        (Attribute("a"), ' "Nike"', "Nike"),
        (Attribute("a"), ' " Nike "', "Nike"),
        (Attribute("a", pattern="^ ?N"), ' " Nike"', " Nike"),
        (Attribute("a"), ' "say \\"hi\\" \\u00e9"', 'say "hi" é'),
        (Attribute("a"), ' "Nike", "', "Nike"),
        (Attribute("a"), ' "two\nlines"', "two\nlines"),
        (Attribute("a"), " 10.50,", "10.50"),
        (Attribute("a", "integer"), " 34012345000000117,", 34012345000000117),
        (Attribute("a", "integer"), " 34012345000000117.0,", 34012345000000117),
        (Attribute("a", "integer"), ' "34012345000000117340"', 34012345000000117340),
        (Attribute("a", "number"), " 0.12345678901234,", 0.12345678901234),
        (Attribute("a", "number"), ' "1.249,90 EUR"', 1249.9),
        (Attribute("a", "number"), ' "EUR -1 249,90"', -1249.9),
        (Attribute("a", "integer"), ' "$1,234,567"', 1234567),
        (Attribute("a"), " null", None),
        (Attribute("a"), ' ""', None),
        (Attribute("a"), ' "  "', None),
        (Attribute("a", "integer"), " 12,", 12),
        (Attribute("a", "integer"), " 12.0}", 12),
        (Attribute("a", "integer"), ' "12"', 12),
        (Attribute("a", "integer"), " -0,", 0),
        (Attribute("a", "integer"), " 01067,", 1067),
        (Attribute("a", "integer"), " -0012}", -12),
        (Attribute("a", "integer"), " 000,", 0),
        (Attribute("a", "integer"), ' "0012345"', 12345),
        (Attribute("a", "integer"), f" 00{10**30}1,", 10**31 + 1),
        (Attribute("a", "number"), " 007,", 7),
        (Attribute("a", "number"), " 007.50,", 7.5),
        (Attribute("a"), " 0012345,", "0012345"),
        (Attribute("a"), " 007.50,", "007.50"),
        (Attribute("a"), ' "007"', "007"),
        (Attribute("a", "number"), " 1.5e2,", 150.0),
        (Attribute("a", "number"), ' "1.5"', 1.5),
        (Attribute("a", "number", multiple_of=0.1), " 0.3,", 0.3),
        (Attribute("a", "boolean"), " true", True),
        (Attribute("a", "boolean"), ' "No"', False),
        (Attribute("a", "enum", choices=("red", "blue")), ' "RED "', "red"),
        (Attribute("a", "enum", choices=("", "x")), ' ""', ""),
        (Attribute("a", "enum", choices=(36, 38)), ' "36"', 36),
        (Attribute("a", "enum", choices=("36", "38")), " 36,", "36"),
        (Attribute("a", "enum", choices=(True, "x")), " true", True),
        (Attribute("a", "date"), ' "2024-02-29"', "2024-02-29"),
        (Attribute("a", "date"), ' "2024/2/9"', "2024-02-09"),
        (Attribute("a", "date-time"), ' "2024-02-29 10:30"', "2024-02-29T10:30:00"),
        (Attribute("a", "date-time"), ' "2024-02-29T10:30:00Z"', "2024-02-29T10:30:00Z"),
        (Attribute("a", format="ipv4"), ' "127.0.0.1"', "127.0.0.1"),
        (Attribute("a", pattern="^[A-Z]+$"), ' "ABC"', "ABC"),
    ],
)
def test_good_values(attribute, raw, value):
    parsed = parse_value(raw, attribute)
    assert parsed == FieldValue(value=value)
    assert type(parsed.value) is type(value)


@pytest.mark.parametrize(
    ("attribute", "raw", "error"),
    [
        (Attribute("a", "number"), " 0.1234567890123456789,", "more digits than"),
        (Attribute("a", "integer"), ' "1,299 EUR"', "whole number"),
        (Attribute("a"), ' "Nik', "breaks off"),
        (Attribute("a"), ' "Nik\\u12', "breaks off"),
        (Attribute("a"), " nul", "breaks off"),
        (Attribute("a"), " Nike", "not valid JSON"),
        (Attribute("a"), "", "no text"),
        (Attribute("a"), ' "\\ud800"', "not valid Unicode"),
        (Attribute("a"), ' ["x"]', "text is expected, not a list"),
        (Attribute("a"), " [[[[[" * 3000, "too deeply|breaks off|not valid"),
        (Attribute("a", min_length=3), ' "ab"', "shorter than 3"),
        (Attribute("a", max_length=3), ' "abcd"', "longer than 3"),
        (Attribute("a", pattern="^[A-Z]+$"), ' "abc"', "does not match the pattern"),
        (Attribute("a", format="ipv4"), ' "1.2.3.400"', "not of the format ipv4"),
        (Attribute("a", "integer"), " 1.5,", "whole number"),
        (Attribute("a", "integer"), ' "1,299"', "whole number"),
        (Attribute("a", "integer"), " true", "whole number"),
        (Attribute("a", "integer"), " 1" + "0" * 5000, "not valid JSON"),
        (Attribute("a", "number"), " 1e999,", "too large"),
        (Attribute("a", "number"), f" 0.5e-3{'0' * 30},", "more digits"),
        (Attribute("a", "integer"), f" 0.0e3{'0' * 30},", "more digits"),
        (Attribute("a", "number"), " NaN", "not valid JSON"),
        (Attribute("a", "number"), ' "12 kg"', "a number is expected"),
        (Attribute("a", "number", minimum=2), " 1,", "below the minimum 2"),
        (Attribute("a", "number", exclusive_minimum=2), " 2,", "not above 2"),
        (Attribute("a", "number", maximum=2), " 3,", "above the maximum 2"),
        (Attribute("a", "number", exclusive_maximum=2), " 2,", "not below 2"),
        (Attribute("a", "integer", multiple_of=5), " 7,", "not a multiple of 5"),
        (Attribute("a", "boolean"), " 1,", "true or false"),
        (Attribute("a", "enum", choices=("red", "blue")), ' "green"', "none of the choices"),
        (Attribute("a", "enum", choices=("a", "A")), ' " a"', "none of the choices"),
        (Attribute("a", "enum", choices=(1,)), " true", "none of the choices"),
        (Attribute("a", "date"), ' "2023-02-29"', "there is no day 2023-02-29"),
        (Attribute("a", "date"), ' "2024-02-31"', "there is no day 2024-02-31"),
        (Attribute("a", "date"), ' "2024-04-31"', "there is no day 2024-04-31"),
        (Attribute("a", "date"), ' "2024-13-01"', "there is no day 2024-13-01"),
        (Attribute("a", "date"), ' "2024/2/30"', "there is no day 2024-02-30"),
        (Attribute("a", "date"), ' "2024-00-00"', "there is no day 2024-00-00"),
        (Attribute("a", "date"), ' "2100-02-29"', "there is no day 2100-02-29"),
        (Attribute("a", "date-time"), ' "2024-06-31T10:00:00"', "no such day or time: 2024-06-31T"),
        (Attribute("a", "date-time"), ' "2024-06-30T25:00:00"', "no such day or time"),
        (Attribute("a", "date-time"), ' "2024-06-30 10:61"', "no such day or time"),
        (Attribute("a", format="time"), ' "25:00:00"', "not of the format time"),
        (Attribute("a", format="time"), ' "10:61:00"', "not of the format time"),
        (Attribute("a", "number", multiple_of=0.01), " 12.345,", "not a multiple of 0.01"),
        (Attribute("a", "date"), ' "02/03/2023"', "YYYY-MM-DD"),
        (Attribute("a", "date-time"), ' "2023-02-28"', "hh:mm:ss"),
    ],
)
def test_bad_values(attribute, raw, error):
    parsed = parse_value(raw, attribute)
    assert parsed.value is None
    assert re.search(error, parsed.error), parsed.error


PATHS = [
    r"C:\Users\bo\table.txt",
    r"C:\new\temp\report.txt",
    r"C:\users\ubuntu",
    r"\\server\share\file",
    r"\\nas\books",
    r"D:\Daten\Müller\Übersicht.xlsx",
    r"^\d{3}-\w+$",
    r"\alpha + \beta",
    r"DOMAIN\bob",
    r"C:\项目\报告.docx",
    "HKEY\\n\\t\\r",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("around", ["{}", "open {} now", "see\n{}\n"])
def test_backslashes_are_those_of_the_document(path, around):
    document = around.format(path)
    escaped, bare = json.dumps(path, ensure_ascii=False), '"' + path.replace('"', '\\"') + '"'
    for raw in (escaped, bare):
        assert parse_value(f" {raw},", Attribute("a"), document) == FieldValue(value=path), raw


@pytest.mark.parametrize(
    ("raw", "document", "value"),
    [
        (r'"two\nlines"', "two\nlines", "two\nlines"),
        (r'"two\nlines"', "two \n lines", "two\nlines"),
        (r'"a \"b\" c"', 'a "b" c', 'a "b" c'),
        (r'"caf\u00e9"', "le café", "café"),
        (r'"C:\\Users\\bo"', "", r"C:\Users\bo"),
        (r'"C:\Users\\bo"', r"in C:\Users\bo", r"C:\Users\bo"),
        (r'"C:\Users\bo"', "", r"C:\Users\bo"),
        (r'"print(\"a\nb\")"', r'print("a\nb")', r'print("a\nb")'),
        (r'"a\/b"', "a/b", "a/b"),
        ('"\u05d1\u05f4\u05de"', '\u05d1"\u05de', '\u05d1"\u05de'),
        ('"\u05d1\u05f4\u05de"', "\u05d1\u05f4\u05de", "\u05d1\u05f4\u05de"),
        ('"\u05d1\u05f4\u05de"', "", "\u05d1\u05f4\u05de"),
    ],
)
def test_other_backslashes_are_escapes(raw, document, value):
    assert parse_value(raw, Attribute("a"), document) == FieldValue(value=value)


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("Umsatz 2.655, Quote 12,5 %", 2655),
        ("Summe 1.234,56, davon 2.655", 2655),
        ("Von 1.234.567 sind 2.655 neu", 2655),
        ("Am 30.03. waren es 2.655 Liter, 0,5 % mehr", 2655),
        ("In USD 1,234.56 and 2,655", 2655),
        ("Income 1.100 1.200 1.300 1.400 1.500 1.600 1.700 1.800 1.900 2.655", 2655),
        ("Weights 1.100 1.200 1.300 1.400 1.500 1.600 1.700 1.800 1.900 2.655", 2.655),
        ("Income 0.100 1.200 1.300 1.400 1.500 1.600 1.700 1.800 1.900 2.655", 2.655),
        ("Miete 2.655 € im Monat", 2655),
        ("Omzet EUR 2.655", 2655),
        ("Diesel 2.655 €/l", 2.655),
        ("Diesel 2.655 Euro pro Liter", 2.655),
        ("Pay 2.655 USD", 2.655),
        ("GPA 2.655", 2.655),
        ("1 GBP = EUR 2.655", 2.655),
        ("Weight 2.655 kg", 2.655),
        ("Weight 2.655 kg (8,9)", 2.655),
        ("Weight 2.655 kg, price 12.50", 2.655),
        ("Host 192.168.100.200 has 2.655 GB", 2.655),
        ("Gewicht 2,655 kg, 12,5 %", 2.655),
        ("Summe 1.234,56, Menge 2.655 oder 2,655", 2.655),
        ("Summe 1.234,56, Version 2.655.1", 2.655),
        ("", 2.655),
    ],
)
def test_three_decimals_are_thousands_where_the_document_shows_it(document, value):
    assert parse_value(" 2.655,", Attribute("a", "number"), document).value == value
    assert parse_value(" -2.655}", Attribute("a", "number"), document).value == -value
    whole = parse_value(" 2.655", Attribute("a", "integer"), document)
    assert whole.value == (value if isinstance(value, int) else None)
    assert parse_value(' "2.655"', Attribute("a"), document).value == "2.655"


@pytest.mark.parametrize(
    ("raw", "document", "value"),
    [
        ("1", "Add 1/2 tsp salt", 0.5),
        ("1", "Screws of 1/3 inch", 0.3333),
        ("1", "Sift 1 1/2 cups", 1.5),
        ("2", "Sift 2 1/2 cups", 2.5),
        # It is stated, one of several, below the line, or there is no measure.
        ("1", "1/2 tsp salt and 1 egg", 1),
        ("1", "1/2 tsp salt, 1/4 cup milk", 1),
        ("2", "Add 1/2 tsp salt", 2),
        ("1", "Page 1/2", 1),
    ],
)
def test_a_fraction_is_kept(raw, document, value):
    assert parse_value(f" {raw}", Attribute("a", "number"), document).value == value
    assert parse_value(f" {raw}", Attribute("a", "integer"), document).value == int(raw)


@pytest.mark.parametrize(
    ("raw", "document", "value"),
    [
        ("22556", "Base 3450,00 Retenue 225,56", 225.56),
        ("225", "Base 3450,00 Retenue 225,56", 225.56),
        ("-22556", "Base 3450,00 Solde 225,56", -225.56),
        ("123456", "Summe 1.234,56", 1234.56),
        ("1234", "Summe 1.234,56", 1234.56),
        ("6900", "Base 3450,00 taux 6,900", 6.9),
        ("750", "Base 3450,00 taux 0,750", 0.75),
        ("1733", "Revenue 18,913\nCosts 12,500\nDeposit 17,33", 17.33),
        ("225", "Weight 12.50, total 225,56", 225),
        ("52", "at (52,13), height 12.5 m", 52),
        # Commas mark thousands, although one does not.
        ("18913", "Revenue 18,913\nCosts 12,500\nDeposit 17,33", 18913),
        ("22556", "Total 22,556 of 1,234.50, page 225,56", 22556),
        # It is stated, not the only one, or there is no decimal comma.
        ("22556", "Kunde 22556, Summe 225,56", 22556),
        ("22556", "Kunde 22.556, Summe 225,56", 22556),
        ("225", "Menge 225, Summe 225,56", 225),
        ("225", "Summen 225,56 und 225,70", 225),
        ("22556", "Summen 225,56 und 22,556", 22556),
        ("22556", "Total 225.56 of 1,234.50", 22556),
        ("1500", "1,500 items at 12.50", 1500),
        ("22556", "Summe 225,50", 22556),
        ("22556", "", 22556),
    ],
)
def test_a_decimal_comma_is_kept(raw, document, value):
    assert parse_value(f" {raw},", Attribute("a", "number"), document).value == value
    whole = parse_value(f" {raw},", Attribute("a", "integer"), document)
    assert whole.value == int(raw)


@pytest.mark.parametrize(
    ("raw", "document", "value"),
    [
        ("1.23456", "Summe 1.234,56", 1234.56),
        ("-1.23456", "Saldo -1.234,56", -1234.56),
        ("1.234567", "Summe 1.234.567,00", 1234567),
        ("1.2345", "Summe 1.234,50, Faktor 1.2345", 1.2345),
        ("1.2345", "Total 1,234.50, rate 1,2345", 1.2345),
    ],
)
def test_a_number_that_goes_on_behind_its_comma_is_read(raw, document, value):
    assert parse_value(f" {raw},", Attribute("a", "number"), document).value == value


@pytest.mark.parametrize(
    ("written", "document", "time"),
    [
        ("9:30", "opens at 9:30", "09:30:00"),
        ("09:30", "", "09:30:00"),
        ("4:30 pm", "", "16:30:00"),
        ("12:05 a.m.", "", "00:05:00"),
        ("12:05 PM", "", "12:05:00"),
        ("3:00", "from 3pm to 4:30 pm", "15:00:00"),
        ("03:00:00", "from 3pm to 4:30 pm", "15:00:00"),
        ("12:30", "closes at 12:30 am", "00:30:00"),
        ("3:00", "from 3 am to 3 pm", "03:00:00"),
        ("3:00", "nothing", "03:00:00"),
        ("12:00:00", "open from noon to 00:00", "12:00:00"),
        ("03:00:00", "lands at three; return at 15:00", "03:00:00"),
        ("09:30:00", "at half past nine, costs 21.30 EUR", "09:30:00"),
        ("17:05:09.25+02:00", "", "17:05:09.25+02:00"),
        ("9:30Z", "", "09:30:00Z"),
        # No such time.
        ("36:00", "", None),
        ("13:30 pm", "", "13:30:00"),
        ("9:75", "", None),
    ],
)
def test_a_time_is_made_complete_as_the_document_means_it(written, document, time):
    parsed = parse_value(f' "{written}"', Attribute("a", format="time"), document)
    assert parsed.value == time
    assert (parsed.error is None) == (time is not None)
    union = Attribute("a", "union", attributes=(Attribute("time", format="time"),))
    assert parse_value(f' "{written}"', union, document).value == time
    parsed = parse_value(f' "2024-05-06T{written}"', Attribute("a", "date-time"), document)
    assert parsed.value == (time and f"2024-05-06T{time}")


@pytest.mark.parametrize(
    ("raw", "document", "value"),
    [
        ("139624", "Revenue 18,913\nNet result (139,624)", -139624),
        ("139624", "Revenue 18,913\nNet result (139,624)\nDeposit 17,33-", -139624),
        ("17.33", "Revenue 18,913\nNet result (139,624)\nDeposit 17,33-", -17.33),
        ("139624.5", "Net result (139,624.50) for the year", -139624.5),
        ("1500", "Net result ($1,500.00)", -1500),
        ("17.33", "Deposit 17,33-", -17.33),
        ("-139624", "Net result (139,624)", -139624),
        # It stands without a sign, too, or its brackets may mean something else.
        ("139624", "Net loss 139,624; net result (139,624)", 139624),
        ("139624", "Springfield (139,624)", 139624),
        ("12", "Net result of 2023 (12)", 12),
        # A minus before a number is one that models know.
        ("45", "Discount: -45.00", 45),
        ("45", "Discount\n-45.00", 45),
    ],
)
def test_a_number_has_the_sign_that_brackets_or_a_minus_behind_it_mean(raw, document, value):
    assert parse_value(f" {raw},", Attribute("a", "number"), document).value == value
    whole = parse_value(f" {raw},", Attribute("a", "integer"), document)
    assert whole.value == (value if value == int(value) else None)


@pytest.mark.parametrize("limit", [{"minimum": 0}, {"exclusive_minimum": 0}, {"minimum": 1000}])
def test_what_is_never_negative_keeps_its_sign(limit):
    text = "Revenue 18,913; members (1,234)"
    assert parse_value(" 1234,", Attribute("a", "integer"), text).value == -1234
    assert parse_value(" 1234,", Attribute("a", "integer", **limit), text).value == 1234


@pytest.mark.parametrize(
    ("raw", "document", "value"),
    [
        ("2.345", "Salary 2.345,00+; fee 49,90-", 2345),
        ("-2.345", "Salary 2.345,50; fee 49,90-", -2345.5),
        ("2.345", "Salary 2,345.00; fee 49.90", 2.345),
        ("2.345", "Salary 2.345,00; rate 2.345", 2345),
        ("2.3457", "Salary 2.345,70; fee 49,90", 2345.7),
        ("-2.3457", "Salary 2.345,70; fee 49,90", -2345.7),
        ("2.3457", "Salary 2.345,7; fee 49,9", 2345.7),
        ("2.3457", "Salary 2.345,70; rate 2.3457", 2.3457),
    ],
)
def test_thousands_before_a_decimal_comma_are_no_decimals(raw, document, value):
    assert parse_value(f" {raw},", Attribute("a", "number"), document).value == value


@pytest.mark.parametrize(
    ("numeral", "short"),
    [("12.00", "12"), (" -12.50", " -12.5"), ("0.0", "0"), ("120", "120"), ("1.5e10", "1.5e10")],
)
def test_trailing_zeros_of_a_decimal_are_those_that_do_not_change_it(numeral, short):
    assert without_trailing_zeros(numeral) == short
    assert float(numeral) == float(short)


def test_a_path_that_is_cut_off_keeps_its_backslashes():
    path = r"C:\Users\bo\table.txt"
    for raw, value in ((r' "C:\Users\bo\tab', r"C:\Users\bo\tab"), (r' "caf\u00', "caf")):
        assert parse_truncated(raw, Attribute("a"), path) == FieldValue(value=value)
    assert parse_forced(r' "C:\Users\b', Attribute("a"), path) == FieldValue(value=r"C:\Users\b")


@pytest.mark.parametrize(
    ("raw", "limits", "value"),
    [
        (" 27,", {"exclusive_minimum": 26, "exclusive_maximum": 27}, 26.5),
        (" 0}", {"exclusive_minimum": 0}, 1),
        (" 11,", {"multiple_of": 7}, 14),
        (" 100,", {"multiple_of": 7, "maximum": 100}, 98),
        (" 3,", {"multiple_of": 2.5}, 2.5),
        (" 5,", {"minimum": 3}, 5),
    ],
)
def test_a_number_that_must_be_there_is_moved_into_its_limits(raw, limits, value):
    attribute = Attribute("a", "number", **limits)
    why = parse_value(raw, attribute).error
    assert parse_forced(raw, attribute) == FieldValue(value=value, reason=why)


def test_what_cannot_be_moved_into_its_limits_stays_an_error():
    never = Attribute("a", "integer", multiple_of=7, minimum=8, maximum=13)
    assert parse_forced(" 10,", never) == parse_value(" 10,", never)
    named = Attribute("a", pattern="^[a-z]{2,}!$")
    assert parse_forced(' "ab', named) == parse_value(' "ab', named)


def test_a_text_that_must_be_there_may_be_cut_if_it_is_good_as_it_is():
    assert parse_forced(' "a@b.cc', Attribute("a", format="email")) == FieldValue(value="a@b.cc")


@given(strategies.scalars(), strategies.raw_texts)
def test_whatever_the_text_the_value_obeys(attribute, raw):
    parsed = parse_value(raw, attribute)
    if parsed.error is not None:
        assert parsed.value is None
    elif parsed.value is not None:
        node = pieces(Schema((attribute,)))["value"]
        jsonschema.validate(parsed.value, node)
        json.dumps(parsed.value, ensure_ascii=False, allow_nan=False).encode()


@given(strategies.scalars(), st.data())
def test_every_value_of_the_type_is_read_as_it_is(attribute, data):
    value = data.draw(strategies.values_of(attribute))
    if isinstance(value, str) and attribute.type != "enum":
        # Blanks around a text are the model's, unless a pattern asks for them.
        assume(value.strip() and (attribute.pattern is not None or value == value.strip()))
    for ensure_ascii in (True, False):
        raw = " " + json.dumps(value, ensure_ascii=ensure_ascii) + ","
        assert parse_value(raw, attribute) == FieldValue(value=value)


def test_joint_probability():
    assert joint_probability([]) is None
    assert joint_probability([math.nan]) is None
    assert joint_probability([0.0, -0.0]) == 1.0
    assert joint_probability([math.log(0.5), math.log(0.5)]) == pytest.approx(0.25)
    assert joint_probability([1e-9]) == 1.0


def test_a_value_in_the_type_that_python_has_for_it():
    day, moment = Attribute("d", "date"), Attribute("m", "date-time")
    whole, east = Attribute("o", "object", attributes=(day,)), timezone(timedelta(hours=2))
    for attribute, value, typed in (
        (day, "2024-02-29", date(2024, 2, 29)),
        (moment, "2024-01-02T03:04:05", datetime(2024, 1, 2, 3, 4, 5)),
        (moment, "2024-01-02T03:04:05.5Z", datetime(2024, 1, 2, 3, 4, 5, 500000, timezone.utc)),
        (moment, "2024-01-02T03:04:05+02:00", datetime(2024, 1, 2, 3, 4, 5, 0, east)),
        (Attribute("t", format="time"), "09:30:00", time(9, 30)),
        (Attribute("p", "number", format="decimal"), 1.1, Decimal("1.1")),
        (Attribute("p", "number"), 1.1, 1.1),
        (Attribute("s"), "2024-02-29", "2024-02-29"),
        (day, None, None),
        (day, "soon", "soon"),
        (Attribute("l", "array", item=day), ["2024-02-29"], [date(2024, 2, 29)]),
        (whole, {"d": "2024-02-29", "x": 1}, {"d": date(2024, 2, 29), "x": 1}),
    ):
        assert typed_value(value, attribute) == typed


@pytest.mark.parametrize(
    ("attribute", "raw", "value"),
    [
        (Attribute("a"), ' "a long text th', "a long text th"),
        (Attribute("a"), ' "say \\"hi\\" \\u00e9 \\u00', 'say "hi" é'),
        (Attribute("a"), ' "half a \ufffd', "half a"),
        (Attribute("a"), ' "whole", "b', "whole"),
        (Attribute("a"), ' "', None),
        (Attribute("a", "integer"), " 123,", 123),
        (Attribute("a", "integer"), " 123", None),
        (Attribute("a", pattern="^a"), ' "ab', None),
        (Attribute("a", format="email"), ' "ann@example.co', None),
        (Attribute("a", "date"), ' "2024-02', None),
    ],
)
def test_free_text_that_is_cut_off_is_kept(attribute, raw, value):
    parsed = parse_truncated(raw, attribute)
    assert parsed.value == value
    assert (parsed.error is None) == (value is not None)


@pytest.mark.parametrize(
    ("document", "value"),
    [("takes 400 mg", "400 mg"), ("takes {400 mg}", "{400 mg}"), ("takes 500 mg", "{400 mg}")],
)
def test_braces_around_a_text_of_the_document_are_no_part_of_it(document, value):
    assert parse_value('"{400 mg}"', Attribute("dose"), document).value == value
    assert parse_value('"{}"', Attribute("dose"), document).value == "{}"


@pytest.mark.parametrize(
    ("raw", "document", "day"),
    [
        ("3110-17-20", "Paid on 31/10/17, for 01/10/17 to 31/10/17", "2017-10-31"),
        ("1407-85-00", "Date of birth: 14.07.85", "1985-07-14"),
        ("3110-20-17", "le 31.10.2017", "2017-10-31"),
        ("3110-17-20", "31/10/17; founded in 1917", "1917-10-31"),
        # The day or the month may come first, or the document has another date.
        ("0506-23-00", "Date: 05/06/23", None),
        ("3110-17-20", "30/10/17", None),
        ("3424-00-00", "3.4.24", None),
        ("2024-02-31", "Valid until 31/02/2024, issued 20/2/2024", None),
        ("2024-02-28", "28.02.2023", "2024-02-28"),
    ],
)
def test_a_date_that_was_copied_into_another_form_is_read(raw, document, day):
    parsed = parse_value(f' "{raw}",', Attribute("a", "date"), document)
    assert parsed.value == day
    assert bool(parsed.error) == (day is None)


@pytest.mark.parametrize(
    ("raw", "document", "value"),
    [
        ("900", "Amounts 900,000 and 1,235,000", 900000),
        ("-35", "Amounts 1,900,000 and -35,000", -35000),
        ("12", "Total 12,345,678 of 1,234.50", 12345678),
        # It is stated, also in words, or several numbers begin with it, or the comma is unclear.
        ("900", "Amounts 900,000 and 1,235,000, page 900", 900),
        ("12", "twelve boxes, 12,500 each of 1,234.50", 12),
        ("35", "Amounts 35,000, 35,500 and 1,900,000", 35),
        ("1", "a sofa for 1,200 of 1,235,000", 1),
        ("900", "code A900,000 and 1,235,000", 900),
        ("900", "", 900),
    ],
)
def test_a_number_is_not_cut_at_its_comma(raw, document, value):
    for kind in ("integer", "number"):
        assert parse_value(f" {raw},", Attribute("a", kind), document).value == value
