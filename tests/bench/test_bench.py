"""The benchmark: what it asks, what it counts, and that it notices wrong answers."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hpd
from benchmarks import plot, workloads
from hpd.bench.jobs import look_up, value_text
from hpd.bench.measure import Measurement, without_nulls
from hpd.bench.methods import KINDS, SWEEPS, parse_contest, parse_settings
from hpd.bench.rounds import n_different, run_rounds
from hpd.bench.summary import summarise, table_rows
from hpd.bench.workload import complete_answer, load_workload, spread
from hpd.cli import main
from hpd.errors import InputError
from hpd.schema import load_schemas
from tiny_models import TinyModel

ROWS = [
    {"id": "a", "text": "Nike shoe, black, 10 M", "gold": {"Brand": "Nike", "Color": "black"}},
    {"id": "b", "text": "Diesel sneaker", "gold": {"Brand": ["Diesel", "DIESEL"]}},
    {"id": "c", "text": "Plain cap, red", "gold": {"Brand": "n/a", "Color": "red"}},
    {"id": "d", "text": "Café mug 500 ml", "gold": {"Color": None}},
]
SCHEMA = "Brand, Color"


def write_rows(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "gold.jsonl", ROWS)


# --- methods ---


def test_method_names_say_what_is_run() -> None:
    (method,) = parse_contest("hpd:layout=skeleton,stack=4,drafts=off").methods
    options = method.options
    assert (options.method, options.layout, options.stack) == ("hpd", "skeleton", 4)
    assert options.drafts is False
    assert method.name == "hpd:layout=skeleton,stack=4,drafts=off"


def test_kinds_differ_in_what_they_are_for() -> None:
    options = {kind: parse_contest(kind).methods[0].options for kind in KINDS}
    assert options["ar"].method == "ar"
    assert options["ar"].in_flight == 1
    assert not options["ar"].drafts
    assert parse_contest("ar:drafts=on").methods[0].options.drafts
    assert options["prefill"].method == "hpd"
    assert options["prefill"].max_tokens == 1
    assert [m.options.in_flight for m in parse_contest("ar-batched").methods] == [4, 8, 16, 32]


def test_values_with_bars_are_tried_in_every_combination() -> None:
    methods = parse_contest("hpd:in_flight=1|2,stack=3|4").methods
    assert [(m.options.in_flight, m.options.stack) for m in methods] == [
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
    ]
    assert len({m.name for m in methods}) == 4


def test_a_slow_method_may_take_fewer_documents() -> None:
    (method,) = parse_contest("ar:documents=8").methods
    assert (method.n_documents, method.name) == (8, "ar:documents=8")
    assert parse_contest("ar").methods[0].n_documents is None
    assert spread(10, 4) == [0, 2, 5, 7]
    assert spread(3, 4) == spread(3, None) == [0, 1, 2]


def test_settings_of_all_methods_are_the_base() -> None:
    base = parse_settings(["n-threads=3", "flash_attn=off"])
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
        "hpd:loras=x",
        "hpd:documents=0",
    ],
)
def test_wrong_methods_are_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text}: "):
        parse_contest(text)


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_sweep_can_be_run(sweep: str) -> None:
    methods = [m for text in SWEEPS[sweep] for m in parse_contest(text).methods]
    assert len({m.name for m in methods}) == len(methods) > 1


# --- workloads ---


def test_gold_rows_become_whole_answers(gold: Path) -> None:
    workload = load_workload(gold, load_schemas(SCHEMA), gold)
    assert [item.answer for item in workload.items] == [
        {"Brand": "Nike", "Color": "black"},
        {"Brand": "Diesel", "Color": None},
        {"Brand": None, "Color": "red"},
        {"Brand": None, "Color": None},
    ]


def test_documents_to_warm_up_with_are_not_timed(gold: Path) -> None:
    workload = load_workload(gold, load_schemas(SCHEMA), gold, limit=2)
    assert [item.id for item in workload.items] == ["a", "c"]
    assert [item.id for item in workload.warm_up] == ["b"]


def test_each_category_is_warmed_up(tmp_path: Path) -> None:
    rows = [{"text": f"cap {n}", "category": "ab"[n % 2]} for n in range(6)]
    source = write_rows(tmp_path / "rows.jsonl", rows)
    workload = load_workload(source, load_schemas({"a": ["Brand"], "b": ["Color"]}), limit=3)
    # Timed are the documents 0, 2 and 4, all of category a.
    assert {item.category for item in workload.items} == {"a"}
    assert [item.text for item in workload.warm_up] == ["cap 0"]


def test_a_document_without_an_answer_is_an_error(tmp_path: Path, gold: Path) -> None:
    source = write_rows(tmp_path / "more.jsonl", [{"id": "z", "text": "Hat"}])
    with pytest.raises(InputError, match=r"more\.jsonl:1.*'z'"):
        load_workload(source, load_schemas(SCHEMA), gold)


def test_a_document_without_a_schema_is_an_error(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "rows.jsonl", [{"text": "Hat", "category": "hats"}])
    with pytest.raises(InputError, match=r"rows\.jsonl:1.*'hats'"):
        load_workload(source, load_schemas({"shoes": ["Brand"]}))


def test_replay_rows_without_values_are_an_error(tmp_path: Path, gold: Path) -> None:
    answers = write_rows(tmp_path / "answers.jsonl", [{"id": "a", "text": "Hat"}])
    with pytest.raises(InputError, match=r"answers\.jsonl:1.*target_scores"):
        load_workload(gold, load_schemas(SCHEMA), answers)


def test_answers_have_the_schemas_shape_and_order() -> None:
    schema = load_schemas(
        {
            "type": "object",
            "properties": {
                "maker": {"type": "object", "properties": {"city": {"type": "string"}}},
                "tags": {"type": "array", "items": {"type": "string"}},
                "n": {"type": "integer"},
            },
        }
    )
    assert complete_answer(schema.attributes, {"n": 3, "tags": ["x"], "other": 1}) == {
        "maker": {"city": None},
        "tags": ["x"],
        "n": 3,
    }


def test_fields_find_their_values() -> None:
    answer = {"maker": {"city": "Oslo"}, "lines": [{"qty": 2}, {"qty": 5}]}
    assert look_up(answer, ("maker", "city")) == "Oslo"
    assert look_up(answer, ("lines", "count")) == 2
    assert look_up(answer, ("lines", "2", "qty")) == 5
    assert look_up(answer, ("maker", "street")) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [('10″ "M"', ' "10″ \\"M\\""'), (None, " null"), (True, " true"), (3, " 3}"), (0.5, " 0.5}")],
)
def test_values_are_written_as_the_model_writes_them(value: object, text: str) -> None:
    assert value_text(value) == text


def test_missing_and_null_values_are_the_same() -> None:
    assert without_nulls({"a": None, "b": {"c": None}, "d": [], "e": 0, "f": False}) == {
        "e": 0,
        "f": False,
    }


# --- figures ---


def measurement(method: str, number: int, seconds: float, **settings: Any) -> Measurement:
    values: dict[str, Any] = {f.name: 0 for f in dataclasses.fields(Measurement)}
    values.update(
        method=method,
        kind=method.partition(":")[0],
        round=number,
        settings={},
        n_documents=10,
        n_batches=5,
        n_tokens=500,
        seconds=seconds,
    )
    return Measurement(**{**values, **settings})


def test_ratios_are_taken_within_rounds() -> None:
    # The machine is half as fast in the second round: no ratio may change.
    measurements = [
        measurement(method, number, seconds * number)
        for number in (1, 2)
        for method, seconds in [("prefill", 1.0), ("ar", 10.0), ("hpd", 1.25)]
    ]
    rows = {row["method"]: row for row in summarise(measurements)}
    assert rows["hpd"]["speedup_ar"] == pytest.approx(8)
    assert rows["hpd"]["ratio_prefill"] == pytest.approx(1.25)
    assert rows["hpd"]["speedup_ar_batched"] is None
    assert rows["hpd"]["ms_per_document"] == pytest.approx(187.5)
    assert rows["hpd"]["spread"] == pytest.approx(2 / 3)


def test_the_best_batched_setting_is_the_yardstick() -> None:
    measurements = [
        measurement("ar-batched:in_flight=4", 1, 8.0),
        measurement("ar-batched:in_flight=8", 1, 6.0),
        measurement("hpd", 1, 2.0),
        # Only the better one went on, and is slower now.
        measurement("ar-batched:in_flight=8", 2, 10.0),
        measurement("hpd", 2, 2.0),
    ]
    rows = {row["method"]: row for row in summarise(measurements)}
    assert rows["hpd"]["speedup_ar_batched"] == pytest.approx((3 + 5) / 2)


def test_plain_ar_is_the_yardstick_whatever_else_is_tried() -> None:
    measurements = [
        measurement("ar", 1, 8.0),
        measurement("ar:drafts=on", 1, 4.0, kind="ar"),
        measurement("hpd", 1, 2.0),
    ]
    rows = {row["method"]: row for row in summarise(measurements)}
    assert rows["hpd"]["speedup_ar"] == pytest.approx(4)
    assert rows["ar:drafts=on"]["speedup_ar"] == pytest.approx(2)


def test_price_and_drafts_are_counted() -> None:
    (row,) = summarise(
        [measurement("hpd", 1, 36.0, n_rows=50, n_drafted=40, n_accepted=10)], price_per_hour=2.0
    )
    assert row["dollars_per_1000"] == pytest.approx(1000 * 3.6 / 3600 * 2)
    assert row["acceptance"] == pytest.approx(0.25)
    assert row["rows"] == pytest.approx(5)


def test_empty_columns_are_left_out() -> None:
    rows = table_rows(summarise([measurement("ar", 1, 1.0)]))
    assert "x ar" in rows[0]
    assert "x ar-b." not in rows[0]
    assert "$/1000" not in rows[0]
    assert {len(row) for row in rows} == {len(rows[0])}


class FakeBench:
    """Says how long each method takes, and remembers who was asked when."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self.asked: list[tuple[int, str]] = []

    def measure(self, method: Any, number: int) -> Any:
        from hpd.bench.measure import Outcome

        self.asked.append((number, method.name))
        taken = self.seconds[method.name]
        return Outcome(measurement(method.name, number, taken), {0: method.name})


