"""Lists read by names, by numbers and from beginning to end: the same data, other questions."""

import json
import math
from dataclasses import replace

import pytest

from decoding import open_model
from gbnf import to_regex
from hpd.errors import OptionError, SchemaError
from hpd.options import Options
from hpd.pipeline.compiled_schema import NO_LIST_WEIGHT, CompiledSchema, trained_lists
from hpd.pipeline.document_values import DocumentValues, Retries
from hpd.prompt.lists import list_to_write
from hpd.prompt.questions import Waves, count_attribute, known_waves, schema_leaves
from hpd.prompt.text import to_answer
from hpd.results import FieldValue
from hpd.schema import load_schema, to_json_schema
from hpd.values.answers import split_list
from hpd.values.grammar import list_grammar
from small_extractor import SmallExtractor, give_answers

WAYS = ("names", "numbers", "ar", "whole")
SETTINGS = {"n_ctx": 4096, "on_invalid": "record", "max_tokens": 32}

RESULTS = "results [{test, result float, unit}]"
BLOOD = {
    "results": [
        {"test": "Iron", "result": 15.5, "unit": "g"},
        {"test": "Zinc", "result": 5100.0, "unit": None},
        {"test": "Lead", "result": 3.5, "unit": "mg"},
    ]
}
TWINS = {
    "results": [
        {"test": "Iron", "result": 1.5, "unit": "g"},
        {"test": "Zinc", "result": 2.5, "unit": "g"},
        {"test": "Zinc", "result": 3.5, "unit": "mg"},
        {"test": "Zinc", "result": 4.5, "unit": "g"},
        {"test": "Iron", "result": 5.5, "unit": "g"},
    ]
}
OPEN = {"type": "object", "additionalProperties": {"type": "integer"}}
PAID = {
    "type": "object",
    "properties": {
        "payer": {"type": "string"},
        "by": {
            "oneOf": [
                {"title": "Card", "type": "object", "properties": {"number": {"type": "string"}}},
                {"title": "Cash", "type": "object", "properties": {"desk": {"type": "integer"}}},
            ]
        },
    },
}

CASES = {
    "values": ("tags [str], size int", {"tags": ["a b", "c", "a b"], "size": 3}),
    "many values": ("tags [str]", {"tags": [f"t{n}" for n in range(120)]}),
    "no values": ("tags [str]", {"tags": []}),
    "numbers": ("sizes [int]", {"sizes": [3, 3, 40]}),
    "rows": (RESULTS, BLOOD),
    "twins": (RESULTS, TWINS),
    "rows of numbers": ("at [{x int, y int}]", {"at": [{"x": 1, "y": 2}, {"x": 1, "y": 3}]}),
    "rows of a name": ("by [{name}]", {"by": [{"name": "Ann"}, {"name": "Bob"}]}),
    "rows with days": (
        'at [{"seen" date, km int}]',
        {"at": [{"seen": "2024-01-02", "km": 3}, {"seen": "2024-01-03", "km": 3}]},
    ),
    "parts of parts": (
        "lines [{item, size {wide int, high int}, note after size}]",
        {"lines": [{"item": n, "size": {"wide": 1, "high": 2}, "note": n} for n in "abc"]},
    ),
    "lists in rows": (
        "orders [{id, lines [{sku, qty int}], tags [str]}]",
        {
            "orders": [
                {"id": "A", "lines": [{"sku": "x", "qty": 1}, {"sku": "x", "qty": 2}], "tags": []},
                {"id": "B", "lines": [{"sku": "x", "qty": 3}], "tags": ["new"]},
            ]
        },
    ),
    "lists in lists": ("grid [[int]]", {"grid": [[1, 2], [3]]}),
    "after a list": (
        "best after results, " + RESULTS,
        {"best": "Zinc", **TWINS},
    ),
    "open names": ({"type": "object", "properties": {"of": OPEN}}, {"of": {"Ann": 1, "Bob": 2}}),
    "choices in rows": (
        {"type": "object", "properties": {"paid": {"type": "array", "items": PAID}}},
        {"paid": [{"payer": "Ann", "by": {"number": "77"}}, {"payer": "Bob", "by": {"desk": 2}}]},
    ),
}


