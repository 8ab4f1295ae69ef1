"""A schema's leaves: their paths, what they see, and when they can start."""

from hypothesis import given

import strategies
from hpd.prompt.questions import item_leaves, schema_leaves
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema


def paths(leaves):
    return [leaf.path for leaf in leaves]


def test_leaves_of_objects_and_arrays():
    schema = load_schema("brand, maker {name, city}, tags [str], lines [{item, notes [str]}]")
    leaves = schema_leaves(schema)
    assert paths(leaves) == [
        ("brand",),
        ("maker", "name"),
        ("maker", "city"),
        ("tags", "count"),
        ("lines", "count"),
    ]
    count = leaves[-1]
    assert count.array is schema.attributes[-1]
    assert count.attribute.type == "integer"
    assert (count.attribute.minimum, count.attribute.maximum) == (0, None)
    assert paths(item_leaves(leaves[3], 2)) == [("tags", "1"), ("tags", "2")]
    lines = item_leaves(count, 2)
    assert paths(lines) == [
        ("lines", "1", "item"),
        ("lines", "1", "notes", "count"),
        ("lines", "2", "item"),
        ("lines", "2", "notes", "count"),
    ]
    assert {leaf.wave for leaf in lines} == {1}
    # What a model would count beyond a limit is no other number.
    limited = Attribute("a", "array", item=Attribute("item"), max_items=3)
    assert schema_leaves(Schema((limited,)))[0].attribute.maximum is None
    assert len(item_leaves(schema_leaves(Schema((limited,)))[0], 5)) == 3


def test_waves_follow_the_dependencies():
    schema = load_schema(
        "total float after lines, currency, lines [{qty int, sum float after qty}] after currency, "
        "maker {name, city after name}, tax float after total maker, note"
    )
    assert {leaf.path: leaf.wave for leaf in schema_leaves(schema)} == {
        ("currency",): 0,
        ("maker", "name"): 0,
        ("note",): 0,
        ("lines", "count"): 1,
        ("maker", "city"): 1,
        ("total",): 4,  # after the count, the quantities and the sums of all lines
        ("tax",): 5,
    }
    by_path = {leaf.path: leaf for leaf in schema_leaves(schema)}
    assert by_path[("total",)].after == (("lines",),)
    assert by_path[("maker", "city")].after == (("maker", "name"),)
    count = by_path[("lines", "count")]
    items = item_leaves(count, 1)
    assert [(leaf.path[-1], leaf.wave, leaf.after) for leaf in items] == [
        ("qty", 2, (("currency",),)),
        ("sum", 3, (("currency",), ("lines", "1", "qty"))),
    ]


@given(strategies.schemas())
def test_every_leaf_starts_after_what_it_sees(schema):
    leaves = schema_leaves(schema)
    for leaf in leaves:
        for seen in leaf.after:
            earlier = [other for other in leaves if other.path[: len(seen)] == seen]
            assert earlier
            assert all(other.wave < leaf.wave for other in earlier)
            assert leaf.wave > 0
