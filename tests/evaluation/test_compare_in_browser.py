"""The page of a comparison in a real browser, against the server that it is served by."""

from contextlib import contextmanager

import pytest

from browser import has_browser
from hpd.evaluation.comparison import (
    ComparisonSession,
    JudgementFile,
    System,
    load_judgements,
    plan_trials,
)
from hpd.evaluation.comparison_server import ComparisonServer
from hpd.evaluation.rows import Prediction
from local_server import answering

pytestmark = pytest.mark.skipif(
    not has_browser(), reason="Chromium and its driver are not installed"
)

LEFT, DOWN, RIGHT, BACKSPACE = "\ue012", "\ue015", "\ue014", "\ue003"
TEXT = "</script><script>window.hacked = 1</script> <b>red</b> \N{GRINNING FACE} hat, שלום, wool"


@contextmanager
def comparison(path, n=5):
    """A server with the trials of one annotator; what it was judged is in ``path``."""
    ids = [str(i) for i in range(n)]
    systems = [
        System("quokka", {i: Prediction(i, {"color": "red", "of": "wool"}) for i in ids}),
        System("wombat", {i: Prediction(i, {"color": "<b>red", "of": "wool"}) for i in ids}),
    ]
    with JudgementFile(path) as file:
        texts = dict.fromkeys(ids, TEXT)
        session = ComparisonSession(plan_trials(systems, "ann"), texts, file, "ann", 0)
        with answering(ComparisonServer(session)) as server:
            yield server


def wait_for_judged(browser, n):
    browser.wait_for(f"document.getElementById('n-judged').textContent.startsWith('{n} of')")


def test_keys_judge_and_each_verdict_is_kept(browser, tmp_path):
    path = tmp_path / "j.jsonl"
    with comparison(path) as server:
        browser.open(server.url)
        for n, key in enumerate(["1", DOWN, RIGHT, "2"], start=1):
            browser.press(key)
            wait_for_judged(browser, n)
        browser.open(server.url)  # it goes on where it stopped
        wait_for_judged(browser, 4)
        browser.press(LEFT)
        browser.wait_for("document.querySelector('.finished') !== null")
        assert browser.run("document.querySelector('[data-verdict=win]').disabled")
    said = load_judgements(path)
    assert [each.verdict for each in said] == ["win", "tie", "loss", "tie", "win"]
    assert [each.id for each in said] == [trial.id for trial in server.session.trials]
    assert all(each.seconds is not None for each in said)


def test_clicks_judge_and_back_changes_a_verdict(browser, tmp_path):
    path = tmp_path / "j.jsonl"
    with comparison(path) as server:
        browser.open(server.url)
        browser.click("[data-verdict=loss]")
        wait_for_judged(browser, 1)
        browser.press(BACKSPACE)
        pressed = "document.querySelector('[data-verdict=loss]').ariaPressed"
        assert browser.run(pressed) == "true"
        browser.click("[data-verdict=tie]")
        browser.wait_for(f"{pressed} === 'false'")
        assert browser.text("#n-judged") == "1 of 5 judged"
        assert server.session.verdict(0) == "tie"


def test_a_document_is_text_and_names_are_nowhere(browser, tmp_path):
    with comparison(tmp_path / "j.jsonl") as server:
        browser.open(server.url)
        assert browser.text("#trial .text") == TEXT
        marks = browser.run(
            "[...document.querySelectorAll('mark')].map(e => [e.textContent, e.dataset.label])"
        )
        left_is_first = server.session.trials[0].left.name == "quokka"
        plain, tagged = ("←", "→") if left_is_first else ("→", "←")
        assert {"".join(text for text, _ in marks[:-1])} == {"<b>red"}
        assert marks[-1] == ["wool", "of"]
        ends = marks[-2][1]
        assert f"color {plain}" in ends
        assert f"color {tagged}" in ends
        assert browser.run("window.hacked === undefined")
        everything = browser.run("document.documentElement.outerHTML")
        assert "quokka" not in everything
        assert "wombat" not in everything
        assert set(browser.requests()) == {server.url}
        assert browser.complaints() == []


def test_a_server_that_is_gone_is_said_and_nothing_is_lost(browser, tmp_path):
    with comparison(tmp_path / "j.jsonl") as server:
        browser.open(server.url)
    browser.press("1")
    browser.wait_for("!document.getElementById('message').hidden")
    assert "not saved" in browser.text("#message")
    assert browser.text("#n-judged") == "0 of 5 judged"


def test_differences_only(browser, tmp_path):
    with comparison(tmp_path / "j.jsonl") as server:
        browser.open(server.url)
        shown = "[...document.querySelectorAll('tbody tr')].filter(r => r.offsetParent).length"
        assert browser.run(shown) == 2
        browser.press("d")
        assert browser.run(shown) == 1
        browser.press("n")
        assert browser.run("document.querySelector('tr.active').dataset.values") == "0 1"
        assert browser.run("document.querySelectorAll('mark.active').length") >= 1