@pytest.fixture(scope="module")
def extractor(tiny_model):
    with SmallExtractor("text", tiny_model(seed=1), **SETTINGS) as made:
        yield made


def read(extractor, source, answers, **settings):
    """The data of documents whose answers are known."""
    schema = load_schema(source)
    known = {
        f"document {n} of 2024{' word' * 150}": to_answer(schema, each)
        for n, each in enumerate(answers)
    }
    give_answers(extractor, known.get)
    task = extractor.prepare(source, **settings)
    return list(extractor.extract_many([*known], schema=task, on_error="record"))


@pytest.mark.parametrize("lists", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_the_data_is_the_same_in_each_way(extractor, case, lists):
    source, answer = CASES[case]
    (found,) = read(extractor, source, [answer], lists=lists)
    assert (found.error, found.data) == (None, answer)


def test_rows_go_on_in_waves_as_long_as_their_names_are_alike(extractor):
    many = {"results": [{**row, "unit": f"u{n}"} for n, row in enumerate(TWINS["results"] * 3)]}
    for found in read(extractor, RESULTS, [many, BLOOD, many], lists="names"):
        assert found.data["results"] in (many["results"], BLOOD["results"])


def keys(source, answer, lists="names"):
    schema = load_schema(source)
    waves = known_waves(schema, "branch", [answer], lists)
    return [[(question.key, value) for question, value in wave] for wave in waves]


def test_names_come_first_and_then_all_else_by_them():
    assert keys(RESULTS, BLOOD) == [
        [('{"all the results[].test values":', ["Iron", "Zinc", "Lead"])],
        [
            ('{"results": [{"test": "Iron", "result":', 15.5),
            ('{"results": [{"test": "Iron", "unit":', "g"),
            ('{"results": [{"test": "Zinc", "result":', 5100.0),
            ('{"results": [{"test": "Zinc", "unit":', None),
            ('{"results": [{"test": "Lead", "result":', 3.5),
            ('{"results": [{"test": "Lead", "unit":', "mg"),
        ],
    ]


def test_if_names_come_again_the_list_is_asked_for_with_one_more_part():
    waves = keys(RESULTS, TWINS)
    numbered = [{"test": row["test"], "result": row["result"]} for row in TWINS["results"]]
    assert waves[1] == [('{"results":', numbered)]
    assert [key for key, _ in waves[2]] == [
        f'{{"results": [{json.dumps(row)[:-1]}, "unit":' for row in numbered
    ]
    assert len(waves) == 3


def test_if_they_still_come_again_it_is_asked_for_with_all_its_values():
    row = {"test": "Zinc", "result": 2.5, "unit": "g", "ranges": [1, 2]}
    rows = [row, {**row, "unit": "mg"}]
    source = "results [{test, result float, unit, ranges [int]}]"
    waves = keys(source, {"results": rows})
    texts = [{name: row[name] for name in ("test", "result", "unit")} for row in rows]
    assert waves[2] == [('{"results":', texts)]
    assert [key for key, _ in waves[3]] == [
        f'{{"results": [{json.dumps(text)[:-1]}, "ranges":' for text in texts
    ]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('a [{"at" date, what, n int, m int}]', ("what", "n")),
        ('a [{"at" date, what, who}]', ("what", "who")),
        ('a [{"at" date, what}]', ("at", "what")),
        ("a [{what, ok bool after what, n int after ok}]", ("what", "ok")),
        ("a [{what, tags [str]}]", None),
    ],
)
def test_the_part_that_is_added_to_names_ends_them(source, names):
    """A text at the end of an object takes in the rest of the row."""
    (array,) = load_schema(source).attributes
    longer = list_to_write(array, "names").longer
    assert (longer and longer.names) == names


def test_a_row_without_a_name_comes_after_the_one_before():
    rows = [{**row, "test": name} for row, name in zip(BLOOD["results"], "ABC", strict=True)]
    rows[1]["test"] = None
    waves = keys(RESULTS, {"results": rows})
    assert [key for key, _ in waves[1]][1:4] == [
        '{"results": [{"test": "A", "unit":',
        '{"results": [{"test": "A"}, {"result":',
        '{"results": [{"test": "A"}, {"unit":',
    ]


