"""Attributes that a model proposes, and ``hpd discover``."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.cli import main
from hpd.documents import Document
from hpd.errors import HpdError, InputError
from hpd.evaluation.discovery import (
    N_CHARACTERS,
    Proposal,
    Sample,
    cluster_proposals,
    draw_samples,
    merged_schema,
    proposal_prompt,
    proposal_schema,
    read_proposals,
    sample_text,
)
from hpd.schema import load_schema, load_schemas, to_json_schema
from hpd.values.grammar import answer_grammar
from jsonl import write_lines


def records(n, category=None):
    return [Document(f"{category} {i}", str(i), category) for i in range(n)]


# --- samples ---


@given(st.integers(0, 40), st.integers(1, 5), st.integers(1, 6))
def test_samples_are_full_while_there_are_documents(n, n_samples, size):
    samples = [*draw_samples(records(n), n_samples=n_samples, size=size)]
    texts = [text for sample in samples for text in sample.texts]
    assert len(texts) == len({*texts}) == min(n, n_samples * size)
    assert len(samples) == min(n_samples, -(-n // size))
    assert all(len(sample.texts) == size for sample in samples[:-1])


def test_each_category_has_its_own():
    samples = [*draw_samples(records(3, "a") + records(5, "b"), n_samples=2, size=2)]
    assert [(sample.category, len(sample.texts)) for sample in samples] == [
        ("a", 2), ("a", 1), ("b", 2), ("b", 2),
    ]  # fmt: skip
    assert all(text.startswith(sample.category) for sample in samples for text in sample.texts)


def test_every_document_is_as_likely_as_any_other():
    drawn = Counter(
        text
        for seed in range(600)
        for sample in draw_samples(records(12), n_samples=1, size=4, seed=seed)
        for text in sample.texts
    )
    assert len(drawn) == 12
    assert 150 < min(drawn.values()) <= max(drawn.values()) < 250


def test_a_record_that_cannot_be_read_ends_the_draw():
    broken = Document("", "1", error=InputError("line 1: not JSON"))
    with pytest.raises(InputError, match="line 1"):
        list(draw_samples([broken], n_samples=1, size=1))


# --- the question and its answer ---


def test_a_sample_is_numbered_and_long_documents_are_cut():
    text = sample_text(Sample("", ("first", "x" * (N_CHARACTERS + 5))))
    assert text == f"[1]\nfirst\n\n[2]\n{'x' * N_CHARACTERS}"


def test_the_answer_is_bound_to_a_list_of_attributes():
    grammar = answer_grammar(proposal_schema(3))
    # Of all parts, none may be null, and no list may be empty.
    assert "null" not in grammar
    assert grammar.count('"[" ws v') == 2
    assert '"[" ws (' not in grammar
    assert "at most 3 attributes" in proposal_prompt(3)


def test_proposals_are_read_and_nameless_ones_passed_over():
    data = {
        "attributes": [
            {
                "name": " Frame  Size ",
                "description": "Of it. ",
                "type": "yes or no",
                "values": ["a"],
            },
            {"name": "", "values": ["b"]},
            {"name": "Bare", "type": None, "values": None},
            None,
        ]
    }
    assert [*read_proposals(data)] == [
        Proposal("Frame Size", "Of it.", "boolean", ("a",)),
        Proposal("Bare"),
    ]
    assert [*read_proposals(None)] == []


# --- merging ---


def names(*samples, k=16):
    return [attribute.name for attribute in merged_schema(samples, k)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Color", "Colour"),
        ("Frame sizes", "Size, Frame"),
        ("Max Load", "max load"),
        ("Tag", "Tags"),
    ],
)
def test_spellings_of_a_name_are_joined(one, other):
    assert len(cluster_proposals([[Proposal(one)], [Proposal(other)]])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Weight", "Height"),
        ("Frame Size", "Size"),
        ("Material", "Sole Material"),
        ("Brand", "Band"),
    ],
)
def test_other_names_are_not(one, other):
    assert (
        len(cluster_proposals([[Proposal(one, values=("a",))], [Proposal(other, values=("b",))]]))
        == 2
    )


def test_a_narrower_name_with_the_same_values_is_joined():
    shoe = Proposal("Shoe Size", values=("42", "43", "44 EU"))
    assert len(cluster_proposals([[Proposal("Size", values=("42", "43"))], [shoe]])) == 1
    assert len(cluster_proposals([[Proposal("Size", values=("S", "M"))], [shoe]])) == 2
    assert len(cluster_proposals([[Proposal("Hat", values=("42", "43"))], [shoe]])) == 2


def test_what_more_samples_have_stands_higher():
    first = [Proposal("Rare"), Proposal("Brand"), Proposal("Color")]
    second = [Proposal("color"), Proposal("Brand")]
    third = [Proposal("Brand"), Proposal("Color")]
    assert names(first, second, third) == ["Brand", "Color", "Rare"]
    assert names(first, second, third, k=2) == ["Brand", "Color"]


def test_an_attribute_is_what_most_of_its_proposals_say():
    samples = [
        [Proposal("colour", "", "string", ("Red", "blue"))],
        [Proposal("Color", "The main color.", "string", ("red", "Green"))],
        [Proposal("Color", "Its hue.", "boolean", ("RED",))],
    ]
    (color,) = merged_schema(samples, 16)
    assert (color.name, color.type, color.description) == ("Color", "string", "The main color.")
    assert color.examples == ("Red", "blue", "Green")


@pytest.mark.parametrize(
    ("kind", "values", "becomes"),
    [
        ("number", ("1.5", "2"), "number"), ("number", ("28 cm",), "string"),
        ("integer", ("3", "-4"), "integer"), ("integer", ("3.5",), "string"),
        ("date", ("2024-01-31",), "date"), ("date", ("May",), "string"),
        ("boolean", ("yes",), "boolean"),
    ],
)  # fmt: skip
def test_a_type_that_the_values_do_not_have_is_text(kind, values, becomes):
    (attribute,) = merged_schema([[Proposal("a", "", kind, values)]], 1)
    assert attribute.type == becomes


def test_the_schema_is_ready_for_extract(tmp_path):
    merged = merged_schema([[Proposal("Frame Size", "In words.", "string", ("M", "L"))]], 4)
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(to_json_schema(merged)), encoding="utf-8")
    (read,) = load_schema(str(file))
    assert (read.name, read.description, read.examples) == ("Frame Size", "In words.", ("M", "L"))


TEXTS = ["Diesel sneaker, black", "Nordvik wool coat", "Tavola pan, 28 cm", "Luma lamp, white"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"text": text, "kind": "ab"[i % 2]} for i, text in enumerate(TEXTS)]
    write_lines(tmp_path / "docs.jsonl", *rows)
    return tmp_path


def test_documents_become_a_schema(files, capsys):
    small = ["-k", "2", "--samples", "2", "--sample-size", "2", "--max-tokens", "8", "-t", "1"]
    assert main(["discover", "docs.jsonl", *small]) == 0
    captured = capsys.readouterr()
    schema = json.loads(captured.out)
    assert 1 <= len(schema["properties"]) <= 2
    assert load_schemas(schema)
    assert "2 samples," in captured.err


def test_names_need_not_stand_in_a_document(files, monkeypatch):
    asked = []

    def refuse(plan):
        asked.append(plan.task.options.verbatim)
        raise HpdError("enough")

    monkeypatch.setattr("hpd.extractor.Extractor.from_plan", refuse)
    assert main(["discover", "docs.jsonl"]) == 1
    assert asked == [False]


def test_each_category_gets_its_own(files, capsys):
    small = ["-k", "1", "--samples", "1", "--sample-size", "2", "--max-tokens", "8", "-t", "1"]
    command = ["discover", "docs.jsonl", "--category-field", "kind", "-o", "s.json", *small]
    assert main(command) == 0
    assert {*json.loads((files / "s.json").read_text())} == {"a", "b"}
    assert {*load_schemas("s.json").categories} == {"a", "b"}
    assert main(command) == 2
    assert "s.json already exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone.jsonl"], "gone.jsonl"),
        (["empty.jsonl"], "has no documents"),
        (["docs.jsonl", "-k", "0"], "-k"),
        (["docs.jsonl", "--rpm", "5"], "--rpm does nothing without --api"),
    ],
)
def test_wrong_use_is_said(files, arguments, says, capsys):
    (files / "empty.jsonl").write_text("")
    assert main(["discover", *arguments]) == 2
    assert says in capsys.readouterr().err
