"""The facts of purchase orders and order confirmations, and how they are asked for.

Slots: ``buyer`` and ``supplier`` (``name``, ``street``, ``postcode``, ``city``, ``country``, ``contact``,
``email``, ``phone``, ``url``, ``vat_id``), ``ship_to`` (``name``, ``street``, ``postcode``, ``city``), ``other``
and ``approver`` (persons), ``number``, ``quote``, ``requisition``, ``cost_centre``, ``contract``,
``supplier_no``, ``old_number`` (another order), ``project`` (a made-up word), ``ordered``, ``needed`` (the
delivery date), ``confirm_by``, ``quoted`` (an earlier date), ``lines`` (1 to 9: ``sku``, ``name``,
``quantity``, ``price``, ``amount``), ``subtotal``, ``discount``, ``shipping``, ``vat``, ``tax``, ``total``,
``limit`` and ``old_total`` (other amounts), ``time`` (of the goods entrance).
Counts: ``lines``, ``sector`` (see ``invoices/goods.py``), ``shipping 1``, ``discount 1``, ``untaxed 1``.
Decided by the wording: ``terms``, ``incoterm``, ``carrier``, ``type``, ``urgent``, ``partial``.
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
    yes_no,
)
from recipe.documents.trade.columns import left, line
from recipe.documents.trade.firms import drawn_firm
from recipe.documents.trade.goods import drawn_goods
from recipe.documents.trade.sums import drawn_sums
from recipe.facts import Record, World

ASKED = {
    "buyer.name": text(
        "buyer|purchaser|customer|ordered by which company|buyer_name|purchasing company|"
        "ordering party|"
        "who is buying?",
        "the company that orders|name of the customer",
        de="Besteller|Auftraggeber|Käufer", fr="acheteur|donneur d'ordre", es="comprador|cliente",
        it="committente|cliente", pt="comprador", nl="besteller|koper",
    ),
    "buyer.contact": text(
        "buyer contact|ordered by|purchasing agent|requester|contact person of the buyer|"
        "purchaser name",
        "the person who orders",
    ),
    "buyer.email": text("buyer email|e-mail of the purchaser|purchasing_email|"
        "contact e-mail of the buyer"),
    "buyer.phone": text("buyer phone|telephone of the purchaser|purchasing phone"),
    "supplier.name": text(
        "supplier|vendor|seller|supplier_name|vendor name|ordered from|to which supplier?",
        "the company that is to deliver|name of the supplier",
        de="Lieferant", fr="fournisseur", es="proveedor", it="fornitore", pt="fornecedor",
        nl="leverancier",
    ),
    "supplier.contact": text("supplier contact|contact at the vendor|sales representative|"
        "vendor contact"),
    "supplier.city": text("supplier city|vendor town|city of the supplier"),
    "supplier_no": text("supplier number|vendor id|vendor_no|creditor number",
        de="Lieferantennummer"),
    "number": text(
        "order number|PO number|purchase order number|po_no|order id|po_number|our order no.",
        "the number of this order",
        de="Bestellnummer", fr="numéro de commande", es="número de pedido", it="numero ordine",
        pt="número da encomenda", nl="bestelnummer",
    ),
    "quote": text("quote number|quotation|offer number|quote_ref|based on which quote?",
        de="Angebotsnummer"),
    "requisition": text("requisition|requisition number|purchase request|req_no"),
    "contract": text("contract|framework agreement|contract number|agreement_no"),
    "cost_centre": text("cost center|cost centre|budget code|cost_center|charge to",
        de="Kostenstelle"),
    "project": text("project|project name|for which project?"),
    "ordered": date(
        "order date|PO date|date of order|ordered_on|date of the purchase order|issued on",
        "when the order was placed",
        de="Bestelldatum", fr="date de commande", es="fecha de pedido", it="data ordine",
        pt="data da encomenda", nl="besteldatum",
    ),
    "needed": date(
        "delivery date|needed by|required date|deliver by|delivery_date|due date for delivery|"
        "requested delivery|"
        "when will or must it arrive?",
        "the day for which the delivery is planned or requested",
        de="Liefertermin", fr="date de livraison", es="fecha de entrega", it="data di consegna",
        pt="data de entrega", nl="leverdatum",
    ),
    "confirm_by": date("confirm by|confirmation deadline|answer until|acknowledge by"),
    "ship_to.name": text("ship to|deliver to|consignee|delivery recipient|receiving site"),
    "ship_to.street": text("delivery street|ship-to street|shipping address line|"
        "street of delivery"),
    "ship_to.postcode": text("delivery postcode|ship-to zip|delivery_zip"),
    "ship_to.city": text("delivery city|ship-to city|delivery town|where to deliver (city)"),
    "lines": objects(
        "items|line items|ordered items|positions|articles|lines|what is ordered|goods",
        {
            "sku": text("sku|part number|article number|item code|item_no|material"),
            "name": text("description|name|item|product|article|goods"),
            "quantity": integer("quantity|qty|units|pieces|ordered quantity"),
            "price": number("unit price|price|unit_cost|price each"),
            "amount": number("amount|line total|net value|line_amount|total"),
        },
        "all positions of the order|the goods or services ordered",
        de="Positionen", fr="articles|lignes", es="artículos", nl="regels",
    ),
    "subtotal": number("subtotal|net total|net order value|total before tax|net_value",
        de="Nettowert"),
    "discount": number("discount|rebate|discount amount"),
    "shipping": number("shipping|freight|delivery charge|carriage|shipping_cost"),
    "vat": number("VAT rate|tax rate|tax %|vat_percent"),
    "tax": number("tax|VAT amount|sales tax|tax_amount"),
    "total": number(
        "total|order total|order value|total_amount|grand total|total order amount|"
        "how much is the order?",
        "the total of the order",
        de="Gesamtbetrag|Bestellwert", fr="total", es="total", it="totale", pt="total",
            nl="totaal",
    ),
    "total.currency": currency("currency|order currency|currency_code", de="Währung", fr="devise"),
    "terms": text("payment terms|terms of payment|terms|payment_terms", de="Zahlungsbedingungen"),
    "incoterm": text("incoterm|delivery terms|terms of delivery|incoterms", de="Lieferbedingung"),
    "carrier": text("carrier|shipping method|ship via|transport|freight carrier"),
    "approver": text("approved by|approver|authorised by|signed by|authorization"),
    "type": choice(
        "document type|kind of document|doc_type",
        "purchase order/order, order confirmation/acknowledgement, change order/amendment, "
        "cancellation, request for quotation/RFQ/enquiry, delivery reminder/expediting",
        always=True,
    ),
    "urgent": yes_no("urgent|rush order|is_urgent|express", always=True),
    "partial": yes_no(
        "partial deliveries allowed|partial shipment|partial_delivery|may it come in parts?",
        "whether the goods may be delivered in parts",
    ),
    "supplier": group(
        "supplier|vendor|seller",
        {"supplier.name": "name|company", "supplier.contact": "contact|person",
            "supplier.city": "city|town",
         "supplier_no": "number|id"},
    ),
    "delivery": group(
        "delivery|shipment|delivery address|ship_to",
        {"ship_to.name": "name|recipient", "ship_to.street": "street|address",
            "ship_to.postcode": "zip|postcode",
         "ship_to.city": "city|town", "needed": "date|delivery_date"},
    ),
    "amounts": group(
        "amounts|totals|order value",
        {"subtotal": "net|subtotal", "tax": "tax|vat", "shipping": "shipping|freight",
            "total": "total|gross",
         "total.currency": "currency"},
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one purchase order."""
    quoted = world.date(2017, 2026)
    ordered = world.date(after=quoted, days=(2, 30))
    lines = []
    for name in drawn_goods(world, world.count("lines", 1, 9)):
        quantity = world.number(1, world.pick(5, 20, 100, 500))
        price = world.money(1, world.pick(20, 150, 800))
        sku = world.code("%#####", "?%-%###", "??%###", "%##.%##", "%##-%##-?")
        lines.append(Record(sku=left(sku, 10), **vars(line(world, name, quantity, price))))
    sums = drawn_sums(world, lines, (90, 20000), (5, 180))
    site = world.address()
    return {
        "buyer": drawn_firm(world),
        "supplier": drawn_firm(world),
        "ship_to": Record(
            name=world.company(), street=site.street, postcode=site.postcode, city=site.city
        ),
        "other": world.person(),
        "approver": world.person().name,
        "number": world.code("PO-%####", "45%########", "%#####", "B-%###/%#", "PO%######",
            "20##-%###", "?%##-%###"),
        "old_number": world.code("PO-%####", "45%########", "%#####", "20##-%###"),
        "quote": world.code("Q-%####", "AN%#####", "QT%####-%", "%###/20%#"),
        "requisition": world.code("REQ-%####", "BR%####", "PR00%####"),
        "contract": world.code("RV-%###", "FA-20##-%#", "C%#####", "46%#######"),
        "cost_centre": world.code("%###", "%##-%###", "CC%####", "K%###"),
        "supplier_no": world.code("%#####", "V%####", "70%###", "L-%###"),
        "project": world.word(),
        "quoted": quoted,
        "ordered": ordered,
        "confirm_by": world.date(after=ordered, days=(1, 5)),
        "needed": world.date(after=ordered, days=(6, 80)),
        "old_date": world.date(after=ordered, days=(81, 120)),
        "lines": lines,
        **sums.facts(world),
        "limit": world.money(500, 50000, 0),
        "old_total": world.money(90, 9000),
        "time": world.time(7, 16),
    }  # fmt: skip
