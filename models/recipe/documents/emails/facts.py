"""The facts of e-mails, business and private, and how they are asked for.

Slots: ``sender`` and ``recipient`` (persons: ``name``, ``email``, ``phone``, ``job``), ``other``
and ``third`` (more persons, who are not asked for), ``copied`` (1 to 4 persons in copy),
``company`` (the sender's), ``firm`` (another one, not asked for), ``address`` (the sender's),
``site`` (a web address), ``customer_number``, ``order``, ``invoice``, ``tracking``, ``coupon``,
``iban`` (codes), ``ordered``, ``sent``, ``deadline``, ``meeting`` (dates, in this order),
``earlier`` (a date before all of them, not asked for), ``time`` (of the meeting), ``hour``
(another time, not asked for), ``place`` (a room), ``total`` (the amount it is about), ``fee``
(another amount, not asked for), ``discount``, ``items`` (none unless a wording counts them: ``name``, ``quantity``,
``price``, ``amount``; without items ``total`` is drawn), ``files`` (1 to 4 file names).
Decided by the wording: ``topic``, ``sentiment``, ``urgent``, ``attachment``, ``reply``,
``online``, ``problem``, ``subject``, ``position``.
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
    texts,
    time,
    yes_no,
)
from recipe.documents.emails.goods import GOODS
from recipe.documents.trade.codes import TRACKING
from recipe.facts import Record, World

ROOMS = {
    "en": "Room %.##|the small meeting room|Building ?, room %##|the canteen|Lab %|Hall ?",
    "de": "Raum %.##|Besprechungsraum %|Gebäude ?, Zimmer %##|Kantine|Labor %|Halle ?",
    "fr": "salle %##|bâtiment ?, salle %|la cafétéria|salle de réunion %|hall ?",
    "es": "sala %##|edificio ?, aula %|la cafetería|sala de juntas %|pabellón ?",
    "it": "sala %##|edificio ?, aula %|la mensa|sala riunioni %|padiglione ?",
    "pt": "sala %##|bloco ?, sala %|o refeitório|sala de reuniões %|pavilhão ?",
    "nl": "zaal %##|gebouw ?, kamer %##|de kantine|vergaderzaal %|hal ?",
}
FILES = """
    report.pdf|IMG_20%#.jpg|scan_%###.pdf|contract_signed.pdf|photos.zip|budget_v%.xlsx|
    agenda.docx|minutes.docx|CV.pdf|invoice_%###.pdf|floorplan.dwg|list.csv|slides_final.pptx|
    quote-%###.pdf|form ?%.pdf|screenshot%.png|timesheet.xls|label.pdf|DSC0%###.JPG
