"""Contacts as they stand on cards and under letters."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe import lists, makeup
from recipe.forms import common
from recipe.forms.form import Form


def make_contact(rng: Random) -> Form:
    """A contact: somebody and where to reach them."""
    person, company, city = common.person(rng), common.company(rng), common.city(rng)
    street, code = (
        f"{rng.choice((makeup.name(rng), *lists.FLOWERS[:8]))} "
        f"{rng.choice(('Street', 'Road', 'Lane', 'Avenue', 'Way'))} {rng.randint(1, 250)}",
        makeup.digits(rng, 4, 5),
    )
    email, phone, role = common.email(person, rng), common.phone(rng), common.job(rng)
    has = [common.maybe(rng) for _ in range(5)]
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
