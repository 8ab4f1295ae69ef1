"""Draws docs/first-minutes.svg for the README: real commands and their output in a terminal.

Run it with ``python -m tools.terminal``.
"""

from __future__ import annotations

import io
import re
import subprocess

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
"""Overwritten text: earlier states of a progress bar."""
_CURSOR = re.compile(r"\x1b\[\?\d+[hl]")
_FONTS = re.compile(r"@font-face \{.*?\}", re.DOTALL)
"""Fonts from the network, which repository pages do not load."""


def terminal_output(command: str) -> str:
    """Return a command's output as a terminal shows it, with colors."""
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


def main() -> None:
    """Draw the picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for command in COMMANDS:
        console.print(Text(f"$ {command}", style="bold green"))
        console.print(Text.from_ansi(terminal_output(command)))
        console.print()
    svg = console.export_svg(title="hpd", unique_id="first-minutes")
    PICTURE.write_text(_FONTS.sub("", svg), encoding="utf-8")


if __name__ == "__main__":
    main()
