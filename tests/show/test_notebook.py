"""An extraction in a notebook: static HTML, in which nothing of the document is markup."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hpd.show.page import extraction_html

TEXT = 'A <b>"Diesel"</b> & co. 😀 shoe'


class Content(HTMLParser):
    """The text of the document and of each mark, and all tags."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags = []
        self.open = []
        self.text = ""
        self.marks = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if any(attributes.get("class") == "text" for _, attributes in self.open):
            self.text += data
            if self.open[-1][0] == "mark":
                self.marks.append((data, self.open[-1][1].get("data-label")))


def content(line, text):
    parser = Content()
    parser.feed(extraction_html(line, text))
    assert parser.open == []
    return parser


def test_values_are_marked_where_they_stand():
    start = TEXT.index("shoe")
    line = {
        "data": {"brand": "Diesel", "type": "shoe", "all": "Diesel shoe"},
        "fields": {
            "brand": {"start": 6, "end": 12, "match": "exact", "confidence": 0.97},
            "type": {"start": start, "end": start + 4, "match": "exact"},
            "all": {"match": "none"},
        },
    }
    shown = content(line, TEXT)
    assert shown.text == TEXT
    assert shown.marks == [("Diesel", "brand"), ("shoe", "type")]
    page = extraction_html(line, TEXT)
    assert "0.97" in page
    assert page.count("not in the text") == 1


@given(st.text(st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"])))
def test_nothing_that_a_document_says_is_markup(text):
    field = {"start": 0, "end": 3, "match": "exact", "error": text, "raw": text}
    line = {"data": {text: text, "b": [text]}, "fields": {text: field}}
    # HTML itself drops a line feed at the start of nothing but pre and textarea.
    shown = content(line, text)
    assert shown.text == text
    allowed = "div style table thead tbody tr th td mark span bdi"
    assert set(shown.tags) <= set(allowed.split())


def test_a_failure_is_shown():
    line = {"error": {"type": "ContextOverflowError", "message": "<too> long"}}
    assert "ContextOverflowError: &lt;too&gt; long" in extraction_html(line, "text")


def test_a_check_that_did_not_pass_is_shown():
    check = {"check": "a < b", "passed": False, "left": 2, "right": 1}
    assert "a &lt; b (2 and 1)" in extraction_html({"data": {"a": 2}, "checks": [check]}, "text")
