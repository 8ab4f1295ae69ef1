"""Reviews of a sentence or two."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe import makeup
from recipe.forms import common
from recipe.forms.form import Form
from recipe.lists import words


def make_review(rng: Random) -> Form:
    """A review, good or bad."""
    kind = rng.choice(
        (
            "hotel",
            "restaurant",
            "phone",
            "film",
            "book",
            "vacuum",
            "course",
            "tent",
            "car",
        )
    )
    mood = rng.choice(("positive", "negative"))
    good = words(
        """
        great|excellent|lovely|fast|friendly|a pleasure|worth every cent|beautiful|very helpful|
        fantastic|delicious|comfortable
        """
    )
    bad = words(
        """
        terrible|slow|rude|a waste of money|dirty|broken|far too loud|disappointing|boring|
        useless|awful|cold
        """
    )
    said = rng.sample(good if mood == "positive" else bad, 2)
    stars, person, (written, iso), name = (
        rng.randint(4, 5) if mood == "positive" else rng.randint(1, 2),
        common.person(rng),
        common.date(rng),
        makeup.name(rng),
    )
    has = [common.maybe(rng) for _ in range(3)]
    lines = [
        rng.choice(
            (
                f"The {kind} {name} was {said[0]} and {said[1]}.",
                f"{name}: {said[0]}, {said[1]}. My {kind} of the year?",
                f"Stayed with {name} ({kind}). {said[0].capitalize()} and {said[1]}!",
            )
        )
    ]
    if has[0]:
        lines.append(
            rng.choice(
                (
                    f"{stars}/5",
                    f"{stars} stars",
                    f"{stars} out of 5",
                    f"Rating: {stars}",
                )
            )
        )
    if has[1]:
        lines.append(rng.choice((f"- {person}", f"by {person}", f"Review by {person}")))
    if has[2]:
        lines.append(rng.choice((written, f"on {written}", f"Visited {written}")))
    if rng.random() < 0.4:
        lines.append(
            rng.choice(
                (
                    "I will come back.",
                    "My wife agrees.",
                    "See the photos.",
                    "We paid by card.",
                )
            )
        )
    return Form(
        rng.choice((" ", "\n")).join(lines),
        (
            Attribute(
                rng.choice(("sentiment", "mood")),
                "enum",
                choices=rng.choice((("positive", "negative"), ("positive", "negative", "neutral"))),
            ),
            Attribute(rng.choice(("stars", "rating")), "integer"),
            Attribute(rng.choice(("author", "reviewer", "by"))),
            Attribute(rng.choice(("date", "visited")), "date"),
            Attribute(rng.choice(("name", "subject", "product"))),
            Attribute("price", "number"),
            Attribute(
                rng.choice(("words", "adjectives", "opinions")),
                "array",
                item=Attribute("item"),
            ),
            Attribute(rng.choice(("recommended", "positive")), "boolean"),
        ),
        dict(
            enumerate(
                (
                    mood,
                    stars if has[0] else None,
                    person if has[1] else None,
                    iso if has[2] else None,
                    name,
                    None,
                    said,
                    mood == "positive",
                )
            )
        ),
    )