def test_only_the_fastest_of_a_contest_goes_on() -> None:
    bench = FakeBench({"ar:in_flight=1": 3.0, "ar:in_flight=2": 1.0, "hpd": 9.0})
    contests = [parse_contest("ar:in_flight=1|2"), parse_contest("hpd")]
    measurements, answers = run_rounds(bench, contests, 3)  # type: ignore[arg-type]
    assert bench.asked == [
        (1, "ar:in_flight=1"),
        (1, "ar:in_flight=2"),
        (1, "hpd"),
        # Backwards, so that a drift favours none.
        (2, "hpd"),
        (2, "ar:in_flight=2"),
        (3, "ar:in_flight=2"),
        (3, "hpd"),
    ]
    assert len(measurements) == 7
    assert answers["hpd"] == {0: "hpd"}


def test_different_answers_are_counted() -> None:
    reference = {0: {"a": 2}, 1: {}, 2: {"a": 3}}
    assert n_different({0: {"a": 1}, 1: {}}, reference) == 1


# --- the command ---

TINY = ["--set", "n_ctx=1024", "--set", "n_threads=1", "--rounds", "1"]


@pytest.fixture(autouse=True)
def no_extra_bufts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPD_EXTRA_BUFTS", "0")


METHODS = [
    *("prefill", "ar", "ar-batched:in_flight=2|4", "hpd:drafts=on", "hpd:drafts=off"),
    *("hpd:layout=skeleton", "hpd:stack=2", "ar:stack=2", "ar:documents=2"),
]


