"""Spans: offsets are those of the original text, and the text is what the match kind says."""

import subprocess
import sys
from datetime import date

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from rapidfuzz import fuzz

import hostile_documents
import strategies
from grounding import best_span, best_spans
from hpd.values.grounding import FUZZY_THRESHOLD, Grounder, normalize, normalized_text
from hpd.values.numbers import times_in
from hpd.values.windows import Span
from hpd.values.words import extends_previous


def found(value, document):
    span = best_span(value, document)
    return None if span is None else (span.match, document[span.start : span.end])


@pytest.mark.parametrize(
    ("value", "document", "expected"),
    [
        ("Nike", "A Nike shoe", ("exact", "Nike")),
        (" Nike ", "A Nike shoe", ("exact", "Nike")),
        ("nike", "A NIKE shoe", ("normalized", "NIKE")),
        ("red", "Redmond hundred, RED", ("normalized", "RED")),
        ("red", "hundred, red", ("exact", "red")),
        ("waterproof", "Waterproofing, waterproofed", ("exact", "waterproof")),
        ("500", "500ml", ("exact", "500")),
        ("5", "15 or 55", None),
        ("12", "in 2012", None),
        ("high top", "High-Top", ("fuzzy", "High-Top")),
        ("High-Top", "High\u2011top", ("normalized", "High\u2011top")),
        ("a  b", "x a \n\t b", ("normalized", "a \n\t b")),
        ('it\'s "so"', "it\u2019s \u201cso\u201d!", ("normalized", "it\u2019s \u201cso\u201d")),
        ("straße", "die STRASSE", ("normalized", "STRASSE")),
        ("café", "le cafe\u0301 noir", ("normalized", "cafe\u0301")),
        ("cafe\u0301", "le café noir", ("normalized", "café")),
        ("cafe", "le cafe\u0301", None),
        ("fine", "a ﬁne day", ("normalized", "ﬁne")),
        ("if", "ﬂ ﬁ", None),
        ("\uff4e\uff49\uff4b\uff45", "Nike", ("normalized", "Nike")),
        ("softhyphen", "soft\u00adhyphen", ("normalized", "soft\u00adhyphen")),
        ("日本", "これは日本語です", ("exact", "日本")),
        ("ガ", "ｶﾞ", ("normalized", "ｶﾞ")),
        ("각", "\u1100\u1161\u11a8", ("normalized", "\u1100\u1161\u11a8")),
        ("👍", "ok 👍🏽", None),
        ("👍🏽", "ok 👍🏽!", ("exact", "👍🏽")),
        ("👩", "👩\u200d👩\u200d👧", None),
        ("after", "😀😀 after", ("exact", "after")),
        ("Exposure sneaker", "Exposure Sneakers", ("normalized", "Exposure Sneaker")),
        ("colour", "color", ("fuzzy", "color")),
        ("Vario-Scope 3", "the Vario-\nScope 3, new", ("fuzzy", "Vario-\nScope 3")),
        ("Nike", "Adidas", None),
        ("model 1298", "model 1299", None),
        ("", "x", None),
        ("x", "", None),
        (None, "None", None),
        (True, "it is True", ("normalized", "True")),
        (False, "it is so", None),
        ([1], "[1]", None),
        (1299.0, "for 1,299.00 EUR", ("normalized", "1,299.00")),
        (1299.0, "für 1.299,00 €", ("normalized", "1.299,00")),
        (1299, "1 299 kr", ("normalized", "1 299")),
        (1299, "12 1299 kr", ("exact", "1299")),
        (1299, "1&nbsp;299 kr", ("normalized", "1&nbsp;299")),
        ("1 299 kr", "for 1&#160;299 kr", ("normalized", "1&#160;299 kr")),
        (12.5, "12,5 oz or 12.5 oz", ("exact", "12.5")),
        (12.5, "12,50 oz", ("normalized", "12,50")),
        (0.5, "about .5 kg", ("normalized", ".5")),
        (2, "v1.2.3 and 12", None),
        (10, "size 10 200 mm", ("exact", "10")),
        (3, "1,2,3", ("exact", "3")),
        (91, "91,400 km", None),
        (91, "91,400 km, not 91", ("exact", "91")),
        (22, "22,50 EUR", None),
        (299, "1,299,000", None),
        (-4, "at -4 degrees", ("exact", "-4")),
        (-4, "at \u22124 degrees", ("normalized", "\u22124")),
        (-4, "4", None),
        (7, "5-7 years", ("exact", "7")),
        (1299, "12,99", None),
        ("2024-01-02", "on 2024-01-02", ("exact", "2024-01-02")),
        ("2024-01-02", "on 2 January 2024.", ("normalized", "2 January 2024")),
        ("2024-01-02", "on Jan. 2nd, 2024", ("normalized", "Jan. 2nd, 2024")),
        ("2024-01-02", "on the 2nd of january 2024", ("normalized", "2nd of january 2024")),
        ("2024-01-02", "02/01/2024", ("normalized", "02/01/2024")),
        ("2024-01-02", "1/2/24", ("normalized", "1/2/24")),
        ("2024-01-02", "2.1.2024", ("normalized", "2.1.2024")),
        ("2024-01-02", "2024年1月2日", ("normalized", "2024年1月2日")),
        ("2024-01-02", "12 January 2024, 12/01/2024", None),
        ("2024-01-02T00:00:00", "2 January 2024", ("normalized", "2 January 2024")),
        ("2024-01-02T15:30:00", "2 Jan 2024 at 3:30 pm", ("normalized", "2 Jan 2024 at 3:30 pm")),
        ("2024-01-02T15:30:00", "2024-01-02 15:30", ("normalized", "2024-01-02 15:30")),
        ("2024-01-02T15:30:00", "2 January 2024", None),
        ("2024-05-06", "会议在2024年5月6日下午3点", ("normalized", "2024年5月6日")),
        ("2024-05-06", "会議は2024/05/06です", ("normalized", "2024/05/06")),
        ("2024-05-06", "회의는 2024년 5월 6일까지", ("normalized", "2024년 5월 6일")),
        ("2024-05-06", "令和6年5月6日に開催", ("normalized", "令和6年5月6日")),
        ("2019-05-06", "令和元年5月6日", ("normalized", "令和元年5月6日")),
        (
            "2024-05-06",
            "签订日期\uff1a二\u3007二四年五月六日",
            ("normalized", "二〇二四年五月六日"),
        ),
        ("2024-11-21", "二零二四年十一月二十一日", ("normalized", "二零二四年十一月二十一日")),
        ("2024-10-10", "二〇二四年十月十日生效", ("normalized", "二〇二四年十月十日")),
        ("2024-10-30", "二〇二四年十月十日, 二〇二四年十十月三日", None),
        ("2024-08-15", "१५ अगस्त २०२४ को", ("normalized", "१५ अगस्त २०२४")),
        ("2024-12-01", "1 दिसंबर 2024", ("normalized", "1 दिसंबर 2024")),
        ("2024-05-06", "民國113年5月6日", ("normalized", "民國113年5月6日")),
        ("2024-05-06", "２０２４年５月６日", ("normalized", "２０２４年５月６日")),
        ("2024-05-06", "วันที่ 6 พฤษภาคม 2567 เวลา", ("normalized", "6 พฤษภาคม 2567")),
        ("2024-06-06", "6 มิ.ย. 2567", ("normalized", "6 มิ.ย. 2567")),
        ("2024-02-06", "6 กุมภาพันธ์ พ.ศ. 2567", ("normalized", "6 กุมภาพันธ์ พ.ศ. 2567")),
        ("2024-05-06", "في 6 مايو 2024", ("normalized", "6 مايو 2024")),
        ("2024-05-06", "في ٦ مايو ٢٠٢٤", ("normalized", "٦ مايو ٢٠٢٤")),
        ("2024-05-06", "ב-6 במאי 2024", ("normalized", "6 במאי 2024")),
        ("2024-05-06T15:00:00", "在2024年5月6日下午3点", ("normalized", "2024年5月6日下午3点")),
        ("2024-05-06T14:30:00", "2024年5月6日(月) 14:30", ("normalized", "2024年5月6日(月) 14:30")),
        (
            "2024-05-06T15:30:00",
            "2024년 5월 6일 오후 3시 30분",
            ("normalized", "2024년 5월 6일 오후 3시 30분"),
        ),
        ("09:30:00", "um 09:30 Uhr", ("normalized", "09:30 Uhr")),
        ("09:30:00", "ab 9.30 Uhr", ("normalized", "9.30 Uhr")),
        ("18:00:00", "open 09:00 to 6 pm", ("normalized", "6 pm")),
        ("09:00:00", "9h-18h", ("normalized", "9h")),
        ("15:30:00", "下午3点半开始", ("normalized", "下午3点半")),
        ("15:15:00", "午後3時15分", ("normalized", "午後3時15分")),
        ("15:30:00", "오후 3시 30분", ("normalized", "오후 3시 30분")),
        ("15:30:00", "الساعة ٣:٣٠ مساءً", ("normalized", "٣:٣٠ مساءً")),
        ("14:30:00", "เวลา 14.30 น.", ("normalized", "14.30")),
        ("14:30:00", "בשעה 14:30", ("normalized", "14:30")),
        ("09:30:00Z", "at 09:30 UTC", ("normalized", "09:30 UTC")),
        ("09:30:00+02:00", "at 09:30", ("normalized", "09:30")),
        ("09:30:00+02:00", "at 09:30 UTC", None),
        ("09:30:00", "at 10:30", None),
        ("03:00:00", "3小时, 3時間, 3시간", None),
        (
            "DE89370400440532013000",
            "IBAN: DE89 3704 0044 0532 0130 00, BIC",
            ("normalized", "DE89 3704 0044 0532 0130 00"),
        ),
        (
            "DE89 3704 0044 0532 0130 00",
            "DE89370400440532013000",
            ("normalized", "DE89370400440532013000"),
        ),
        ("+493012345678", "Tel. +49 30 1234-5678.", ("normalized", "49 30 1234-5678")),
        ("10.0.0.12", "Server 10.0.0.1.2 is down.", None),
        ("10.0.0.12", "Server 10. 0. 0. 12 is down.", ("normalized", "10. 0. 0. 12")),
        ("978-3-16-148410-0", "ISBN 9783161484100", ("normalized", "9783161484100")),
        ("9783161484100", "ISBN 978-3-16-148410-0", ("normalized", "978-3-16-148410-0")),
        ("12345678", "Ref: 12 345 678", ("normalized", "12 345 678")),
        ("0012345", "Konto 00 123 45", ("normalized", "00 123 45")),
        (
            "DE89370400440532013000",
            "账号DE89 3704 0044 0532 0130 00。",
            ("normalized", "DE89 3704 0044 0532 0130 00"),
        ),
        ("12345678", "Ref: 12 345 6789", None),
        ("12345678", "Ref: 912 345 678", None),
        ("1234", "12 34", None),
        (12345, "Account 0012345", ("normalized", "0012345")),
        (1067, "ZIP 01067 Dresden", ("normalized", "01067")),
        (0.3333, "1/3 inch", ("normalized", "1/3")),
        (0.67, "2/3 cup", ("normalized", "2/3")),
        (0.6666666666666666, "2/3 cup", ("normalized", "2/3")),
        (-139624, "Net loss (139,624)", ("normalized", "(139,624)")),
        (139624, "Net loss (139,624)", None),
        (139624, "Springfield (139,624)", ("normalized", "139,624")),
        ("A1023", "订单号A1023已发货", ("exact", "A1023")),
        ("13800001111", "电话13800001111", ("exact", "13800001111")),
        ("Dupr\u00e9", "Mme Dupre\u0301 est", ("normalized", "Dupre\u0301")),
        ("field name", "field\x1dname", ("normalized", "field\x1dname")),
        ("fieldname", "field\x01name", ("normalized", "field\x01name")),
    ],
)
def test_where_a_value_stands(value, document, expected):
    assert found(value, document) == expected


