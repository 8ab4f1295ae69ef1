"""The requests of a compiled schema, and what it remembers from one document to the next."""

import gc
import weakref

import pytest

from decoding import open_model
from hpd.options import Options
from hpd.pipeline.compiled_schema import CompiledSchema
from hpd.prompt.text import system_text
from hpd.prompt.tokens import render_for_model
from hpd.schema import load_schema
from hpd.values.grammar import contains_constrained
from small_model import small_model


def test_no_more_is_remembered_after_many_documents(tiny_model):
    """Under ``after`` each document has keys of its own, which must not fill the memory."""
    model = open_model(tiny_model("qwen3"))
    schema = load_schema("brand, tags [str], size after brand")
    compiled_schema = CompiledSchema(model, schema, Options(lists="numbers").with_defaults())

    def ask(n):
        data = {"brand": f"Brand {n}", "tags": ["a"], "size": None}
        waves = compiled_schema.waves(1)
        questions = waves.first()
        while questions:
            compiled_schema.request(["x"], questions, first=False, keep_prompt=True)
            compiled_schema.fingerprints(questions)
            values = [1 if question.leaf.array else None for question in questions]
            questions = waves.next(values, lambda document: data)

    def n_remembered():
        n_keys = compiled_schema._tokenizer(1)._key.cache_info().currsize
        return n_keys + len(compiled_schema._fingerprints)

    ask(0)
    n_after_one = n_remembered()
    assert n_after_one == 7  # three keys, each with a fingerprint, and a brace
    for n in range(1, 10):
        ask(n)
    assert n_remembered() == n_after_one


def test_models_that_are_not_trained_for_it_decode_whole_lists_as_indented_json(tiny_model):
    schema = load_schema("rows [{name, size int}]")
    keys = {}
    for path in (tiny_model("qwen3"), small_model()):
        options = Options(lists="ar").with_defaults()
        waves = CompiledSchema(open_model(path), schema, options).waves(1)
        (names,) = waves.first()
        (rows,) = waves.next([5], lambda _: {}, lambda _, path: path[1])
        keys[path] = [names.key, rows.key]
    assert [*keys.values()] == [
        ['{"all the rows[].name values":', '{\n  "rows":'],
        ['{"all the rows[].name values":', '{"rows":'],
    ]


@pytest.mark.parametrize(
    ("schema", "normalizes"),
    [
        ("brand, n int", [False, True]),
        ("brand, makers [{name}]", [False, True]),  # the second asks for the number of items
        ('brand, maker {name, "when" date}', [False, False, True]),
        ("color [red|blue], sizes [int]", [True, True]),
    ],
)
def test_shares_are_worked_out_where_a_confidence_is_one(tiny_model, schema, normalizes):
    model = open_model(tiny_model("qwen3"))
    compiled_schema = CompiledSchema(
        model, load_schema(schema), Options(lists="numbers").with_defaults()
    )

    questions = compiled_schema.waves(1).first()
    fields = compiled_schema.request(["x"], questions, first=True, keep_prompt=False).fields
    assert [field.normalizes for field in fields] == normalizes
    # Whether a whole answer needs them depends on its attributes, not on the number of items.
    (whole,) = compiled_schema.answer_request(["x"]).fields
    assert whole.normalizes == any(map(contains_constrained, compiled_schema.schema.attributes))


@pytest.mark.parametrize(
    ("schema", "holds"),
    [
        ("brand, tags [str], maker {name}", False),
        ("n int", True),
        ("tags [[str]]", False),
        ("sizes [[float]]", True),
        ('makers [{name, "since" date}]', True),
        ("a {b {c [red|blue]}}", True),
    ],
)
def test_what_holds_a_closed_attribute(schema, holds):
    assert any(map(contains_constrained, load_schema(schema).attributes)) == holds


def test_one_that_is_forgotten_leaves_nothing_behind(tiny_model):
    """At once, as a server forgets many of them before the garbage collector comes round."""
    model = open_model(tiny_model("qwen3"))
    render_for_model(model, system_text(2))  # which is kept; Jinja leaves circles behind
    gc.collect()
    gc.disable()
    try:
        schema = load_schema("brand, tags [str], size after brand, maker {name, city after name}")
        compiled_schema = CompiledSchema(model, schema, Options().with_defaults())
        questions = compiled_schema.waves(2).first()
        compiled_schema.request(["x", "y"], questions, first=True, keep_prompt=False)
        left = weakref.ref(compiled_schema._tokenizer(2))
        del compiled_schema, questions, schema
        assert left() is None
        assert gc.collect() == 0
    finally:
        gc.enable()
