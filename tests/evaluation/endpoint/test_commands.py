"""``hpd judge`` and ``hpd discover`` through a real server with the small model."""

import json

import pytest

from hpd.cli import main
from hpd.schema import load_schema
from jsonl import read_lines, write_lines
from scripted_endpoint import answer_of, scripted

pytest.importorskip("openai")
pytest.importorskip("diskcache")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HPD_CACHE", str(tmp_path / "cache"))
    row = {"id": "1", "text": "Diesel sneaker, black", "data": {"Brand": "Diesel", "Color": None}}
    write_lines(tmp_path / "values.jsonl", row)
    write_lines(tmp_path / "gold.jsonl", {"id": "1", "gold": {"Brand": "Diesel", "Color": "black"}})
    return tmp_path


def test_judge(api_url, files, capsys):
    # The small model's answers are long and often broken: what is shown here is the way.
    judge = ["judge", "values.jsonl", "gold.jsonl", "--api", api_url, "-m", "small", "--quiet"]
    judge += ["--response-format", "json_object", "--max-tokens", "300"]
    judge += ["--price-in", "2", "--price-out", "10", "--json"]
    assert main(judge) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["n_values"] == 2
    n_in, n_out = figures["prompt_tokens"], figures["completion_tokens"]
    assert min(n_in, n_out) > 0
    assert figures["price"] == pytest.approx((2 * n_in + 10 * n_out) / 1e6)
    (first,) = read_lines(files / "verdicts.jsonl")
    # What was answered once is not asked for again.
    assert main([*judge, "--overwrite"]) == 0
    assert json.loads(capsys.readouterr().out)["price"] == 0
    (second,) = read_lines(files / "verdicts.jsonl")
    assert first["data"] == second["data"]


def test_a_judge_that_was_cut_off_goes_on(files, capsys):
    rows = [{"id": i, "text": f"Diesel {i}", "data": {"Brand": "Diesel"}} for i in "123"]
    write_lines(files / "values.jsonl", *rows)
    right = (200, answer_of('{"Brand": {"reason": "It says so.", "verdict": "correct"}}'))
    refused = (401, {"error": {"message": "no credit"}})
    with scripted(right, refused, right) as (server, endpoint):
        judge = ["judge", "values.jsonl", "--api", endpoint.url, "-m", "m", "--parallel", "1"]
        judge += ["--no-cache", "--json", "--quiet"]
        assert main(judge) == 1
        assert "no credit" in capsys.readouterr().err
        assert [line["id"] for line in read_lines(files / "verdicts.jsonl")] == ["1"]
        assert main([*judge, "--resume"]) == 0
        # The document that was refused is asked about again, and the one before it is not.
        texts = [asked["messages"][1]["content"] for asked in server.asked]
        assert [text.count("Diesel 1") for text in texts] == [1, 0, 0, 0]
    figures = json.loads(capsys.readouterr().out)
    assert figures["verdicts"]["correct"] == 3
    assert figures["f1"] == 100


def test_discover_merges_what_the_model_proposes(files, capsys):
    def proposing(*names):
        own = {"description": "One thing.", "type": "text", "values": ["a", "b"]}
        return 200, answer_of(json.dumps({"attributes": [{"name": n, **own} for n in names]}))

    write_lines(files / "docs.jsonl", *({"text": f"document {i}"} for i in range(6)))
    replies = (proposing("Brand", "Sole"), proposing("Colors", "brand"), proposing("Color"))
    with scripted(*replies) as (server, endpoint):
        discover = ["discover", "docs.jsonl", "-k", "2", "--samples", "3", "--sample-size", "2"]
        discover += ["--api", endpoint.url, "-m", "m", "--parallel", "1", "--no-cache"]
        assert main([*discover, "--price-in", "1", "--price-out", "1"]) == 0
    captured = capsys.readouterr()
    schema = load_schema(json.loads(captured.out))
    assert [attribute.name for attribute in schema] == ["Colors", "Brand"]
    assert schema.attributes[0].examples == ("a", "b")
    assert "3 samples, 30 tokens of prompts, 15 of answers, 0.0000 dollars" in captured.err
    form = server.asked[0]["response_format"]["json_schema"]["schema"]
    assert form["properties"]["attributes"]["maxItems"] == 2
    seen = "".join(asked["messages"][1]["content"] for asked in server.asked)
    assert all(seen.count(f"document {i}") == 1 for i in range(6))