@pytest.mark.parametrize(
    ("document", "start", "is_stated"),
    [
        ("fe80::1::2 and fe80::1", 15, True),
        ("1::fe80::1, fe80::1.", 12, True),
        ("[fe80::1]:80", 1, True),
        ("fe80::1: up", 0, True),
        ("only fe80::1::2", 5, False),
    ],
)
def test_an_address_is_not_the_start_of_a_longer_one(document, start, is_stated):
    grounder = Grounder(document)
    assert grounder.best_span("fe80::1").start == start
    assert grounder.candidate_spans("fe80::1")[0].start == start
    assert grounder.is_stated("fe80::1") is is_stated


def test_the_best_of_several_places():
    document = "redder red, reds red"
    assert best_span("red", document) == Span(7, 10, "exact")
    assert best_spans("red", document) == [Span(7, 10, "exact"), Span(17, 20, "exact")]
    assert best_spans("5", "5, 15, 5") == [Span(0, 1, "exact"), Span(7, 8, "exact")]
    assert [s.start for s in best_spans(5, "5, 15, 5")] == [0, 7]
    assert [s.match for s in best_spans("RED", document)] == ["normalized", "normalized"]
    assert best_spans("blue", document) == []


def test_values_from_a_fixed_set_are_not_guessed():
    assert best_span("colour", "color", fuzzy=False) is None
    assert best_span("Color", "color", fuzzy=False) == Span(0, 5, "normalized")


