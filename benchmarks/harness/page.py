"""Writes results from their JSON files into the pages.

A page has slots for results::

    <!-- result: zero-shot -->
    ... written by this module ...
    <!-- end of result -->

and may have headlines in its sentences, between ``<!-- headline: zero-shot -->`` and
``<!-- end of headline -->``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.harness.result import Conditions, Result, load_results
from tools.docs import PAGES

_SLOT = re.compile(
    r"(?P<start><!-- (?P<kind>result|headline): (?P<part>[\w-]+) -->\n?)(?P<text>.*?)"
    r"(?P<end><!-- end of (?P=kind) -->)",
    re.DOTALL,
)


def write_all(results: Path) -> list[Path]:
    """Update all pages; return those that changed."""
    measured = load_results(results)
    changed = []
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = with_results(before, measured)
        if after != before:
            page.write_text(after, encoding="utf-8")
            changed.append(page)
    return changed


def with_results(text: str, results: Mapping[str, Result]) -> str:
    """Return a page's text with slots filled in; those without a result are unchanged."""

    def filled(match: re.Match[str]) -> str:
        result = results.get(match["part"])
        if match["kind"] == "result":
            text = shown(result) if result else match["text"] or "Not measured yet.\n"
        else:
            text = result.finding.headline if result else match["text"]
        return f"{match['start']}{text}{match['end']}"

    return _SLOT.sub(filled, text)


def shown(result: Result) -> str:
    """Return a result's tables, command and conditions as Markdown."""
    tables = [f"{table.caption}:\n\n{table.markdown()}\n\n" for table in result.finding.tables]
    notes = [f"{note}\n" for note in result.finding.notes]
    conditions = conditions_sentence(result.conditions)
    return "".join([*tables, *notes, f"Measured by `{result.commands[-1]}`: {conditions}\n"])


def conditions_sentence(conditions: Conditions) -> str:
    """Summarise the conditions in a sentence; the result's file has all of them."""
    threads = f", {conditions.n_threads} of them used" if conditions.n_threads else ""
    models = " and ".join(f"`{name}`" for name in conditions.models)
    trial = "" if conditions.limit is None else f", a trial with {conditions.limit} documents"
    cores = f"{conditions.n_cores} cores of {conditions.processor}"
    return f"{conditions.date}, {cores}{threads}; {models or 'no model'}{trial}."