def test_a_name_that_begins_more_lines_than_it_has_rows_is_not_enough(extractor):
    source, answer = "products [{name, boxes int}]", {"products": [{"name": "Soap", "boxes": 226}]}
    once = "Goods\n- Soap 12 X 1kg  226\nSoapstone 8, and no soap 6 X 2kg\n" + "word " * 150
    twice = once.replace(", and no soap", "\n* soap")
    give_answers(extractor, {once: answer, twice: answer}.get)
    task = extractor.prepare(source, lists="names")
    short, long = extractor.extract_many([once, twice], schema=task)
    assert short.data == long.data == answer
    # The list is asked for again, with a part that tells its rows apart.
    assert short.usage.completion_tokens < long.usage.completion_tokens


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a [{n int, what, who}]", ("what",)),
        ("a [{what?, who!}]", ("who",)),
        ('a [{"seen" date, n int}]', ("seen",)),
        ("a [{n int, m float}]", ()),
        ("a [{n int, ok bool}]", ()),
        ("a [str]", ()),
        ("a [{who}]", ("who",)),
    ],
)
def test_rows_are_named_by_their_first_text(source, names):
    (array,) = load_schema(source).attributes
    assert list_to_write(array, "names").names == names


def test_objects_of_one_part_are_read_as_that_part():
    answer = {"a": [{"who": "Ann"}, {"who": "Bob"}]}
    for lists in ("names", "ar"):
        assert keys("a [{who}]", answer, lists) == [
            [('{"all the a[].who values":', ["Ann", "Bob"])]
        ]


def test_names_tell_whether_there_is_a_list_to_write():
    """A model expects items after the key of a list, and writes some where there are none."""
    names = '{"all the results[].test values":'
    tests = ["Iron", "Zinc", "Lead", "Copper", "Tin"]
    rows = [{"test": test, "result": 15.5, "unit": "g"} for test in tests]
    assert keys(RESULTS, {"results": rows}, "ar") == [
        [(names, tests)],
        [('{"results":', rows)],
    ]
    assert keys(RESULTS, {"results": []}, "ar") == [[(names, [])]]
    assert keys("at [{x int, y int}]", {"at": [{"x": 1, "y": 2}]}, "ar") == [
        [('{"at":', [{"x": 1, "y": 2}])]
    ]
    whole = Waves(load_schema(RESULTS), lists="ar")
    whole.first()
    (question,) = whole.next([5], lambda d: {}, lambda d, path: path[1])
    attribute = question.leaf.attribute
    assert (attribute.forbids_null, attribute.min_items) == (True, 1)


@pytest.mark.parametrize("indents", [True, False])
def test_a_whole_list_is_decoded_beside_all_other_fields(indents):
    waves = Waves(load_schema(f"labs [str], {RESULTS}"), lists="whole", indents_lists=indents)
    labs, whole = waves.first()
    assert (labs.key, whole.key) == (
        ('{\n  "labs":', '{\n  "results":') if indents else ('{"labs":', '{"results":')
    )
    assert not whole.leaf.opens_leaves
    assert waves.next([1, 3], lambda d: {}, lambda d, path: "Zinc") == []


def test_models_that_were_not_trained_lean_towards_no_list(tiny_model):
    model = open_model(tiny_model(seed=1))

    def biases(source="labs [str], " + RESULTS, *, is_forced=False, **options):
        schema = load_schema(source)
        compiled = CompiledSchema(model, schema, Options(**options))
        questions = compiled.waves(1).first()
        if is_forced:
            questions = [replace(q, leaf=q.leaf.as_forced) for q in questions]
        request = compiled.request(["word"], questions, first=True, keep_prompt=False)
        return [field.first_bias for field in request.fields]

    labs, whole = biases()
    assert not labs
    assert {model.piece(token).strip()[:2] for token, _ in whole} <= {b"nu", b"[]"}
    assert [b for _, b in whole] == pytest.approx([math.log(NO_LIST_WEIGHT)] * len(whole))
    assert not any(biases(null_threshold=0.0))
    assert not any(biases(lists="names"))
    assert not any(biases(is_forced=True))


