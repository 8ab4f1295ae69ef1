"""Announcements of events."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe import lists, makeup
from recipe.forms import common
from recipe.forms.form import Form


def make_event(rng: Random) -> Form:
    """An event and when, where and for how much it takes place."""
    title = rng.choice(
        (
            f"{rng.choice(lists.SPORTS)} {rng.choice(('Cup', 'Day', 'Workshop', 'Open'))}",
            f"{makeup.name(rng)} Festival",
            f"{rng.choice(lists.SEASONS[:5])} "
            f"{rng.choice(('Market', 'Concert', 'Fair', 'School'))}",
        )
    )
    city, place, (written, iso), (money, amount, _) = (
        common.city(rng),
        f"{makeup.name(rng)} {rng.choice(('Hall', 'Park', 'Arena', 'Centre', 'Theatre'))}",
        common.date(rng),
        common.money(rng),
    )
    hour, seats, indoor = (
        f"{rng.randint(7, 22):02}:{rng.choice(('00', '15', '30', '45'))}",
        rng.randint(10, 5000),
        rng.choice((True, False, None)),
    )
    free = rng.random() < 0.3
    has = [common.maybe(rng) for _ in range(3)]
    lines = [
        rng.choice(
            (
                f"{title} at {place}, {city}",
                f"{title}\nWhere: {place}, {city}",
                f"Come to the {title} in {city} ({place})",
                f"{place} in {city} hosts the {title}",
                f"Save the date: {title}, {place}, {city}",
            )
        ),
        rng.choice((f"on {written}", f"Date: {written}", f"When: {written}")),
    ]
    if has[0]:
        lines.append(rng.choice((f"at {hour}", f"Doors open {hour}", f"Time: {hour}")))
    lines.append(
        rng.choice(("Free entry.", "Admission is free."))
        if free
        else rng.choice(
            (f"Tickets {money}", f"It costs {money}.", f"{money} at the door", f"Entry: {money}")
        )
    )
    if has[1]:
        lines.append(
            rng.choice((f"{seats} seats", f"Room for {seats} guests.", f"Capacity: {seats}"))
        )
    if indoor is not None:
        lines.append(
            rng.choice(("Indoors.", "The event is indoors."))
            if indoor
            else rng.choice(("Outdoors, so bring a coat.", "Open air!"))
        )
    return Form(
        rng.choice(("\n", " ", ", ")).join(lines),
        (
            Attribute(rng.choice(("event", "title", "name"))),
            Attribute(rng.choice(("venue", "place"))),
            Attribute("city"),
            Attribute(rng.choice(("date", "day")), "date"),
            Attribute(rng.choice(("time", "starts at", "hour"))),
            Attribute(rng.choice(("price", "ticket_price")), "number"),
            Attribute(rng.choice(("seats", "capacity")), "integer"),
            Attribute(rng.choice(("free", "free entry", "is_free")), "boolean"),
            Attribute(rng.choice(("setting", "where")), "enum", choices=("indoor", "outdoor")),
        ),
        dict(
            enumerate(
                (
                    title,
                    place,
                    city,
                    iso,
                    hour if has[0] else None,
                    None if free else amount,
                    seats if has[1] else None,
                    free,
                    None if indoor is None else "indoor" if indoor else "outdoor",
                )
            )
        ),
    )
