"""Tickets of a few lines: what is broken, since when, and who says so."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe.forms import common
from recipe.forms.form import Form


def make_ticket(rng: Random) -> Form:
    """A ticket."""
    part, trouble, person = (
        common.part(rng),
        rng.choice(common.TROUBLES),
        common.person(rng),
    )
    number, (written, iso) = rng.randint(100, 99999), common.date(rng)
    level = rng.choice(("low", "medium", "high", "urgent"))
    version = f"{rng.randint(1, 12)}.{rng.randint(0, 9)}" + rng.choice(
        ("", f".{rng.randint(0, 20)}")
    )
    has = {
        key: common.maybe(rng) for key in ("number", "date", "level", "person", "version", "email")
    }
    email = common.email(person, rng)
    lines = [
        rng.choice(
            (
                f"The {part} {trouble}.",
                f"My {part} {trouble} since yesterday.",
                f"Hello, our {part} {trouble}. Please help!",
                f"Hi team, the {part} {trouble}, can somebody look at it?",
                f"Since this morning my {part} {trouble}.",
                f"I bought this {part} last week and it {trouble}.",
                f"Problem: {part} {trouble}",
                f"our {part} {trouble} again",
                f"Subject: {part} {trouble}",
            )
        )
    ]
    if has["number"]:
        lines.insert(
            0,
            rng.choice(
                (
                    f"Ticket #{number}",
                    f"[#{number}]",
                    f"Ticket no. {number}",
                    f"ID: {number}",
                    f"Re: ticket {number}",
                    f"Case {number}:",
                    f"Ticket {number} -",
                )
            ),
        )
    if has["date"]:
        lines.append(
            rng.choice(
                (
                    f"Opened on {written}.",
                    f"created {written}",
                    f"We saw it first on {written}.",
                    f"Date: {written}",
                    f"It began on {written}.",
                )
            )
        )
    if has["level"]:
        lines.append(
            rng.choice(
                (
                    f"Priority: {level}",
                    f"This is {level} priority.",
                    f"Urgency: {level}",
                    f"[{level}]",
                    f"(priority {level})",
                    f"Priority {level.upper()}",
                    f"{level.capitalize()} priority, please.",
                )
            )
        )
    if has["version"]:
        lines.append(
            rng.choice((f"Version {version}.", f"We use version {version}", f"App v{version}"))
        )
    if has["person"]:
        lines.append(
            rng.choice(
                (
                    f"Regards, {person}",
                    f"Reported by {person}",
                    f"Best, {person}",
                    f"{person} wrote this.",
                    f"Customer: {person}",
                    f"- {person}",
                    f"From: {person}",
                    f"Thanks\n{person}",
                )
            )
        )
    if has["email"]:
        lines.append(rng.choice((f"Write to {email}", f"E-mail: {email}", email)))
    full = rng.random() < 0.5
    return Form(
        rng.choice(("\n", " ", "\n")).join(lines),
        (
            Attribute(rng.choice(("ticket", "ticket_id", "number", "case number")), "integer"),
            Attribute(rng.choice(("product", "component", "device", "part"))),
            Attribute(
                rng.choice(("priority", "severity", "urgency")),
                "enum",
                choices=("low", "medium", "high", "urgent"),
            ),
            Attribute(rng.choice(("opened", "date", "created")), "date"),
            Attribute(
                rng.choice(("reporter", "customer", "name", "reported by")),
                description="who reports it" if full else "",
            ),
            Attribute(rng.choice(("version", "app version"))),
            Attribute(rng.choice(("problem", "issue", "symptom"))),
            Attribute(rng.choice(("email", "e-mail", "contact"))),
        ),
        dict(
            enumerate(
                (
                    number if has["number"] else None,
                    part,
                    level if has["level"] else None,
                    iso if has["date"] else None,
                    person if has["person"] else None,
                    version if has["version"] else None,
                    trouble,
                    email if has["email"] else None,
                )
            )
        ),
    )
