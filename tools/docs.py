"""Updates the output of commands in README.md and docs/*.md.

An HTML comment before a code block says what the block is::

    <!-- command: install -->     a command that tests and .ci/run refer to by name
    <!-- output: hpd --help -->   the output of this command, written by this program

``python -m tools.docs [PAGE ...]`` runs the commands of all output blocks and writes their output.
In them, ``hpd`` is that of the running Python, with the bundled model.
"""

from __future__ import annotations

import argparse
import contextlib
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
    """Yield the marked blocks of a page, in order."""
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield Block(page, match["kind"], match["what"], match["text"])


def command(name: str) -> str:
    """Return the README's command with a name."""
    (text,) = (b.text for b in blocks(PAGES[0]) if b.kind == "command" and b.what == name)
    return text.strip()


@contextlib.contextmanager
def hpd_on_path() -> Iterator[dict[str, str]]:
    """Yield an environment whose ``hpd`` is that of this Python, with the bundled model."""
    with tempfile.TemporaryDirectory() as folder:
        shim = Path(folder) / "hpd"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hpd.cli "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
        path = [folder, str(Path(sys.executable).parent), os.environ["PATH"]]
        others = {name: value for name, value in os.environ.items() if name != "HPD_MODEL"}
        yield {**others, "PATH": os.pathsep.join(path)}


def run(line: str, folder: Path = ROOT, model: Path | None = None) -> str:
    """Run a command in a folder; return what it writes to both streams.

    ``hpd`` uses ``model``, or the bundled one.

    Raises:
        RuntimeError: the command fails.
    """
    settings = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHON_COLORS": "0"}
    settings |= {"HPD_MODEL": str(model)} if model else {}
    with hpd_on_path() as environment:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=folder,
            env={**environment, **settings},
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
    """Update the output blocks of a page; return whether anything changed."""

    def updated(match: re.Match[str]) -> str:
        if match["kind"] != "output":
            return match.group()
        printed = "\n".join(line.rstrip() for line in run(match["what"]).splitlines())
        return f"<!-- output: {match['what']} -->\n```{match['language']}\n{printed}\n```\n"

    before = page.read_text(encoding="utf-8")
    after = _BLOCK.sub(updated, before)
    page.write_text(after, encoding="utf-8")
    return after != before


def main() -> None:
    """Update the given pages; by default, all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    for page in parser.parse_args().pages:
        print(f"{page.name}: {'changed' if refresh(page.resolve()) else 'unchanged'}")


if __name__ == "__main__":
    main()
