"""The facts of receipts, and how they are asked for.

Slots: ``shop`` (``name``, ``word`` and ``owner`` for names that a wording makes up and marks as
``shop.name``, ``street``, ``postcode``, ``city``, ``phone``, ``url``, ``vat_id``), ``number``, ``till``,
``code`` and ``auth`` (other numbers), ``bought``, ``time``, ``later`` (a later date), ``cashier`` and
``customer`` (persons), ``items`` (1 to 12: ``name``, ``quantity``, ``price``, ``amount``), ``subtotal``,
``discount``, ``vat``, ``tax``, ``tip``, ``total``, ``tendered``, ``change``, ``card`` (the last four
digits), ``points``, ``guests``, ``table``, ``return_days``, ``fee`` and ``spare``
(other amounts), ``litres``, ``distance``.
Counts: ``items``, ``sector`` (1 groceries, 2 restaurant, 3 bakery and café, 4 clothing, 5 hardware,
6 pharmacy, 7 electronics and books), and ``added_tax 1``, ``tip 1``, ``discount 1``.
Decided by the wording: ``payment``, ``category``, ``refund``.
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
from recipe.documents.receipts.goods import GOODS
from recipe.documents.trade.columns import line, right
from recipe.documents.trade.sums import tax_rate
from recipe.facts import Record, World

ASKED = {
    "shop.name": text(
        "merchant|store|shop|merchant_name|vendor|store name|seller|business name|"
        "where was it bought?|"
        "retailer|receipt from",
        "the shop, restaurant or firm that gave the receipt|name of the merchant",
        de="Händler|Geschäft|Laden", fr="commerçant|magasin|enseigne", es="comercio|tienda",
        it="negozio|esercente", pt="loja|estabelecimento", nl="winkel|verkoper",
    ),
    "shop.street": text("store street|merchant street|street address of the shop|shop_address"),
    "shop.postcode": text("store zip|merchant postcode|shop postal code"),
    "shop.city": text("store city|merchant town|city of the shop|store location city"),
    "shop.phone": text("store phone|merchant phone|telephone of the shop|shop_phone"),
    "shop.vat_id": text("merchant VAT number|tax id of the store|shop_tax_id"),
    "number": text(
        "receipt number|receipt_no|transaction number|receipt id|bon number|ticket no.",
        "the number of the receipt",
        de="Belegnummer|Bonnummer", fr="numéro de ticket", es="número de ticket",
        it="numero scontrino", nl="bonnummer",
    ),
    "bought": date(
        "date|purchase date|date of purchase|transaction_date|receipt date|bought on|"
        "when was it bought?",
        "the day of the purchase|date of the receipt",
        de="Kaufdatum|Datum", fr="date d'achat|date", es="fecha", it="data", pt="data", nl="datum",
    ),
    "time": time(
        "time|time of purchase|transaction_time|at what time?", "time of day of the purchase",
        de="Uhrzeit", fr="heure", es="hora", nl="tijd",
    ),
    "cashier": text(
        "cashier|served by|clerk|server|waiter|employee|staff_name|operator",
        "the person who served the customer", de="Kassierer|Bedienung", fr="caissier|serveur",
    ),
    "customer": text("customer|customer name|member|received from|buyer|guest name|payer"),
    "items": objects(
        "items|products|articles|purchased items|what was bought|lines|line_items|positions",
        {
            "name": text("name|item|product|description|article"),
            "quantity": integer("quantity|qty|count|pieces|number"),
            "price": number("unit price|price each|unit_price|single price"),
            "amount": number("amount|line total|line price|total|item total"),
        },
        "all things bought, with their prices|the positions of the receipt",
        de="Artikel|Positionen", fr="articles", es="artículos", it="articoli", nl="artikelen",
    ),
    "subtotal": number(
        "subtotal|sum before tax|net|total before tax|sub_total", de="Zwischensumme|Netto",
        fr="sous-total|total HT", es="base imponible", nl="subtotaal",
    ),
    "discount": number("discount|savings|you saved|coupon amount|rebate",
        "how much was taken off"),
    "vat": number("VAT rate|tax rate|tax_percent|sales tax rate", "tax rate in per cent"),
    "tax": number(
        "tax|sales tax|VAT|tax_amount|VAT included|total tax", "amount of the tax",
        de="MwSt|Steuer", fr="TVA", es="IVA", it="IVA", pt="IVA", nl="btw",
    ),
    "tip": number("tip|gratuity|tip_amount|service tip", de="Trinkgeld", fr="pourboire"),
    "total": number(
        "total|total amount|amount paid|sum|grand total|total_paid|price paid|how much was paid?|"
        "total price",
        "the whole amount of the receipt|what the customer paid in all",
        de="Summe|Gesamtbetrag|Betrag", fr="total|montant", es="total|importe", it="totale",
        pt="total", nl="totaal",
    ),
    "total.currency": currency("currency|currency_code|paid in which currency?", "ISO code",
        de="Währung"),
    "tendered": number("cash given|amount tendered|cash received|tendered", de="gegeben",
        fr="reçu"),
    "change": number("change|change given|change due|cash back to the customer", de="Rückgeld"),
    "card": text("card number ending|last four digits|card_last4|last 4 digits of the card"),
    "payment": choice(
        "payment method|paid by|payment_type|method of payment|how was it paid?",
        "cash, card/credit card/debit card/bank card, mobile/mobile "
        "payment/phone, voucher/gift card, "
        "bank transfer/transfer, PayPal",
        de="Zahlungsart", fr="mode de paiement", es="forma de pago", nl="betaalwijze",
    ),
    "points": integer("loyalty points|points earned|bonus points|points_collected"),
    "guests": integer("guests|covers|number of people|party size"),
    "table": text("table|table number|table_no", de="Tisch", fr="table n°"),
    "return_days": integer("return period in days|days to return|return_days|"
        "return window (days)"),
    "category": choice(
        "category|expense category|kind of purchase|type of shop",
        "groceries/supermarket, restaurant/café/dining, fuel/petrol, transport/travel, "
        "health/pharmacy/medicine, clothing/fashion, electronics, home improvement/DIY/hardware, "
        "entertainment/leisure, services, donation, other",
        always=True,
    ),
    "refund": yes_no("refund|is a refund|money given back|is_return", always=True),
    "shop": group(
        "merchant|store|shop|vendor",
        {"shop.name": "name|merchant", "shop.street": "street|address", "shop.postcode": "zip|"
            "postcode",
         "shop.city": "city|town", "shop.phone": "phone|telephone"},
    ),
    "paid": group(
        "payment|paid|payment details",
        {"total": "amount|total", "total.currency": "currency", "payment": "method|type",
         "card": "card|last4", "change": "change"},
    ),
}  # fmt: skip

RATES = {
    "en": (20, 20, 8.25, 6.5, 10, 5), "de": (19, 19, 7), "fr": (20, 10, 5.5), "es": (21, 10, 4),
    "it": (22, 10, 4), "pt": (23, 13, 6), "nl": (21, 9),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one receipt."""
    bought = world.date(2016, 2026)
    address = world.address()
    cashier, customer = world.person(), world.person()
    sector = world.count("sector", 1, 7)
    items = []
    for name in world.some(GOODS[world.language][sector - 1], 1, 12, "items"):
        quantity = world.number(1, world.pick(1, 1, 2, 4))
        price = world.money(0.6, (9, 24, 7, 120, 60, 30, 180)[sector - 1])
        items.append(line(world, name, quantity, price, widths=(26, 8, 9)))
    subtotal = sum(item.amount.value for item in items) or world.rng.randint(5, 90)
    discount = world.money(value=max(0.1, subtotal * world.pick(0.05, 0.1, 0.2)))
    tip = world.money(value=max(1, subtotal * world.pick(0.08, 0.1, 0.15, 0.18)))
    rate = world.pick(*RATES[world.language])
    paid = subtotal
    if world.count("discount", 0, 0):
        paid -= discount.value
    added = world.count("added_tax", 0, 0)
    tax = world.money(value=max(0.01, paid * rate / (100 if added else 100 + rate)))
    if added:
        paid += tax.value
    if world.count("tip", 0, 0):
        paid += tip.value
    total = world.money(value=paid)
    note = next(note for note in (5, 10, 20, 50, 100, 200, 500, 1000, 10**6) if note > total.value)
    tendered = note if note < 10**6 else int(total.value / 1000 + 1) * 1000
    return {
        "shop": Record(
            name=world.company(),
            word=world.word(),
            owner=world.person().name,
            street=address.street,
            postcode=address.postcode,
            city=address.city,
            phone=world.phone(),
            url=world.url(),
            vat_id=world.code("GB%########", "DE%########", "%#-%######", "ESB%#######",
                "IT%##########"),
        ),
        "number": world.code("%#####", "000%###", "%###-%##", "?%####", "R-20##-%###", "%###/%#"),
        "till": world.code("0%", "%", "T%#", "POS %"),
        "code": world.code("%########", "%##### %####", "#### #### ####"),
        "auth": world.code("%#####", "A%####", "0%####"),
        "bought": bought,
        "time": world.time(6, 22, 1),
        "later": world.date(after=bought, days=(14, 90)),
        "cashier": cashier.name,
        "customer": customer.name,
        "items": items,
        "subtotal": right(world.money(value=subtotal), 9),
        "discount": right(discount, 9),
        "vat": tax_rate(world, rate),
        "tax": right(tax, 9),
        "net": right(world.money(value=max(0.01, paid - tax.value)), 9),
        "tip": right(tip, 9),
        "total": right(total, 9),
        "tendered": right(world.money(value=tendered), 9),
        "change": right(world.money(value=tendered - total.value), 9),
        "card": world.code("####"),
        "points": world.number(2, 400),
        "guests": world.number(1, 9),
        "table": world.code("%", "%#", "?%"),
        "return_days": world.number(7, 90),
        "fee": right(world.money(0.1, 30), 9),
        "spare": world.money(0.5, 120),
        "litres": world.number(8, 70, 2),
        "distance": world.number(2, 40, 1),
    }  # fmt: skip
