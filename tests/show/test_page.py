"""A page in one file: what stands in it ends nothing, and its policy allows its own script only."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hpd
from hpd.show.page import content_policy, render_page, script_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Elements(HTMLParser):
    """The elements of a page with their attributes, and what stands in style and script."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.starts = []
        self.contents = {"style": [], "script": []}
        self.inside = None

    def handle_starttag(self, tag, attrs):
        self.starts.append((tag, dict(attrs)))
        self.inside = tag if tag in self.contents else None
        if self.inside is not None:
            self.contents[tag].append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside is not None:
            self.contents[self.inside][-1] += data


@pytest.fixture
def template(tmp_path):
    path = tmp_path / "hello.html"
    path.write_text('{% extends "page.html" %}{% block body %}<p>{{ who }}</p>{% endblock %}')
    path.with_suffix(".css").write_text("p { color: red }\n")
    path.with_suffix(".js").write_text("byId('x');\n")
    return path


def parsed(page):
    elements = Elements()
    elements.feed(page)
    return elements


@given(JSON)
def test_json_in_a_script_element_is_the_same_and_ends_nothing(data):
    text = script_json(data)
    assert not re.search("[<>&]", text)
    assert json.loads(text) == data


def test_a_lone_surrogate_can_be_written():
    assert json.loads(script_json("a\ud800").encode()) == "a\ud800"
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json(float("nan"))


def test_the_policy_allows_the_page_s_own_style_and_script(template):
    elements = parsed(render_page(template, data={"a": "</script><b>"}, who="<b>&"))
    (policy,) = (
        attributes["content"]
        for tag, attributes in elements.starts
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    data, script = elements.contents["script"]
    (style,) = elements.contents["style"]
    assert json.loads(data) == {"a": "</script><b>"}
    for kind, content in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "b" not in [tag for tag, _ in elements.starts]


def test_a_page_asks_for_nothing(template):
    page = render_page(template, data=None, who="")
    for tag, attributes in parsed(page).starts:
        assert not {name for name in attributes if name.startswith("on") or name == "style"}, tag
        assert "src" not in attributes
        assert attributes.get("href") in (None, "data:,")
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "@import" not in page
    assert "url(" not in page


def test_only_a_page_that_calls_home_may(template):
    assert "connect-src 'none'" in content_policy("", "", may_call_server=False)
    assert "connect-src 'self'" in content_policy("", "", may_call_server=True)
    page = html.unescape(render_page(template, data=None, who="", may_call_server=True))
    assert "connect-src 'self'" in page
    assert "default-src 'none'" in page


def test_scripts_never_make_markup():
    scripts = [*Path(hpd.__file__).parent.rglob("*.js")]
    assert len(scripts) >= 3
    for path in scripts:
        code = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", code)
