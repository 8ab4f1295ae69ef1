"""Invoices and receipts as text out of a PDF has them: columns torn apart, suppliers unlabelled."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe import makeup
from recipe.examples import Example
from recipe.facts import World
from recipe.forms import common
from recipe.names import restyle

_LABELS = {
    "en": {
        "title": "INVOICE|Invoice|Tax Invoice|Bill|Commercial Invoice|Statement of charges",
        "number": "Invoice No.|Invoice number|Invoice #|No.|Doc. no.|Inv. no",
        "date": "Date|Invoice date|Issued|Date of issue|Billing date",
        "due": "Due|Due date|Payment due|Payable by|Please pay by",
        "customer": "Bill to|Customer|Sold to|Client|To|Billed to",
        "ship": "Ship to|Delivery address|Deliver to",
        "client_number": "Customer no.|Client ID|Account no.|Your number",
        "order": "Order no.|PO number|Your order|Purchase order",
        "description": "Description|Item|Product|Details|Service",
        "quantity": "Qty|Quantity|Units|Pcs", "price": "Unit price|Price|Rate|Each",
        "amount": "Amount|Total|Line total|Sum",
        "net": "Subtotal|Net amount|Net|Total excl. VAT|Sub-total",
        "tax": "VAT {r}%|Tax ({r}%)|Sales tax {r} %|VAT",
        "total": "Total|TOTAL DUE|Amount due|Grand total|Balance due|Total incl. VAT|To pay",
        "paid": "Paid|Deposit received|Payments", "vat_id": "VAT ID|VAT reg. no.|Tax ID",
        "phone": "Tel.|Phone|T", "iban": "IBAN", "page": "Page 1 of 1|Page 1/1|1 / 1",
        "thanks": "Thank you for your business!|Goods remain our property until paid.|"
        "Please quote the invoice number with your payment.|Late payments cost 1.5% a month.",
    },
    "de": {
        "title": "Rechnung|RECHNUNG", "number": "Rechnungsnr.|Rechnungsnummer|Rechnung Nr.",
        "date": "Datum|Rechnungsdatum", "due": "Zahlbar bis|Fällig am|Fälligkeit",
        "customer": "Rechnung an|Kunde|An", "ship": "Lieferadresse",
        "client_number": "Kundennr.|Kundennummer", "order": "Bestellnr.|Auftragsnr.",
        "description": "Beschreibung|Bezeichnung|Artikel", "quantity": "Menge|Anzahl",
        "price": "Einzelpreis|Preis", "amount": "Betrag|Gesamt",
        "net": "Zwischensumme|Nettobetrag|Summe netto", "tax": "MwSt. {r}%|zzgl. {r} % USt.",
        "total": "Gesamtbetrag|Rechnungsbetrag|Zu zahlen|Endbetrag", "paid": "Anzahlung",
        "vat_id": "USt-IdNr.", "phone": "Tel.", "iban": "IBAN", "page": "Seite 1 von 1",
        "thanks": "Vielen Dank für Ihren Auftrag!|Bitte überweisen Sie ohne Abzug.",
    },
    "fr": {
        "title": "Facture|FACTURE", "number": "Facture n°|N° de facture", "date": "Date|Émise le",
        "due": "Échéance|À payer avant le", "customer": "Facturé à|Client|Adressée à",
        "ship": "Livraison", "client_number": "N° client", "order": "Commande n°",
        "description": "Désignation|Description", "quantity": "Qté|Quantité", "price": "PU HT|Prix",
        "amount": "Montant|Total HT", "net": "Sous-total|Total HT", "tax": "TVA {r}%|TVA ({r} %)",
        "total": "Total TTC|Net à payer|Montant dû", "paid": "Acompte", "vat_id": "N° TVA",
        "phone": "Tél.", "iban": "IBAN", "page": "Page 1/1", "thanks": "Merci de votre confiance.",
    },
    "es": {
        "title": "Factura|FACTURA", "number": "Factura n.º|N.º de factura",
        "date": "Fecha|Fecha de emisión", "due": "Vencimiento|Pagar antes de",
        "customer": "Cliente|Facturar a", "ship": "Enviar a", "client_number": "N.º de cliente",
        "order": "Pedido", "description": "Descripción|Concepto", "quantity": "Cant.|Cantidad",
        "price": "Precio", "amount": "Importe", "net": "Base imponible|Subtotal",
        "tax": "IVA {r}%", "total": "Total|Total a pagar|Importe total", "paid": "Anticipo",
        "vat_id": "NIF", "phone": "Tel.", "iban": "IBAN", "page": "Página 1 de 1",
        "thanks": "Gracias por su compra.",
    },
    "nl": {
        "title": "Factuur|FACTUUR", "number": "Factuurnummer|Factuurnr.", "date": "Datum",
        "due": "Vervaldatum|Te betalen voor", "customer": "Aan|Klant", "ship": "Afleveradres",
        "client_number": "Klantnr.", "order": "Ordernr.", "description": "Omschrijving",
        "quantity": "Aantal", "price": "Prijs", "amount": "Bedrag", "net": "Subtotaal",
        "tax": "BTW {r}%", "total": "Totaal|Te betalen", "paid": "Voldaan", "vat_id": "BTW-nr.",
        "phone": "Tel.", "iban": "IBAN", "page": "Pagina 1", "thanks": "Bedankt!",
    },
    "it": {
        "title": "Fattura|FATTURA", "number": "Fattura n.|Numero fattura", "date": "Data",
        "due": "Scadenza", "customer": "Cliente|Spett.le", "ship": "Destinazione",
        "client_number": "Cod. cliente", "order": "Ordine n.", "description": "Descrizione",
        "quantity": "Q.tà|Quantità", "price": "Prezzo", "amount": "Importo", "net": "Imponibile",
        "tax": "IVA {r}%", "total": "Totale|Totale da pagare", "paid": "Acconto",
        "vat_id": "P. IVA", "phone": "Tel.", "iban": "IBAN", "page": "Pag. 1/1",
        "thanks": "Grazie.",
    },
}  # fmt: skip

_NAMES = {
    "seller": "supplier|vendor|seller|from|company|issuer|merchant|supplier_name|billed by|sender",
    "number": "invoice number|number|invoice_no|invoice id|document number",
    "date": "date|invoice date|issue date|issued", "due": "due date|due|payment due|payable until",
    "customer": "customer|buyer|bill to|client|recipient",
    "total": "total|amount due|grand total|invoice total|total amount|gross amount|to pay",
    "net": "subtotal|net amount|net total|amount before tax",
    "tax": "tax|VAT amount|tax amount|vat",
    "rate": "tax rate|vat rate|vat percent", "currency": "currency|currency code",
    "order": "order number|purchase order|po number", "vat_id": "vat id|tax id|vat number",
    "phone": "phone|telephone", "iban": "iban|bank account|account",
    "client_number": "customer number|client id|account number",
    "city": "supplier city|city of the supplier|seller city",
    "paid": "already paid|deposit|amount paid|prepayment",
}  # fmt: skip
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}


@dataclass
class _Line:
    name: str
    quantity: int
    price: float

    @property
    def amount(self) -> float:
        return round(self.quantity * self.price, 2)


def make_torn_invoice(rng: Random) -> Example:
    """An invoice in the order in which a program reads a page, and questions about it."""
    language = rng.choices(tuple(_LABELS), (70, 9, 7, 6, 4, 4))[0]
    label = {key: rng.choice(text.split("|")) for key, text in _LABELS[language].items()}
    world = World(rng, language)
    seller, buyer = common.company(rng), common.company(rng)
    if rng.random() < 0.25:
        buyer = common.person(rng)
    home, away = world.address(), world.address()
    currency = rng.choice(("USD", "EUR", "GBP", "CHF"))
    money = _writer(currency, language, rng)
    (day, day_iso), (due, due_iso) = common.date(rng), common.date(rng)
    lines = [
        _Line(name, rng.choice((1, 1, 2, 3, rng.randint(2, 40))), _price(rng))
        for name in common.items(rng, rng.choice((1, 2, 3, 4, 6, 8)))
    ]
    rate = rng.choice((5, 7, 8, 10, 19, 20, 21, 22, 25))
    net = round(sum(line.amount for line in lines), 2)
    tax = round(net * rate / 100, 2)
    total = round(net + tax, 2)
    paid = round(total * rng.choice((0.1, 0.25, 0.5)), 2) if rng.random() < 0.12 else None
    facts = {
        "number": rng.choice((f"INV-{rng.randint(1000, 99999)}", makeup.digits(rng, 4, 9),
                              f"{rng.randint(2018, 2026)}/{rng.randint(1, 999):03}",
                              makeup.model_number(rng))),
        "date": day, "due": due, "order": makeup.digits(rng, 5, 8),
        "client_number": makeup.digits(rng, 4, 6),
        "vat_id": makeup.letters(rng, 2, 2) + makeup.digits(rng, 8, 10),
        "phone": common.phone(rng), "iban": makeup.letters(rng, 2, 2) + makeup.digits(rng, 18, 20),
    }  # fmt: skip
    said = {"number", *(key for key in facts if rng.random() < 0.6)}
    if rng.random() < 0.85:
        said.add("date")
    letterhead = [seller, *_address(home, rng)]
    if "phone" in said:
        letterhead.append(f"{label['phone']} {facts['phone']}")
    if "vat_id" in said and rng.random() < 0.5:
        letterhead.append(f"{label['vat_id']} {facts['vat_id']}")
    for_buyer = [buyer, *_address(away, rng)]
    if rng.random() < 0.8:
        for_buyer.insert(0, label["customer"] + rng.choice(("", ":")))
    head = [(label[key], facts[key]) for key in ("number", "date", "due", "order", "client_number")
            if key in said]  # fmt: skip
    rng.shuffle(head)
    foot = [(label["net"], money(net)), (label["tax"].replace("{r}", str(rate)), money(tax)),
            (label["total"], money(total))]  # fmt: skip
    if net != total and rng.random() < 0.15:
        foot, said = foot[2:], said | {"gross"}
    if paid is not None:
        foot.append((label["paid"], money(paid)))
    last = [label["thanks"]] * (rng.random() < 0.4) + [label["page"]] * (rng.random() < 0.4)
    if "iban" in said:
        last.append(f"{label['iban']}: {facts['iban']}")
    if "vat_id" in said and not any(facts["vat_id"] in line for line in letterhead):
        last.append(f"{label['vat_id']}: {facts['vat_id']}")
    rng.shuffle(last)
    table = _table(lines, label, money, rng)
    top = [letterhead, [label["title"]], for_buyer, _pairs(head, rng)]
    if rng.random() < 0.6:
        rng.shuffle(top)
    blocks = [*top, table, _pairs(foot, rng), last]
    if rng.random() < 0.15:
        # The letterhead stands at the foot of the page.
        blocks.remove(letterhead)
        blocks.append(letterhead)
    if rng.random() < 0.12:
        # The sums come before the goods.
        blocks.insert(rng.randint(1, 3), blocks.pop(blocks.index(table) + 1))
    text = rng.choice(("\n", "\n", "\n\n")).join("\n".join(block) for block in blocks if block)
    answers: dict[str, Any] = {key: facts[key] if key in said else None for key in facts}
    answers |= {
        "seller": seller, "customer": buyer, "total": total, "currency": currency,
        "date": (day, day_iso) if "date" in said else None,
        "due": (due, due_iso) if "due" in said else None, "city": str(home.city),
        "paid": paid,
        **({"net": net, "tax": tax, "rate": rate} if "gross" not in said else {}),
    }  # fmt: skip
    if money.bare:  # type: ignore[attr-defined]
        answers["currency"] = None
    return _ask(text, answers, lines, money, rng)


def _price(rng: Random) -> float:
    return rng.choice((float(rng.randint(1, 900)), round(rng.uniform(1, 900), 2),
                       rng.randint(2, 99) + 0.5, rng.randint(1, 60) - 0.01))  # fmt: skip


def _writer(currency: str, language: str, rng: Random) -> Any:
    """Writes amounts as this invoice does; ``bare`` if it never says the currency."""
    comma = language != "en"
    grouped = rng.random() < 0.6
    style = rng.choice(("{s}{n}", "{n} {s}", "{n} {c}", "{c} {n}", "{n}"))

    def money(amount: float) -> str:
        shown = f"{amount:,.2f}" if grouped else f"{amount:.2f}"
        if comma:
            shown = shown.replace(",", "_").replace(".", ",").replace("_", ".")
        sign = _SIGNS.get(currency, currency + " " if style == "{s}{n}" else currency)
        return style.format(s=sign, n=shown, c=currency)

    money.bare = style == "{n}"  # type: ignore[attr-defined]
    return money


def _address(address: Any, rng: Random) -> list[str]:
    lines = [str(address.street), f"{address.postcode} {address.city}"]
    return lines + [str(address.country)] * (rng.random() < 0.4)


def _pairs(pairs: list[tuple[str, str]], rng: Random) -> list[str]:
    """Labels and what stands beside them; a column may have been read before the other."""
    kind = rng.random()
    if kind < 0.45 or len(pairs) < 2:
        joint = rng.choice((": ", " ", "  ", "\t", ":\n", "\n"))
        return [label + joint + value for label, value in pairs]
    if kind < 0.8:
        return [label for label, _ in pairs] + [value for _, value in pairs]
    joint = rng.choice(("  ", "   ", " | "))
    return [joint.join(label for label, _ in pairs), joint.join(value for _, value in pairs)]


def _table(lines: list[_Line], label: dict[str, str], money: Any, rng: Random) -> list[str]:
    order = rng.choice((("description", "quantity", "price", "amount"),
                        ("quantity", "description", "price", "amount"),
                        ("description", "price", "quantity", "amount")))  # fmt: skip
    rows = [
        {"description": line.name, "quantity": str(line.quantity), "price": money(line.price),
         "amount": money(line.amount)}
        for line in lines
    ]  # fmt: skip
    header = [label[key] for key in order] if rng.random() < 0.85 else []
    kind = rng.random()
    if kind < 0.5:
        joint = rng.choice((" ", "  ", "\t", "   "))
        return [joint.join(header)] * bool(header) + [
            joint.join(row[key] for key in order) for row in rows
        ]
    if kind < 0.75:
        # Each column was read from top to bottom.
        return [
            cell
            for key in order
            for cell in ([label[key]] * bool(header) + [row[key] for row in rows])
        ]
    return [*header, *(row[key] for row in rows for key in order)]


def _ask(text: str, facts: dict[str, Any], lines: list[_Line], money: Any, rng: Random) -> Example:
    keys = ["seller", *rng.sample([key for key in facts if key != "seller"], rng.randint(1, 9))]
    if rng.random() < 0.5:
        keys.append("total")
    rng.shuffle(keys)
    style = rng.random() if rng.random() < 0.6 else None
    attributes: list[Attribute] = []
    answer: dict[str, Any] = {}

    def name_of(names: str) -> str:
        name = rng.choice(names.split("|"))
        return name if style is None else restyle(name, Random(style))

    for key in dict.fromkeys(keys):
        name, value = name_of(_NAMES[key]), facts[key]
        if name in answer:
            continue
        if key in ("date", "due"):
            typed = rng.random() < 0.8
            attributes.append(Attribute(name, "date" if typed else "string"))
            answer[name] = None if value is None else value[typed]
        elif key in ("total", "net", "tax", "rate", "paid"):
            if key == "rate" or rng.random() < 0.85:
                attributes.append(Attribute(name, "number"))
                answer[name] = value
            else:
                attributes.append(Attribute(name))
                answer[name] = None if value is None else money(value)
        else:
            attributes.append(Attribute(name))
            answer[name] = value
    if rng.random() < 0.6:
        parts = {
            "name": name_of("item|description|name|product"), "quantity": name_of("quantity|qty"),
            "price": name_of("price|unit_price|rate"), "amount": name_of("amount|line_total"),
        }  # fmt: skip
        sorts = {"name": "string", "quantity": "integer", "price": "number", "amount": "number"}
        chosen = rng.sample(list(parts), rng.randint(1, 4))
        if len({parts[key] for key in chosen}) == len(chosen):
            item = Attribute(
                "item", "object",
                attributes=tuple(Attribute(parts[key], sorts[key]) for key in chosen),  # type: ignore[arg-type]
            )  # fmt: skip
            name = name_of("lines|items|line_items|positions|products")
            if name not in answer:
                attributes.append(Attribute(name, "array", item=item))
                answer[name] = [
                    {parts[key]: getattr(line, key) for key in chosen} for line in lines
                ]
    return Example(Schema(tuple(attributes)), [text], [answer])
