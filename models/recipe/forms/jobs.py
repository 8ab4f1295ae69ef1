"""Job ads of a few lines."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe.forms import common
from recipe.forms.form import Form


def make_job(rng: Random) -> Form:
    """A job ad."""
    title, company, city = common.job(rng), common.company(rng), common.city(rng)
    money, amount, currency = common.money(rng)
    skills = rng.sample(common.SKILLS, rng.randint(1, 4))
    years, remote = rng.randint(1, 10), rng.choice((True, False, None))
    kind = rng.choice(("full-time", "part-time", "contract", "internship", None))
    written, iso = common.date(rng)
    pays, knows, wants, starts, placed = (common.maybe(rng) for _ in range(5))
    lines = [
        rng.choice(
            (
                f"{company} is hiring a {title}",
                f"{title} wanted at {company}",
                f"{title} - {company}",
                f"Join {company} as {title}",
                f"We are looking for a {title}. {company}",
                f"{company} needs a {title}",
                f"Job: {title}\nCompany: {company}",
                f"{title} (m/f/d) at {company}",
                f"Are you a {title}? Come to {company}!",
            )
        )
    ]
    if placed:
        lines.append(
            rng.choice(
                (
                    f"Location: {city}",
                    f"{city}",
                    f"You will work in {city}.",
                    f"Place of work: {city}",
                    f"in {city}.",
                    f"Our office is in {city}.",
                    f"Based in {city}.",
                )
            )
        )
    if pays:
        lines.append(
            rng.choice(
                (
                    f"Salary: {money}",
                    f"We pay {money}.",
                    f"{money} per year",
                    f"You earn {money}.",
                    f"Compensation: {money}",
                    f"Pay {money} a year.",
                    f"up to {money}",
                )
            )
        )
    if knows:
        lines.append(
            rng.choice(
                (
                    "Skills: ",
                    "You know ",
                    "You bring: ",
                    "What you need: ",
                    "We ask for ",
                    "Must have: ",
                    "Requirements: ",
                )
            )
            + ", ".join(skills)
            + rng.choice(("", "."))
        )
    if wants:
        lines.append(
            rng.choice(
                (
                    f"{years} years of experience.",
                    f"At least {years} years' experience",
                    f"{years}+ years in the job",
                )
            )
        )
    if remote is not None:
        lines.append(
            rng.choice(
                (
                    "Remote work is possible.",
                    "You may work from anywhere.",
                    "Home office welcome.",
                    "100% remote",
                    "Work from home.",
                    "Remote: yes",
                )
            )
            if remote
            else rng.choice(
                (
                    "On site only.",
                    "No remote work.",
                    "You work in our office.",
                    "No home office.",
                    "Remote: no",
                    "This is an on-site job.",
                )
            )
        )
    if kind:
        lines.append(
            rng.choice(
                (
                    f"{kind}",
                    f"This is a {kind} position.",
                    f"Type: {kind}",
                    kind.capitalize(),
                )
            )
        )
    if starts:
        lines.append(
            rng.choice((f"Start: {written}", f"Starts on {written}.", f"Starting {written}"))
        )
    return Form(
        rng.choice(("\n", " ", ". ", "\n- ")).join(lines),
        (
            Attribute(rng.choice(("title", "job title", "position", "role"))),
            Attribute(rng.choice(("company", "employer", "organisation"))),
            Attribute(rng.choice(("city", "location", "place"))),
            Attribute(rng.choice(("salary", "pay", "annual_salary")), "number"),
            Attribute("currency"),
            Attribute(rng.choice(("skills", "requirements")), "array", item=Attribute("item")),
            Attribute(rng.choice(("years", "experience", "years_of_experience")), "integer"),
            Attribute(rng.choice(("remote", "is_remote", "home office")), "boolean"),
            Attribute(
                rng.choice(("type", "employment", "contract type")),
                "enum",
                choices=("full-time", "part-time", "contract", "internship"),
            ),
            Attribute(rng.choice(("start", "start date", "starts")), "date"),
        ),
        dict(
            enumerate(
                (
                    title,
                    company,
                    city if placed else None,
                    amount if pays else None,
                    currency if pays else None,
                    skills if knows else [],
                    years if wants else None,
                    remote,
                    kind,
                    iso if starts else None,
                )
            )
        ),
    )
