"""``hpd bench``: what it measures, and that it notices wrong answers."""

import pytest

from benchmarking import SCHEMA, TINY
from hpd.cli import main
from jsonl import read_lines, write_lines

METHODS = [
    *("prefill", "ar", "ar-batched:in_flight=2|4", "hpd:drafts=on", "hpd:drafts=off"),
    *("hpd:layout=skeleton", "hpd:stack=2", "ar:stack=2", "ar:documents=2"),
]


def test_every_method_replays_every_answer(gold, tmp_path, tiny_model, capsys):
    output = tmp_path / "figures.jsonl"
    methods = [part for method in METHODS for part in ("--method", method)]
    files = ["--schema", SCHEMA, "--replay", str(gold), "-m", str(tiny_model()), "-o", str(output)]
    assert main(["bench", str(gold), *files, *methods, *TINY, "--price-per-hour", "1"]) == 0
    table = capsys.readouterr().out
    lines = read_lines(output)
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


def test_an_answer_that_does_not_come_out_is_a_failure(gold, tiny_model, capsys):
    files = ["--schema", SCHEMA, "--replay", str(gold), "-m", str(tiny_model())]
    # Every value longer than two tokens is cut.
    code = main(["bench", str(gold), *files, *TINY, "--method", "hpd:max_tokens=2"])
    assert code == 1
    assert "differ from the replayed ones" in capsys.readouterr().err


def test_arrays_and_numbers_are_replayed(tmp_path, tiny_model):
    answer = {"n": 12, "tags": ["red", "blue"], "maker": {"city": "Oslo"}, "new": True}
    gold = write_lines(tmp_path / "gold.jsonl", {"text": "Twelve", "data": answer})
    schema = "n int, tags [str], maker {city}, new bool"
    files = ["--schema", schema, "--replay", str(gold), "-m", str(tiny_model())]
    methods = ["--method", "hpd", "--method", "ar", "--max-tokens", "8"]
    assert main(["bench", str(gold), *files, *methods, *TINY]) == 0


def test_methods_are_compared_where_nothing_is_replayed(gold, tiny_model, capsys, monkeypatch):
    monkeypatch.setattr("hpd.bench.rounds.device_summary", lambda n_layers: "a GPU (all layers)")
    files = ["--schema", SCHEMA, "-m", str(tiny_model()), "--max-tokens", "4"]
    methods = ["--method", "hpd:drafts=off", "--method", "hpd:drafts=on", "--method", "ar"]
    assert main(["bench", str(gold), *files, *methods, *TINY]) == 0
    out = capsys.readouterr().out
    assert "hpd:drafts=on: 0 of 4 documents have other answers than with hpd:drafts=off" in out
    assert "ar: " in out
    assert "; a GPU (all layers); medians of" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "fast"], "unknown method 'fast'"),
        (["--method", "hpd:speed=9"], "not a setting"),
        (["--set", "stak=2"], "stak"),
        (["--method", "hpd:n_gpu_layers=0"], "not a setting of a method"),
        (["--method", "hpd:stack=1,stack=2"], "stack is given twice"),
        (["--method", "prefill:max_tokens=5"], "prefill generates nothing"),
        (["--method", "ar:layout=skeleton"], "cannot be combined with method 'ar'"),
        (["--replay", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_wrong_use_is_noticed_before_the_model(gold, arguments, message, capsys):
    code = main(["bench", str(gold), "--schema", SCHEMA, "-m", "missing.gguf", *arguments])
    assert code == 2
    assert message in capsys.readouterr().err


def test_a_method_that_cannot_honour_the_schema_is_refused(gold, capsys):
    schema = "Color after Brand, Brand"
    command = ["bench", str(gold), "--schema", schema, "-m", "missing.gguf", "--method"]
    assert main([*command, "hpd"]) == 1
    assert main([*command, "ar"]) == 2
    assert "Color comes after Brand" in capsys.readouterr().err


def test_grammars_are_timed_on_a_second_line_and_change_no_answer(gold, tmp_path, tiny_model):
    output = tmp_path / "figures.jsonl"
    files = ["--schema", SCHEMA, "--replay", str(gold), "-m", str(tiny_model()), "-o", str(output)]
    methods = ["--method", "prefill", "--method", "hpd", "--method", "ar:documents=2", "--grammar"]
    assert main(["bench", str(gold), *files, *methods, *TINY]) == 0
    runs = {line["method"]: line for line in read_lines(output) if line["type"] == "measurement"}
    names = ["prefill", "hpd", "hpd:grammar=on", "ar:documents=2", "ar:documents=2,grammar=on"]
    assert list(runs) == names
    assert all(run["n_wrong"] == 0 for run in runs.values())
    assert runs["hpd:grammar=on"]["settings"]["grammar"] is True
    assert runs["hpd"]["settings"]["grammar"] is False


def test_an_answer_that_its_grammar_forbids_is_a_failure_if_grammars_are_on(
    tmp_path, tiny_model, capsys
):
    gold = write_lines(tmp_path / "gold.jsonl", {"text": "a dozen", "data": {"n": "dozen"}})
    files = ["--schema", "n int", "--replay", str(gold), "-m", str(tiny_model())]
    assert main(["bench", str(gold), *files, *TINY, "--method", "hpd"]) == 1
    assert "not allowed by its" not in capsys.readouterr().err
    assert main(["bench", str(gold), *files, *TINY, "--method", "hpd:grammar=on"]) == 1
    assert "not allowed by its field's grammar" in capsys.readouterr().err


def test_without_a_replay_no_method_can_be_without_its_grammar(gold, capsys):
    assert main(["bench", str(gold), "--schema", SCHEMA, "--grammar"]) == 2
    assert "--replay" in capsys.readouterr().err