def test_a_few_rows_are_asked_for_by_their_names_if_those_tell_them_apart():
    assert keys(RESULTS, BLOOD, "ar") == keys(RESULTS, BLOOD, "names")
    answer = {"results": [*BLOOD["results"][:2], BLOOD["results"][0]]}
    (_, whole) = keys(RESULTS, answer, "ar")
    assert whole == [('{"results":', answer["results"])]


@pytest.mark.parametrize(
    ("lists", "begins_line", "is_whole"),
    [("ar", False, True), ("ar", True, False), ("names", True, True), ("names", False, False)],
)
def test_a_name_that_the_document_has_more_often_tells_no_row_apart(lists, begins_line, is_whole):
    waves = Waves(load_schema(RESULTS), lists=lists)
    waves.first()

    def n_times(_, text, at_beginning):
        return 2 if text == "Zinc" and at_beginning == begins_line else 1

    def part(_, path):
        return ("Iron", "Zinc", "Lead")[int(path[1]) - 1]

    asked = waves.next([3], lambda _: {}, part, n_times)
    assert ([question.key for question in asked] == ['{"results":']) == is_whole


@pytest.mark.parametrize(
    ("names", "n_items", "is_finished"),
    [("Iron Zinc Lead Tin Gold", 2, False), ("Iron Zinc Lead Tin Gold", 3, True),
     ("Iron Zinc Lead Tin Zinc", 2, True), ("Iron Zinc Lead Tin Zinc", 1, False)],
)  # fmt: skip
def test_a_list_with_less_than_half_of_the_names_goes_on_by_the_names(names, n_items, is_finished):
    waves = Waves(load_schema(RESULTS), lists="ar")

    def part(_, path):
        return names.split()[int(path[1]) - 1]

    waves.first()
    (whole,) = waves.next([5], lambda d: {}, part)
    assert whole.leaf.opens_leaves  # So its prompt is kept, and no item is streamed yet.
    later = waves.next([n_items], lambda d: {}, part)
    assert [question.key for question in later] == (
        [] if is_finished else ['{"all the results[].test values":']
    )
    if not is_finished:
        assert not later[0].leaf.attribute.forbids_null
        cells = waves.next([3], lambda d: {}, part)
        assert cells[0].key == '{"results": [{"test": "Iron", "result":'


def test_a_list_that_is_asked_for_again_with_more_parts_is_not_null():
    waves = Waves(load_schema(RESULTS), lists="names")
    waves.first()
    (longer,) = waves.next([2], lambda d: {}, lambda d, path: "Iron")
    attribute = longer.leaf.attribute
    assert longer.leaf.written.added
    assert (attribute.forbids_null, attribute.min_items) == (True, 1)


def test_a_list_that_is_asked_for_again_with_all_parts_opens_no_leaves():
    waves = Waves(load_schema("a [{what, n int}]"), lists="names")
    waves.first()
    (longer,) = waves.next([2], lambda d: {}, lambda d, path: "Iron")
    assert not longer.leaf.opens_leaves
    assert waves.next([2], lambda d: {}, lambda d, path: path[2]) == []


def test_a_schema_may_say_by_what_its_rows_are_told_apart(extractor):
    parts = {name: {"type": "string"} for name in ("day", "what", "amount")}
    rows = {"type": "array", "items": {"type": "object", "properties": parts}}
    source = {"type": "object", "properties": {"at": {**rows, "named_by": ["day", "what"]}}}
    answer = {
        "at": [
            {"day": "1 May", "what": "rent", "amount": "5"},
            {"day": "1 May", "what": "fee", "amount": "6"},
            {"day": "2 May", "what": "fee", "amount": "7"},
        ]
    }
    first, second = keys(source, answer)
    assert [key for key, _ in first] == ['{"at":']
    assert second[1] == ('{"at": [{"day": "1 May", "what": "fee", "amount":', "6")
    assert read(extractor, source, [answer], lists="names")[0].data == answer
    assert to_json_schema(load_schema(source))["properties"]["at"]["named_by"] == ["day", "what"]
    rows["named_by"] = ["who"]
    with pytest.raises(SchemaError, match="named_by"):
        load_schema({"type": "object", "properties": {"at": rows}})


