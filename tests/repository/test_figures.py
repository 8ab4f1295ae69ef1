"""Figures in the pages: where one was measured, the section has the command that makes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools import docs

PAGES = (*docs.PAGES, docs.ROOT / "models" / "README.md", docs.ROOT / "CHANGELOG.md")

UNITS = (
    r"ms\b|µs\b|s\b|milliseconds|seconds\b|minutes\b|hours\b"
    r"|(?:documents|docs|tokens|titles)(?:/s\b| a second)"
    r"|[KMGkm]i?B\b|%|points?\b|times (?:as|the|AR|that|faster)|F1\b"
)
FIGURE = re.compile(rf"(?<![\w.$-])\d[\d,]*(?:\.\d+)?[ \N{{NO-BREAK SPACE}}]?(?:{UNITS})")
FIGURE_COLUMN = re.compile(r"\bF1\b|\bms\b|\b[PR]\b|^x |^/ |docs/s|[KMG]i?B\b|steps|plain|strict")
NUMBER = re.compile(r"^[*`~≈]*[+-]?\d[\d,.]*")

MEASURES = re.compile(
    r"(?:\$BENCH|hpd (?:bench|eval|extract|judge|compare|finetune|discover|doctor)\b|"
    r"python (?:-m )?(?:benchmarks|tools|docs|recipe|models)[./]|pytest |nox -s|"
    r"(?:benchmarks|models)/[\w/.-]+\.(?:sh|py))"
)
"""The programs that make figures; one stands in code in the same section."""

LEVEL = "95%"
"""Of intervals."""

FENCE = re.compile(r"^[ ]*```(\w*)\n(.*?)^[ ]*```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """The text below a heading, down to the next one."""

    page: str
    title: str
    text: str

    def has_command(self) -> bool:
        code = re.findall(r"`([^`]+)`|<!-- output: (.+?) -->", self.text.replace("```", "`"))
        return any(MEASURES.search(" ".join(each)) for each in code)

    def figures(self) -> list[str]:
        """Everything that looks measured, in prose, in printed output and in tables."""
        text = FENCE.sub(lambda block: block[2] if block[1] in ("", "text") else "", self.text)
        found = [match.group() for match in FIGURE.finditer(text)]
        return [each for each in found if each != LEVEL] + list(table_figures(text))


def table_figures(text: str) -> Iterator[str]:
    """Numbers in columns of tables whose heads name a measure."""
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = [
            [cell.strip() for cell in line.strip()[1:-1].split("|")] for line in table.splitlines()
        ]
        measures = [i for i, name in enumerate(head) if FIGURE_COLUMN.search(name)]
        for row in rows:
            yield from (row[i] for i in measures if i < len(row) and NUMBER.match(row[i]))


def sections(page: Path) -> Iterator[Section]:
    text = page.read_text(encoding="utf-8")
    hidden = FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text)
    starts = [(0, "")] + [(match.start(), match[1]) for match in HEADING.finditer(hidden)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    for (start, title), end in zip(starts, ends, strict=True):
        yield Section(page.relative_to(docs.ROOT).as_posix(), title, text[start:end])


SECTIONS = {f"{s.page}#{s.title}": s for page in PAGES for s in sections(page) if s.figures()}

NOT_MEASURED = {
    "docs/comparison.md#Results": "the paper's shares, and how a score is computed from them",
    "docs/how-it-works.md#Drafts": "settings of the drafter",
    "docs/performance.md#Documents that come again": "bounds of what is kept",
    "models/README.md#hpd-box: the model in the box": "the size of the file",
}
"""Sections whose numbers with units were not measured here."""


@pytest.mark.parametrize("name", sorted(set(SECTIONS) - set(NOT_MEASURED)))
def test_a_figure_has_the_command_that_makes_it(name: str) -> None:
    section = SECTIONS[name]
    assert section.has_command(), f"without a command: {', '.join(section.figures())}"


@pytest.mark.parametrize(
    "text",
    [
        "It takes 266 ms for a title.",
        "That is 10.1 times as long.",
        "It reads 3,000 tokens a second.",
        "```text\nopen  735 ms\n```",
        "| set | F1 |\n|---|---:|\n| dev | **55.5** (48.9) |\n",
        "| | x `ar` |\n|---|---:|\n| hpd | 2 |\n",
        "`hpd tune` finds what is 20% faster.",
        "```sh\nhpd --help\n```\n20% faster.",
    ],
)
def test_a_figure_without_a_command_is_noticed(text: str) -> None:
    section = Section("page.md", "", text)
    assert section.figures()
    assert not section.has_command()


@pytest.mark.parametrize(
    "text",
    [
        "It takes 2 ms (`python -m benchmarks.pages`).",
        "```bash\nhpd bench a.jsonl\n```\nIt takes 2 ms.",
        "<!-- output: hpd eval a.jsonl b.jsonl -->\n```text\nF1 88.00%\n```",
    ],
)
def test_a_figure_with_its_command_is_fine(text: str) -> None:
    section = Section("page.md", "", text)
    assert section.figures()
    assert section.has_command()


@pytest.mark.parametrize(
    "text",
    ["512 tokens a batch", "the 95% interval", "version 0.3.36", "| a | n |\n|---|\n| b | 2 |\n"],
)
def test_other_numbers_are_no_figures(text: str) -> None:
    assert Section("page.md", "", text).figures() == []


def test_sections_end_where_the_next_one_begins() -> None:
    page = docs.ROOT / "docs" / "evaluation.md"
    every = list(sections(page))
    assert "".join(section.text for section in every) == page.read_text(encoding="utf-8")
    assert "An example" in [section.title for section in every]
