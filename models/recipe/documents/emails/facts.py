"""The facts of e-mails between a shop or firm and its customers, and how they are asked for.

Slots: ``sender`` and ``recipient`` (persons: ``name``, ``email``, ``phone``, ``job``), ``other``
(a third person, who is not asked for), ``company`` (the sender's), ``address`` (the sender's),
``order``, ``invoice``, ``tracking`` (codes), ``sent`` (the date), ``ordered`` (an earlier date),
``deadline`` (a later one), ``time`` (of a call or meeting), ``total`` (an amount), ``fee``
(another amount, not asked for), ``items`` (0 to 8: ``name``, ``quantity``, ``price``).
Decided by the wording: ``topic``, ``sentiment``, ``urgent``, ``attachment``, ``problem``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe.documents.asking import (
    choice,
    currency,
    date,
    group,
    integer,
    number,
    objects,
    text,
    time,
    yes_no,
)
from recipe.facts import Record, World

GOODS = """
    desk lamp|office chair|rain jacket|running shoes|espresso machine|bike helmet|phone case|
    garden hose|tent|backpack|yoga mat|standing desk|router|water filter|bookshelf|frying pan|
    electric kettle|winter boots|baby monitor|cordless drill|pillow|graphics tablet|sunglasses|
    toner cartridge|wool blanket|suitcase|bluetooth speaker|dog bed|wall clock|ink pen
"""

ASKED = {
    "sender.name": text(
        "sender|from|from whom|customer|customer name|author|buyer_name|who wrote it|written by",
        "the person who wrote the message|name of the sender",
        de="Absender|Kunde", fr="expéditeur|client", es="remitente|cliente",
        it="mittente", pt="remetente", nl="afzender|klant",
    ),
    "sender.email": text("sender email|reply to|e-mail|contact email", "address to answer to"),
    "sender.phone": text("phone|sender phone|call back number|telephone"),
    "recipient.name": text("recipient|to|addressee|to whom", "the person who is written to"),
    "company": text("company|sender's company|organisation|firm"),
    "order": text("order number|order_id|order|order no.|purchase", "the order that it is about"),
    "invoice": text("invoice number|invoice_no|bill number"),
    "tracking": text("tracking number|tracking_code|parcel number|shipment"),
    "sent": date("date|sent|sent on|date of the e-mail", "when the message was sent"),
    "ordered": date("order date|ordered on|date of purchase"),
    "deadline": date("deadline|due date|answer by|until when"),
    "time": time("time|call at|appointment time|meeting time"),
    "total": number("total|amount|price|order value|sum", "amount in the order's currency"),
    "total.currency": currency("currency|paid in"),
    "items": objects(
        "items|products|articles|what was ordered|positions",
        {
            "name": text("name|item|product|article|description"),
            "quantity": integer("quantity|qty|number|count|pieces"),
            "price": number("price|unit price|cost|amount"),
        },
    ),
    "topic": choice(
        "topic|category|subject area|kind of request|intent",
        "refund/refund request/money back, delivery/shipping, complaint/product problem/defect, "
        "question/product question/enquiry, invoice/billing/payment, appointment/meeting, "
        "application/job application, praise/thanks, cancellation/cancel, other/something else",
        "what the message is about",
        always=True,
    ),
    "sentiment": choice(
        "sentiment|mood|tone", "positive/happy, neutral, negative/angry/unhappy", always=True
    ),
    "urgent": yes_no("urgent|is_urgent|needs a quick answer", always=True),
    "attachment": yes_no("attachment|has attachment|files attached", always=True),
    "problem": text(
        "problem|issue|what is wrong|defect", "the problem in the sender's own words"
    ),
    "sender": group(
        "sender|customer|contact|from",
        {"sender.name": "name|full name", "sender.email": "email|e-mail", "sender.phone": "phone"},
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one e-mail."""
    ordered = world.date(2021, 2026)
    sent = world.date(after=ordered, days=(1, 40))
    items = [
        Record(
            name=world.one_of(GOODS),
            quantity=world.number(1, 12),
            price=world.money(3, 400),
        )
        for _ in range(world.count("items", 0, 8))
    ]
    paid = sum(item.quantity.value * item.price.value for item in items)
    return {
        "sender": world.person(),
        "recipient": world.person(),
        "other": world.person(),
        "company": world.company(),
        "address": world.address(),
        "order": world.code("%#####", "??-%####", "%##-%#######-%######", "ORD-20##-%###"),
        "invoice": world.code("INV-%####", "20%#/%###", "RE%######"),
        "tracking": world.code("1Z%?##?%########", "JD%###############", "00%#############"),
        "ordered": ordered,
        "sent": sent,
        "deadline": world.date(after=sent, days=(2, 21)),
        "time": world.time(),
        "total": world.money(5, 900, value=paid or None),
        "fee": world.money(2, 30),
        "items": items,
    }
