"""Invoices of one and of two lines, as one who tries hpd types them: how many are wholly right.

    PYTHONPATH=python:models python models/recipe/short_invoices.py [-m MODEL] [--layout LAYOUT]

Their facts are drawn with a fixed seed, and nothing here may be trained on.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import hpd
from recipe.trial_settings import trial_parser, trial_settings

SCHEMA = (
    "number, seller, date date, total float, currency, lines [{item, quantity int, price float}]"
)
ITEMS = (
    "desk lamp", "toner", "office chair", "keyboard", "gloves", "coffee beans", "monitor",
    "router", "training day",
)  # fmt: skip
SHAPES = ("{q} x {i} {p} EUR", "{i}, {q} pcs, {p} EUR")


def invoices(n_lines: int, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Texts with so many lines of goods, and what they state."""
    rng = Random(n_lines)
    for _ in range(count):
        shape = rng.choice(SHAPES)
        lines = [
            {"item": item, "quantity": rng.randint(2, 12), "price": rng.randint(12, 390)}
            for item in rng.sample(ITEMS, n_lines)
        ]
        total = sum(line["quantity"] * line["price"] for line in lines)  # type: ignore[operator]
        rows = [shape.format(q=ln["quantity"], i=ln["item"], p=ln["price"]) for ln in lines]
        head = ["Invoice INV-5769", "From: Kestrel Group", "Date: 2022-11-20"]
        yield (
            "\n".join([*head, *rows, f"Total: {total} EUR"]),
            {
                "number": "INV-5769",
                "seller": "Kestrel Group",
                "date": "2022-11-20",
                "total": total,
                "currency": "EUR",
                "lines": lines,
            },
        )


def main() -> None:
    """Print how many are wholly right."""
    settings = trial_settings(trial_parser(__doc__.splitlines()[0]).parse_args())
    with hpd.Extractor(SCHEMA, **settings) as extractor:
        for n_lines in (1, 2):
            drawn = list(invoices(n_lines, 40))
            found = extractor.extract_many(text for text, _ in drawn)
            n = sum(one.data == gold for one, (_, gold) in zip(found, drawn, strict=True))
            print(f"with {n_lines} lines: {n} of {len(drawn)} wholly right")


if __name__ == "__main__":
    main()
