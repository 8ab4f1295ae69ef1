"""The pictures of docs/report.md, docs/comparison.md and docs/serving.md.

``python -m tools.screenshots`` extracts from the examples with the model in the box, makes the
pages, and takes their pictures in headless Chromium, 1280 and 390 pixels wide, light and dark; and
one of the page of ``hpd serve``.
Needs what ``tools.browser`` needs, and Pillow, which makes the files small.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hpd.cli import main as hpd
from hpd.evaluation.comparison import JudgementFile, Session, load_systems, plan_trials
from hpd.evaluation.comparison_views import ComparisonServer
from tools.browser import Browser, headless_browser
from tools.server_process import serving

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
EXAMPLES = ("products", "jobs", "tickets", "invoices", "entities")
SIZES = {"1280": (1280, 800), "390": (390, 844)}
THEMES = ("light", "dark")
N_COLORS = 128
"""Of a picture: few colors make a small file."""

LETTER = """\
Dear Ms. Okafor,

thank you for your order of 12 March 2026. We shipped two desk lamps (black) with DHL; the total is
129.50 EUR. Please pay invoice 2026-0417 within 14 days.

Kind regards,
Tavola GmbH
"""
ASKED = "seller: the company that writes, order_date date, color, total float, invoice_number"
"""The text and the schema on the page of the server."""

SEED = 7
"""Of the comparison: its first document has values that differ."""


def extract(folder: Path, name: str) -> list[dict[str, Any]]:
    """The lines of one example's extractions, with their texts and the example as category."""
    example = ROOT / "examples" / name
    (schema,) = example.glob("schema.*")
    out = folder / "own.jsonl"
    command = ["extract", str(example / "documents.jsonl"), "--schema", str(schema)]
    _must(hpd([*command, "-o", str(out), "--overwrite", "--with-text", "--quiet"]))
    return [{**line, "input": {"category": name}} for line in _rows(out)]


def gold_of(name: str) -> list[dict[str, Any]]:
    """The answers of one example as gold."""
    answers = _rows(ROOT / "examples" / name / "answers.jsonl")
    return [{"id": row["id"], "category": name, "gold": row["data"]} for row in answers]


def take(browser: Browser, name: str) -> None:
    """Save what is in the window."""
    from PIL import Image

    shot = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    path = IMAGES / f"{name}.png"
    shot.quantize(N_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


def report_pictures(browser: Browser, folder: Path) -> None:
    """The report of all examples: its documents, and its overview."""
    made = _write(
        folder / "made.jsonl", [line for name in EXAMPLES for line in extract(folder, name)]
    )
    gold = _write(folder / "gold.jsonl", [row for name in EXAMPLES for row in gold_of(name)])
    page = folder / "report.html"
    _must(hpd(["report", str(made), str(gold), "-o", str(page), "--title", "Examples"]))
    for width, size in SIZES.items():
        for theme in THEMES:
            browser.open(page, size, theme)
            if width == "390":
                take(browser, f"report-list-{width}-{theme}")
                browser.driver.find_elements("css selector", ".row")[1].click()
            else:
                browser.press("j", "n", "n", "n")
            take(browser, f"report-{width}-{theme}")
    browser.open(page, SIZES["1280"], "light")
    browser.press("o")
    take(browser, "report-overview-1280-light")


def comparison_pictures(browser: Browser, folder: Path) -> None:
    """A trial: the products, and beside their values only the last word of each."""
    lines = extract(folder, "products")
    made = {
        "whole": lines,
        "short": [{**line, "data": _last_words(line["data"])} for line in lines],
    }
    files = [_write(folder / f"{name}.jsonl", each) for name, each in made.items()]
    systems = load_systems([str(file) for file in files])
    texts = {line["id"]: line["text"] for line in lines}
    with JudgementFile(folder / "judgements.jsonl") as file:
        session = Session(plan_trials(systems, "ann", seed=SEED), texts, file, "ann", SEED)
        with _serving(session) as url:
            for width, size in SIZES.items():
                for theme in THEMES:
                    browser.open(url, size, theme)
                    take(browser, f"compare-{width}-{theme}")


def server_picture(browser: Browser) -> None:
    """The page of the server, with the values of a letter."""
    with serving() as server:
        browser.open(server.url, (1280, 620))
        browser.choose("text", LETTER)
        browser.choose("schema", ASKED)
        browser.click("#run")
        browser.wait_for("document.querySelector('mark') !== null")
        take(browser, "serve-1280-light")


@contextmanager
def _serving(session: Session) -> Iterator[str]:
    with ComparisonServer(session) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()


def _last_words(data: dict[str, str | None]) -> dict[str, str | None]:
    return {name: value and value.split()[-1] for name, value in data.items()}


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _must(code: int) -> None:
    if code:
        raise RuntimeError(f"hpd ended with {code}")


def main() -> int:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as name, headless_browser() as browser:
        report_pictures(browser, Path(name))
        comparison_pictures(browser, Path(name))
        server_picture(browser)
    return 0


if __name__ == "__main__":
    sys.exit(main())
