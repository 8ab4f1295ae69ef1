"""A comparison on the way: the server's answers, the command."""

import http.client
import json
import re
from contextlib import contextmanager

import pytest

from hpd.cli import main
from hpd.evaluation.comparison import (
    ComparisonSession,
    JudgementFile,
    System,
    plan_trials,
)
from hpd.evaluation.comparison_server import ComparisonServer
from hpd.evaluation.rows import Prediction
from jsonl import read_lines, write_lines
from local_server import answering

TEXTS = {str(i): f"Document {i}: a red hat\nof wool" for i in range(1, 5)}


def new_session(file, annotator="ann"):
    """Four documents; the system "right" says what is so, the system "wrong" does not."""
    systems = [
        System("right", {i: Prediction(i, {"color": "red", "of": "wool"}) for i in TEXTS}),
        System("wrong", {i: Prediction(i, {"color": "green", "of": "wool"}) for i in TEXTS}),
    ]
    return ComparisonSession(plan_trials(systems, annotator), TEXTS, file, annotator, 0)


@contextmanager
def serving(path):
    with JudgementFile(path) as file, answering(ComparisonServer(new_session(file))) as server:
        yield server


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    sent = body if isinstance(body, str) else json.dumps(body)
    connection.request(method, path, None if body is None else sent, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


# --- the server ---


def test_the_page_names_no_system(tmp_path):
    with serving(tmp_path / "j.jsonl") as server:
        status, page = ask(server, "GET", "/")
    assert status == 200
    (data,) = re.findall(r'type="application/json">(.*?)</script>', page)
    assert len(json.loads(data)["trials"]) == 4
    assert "wrong" not in data
    assert "right" not in data
    assert "connect-src &#39;self&#39;" in page


def test_a_verdict_is_in_the_file_when_it_is_answered(tmp_path):
    path = tmp_path / "j.jsonl"
    with serving(path) as server:
        first = server.session.trials[0]
        body = {"trial": 0, "verdict": "loss", "seconds": 1.26}
        assert ask(server, "POST", "/judgement", body) == (200, "{}")
        assert read_lines(path) == [
            {
                "id": first.id,
                "annotator": "ann",
                "left": first.left.name,
                "right": first.right.name,
                "verdict": "loss",
                "seconds": 1.3,
                "seed": 0,
            }
        ]
        assert server.session.verdict(0) == "loss"
    with serving(path) as server:
        _, page = ask(server, "GET", "/")
    assert '"verdict":"loss"' in page


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"trial": 4, "verdict": "win"}, "unknown trial 4"),
        ({"trial": -1, "verdict": "win"}, "unknown trial -1"),
        ({"trial": True, "verdict": "win"}, "unknown trial True"),
        ({"trial": 0, "verdict": "left"}, "unknown verdict 'left'"),
        ({"trial": 0, "verdict": "win", "seconds": "x"}, "not a judgement"),
        ({"verdict": "win"}, "trial"),
        ([], "not an object"),
        ("{", "not a judgement"),
        ("x" * 20_000, "20000 bytes"),
    ],
)
def test_what_is_no_judgement_is_refused(tmp_path, body, says):
    with serving(tmp_path / "j.jsonl") as server:
        status, text = ask(server, "POST", "/judgement", body)
    assert status == 400
    assert says in text
    assert (tmp_path / "j.jsonl").read_bytes() == b""


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Host": "evil.example"}])
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/judgement")])
def test_a_page_from_elsewhere_is_refused(tmp_path, headers, method, path):
    body = {"trial": 0, "verdict": "win"} if method == "POST" else None
    with serving(tmp_path / "j.jsonl") as server:
        assert ask(server, method, path, body, **headers)[0] == 403
    assert (tmp_path / "j.jsonl").read_bytes() == b""


def test_nothing_else_is_served(tmp_path):
    with serving(tmp_path / "j.jsonl") as server:
        assert ask(server, "GET", "/j.jsonl")[0] == 404
        assert ask(server, "POST", "/", {})[0] == 404


