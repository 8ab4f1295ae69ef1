"""Hypothesis makes schemas, values that obey them, raw texts and documents."""

import json
from datetime import date, datetime

from hypothesis import settings
from hypothesis import strategies as st

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import matches

PATTERNS = (
    "^[A-Z]{2}-[0-9]{3,5}$",
    "^(red|green)( (light|dark))?$",
    r"^\d+(\.\d+)?$",
    r"^\w+@\w+$",
    "a+b",
    '^say "[^"]*"$',
)
FORMATS = ("uuid", "time", "email", "ipv4")


def part_of_examples(part, **rest):
    """Settings of a slow test: a part of the examples that the profile asks for."""
    return settings(max_examples=round(part * settings.default.max_examples), **rest)


names = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=".[]"),
    min_size=1,
    max_size=12,
).filter(str.strip)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
descriptions = st.one_of(
    st.just(""), st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
)
choices = st.one_of(
    st.lists(words, min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-50, 50), min_size=1, max_size=5, unique=True),
)


def _bounds(low, high):
    bound = st.one_of(st.none(), st.integers(low, high))
    return st.tuples(bound, bound).filter(
        lambda pair: pair[0] is None or pair[1] is None or pair[0] <= pair[1]
    )


@st.composite
def scalars(draw, name="value", **fixed):
    """A single value of any type, with or without limits."""
    kind = draw(
        st.sampled_from(["string", "integer", "number", "boolean", "date", "date-time", "enum"])
    )
    rest = {
        "nullable": draw(st.booleans()),
        "required": draw(st.booleans()),
        "description": draw(descriptions),
    } | fixed
    if kind == "enum":
        rest["choices"] = tuple(draw(choices))
    elif kind == "string":
        limit = draw(st.sampled_from(["none", "length", "pattern", "format"]))
        if limit == "length":
            rest["min_length"], rest["max_length"] = draw(_bounds(0, 12))
        elif limit == "pattern":
            rest["pattern"] = draw(st.sampled_from(PATTERNS))
        elif limit == "format":
            rest["format"] = draw(st.sampled_from(FORMATS))
    elif kind in ("integer", "number"):
        rest["minimum"], rest["maximum"] = draw(_bounds(-1200, 1200))
    return Attribute(name, kind, **rest)


@st.composite
def attributes(draw, name="value", depth=2, **fixed):
    """A scalar, an array or an object, up to ``depth`` levels deep."""
    kind = draw(st.sampled_from(["scalar", "scalar", "array", "object"] if depth else ["scalar"]))
    if kind == "scalar":
        return draw(scalars(name, **fixed))
    rest = {
        "nullable": draw(st.booleans()),
        "required": draw(st.booleans()),
        "description": draw(descriptions),
    } | fixed
    if kind == "object":
        return Attribute(name, "object", attributes=draw(siblings(depth - 1)), **rest)
    minimum, maximum = draw(_bounds(0, 4))
    return Attribute(
        name,
        "array",
        item=draw(attributes("item", depth - 1, required=False, nullable=False)),
        min_items=minimum,
        max_items=maximum,
        unique_items=draw(st.booleans()),
        **rest,
    )


@st.composite
def siblings(draw, depth):
    """The attributes of one object; some come after others."""
    found = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    made = []
    for name in found:
        earlier = [attribute.name for attribute in made]
        after = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=2)) if earlier else []
        made.append(draw(attributes(name, depth, after=tuple(after))))
    return tuple(made)


@st.composite
def schemas(draw, depth=2):
    """A whole schema."""
    return Schema(draw(siblings(depth)))