def test_every_method_replays_every_answer(
    gold: Path, tmp_path: Path, tiny_model: TinyModel, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "figures.jsonl"
    methods = [part for method in METHODS for part in ("--method", method)]
    files = ["-s", SCHEMA, "--replay", str(gold), "-m", str(tiny_model()), "-o", str(output)]
    assert main(["bench", str(gold), *files, *methods, *TINY, "--price-per-hour", "1"]) == 0
    table = capsys.readouterr().out
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert lines[0]["type"] == "environment"
    assert lines[0]["llama_cpp_python"]
    runs = {line["method"]: line for line in lines if line["type"] == "measurement"}
    assert len(runs) == len(METHODS) + 1
    for name, run in runs.items():
        assert name in table
        assert run["n_wrong"] == 0
        assert run["n_documents"] == (2 if "documents" in name else 4)
        assert run["n_fields"] == 2 * run["n_documents"]
        assert run["prompt_tokens"] > run["cached_tokens"] > 0
        assert run["seconds"] >= run["llama_seconds"] > 0
        assert run["peak_bytes"] > 0
    # What is replayed is what is counted, however it is arranged.
    n_values = runs["hpd:drafts=off"]["completion_tokens"]
    assert n_values > runs["prefill"]["completion_tokens"] == 8
    assert runs["hpd:drafts=on"]["completion_tokens"] == n_values
    assert runs["hpd:layout=skeleton"]["completion_tokens"] == n_values
    assert runs["ar"]["completion_tokens"] > n_values
    assert runs["prefill"]["steps"] == 0
    assert runs["ar"]["n_batches"] > runs["ar-batched:in_flight=4"]["n_batches"]
    assert runs["hpd:drafts=off"]["n_drafted"] == 0


def test_an_answer_that_does_not_come_out_is_a_failure(
    gold: Path, tiny_model: TinyModel, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["-s", SCHEMA, "--replay", str(gold), "-m", str(tiny_model())]
    # Every value longer than two tokens is cut.
    code = main(["bench", str(gold), *files, *TINY, "--method", "hpd:max_tokens=2"])
    assert code == 1
    assert "not the replayed ones" in capsys.readouterr().err


def test_arrays_and_numbers_are_replayed(tmp_path: Path, tiny_model: TinyModel) -> None:
    answer = {"n": 12, "tags": ["red", "blue"], "maker": {"city": "Oslo"}, "new": True}
    gold = write_rows(tmp_path / "gold.jsonl", [{"text": "Twelve", "data": answer}])
    properties = {
        "n": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "maker": {"type": "object", "properties": {"city": {"type": "string"}}},
        "new": {"type": "boolean"},
    }
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": properties}))
    files = ["-s", str(schema), "--replay", str(gold), "-m", str(tiny_model())]
    methods = ["--method", "hpd", "--method", "ar", "--set", "max_tokens=8"]
    assert main(["bench", str(gold), *files, *methods, *TINY]) == 0


def test_methods_are_compared_where_nothing_is_replayed(
    gold: Path, tiny_model: TinyModel, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["-s", SCHEMA, "-m", str(tiny_model()), "--set", "max_tokens=4"]
    methods = ["--method", "hpd:drafts=off", "--method", "hpd:drafts=on", "--method", "ar"]
    assert main(["bench", str(gold), *files, *methods, *TINY]) == 0
    out = capsys.readouterr().out
    assert "hpd:drafts=on: 0 of 4 documents answered otherwise than by hpd:drafts=off" in out
    assert "ar: " in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "fast"], "no method 'fast'"),
        (["--set", "speed=9"], "no setting"),
        (["--replay", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_wrong_use_is_noticed_before_the_model(
    gold: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["bench", str(gold), "-s", SCHEMA, "-m", "missing.gguf", *arguments])
    assert code == 2
    assert message in capsys.readouterr().err


# --- the scripts beside it ---

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def catalogue(folder: Path, *arguments: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows and the attributes that ``workloads.py`` writes."""
    workloads.main([str(folder / "made"), *arguments])
    rows = [json.loads(line) for line in (folder / "made.jsonl").read_text().splitlines()]
    return rows, list(json.loads((folder / "made.schema.json").read_text())["properties"])


@pytest.mark.parametrize(("n_tokens", "n_attributes"), [(300, 16), (1000, 1), (1500, 60)])
def test_a_made_up_catalogue_states_half_of_its_attributes(
    tmp_path: Path, n_tokens: int, n_attributes: int
) -> None:
    sizes = ["--tokens", str(n_tokens), "--attributes", str(n_attributes), "--documents", "5"]
    rows, attributes = catalogue(tmp_path, *sizes)
    assert len(rows) == 5
    assert len(set(attributes)) == n_attributes
    for row in rows:
        assert list(row["gold"]) == attributes
        values = [value for value in row["gold"].values() if value is not None]
        assert len(values) == (n_attributes + 1) // 2
        assert all(value in row["text"] for value in values)
        length = len(row["text"]) / workloads.CHARACTERS_PER_TOKEN
        assert length == pytest.approx(n_tokens, rel=0.1)
    assert catalogue(tmp_path, *sizes)[0] == rows
    assert catalogue(tmp_path, *sizes, "--seed", "1")[0] != rows


def test_the_plot_has_a_line_for_each_stack(tmp_path: Path) -> None:
    hpd = ["stack=2,in_flight=8", "stack=2,in_flight=1", "in_flight=16", "drafts=off"]
    names = ["ar-batched:in_flight=4", *(f"hpd:{settings}" for settings in hpd)]
    summary = summarise([measurement(name, 1, n + 1.0) for n, name in enumerate(names)])
    for row, name in zip(summary, names, strict=True):
        options = parse_contest(name).methods[0].options
        row["settings"] = {n: getattr(options, n) for n in ("layout", "stack", "in_flight")}
    figures = write_rows(tmp_path / "figures.jsonl", [{"type": "environment"}, *summary])
    _, read = plot.read_summary(figures)
    assert plot.curves(read, "speedup_ar_batched") == {
        ("branch", 1): [(16, 0.25)],
        ("branch", 2): [(1, pytest.approx(1 / 3)), (8, 0.5)],
    }


def test_other_json_lines_are_not_plotted(gold: Path) -> None:
    write_rows(gold, [{"type": "environment"}])
    with pytest.raises(ValueError, match=r"gold\.jsonl: no summary"):
        plot.read_summary(gold)


def run_script(*arguments: object) -> str:
    """What a script of ``benchmarks`` prints, with the hpd that is tested here."""
    tested = str(Path(hpd.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": tested},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_peers_give_the_same_answers(gold: Path, tmp_path: Path, tiny_model: TinyModel) -> None:
    asked = [gold, "-s", SCHEMA, "--replay", gold, "-m", tiny_model()]
    peer = ["--limit", 2, "--rounds", 1, "-t", 1, "-o", tmp_path / "peer.jsonl"]
    run_script(BENCHMARKS / "peers/llama_cpp_python.py", *asked, *peer)
    rows = [json.loads(line) for line in (tmp_path / "peer.jsonl").read_text().splitlines()]
    assert len(rows) == 3
    assert all(row["n_wrong"] == 0 and row["n_documents"] == 2 for row in rows)
    main(["bench", *map(str, asked), *TINY, "--method", "hpd", "-o", str(tmp_path / "hpd.jsonl")])
    table = run_script(
        BENCHMARKS / "peers/table.py", tmp_path / "hpd.jsonl", tmp_path / "peer.jsonl"
    )
    assert all(row["method"] in table for row in rows)
    assert table.splitlines()[0].split() == [
        "method",
        "docs",
        "docs/s",
        "ms/doc",
        "spread",
        "x",
        "hpd",
    ]


def test_every_batch_is_shown(gold: Path, tiny_model: TinyModel) -> None:
    asked = [gold, "-s", SCHEMA, "--replay", gold, "-m", tiny_model(), "--limit", 2]
    shown = run_script(BENCHMARKS / "steps.py", *asked, "--set", "n_threads=1", "prefill")
    title, heads, *_, total = shown.strip().splitlines()
    assert title.startswith("prefill: ")
    assert heads.split() == ["tokens", "rows", "read", "llama", "engine", "python"]
    # Two documents of two fields; the warm-up does not count.
    assert total.split()[1] == "4"
