"""Made-up outcomes of made-up documents."""

import random
from dataclasses import replace

from hpd.evaluation.outcomes import OUTCOMES, FieldOutcome


def random_fields(n_rows, seed=0, n_attributes=3):
    """Fields of documents in two categories, in the order of the documents."""
    draw = random.Random(seed)
    return [
        FieldOutcome(
            row,
            (f"category {row % 2}", f"attribute {i}"),
            draw.choice(OUTCOMES),
            is_named=draw.random() < 0.8,
        )
        for row in range(n_rows)
        for i in range(n_attributes)
    ]


def changed(fields, share, seed=1):
    """The same fields, some of them with another outcome."""
    draw = random.Random(seed)
    return [
        replace(field, outcome=draw.choice(OUTCOMES)) if draw.random() < share else field
        for field in fields
    ]
