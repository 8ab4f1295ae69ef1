"""The report's page in a real browser: what is shown, what is asked for, keys, filters, themes."""

from __future__ import annotations

import http.server
import json
import threading

import pytest

from browser import has_browser
from hpd.cli import main
from jsonl import write_lines
from pdf_files import pdf_of
from report_files import gold_line, made_extractions, write_made

pytestmark = pytest.mark.skipif(
    not has_browser(), reason="Chromium and its driver are not installed"
)

# As WebDriver writes them.
TAB, ESCAPE, PAGE_DOWN, END, HOME = "\ue004", "\ue00c", "\ue00f", "\ue010", "\ue011"
UP, DOWN, ENTER = "\ue013", "\ue015", "\ue007"

MANY, SOME = 3_000, 1_200
HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
    "<!-- <b>bold</b> &amp; \N{GRINNING FACE}\N{FAMILY} brand\u2028 "
    "שלום עולם 你好 \u202eabc\u202c \ufffd {{ 7 * 7 }} "
)
LONG = HOSTILE + ("x <i>y</i> " * 100 + "\N{MUSICAL SYMBOL G CLEF} ") * 100 + "the end"


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A report of so many documents with gold that few of them can be in sight."""
    folder = tmp_path_factory.mktemp("many")
    made, gold = write_made(folder, MANY, 120)
    return report(folder, str(made), str(gold))


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """A report with gold that is quick to count."""
    folder = tmp_path_factory.mktemp("some")
    made, gold = write_made(folder, SOME, 120)
    return report(folder, str(made), str(gold))


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A report of 60 documents without gold."""
    folder = tmp_path_factory.mktemp("few")
    return report(folder, str(write_made(folder, 60, 120)[0]))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report of one document that tries everything, and one that holds nothing."""
    folder = tmp_path_factory.mktemp("hostile")
    return report(folder, str(write_lines(folder / "made.jsonl", *hostile_lines())))


def hostile_lines():
    values = ["<img src=x onerror='window.hacked = 2'>", "שלום עולם", "brand", "the end", "<b>bold"]
    data = {f"<b>{i}</b>": value for i, value in enumerate(values)}
    fields = {
        name: {"start": LONG.index(value), "end": LONG.index(value) + len(value), "match": "exact"}
        for name, value in data.items()
    }
    fields["<b>0</b>"]["error"] = "<script>window.hacked = 3</script>"
    columns = {"category": "</option><script>window.hacked = 4</script>", "<u>": HOSTILE}
    line = {"id": HOSTILE, "data": data, "fields": fields, "text": LONG, "input": columns}
    yield {**line, "checks": [{"check": HOSTILE, "passed": False, "left": HOSTILE, "right": 1}]}
    yield {"id": "2", "data": {}, "text": ""}


def report(folder, *arguments):
    page = folder / "report.html"
    assert main(["report", *arguments, "-o", str(page)]) == 0
    return page


def ids_in_sight(browser):
    return list(browser.run("[...document.querySelectorAll('.row .id')].map(e => e.textContent)"))


def selected(browser):
    return browser.text("#detail h2")


def n_shown(browser):
    """The number of documents that the page says it shows."""
    return int(browser.text("#n-shown").split()[0].replace(",", ""))


# --- many documents ---


def test_only_documents_in_sight_are_elements(browser, many):
    browser.open(many)
    assert ids_in_sight(browser)[0] == "p1"
    assert n_shown(browser) == MANY
    assert browser.run("document.querySelectorAll('.row').length") < 40
    assert browser.run("document.getElementsByTagName('*').length") < 1_500
    browser.press(END)
    assert selected(browser) == f"p{MANY}"
    last = "[...document.querySelectorAll('.row .id')].at(-1)?.textContent"
    browser.wait_for(f"{last} === 'p{MANY}'")  # rows are drawn with the next frame
    assert browser.run("document.getElementsByTagName('*').length") < 1_500
    assert browser.complaints() == []


def test_scrolling_shows_other_documents(browser, many):
    browser.open(many)
    browser.run("document.getElementById('list').scrollTop = 1500 * 92")
    browser.wait_for("document.querySelector('.row').dataset.number > 1400")
    assert "p1501" in ids_in_sight(browser)


# --- what a document says ---


def test_a_hostile_document_is_text_with_the_right_spans(browser, hostile):
    browser.open(hostile)
    assert len(LONG) > 100_000
    assert browser.text("#detail .text") == LONG
    marks = browser.run(
        "[...document.querySelectorAll('#detail mark')].map(e => [e.textContent, e.dataset.label])"
    )
    (line, _) = hostile_lines()
    by_place = sorted(line["fields"].items(), key=lambda item: item[1]["start"])
    assert marks == [[line["data"][name], name] for name, _ in by_place]
    assert browser.text("#detail h2") == HOSTILE
    assert (
        browser.run("document.querySelector('.input dd').textContent") == line["input"]["category"]
    )
    assert browser.run("[...document.querySelectorAll('.values th bdi')].map(e => e.textContent)")[
        0
    ] == next(iter(line["data"]))


def test_nothing_of_a_document_is_run(browser, hostile):
    browser.open(hostile)
    browser.press("j", "k", "n", "o", "o")
    assert browser.run("window.hacked === undefined")
    assert browser.run("document.querySelectorAll('img, i, b, u, script').length") == 2
    assert browser.complaints() == []


def test_right_to_left_text_stands_apart(browser, tmp_path):
    text = "שלום Diesel עולם"
    line = {"id": "1", "data": {"b": "Diesel"}, "fields": {"b": {"start": 5, "end": 11}}}
    page = report(tmp_path, str(write_lines(tmp_path / "m.jsonl", {**line, "text": text})))
    browser.open(page)
    style = "getComputedStyle(document.querySelector('#detail .text'))"
    assert browser.run(f"{style}.direction") == "rtl"
    assert browser.text("#detail mark") == "Diesel"


# --- the network ---


def test_no_request_leaves_the_page(browser, hostile):
    browser.open(hostile)
    browser.press("j", "k", "o", "o", "t", "?")
    assert browser.requests() == [hostile.as_uri()]


def test_the_policy_stops_what_would_call_out(browser, hostile):
    class Count(http.server.BaseHTTPRequestHandler):
        asked = []  # noqa: RUF012

        def do_GET(self):
            Count.asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    browser.open(hostile)
    with http.server.HTTPServer(("127.0.0.1", 0), Count) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}"
        for attempt in (
            "fetch(arguments[0] + '/fetch').catch(() => 0)",
            "void (new Image().src = arguments[0] + '/image')",
            "document.head.append(Object.assign(document.createElement('link'),"
            " {rel: 'stylesheet', href: arguments[0] + '/style'}))",
        ):
            browser.run(attempt, home)
        assert (
            browser.run(
                "(() => { try { document.body.innerHTML = '<b>'; } catch { return 'refused' } })()"
            )
            == "refused"
        )
        browser.run("fetch(arguments[0] + '/').catch(() => 0)", home)
        server.shutdown()
    assert Count.asked == []
    assert any("Content Security Policy" in complaint for complaint in browser.complaints())


# --- filters ---


def expected_counts():
    """The number of documents that each filter leaves, counted in the lines themselves."""
    lines = list(made_extractions(SOME, 120))

    def with_field(holds):
        """Documents with a field (name, value, what is known, gold) that holds."""
        return sum(
            any(
                holds(name, line["data"][name], known, line["gold"][name])
                for name, known in line["fields"].items()
            )
            for line in lines
            if "data" in line
        )

    n_failed = sum("error" in line for line in lines)
    second = list(dict.fromkeys(line["input"]["category"] for line in lines))[1]
    is_low = lambda known: known["confidence"] < 0.5  # noqa: E731
    return {
        ("query", "NORDVIK"): sum("nordvik" in line["text"].lower() for line in lines),
        ("category", "1"): sum(line["input"]["category"] == second for line in lines),
        ("null",): with_field(lambda name, value, known, gold: value is None),
        ("ungrounded",): with_field(lambda name, value, known, gold: known.get("match") == "none"),
        ("low",): with_field(lambda name, value, known, gold: is_low(known)),
        ("error",): n_failed,
        ("outcome", "nv"): with_field(
            lambda name, value, known, gold: value is not None and gold is None
        ),
        ("attribute", "3", "null"): with_field(
            lambda name, value, known, gold: name == "Size" and value is None
        ),
        ("low", "ungrounded"): with_field(
            lambda name, value, known, gold: known.get("match") == "none" and is_low(known)
        ),
    }


def test_each_filter_leaves_what_it_should(browser, some):
    browser.open(some)
    for filters, expected in expected_counts().items():
        names = list(filters)
        if names[0] in ("query", "category", "attribute", "outcome"):
            browser.choose(names.pop(0), names.pop(0))
        for kind in names:
            browser.click(f"[data-kind={kind}]")
        assert (n_shown(browser), filters) == (expected, filters)
        assert 0 < expected < SOME
        browser.click("#clear")
        assert n_shown(browser) == SOME


def test_a_bar_of_the_histogram_shows_its_documents(browser, some):
    browser.open(some)
    browser.press("o")
    browser.click(".bar[data-low='0.3']")
    n_expected = sum(
        any(0.3 <= known["confidence"] < 0.4 for known in line.get("fields", {}).values())
        for line in made_extractions(SOME, 120)
    )
    assert n_shown(browser) == n_expected > 0
    browser.click("[data-kind=range]")
    assert n_shown(browser) == SOME


def test_an_attribute_of_the_overview_shows_its_documents(browser, some):
    browser.open(some)
    browser.press("o")
    browser.click(".figures [data-attribute='2']")
    assert browser.run("document.getElementById('attribute').value") == "2"
    assert browser.run("document.activeElement.id") == "list"


def test_another_bound_of_low_confidence(browser, some):
    browser.open(some)
    browser.click("[data-kind=low]")
    n_below_half = n_shown(browser)
    browser.choose("bound", "0.2")
    assert 0 < n_shown(browser) < n_below_half


def test_the_least_confident_come_first(browser, some):
    browser.open(some)
    browser.choose("order", "confidence")
    lowest = {
        line["id"]: min(known["confidence"] for known in line["fields"].values())
        for line in made_extractions(SOME, 120)
        if "fields" in line
    }
    assert [lowest[each] for each in ids_in_sight(browser)] == sorted(lowest.values())[
        : len(ids_in_sight(browser))
    ]


# --- keys ---


def test_keys(browser, few):
    browser.open(few)
    for key, expected in (
        ("j", "p2"),
        ("j", "p3"),
        ("k", "p2"),
        (DOWN, "p3"),
        (UP, "p2"),
        (END, "p60"),
        (HOME, "p1"),
    ):
        browser.press(key)
        assert (key, selected(browser)) == (key, expected)
    browser.press(PAGE_DOWN)
    assert int(selected(browser)[1:]) > 3
    row = browser.run("document.getElementById('list').getAttribute('aria-activedescendant')")
    # A row that scrolls into sight is drawn with the next frame.
    browser.wait_for(f"document.getElementById('{row}')?.ariaSelected == 'true'")
    browser.press("/", *"sneaker")
    assert browser.run("document.activeElement.id") == "query"
    assert 0 < n_shown(browser) < 60
    browser.press(ESCAPE)
    assert browser.run("document.activeElement.id") == "list"
    browser.press(ESCAPE)
    assert n_shown(browser) == 60


def test_keys_go_through_the_values_of_a_document(browser, few):
    browser.open(few)
    values = []
    for _ in range(3):
        browser.press("n")
        values.append(browser.run("document.querySelector('tr.active').dataset.values"))
    browser.press("p")
    values.append(browser.run("document.querySelector('tr.active').dataset.values"))
    assert values == ["0", "1", "2", "1"]
    marked = browser.run("document.querySelector('mark.active').dataset.values")
    assert marked.split() == ["1"]


# --- pages ---


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """A report of a PDF of nine pages, with a value on the first and on the last, and of a text."""
    monkeypatch.chdir(tmp_path)
    with open("long.pdf", "wb") as file:
        file.write(pdf_of("Nordvik coat", *"bcdefgh", "last page"))
    box = {"match": "exact", "boxes": [[20, 90, 70, 105]]}
    fields = {
        "<b>brand": {"start": 0, "end": 7, "page": 1, **box},
        "where": {"page": 9, **box},
        "sheet": {"page": 1, "cell": "May!B7", "match": "exact"},
    }
    values = ("Nordvik", "last", "<i>")
    line = {"id": "long.pdf", "data": dict(zip(fields, values, strict=True)), "fields": fields}
    text = {"id": "2", "data": {"where": None}, "text": "none"}
    made = write_lines(tmp_path / "made.jsonl", line, text)
    return report(tmp_path, str(made), "--documents", "long.pdf")


def test_a_value_and_its_box_point_at_each_other(browser, pages):
    browser.open(pages)
    shown = (
        "[...document.querySelectorAll('.sheet img')].map(e => [e.alt, e.loading, e.width > 99])"
    )
    assert browser.run(shown) == [[f"Page {n}", "lazy", True] for n in (1, 2, 8, 9)]
    assert browser.text(".gap") == "Pages 3 to 7 have no values."
    active = "[...document.querySelectorAll('.active')].map(e => e.dataset.values)"
    in_sight = (
        "(b => { const p = document.querySelector('.pages').getBoundingClientRect(),"
        " r = b.getBoundingClientRect(); return r.top >= p.top && r.bottom <= p.bottom })"
        "(document.querySelector('.box[data-values=\"1\"]'))"
    )
    assert not browser.run(in_sight)
    browser.press("n", "n")
    assert {*browser.run(active)} == {"1"}
    assert browser.run(in_sight)
    browser.click(".box[data-values='0']")
    assert {*browser.run(active)} == {"0"}
    assert browser.run("document.querySelector('tr.active bdi').textContent") == "<b>brand"
    browser.press("+", "v")
    assert browser.run("document.querySelector('.pages').offsetParent === null")
    assert browser.text("mark.active") == "Nordvik"
    browser.press("v", "n", "p", "p")
    assert "May!B7" in browser.text("tr.active")
    browser.press("j")
    assert browser.run("document.querySelectorAll('.sheet, .view-bar').length") == 0
    assert browser.complaints() == []


def test_pictures_beside_the_page_are_loaded(browser, pages, monkeypatch):
    from hpd.evaluation import report_pages

    monkeypatch.setattr(report_pages, "MAX_EMBEDDED", 0)
    made = pages.with_name("made.jsonl")
    page = report(pages.parent, str(made), "--documents", "long.pdf", "--overwrite")
    browser.open(page)
    browser.wait_for("document.querySelector('.sheet img').naturalWidth > 400")
    assert browser.complaints() == []


# --- gold ---


def saved(browser):
    """The text of the file that the page saves."""
    browser.run("URL.createObjectURL = blob => { window.saved = blob; return 'data:,'; }")
    browser.click("#save")
    return browser.run("window.saved.text()")


def edit(browser, text):
    """Type a value for the row that is pointed out."""
    browser.press("e")
    browser.run("document.activeElement.value = ''")
    browser.press(*text, ENTER)


def test_checked_values_are_saved_as_gold(browser, tmp_path):
    texts = ["Nordvik \N{GRINNING FACE} </script> \u2028", "Kestrel", "none"]
    data = [
        {"brand": "Nordvik", "price": 4.0, "n": 10**20, "new": True, "tags": ["a", "b"], "o": {}},
        {"brand": "Kestrel", "price": None, "tags": [], "lines": [{"q": 1, "w": None}]},
        {"brand": None},
    ]
    rows = zip("xyz", texts, data, strict=True)
    lines = [
        {"id": f"i{id_}", "data": each, "text": text, "input": {"category": "Coats"}}
        for id_, text, each in rows
    ]
    page = report(tmp_path, str(write_lines(tmp_path / "made.jsonl", *lines)))
    browser.open(page)
    assert browser.run("document.getElementById('save').disabled")
    browser.press("A")
    line = gold_line("ix", texts[0], data[0] | {"o": None}, "Coats")
    assert saved(browser) == line
    assert browser.text("#saved") == "Gold of 1 document saved."
    # The second: another brand; the price, a number by the first; the only tag.
    browser.press("j", "n")
    edit(browser, 'Ne"w')
    browser.press("n")
    edit(browser, "many")
    assert browser.text(".edit .note") == "This is no number."
    browser.press(ESCAPE)
    edit(browser, "12.50")
    browser.press("n")
    edit(browser, "red")
    gold = {"brand": 'Ne"w', "price": 12.5, "tags": ["red"]}
    other = gold_line("iy", texts[1], gold, "Coats").replace("12.5", "12.50")
    assert saved(browser) == line + other
    assert "1 checked in part" in browser.text("#saved")
    # What was checked is still there when the page is opened again, and can be taken back.
    browser.open(page)
    assert saved(browser) == line + other
    browser.press("j")
    for row in (1, 2, 3):
        browser.click(f"tbody tr:nth-child({row}) .accept")
    assert saved(browser) == line
    # A list loses an item that is none; an emptied text is none.
    browser.press("k", "n", "p", "p")
    edit(browser, "")
    assert json.loads(saved(browser))["gold"]["tags"] == ["a"]
    assert browser.complaints() == []
