"""Methods by name, and the documents that they are timed on."""

import pytest

from benchmarking import SCHEMA
from hpd import Options
from hpd.bench.measure import without_nulls
from hpd.bench.methods import KINDS, SWEEPS, parse_contest
from hpd.bench.workload import load_workload, spread
from hpd.errors import InputError
from hpd.prompt.questions import value_at
from hpd.prompt.text import complete_value, written_value
from hpd.schema import load_schema, load_schemas
from jsonl import write_lines


def test_method_names_say_what_is_run():
    (method,) = parse_contest("hpd:layout=skeleton,stack=4,drafts=off").methods
    options = method.options
    assert (options.method, options.layout, options.stack) == ("hpd", "skeleton", 4)
    assert options.drafts is False
    assert method.name == "hpd:layout=skeleton,stack=4,drafts=off"


def test_kinds_differ_in_what_they_are_for():
    options = {kind: parse_contest(kind).methods[0].options for kind in KINDS}
    assert options["ar"].method == "ar"
    assert options["ar"].in_flight == 1
    assert not options["ar"].drafts
    assert parse_contest("ar:drafts=on").methods[0].options.drafts
    assert options["prefill"].method == "hpd"
    assert options["prefill"].max_tokens == 1
    assert [m.options.in_flight for m in parse_contest("ar-batched").methods] == [4, 8, 16, 32]


def test_what_is_said_for_all_methods_is_not_changed_by_a_kind():
    base = Options(in_flight=8, drafts=True, stack=2)
    for kind in KINDS:
        (method,) = parse_contest(kind, base).methods
        options = method.options
        assert (options.in_flight, options.drafts, options.stack) == (8, True, 2)


def test_values_with_bars_are_tried_in_every_combination():
    methods = parse_contest("hpd:in_flight=1|2,stack=3|4").methods
    assert [(m.options.in_flight, m.options.stack) for m in methods] == [
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
    ]
    assert len({m.name for m in methods}) == 4


def test_settings_of_all_methods_are_the_base():
    base = Options(n_threads=3, flash_attn="off")
    (method,) = parse_contest("hpd:flash_attn=on", base).methods
    assert (method.options.n_threads, method.options.flash_attn) == (3, "on")


@pytest.mark.parametrize(
    "text",
    [
        "fast",
        "hpd:speed=9",
        "hpd:stack",
        "hpd:stack=x",
        "hpd:stack=0",
        "hpd:drafts=maybe",
        "hpd:method=ar",
        "hpd:adapters=x",
        "hpd:documents=0",
    ],
)
def test_wrong_methods_are_refused_by_name(text):
    with pytest.raises(ValueError, match=f"^{text}: "):
        parse_contest(text)


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_sweep_can_be_run(sweep):
    methods = [m for text in SWEEPS[sweep] for m in parse_contest(text).methods]
    assert len({m.name for m in methods}) == len(methods) > 1


def test_a_slow_method_may_take_fewer_documents():
    (method,) = parse_contest("ar:documents=8").methods
    assert (method.n_documents, method.name) == (8, "ar:documents=8")
    assert parse_contest("ar").methods[0].n_documents is None
    assert spread(10, 4) == [0, 2, 5, 7]
    assert spread(3, 4) == spread(3, None) == [0, 1, 2]


def test_gold_rows_become_whole_answers(gold):
    workload = load_workload(gold, load_schemas(SCHEMA), gold)
    assert [item.answer for item in workload.items] == [
        {"Brand": "Nike", "Color": "black"},
        {"Brand": "Diesel", "Color": None},
        {"Brand": None, "Color": "red"},
        {"Brand": None, "Color": None},
    ]


def test_documents_to_warm_up_with_are_not_timed(gold):
    workload = load_workload(gold, load_schemas(SCHEMA), gold, limit=2)
    assert [item.id for item in workload.items] == ["a", "c"]
    assert [item.id for item in workload.warm_up] == ["b"]


def test_each_category_is_warmed_up(tmp_path):
    rows = [{"text": f"cap {n}", "category": "ab"[n % 2]} for n in range(6)]
    source = write_lines(tmp_path / "rows.jsonl", *rows)
    workload = load_workload(source, load_schemas({"a": ["Brand"], "b": ["Color"]}), limit=3)
    # Timed are the documents 0, 2 and 4, all of category a.
    assert {item.category for item in workload.items} == {"a"}
    assert [item.text for item in workload.warm_up] == ["cap 0"]


def test_a_document_without_an_answer_is_an_error(tmp_path, gold):
    source = write_lines(tmp_path / "more.jsonl", {"id": "z", "text": "Hat"})
    with pytest.raises(InputError, match=r"more\.jsonl:1.*'z'"):
        load_workload(source, load_schemas(SCHEMA), gold)


def test_a_document_without_a_schema_is_an_error(tmp_path):
    source = write_lines(tmp_path / "rows.jsonl", {"text": "Hat", "category": "hats"})
    with pytest.raises(InputError, match=r"rows\.jsonl:1.*'hats'"):
        load_workload(source, load_schemas({"shoes": ["Brand"]}))


def test_replay_rows_without_values_are_an_error(tmp_path, gold):
    answers = write_lines(tmp_path / "answers.jsonl", {"id": "a", "text": "Hat"})
    with pytest.raises(InputError, match=r"answers\.jsonl:1.*target_scores"):
        load_workload(gold, load_schemas(SCHEMA), answers)


def test_answers_have_the_schemas_shape_and_order():
    maker, tags, n = load_schema("maker {city}, tags [str], n int")
    assert complete_value(maker, None) == {"city": None}
    assert complete_value(maker, {"other": 1, "city": "Oslo"}) == {"city": "Oslo"}
    assert complete_value(tags, ["x"]) == ["x"]
    assert complete_value(tags, None) == []
    assert complete_value(n, 3) == 3


def test_fields_find_their_values():
    answer = {"maker": {"city": "Oslo"}, "lines": [{"qty": 2}, {"qty": 5}]}
    assert value_at(answer, ("maker", "city")) == "Oslo"
    assert value_at(answer, ("lines", "count")) == 2
    assert value_at(answer, ("lines", "2", "qty")) == 5
    assert value_at(answer, ("maker", "street")) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [('10″ "M"', ' "10″ \\"M\\""'), (None, " null"), (True, " true"), (3, " 3}"), (0.5, " 0.5}")],
)
def test_values_are_written_as_the_model_writes_them(value, text):
    assert written_value(value) == text


def test_missing_and_null_values_are_the_same():
    assert without_nulls({"a": None, "b": {"c": None}, "d": [], "e": 0, "f": False}) == {
        "e": 0,
        "f": False,
    }