@pytest.mark.parametrize(
    ("choice", "document", "words"),
    [
        ("OUT_OF_STOCK", "It is out of stock.", "out of stock"),
        ("pay-as-you-go", "Plan: Pay As You Go", "Pay As You Go"),
        ("InProgress", "still in progress, it says", "in progress"),
        ("in stock", "status=in_stock", "in_stock"),
        ("tres_bon", "en très bon état", "très bon"),
        ("expres", "livraison exprès", "exprès"),
        ("NOT_STARTED", "It has started.", None),
        ("air_con", "air, con", "air, con"),
        ("A_1", "a 1", None),
        ("pat@ferry.example", "Reply to pat@@ferry.example", None),
        ("build.server", "Hostname: build server!", None),
    ],
)
def test_a_choice_is_stated_by_its_words(choice, document, words):
    span = best_span(choice, document, fuzzy=False)
    assert (span and document[span.start : span.end]) == words
    assert Grounder(document).is_stated(choice) == (words is not None)


@pytest.mark.parametrize(
    ("value", "document", "words"),
    [
        (12800, "価格：１２，８００円", "１２，８００"),  # noqa: RUF001
        (3, "on the third floor", "third"),
        (1998, "a '98 car", "'98"),
        (0.35, "a share of 35 %", "35"),
        ("2024-03-14", "от 14 марта 2024 года", "14 марта 2024"),
        ("2025-10-03", "dnia 3 października 2025 r.", "3 października 2025"),
        ("20:30:00", "at 8:30\u202fPM", "8:30\u202fPM"),
        ("14:00:00", "open 14-16 Uhr", "14"),
        ("14:00:00", "open 2–4:30 p.m.", "2"),  # noqa: RUF001
    ],
)
def test_values_of_other_scripts_and_forms_have_spans(value, document, words):
    span = best_span(value, document)
    assert span
    assert document[span.start : span.end] == words


