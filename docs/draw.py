"""Draws how-it-works.svg: one answer token after token, and all its values at once.

Run it after changing it: ``python docs/draw.py``. Words stand for tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

OUTPUT = Path(__file__).with_name("how-it-works.svg")

DOCUMENT = "Diesel High-Top Sneaker, Black, 10 M US"
VALUES = {
    "Brand": ['"Diesel', '"'],
    "Color": ['"Black', '"'],
    "Size": ['"10', "M", "US", '"'],
    "Material": ["null"],
}

CELL, ROW, GAP = 52, 30, 4
LEFT, PROMPT = 16, 300
INK, PAPER, GREY = "#1f2933", "#ffffff", "#e4e7eb"
FILLS = ("#bfdbfe", "#bbf7d0", "#fde68a", "#fbcfe8")


def main() -> None:
    """Write the picture."""
    parts: list[str] = []
    y = title(
        parts, 24, "One token after the other: the answer has to be written out, keys and all"
    )
    y, n_serial = serial(parts, y)
    y = title(
        parts, y + 34, "Hyper-parallel: every value goes on from its own key, at the same time"
    )
    y, n_parallel = parallel(parts, y)
    y = title(
        parts, y + 30, f"{n_serial} decode steps after the prompt, or {n_parallel}.", weight="bold"
    )
    width = LEFT * 2 + PROMPT + GAP + 13 * CELL
    OUTPUT.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" '
        f'font-family="sans-serif" font-size="13">\n'
        f'<rect width="{width}" height="{y}" fill="{PAPER}"/>\n' + "\n".join(parts) + "\n</svg>\n",
        encoding="utf-8",
    )


def serial(parts: list[str], y: int) -> tuple[int, int]:
    """The autoregressive answer, wrapped; returns where it ends, and its decode steps."""
    tokens: list[tuple[str, str]] = []
    for i, (name, value) in enumerate(VALUES.items()):
        opening = '{"' if i == 0 else '"'
        tokens += [(opening + name, GREY), ('":', GREY)]
        tokens += [(word, FILLS[i]) for word in value]
    tokens.append(("}", GREY))
    box(parts, LEFT, y, PROMPT, DOCUMENT, GREY)
    cells(parts, y, tokens[:13])
    cells(parts, y + ROW + 18, tokens[13:], first=13)
    # The row that ends the prompt gives the first token: the last one costs no further step.
    return y + 2 * ROW + 36, len(tokens) - 1


def parallel(parts: list[str], y: int) -> tuple[int, int]:
    """A row for each value; returns where they end, and the decode steps of the longest."""
    height = len(VALUES) * (ROW + GAP) - GAP
    key_width = 104
    box(parts, LEFT, y, PROMPT - key_width - GAP, "", GREY, height)
    for offset, text in ((-8, "Diesel High-Top Sneaker,"), (10, "Black, 10 M US")):
        label(parts, LEFT + (PROMPT - key_width - GAP) / 2, y + height / 2 + offset + 2, text)
    for i, (name, value) in enumerate(VALUES.items()):
        top = y + i * (ROW + GAP)
        box(parts, LEFT + PROMPT - key_width, top, key_width, f'{{"{name}":', FILLS[i])
        cells(parts, top, [(word, FILLS[i]) for word in value], numbered=i == len(VALUES) - 1)
    longest = max(len(value) for value in VALUES.values())
    for step in range(longest):
        number(parts, step, y + height)
    return y + height + 18, longest - 1


def cells(
    parts: list[str],
    y: int,
    tokens: Sequence[tuple[str, str]],
    first: int = 0,
    numbered: bool | None = None,
) -> None:
    """Tokens side by side, with the number of the step that computes each."""
    for i, (text, fill) in enumerate(tokens):
        box(parts, LEFT + PROMPT + GAP + i * CELL, y, CELL - GAP, text, fill)
        if numbered is None:
            number(parts, i, y + ROW, first + i)


def number(parts: list[str], column: int, y: float, step: int | None = None) -> None:
    """A step's number under its column; the prompt itself is step 0."""
    step = column if step is None else step
    x = LEFT + PROMPT + GAP + column * CELL + (CELL - GAP) / 2
    text = "prompt" if step == 0 else str(step)
    parts.append(
        f'<text x="{x:g}" y="{y + 13:g}" font-size="10" fill="#616e7c" '
        f'text-anchor="middle">{text}</text>'
    )


def box(
    parts: list[str], x: float, y: float, width: float, text: str, fill: str, height: float = ROW
) -> None:
    """A rounded rectangle around a text."""
    parts.append(
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" '
        f'fill="{fill}" stroke="{INK}" stroke-width="0.5"/>'
    )
    if text:
        label(parts, x + width / 2, y + height / 2, text, small=width < PROMPT / 2)


def label(parts: list[str], x: float, y: float, text: str, *, small: bool = False) -> None:
    """A text around its middle."""
    size = 9.5 if small else 12
    parts.append(
        f'<text x="{x:g}" y="{y + size / 3:g}" font-family="monospace" font-size="{size}" '
        f'fill="{INK}" text-anchor="middle">{escape(text)}</text>'
    )


def title(parts: list[str], y: int, text: str, weight: str = "normal") -> int:
    """A line of text; returns where what follows begins."""
    parts.append(
        f'<text x="{LEFT}" y="{y}" font-weight="{weight}" fill="{INK}">{escape(text)}</text>'
    )
    return y + 14


if __name__ == "__main__":
    main()
