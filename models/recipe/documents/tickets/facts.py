"""The facts of tickets in help desks, bug trackers and workshops, and how they are asked for.

Slots: ``id``, ``requester``, ``agent`` (who works on it), ``other`` and ``third`` (not asked for)
(persons: ``name``, ``email``, ``phone``, ``job``), ``company`` (the requester's), ``team``,
``product``, ``version``, ``older`` (another version, not asked for), ``device``, ``serial``,
``host``, ``system`` (with its version), ``browser``, ``error``, ``room``, ``address``
(``street``, ``city``), ``made`` (a date before all others, not asked for), ``opened``,
``resolved``, ``due`` (dates, in this order), ``opened_at`` and ``closed_at`` (times), ``hour``
(between them, not asked for), ``affected`` (users), ``minutes`` (of work), ``downtime`` (a measure), ``rating``
(1 to 5), ``cost``, ``deposit`` (not asked for), ``tags`` (1 to 5), ``related`` (1 to 3 ids),
``parts`` (0 to 5: ``name``, ``quantity``, ``price``), ``updates`` (8: ``author``, ``date``,
``clock``; their ``text`` is marked).
Decided by the wording: ``priority``, ``status``, ``category``, ``reproducible``, ``workaround``,
``reopened``, ``escalated``, ``warranty``, ``title``, ``message``, ``cause``, ``resolution``,
``steps``.
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
from recipe.facts import Record, World

DEVICES = {
    "en": """
        laptop|label printer|docking station|meeting room display|badge reader|desk phone|tablet|
        barcode scanner|dishwasher|forklift|coffee machine|air conditioner|projector|e-bike|
        washing machine|3D printer|lift|thermostat|till|vending machine|network switch
    """,
    "de": """
        Laptop|Etikettendrucker|Dockingstation|Beamer|Kartenleser|Telefon|Tablet|Scanner|
        Spülmaschine|Gabelstapler|Kaffeemaschine|Klimaanlage|Aufzug|Waschmaschine|Kasse|Heizkessel
    """,
    "fr": """
        ordinateur portable|imprimante|station d'accueil|vidéoprojecteur|lecteur de badge|tablette|
        lave-vaisselle|chariot élévateur|machine à café|climatiseur|ascenseur|lave-linge|chaudière
    """,
    "es": """
        portátil|impresora|proyector|lector de tarjetas|tableta|escáner|lavavajillas|carretilla|
        cafetera|aire acondicionado|ascensor|lavadora|caldera|caja registradora
    """,
    "it": """
        portatile|stampante|proiettore|lettore di badge|tablet|scanner|lavastoviglie|muletto|
        macchina del caffè|condizionatore|ascensore|lavatrice|caldaia|cassa
    """,
    "pt": """
        notebook|impressora|projetor|leitor de crachá|tablet|scanner|empilhadeira|cafeteira|
        ar-condicionado|elevador|máquina de lavar|roteador|caixa registradora
    """,
    "nl": """
        laptop|labelprinter|dockingstation|beamer|badgelezer|tablet|scanner|vaatwasser|heftruck|
        koffiemachine|airco|lift|wasmachine|cv-ketel|kassa
    """,
}
PARTS = {
    "en": "belt|filter|seal|fan|power supply|keyboard|hinge|door sensor|pump|relay|fuse|bearing",
    "de": "Keilriemen|Filter|Dichtung|Lüfter|Netzteil|Tastatur|Türsensor|Pumpe|Relais|Sicherung",
    "fr": "courroie|filtre|joint|ventilateur|alimentation|clavier|pompe|relais|fusible|roulement",
    "es": "correa|filtro|junta|ventilador|fuente|teclado|bomba|relé|fusible|rodamiento",
    "it": "cinghia|filtro|guarnizione|ventola|alimentatore|tastiera|pompa|relè|fusibile",
    "pt": "correia|filtro|vedação|ventoinha|fonte|teclado|bomba|relé|fusível|rolamento",
    "nl": "riem|filter|afdichting|ventilator|voeding|toetsenbord|pomp|relais|zekering|lager",
}
ROOMS = {
    "en": "Room %.##|Building ?, floor %|Warehouse %|Lab ?%|Front desk|Line %|Flat %?",
    "de": "Raum %.##|Haus ?, Etage %|Lager %|Labor ?%|Empfang|Linie %|Wohnung %",
    "fr": "bureau %##|bâtiment ?, étage %|entrepôt %|labo ?%|accueil|ligne %",
    "es": "despacho %##|edificio ?, planta %|almacén %|laboratorio %|recepción|línea %",
    "it": "ufficio %##|edificio ?, piano %|magazzino %|laboratorio %|reception|linea %",
    "pt": "sala %##|bloco ?, andar %|depósito %|laboratório %|recepção|linha %",
    "nl": "kamer %.##|gebouw ?, verdieping %|magazijn %|lab ?%|receptie|lijn %",
}
TAGS = """
    vpn|login|printing|crash|ui|regression|billing|export|mobile|performance|network|backup|sso|
    onboarding|hardware|security|payment|email|docs|import|search|audio|dns|api|translation|wifi
