"""The page at ``/``, in headless Chromium: a text, a schema, and the values where they stand."""

import io
import json

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client", "selenium"):
    pytest.importorskip(package)

from browser import DESKTOP, PHONE, has_browser, headless_browser
from server_process import serving

pytestmark = pytest.mark.skipif(
    not has_browser(), reason="Chromium and its driver are not installed"
)


@pytest.fixture(scope="module")
def browser():
    with headless_browser() as browser:
        yield browser


def fill(browser, name, value):
    browser.run("document.getElementById(arguments[0]).value = arguments[1]", name, value)


def marks(browser):
    return list(browser.run("[...document.querySelectorAll('mark')].map(e => e.textContent)"))


def assert_looks_as_it_should(browser, width, theme):
    """A picture of the page: as wide as the window, of the theme's colours, with marks in it."""
    image = pytest.importorskip("PIL.Image")
    shot = image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    assert shot.width == width
    ground = shot.getpixel((2, shot.height // 2))
    assert (min(ground) > 200) if theme == "light" else (max(ground) < 60)
    box = browser.run("document.querySelector('mark').getBoundingClientRect().toJSON()")
    left, top = round(box["left"]), round(box["top"])
    assert shot.getpixel((left + 1, top + 3)) != ground


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_values_are_shown_where_they_stand(browser, server, size, theme):
    browser.open(server.url, size, theme)
    fill(browser, "text", "Diesel \N{GRINNING FACE} T-Shirt for Men, Black, XL <b>")
    fill(browser, "schema", "brand: the maker, color")
    browser.click("#run")
    browser.wait_for("document.querySelectorAll('mark').length === 2")
    assert marks(browser) == ["Diesel", "Black"]
    assert "XL <b>" in browser.text("#result .text")
    sent = json.loads(browser.run("document.getElementById('json').textContent"))
    assert sent["schema"] == "brand: the maker, color"
    assert sent["text"].endswith("XL <b>")
    curl = browser.run("document.getElementById('curl').textContent")
    assert f"{server.url}/extract" in curl
    assert browser.complaints() == []
    browser.press("n")
    active = "document.querySelector('tr.active th').textContent"
    assert browser.run(active) == "brand"
    assert browser.run("document.documentElement.scrollWidth <= window.innerWidth")
    browser.run("document.querySelector('mark').scrollIntoView({block: 'center'})")
    assert_looks_as_it_should(browser, size[0], theme)
    schema = {"type": "object", "properties": {"color": {"type": "string"}}}
    fill(browser, "schema", json.dumps(schema))
    browser.click("#run")
    browser.wait_for("document.querySelectorAll('mark').length === 1")
    assert marks(browser) == ["Black"]


def test_what_is_wrong_is_said(browser, server):
    browser.open(server.url)
    for schema, message in (("a [red|", "schema"), ("{", "JSON")):
        fill(browser, "schema", schema)
        browser.click("#run")
        browser.wait_for("!document.getElementById('message').hidden")
        assert message in browser.text("#message")
        assert marks(browser) == []


def test_a_key_is_asked_for_where_there_is_one(browser):
    with serving("-t", "1", "--api-key", "secret") as server:
        browser.open(server.url)
        fill(browser, "key", "wrong")
        browser.click("#run")
        browser.wait_for("!document.getElementById('message').hidden")
        assert "API key is missing or wrong" in browser.text("#message")
        fill(browser, "key", "secret")
        browser.click("#run")
        browser.wait_for("document.querySelectorAll('mark').length > 0")
        assert "Nordvik" in marks(browser)