@pytest.mark.parametrize(
    "items",
    [
        {"oneOf": PAID["properties"]["by"]["oneOf"]},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
    ],
)
def test_what_cannot_be_written_in_one_go_is_counted(items):
    source = {"type": "object", "properties": {"a": {"type": "array", "items": items}}}
    (array,) = load_schema(source).attributes
    assert {list_to_write(array, lists) for lists in WAYS} == {None}


def test_an_item_is_never_null_unless_the_schema_says_so():
    def grammar(source):
        (array,) = load_schema(source).attributes
        return list_grammar(list_to_write(array, "names").attribute)

    assert grammar("tags [str]").count('"null"') == 1  # that of the whole list
    assert grammar("rows [{test?, n int}]").count('"null"') == 1
    assert grammar("rows [{m int, n int}]").count('"null"') == 3
    nulls = {"a": {"type": "array", "items": {"type": ["string", "null"]}}}
    assert grammar({"type": "object", "properties": nulls}).count('"null"') == 2


def test_a_list_that_breaks_off_keeps_its_whole_items():
    (array,) = load_schema("tags [str]").attributes
    split = split_list(list_to_write(array, "names").attribute, ' ["a", "b c", "d', ("tags",))
    assert split.pop(("tags", "count")).truncated
    assert {path[-1]: raw.text for path, raw in split.items()} == {"1": '"a"', "2": '"b c"'}


@pytest.mark.parametrize("text", ["", " ", " nul"])
def test_a_list_that_breaks_off_at_once_is_no_empty_list(text):
    (array,) = load_schema("tags [str]").attributes
    (count,) = split_list(array, text, ("tags",)).values()
    assert count.parse(count_attribute(array)).error


def test_no_more_items_than_the_schema_allows_are_kept_and_that_is_said(extractor):
    source = {
        "type": "object",
        "properties": {"tags": {"type": "array", "maxItems": 3, "items": {"type": "string"}}},
    }
    for lists in WAYS:
        (found,) = read(extractor, source, [{"tags": ["a", "b", "c", "d"]}], lists=lists)
        assert found.data == {"tags": ["a", "b", "c"]}
        assert "counts 4 items" in found.fields["tags"].error


def test_stacked_documents_have_lists_of_their_own(tiny_model):
    settings = {**SETTINGS, "stack": 2}
    with SmallExtractor("text", tiny_model(seed=1), **settings) as extractor:
        schema = load_schema(RESULTS)
        by_number = {"twins": TWINS, "blood": BLOOD}
        give_answers(extractor, {t: to_answer(schema, a) for t, a in by_number.items()}.get)
        task = extractor.prepare(RESULTS, lists="names")
        found = list(extractor.extract_many([*by_number], schema=task, on_error="record"))
        assert [each.data for each in found] == [TWINS, BLOOD]


def test_values_are_known_in_chunks_too(tiny_model):
    text = "\n".join(f"Line {n}: word word word word." for n in range(60))
    settings = {**SETTINGS, "on_overflow": "chunk", "chunk_size": 200, "lists": "names"}
    with SmallExtractor(RESULTS, tiny_model(seed=1), **settings) as extractor:
        give_answers(extractor, lambda _: BLOOD)
        (found,) = extractor.extract_many([text], on_error="record")
    assert found.usage.n_chunks > 1
    assert found.data == BLOOD


class File:
    """What the file of a model, and an adapter, say."""

    def __init__(self, said, adapter=""):
        self.said, self.adapter = said, adapter

    def metadata(self, key):
        return self.said.get(key, "")

    def lora_metadata(self, key):
        return [self.adapter] if key == "hpd.lists" and self.adapter else []


