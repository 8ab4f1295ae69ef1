"""One handwritten wording: its file, its front matter and its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recipe.facts.world import LOCALES

SEPARATOR = re.compile(r"^={5,}\s*$")


class WordingError(ValueError):
    """A wording that cannot be read or rendered, with its file and line."""


@dataclass(frozen=True)
class Wording:
    """A document as somebody wrote it, with slots for facts."""

    file: Path
    line: int
    language: str
    body: str
    states: Mapping[str, Any] = field(default_factory=dict)
    """Golds that the wording itself decides, by path."""
    unclear: frozenset[str] = frozenset()
    """Paths that are not asked for, as a reader could argue about them."""
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    locale: str = ""

    def error(self, problem: object) -> WordingError:
        """An error that says where the wording is."""
        return WordingError(f"{self.file}:{self.line}: {problem}")


def read_wordings(file: Path) -> Iterator[Wording]:
    """The wordings of a file, whose name begins with the language: ``en_threads.txt``.

    They are separated by lines of five or more ``=``; in ``*_lines.txt`` each line is one.
    """
    language = file.name[:2]
    if language not in LOCALES or file.name[2:3] not in ("_", "."):
        raise WordingError(
            f"{file}:1: the file's name begins with none of the languages {', '.join(LOCALES)}"
        )
    lines = file.read_text(encoding="utf-8").splitlines()
    if file.stem.endswith("_lines"):
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield Wording(file, number, language, line.strip())
        return
    start = 0
    for number, line in enumerate([*lines, "====="]):
        if SEPARATOR.match(line):
            part = lines[start:number]
            if any(line.strip() for line in part):
                yield _wording(file, start + 1, language, part)
            start = number + 1


def _wording(file: Path, line: int, language: str, lines: list[str]) -> Wording:
    while not lines[0].strip():
        lines, line = lines[1:], line + 1
    states: dict[str, Any] = {}
    counts: dict[str, tuple[int, int]] = {}
    unclear: set[str] = set()
    locale = ""
    head = 0
    while head < len(lines) and lines[head].startswith("@"):
        key, colon, value = lines[head][1:].partition(":")
        key, value = key.strip(), value.strip()
        where = f"{file}:{line + head}"
        if not colon or not value:
            raise WordingError(f'{where}: a line with @ reads "@key: value"')
        if key == "count":
            for part in value.split(","):
                match = re.fullmatch(r"\s*(\w+) (\d+)(?:-(\d+))?\s*", part)
                if not match:
                    raise WordingError(f'{where}: counts read "items 2" or "items 2-4"')
                counts[match[1]] = (int(match[2]), int(match[3] or match[2]))
        elif key == "unclear":
            unclear |= {part.strip() for part in value.split(",")}
        elif key == "locale":
            if value not in LOCALES[language]:
                raise WordingError(
                    f"{where}: the locales of {language} are {', '.join(LOCALES[language])}"
                )
            locale = value
        else:
            states[key] = json_or_text(value)
        head += 1
    return Wording(
        file,
        line,
        language,
        "\n".join(lines[head:]).strip("\n"),
        states,
        frozenset(unclear),
        counts,
        locale,
    )


def json_or_text(written: str) -> Any:
    """A JSON value where it is one, otherwise the text itself."""
    try:
        return json.loads(written)
    except json.JSONDecodeError:
        return written
