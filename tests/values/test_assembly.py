"""Values into data: objects, arrays, and what is left out."""

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

import strategies
from hpd.prompt.questions import item_leaves, schema_leaves
from hpd.results import FieldValue
from hpd.schema import load_schema, to_json_schema
from hpd.values.assembly import assemble
from hpd.values.parsing import parse_value


def values(**raw):
    """``lines__1__qty=3`` as the value at ("lines", "1", "qty")."""
    return {
        tuple(name.split("__")): value if isinstance(value, FieldValue) else FieldValue(value=value)
        for name, value in raw.items()
    }


def test_assembling_nested_data():
    schema = load_schema("brand, maker {name, city}, tags [str], lines [{item, qty int}]")
    assembled = assemble(
        schema,
        values(
            brand="Nike",
            maker__city="Rome",
            tags__count=2,
            tags__1="a",
            tags__2="b",
            lines__count=2,
            lines__1__item="x",
            lines__1__qty=3,
            lines__2__item="y",
        ),
    )
    assert assembled.data == {
        "brand": "Nike",
        "maker": {"name": None, "city": "Rome"},
        "tags": ["a", "b"],
        "lines": [{"item": "x", "qty": 3}, {"item": "y", "qty": None}],
    }
    assert assembled.errors == {}
    assert assembled.data_paths == {
        ("brand",): "brand",
        ("maker", "name"): "maker.name",
        ("maker", "city"): "maker.city",
        ("tags", "count"): "tags",
        ("tags", "1"): "tags[0]",
        ("tags", "2"): "tags[1]",
        ("lines", "count"): "lines",
        ("lines", "1", "item"): "lines[0].item",
        ("lines", "1", "qty"): "lines[0].qty",
        ("lines", "2", "item"): "lines[1].item",
        ("lines", "2", "qty"): "lines[1].qty",
    }


def test_nothing_at_all():
    schema = load_schema("brand, maker {name}, tags [str]")
    assert assemble(schema, {}).data == {"brand": None, "maker": None, "tags": None}
    strict = load_schema(
        {
            "properties": {
                "a": {"type": "string"},
                "b": {"type": "string"},
                "c": {"type": "array", "items": {"type": "string"}},
                "d": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                "e": {"properties": {"x": {"type": "string"}}, "required": ["x"], "type": "object"},
            },
            "required": ["a"],
        }
    )
    empty = assemble(strict, {})
    assert empty.data == {"a": None, "c": []}
    assert list(empty.errors) == ["a"]
    assert "required" in empty.errors["a"]


def test_a_required_part_matters_only_where_the_object_is_there():
    schema = load_schema("maker {name!, city}, place {name!, city}!")
    nothing = assemble(schema, {("maker", "name"): FieldValue()})
    assert nothing.data == {"maker": None, "place": {"name": None, "city": None}}
    assert list(nothing.errors) == ["place.name"]
    half = assemble(schema, values(maker__city="Rome", place__name="x"))
    assert half.data == {
        "maker": {"name": None, "city": "Rome"},
        "place": {"name": "x", "city": None},
    }
    assert list(half.errors) == ["maker.name"]
    assert half.violations == {"maker.name"}


def test_a_row_stays_if_a_part_of_it_is_missing_or_refused():
    schema = load_schema("guests [{name!, room int!, email!}]")
    assembled = assemble(
        schema,
        values(
            guests__count=3,
            guests__1__name="Ann",
            guests__1__room=4,
            guests__2__room=7,
            guests__2__email=FieldValue(error="it is no address"),
            guests__3__name=FieldValue(),
        ),
    )
    assert assembled.data == {
        "guests": [
            {"name": "Ann", "room": 4, "email": None},
            {"name": None, "room": 7, "email": None},
        ]
    }
    assert assembled.errors["guests[1].email"] == "it is no address"
    assert assembled.violations == {"guests[0].email", "guests[1].email", "guests[1].name"}


def test_items_that_are_left_out():
    schema = load_schema("tags [str], lines [{item!, qty int}]")
    assembled = assemble(
        schema,
        values(
            tags__count=5,
            tags__1="a",
            tags__3=FieldValue(error="it is not valid JSON"),
            tags__4="b",
            tags__5=FieldValue(reason="less likely than 0.5"),
            lines__count=2,
            lines__2__item="x",
        ),
    )
    assert assembled.data == {"tags": ["a", "b"], "lines": [{"item": "x", "qty": None}]}
    assert assembled.errors == {
        "tags": "item 3: it is not valid JSON; item 5: less likely than 0.5",
    }
    assert assembled.data_paths[("tags", "4")] == "tags[1]"
    assert ("tags", "3") not in assembled.data_paths
    assert assembled.data_paths[("lines", "2", "item")] == "lines[0].item"


def test_unique_items():
    number = {"type": "array", "items": {"type": "number"}, "uniqueItems": True}
    schema = load_schema({"properties": {"a": number}})
    assembled = assemble(schema, values(a__count=4, a__1=1, a__2=1.0, a__3=2, a__4=1))
    assert assembled.data == {"a": [1, 2]}
    assert assembled.data_paths[("a", "3")] == "a[1]"


def test_too_few_items_and_a_bad_count():
    array = {"type": "array", "items": {"type": "string"}, "minItems": 2}
    schema = load_schema({"properties": {"a": array, "b": array}, "required": ["b"]})
    assembled = assemble(
        schema, values(a__count=1, a__1="x", b__count=FieldValue(error="above the maximum 100"))
    )
    assert assembled.data == {"a": ["x"], "b": None}
    assert assembled.violations == {"a", "b"}
    assert assembled.errors == {
        "a": "at least 2 items are needed, not 1",
        "b": "the number of items: above the maximum 100",
    }


def decode(schema, raws, default):
    """Stands in for the model: each new field gets the next raw text."""
    found = {}
    waiting = schema_leaves(schema)
    n = 0
    while waiting and n < 200:
        leaf = waiting.pop(0)
        parsed = parse_value(raws.get(n, default), leaf.attribute)
        found[leaf.path] = parsed
        n += 1
        if leaf.array is not None and parsed.value:
            count = min(parsed.value, 5)
            found[leaf.path] = FieldValue(value=count)
            waiting.extend(item_leaves(leaf, count))
    return found


@given(
    strategies.schemas(),
    st.dictionaries(st.integers(0, 20), strategies.raw_texts),
    st.sampled_from([" null", " 2,", ' "x"']),
)
def test_whatever_the_model_writes_the_data_obeys(schema, raws, default):
    assembled = assemble(schema, decode(schema, raws, default))
    validator = jsonschema.Draft202012Validator(to_json_schema(schema))
    for problem in validator.iter_errors(assembled.data):
        # Only a value that is not there may break the schema, or an item, and it is told.
        assert problem.instance is None or problem.validator == "minItems", problem
        place = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.absolute_path
        ).lstrip(".")
        assert place in assembled.errors
    for place in assembled.data_paths.values():
        assert place.split("[")[0].split(".")[0] in {attribute.name for attribute in schema}