def texts_of(attribute):
    """Strings for a string attribute; most of them obey its limits."""
    if attribute.pattern is not None:
        pattern = attribute.pattern
        # The texts are made for Python's engine, whose \w is not quite the one that tries them.
        return st.from_regex(pattern, fullmatch=True).filter(
            lambda text: (
                not any("\ud800" <= char <= "\udfff" for char in text) and matches(pattern, text)
            )
        )
    if attribute.format == "uuid":
        return st.uuids().map(str)
    if attribute.format == "time":
        return st.times().map(lambda time: time.isoformat("seconds"))
    if attribute.format == "ipv4":
        return st.ip_addresses(v=4).map(str)
    if attribute.format == "email":
        return st.from_regex(r"[a-z]{1,8}@[a-z]{1,8}\.(com|org)", fullmatch=True)
    return st.text(
        st.characters(exclude_categories=["Cs"]),
        min_size=attribute.min_length or 0,
        max_size=attribute.max_length if attribute.max_length is not None else 20,
    )


def values_of(attribute):
    """JSON values of an attribute's type, within its limits."""
    match attribute.type:
        case "enum":
            return st.sampled_from(attribute.choices)
        case "boolean":
            return st.booleans()
        case "date":
            return st.dates(date(1000, 1, 1), date(2999, 12, 31)).map(date.isoformat)
        case "date-time":
            earliest, latest = datetime(1000, 1, 1), datetime(2999, 12, 31)
            return st.datetimes(earliest, latest).map(
                lambda time: time.isoformat(timespec="seconds")
            )
        case "integer":
            return st.integers(
                -(10**16) + 1 if attribute.minimum is None else int(attribute.minimum),
                10**16 - 1 if attribute.maximum is None else int(attribute.maximum),
            )
        case "number":
            return st.decimals(
                attribute.minimum if attribute.minimum is not None else -10_000,
                attribute.maximum if attribute.maximum is not None else 10_000,
                places=2,
            ).map(float)
        case "array":
            assert attribute.item is not None
            most = attribute.max_items if attribute.max_items is not None else 4
            return st.lists(
                values_of(attribute.item),
                min_size=min(attribute.min_items or 0, most),
                max_size=most,
            )
        case "object":
            return st.fixed_dictionaries(
                {
                    child.name: values_of(child) if child.required else st.none() | values_of(child)
                    for child in attribute.attributes
                }
            )
    return texts_of(attribute)


def answers_of(schema):
    """Whole answers to a schema, most of which obey it."""
    return values_of(Attribute("root", "object", attributes=schema.attributes))


def changed(value, draw):
    """A JSON value with one change somewhere."""
    if isinstance(value, dict | list) and value and draw.random() < 0.8:
        other = value.copy()
        place = draw.choice([*value]) if isinstance(value, dict) else draw.randrange(len(value))
        kind = draw.random()
        if kind < 0.2:
            del other[place]
        elif kind < 0.3 and isinstance(value, dict):
            other["another"] = draw.choice([1, "x", {}])
        elif kind < 0.4 and isinstance(value, list):
            other.append(draw.choice([1, "x", {}]))
        else:
            other[place] = changed(value[place], draw)
        return other
    return draw.choice([None, 1, 1.5, "x", True, [], {}, ["x"], {"x": "y"}, value])


raw_texts = st.one_of(
    st.text(max_size=60),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=6,
    ).map(lambda value: " " + json.dumps(value, ensure_ascii=False)),
    st.sampled_from(
        [
            *("", " ", ' "', ' "\\', ' "\\u12', " -", " 1e999", " NaN", " -Infinity", ' "\\ud800"'),
            *(" 12,", ' "a",', " nul", " [[[[", "[" * 5000, '{"a":' * 5000, " 1" + "0" * 5000),
        ]
    ),
)
"""Texts that a model may write for one field: JSON, the beginning of JSON, or nonsense."""

documents = st.lists(
    st.one_of(
        words,
        st.text(st.characters(codec="utf-8"), max_size=15),
        st.sampled_from(
            [
                *("ﬁne ﬂour", "café", "cafe\u0301", "STRASSE", "straße", "\u2018quoted\u2019"),
                *("👩\u200d👩\u200d👧", "👍🏽", "日本語のテキスト", "각", "각", "ﷺ", "½"),
                *("1,299.00", "1.299,00", "3 January 2024", "01/03/24", "a\u00adb", "x\u00a0\n y"),
            ]
        ),
    ),
    max_size=8,
).map(" ".join)
