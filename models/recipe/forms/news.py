"""News of one sentence."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe.forms import common
from recipe.forms.form import Form


def make_news(rng: Random) -> Form:
    """A piece of news."""
    person, other, company, city = (
        common.person(rng),
        common.person(rng),
        common.company(rng),
        common.city(rng),
    )
    (written, iso), (money, amount, _), role = (
        common.date(rng),
        common.money(rng),
        rng.choice(
            (
                "chief executive",
                "founder",
                "spokeswoman",
                "president",
                "mayor",
                "coach",
                "CEO",
                "minister",
            )
        ),
    )
    n_people = rng.randint(2, 900)
    kind = rng.randrange(10)
    text, named = (
        (
            f"{company} named {person} as its new {role} on {written}, replacing {other}.",
            {
                "person": person,
                "org": company,
                "date": iso,
                "role": role,
                "people": [person, other],
            },
        ),
        (
            f"{city} - {person}, {role} of {company}, said that {n_people} jobs would be cut.",
            {
                "person": person,
                "org": company,
                "city": city,
                "role": role,
                "n": n_people,
                "people": [person],
            },
        ),
        (
            f"{company} opened an office in {city} for {money}, the company said on {written}.",
            {"org": company, "city": city, "money": amount, "date": iso, "people": []},
        ),
        (
            f"{person} and {other} met in {city} on {written}.",
            {"person": person, "city": city, "date": iso, "people": [person, other]},
        ),
        (
            f"On {written}, {n_people} people in {city} heard {person}, {role} of {company}.",
            {
                "person": person,
                "org": company,
                "city": city,
                "date": iso,
                "role": role,
                "n": n_people,
                "people": [person],
            },
        ),
        (
            f'{company} bought its rival for {money}. "A good day for {city}," said {person}.',
            {
                "person": person,
                "org": company,
                "city": city,
                "money": amount,
                "people": [person],
            },
        ),
        (
            f"{company}, based in {city}, will pay {money} for a new plant, {person} said.",
            {"person": person, "org": company, "city": city, "money": amount, "people": [person]},
        ),
        (
            f"{person} is the new {role} of {company}. {other} left on {written}.",
            {
                "person": person,
                "org": company,
                "date": iso,
                "role": role,
                "people": [person, other],
            },
        ),
        (
            f"{city}, {written}: {n_people} workers of {company} went on strike.",
            {"org": company, "city": city, "date": iso, "n": n_people, "people": []},
        ),
        (
            f"The {role} of {company}, {person}, will speak in {city} on {written}.",
            {
                "person": person,
                "org": company,
                "city": city,
                "date": iso,
                "role": role,
                "people": [person],
            },
        ),
    )[kind]
    return Form(
        text,
        (
            Attribute(rng.choice(("person", "name", "who"))),
            Attribute(rng.choice(("organisation", "organization", "company"))),
            Attribute(rng.choice(("city", "place", "location"))),
            Attribute(rng.choice(("date", "when")), "date"),
            Attribute(rng.choice(("role", "job", "title"))),
            Attribute(rng.choice(("number", "how many", "count_of_people")), "integer"),
            Attribute(rng.choice(("amount", "price", "money")), "number"),
            Attribute(
                rng.choice(("people", "persons", "names")),
                "array",
                item=Attribute("item"),
            ),
        ),
        dict(
            enumerate(
                named.get(key)
                for key in (
                    "person",
                    "org",
                    "city",
                    "date",
                    "role",
                    "n",
                    "money",
                    "people",
                )
            )
        ),
    )
