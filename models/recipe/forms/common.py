"""The facts that forms are made of: people, companies, towns, goods, dates and amounts."""

from __future__ import annotations

import datetime
from random import Random

from recipe import makeup
from recipe.facts import World
from recipe.lists import words
from recipe.values import GENERATORS
from recipe.vocab import GOODS

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
SKILLS = words(
    """
        Python|Java|SQL|Excel|C++|Docker|Kubernetes|JavaScript|React|Go|Rust|Linux|AWS|SAP|
        Photoshop|German|French|Spanish|communication|teamwork|forklift licence|bookkeeping|
        project planning|negotiation|first aid|machine learning|Figma|driving licence|Dutch|
        English|Italian|TypeScript|Terraform|PostgreSQL|Spark|customer service|cash handling|
        copywriting|SEO|public speaking|welding|AutoCAD|food hygiene|payroll|lab work|sewing
        """
)
_MONTHS = words(
    "January|February|March|April|May|June|July|August|September|October|November|December"
)
_PARTS = words(
    """
        printer|login page|mobile app|checkout|battery|screen|invoice page|password reset|
        router|keyboard|heating|camera|search|export|charger|dashboard|headset|website|scanner|
        shopping cart|payment form|calendar|report|backup|newsletter|delivery|order form|lift
        """
)
TROUBLES = words(
    """
        does not start|keeps crashing|is very slow|shows an error|stopped working|
        makes a strange noise|will not connect|freezes|overheats|is missing|arrived broken|
        loses data|smells of smoke|has a crack|is stuck|leaks|will not charge|turns itself off|
        shows the wrong date|asks for the password again and again|prints blank pages|
        does not open|drops the connection|has no sound|flickers|came in the wrong color|
        never arrived|reboots every hour|cannot be found|shows a blank page|rattles
        """
)
_ITEMS = words(
    """
        USB cable|office chair|paper A4|desk lamp|toner|notebook|coffee beans|whiteboard|
        monitor|keyboard|router|gloves|screws|paint|hammer|licence|consulting|training day|
        bottle of ink|headset|water cooler|installation|support hours|travel expenses|delivery
        """
)


def maybe(rng: Random, chance: float = 0.65) -> bool:
    """Whether something with such a chance happens."""
    return rng.random() < chance


def date(rng: Random) -> tuple[str, str]:
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


def person(rng: Random) -> str:
    """The name of somebody."""
    kind = rng.random()
    if kind < 0.5:
        return str(World(rng).person().name)
    if kind < 0.9:
        return GENERATORS["person"](rng)
    return f"{makeup.name(rng)} {makeup.name(rng)}"


def company(rng: Random) -> str:
    """The name of a company."""
    if rng.random() < 0.4:
        return str(World(rng).company())
    return makeup.brand(rng) + rng.choice(
        ("", "", " Ltd", " GmbH", " Inc.", " Group", " AG", " LLC", " & Co", " Corp")
    )


def city(rng: Random) -> str:
    """The name of a town."""
    return str(World(rng).city()) if rng.random() < 0.4 else rng.choice(_CITIES)


def job(rng: Random) -> str:
    """The job of somebody."""
    return str(World(rng).job()) if rng.random() < 0.4 else rng.choice(_JOBS)


def part(rng: Random) -> str:
    """A thing that gives trouble."""
    return rng.choice(_PARTS) if rng.random() < 0.6 else _good(rng).lower()


def items(rng: Random, most: int) -> list[str]:
    """One or more things that are bought, no two of them the same."""
    n = rng.randint(1, most)
    found: dict[str, None] = {}
    while len(found) < n:
        name = rng.choice(_ITEMS) if rng.random() < 0.4 else _good(rng)
        found[name.lower() if rng.random() < 0.5 else name] = None
    return list(found)


def _good(rng: Random) -> str:
    return rng.choice(GOODS.values["type"])


def money(rng: Random) -> tuple[str, float | int, str]:
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


def email(name: str, rng: Random) -> str:
    """An address for somebody of this name."""
    first, *_, last = name.lower().replace("'", "").split()
    domain = makeup.name(rng).lower() + rng.choice((".com", ".org", ".de", ".io", ".net", ".co.uk"))
    return (
        rng.choice(
            (
                f"{first}.{last}",
                f"{first[0]}{last}",
                first,
                f"{last}{rng.randint(1, 99)}",
            )
        )
        + "@"
        + domain
    )


def phone(rng: Random) -> str:
    """A telephone number."""
    if rng.random() < 0.4:
        return str(World(rng).phone())
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
