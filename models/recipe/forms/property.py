"""Flats and houses to rent."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe.forms import common
from recipe.forms.form import Form


def make_property(rng: Random) -> Form:
    """A flat or house to rent."""
    kind, city, (money, amount, _) = (
        rng.choice(("apartment", "house", "studio", "flat", "villa")),
        common.city(rng),
        common.money(rng),
    )
    rooms, baths, area, year = (
        rng.randint(1, 8),
        rng.randint(1, 4),
        rng.randint(20, 400),
        rng.randint(1890, 2025),
    )
    pets, garage = rng.choice((True, False, None)), rng.choice((True, False, None))
    has = [common.maybe(rng) for _ in range(4)]
    lines = [
        rng.choice(
            (
                f"{kind.capitalize()} for rent in {city}",
                f"Sunny {kind}, {city}",
                f"{city}: {kind}",
            )
        )
    ]
    if has[0]:
        lines.append(rng.choice((f"{rooms} bedrooms", f"{rooms} bed", f"Bedrooms: {rooms}")))
    if has[1]:
        lines.append(rng.choice((f"{baths} bathrooms", f"{baths} bath", f"Baths: {baths}")))
    if has[2]:
        lines.append(rng.choice((f"{area} m2", f"{area} sqm", f"area {area} m²")))
    if has[3]:
        lines.append(rng.choice((f"built in {year}", f"Year: {year}")))
    lines.append(rng.choice((f"{money} per month", f"Rent: {money}", f"Price {money}")))
    if pets is not None:
        lines.append("pets welcome" if pets else "no pets")
    if garage is not None:
        lines.append("with garage" if garage else "no garage")
    return Form(
        rng.choice((", ", "\n", "; ")).join(lines),
        (
            Attribute(
                rng.choice(("kind", "type", "property type")),
                "enum",
                choices=("apartment", "house", "studio", "flat", "villa"),
            ),
            Attribute(rng.choice(("city", "location"))),
            Attribute(rng.choice(("rent", "price")), "number"),
            Attribute(rng.choice(("bedrooms", "rooms")), "integer"),
            Attribute(rng.choice(("bathrooms", "baths")), "integer"),
            Attribute(rng.choice(("area", "square metres")), "number"),
            Attribute(rng.choice(("year", "year_built")), "integer"),
            Attribute(rng.choice(("pets", "pets allowed")), "boolean"),
            Attribute(rng.choice(("garage", "has_garage")), "boolean"),
        ),
        dict(
            enumerate(
                (
                    kind,
                    city,
                    amount,
                    rooms if has[0] else None,
                    baths if has[1] else None,
                    area if has[2] else None,
                    year if has[3] else None,
                    pets,
                    garage,
                )
            )
        ),
    )