@pytest.mark.parametrize(
    ("value", "document", "expected"),
    [
        ("EUR", "Le vendeur paie 4.200 €.", None),
        ("USD", "The usdan bag costs $5, or 4usd.", "28:31"),
        ("outdoor", "Seats outdoors only.", "6:13"),
        ("door", "Seats outdoors only.", None),
        (True, "We construe it so.", None),
        ("红色", "一件红色外套", "2:4"),
    ],
)
def test_a_choice_is_stated_by_a_word_or_its_beginning(value, document, expected):
    span = best_span(value, document, fuzzy=False)
    assert (span and f"{span.start}:{span.end}") == expected


@given(st.lists(strategies.words, min_size=1, max_size=8), st.data())
def test_words_of_the_document_are_found(words, data):
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    document, value = " ".join(words), " ".join(words[first : last + 1]).strip()
    # An accent at the beginning would belong to the blank before it.
    assume(not extends_previous(value[0]) and not value.endswith("\u200d"))
    spans = best_spans(value, document)
    assert spans
    for span in spans:
        check(span, value, document)
        assert span.match == "exact"
    assert any(is_whole(document, span.start, span.end) for span in spans)
    assert best_span(value, document) == spans[0]


def is_whole(document, start, end):
    """Whether a blank or an end of the document is on either side."""
    before, after = document[:start][-1:], document[end:][:1]
    return (not before or before.isspace()) and (not after or after.isspace())


@example("ba a a", "a a")
@given(st.text(st.sampled_from("ab1 .")), st.text(st.sampled_from("ab1 ."), min_size=1, max_size=3))
def test_exact_places_are_those_of_the_obvious_way(document, value):
    # A run of blanks would make a place that is only normalized.
    value, document = (" ".join(text.split()) for text in (value, document))
    assume(value)
    whole, parts = [], []
    for start in range(len(document)):
        end = start + len(value)
        if document[start:end] != value:
            continue
        if cuts_a_number(document, start) or cuts_a_number(document, end):
            continue
        is_part = cuts_a_word(document, start) or cuts_a_word(document, end)
        (parts if is_part else whole).append(Span(start, end, "exact"))
    assert best_spans(value, document) == apart(whole or parts)


def cuts_a_number(document, at):
    return document[:at][-1:].isdigit() and document[at:][:1].isdigit()


def cuts_a_word(document, at):
    return document[:at][-1:].isalpha() and document[at:][:1].isalpha()


def apart(spans):
    """From left to right, those that do not overlap the one before."""
    kept = []
    for span in spans:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


@given(
    st.one_of(strategies.words, st.sampled_from(["fi", "cafe", "각", "👍", "ss", "1299"])),
    strategies.documents,
)
def test_the_text_of_a_span_is_what_its_match_says(value, document):
    span = best_span(value, document)
    spans = best_spans(value, document)
    assert (span is None) == (not spans)
    if span is not None:
        check(span, value, document)
        assert span in spans
    for other in spans:
        check(other, value, document)
    if value.strip() == value and f" {value} " in f" {document} " and value[0].isascii():
        assert span is not None


