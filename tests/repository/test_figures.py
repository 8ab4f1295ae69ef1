"""Figures in the pages: where one was measured, the section has the command that makes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import docs

PAGES = (*docs.PAGES, docs.ROOT / "models" / "README.md", docs.ROOT / "CHANGELOG.md")

UNITS = (
    r"ms\b|µs\b|s\b|milliseconds|seconds\b|minutes\b|hours\b"
    r"|(?:documents|docs|tokens|titles)(?:/s\b| a second)|[KMGkm]i?B\b|%|points?\b|times (?:as|the|AR|that|faster)|F1\b"
)
FIGURE = re.compile(rf"(?<![\w.$-])\d[\d,]*(?:\.\d+)?[ \N{{NO-BREAK SPACE}}]?(?:{UNITS})")
FIGURE_COLUMN = re.compile(r"\bF1\b|\bms\b|\b[PR]\b|^x |^/ |docs/s|[KMG]i?B\b|steps|plain|strict")
NUMBER = re.compile(r"^[*`~≈]*[+-]?\d[\d,.]*")

COMMAND = re.compile(
    r"(?:^|[`\s(])(?:\$BENCH|hpd [a-z]|python (?:-m )?[\w./-]+|(?:nice )?pytest |nox -s|"
    r"(?:bash )?(?:benchmarks|models)/[\w/.-]+\.(?:sh|py))",
    re.MULTILINE,
)

FENCE = re.compile(r"^[ ]*```(\w*)\n(.*?)^[ ]*```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """The text below a heading, down to the next one."""

    page: str
    title: str
    text: str

    def has_command(self) -> bool:
        return bool(COMMAND.search(self.text))

    def figures(self) -> list[str]:
        """Everything that looks measured, in prose, in printed output and in tables."""
        text = FENCE.sub(lambda block: block[2] if block[1] in ("", "text") else "", self.text)
        return [match.group() for match in FIGURE.finditer(text)] + list(table_figures(text))


def table_figures(text: str) -> Iterator[str]:
    """Numbers in columns of tables whose heads name a measure."""
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = [
            [cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines()
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


if __name__ == "__main__":
    for page in PAGES:
        for s in sections(page):
            f = s.figures()
            if f and not s.has_command():
                print(f"{s.page} # {s.title}: {f[:14]}")
