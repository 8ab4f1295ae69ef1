"""The facts of invoices and their like, and how they are asked for.

Slots: ``seller`` (``name``, ``street``, ``postcode``, ``city``, ``country``, ``email``, ``phone``,
``url``, ``vat_id``, ``iban``, ``bic``, ``bank``, ``contact``), ``buyer`` (the same ``name`` and address,
``contact``, ``vat_id``, ``email``), ``client`` and ``other`` (persons, not asked for: a wording marks the
client as ``buyer.name``), ``number``, ``order``, ``customer_no``, ``old_number`` (another invoice),
``project`` (a made-up word), ``issued``, ``delivered``, ``due``, ``old_date``, ``period.start``,
``period.end``, ``lines`` (1 to 9: ``name``, ``quantity``, ``price``, ``amount``), ``subtotal``,
``discount``, ``shipping``, ``vat`` (the rate), ``tax``, ``total``, ``deposit``, ``balance``, ``fee`` and
``old_total`` (other amounts), ``hours``, ``code``.
Counts: ``lines``, ``sector`` (1 office, 2 building, 3 digital, 4 food, 5 vehicles, 6 industry), and
``discount 1``, ``shipping 1``, ``untaxed 1`` for what the total is made of.
Decided by the wording: ``type``, ``paid``, ``method``, ``reverse_charge``, ``terms``.
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
from recipe.documents.trade.columns import line, right
from recipe.documents.trade.firms import drawn_firm
from recipe.documents.trade.goods import drawn_goods
from recipe.documents.trade.sums import drawn_sums
from recipe.facts import Record, World

ASKED = {
    "seller.name": text(
        "seller|vendor|supplier|issuer|vendor_name|seller name|invoice from|issued by|biller|"
        "company that sent the invoice|who has to be paid?",
        "the firm or person that issues the invoice|name of the vendor|who bills",
        de="Rechnungssteller|Lieferant|Verkäufer", fr="fournisseur|émetteur|vendeur",
        es="proveedor|emisor", it="fornitore|emittente", pt="fornecedor|emitente",
        nl="leverancier|verkoper",
    ),
    "seller.street": text("seller street|vendor street|street of the supplier|"
        "seller_address_line"),
    "seller.postcode": text("seller postcode|vendor zip|supplier postal code"),
    "seller.city": text("seller city|vendor city|supplier town|where the seller sits"),
    "seller.email": text(
        "seller email|vendor e-mail|supplier_email|billing contact email|e-mail of the issuer"
    ),
    "seller.phone": text("seller phone|vendor telephone|supplier phone number|"
        "phone of the issuer"),
    "seller.contact": text("seller contact|contact person at the vendor|clerk|account manager"),
    "seller.vat_id": text(
        "seller VAT number|vendor tax id|supplier_vat_id|VAT registration of the seller",
        de="USt-IdNr.", fr="n° TVA du vendeur", nl="btw-nummer verkoper",
    ),
    "seller.iban": text("IBAN|bank account|iban_number|account to pay to|pay into",
        de="Kontonummer"),
    "seller.bic": text("BIC|SWIFT|swift code|bic_code"),
    "seller.bank": text("bank|bank name|name of the bank"),
    "buyer.name": text(
        "buyer|customer|client|bill to|billed to|buyer_name|customer name|invoice recipient|"
        "debtor|"
        "who has to pay?|company invoiced",
        "the person or company that is billed|name of the customer",
        de="Kunde|Rechnungsempfänger", fr="client|facturé à", es="cliente", it="cliente",
        pt="cliente", nl="klant",
    ),
    "buyer.street": text("customer street|billing street|buyer address line|street of the client"),
    "buyer.postcode": text("customer postcode|billing zip|buyer_postal_code"),
    "buyer.city": text("customer city|billing city|buyer_town|city of the client"),
    "buyer.contact": text(
        "attention|contact at the customer|customer contact|attn|buyer contact person"
    ),
    "buyer.vat_id": text("customer VAT number|buyer tax id|buyer_vat_id|VAT id of the client"),
    "number": text(
        "invoice number|invoice_no|invoice id|document number|bill number|inv no.|invoice_number",
        "the number of this document",
        de="Rechnungsnummer|Rechnungs-Nr.", fr="numéro de facture", es="número de factura",
        it="numero fattura", pt="número da fatura", nl="factuurnummer",
    ),
    "order": text(
        "order number|PO number|purchase order|po_number|your order|customer reference|order ref",
        de="Bestellnummer|Auftragsnummer", fr="numéro de commande", es="número de pedido",
    ),
    "customer_no": text(
        "customer number|account number of the customer|customer_id|client id|debtor number",
        de="Kundennummer", fr="numéro client", nl="klantnummer",
    ),
    "issued": date(
        "invoice date|issue date|issued_on|date of issue|dated|date of the invoice|"
        "when was it issued?",
        "the date of the invoice",
        de="Rechnungsdatum", fr="date de facture", es="fecha de factura", it="data fattura",
        pt="data da fatura", nl="factuurdatum",
    ),
    "due": date(
        "due date|payment due|due_date|pay by|payable until|deadline for payment|due on",
        "the last day for paying|when it has to be paid",
        de="Fälligkeit|zahlbar bis", fr="échéance", es="vencimiento", it="scadenza",
        pt="vencimento", nl="vervaldatum",
    ),
    "delivered": date(
        "delivery date|date of service|service_date|delivered on|supply date|date of delivery",
        de="Lieferdatum|Leistungsdatum", fr="date de livraison",
    ),
    "period.start": date("period start|billing period from|service period start|period_from"),
    "period.end": date("period end|billing period to|service period end|period_to"),
    "lines": objects(
        "items|line items|lines|positions|products|what was billed|line_items|services",
        {
            "name": text("description|item|name|article|product|service|position"),
            "quantity": integer("quantity|qty|units|count|number of units|pieces"),
            "price": number("unit price|price|rate|unit_price|price each"),
            "amount": number("amount|line total|line_total|total|sum of the line"),
        },
        "all positions of the invoice|the goods and services with their prices",
        de="Positionen", fr="lignes", es="conceptos",
    ),
    "subtotal": number(
        "subtotal|net amount|net total|total before tax|sum without VAT|net_total|taxable amount",
        de="Nettobetrag|Zwischensumme", fr="total HT", es="base imponible", it="imponibile",
        nl="subtotaal excl. btw",
    ),
    "discount": number("discount|rebate|discount amount|deduction", "amount of the discount"),
    "shipping": number("shipping|delivery charge|freight|shipping_cost|postage and packing"),
    "vat": number(
        "VAT rate|tax rate|tax_percent|VAT %|rate of sales tax", "tax rate in per cent",
        de="MwSt-Satz", fr="taux de TVA", es="tipo de IVA",
    ),
    "tax": number(
        "VAT amount|tax|sales tax|tax_amount|VAT|total tax", "amount of the tax",
        de="Mehrwertsteuer", fr="montant TVA", es="cuota de IVA",
    ),
    "total": number(
        "total|invoice total|gross amount|total_amount|grand total|amount incl. tax|total price|"
        "how much is the invoice?",
        "the whole amount of the invoice with tax|total including taxes",
        de="Gesamtbetrag|Bruttobetrag|Rechnungsbetrag", fr="total TTC", es="total factura",
        it="totale", pt="total", nl="totaal",
    ),
    "total.currency": currency(
        "currency|invoice currency|currency_code|billed in which currency?",
        "ISO code of the currency",
        de="Währung", fr="devise", es="moneda",
    ),
    "deposit": number("deposit paid|advance payment|prepayment|already paid|paid on account"),
    "balance": number("balance due|open amount|remaining amount|balance|still to pay|outstanding"),
    "terms": text(
        "payment terms|terms|terms_of_payment|conditions of payment",
        "the terms of payment as they stand"
    ),
    "method": choice(
        "payment method|how to pay|paid by|method_of_payment",
        "bank transfer/transfer/wire, direct debit/debit, card/credit "
        "card, cash, cheque/check, PayPal",
        "the way in which the invoice is or was paid",
    ),
    "paid": yes_no("paid|is_paid|already settled|settled", "whether it has been paid in full",
        always=True),
    "type": choice(
        "document type|kind of document|doc_type",
        "invoice/bill, credit note/refund, proforma invoice/proforma, "
        "reminder/payment reminder/dunning "
        "letter, quote/estimate/quotation",
        always=True,
    ),
    "reverse_charge": yes_no("reverse charge|tax owed by the customer|is_reverse_charge"),
    "seller": group(
        "seller|vendor|supplier|issuer",
        {"seller.name": "name|company", "seller.city": "city|town", "seller.email": "email|e-mail",
         "seller.phone": "phone|telephone", "seller.vat_id": "vat_id|tax number"},
    ),
    "buyer": group(
        "buyer|customer|bill_to|client",
        {"buyer.name": "name|company", "buyer.street": "street|address", "buyer.postcode": "zip|"
            "postcode",
         "buyer.city": "city|town"},
    ),
    "bank_details": group(
        "bank details|payment details|bank account",
        {"seller.iban": "iban|IBAN", "seller.bic": "bic|swift", "seller.bank": "bank|bank_name"},
    ),
    "totals": group(
        "totals|amounts|sums",
        {"subtotal": "net|subtotal", "tax": "vat|tax", "total": "gross|total",
         "total.currency": "currency"},
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one invoice."""
    delivered = world.date(2017, 2026)
    issued = world.date(after=delivered, days=(0, 15))
    start = world.date(2017, 2026)
    lines = []
    for name in drawn_goods(world, world.count("lines", 1, 9)):
        quantity = world.number(1, world.pick(3, 12, 40))
        price = world.money(2, world.pick(30, 200, 900))
        lines.append(line(world, name, quantity, price))
    sums = drawn_sums(world, lines, (40, 9000), (3, 60))
    deposit = world.money(value=max(1, sums.total * world.pick(0.1, 0.25, 0.3, 0.5)))
    return {
        "seller": drawn_firm(world),
        "buyer": drawn_firm(world),
        "client": world.person(),
        "other": world.person(),
        "home": world.address(),
        "number": world.code(
            "INV-%####", "20%#/%###", "RE%######", "%####", "F-%##-%###", "20##-0%##",
            "?%####-%#", "A%######",
        ),
        "old_number": world.code("INV-%####", "20%#/%###", "RE%######", "%####"),
        "order": world.code("PO-%####", "45%########", "%#####", "B-%###/%#", "PO %####/?"),
        "customer_no": world.code("C%####", "%####", "KD-%####", "%##-%###", "10%####"),
        "code": world.code("%###", "??-%##", "%#.%##"),
        "project": world.word(),
        "issued": issued,
        "delivered": delivered,
        "due": world.date(after=issued, days=(7, 60)),
        "old_date": world.date(2014, 2016),
        "period": Record(start=start, end=world.date(after=start, days=(6, 92))),
        "lines": lines,
        **sums.facts(world),
        "deposit": right(deposit, 12),
        "balance": right(world.money(value=sums.total - deposit.value), 12),
        "fee": world.money(5, 60),
        "old_total": world.money(40, 900),
        "hours": world.number(2, 60),
    }  # fmt: skip
