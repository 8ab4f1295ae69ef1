"""Documents of the kinds that have no handwritten wordings yet: contacts, reviews and more."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute
from recipe import lists, makeup
from recipe.lists import words
from recipe.values import GENERATORS

_CITIES = words(
    """
        Berlin|Paris|London|Madrid|Rome|Lisbon|Vienna|Prague|Warsaw|Dublin|Oslo|Stockholm|
        Helsinki|Copenhagen|Zurich|Geneva|Amsterdam|Brussels|Budapest|Athens|Istanbul|Cairo|
        Lagos|Nairobi|Cape Town|Mumbai|New Delhi|Bangalore|Tokyo|Osaka|Seoul|Beijing|Shanghai|
        Singapore|Sydney|Melbourne|Toronto|Montreal|New York|Boston|Chicago|Austin|Seattle|
        San Francisco|Denver|Miami|Mexico City|Bogotá|São Paulo|Buenos Aires|Lima|Santiago|
        Hamburg|Munich|Lyon|Porto|Leeds|Bristol|Kyoto|Hanoi
        """
)
_JOBS = words(
    """
        Software Engineer|Data Scientist|Nurse|Electrician|Accountant|Sales Manager|
        Project Manager|Chef|Warehouse Worker|Teacher|Graphic Designer|Mechanic|Product Manager|
        Truck Driver|Marketing Specialist|Receptionist|Backend Developer|Pharmacist|
        Customer Support Agent|Welder|Research Assistant|HR Manager|Business Analyst|
        DevOps Engineer|Barista|Plumber|Architect
        """
)
_MONTHS = words(
    "January|February|March|April|May|June|July|August|September|October|November|December"
)


@dataclass
class Form:
    """A document, the attributes that may be asked for, and their answers."""

    text: str
    attributes: tuple[Attribute, ...]
    answer: dict[str, Any]


def make_form(rng: Random) -> Form:
    """A form of a kind that is drawn at random."""
    return rng.choice(_KINDS)(rng)


def _date(rng: Random) -> tuple[str, str]:
    """A date as people write it, and as ISO 8601 has it."""
    day = datetime.date(2015, 1, 1) + datetime.timedelta(days=rng.randrange(5000))
    month = _MONTHS[day.month - 1]
    written = rng.choice(
        (
            f"{day.day} {month} {day.year}",
            f"{month} {day.day}, {day.year}",
            f"{month[:3]} {day.day}, {day.year}",
            day.isoformat(),
            day.isoformat(),
            f"{day.day:02}.{day.month:02}.{day.year}",
            f"{day.day} {month[:3]} {day.year}",
            f"{day.year}/{day.month:02}/{day.day:02}",
        )
    )
    return written, day.isoformat()


def _person(rng: Random) -> str:
    if rng.random() < 0.8:
        return GENERATORS["person"](rng)
    return f"{makeup.name(rng)} {makeup.name(rng)}"


def _company(rng: Random) -> str:
    return makeup.brand(rng) + rng.choice(
        ("", "", " Ltd", " GmbH", " Inc.", " Group", " AG", " LLC", " & Co", " Corp")
    )


def _money(rng: Random) -> tuple[str, float | int, str]:
    """An amount as written, as a number, and its currency."""
    whole = rng.choice((rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 20000)))
    number: float | int = (
        whole if rng.random() < 0.4 else round(whole + rng.randint(1, 99) / 100, 2)
    )
    shown = f"{number:,}" if rng.random() < 0.5 else f"{number}"
    if isinstance(number, float) and rng.random() < 0.5:
        shown = f"{number:.2f}"
    sign, code = rng.choice((("$", "USD"), ("€", "EUR"), ("£", "GBP")))
    if rng.random() < 0.5:
        return f"{sign}{shown}", number, sign
    return rng.choice((f"{shown} {code}", f"{code} {shown}")), number, code


def _maybe(rng: Random, chance: float = 0.65) -> bool:
    return rng.random() < chance


def _email(name: str, rng: Random) -> str:
    first, *_, last = name.lower().replace("'", "").split()
    domain = makeup.name(rng).lower() + rng.choice((".com", ".org", ".de", ".io", ".net", ".co.uk"))
    return (
        rng.choice((f"{first}.{last}", f"{first[0]}{last}", first, f"{last}{rng.randint(1, 99)}"))
        + "@"
        + domain
    )


def _phone(rng: Random) -> str:
    return rng.choice(
        (
            f"+{rng.randint(1, 99)} {rng.randint(100, 999)} {rng.randint(100, 999)} "
            f"{rng.randint(1000, 9999)}",
            f"({rng.randint(200, 989)}) {rng.randint(200, 999)}-{rng.randint(1000, 9999)}",
            f"0{rng.randint(20, 999)}-{rng.randint(100000, 9999999)}",
            f"555-{rng.randint(1000, 9999)}",
            f"+{rng.randint(1, 99)}{rng.randint(100000000, 9999999999)}",
        )
    )


def _contact(rng: Random) -> Form:
    person, company, city = _person(rng), _company(rng), rng.choice(_CITIES)
    street, code = (
        f"{rng.choice((makeup.name(rng), *lists.FLOWERS[:8]))} "
        f"{rng.choice(('Street', 'Road', 'Lane', 'Avenue', 'Way'))} {rng.randint(1, 250)}",
        makeup.digits(rng, 4, 5),
    )
    email, phone, role = _email(person, rng), _phone(rng), rng.choice(_JOBS)
    has = [_maybe(rng) for _ in range(5)]
    lines = [rng.choice((person, f"Name: {person}", f"Contact: {person}"))]
    if has[0]:
        lines.append(rng.choice((role, f"Role: {role}", f"{role} at")))
    if has[1]:
        lines.append(rng.choice((company, f"Company: {company}")))
    if has[2]:
        lines.append(
            rng.choice(
                (
                    f"{street}, {code} {city}",
                    f"Address: {street}, {code} {city}",
                    f"{street}\n{code} {city}",
                )
            )
        )
    if has[3]:
        lines.append(rng.choice((email, f"Email: {email}", f"mail {email}")))
    if has[4]:
        lines.append(rng.choice((phone, f"Tel. {phone}", f"Phone: {phone}", f"call {phone}")))
    keys = rng.choice((("street", "zip", "city"), ("street", "postcode", "town")))
    place = dict(zip(keys, (street, code, city), strict=True)) if has[2] else dict.fromkeys(keys)
    return Form(
        rng.choice(("\n", ", ", " | ", " ")).join(lines),
        (
            Attribute(rng.choice(("name", "person", "full_name"))),
            Attribute(rng.choice(("job", "role", "title", "position"))),
            Attribute(rng.choice(("company", "organisation", "employer"))),
            Attribute(
                rng.choice(("address", "location")),
                "object",
                attributes=tuple(Attribute(key) for key in keys),
            ),
            Attribute(rng.choice(("email", "e-mail", "mail"))),
            Attribute(rng.choice(("phone", "telephone", "tel"))),
            Attribute(rng.choice(("fax", "website", "birthday", "department"))),
        ),
        dict(
            enumerate(
                (
                    person,
                    role if has[0] else None,
                    company if has[1] else None,
                    place,
                    email if has[3] else None,
                    phone if has[4] else None,
                    None,
                )
            )
        ),
    )


def _review(rng: Random) -> Form:
    kind = rng.choice(
        ("hotel", "restaurant", "phone", "film", "book", "vacuum", "course", "tent", "car")
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
        _person(rng),
        _date(rng),
        makeup.name(rng),
    )
    has = [_maybe(rng) for _ in range(3)]
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
            rng.choice((f"{stars}/5", f"{stars} stars", f"{stars} out of 5", f"Rating: {stars}"))
        )
    if has[1]:
        lines.append(rng.choice((f"- {person}", f"by {person}", f"Review by {person}")))
    if has[2]:
        lines.append(rng.choice((written, f"on {written}", f"Visited {written}")))
    if rng.random() < 0.4:
        lines.append(
            rng.choice(
                ("I will come back.", "My wife agrees.", "See the photos.", "We paid by card.")
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
                rng.choice(("words", "adjectives", "opinions")), "array", item=Attribute("item")
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


def _record(rng: Random) -> Form:
    """Lines of random names with random codes, where only copying helps."""
    pairs = {
        makeup.name(rng).lower() if rng.random() < 0.5 else makeup.name(rng): rng.choice(
            (
                makeup.model_number,
                makeup.name,
                makeup.brand,
                lambda r: makeup.digits(r, 1, 7),
                makeup.product_name,
                _person,
                _phone,
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


def _property(rng: Random) -> Form:
    kind, city, (money, amount, _) = (
        rng.choice(("apartment", "house", "studio", "flat", "villa")),
        rng.choice(_CITIES),
        _money(rng),
    )
    rooms, baths, area, year = (
        rng.randint(1, 8),
        rng.randint(1, 4),
        rng.randint(20, 400),
        rng.randint(1890, 2025),
    )
    pets, garage = rng.choice((True, False, None)), rng.choice((True, False, None))
    has = [_maybe(rng) for _ in range(4)]
    lines = [
        rng.choice(
            (f"{kind.capitalize()} for rent in {city}", f"Sunny {kind}, {city}", f"{city}: {kind}")
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


_KINDS: tuple[Callable[[Random], Form], ...] = (
    _contact,
    _review,
    _record,
    _record,
    _property,
)
