"""The time that the page of a report takes to open and to filter, in headless Chromium.

    python -m benchmarks.pages                  10,000 documents of about 150 characters
    python -m benchmarks.pages -n 1000 --characters 5000

"open" is the time from the start of the navigation until the first document is on the screen and
its list answers; "filter" from the press of a control until the frame that shows the result. Both
are medians over the rounds, the slowest round in brackets.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hpd.cli import main as hpd
from hpd.cli.common import table
from tools.browser import Browser, headless_browser

CHOICES: dict[str, tuple[str | None, ...]] = {
    "Brand": ("Diesel", "Nordvik", "Kestrel", "Ünal", "Marlow", "Óskar"),
    "Product Type": ("Sneaker", "Coat", "Lamp", "Tent", "Kettle"),
    "Color": ("Black", "Dark Green", "Red", "Navy Blue"),
    "Size": ("10 M US", "XL", "42", None),
    "Material": ("Wool", "Leather", "Cotton", None),
    "Gender": ("Men's", "Women's", None),
    "Weight": ("2.5 kg", None, None),
    "Pack": (None,),
}
CATEGORIES = ("Shoes", "Home", "Outdoor")
FILLER = "Made for long walks in all weathers, with a lining that breathes. "


def made_extractions(n: int, n_characters: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Lines as ``hpd extract --with-text`` writes them, each with its gold in ``gold``.

    Some values are wrong, some stand nowhere, every 400th document failed, every 7th begins with
    an emoji, whose two UTF-16 units are one character.
    """
    chance = random.Random(seed)
    for number in range(1, n + 1):
        gold = {name: chance.choice(choices) for name, choices in CHOICES.items()}
        text = "\N{GRINNING FACE} " * (number % 7 == 0) + " ".join(filter(None, gold.values()))
        text = f"{text}. {FILLER * (n_characters // len(FILLER) + 1)}"[:n_characters]
        line = {"text": text, "input": {"category": chance.choice(CATEGORIES), "price": number}}
        if number % 400 == 0:
            error = {"type": "ContextOverflowError", "message": "5000 tokens, room for 4096"}
            yield {"id": f"p{number}", "error": error, **line, "gold": gold}
            continue
        data: dict[str, str | None] = {}
        fields: dict[str, dict[str, Any]] = {}
        for name, value in gold.items():
            confidence = max(0.01, 1 - abs(chance.gauss(0, 0.2)))
            if chance.random() > confidence + 0.1:
                value = chance.choice((None, "Beige", value))
            data[name] = value
            fields[name] = {"confidence": round(confidence, 4)}
            if value is not None:
                start = text.find(value)
                place = {"start": start, "end": start + len(value), "match": "exact"}
                fields[name] |= place if start >= 0 else {"match": "none"}
        yield {"id": f"p{number}", "data": data, "fields": fields, **line, "gold": gold}


def write_made(folder: Path, n: int, n_characters: int) -> tuple[Path, Path]:
    """A file of extractions and one of gold for them."""
    made, gold = folder / "made.jsonl", folder / "gold.jsonl"
    with made.open("w", encoding="utf-8") as lines, gold.open("w", encoding="utf-8") as golds:
        for line in made_extractions(n, n_characters):
            own = {
                "id": line["id"],
                "category": line["input"]["category"],
                "gold": line.pop("gold"),
            }
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
            golds.write(json.dumps(own, ensure_ascii=False) + "\n")
    return made, gold


# Two frames: what a control changes is laid out and painted when the second one begins.
_PAINTED = """
const done = arguments[arguments.length - 1];
const painted = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
"""
_OPENED = f"""{_PAINTED}
const list = document.getElementById("list");
painted(() => {{
  if (!list.querySelector(".row")) throw new Error("no document is shown");
  done(performance.now());
}});
"""
_FILTERED = f"""{_PAINTED}
const control = document.querySelector(arguments[0]);
const start = performance.now();
if (arguments[1] === null) {{
  control.click();
}} else {{
  control.value = arguments[1];
  control.dispatchEvent(new Event("input"));
}}
painted(() => done([performance.now() - start, document.getElementById("n-shown").textContent]));
"""
FILTERS: dict[str, tuple[str, str | None]] = {
    "search a word": ("#query", "nordvik"),
    "search a letter": ("#query", "a"),
    "an attribute": ("#attribute", "2"),
    "null": ("[data-kind=null]", None),
    "ungrounded": ("[data-kind=ungrounded]", None),
    "low confidence": ("[data-kind=low]", None),
    "not right": ("#outcome", "vw vn nv"),
    "least confident first": ("#order", "confidence"),
}


def measure(browser: Browser, page: Path, n_rounds: int) -> dict[str, list[float]]:
    """Milliseconds of every round, for opening and for each filter."""
    times: dict[str, list[float]] = {}
    for _ in range(n_rounds):
        browser.open(page)
        times.setdefault("open", []).append(browser.driver.execute_async_script(_OPENED))
        for name, (control, value) in FILTERS.items():
            took, left = browser.driver.execute_async_script(_FILTERED, control, value)
            if not left:
                raise RuntimeError(f"{name}: the page does not say how many are left")
            times.setdefault(name, []).append(took)
            browser.choose("order", "file")
            browser.click("#clear")
    return times


def main() -> None:
    """Make a report, measure it, print the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-n", "--documents", type=int, default=10_000)
    parser.add_argument("--characters", type=int, default=150, help="of each document")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, headless_browser() as browser:
        folder = Path(name)
        made, gold = write_made(folder, arguments.documents, arguments.characters)
        page = folder / "report.html"
        hpd(["report", str(made), str(gold), "-o", str(page)])
        times = measure(browser, page, arguments.rounds)
        size = page.stat().st_size / 1e6
    rows = [["milliseconds", "median", "slowest"]]
    rows += [
        [name, f"{statistics.median(took):.0f}", f"({max(took):.0f})"]
        for name, took in times.items()
    ]
    print(f"{arguments.documents} documents of {arguments.characters} characters, {size:.1f} MB")
    print(table(rows))


if __name__ == "__main__":
    main()
