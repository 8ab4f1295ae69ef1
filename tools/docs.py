"""The commands in README.md and docs/*.md, and the output that stands under them.

An HTML comment before a code block says what the block holds::

    <!-- command: install -->     a command that tests and .ci/run refer to by name
    <!-- output: hpd --help -->   what this command prints; the block is written by this program

``python -m tools.docs`` runs the commands of all output blocks and writes what they print;
names of files as arguments restrict it to these. ``hpd`` is the one of the running Python.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
SECONDS = 300

_BLOCK = re.compile(
    r"<!-- (?P<kind>command|output): (?P<what>[^\n]*?) -->\n"
    r"```(?P<language>\w*)\n(?P<text>.*?)```\n",
    re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A marked code block of a page."""

    page: Path
    kind: str
    what: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """The marked blocks of one page, in order."""
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield Block(page, match["kind"], match["what"], match["text"])


def command(name: str) -> str:
    """The text of the README's command of that name."""
    (found,) = (b.text for b in blocks(PAGES[0]) if b.kind == "command" and b.what == name)
    return found.strip()


def run(line: str) -> str:
    """What a command prints, both streams, in the repository's root; it must succeed."""
    with tempfile.TemporaryDirectory() as folder:
        shim = Path(folder) / "hpd"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hpd.cli "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=ROOT,
            env={
                **os.environ,
                "PATH": os.pathsep.join(
                    [folder, str(Path(sys.executable).parent), os.environ["PATH"]]
                ),
                "COLUMNS": "100",
                "NO_COLOR": "1",
                "PYTHON_COLORS": "0",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
            text=True,
            encoding="utf-8",
        )
    if done.returncode:
        raise RuntimeError(f"{line}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def refresh(page: Path) -> bool:
    """Write anew what the output blocks of a page hold; whether anything changed."""

    def renewed(match: re.Match[str]) -> str:
        if match["kind"] != "output":
            return match.group()
        printed = "\n".join(line.rstrip() for line in run(match["what"]).splitlines())
        return f"<!-- output: {match['what']} -->\n```{match['language']}\n{printed}\n```\n"

    before = page.read_text(encoding="utf-8")
    after = _BLOCK.sub(renewed, before)
    page.write_text(after, encoding="utf-8")
    return after != before


def main() -> int:
    """Refresh pages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    for page in parser.parse_args().pages:
        changed = refresh(page.resolve())
        print(f"{page.name}: {'changed' if changed else 'as it was'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