# --- the command ---


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "a.jsonl", *({"id": i, "data": {"x": "1"}} for i in TEXTS))
    write_lines(tmp_path / "b.jsonl", *({"id": i, "data": {"x": "2"}} for i in TEXTS))
    write_lines(tmp_path / "texts.jsonl", *({"id": i, "text": t} for i, t in TEXTS.items()))
    return tmp_path


def test_from_documents_to_results(files, monkeypatch, capsys):
    judge = ["compare", "a.jsonl", "b.jsonl", "--documents", "texts.jsonl"]
    for annotator, verdict, n in (("ann", "win", 4), ("bob", "tie", 3)):

        def judge_some(server, verdict=verdict, n=n):
            for number in range(n):
                server.session.judge(number, verdict)

        monkeypatch.setattr(ComparisonServer, "serve_forever", judge_some)
        assert main([*judge, "--annotator", annotator]) == 0
        assert f"{annotator} has judged {n} of 4 documents" in capsys.readouterr().err
    assert len(read_lines(files / "judgements.jsonl")) == 7
    results = ["compare", "a.jsonl", "b.jsonl", "--results", "judgements.jsonl"]
    assert main(results) == 0
    out = capsys.readouterr().out
    assert "7 judgements of 4 documents" in out
    assert "2 annotators, 3 documents shared: Cohen's kappa" in out
    assert main([*results, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    tally = found["systems"]["a"]
    assert tally["ties"] == 3
    assert tally["wins"] + tally["losses"] == 4
    assert found["agreement"]["measure"] == "Cohen's kappa"
    assert found["pairs"][0]["against"] == "b"


def test_a_line_s_own_text_is_enough(files, monkeypatch, capsys):
    write_lines(files / "a.jsonl", *({"id": i, "data": {}, "text": t} for i, t in TEXTS.items()))
    monkeypatch.setattr(ComparisonServer, "serve_forever", lambda server: None)
    arguments = ["--annotator", "ann", "-o", "mine.jsonl", "--limit", "2"]
    assert main(["compare", "a.jsonl", "b.jsonl", *arguments]) == 0
    assert "ann has judged 0 of 2 documents, in mine.jsonl" in capsys.readouterr().err


def test_results_of_the_systems_that_are_named(files, capsys):
    line = {"id": "1", "annotator": "x", "left": "a", "verdict": "win"}
    write_lines(files / "j.jsonl", {**line, "right": "b"}, {**line, "right": "c"})
    assert main(["compare", "a.jsonl", "b.jsonl", "--results", "j.jsonl"]) == 0
    captured = capsys.readouterr()
    assert "1 judgement of 1 document" in captured.out
    assert "ignored judgements about c" in captured.err
    assert main(["compare", "x.jsonl", "y.jsonl", "--results", "j.jsonl"]) == 2
    assert "no judgements of x and y" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["a.jsonl"], "at least two systems"),
        (["a.jsonl", "b.jsonl"], "--annotator"),
        (["a.jsonl", "a.jsonl", "--annotator", "x"], "given twice"),
        (["a.jsonl", "b.jsonl", "--annotator", "x"], "4 of 4 documents have no text"),
        (["a.jsonl", "b.jsonl", "--annotator", "x", "--json"], "--json does nothing"),
        (["a.jsonl", "b.jsonl", "--annotator", "x", "--text-field", "t"], "needs --documents"),
        (["a.jsonl", "b.jsonl", "--results", "j", "--id-field", "t"], "--id-field does nothing"),
        (["a.jsonl", "b.jsonl", "--results", "j", "--seed", "0"], "--seed does nothing"),
        (["a.jsonl", "b.jsonl", "--results", "gone.jsonl"], "cannot be opened"),
        (["a.jsonl", "other.jsonl", "--annotator", "x"], "no document has extractions of two"),
        (["a.jsonl", "b.jsonl", "--documents", "texts.jsonl", "--annotator", "x", "-o", "a.jsonl"],
         "not a line that hpd compare wrote"),
    ],
)  # fmt: skip
def test_wrong_use_is_said(files, arguments, says, capsys):
    write_lines(files / "other.jsonl", {"id": "z", "data": {}})
    assert main(["compare", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not (files / "judgements.jsonl").exists()