@pytest.mark.parametrize(
    ("file", "lists"),
    [
        (File({}), "whole"),
        (File({"hpd.lists": "numbers"}), "numbers"),
        (File({"hpd.lists": "names", "hpd.stated": "on"}), "names"),
        (File({"hpd.stated": "on"}), "ar"),
        (File({"hpd.calibration": "{}"}), "ar"),
        (File({}, adapter="numbers"), "numbers"),
    ],
)
def test_the_file_says_how_lists_were_taught(file, lists):
    assert trained_lists(file, Options()) == lists


@pytest.mark.parametrize(
    "settings",
    [
        {"lists": "names", "method": "ar"},
        {"lists": "numbers", "method": "ar"},
        {"lists": "names", "layout": "label"},
        {"lists": "ar", "layout": "label"},
        {"lists": "whole", "layout": "label"},
    ],
)
def test_ways_that_cannot_be_honoured_are_refused(settings):
    with pytest.raises(OptionError, match="lists"):
        Options(**settings)


def test_a_document_of_a_tenth_of_the_context_is_read_as_a_whole(tiny_model):
    """The room for the longest answer that there may be is no reason to refuse a document."""
    parts = ", ".join(f"part_{n} float" for n in range(10))
    source = f"first [{{name, {parts}}}], second [{{name, {parts}}}]"
    text = "word " * 60
    settings = {**SETTINGS, "n_ctx": 2048, "method": "ar"}
    with SmallExtractor(source, tiny_model(seed=1), **settings) as extractor:
        (found,) = extractor.extract_many([text], on_error="record")
    assert found.error is None or found.error.type != "ContextOverflowError"


def leaf_of(source, lists="names"):
    (leaf,) = schema_leaves(load_schema(source), lists)
    return leaf


def test_where_null_is_no_answer_a_list_has_an_item_and_items_what_they_need():
    forced = leaf_of("rows [{n int!, m int}]").as_forced
    grammar = list_grammar(forced.attribute)
    assert forced.is_forced
    assert grammar.count('"null"') == 1  # that of the part which may be missing
    assert grammar.startswith('root ::= " "? ("[" ws v')
    assert ")?" not in grammar.splitlines()[0]


@pytest.mark.parametrize("lists", ["ar", "names"])
def test_where_too_few_items_are_no_answer_a_list_has_as_many_as_it_needs(lists):
    tags = {"type": "array", "items": {"type": "string"}, "minItems": 2}
    forced = leaf_of(json.dumps({"type": "object", "properties": {"tags": tags}}), lists).as_forced
    accepted = to_regex(list_grammar(forced.attribute))
    assert accepted.fullmatch(' ["a", "b"]')
    assert accepted.fullmatch(' ["a", "b", "c"]')
    assert not accepted.fullmatch(' ["a"]')


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({("rows", "2", "name"): FieldValue(error="too long", raw="x")}, False),
        ({("rows", "2", "n"): FieldValue(error="too large", raw="9")}, True),
    ],
)
def test_what_is_refused_in_a_row_is_asked_again(fields, asked):
    """The list, if its name is refused; else the part by itself."""
    schema = load_schema("rows [{name!, n int!}]")
    waves = Waves(schema, lists="names")
    values = DocumentValues()
    values.fields = {
        ("rows", "count"): FieldValue(value=2, raw=' ["a", "b"]'),
        ("rows", "1", "name"): FieldValue(value="a", raw='"a"'),
        ("rows", "1", "n"): FieldValue(value=1, raw="1"),
        ("rows", "2", "name"): FieldValue(value="b", raw='"b"'),
        ("rows", "2", "n"): FieldValue(value=2, raw="2"),
        **fields,
    }
    retries = Retries(schema, Options(on_invalid="retry"), is_chunk=False)
    questions, found = waves.first(), [2]
    while questions:
        retries.record(questions, found)
        questions = waves.next(found, lambda d: {}, lambda d, path: values.value_at(path))
        found = [None] * len(questions)
    (due,) = retries.due([values])
    assert due.leaf.path == (("rows", "2", "n") if asked else ("rows", "count"))
    (again,) = waves.ask_again([due], lambda d: {}, lambda d, path: values.value_at(path))
    start = '{"rows": [{"name": "b", ' if asked else '{"all the rows[].name values": '
    assert again.key.startswith(start)
