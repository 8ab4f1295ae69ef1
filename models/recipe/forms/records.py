"""Records of made-up names, where only copying helps."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe import makeup
from recipe.forms import common
from recipe.forms.form import Form


def make_record(rng: Random) -> Form:
    """Lines of random names with random codes, where only copying helps."""
    pairs = {
        makeup.name(rng).lower() if rng.random() < 0.5 else makeup.name(rng): rng.choice(
            (
                makeup.model_number,
                makeup.name,
                makeup.brand,
                lambda r: makeup.digits(r, 1, 7),
                makeup.product_name,
                common.person,
                common.phone,
                lambda r: makeup.letters(r, 2, 6),
            )
        )(rng)
        for _ in range(rng.randint(2, 9))
    }
    joint = rng.choice((": ", " = ", " - ", " is ", ":", "\t", " -> "))
    text = rng.choice(("\n", "; ", "\n", ", ")).join(
        f"{key}{joint}{text}" for key, text in pairs.items()
    )
    lost = [makeup.name(rng) for _ in range(rng.randint(0, 4))]
    names = [*pairs, *(name for name in lost if name not in text)]
    return Form(
        text,
        tuple(Attribute(name) for name in names),
        dict(enumerate(pairs.get(name) for name in names)),
    )
