"""The numbers, dates and times that a document states."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding import best_span
from hpd.schema.attributes import Attribute
from hpd.values.parsing import parse_value
from hpd.values.stated import StatedValues

WHOLE, NUMBER = Attribute("a", "integer"), Attribute("a", "number")
DATE, MOMENT = Attribute("a", "date"), Attribute("a", "date-time")
TIME, EMAIL, URI, UUID, IPV4, IPV6 = (
    Attribute("a", format=name) for name in ("time", "email", "uri", "uuid", "ipv4", "ipv6")
)
MIDNIGHT = "2024-05-31T00:00:00"
ID = "123e4567-e89b-12d3-a456-426614174000"


def stated(document, attribute):
    texts = StatedValues(document).texts_for(attribute)
    return (
        None if texts is None else {parse_value(text, attribute, document).value for text in texts}
    )


@pytest.mark.parametrize(
    ("document", "name", "description", "values"),
    [
        ("for 310 million euros, 220 workers", "price_million_eur", "", {310, 220}),
        ("for 310 million euros, 220 workers", "price", "", {310000000, 220}),
        ("profit of 31.0 million, 38.5 million before", "profitMillion", "", {31, 38.5}),
        ("custará 18 milhões de euros", "custo_milhoes", "", {18}),
        ("it invests $1.2bn", "investment", "in millions of dollars", {1200}),
        ("a loss of 310,000,000", "loss_mio", "", {310}),
        ("3,50,00,000 rupees", "price", "in crore", {3.5}),
        ("0.5 million or seven million, twenty people", "n_million", "", {0.5, 7, 20}),
        ("58 thousand", "in thousands", "", {58000}),
    ],
)
def test_a_name_with_a_unit_wants_numbers_in_that_unit(document, name, description, values):
    assert stated(document, Attribute(name, "number", description=description)) == values


@pytest.mark.parametrize(
    ("document", "attribute", "values"),
    [
        ("58,000 to 66,000", WHOLE, {58000, 66000}),
        ("58.000 bis 66.000 €", WHOLE, {58000, 66000}),
        ("22,50 EUR", WHOLE, {None}),
        ("22,50 EUR", NUMBER, {22.5}),
        ("1.299,00 €", WHOLE, {1299}),
        ("1,299", NUMBER, {1299, 1.299}),
        ("size 10 200 mm", WHOLE, {10, 200, 10200}),
        ("1,2,3", WHOLE, {1, 2, 3}),
        ("1.2 million, or 3k", WHOLE, {1200000, 3, 3000}),
        ("1,2 Mio. Euro", NUMBER, {1200000}),
        ("two dogs, drei Katzen", WHOLE, {2, 3}),
        ("at -4 °C, 5-7 days", WHOLE, {-4, 5, 7}),
        ("on 12.05.2025", WHOLE, {2025}),
        ("serial 12345678901234567890123", WHOLE, {12345678901234567890123}),
        ("lot 123456789012345678901234567890", WHOLE, {123456789012345678901234567890}),
        ("1e400 or 7", WHOLE, {7}),
        ("-1e400 or 7", NUMBER, {7}),
        ("call +49 30 123456 or +1 (555) 010-9999, 49 EUR", WHOLE, {49}),
        ("+5 °C", WHOLE, {5}),
        ("5 M\u0130L, s\u0131x, \u017feven", WHOLE, {5000, 6, 7}),
        ("3 APR\u0130L 2026, 4 apr\u0131l", DATE, {"2026-04-03", "2026-04-04"}),
        ("3 \u017feptember 2026", DATE, {"2026-09-03"}),
        ("no number", WHOLE, set()),
        ("on 3 March 2026", DATE, {"2026-03-03"}),
        ("am 3. März 2026", DATE, {"2026-03-03"}),
        ("le 1er août 2026", DATE, {"2026-08-01"}),
        ("3 de marzo de 2026", DATE, {"2026-03-03"}),
        ("il 3 marzo 2026", DATE, {"2026-03-03"}),
        ("3 de março de 2026", DATE, {"2026-03-03"}),
        ("op 3 maart 2026", DATE, {"2026-03-03"}),
        ("03/04/2026", DATE, {"2026-04-03", "2026-03-04"}),
        ("30/04/26", DATE, {"2026-04-30", "1926-04-30"}),
        ("31 February 2026", DATE, {None}),
        ("Friday 3 October (posted 2025)", DATE, {"2025-10-03"}),
        ("Friday 3 October", DATE, None),
        ("no day", DATE, set()),
        ("3 May 2026, 18:30", MOMENT, {"2026-05-03T18:30:00", "2026-05-03T00:00:00"}),
        ("3 May 2026, 6.30 pm", MOMENT, {"2026-05-03T18:30:00", "2026-05-03T00:00:00"}),
        ("doors 18:30, 9 Uhr, 7 p.m., 25 Uhr, 12", TIME, {"18:30:00", "09:00:00", "19:00:00"}),
        ("Mail <ann@x.com>, or bob@y.org. Not @this.", EMAIL, {"ann@x.com", "bob@y.org"}),
        ("https://x.com/a?b=1, or (http://y.org).", URI, {"https://x.com/a?b=1", "http://y.org"}),
        # Such a value is refused when it is parsed; without it, another would be taken for it.
        ("Mail kim@@x.com, not x@@ or @@x.com", EMAIL, {None}),
        ("fe80::1::2 or fe80::1, at 12:30, 00:11:22:33:44:55", IPV6, {"fe80::1", None}),
        ("at 12:30, 00:11:22:33:44:55", IPV6, set()),
        ("5&nbsp;000 €, 12&#160;345,50, 1&thinsp;000&#xA0;000", NUMBER, {5000, 12345.5, 1000000}),
        ("5&nbsp;km, a&nbsp;7", NUMBER, {5, 7}),
        ("from 10.0.0.1: ok", IPV4, {"10.0.0.1"}),
        ("1 234,50 €", NUMBER, {1234.5}),
        ("25 000 €, or 25 km", WHOLE, {25000, 25}),
        ("2 500 EUR", WHOLE, {2500}),
        ("1,23,456.00 INR", NUMBER, {123456}),
        ("$1.2 million, €3.5M, ₹2 crore, 1.2万円", NUMBER, {1200000, 3500000, 20000000, 12000}),
        ("1.5e-12 m, 2.5 \u00d7 10^-3, 3\u00d710⁸", NUMBER, {1.5e-12, 0.0025, 3e8}),
        ("-45,00 €", NUMBER, {-45}),
        ("45,00-", NUMBER, {-45}),
        ("sum (1,234.56)", NUMBER, {-1234.56}),
        ("sum (12.50), ($3.00)", NUMBER, {12.5, -12.5, -3}),
        ("-$45.00 or - 7", NUMBER, {-45, 7}),
        ("-12 saws", WHOLE, {-12, 12}),
        ("2½ cups, 1_000 g, 5'10", NUMBER, {2.5, 1000, 5, 10}),
        ("\u0661\u066c\u0662\u0663\u0664\u066b\u0665", NUMBER, {1234.5}),
        ("twenty-five, one hundred and two, two thousand five hundred", WHOLE, {25, 102, 2500}),
        ("one, two, ninety nine", WHOLE, {1, 2, 99}),
        ("a hundred cats", WHOLE, {100}),
        ("fünfundzwanzig Katzen und 3 Hunde", WHOLE, None),
        ("vingt-cinq chats", WHOLE, None),
        ("im 18. Jahrhundert", WHOLE, {18}),
        ("34012345000000117, 0.12345678901234", NUMBER, {34012345000000117, 0.12345678901234}),
        ("2024-05-31T09:30:00+02:00", MOMENT, {"2024-05-31T09:30:00+02:00", MIDNIGHT}),
        ("2024-05-31 09:30 UTC", MOMENT, {"2024-05-31T09:30:00Z", MIDNIGHT}),
        ("2024-05-31 09:30:01.25-0500", MOMENT, {"2024-05-31T09:30:01.25-05:00", MIDNIGHT}),
        ("31 May 2024, 9:30 am EST", MOMENT, None),
        ("open 09:00-17:00", TIME, {"09:00:00", "17:00:00"}),
        ("邮箱\uff1aann@x.com Email:bob@y.org", EMAIL, {"ann@x.com", "bob@y.org"}),
        ("联系ann@example.com。", EMAIL, {"ann@example.com", "联系ann@example.com"}),
        ("https://x.com/Foo_(bar) (text)", URI, {"https://x.com/Foo_(bar)"}),
        ("(see http://x.com/a). Link:http://y.org", URI, {"http://x.com/a", "http://y.org"}),
        ("<a href='mailto:ann@example.com'>", URI, {"mailto:ann@example.com"}),
        (f"request_id={ID};", UUID, {ID}),
        ("ip=10.0.0.1:80, v1.2.3.4.5", IPV4, {"10.0.0.1"}),
        ("[fe80::1]:80, at 10:20", IPV6, {"fe80::1"}),
        ("kr 1 299:-, 25,\u2013 \u20ac", WHOLE, {1299, 25}),
        ("1,5 Md€, 2 Mds\u00a0€", WHOLE, {1500000000, 2000000000}),
        ("\u2212 45,00 €, ($45), 7,00 €-", NUMBER, {-45, 45, -7}),
        ("10^6 cells, 10⁻² m, 10 cm", NUMBER, {1000000, 0.01, 10}),
        ("No.5, .5 l", NUMBER, {5, 0.5}),
        ("dix-sept chats, mille deux", WHOLE, None),
        ("hunderteins, 4", WHOLE, None),
        ("half a million, 3", WHOLE, None),
        ("zero defects in 12", WHOLE, None),
        ("двадцать пять, 7", WHOLE, None),
        ("dwadzieścia pięć, 7", WHOLE, None),
        ("二十五, 7", WHOLE, None),
        ("¾ cup, ½ tsp, 1 ½ l, 1,000½ m", NUMBER, {0.75, 0.5, 1.5, 1000.5}),
        ("3/4 inch, 1 1/2 cups, 2-1/2 inch, 3\u20448\u2033", NUMBER, {0.75, 1.5, 2.5, 0.375}),
        ("1/2 in., -½ point, ½ million", NUMBER, {0.5, -0.5, 500000}),
        ("2/3 cup", NUMBER, {0.6667}),
        ("1/3 inch, 1 1/3 cups, ⅔ tsp", NUMBER, {0.3333, 1.3333, 0.6667}),
        ("5/16 inch, ⅛ Zoll", NUMBER, {0.3125, 0.125}),
        ("加1/3杯水", NUMBER, {0.3333}),
        ("ZIP 01067 Dresden", WHOLE, {1067}),
        ("Net loss (139,624)", WHOLE, {-139624}),
        ("Net result (139,624)", WHOLE, {-139624}),
        ("Election results (139,624)", WHOLE, {139624, -139624}),
        ("Revenue | 1,200,000\nOther (1,234) | (99,000)", WHOLE, {1200000, -1234, -99000}),
        ("$ in thousands: costs (1.234.567)", WHOLE, {-1234567}),
        ("净亏损 (139,624)", WHOLE, {-139624}),
        ("当期純損失（円） (1,234)", WHOLE, {-1234}),  # noqa: RUF001
        ("Umsatz 12, Verlust (12.345,67)", NUMBER, {12, -12345.67}),
        ("Springfield (139,624)", WHOLE, {139624, -139624}),
        ("Note (12), costs", WHOLE, {12}),
        ("12.345 USD", NUMBER, {12.345, 12345}),
        ("on 3/4, 1/2 in stock", NUMBER, {0.75, 3, 4, 0.5, 1, 2}),
        ("3/4/2024, 24/7, 16/9, A4/B5", NUMBER, {3, 4, 2024, 24, 7, 16, 9, 5}),
        ("60 km/2h, 12/345-A, 12-3/5-B, 03/04 inch", NUMBER, {60, 2, 12, 345, 3, 5, 4}),
        ("x½", NUMBER, None),
        ("2024 年 5 月 31 日, 2024년 5월 30일", DATE, {"2024-05-31", "2024-05-30"}),
        ("05 / 31 / 2024", DATE, {"2024-05-31"}),
        ("29-31 May 2024", DATE, {"2024-05-29", "2024-05-31"}),
        ("vom 29. bis 31.5.2024", DATE, {"2024-05-29", "2024-05-31"}),
        ("二〇二四年五月三十一日", DATE, {"2024-05-31"}),
        ("二〇二四年二月三十日", DATE, {None}),
        ("令和6年5月31日", DATE, {"2024-05-31"}),
        ("6 พฤษภาคม 2567", DATE, {"2024-05-06", "2567-05-06"}),
        ("6 مايو 2024, 7 במאי 2024", DATE, {"2024-05-06", "2024-05-07"}),
        ("6 كانون الثاني 2024", DATE, None),
        ("会议在2024年5月6日下午3点", MOMENT, {"2024-05-06T15:00:00", "2024-05-06T00:00:00"}),
        ("29.02.23, 31/04/2024", DATE, {None}),
        ("15時30分, 下午3点半, 오전 12시", TIME, {"15:30:00", "00:00:00"}),
        ("三点", TIME, None),
        ("บ่าย 3 โมง", TIME, None),
        ("31 мая 2024", DATE, {"2024-05-31"}),
        ("31 maja 2024", DATE, {"2024-05-31"}),
        ("toukokuu 31, 2024", DATE, None),
        ("31May2024", DATE, None),
        ("by 25.04.2025, meter 1ESY88", DATE, {"2025-04-25"}),
        ("260 from 2027, NL02 ABNA 0123, Dam 40, 3012 EL", DATE, set()),
        ("2024-05-31T09:30-05:00", MOMENT, {"2024-05-31T09:30:00-05:00", MIDNIGHT}),
        ("2024-05-31 09:30:00.123456789Z", MOMENT, {"2024-05-31T09:30:00.123456789Z", MIDNIGHT}),
        ("20240531T093000Z", MOMENT, None),
        ("31/May/2024:09:30:00 +0200", MOMENT, None),
        ("31 May 2024 09:30 Europe/Berlin", MOMENT, None),
        ("31 May 2024, 09:30 (Berlin time)", MOMENT, None),
        ("31 May 2024 1830 hrs", MOMENT, None),
        ("at noon, or 9:30", TIME, None),
        ("9 Uhr 30", TIME, {"09:30:00", "09:00:00"}),
        ("'a@x.com', `b@y.org`", EMAIL, {"'a@x.com", "a@x.com", "`b@y.org", "b@y.org"}),
        ("a@x.com|b@y.org", EMAIL, {"a@x.com", "|b@y.org", "b@y.org"}),
        ("1.https://x.com/a,https://x.com/b", URI, {"https://x.com/a", "https://x.com/b"}),
        ("https://x.com/b;http://y.org", URI, {"https://x.com/b", "http://y.org"}),
        (f"run-{ID}_v2", UUID, {ID}),
        ("host a.example", Attribute("a", format="hostname"), None),
        ("1.2 mn EUR, $5MM, 4m", NUMBER, {1200000, 5000000, 4}),
        ("cable 5 m €3, 7M€", NUMBER, {5, 5000000, 3, 7, 7000000}),
        ("1,5 mill. kr, USD 2.5 trillion, $1.5tn", NUMBER, {1500000, 2.5e12, 1.5e12}),
        ("1.5M views", NUMBER, {1.5, 1500000}),
        ("minus 5 °C", NUMBER, {5, -5}),
        ("minus five", NUMBER, None),
        ("3 hundred", NUMBER, None),
        ("¥1億2000万", NUMBER, None),
        ("2024. 5. 31., 2024. 06. 01", DATE, {"2024-05-31", "2024-06-01"}),
        ("24-05-31", DATE, {"2031-05-24", "1931-05-24", "2024-05-31", "1924-05-31"}),
        ("2024. május 31-én", DATE, {"2024-05-31"}),
        ("１２，８００円、３个, １．５ kg", NUMBER, {12800, 12.8, 3, 1.5}),  # noqa: RUF001
        ("３，５", WHOLE, {3, 5}),  # noqa: RUF001
        ("2 lac, Rs. 1.5 Cr", NUMBER, {2, 200000, 1.5, 15000000}),
        ("25 TEUR", NUMBER, None),
        ("₹5L", NUMBER, None),
        ("the third floor, the second week, 7 cats", Attribute("floor", "integer"), {3, 7}),
        ("im zweiten Stock", Attribute("Stock", "integer"), {2}),
        ("a '98 car, 5'10, '12'", WHOLE, {98, 1998, 5, 10, 12}),
        ("35 %, 4 left", Attribute("share", "number", maximum=1), {0.35, None}),
        ("35 %, 4 left", Attribute("share", "number", maximum=100), {35, 4}),
        ("+49 30 123456, 2 rooms", Attribute("phone", "integer"), {4930123456, 2}),
        ("6.02E23 or 1.67e-27", NUMBER, {6.02e23, 602 * 10**21, 1.67e-27}),
        ("2025\u20118\u20115, 6\u202faoût\u202f2025", DATE, {"2025-08-05", "2025-08-06"}),
        ("19 Ağustos 2025, 20 KASIM 2025", DATE, {"2025-08-19", "2025-11-20"}),
        ("3 października 2025, 4. července 2025", DATE, {"2025-10-03", "2025-07-04"}),
        ("5. listopada 2025", DATE, None),
        ("5 Μαΐου 2025, 23 листопада 2025", DATE, {"2025-05-05", "2025-11-23"}),
        ("2025. augusztus 20., 1. joulukuuta 2025", DATE, {"2025-08-20", "2025-12-01"}),
        ("21 augusti 2025, 5 Agustus 2025", DATE, {"2025-08-21", "2025-08-05"}),
        ("the fifth of August, 2025", DATE, None),
        ("二〇二五年八月五日", DATE, {"2025-08-05"}),
        ("am 5.8. um 10 Uhr (2025)", DATE, None),
        ("on 08/05 (2025)", DATE, None),
        ("05 08 2025", DATE, None),
        ("8:30\u202fPM, 9:15\u00a0a. m.", TIME, {"20:30:00", "09:15:00"}),
        ("14-16 Uhr", TIME, {"14:00:00", "16:00:00"}),
        ("2–4:30 p.m.", TIME, {"14:00:00", "16:30:00"}),  # noqa: RUF001
        ("11 to 1 pm, 11-1am", TIME, {"11:00:00", "13:00:00", "23:00:00", "01:00:00"}),
        ("2pm-4:30", TIME, {"14:00:00", "16:30:00"}),
        ("下午2点到4点, 晚上10点到2点", TIME, {"14:00:00", "16:00:00", "22:00:00", "02:00:00"}),
        ("１４：３０", TIME, {"14:30:00"}),  # noqa: RUF001
        ("a las 8:30 de la tarde", TIME, None),
        ("departs 0830", TIME, None),
        ("Let us meet at 8.", TIME, None),
        ("a\u00adnn@x.com", EMAIL, {"ann@x.com"}),
        ("31.V.2024", DATE, None),
        # What is not allowed is rejected, and not replaced by something else.
        ("4.5 l, 3 cups", WHOLE, {None, 3}),
        ("open 8:00 to 25:30", TIME, {None, "08:00:00"}),
        ("31.02.2024, 15.03.2024", DATE, {None, "2024-03-15"}),
        ("from 10.0.0.300 to 10.0.0.1", IPV4, {None, "10.0.0.1"}),
        (
            "16 h 30, 8 h 15 à 12 h",
            TIME,
            {f"{t}:00" for t in ("16:30", "16:00", "08:15", "08:00", "12:00")},
        ),
        ("31 May 2024, 9:30 (UTC+5:30)", MOMENT, {"2024-05-31T09:30:00+05:30", MIDNIGHT}),
        ("31 May 2024, 9:30 UTC +02:00", MOMENT, {"2024-05-31T09:30:00+02:00", MIDNIGHT}),
        ("31 May 2024, 9:30 (GMT-3)", MOMENT, {"2024-05-31T09:30:00-03:00", MIDNIGHT}),
        ("this 3rd day of February, 2021", DATE, {"2021-02-03"}),
        ("12 May, 7", Attribute("a"), None),
        ("12 May, 7", Attribute("a", "boolean"), None),
    ],
)
def test_what_a_document_states(document, attribute, values):
    assert stated(document, attribute) == values


def test_a_number_has_all_forms_that_models_write():
    assert StatedValues("15 or 49.9").texts_for(NUMBER) == [
        "15", "15.0", "15.00", "49.9", "49.90",
    ]  # fmt: skip
    assert StatedValues("ZIP 01067, 0.5").texts_for(WHOLE) == ["0.5", "0.50", "01067", "1067"]


@pytest.mark.parametrize(
    ("document", "copy", "value"),
    [
        ("Net loss (1,234)", "1234", -1234),
        ("Saldo 310,20-", "310.2", -310.2),
        ("Bolt 5/8 inch", "5", 0.625),
        ("Sift 2 1/4 cups", "2", 2.25),
    ],
)
def test_a_copy_of_a_number_is_allowed_if_the_rest_of_it_is_restored(document, copy, value):
    assert copy in StatedValues(document).texts_for(NUMBER)
    assert parse_value(copy, NUMBER, document).value == value
    positive = Attribute("a", "number", minimum=0)
    assert (copy in StatedValues(document).texts_for(positive)) == (value > 0)


@given(st.integers(-(10**9), 10**9), st.sampled_from(["{:d}", "{:,d}", "{:_d}"]))
def test_a_whole_number_is_stated_however_it_is_written(number, shape):
    for thousands in (",", ".", "'", " "):
        document = f"a {shape.format(number).replace('_', ',').replace(',', thousands)} b"
        assert number in (stated(document, WHOLE) or ()), document


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_day_is_stated_however_it_is_written(day):
    for form in ("%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d", "%d-%b-%Y"):
        document = f"on {day.strftime(form)}, then"
        assert day.isoformat() in (stated(document, DATE) or ()), document


@given(
    st.lists(
        st.one_of(
            st.integers(0, 10**7).map("{:,}".format),
            st.decimals(0, 9999, places=2).map(str),
            st.dates().map(lambda day: day.strftime("%d %B %Y")),
            st.sampled_from(["two", "3k", "-4", "1.2 million", "10 200", "1,2,3", "and", "v1.2.3"]),
        ),
        max_size=6,
    ).map("; ".join)
)
def test_all_that_is_stated_has_its_place(document):
    for attribute in (WHOLE, NUMBER, DATE):
        for value in (stated(document, attribute) or set()) - {None}:
            assert best_span(value, document) is not None, value


@pytest.mark.parametrize(
    ("document", "choices", "found"),
    [
        ("MOT: FAIL, see below", ("pass", "fail"), ("fail",)),
        ("a gran reserva", ("joven", "reserva", "gran reserva"), ("gran reserva",)),
        ("He sings bass in the choir", ("soprano", "tenor", "bass"), ("bass",)),
        ("wind from NW", ("N", "NW", "W"), ("NW",)),
        ("a gran\n  reserva", ("joven", "gran reserva"), ("gran reserva",)),
        ("Like new, hardly used", ("new", "like_new", "used"), ("like_new", "used")),
        ("gran reserva, or reserva", ("reserva", "gran reserva"), ("reserva", "gran reserva")),
        # Another choice may be meant.
        ("part of it full-time", ("full-time", "part-time"), ()),
        ("not paid", ("paid", "unpaid"), ()),
        ("a reserva", ("reserva", "gran reserva"), ()),
        ("premium guest, level 2", (1, 2, "premium"), ()),
        ("failure", ("pass", "fail"), ()),
        ("nothing", ("pass", "fail"), ()),
        # It may be there by chance.
        ("no dogs; parking is free", ("yes", "no"), ()),
        ("A dog", ("A", "B"), ()),
        ("grade 3", (3, 4), ()),
    ],
)
def test_choices_that_are_words_of_the_document(document, choices, found):
    assert StatedValues(document).choices_of(Attribute("a", "enum", choices=choices)) == found