def check(span, value, document):
    """The promise of each kind of match."""
    assert 0 <= span.start < span.end <= len(document)
    text = document[span.start : span.end]
    if span.match == "exact":
        assert text == value.strip()
    elif span.match == "normalized":
        assert normalized_text(text) == normalized_text(value)
    else:
        assert span.match == "fuzzy"
        score = fuzz.ratio(normalized_text(value), normalized_text(text))
        assert score == pytest.approx(span.score)
        assert score >= FUZZY_THRESHOLD


@given(strategies.documents)
def test_normalized_text_leads_back(document):
    normal = normalize(document)
    assert len(normal.text) == len(normal.starts) == len(normal.ends)
    assert normal.starts == sorted(normal.starts)
    assert normal.ends == sorted(normal.ends)
    assert normalized_text(normal.text) == normal.text
    for start, end in zip(normal.starts, normal.ends, strict=True):
        assert 0 <= start < end <= len(document)


@given(st.one_of(st.integers(-(10**6), 10**6), st.decimals(-9999, 9999, places=2).map(float)))
def test_numbers_are_found_however_they_are_written(number):
    shapes = [f"{number}", f"{number:,}", f"{number:,}".translate(str.maketrans(",.", ".,"))]
    for shape in shapes:
        document = f"a {shape} b"
        assert found(number, document) is not None, document
        span = best_span(number, document)
        assert document[span.start : span.end] == shape


@pytest.mark.parametrize(
    "document",
    [
        "12-14 May 2024",
        "12th to 14th May 2024",
        "May 12-14, 2024",
        "May 12 to 14, 2024",
        "12.05.2024-14.05.2024",
        "5/12/2024-5/14/2024",
        "12.-14. Mai 2024",
        "12.-14.05.2024",
        "vom 12.5. bis 14.5.2024",
        "12/05-14/05/2024",
        "du 12 au 14 mai 2024",
        "del 12 al 14 de mayo de 2024",
        "2024/05/12-2024/05/14",
        "2024-05-12/2024-05-14",
    ],
)
def test_both_days_of_a_range_are_stated(document):
    grounder = Grounder(f"Fair ({document}), hall 3")
    assert grounder.is_stated("2024-05-12")
    assert grounder.is_stated("2024-05-14")
    assert not grounder.is_stated("2024-05-13")


@pytest.mark.parametrize(
    "document",
    ["12-14", "pages 12-14 (2024)", "tel. 12-14.05.2024.7", "INV-2024-05-12-A"],
)
def test_other_numbers_beside_a_dash_are_no_days(document):
    assert not Grounder(document).is_stated("2024-05-12")


@pytest.mark.parametrize(
    ("document", "first", "last"),
    [
        ("30.12.-02.01.2025", "2024-12-30", "2025-01-02"),
        ("30.-2.5.2024", "2024-04-30", "2024-05-02"),
        ("2024: May 1-3, 10 am", "2024-05-01", "2024-05-03"),
    ],
)
def test_a_range_begins_before_it_ends(document, first, last):
    grounder = Grounder(document)
    assert grounder.is_stated(first)
    assert grounder.is_stated(last)


def test_each_time_of_a_range_is_found_once():
    assert [clock.times for clock in times_in("14:00-16:00, 17-18 Uhr")] == [
        {"14:00:00"},
        {"16:00:00"},
        {"17:00:00"},
        {"18:00:00"},
    ]


def test_both_times_of_a_range_are_stated():
    grounder = Grounder("Lecture 08:15-09:45")
    assert grounder.is_stated("08:15:00")
    assert grounder.is_stated("09:45:00")
    assert not grounder.is_stated("08:09:00")


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_days_are_found_however_they_are_written(day):
    for shape in (
        day.strftime("%d %B %Y"),
        day.strftime("%B %d, %Y"),
        day.strftime("%d.%m.%Y"),
        day.strftime("%m/%d/%y" if day.year < 2060 else "%m/%d/%Y"),
        day.strftime("%d-%b-%Y"),
        day.strftime("%Y/%m/%d"),
    ):
        assert found(day.isoformat(), f"on {shape}, then") == ("normalized", shape)


def test_no_document_takes_the_square_of_its_length():
    program = [sys.executable, hostile_documents.__file__]
    done = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=False)
    searched = done.stdout.splitlines()
    assert done.returncode == 0, f"still searching: {searched[-1:]}"
    assert len(searched) == len(hostile_documents.CASES)