"""

ASKED = {
    "sender.name": text(
        "sender|from|author|sender_name|who wrote it?|written by|name of the sender|signed by|"
        "writer",
        "the person who wrote the message|name of the sender, as complete as it is given",
        de="Absender|Verfasser", fr="expéditeur|auteur", es="remitente|autor",
        it="mittente|autore", pt="remetente|autor", nl="afzender|schrijver",
    ),
    "sender.email": text(
        "sender email|sender_email|sender's e-mail address|from_address|reply to|email of sender",
        "address to answer to|the e-mail address of the person who writes",
        de="E-Mail des Absenders", fr="e-mail de l'expéditeur", es="correo del remitente",
    ),
    "sender.phone": text(
        "sender phone|sender_phone|call back number|telephone of the sender|sender's phone number|"
        "number to call the sender on",
        "where the sender can be called",
        de="Telefon des Absenders", fr="téléphone de l'expéditeur", nl="telefoon afzender",
    ),
    "sender.job": text(
        "sender's job|job title|role of the sender|sender_position|function|title in signature",
        "the job of the person who writes",
    ),
    "recipient.name": text(
        "recipient|to|addressee|to whom|recipient_name|who is addressed?|written to|receiver",
        "the person who is written to",
        de="Empfänger", fr="destinataire", es="destinatario", it="destinatario",
        pt="destinatário", nl="ontvanger|geadresseerde",
    ),
    "recipient.email": text(
        "recipient email|to_address|e-mail of the recipient|recipient's e-mail address|sent to"
    ),
    "copied": texts(
        "cc|in copy|copied persons|cc_names|people in cc|who else got it?",
        "the persons who get a copy",
    ),
    "company": text(
        "sender's company|company of the sender|sender_company|organisation of the writer|"
        "company in the signature|sender's employer",
        "the firm for which the sender writes",
        de="Firma des Absenders", fr="entreprise de l'expéditeur", es="empresa del remitente",
        it="azienda del mittente", pt="empresa do remetente", nl="bedrijf van de afzender",
    ),
    "address.street": text("sender's street|street|street address|sender_street|street and number"),
    "address.postcode": text("postcode|zip|zip code|postal code|sender_postcode"),
    "address.city": text("sender's town|city|town|sender_city|place of the sender|from which city"),
    "site": text("website|link|url|web address|homepage|page to visit"),
    "customer_number": text(
        "customer number|customer_no|client number|account number|customer id|membership no.",
        "the number under which the customer is known",
        de="Kundennummer", fr="numéro de client", es="número de cliente", nl="klantnummer",
    ),
    "order": text(
        "order number|order_id|order|order no.|order reference|which order?|purchase number",
        "the order that it is about",
        de="Bestellnummer|Auftragsnummer", fr="numéro de commande", es="número de pedido",
        it="numero d'ordine", pt="número do pedido", nl="bestelnummer",
    ),
    "invoice": text(
        "invoice number|invoice_no|bill number|invoice|invoice id|which invoice?",
        de="Rechnungsnummer", fr="numéro de facture", es="número de factura",
        it="numero di fattura", pt="número da fatura", nl="factuurnummer",
    ),
    "tracking": text(
        "tracking number|tracking_code|parcel number|shipment number|consignment|tracking id"
    ),
    "coupon": text("coupon|promo code|voucher_code|discount code|code to enter at checkout"),
    "iban": text("iban|bank account|account to pay into|iban_number|account for the transfer"),
    "sent": date(
        "sent|sent on|date sent|e-mail date|date_of_message|when was it sent?|mail date",
        "when the message was sent",
        de="gesendet am", fr="envoyé le", es="enviado el", it="inviato il", nl="verzonden op",
    ),
    "ordered": date(
        "order date|ordered on|date of purchase|purchase_date|when was it bought?|day of the order",
        de="Bestelldatum|Kaufdatum", fr="date de commande", es="fecha del pedido",
    ),
    "deadline": date(
        "deadline|answer by|reply_by|latest date|until when?|to be done by|due date|time limit",
        "the day by which something has to be done",
        de="Frist", fr="date limite", es="fecha límite", it="scadenza", pt="prazo", nl="uiterlijk",
    ),
    "meeting": date(
        "meeting date|appointment date|appointment_date|event_date|when do they meet?|"
        "date of the visit|day of the event",
        "the day of the meeting, visit or event",
        de="Termin", fr="date du rendez-vous", es="fecha de la cita", nl="datum afspraak",
    ),
    "time": time(
        "meeting time|appointment time|time of the meeting|starts at|start_time|"
        "at what time do they meet?|what time",
        "when the meeting, call or event starts",
    ),
    "place": text(
        "place|venue|location|room|where do they meet?|meeting_place|meeting point",
        "where it takes place",
    ),
    "total": number(
        "total|amount|total amount|order value|sum|total_amount|how much is it about?|"
        "amount in question",
        "the amount that the message is about",
        de="Betrag|Summe", fr="montant", es="importe", it="importo", pt="valor", nl="bedrag",
    ),
    "total.currency": currency("currency|paid in|currency_code|currency of the amount"),
    "discount": number("discount|discount percent|percent off|discount_pct|reduction in percent"),
    "items": objects(
        "items|products|articles|what was ordered|positions|order_lines|goods|things bought",
        {
            "name": text("name|item|product|article|description|product_name|what"),
            "quantity": integer("quantity|qty|number|count|pieces|how many"),
            "price": number("price|unit price|cost|price each|unit_price"),
        },
        "the goods that the message lists",
        de="Artikel|Positionen", fr="articles", es="artículos", it="articoli", pt="itens",
        nl="artikelen",
    ),
    "files": texts(
        "attachments|attached files|files|file_names|names of the attachments|documents enclosed",
        "the names of the files that are attached",
        de="Anhänge", fr="pièces jointes", es="adjuntos", it="allegati", pt="anexos",
        nl="bijlagen",
    ),
    "topic": choice(
        "topic|category|subject area|kind of request|intent|type of message|about",
        "refund/refund request/money back, delivery/shipping/delivery problem, "
        "complaint/product problem/defect, question/product question/enquiry, "
        "invoice/billing/payment, appointment/meeting/scheduling, "
        "application/job application, praise/thanks, cancellation/cancel, "
        "announcement/news/newsletter, other/something else",
        "what the message is about",
        always=True,
        de="Thema|Anliegen", fr="sujet|motif", es="tema|motivo", nl="onderwerp",
    ),
    "sentiment": choice(
        "sentiment|mood|tone|how does the sender feel?|attitude",
        "positive/happy, neutral, negative/angry/unhappy",
        always=True,
        de="Stimmung", fr="ton", es="tono",
    ),
    "urgent": yes_no(
        "urgent|is_urgent|needs a quick answer|urgency|pressing?|is it urgent?", always=True
    ),
    "attachment": yes_no(
        "attachment|has attachment|files attached?|has_attachment|anything enclosed?", always=True
    ),
    "reply": yes_no(
        "reply expected|answer wanted|needs_reply|asks for an answer|response requested?",
        "whether the sender asks for an answer",
        always=True,
    ),
    "online": yes_no("online|video call|remote meeting|held online?|is_online_meeting"),
    "problem": text(
        "problem|issue|what is wrong?|defect|reason for complaint|fault|problem_description",
        "the problem in the sender's own words",
        de="Problem|Mangel", fr="problème", es="problema", it="problema", pt="problema",
        nl="probleem|klacht",
    ),
    "subject": text(
        "subject|subject line|mail subject|email_subject|re|subject of the mail",
        "the subject line, without Re: or Fwd:",
        de="Betreff", fr="objet", es="asunto", it="oggetto", pt="assunto",
    ),
    "position": text(
        "position|job applied for|role applied for|vacancy|which job?|advertised position"
    ),
    "sender": group(
        "sender|contact|from|writer",
        {
            "sender.name": "name|full name",
            "sender.email": "email|e-mail",
            "sender.phone": "phone|tel",
            "company": "company|organisation",
        },
    ),
    "appointment": group(
        "meeting|appointment|event|when_and_where",
        {"meeting": "date|day", "time": "time|at", "place": "place|where|location"},
    ),
    "order_details": group(
        "order|order details|purchase",
        {
            "order": "number|id|no",
            "ordered": "date|ordered on",
            "total": "total|amount",
            "total.currency": "currency",
        },
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one e-mail."""
    ordered = world.date(2019, 2026)
    sent = world.date(after=ordered, days=(1, 40))
    deadline = world.date(after=sent, days=(3, 30))
    items = []
    for _ in range(world.count("items", 0, 0)):
        quantity, price = world.number(1, 12), world.money(3, 400)
        items.append(
            Record(
                name=world.one_of(GOODS[world.language]),
                quantity=quantity,
                price=price,
                amount=world.money(value=quantity.value * price.value),
            )
        )
    paid = sum(item.amount.value for item in items)
    return {
        "sender": world.person(),
        "recipient": world.person(),
        "other": world.person(),
        "third": world.person(),
        "copied": [world.person().name for _ in range(world.count("copied", 1, 4))],
        "company": world.company(),
        "firm": world.company(),
        "address": world.address(),
        "site": world.url(),
        "customer_number": world.code("%######", "C-%####", "KD %####", "%##.%##.%##"),
        "order": world.code("%#####", "??-%####", "%##-%#######-%######", "ORD-20##-%###"),
        "invoice": world.code("INV-%####", "20%#/%###", "RE%######"),
        "tracking": world.code(TRACKING),
        "coupon": world.code("SAVE%#", "????%#", "SPRING%#", "WB-????-%#"),
        "iban": world.text(world.fake.iban()),
        "earlier": world.date(2014, 2018),
        "ordered": ordered,
        "sent": sent,
        "deadline": deadline,
        "meeting": world.date(after=deadline, days=(1, 60)),
        "time": world.time(),
        "hour": world.time(),
        "place": world.code(ROOMS[world.language]),
        "total": world.money(5, 900, value=paid or None),
        "fee": world.money(2, 30),
        "discount": world.percent(5, 60),
        "items": items,
        "files": [world.code(file.value) for file in world.some(FILES, 1, 4, "files")],
    }