"""
TEAMS = """
    Service Desk|Network Operations|Desktop Support|Facilities|Billing Support|Platform|
    Field Service|Identity|Second Line|Database Team|Payroll|Mobile|Web Team
"""
SYSTEMS = """
    Windows 11|Windows 10|macOS 14.5|macOS 13|Ubuntu 22.04|Ubuntu 24.04|Android 14|iOS 17.4|
    Debian 12|Fedora 40|iPadOS 16|Windows Server 2019|RHEL 9
"""
MINUTES = {
    "en": "minutes", "de": "Minuten", "fr": "minutes", "es": "minutos", "it": "minuti",
    "pt": "minutos", "nl": "minuten",
}  # fmt: skip
BROWSERS = "Firefox 128|Chrome 126|Safari 17|Edge 124|Firefox ESR 115|Chrome 119|Opera 110"

ASKED = {
    "id": text(
        "ticket|ticket number|ticket_id|case number|id|reference|incident number|issue number|"
        "ticket no.",
        "the number of this ticket",
        de="Ticketnummer|Vorgangsnummer", fr="numéro de ticket", es="número de incidencia",
        it="numero del ticket", pt="número do chamado", nl="ticketnummer",
    ),
    "requester.name": text(
        "requester|reported by|reporter|customer|opened_by|contact person|who reported it?|caller|"
        "raised by",
        "the person who has the problem|who opened the ticket",
        de="Melder|Kunde", fr="demandeur", es="solicitante", it="richiedente",
        pt="solicitante", nl="aanvrager|melder",
    ),
    "requester.email": text(
        "requester email|reporter_email|customer e-mail|e-mail of the requester|contact email"
    ),
    "requester.phone": text(
        "requester phone|callback number|customer_phone|phone of the reporter|contact phone"
    ),
    "company": text(
        "company|customer company|organisation|client|account name|which firm?",
        "the firm of the person who reports",
    ),
    "agent.name": text(
        "agent|assignee|assigned to|owner|technician|handled_by|who works on it?|support engineer",
        "the person who works on the ticket",
        de="Bearbeiter|Techniker", fr="technicien|assigné à", es="técnico|asignado a",
        it="tecnico|assegnato a", pt="técnico|responsável", nl="behandelaar|monteur",
    ),
    "team": text("team|assignment group|queue|support_team|department in charge|group"),
    "product": text(
        "product|application|software|affected product|app|which program?|system_name",
        "the software or product that has the problem",
        de="Produkt|Anwendung", fr="produit", es="producto|aplicación", nl="product|programma",
    ),
    "version": text(
        "version|product version|release|build|software_version|affected version",
        "the version with the problem",
    ),
    "device": text(
        "device|equipment|kind of device|machine|hardware|appliance|which device is it?",
        "the kind of device that fails",
        de="Gerät", fr="appareil", es="equipo", it="apparecchio", pt="equipamento", nl="apparaat",
    ),
    "serial": text(
        "serial number|serial_no|s/n|asset serial|device serial number",
        de="Seriennummer", fr="numéro de série", es="número de serie", nl="serienummer",
    ),
    "host": text("host|hostname|server|machine name|affected host|computer name"),
    "system": text("operating system|os|platform|os_version|system", "OS with its version"),
    "browser": text("browser|browser version|web browser|which browser?"),
    "error": text(
        "error code|error_code|code shown|error number|fault code|stop code",
        "the code of the error", de="Fehlercode", fr="code d'erreur", es="código de error",
        it="codice di errore", pt="código de erro", nl="foutcode",
    ),
    "message": text(
        "error message|error text|message shown|displayed error|wording of the error",
        "the words that the program shows",
        de="Fehlermeldung", fr="message d'erreur", es="mensaje de error", nl="foutmelding",
    ),
    "room": text("room|location|where is it?|site|place of the device|location in the building"),
    "address.street": text("street|site address|street address|visit address"),
    "address.city": text("city|town|site city|branch town"),
    "opened": date(
        "opened|created|reported on|date opened|created_at|date of the report|opened_date",
        "the day on which the ticket was opened",
        de="Eröffnet am|Erstellt", fr="créé le", es="fecha de apertura", it="aperto il",
        pt="aberto em", nl="aangemaakt op",
    ),
    "opened_at": time("time opened|time of report|opened at what time?|reported at|creation_time"),
    "resolved": date(
        "resolved|closed on|date closed|resolved_date|fixed on|when was it solved?|completion date",
        "the day on which it was solved",
        de="Gelöst am", fr="résolu le", es="fecha de cierre", it="risolto il", nl="opgelost op",
    ),
    "closed_at": time("time closed|time of the solution|closed at what time?|resolution_time"),
    "due": date(
        "due|due date|target date|sla date|to be solved by|deadline|respond by",
        "the day by which it has to be solved",
    ),
    "title": text(
        "title|summary|short description|headline|ticket_title|subject",
        "the one-line title of the ticket", de="Titel|Kurzbeschreibung", fr="titre", es="título",
    ),
    "priority": choice(
        "priority|prio|importance|priority_level|how urgent?",
        "low/minor/P4, medium/normal/P3, high/major/P2, critical/urgent/P1",
        de="Priorität", fr="priorité", es="prioridad", it="priorità", pt="prioridade",
        nl="prioriteit",
    ),
    "status": choice(
        "status|state|ticket status|current state|ticket_state",
        "open/new/unassigned, in progress/being worked on, waiting/on hold/pending customer, "
        "closed/resolved/done",
        always=True,
        de="Status", fr="statut", es="estado", it="stato", pt="situação",
    ),
    "category": choice(
        "category|type|kind of problem|issue type|problem_area|classification",
        "hardware/device fault, bug/software error, access/login/password, "
        "network/connection, billing/payment, feature request/enhancement, "
        "question/how-to, building/facilities, outage/service down",
        always=True,
        de="Kategorie", fr="catégorie", es="categoría", it="categoria", nl="categorie",
    ),
    "affected": integer(
        "affected users|users affected|people affected|affected_users|how many users?",
        "how many people have the problem",
    ),
    "minutes": integer(
        "minutes worked|time spent|work_minutes|minutes of work|effort in minutes", "in minutes"
    ),
    "downtime": number("downtime|length of the outage|outage_duration|how long was it down?"),
    "downtime.unit": text("unit of the downtime|downtime_unit"),
    "rating": integer("rating|satisfaction|stars|csat|customer_rating|score given"),
    "cost": number(
        "cost|repair cost|estimate|charge|quoted price|total cost|price of the repair",
        "what the repair costs in all", de="Kosten", fr="coût", es="coste", it="costo", nl="kosten",
    ),
    "cost.currency": currency("currency|cost_currency|currency of the cost"),
    "tags": texts("tags|labels|keywords|ticket_labels|topics", de="Schlagwörter", fr="étiquettes"),
    "related": texts(
        "related tickets|linked issues|duplicates|see also|linked_tickets|other tickets named",
        "the numbers of other tickets that are mentioned",
    ),
    "steps": texts(
        "steps|steps to reproduce|reproduction steps|repro_steps|how to reproduce",
        "each step as it is written",
    ),
    "parts": objects(
        "parts|spare parts|parts used|material|replacement_parts",
        {
            "name": text("name|part|description|what"),
            "quantity": integer("quantity|qty|pieces|number"),
            "price": number("price|unit price|cost each"),
        },
        "the spare parts of the repair",
        de="Ersatzteile", fr="pièces", es="repuestos", it="ricambi", nl="onderdelen",
    ),
    "updates": objects(
        "updates|comments|history|notes|activity|entries",
        {
            "author": text("author|by|who|from"),
            "date": date("date|on|when|day"),
            "text": text("text|comment|note|what|entry"),
        },
        "the entries after the report, in the order of the text",
    ),
    "cause": text(
        "cause|root cause|reason|why did it happen?|root_cause|origin of the problem",
        "why it happened", de="Ursache", fr="cause", es="causa", it="causa", nl="oorzaak",
    ),
    "resolution": text(
        "resolution|solution|fix|how was it solved?|what was done|remedy",
        "what solved the problem", de="Lösung", fr="solution", es="solución", it="soluzione",
        pt="solução", nl="oplossing",
    ),
    "reproducible": yes_no("reproducible|can be reproduced|is_reproducible|repeatable?"),
    "workaround": yes_no("workaround|workaround exists|has_workaround|is there a workaround?"),
    "reopened": yes_no("reopened|was it opened again?|is_reopened|opened before"),
    "escalated": yes_no("escalated|was it escalated?|is_escalated|passed to a higher level"),
    "warranty": yes_no("under warranty|warranty|in_warranty|covered by the warranty?"),
    "requester": group(
        "requester|customer|reported by|contact",
        {
            "requester.name": "name|full name",
            "requester.email": "email|e-mail",
            "requester.phone": "phone|tel",
            "company": "company|firm",
        },
    ),
    "environment": group(
        "environment|setup|system",
        {
            "product": "product|app",
            "version": "version",
            "system": "os|operating system",
            "browser": "browser",
        },
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one ticket."""
    pattern = world.pick(
        "INC%######", "#%####", "HD-%###", "SUP-%####", "CAS-%####-???", "%###", "WO-20##-%##",
        "SR %###-%##", "T%#####", "????-%##",
    )  # fmt: skip
    made = world.date(2012, 2017)
    opened = world.date(2019, 2026)
    resolved = world.date(after=opened, days=(1, 30))
    day, updates = opened, []
    for _ in range(8):
        day = world.date(after=day, days=(0, 4))
        updates.append(Record(author=world.person().name, date=day, clock=world.time()))
    name = str(world.word())
    name += world.pick("", "", "", " Cloud", " Desk", " Mobile", " Suite", "CRM", " Pro", " Sync")
    version = world.pick("%.#.%", "%#.#", "202#.%", "v%.##.#", "%.#.#-rc%", "build %###")
    return {
        "id": world.code(pattern),
        "requester": world.person(),
        "agent": world.person(),
        "other": world.person(),
        "third": world.person(),
        "company": world.company(),
        "team": world.one_of(TEAMS),
        "product": world.text(name),
        "version": world.code(version),
        "older": world.code(version),
        "device": world.one_of(DEVICES[world.language]),
        "serial": world.code("SN%#####?", "??%######", "%###-%####-?", "?%?##%##%"),
        "host": world.code("srv-??-0%", "PC-%####", "db0%.int", "????-PRD-0%", "web%#"),
        "system": world.one_of(SYSTEMS),
        "browser": world.one_of(BROWSERS),
        "error": world.code("0x800%##??", "E-%##", "ERR_%###", "F%#", "?%##", "HTTP 50%"),
        "room": world.code(ROOMS[world.language]),
        "address": world.address(),
        "made": made,
        "opened": opened,
        "opened_at": world.time(6, 11, 1),
        "resolved": resolved,
        "closed_at": world.time(16, 21, 1),
        "hour": world.time(12, 15, 5),
        "due": world.date(after=resolved, days=(1, 20)),
        "affected": world.number(2, 400),
        "minutes": world.number(5, 240),
        "downtime": world.measure(4, 90, MINUTES[world.language]),
        "rating": world.number(1, 5),
        "cost": world.money(20, 1800),
        "deposit": world.money(10, 90),
        "tags": world.some(TAGS, 1, 5, "tags"),
        "related": [world.code(pattern) for _ in range(world.count("related", 1, 3))],
        "parts": [
            Record(name=part, quantity=world.number(1, 6), price=world.money(2, 160))
            for part in world.some(PARTS[world.language], 0, 5, "parts")
        ],
        "updates": updates,
    }  # fmt: skip
