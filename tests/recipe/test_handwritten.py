"""The handwritten documents: read, checked, written as training rows, and some of them never."""

import json
import os
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from hpd.schema import load_schema
from hpd.schema.attributes import Attribute
from recipe.handwritten import (
    Handwritten,
    HandwrittenError,
    documents,
    export,
    kept_aside,
    read_file,
    taught,
)
from recipe.handwritten.check import problems_of
from recipe.write import line, row, rows
from word_runs import runs

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
lines ([{text, amount float}]) = [{"text": "NOTICE", "amount": null}]
"""

STEP = 1 if "HPD_NIGHTLY" in os.environ else 9
"""One in this many documents is looked at closely."""


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
        ("(date) = 2025-03-14", "(datetime) = 2025-03-14T09:37", "observed: '2025-03-14T09:37': w"),
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
    assert not [problem for each in every[::STEP] for problem in problems_of(each)]


def test_all_are_taught_but_a_sixth():
    learned, aside = ({each.text for each in chosen()} for chosen in (taught, kept_aside))
    assert 0.1 < len(aside) / len(aside | learned) < 0.25
    assert not aside & learned
    whole = (text for text, *_ in rows(seed=1) if text in learned)
    drawn = [*islice(whole, 2 * len(learned))]
    # All of them, before any comes again.
    assert set(drawn[: len(learned)]) == set(drawn[len(learned) :]) == learned


def test_a_document_is_asked_under_several_names(tmp_path):
    (document,) = read(tmp_path, FINE)
    assert isinstance(document, Handwritten)
    asked = [row(document, Random(seed)) for seed in range(200)]
    names = {attribute.name for _, schema, _ in asked for attribute in schema}
    assert {"notice number", "pcn", "notice_number", "officers"} <= names
    assert {len(schema.attributes) for _, schema, _ in asked} == set(range(1, 9))
    for text, schema, answer in asked:
        assert text == document.text
        assert list(answer) == [attribute.name for attribute in schema]


def test_the_data_set_has_each_document_once_with_its_schema_and_answers(capsys):
    export.main()
    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [each["id"] for each in lines] == [each.name for each in documents()]
    tested = {each["id"] for each in lines if each["split"] == "test"}
    assert tested == {each.name for each in kept_aside()}
    for each, document in [*zip(lines, documents(), strict=True)][::STEP]:
        assert load_schema(each["schema"]).attributes == document.schema.attributes
        assert list(each["gold"]) == [attribute.name for attribute in document.schema]


def test_an_answer_in_another_form_is_never_asked_for_without_its_description(tmp_path):
    text = "=== bell\nIt rings at 8 pm.\n---\ntime: HH:MM = 20:00\nhour: as written = 8 pm\n"
    (document,) = read(tmp_path, text)
    asked = [row(document, Random(seed)) for seed in range(200)]
    described = {(a.name, a.description) for _, schema, _ in asked for a in schema}
    assert {(name.lower(), text) for name, text in described} == {
        ("time", "HH:MM"), ("hour", "as written"), ("hour", "")
    }  # fmt: skip


def test_a_line_is_read_as_it_was_meant(tmp_path):
    pytest.importorskip("torch")
    from hpd.training.data import TrainingSource, gold_labels

    made = list(islice(rows(seed=3), 500))
    file = tmp_path / "train.jsonl"
    file.write_text("\n".join(map(line, made)), encoding="utf-8")
    for (text, schema, answer), read_row in zip(
        made, gold_labels(TrainingSource(file), None), strict=True
    ):
        assert read_row.text == text
        assert read_row.schema.attributes == schema.attributes
        assert read_row.answer == answer


@pytest.mark.skipif("HPD_EVAL_DATA" not in os.environ, reason="HPD_EVAL_DATA is not set")
def test_nothing_comes_from_the_evaluation_data():
    """No eight words in a row are in the benchmarks' data, nor three times five words of a row."""
    theirs = []
    for source in Path(os.environ["HPD_EVAL_DATA"]).rglob("*.jsonl"):
        for text in source.read_text(encoding="utf-8").splitlines():
            held = json.loads(text)
            keys = ("input", "input_title", "input_description", "text")
            theirs.append("\n".join(held.get(key) or "" for key in keys))
    assert theirs
    eights = set().union(*map(runs, theirs))
    places = {}
    for number, text in enumerate(theirs):
        for run in runs(text, 5):
            places.setdefault(run, []).append(number)
    for each in documents():
        assert not eights & runs(each.text), each.name
        shared = Counter(n for run in runs(each.text, 5) for n in places.get(run, ()))
        assert max(shared.values(), default=0) < 3, each.name
