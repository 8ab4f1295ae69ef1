"""The picture of the first minutes in the README: real commands, and what a terminal shows of them.

``python -m tools.terminal`` runs the commands and draws docs/first-minutes.svg again.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys

from rich.console import Console
from rich.text import Text

from tools.docs import ROOT, hpd_on_path

PICTURE = ROOT / "docs/first-minutes.svg"
COLUMNS = 100
COMMANDS = (
    "hpd extract examples/products/documents.jsonl --schema examples/products/schema.json",
    'hpd schema "brand: the maker, color [white|red], price float"',
    'echo "Luma lamp, 12.50" | hpd extract - --format lines --quiet --schema "brand, price float"',
)
_REDRAWN = re.compile(r"^.*\x1b\[2K", re.MULTILINE)
"""What a terminal has wiped: the earlier states of a progress bar."""
_CURSOR = re.compile(r"\x1b\[\?\d+[hl]")
_FONTS = re.compile(r"@font-face \{.*?\}", re.DOTALL)
"""Fonts from the network, which a page of a repository does not load."""


def terminal_output(command: str) -> str:
    """What a terminal shows of a command, with its colors."""
    with hpd_on_path() as environment:
        done = subprocess.run(
            ["script", "--quiet", "--return", "--command", command, "/dev/null"],
            cwd=ROOT,
            env={**environment, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=True,
        )
    text = done.stdout.decode().replace("\r\n", "\n")
    return _CURSOR.sub("", _REDRAWN.sub("", text))


def main() -> int:
    """Draw the picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for command in COMMANDS:
        console.print(Text(f"$ {command}", style="bold green"))
        console.print(Text.from_ansi(terminal_output(command)))
        console.print()
    svg = console.export_svg(title="hpd", unique_id="first-minutes")
    PICTURE.write_text(_FONTS.sub("", svg), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
