"""Invoices of a few lines, with one line for each item."""

from __future__ import annotations

from random import Random

from hpd.schema.attributes import Attribute
from recipe import makeup
from recipe.forms import common
from recipe.forms.form import Form


def make_invoice(rng: Random) -> Form:
    """An invoice."""
    number = rng.choice(
        (
            f"INV-{rng.randint(1000, 99999)}",
            f"{rng.randint(2018, 2026)}-{rng.randint(100, 9999)}",
            makeup.model_number(rng),
        )
    )
    seller, buyer, (written, iso), (due_written, due) = (
        common.company(rng),
        common.company(rng),
        common.date(rng),
        common.date(rng),
    )
    rows = []
    for item in common.items(rng, 5):
        money, amount, _ = common.money(rng)
        rows.append((item, rng.randint(1, 40), money, amount))
    total_written, total, currency = common.money(rng)
    dated, due_given, billed, paid = (
        common.maybe(rng, 0.8),
        common.maybe(rng),
        common.maybe(rng),
        rng.choice((True, False, None)),
    )
    row_style = rng.choice(
        (
            "{q} x {i} {m}",
            "{i}, {q} pcs, {m}",
            "{i} | {q} | {m}",
            "{q} {i} at {m}",
            "- {i} ({q}): {m}",
            "{q}x {i} - {m}",
            "{i}  {q}  {m}",
            "* {i}: {q} @ {m}",
            "{i}; {q}; {m}",
            "{q} pcs {i} {m}",
        )
    )
    lines = [
        rng.choice(
            (
                f"Invoice {number}",
                f"INVOICE No. {number}",
                f"Invoice #{number}",
                f"Bill {number}",
                f"Receipt no. {number}",
                f"Invoice number: {number}",
            )
        ),
        rng.choice(
            (
                f"From: {seller}",
                f"Sold by {seller}",
                f"Supplier: {seller}",
                seller,
                f"Seller: {seller}",
            )
        ),
    ]
    if billed:
        lines.append(
            rng.choice(
                (
                    f"Bill to: {buyer}",
                    f"To: {buyer}",
                    f"Billed to {buyer}",
                    f"For: {buyer}",
                    f"Customer: {buyer}",
                )
            )
        )
    if dated:
        lines.append(
            rng.choice((f"Date: {written}", f"Issued {written}", f"Invoice date {written}"))
        )
    lines += [row_style.format(q=quantity, i=item, m=money) for item, quantity, money, _ in rows]
    lines.append(
        rng.choice(
            (
                f"Total: {total_written}",
                f"Amount due {total_written}",
                f"TOTAL {total_written}",
                f"Total to pay: {total_written}",
            )
        )
    )
    if due_given:
        lines.append(
            rng.choice(
                (
                    f"Due: {due_written}",
                    f"Payable by {due_written}",
                    f"Due date {due_written}",
                )
            )
        )
    if paid is not None:
        lines.append(
            rng.choice(("PAID", "Paid in full.", "Status: paid"))
            if paid
            else rng.choice(("UNPAID", "Status: open", "Not paid yet."))
        )
    names = rng.choice(
        (
            ("item", "quantity", "price"),
            ("description", "qty", "unit_price"),
            ("name", "count", "amount"),
        )
    )
    item = Attribute(
        "item",
        "object",
        attributes=(
            Attribute(names[0]),
            Attribute(names[1], "integer"),
            Attribute(names[2], "number"),
        ),
    )
    answer_rows = [
        dict(zip(names, (name, quantity, amount), strict=True))
        for name, quantity, _, amount in rows
    ]
    return Form(
        "\n".join(lines),
        (
            Attribute(rng.choice(("number", "invoice_number", "invoice no"))),
            Attribute(rng.choice(("seller", "supplier", "vendor", "from"))),
            Attribute(rng.choice(("buyer", "customer", "bill to"))),
            Attribute(rng.choice(("date", "issued", "invoice_date")), "date"),
            Attribute(rng.choice(("due", "due_date", "payable by")), "date"),
            Attribute(rng.choice(("total", "amount_due", "sum")), "number"),
            Attribute("currency"),
            Attribute(rng.choice(("paid", "is_paid")), "boolean"),
            Attribute(rng.choice(("lines", "items", "positions")), "array", item=item),
        ),
        dict(
            enumerate(
                (
                    number,
                    seller,
                    buyer if billed else None,
                    iso if dated else None,
                    due if due_given else None,
                    total,
                    currency,
                    paid,
                    answer_rows,
                )
            )
        ),
    )
