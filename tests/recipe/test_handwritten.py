"""The handwritten documents: read, checked, drawn, and some of them never."""

from random import Random

import pytest

from hpd.schema.attributes import Attribute
from recipe.handwritten import (
    Handwritten,
    HandwrittenError,
    documents,
    example,
    make_handwritten,
    read_file,
)
from recipe.handwritten.check import problems_of

FINE = """\
=== parking-fine
NOTICE 8831-F, observed 14/03/2025 in Castle Street by officers
A. Rao and T. Lind.

---
notice number / pcn: its number = 8831-F
observed (date) = 2025-03-14
street = Castle Street || in Castle Street
paid (bool) =
kind ([parking|bus lane]) = parking
officers ([str]) = A. Rao ; T. Lind
witnesses ([str]) =
lines ([{text, amount number}]) = [{"text": "NOTICE", "amount": null}]
"""


def read(tmp_path, text):
    file = tmp_path / "fines.txt"
    file.write_text(text, encoding="utf-8")
    return list(read_file(file))


def test_a_document_has_questions_with_names_types_and_answers(tmp_path):
    (document,) = read(tmp_path, FINE)
    assert document.name == "fines/parking-fine"
    assert document.text == FINE.partition("\n")[2].partition("\n\n---")[0]
    first, observed, street, *_ = document.questions
    assert [each.name for each in first.attributes] == ["notice number", "pcn"]
    assert first.attributes[1] == Attribute("pcn", description="its number")
    assert observed.attributes == (Attribute("observed", "date"),)
    assert street.golds == ("Castle Street", "in Castle Street")
    assert document.answer == {
        "notice number": "8831-F",
        "observed": "2025-03-14",
        "street": ["Castle Street", "in Castle Street"],
        "paid": None,
        "kind": "parking",
        "officers": ["A. Rao", "T. Lind"],
        "witnesses": [],
        "lines": [{"text": "NOTICE", "amount": None}],
    }
    assert not list(problems_of(document))


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("---", "--", "there is no line of dashes"),
        ("paid (bool) =", "paid (bool)", "is no question"),
        ("paid (bool)", "paid (maybe)", "'maybe' is not a type"),
        ("paid (bool) =", "paid (bool) = perhaps", "Expecting value"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, before, after, problem):
    with pytest.raises(HandwrittenError, match=r"fines.txt: parking-fine.*" + problem):
        read(tmp_path, FINE.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("8831-F\nobs", "8831\nobs", None),
        ("8831-F\nobs", "8831-G\nobs", None),  # What has a description may be in another form.
        ("|| in Castle", "|| on Castle", "street: 'on Castle Street' is not in the text"),
        ("2025-03-14", "14/03/2025", "observed: '14/03/2025': "),
        ("= parking\n", "= tram\n", "kind: 'tram': "),
        ("T. Lind\nwit", "T. Lindt\nwit", "officers: 'T. Lindt' is not in the text"),
        ('"amount": null', '"sum": null', "lines: it has "),
    ],
)
def test_an_answer_that_cannot_be_right_is_found(tmp_path, before, after, problem):
    assert before in FINE
    (document,) = read(tmp_path, FINE.replace(before, after))
    found = list(problems_of(document))
    assert bool(found) == (problem is not None)
    assert problem is None or found[0].startswith(f"fines/parking-fine: {problem}")


def test_the_answers_of_all_documents_can_be_right():
    every = documents()
    assert len({each.name for each in every}) == len(every) > 1000
    assert not [problem for each in every for problem in problems_of(each)]


def test_a_sixth_is_never_drawn():
    taught, aside = (
        {each.text for each in documents() if each.is_kept_aside == kept} for kept in (False, True)
    )
    assert 0.1 < len(aside) / len(aside | taught) < 0.25
    assert not aside & taught
    rng = Random(1)
    assert {make_handwritten(rng).documents[0] for _ in range(300)} <= taught


def test_a_document_is_asked_under_several_names(tmp_path):
    (document,) = read(tmp_path, FINE)
    assert isinstance(document, Handwritten)
    asked = [example(document, Random(seed)) for seed in range(200)]
    names = {attribute.name for each in asked for attribute in each.schema}
    assert {"notice number", "pcn", "notice_number", "officers"} <= names
    assert {len(each.schema.attributes) for each in asked} == set(range(3, 9))
    for each in asked:
        assert list(each.answers[0]) == [attribute.name for attribute in each.schema]


def test_an_answer_in_another_form_is_never_asked_for_without_its_description(tmp_path):
    text = "=== bell\nIt rings at 8 pm.\n---\ntime: HH:MM = 20:00\nhour: as written = 8 pm\n"
    (document,) = read(tmp_path, text)
    asked = [example(document, Random(seed)) for seed in range(200)]
    described = {(a.name, a.description) for each in asked for a in each.schema}
    assert {(name.lower(), text) for name, text in described} == {
        ("time", "HH:MM"), ("hour", "as written"), ("hour", "")
    }  # fmt: skip
