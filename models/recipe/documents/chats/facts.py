"""The facts of chats, private and with firms, and how they are asked for.

Slots: ``customer`` and ``agent`` (persons: ``name``, ``email``, ``phone``), ``other`` and
``third`` (not asked for), ``people`` (2 to 6 persons' first names; use them as
``people[0]`` ... and mark them as a list with ``@participants``-like loops only where all are
written), ``company`` (the firm that is chatted with), ``day`` (of the chat), ``earlier`` (a date
before, not asked for), ``ordered``, ``meeting``, ``delivery`` (dates), ``clock`` (14 times in a
row, not asked for), ``time`` (of the meeting), ``hour`` (another time, not asked for), ``place``,
``address`` (``street``, ``postcode``, ``city``), ``order``, ``tracking``, ``coupon``, ``booking``,
``ticket`` (codes), ``thing`` (what it is about), ``brand``, ``asking`` (the first price),
``price`` (the agreed price, lower), ``refund``, ``fee`` (not asked for), ``guests``, ``rating``
(1 to 5), ``shopping`` (2 to 8 things to buy), ``dishes`` (1 to 6: ``name``, ``quantity``,
``price``), ``bill`` (what the dishes cost), ``tasks`` (6: ``who``, ``due``; their ``what`` is
marked).
Decided by the wording: ``topic``, ``sentiment``, ``resolved``, ``agreed``, ``bot``, ``online``,
``problem``, ``answer``.
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

PLACES = {
    "en": """
        the old fountain|Corner Café|platform %|the library|gate ?%|the car park behind the cinema|
        the main entrance|Pier %|the climbing hall|Blue Door Bakery
    """,
    "de": """
        Café Blum|Gleis %|die Bibliothek|Tor %|der Parkplatz am Kino|Haupteingang|Kletterhalle|
        Bäckerei Lang|Marktbrunnen|Biergarten am See
    """,
    "fr": """
        le café du coin|quai %|la médiathèque|porte ?|le parking du cinéma|l'entrée principale|
        la salle d'escalade|la boulangerie Morin|la fontaine
    """,
    "es": """
        el bar de la esquina|andén %|la biblioteca|puerta ?%|el parking del cine|
        la entrada principal|el rocódromo|la panadería Sol|la fuente
    """,
    "it": """
        il bar all'angolo|binario %|la biblioteca|porta ?|il parcheggio del cinema|
        l'ingresso principale|la palestra|il forno Rossi|la fontana
    """,
    "pt": """
        o café da esquina|plataforma %|a biblioteca|portão %|o estacionamento do cinema|
        a entrada principal|o ginásio|a padaria Sol|o chafariz
    """,
    "nl": """
        het café op de hoek|spoor %|de bibliotheek|poort ?|de parkeerplaats bij de bioscoop|
        de hoofdingang|de klimhal|bakkerij Smit|de fontein
    """,
}
GROCERIES = {
    "en": """
        oat milk|eggs|two lemons|bin bags|coffee|cat food|washing powder|basil|toilet paper|rice|
        ginger|batteries|dark chocolate|bananas|butter|olive oil|candles|ice cubes|crisps|limes
    """,
    "de": """
        Hafermilch|Eier|Zitronen|Müllbeutel|Kaffee|Katzenfutter|Waschmittel|Basilikum|Klopapier|
        Reis|Ingwer|Batterien|Bananen|Butter|Olivenöl|Grillkohle|Servietten|Senf
    """,
    "fr": """
        lait d'avoine|œufs|citrons|sacs poubelle|café|croquettes|lessive|basilic|papier toilette|
        riz|gingembre|piles|bananes|beurre|huile d'olive|glaçons|moutarde|comté
    """,
    "es": """
        leche de avena|huevos|limones|bolsas de basura|café|pienso|detergente|albahaca|
        papel higiénico|arroz|jengibre|pilas|plátanos|mantequilla|aceite|hielo|servilletas
    """,
    "it": """
        latte d'avena|uova|limoni|sacchetti|caffè|croccantini|detersivo|basilico|carta igienica|
        riso|zenzero|pile|banane|burro|olio|ghiaccio|tovaglioli|parmigiano
    """,
    "pt": """
        leite de aveia|ovos|limões|sacos de lixo|café|ração|sabão em pó|manjericão|papel higiênico|
        arroz|gengibre|pilhas|bananas|manteiga|azeite|gelo|guardanapos|carvão
    """,
    "nl": """
        havermelk|eieren|citroenen|vuilniszakken|koffie|kattenvoer|wasmiddel|basilicum|wc-papier|
        rijst|gember|batterijen|bananen|boter|olijfolie|ijsblokjes|servetten|hagelslag
    """,
}
DISHES = {
    "en": """
        pad thai|margherita|veggie burger|lamb curry|garlic naan|caesar salad|ramen|fish and chips|
        spring rolls|mango lassi|bulgogi|falafel wrap|lasagne|cola|tiramisu
    """,
    "de": """
        Pizza Funghi|Döner|Currywurst|Käsespätzle|Gyros|Salat Nizza|Lahmacun|Schnitzel|
        Apfelschorle|Pad Thai|Frühlingsrollen|Tiramisu
    """,
    "fr": "pizza reine|couscous|croque-monsieur|salade niçoise|bo bun|tarte aux pommes|tacos|frites",
    "es": "paella|tortilla|croquetas|bocadillo de jamón|ensalada mixta|tacos al pastor|flan|gazpacho",
    "it": "margherita|diavola|lasagne|insalata mista|arancini|tiramisù|gnocchi|parmigiana",
    "pt": "feijoada|coxinha|picanha|pão de queijo|bacalhau|pastel de nata|moqueca|francesinha",
    "nl": "frikandel|kapsalon|pizza tonno|saté|loempia|bami|patat oorlog|kroket|roti",
}

ASKED = {
    "customer.name": text(
        "customer|client|guest|buyer|name of the customer|customer_name",
        "the person who writes to the firm or wants something",
        de="Kunde|Kundin", fr="client", es="cliente", it="cliente", pt="cliente", nl="klant",
    ),
    "customer.email": text("customer email|customer_email|e-mail of the customer|e-mail address"),
    "customer.phone": text("customer phone|customer_phone|phone number|number to call|telephone"),
    "agent.name": text(
        "agent|support agent|operator|adviser|agent_name|who helps?|staff member|employee",
        "the person who answers for the firm",
        de="Mitarbeiter|Berater", fr="conseiller", es="agente", it="operatore", pt="atendente",
        nl="medewerker",
    ),
    "company": text(
        "company|shop|firm|business|which company?|company_name|provider",
        "the firm that the customer chats with",
        de="Firma", fr="entreprise", es="empresa", it="azienda", pt="empresa", nl="bedrijf",
    ),
    "people": texts(
        "participants|people in the chat|members|who takes part?|chat_members|writers",
        "everybody who writes in the chat",
        de="Teilnehmer", fr="participants", es="participantes", it="partecipanti", nl="deelnemers",
    ),
    "day": date(
        "chat date|date of the chat|conversation_date|when did they chat?|day of the chat",
        "the day on which the chat took place",
    ),
    "ordered": date("order date|ordered on|purchase_date|bought on|when was it ordered?"),
    "meeting": date(
        "meeting date|appointment|appointment_date|day they meet|when do they meet?|booked for|"
        "date agreed",
        "the day on which they meet or which is booked, as agreed in the end",
        de="Treffen am|Termin", fr="date du rendez-vous", es="fecha de la cita", nl="afspraak op",
    ),
    "delivery": date(
        "delivery date|expected delivery|delivered on|arrives_on|when will it come?",
        "the day on which the goods come",
    ),
    "time": time(
        "meeting time|time agreed|at what time do they meet?|appointment_time|time of the booking|"
        "what time",
        "the time that they agree on in the end",
        de="Uhrzeit", fr="heure", es="hora", it="ora", pt="hora", nl="tijd",
    ),
    "place": text(
        "meeting place|where do they meet?|place|meeting_point|venue|location",
        "where they meet",
        de="Treffpunkt", fr="lieu", es="lugar", it="luogo", pt="local", nl="plaats",
    ),
    "address.street": text("street|street address|delivery street|address line|street_and_number"),
    "address.postcode": text("postcode|zip|postal code|zip_code"),
    "address.city": text("city|town|delivery city|which town?"),
    "order": text(
        "order number|order_id|order|order no.|which order?|order reference",
        de="Bestellnummer", fr="numéro de commande", es="número de pedido",
        it="numero d'ordine", pt="número do pedido", nl="bestelnummer",
    ),
    "tracking": text("tracking number|tracking_code|parcel number|shipment id"),
    "coupon": text("voucher|coupon|promo_code|voucher code|discount code"),
    "booking": text("booking number|booking_code|reservation code|confirmation number|booking ref"),
    "ticket": text("ticket number|case number|ticket_id|case id|reference of the case"),
    "thing": text(
        "product|item|article|what is it about?|thing for sale|goods|product_name",
        "the thing that they talk about",
        de="Produkt|Artikel", fr="produit|article", es="producto|artículo", it="prodotto",
        pt="produto", nl="product|artikel",
    ),
    "asking": number(
        "asking price|first price|list_price|original price|price before haggling|price asked",
        "the price that the seller asked for at first",
    ),
    "price": number(
        "agreed price|final price|price agreed on|final_price|price in the end|deal price",
        "the price that they agree on",
        de="Endpreis", fr="prix convenu", es="precio final", it="prezzo finale", nl="eindprijs",
    ),
    "price.currency": currency("currency|price_currency|currency of the price"),
    "refund": number("refund|refund amount|amount refunded|money_back|credited amount"),
    "refund.currency": currency("refund currency|currency of the refund"),
    "guests": integer(
        "guests|party size|number of people|how many people?|persons|seats|party_size",
        "for how many people",
        de="Personen", fr="personnes|couverts", es="personas", it="persone", pt="pessoas",
        nl="personen",
    ),
    "rating": integer("rating|stars|satisfaction|chat_rating|score"),
    "shopping": texts(
        "shopping list|things to buy|to buy|groceries|shopping_list|what should be bought?",
        "the things that somebody is asked to buy",
        de="Einkaufsliste", fr="liste de courses", es="lista de la compra", it="lista della spesa",
        pt="lista de compras", nl="boodschappen",
    ),
    "dishes": objects(
        "dishes|food ordered|ordered dishes|menu_items|what do they order?",
        {
            "name": text("name|dish|item|what"),
            "quantity": integer("quantity|count|qty|how many"),
            "price": number("price|price each|cost"),
        },
        "the food and drinks that are ordered",
        de="Gerichte", fr="plats", es="platos", it="piatti", pt="pratos", nl="gerechten",
    ),
    "bill": number("bill|total|total price|sum to pay|bill_total|total of the food"),
    "bill.currency": currency("currency of the bill|bill_currency"),
    "tasks": objects(
        "tasks|to-dos|action items|who does what|todos|jobs",
        {
            "who": text("who|person|assigned to|owner|name"),
            "what": text("what|task|action|to do"),
            "due": date("due|by|until|deadline|due date"),
        },
        "who does what until when",
        de="Aufgaben", fr="tâches", es="tareas", it="compiti", pt="tarefas", nl="taken",
    ),
    "topic": choice(
        "topic|category|kind of chat|reason for contact|intent|about",
        "delivery/shipping/where is my order, return/refund/money back, "
        "technical problem/defect/it does not work, account/login/password, "
        "booking/reservation/appointment, sale/buying and selling/negotiation, "
        "plans/meeting up/private arrangement, work/team coordination, food order/takeaway, "
        "complaint, question/product question/advice, other/small talk",
        "what the chat is about",
        always=True,
        de="Thema", fr="sujet", es="tema", it="argomento", pt="assunto", nl="onderwerp",
    ),
    "sentiment": choice(
        "sentiment|mood of the customer|customer_sentiment|tone|mood",
        "positive/happy/satisfied, neutral, negative/angry/unhappy",
        always=True,
    ),
    "resolved": yes_no(
        "resolved|problem solved?|is_resolved|was it settled?|solved", always=True
    ),
    "agreed": yes_no("agreed|deal made|do they agree?|agreement reached|is_deal", always=True),
    "bot": yes_no("bot|is it a bot?|chatbot involved|answered by a bot|has_bot", always=True),
    "online": yes_no("online|video call|remote|held online?|meet online"),
    "free_shipping": yes_no("free shipping|delivery free?|free_delivery|shipping included"),
    "problem": text(
        "problem|issue|what is wrong?|fault|customer_problem|complaint",
        "the problem in the words of the one who has it",
        de="Problem", fr="problème", es="problema", it="problema", pt="problema", nl="probleem",
    ),
    "answer": text(
        "solution|fix|what helped?|advice given|resolution|remedy",
        "what solves the problem, in the words of the chat",
        de="Lösung", fr="solution", es="solución", it="soluzione", pt="solução", nl="oplossing",
    ),
    "who_pays": text("who pays?|paid by|payer|treats the others"),
    "gift": text("present|gift|gift idea|what do they give?|birthday present"),
    "contact": group(
        "customer|contact|client|buyer",
        {
            "customer.name": "name|full name",
            "customer.email": "email|e-mail",
            "customer.phone": "phone|mobile",
        },
    ),
    "appointment": group(
        "meeting|appointment|booking|when_and_where",
        {"meeting": "date|day", "time": "time|at", "place": "place|where", "guests": "people"},
    ),
    "deal": group(
        "deal|sale|offer",
        {
            "thing": "item|product",
            "asking": "asking price|first price",
            "price": "agreed price|final price",
            "price.currency": "currency",
        },
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one chat."""
    earlier = world.date(2014, 2018)
    ordered = world.date(2019, 2026)
    day = world.date(after=ordered, days=(1, 20))
    delivery = world.date(after=day, days=(1, 9))
    start = world.rng.randint(7 * 60, 21 * 60)
    clock = []
    for _ in range(14):
        clock.append(world.text(f"{start // 60:02}:{start % 60:02}"))
        start += world.rng.randint(0, 7)
    asking = world.money(20, 600, 0)
    dishes = [
        Record(name=name, quantity=world.number(1, 4), price=world.money(3, 24))
        for name in world.some(DISHES[world.language], 1, 6, "dishes")
    ]
    people: list[str] = []
    while len(people) < 6:
        first = str(world.person().name.first)
        if first not in people:
            people.append(first)
    return {
        "customer": world.person(),
        "agent": world.person(),
        "other": world.person(),
        "third": world.person(),
        "people": [world.text(name) for name in people],
        "company": world.company(),
        "earlier": earlier,
        "ordered": ordered,
        "day": day,
        "delivery": delivery,
        "meeting": world.date(after=delivery, days=(1, 40)),
        "clock": clock,
        "time": world.time(),
        "hour": world.time(),
        "place": world.code(str(world.one_of(PLACES[world.language]))),
        "address": world.address(),
        "order": world.code("%#####", "??-%####", "%##-%#######", "W%######"),
        "tracking": world.code(TRACKING),
        "coupon": world.code("SORRY%#", "????%#", "THANKS-%#"),
        "booking": world.code("?%?##?", "R-%####", "BK%#####"),
        "ticket": world.code("T-%#####", "#%#####", "CS%####"),
        "thing": world.one_of(GOODS[world.language]),
        "brand": world.word(),
        "asking": asking,
        "price": world.money(value=max(1, round(asking.value * world.rng.uniform(0.5, 0.93))),
                             decimals=0),
        "refund": world.money(5, 200),
        "fee": world.money(2, 15),
        "guests": world.number(2, 14),
        "rating": world.number(1, 5),
        "shopping": world.some(GROCERIES[world.language], 2, 8, "shopping"),
        "dishes": dishes,
        "bill": world.money(value=sum(dish.quantity.value * dish.price.value for dish in dishes)),
        "tasks": [
            Record(who=world.text(name), due=world.date(after=day, days=(1, 25)))
            for name in people
        ],
    }  # fmt: skip
