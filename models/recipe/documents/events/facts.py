"""The facts of events (invitations, posters, programmes, calendars) and how they are asked for.

Slots: ``organiser`` (a club or a house), ``firm`` (another company, not asked for), ``sponsor``,
``venue``, ``other_venue`` (not asked for), ``address`` (of the venue), ``elsewhere`` (another town,
not asked for), ``room``, ``contact`` (a person: ``name``, ``email``, ``phone``), ``performer`` (the
main artist or speaker), ``host`` (who leads through it), ``speakers`` (2 to 5 persons' names),
``other`` and ``third`` (not asked for), ``announced``, ``deadline``, ``day``, ``end`` (dates, in
this order), ``earlier`` (long before, not asked for), ``doors``, ``start``, ``finish`` (times, in
this order; ``@count: hour 18-19`` limits the hour of the start), ``hour`` (another time, not asked
for), ``price``, ``reduced`` (lower), ``at_door`` (higher), ``fee`` (another amount, not asked for),
``discount``, ``capacity``, ``number`` (not asked for), ``site``, ``code`` (for the registration).
Decided by the wording: ``title``, ``kind``, ``status``, ``free``, ``registration``, ``accessible``,
``outdoors``, ``online``, ``children``, ``food``, ``minimum_age``, ``dress``, ``bring``, ``language``,
``programme`` (``time``, ``title``, ``speaker``).
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
from recipe.facts import World

VENUES = {
    "en": "Old Mill|Town Hall|St Mary's Hall|Riverside Theatre|The Boathouse|Central Library|"
    "The Lantern|Corn Exchange|Union Chapel|Memorial Hall|Harbour Arena|Studio %|The Glasshouse",
    "de": "Alte Mühle|Stadthalle|Kulturbahnhof|Gemeindehaus|Bürgerzentrum|Zum Anker|"
    "Stadtbibliothek|Haus am Markt|Werkhalle %|Kleines Theater|Lutherkirche",
    "fr": "salle des fêtes|Théâtre des Halles|Médiathèque|La Grange|Espace culturel|"
    "Maison des associations|Le Hangar %|Chapelle Saint-Jean|Foyer rural",
    "es": "Casa de la Cultura|Teatro Principal|Sala Luna|Centro Cívico|La Fábrica|"
    "Biblioteca Municipal|Palacio de Congresos|Sala %|Ateneo",
    "it": "Teatro Comunale|Biblioteca Civica|Circolo ARCI|La Filanda|Villa Comunale|"
    "Sala Consiliare|Ex Mercato|Auditorium San Carlo|Spazio %",
    "pt": "Casa da Cultura|Teatro Municipal|Centro Cívico|Biblioteca Pública|Galpão %|"
    "Salão Paroquial|Sala Azul|Mercado Velho|Clube Recreativo",
    "nl": "De Oude Molen|Dorpshuis|Theater De Kring|Bibliotheek|De Loods|Buurthuis De Brug|"
    "Grote Kerk|Zaal %|De Kas",
}
CLUBS = {
    "en": "Friends of the Park|Riverside Arts Trust|Rotary Club|Green Wheels Cycling Club|"
    "Parent Teacher Association|Hill Street Choir|Young Makers|History Society|Chess Circle|"
    "Women in Engineering|Neighbourhood Watch|Wild Swimmers|Local Growers' Co-op",
    "de": "Förderverein Stadtpark|Kulturverein Rampe|Heimatverein|Landfrauen|TSV Grünwald|"
    "Freiwillige Feuerwehr|Elternbeirat|Volkshochschule|Imkerverein|Jazzclub Keller|Repair-Café",
    "fr": "Comité des fêtes|Association Les Glaneurs|Amicale laïque|Cercle d'échecs|"
    "Les Amis du musée|Club de randonnée|Harmonie municipale|Collectif Canopée",
    "es": "Asociación de Vecinos|Peña El Molino|Club de Lectura|Ampa del colegio|"
    "Colectivo Semilla|Coral San Pedro|Club de Montaña|Fundación Orilla",
    "it": "Pro Loco|Associazione Il Ponte|Circolo dei Lettori|Coro Monte Alto|Gruppo Alpini|"
    "Amici della Musica|Cooperativa La Semente|Club Fotografico",
    "pt": "Associação de Moradores|Grupo Raízes|Clube do Livro|Coletivo Maré|Rancho Folclórico|"
    "Centro Acadêmico|Amigos do Museu|Clube de Corrida",
    "nl": "Wijkcomité|Stichting Het Podium|Muziekvereniging Crescendo|IVN Natuurgroep|"
    "Oranjevereniging|Leesclub|Ouderraad|Fietsclub De Trapper",
}
ROOMS = {
    "en": "Room %|upstairs studio|main hall|lecture theatre %|the garden room|courtyard|Hall ?",
    "de": "Raum %|Großer Saal|Seminarraum %|Gewölbekeller|Innenhof|Hörsaal %",
    "fr": "salle %|grand amphi|salle polyvalente|cour intérieure|salle des mariages",
    "es": "aula %|salón de actos|patio central|sala polivalente|auditorio %",
    "it": "sala %|aula magna|cortile|sala conferenze|foyer",
    "pt": "sala %|auditório %|pátio|salão nobre|foyer",
    "nl": "zaal %|grote zaal|foyer|binnentuin|lokaal %",
}

ASKED = {
    "title": text(
        "title|event name|name of the event|event|event_title|what is it called?|event_name",
        "the name of the event, as announced",
        de="Titel|Name der Veranstaltung", fr="titre|nom de l'événement", es="nombre del evento",
        it="nome dell'evento|titolo", pt="nome do evento", nl="naam van het evenement|titel",
    ),
    "kind": choice(
        "kind of event|event type|type|category|event_category|sort of event",
        "concert/music/gig, exhibition/art show, theatre/play/stage, film/screening/cinema, "
        "talk/lecture/reading, workshop/course/class, conference/congress/seminar, "
        "market/fair/sale, festival, party/celebration, sport/race/match, "
        "tour/walk/excursion, meeting/assembly/general meeting",
        "what sort of event it is",
        always=True,
        de="Art der Veranstaltung", fr="type d'événement", es="tipo de evento",
        it="tipo di evento", pt="tipo de evento", nl="soort evenement",
    ),
    "day": date(
        "date|event date|on which day?|event_date|day of the event|start date|when does it begin?|"
        "first day",
        "the day of the event, or its first day",
        de="Datum|Termin|Beginn am", fr="date|date de l'événement", es="fecha|día del evento",
        it="data|giorno", pt="data|dia do evento", nl="datum|dag",
    ),
    "end": date(
        "end date|last day|ends on|until|end_date|closing day|through",
        "the last day of an event of several days",
        de="letzter Tag|bis", fr="date de fin|dernier jour", es="fecha de fin", it="data di fine",
        pt="data de término", nl="einddatum|laatste dag",
    ),
    "start": time(
        "start time|begins at|starts|start_time|at what time does it start?|beginning|kick-off",
        "the time at which the event itself begins",
        de="Beginn|Uhrzeit", fr="heure de début", es="hora de inicio", it="ora di inizio",
        pt="horário de início", nl="aanvangstijd|begint om",
    ),
    "finish": time(
        "end time|ends at|finishes|end_time|until what time?|closing time",
        de="Ende|Uhrzeit Ende", fr="heure de fin", es="hora de fin", it="ora di fine",
        nl="eindtijd",
    ),
    "doors": time(
        "doors open|doors|admission from|doors_open|entry from|when do the doors open?",
        de="Einlass", fr="ouverture des portes", es="apertura de puertas",
        it="apertura porte", pt="abertura das portas", nl="zaal open|deuren open",
    ),
    "deadline": date(
        "registration deadline|register by|sign up by|rsvp by|registration_deadline|"
        "last day to register",
        "the day by which one has to register or answer",
        de="Anmeldeschluss", fr="date limite d'inscription", es="fecha límite de inscripción",
        it="termine iscrizioni", pt="prazo de inscrição", nl="uiterste aanmelddatum",
    ),
    "venue": text(
        "venue|location|where|place|venue_name|where does it take place?|hall|building",
        "the building or place of the event",
        de="Veranstaltungsort|Ort", fr="lieu", es="lugar|recinto", it="luogo|sede",
        pt="local", nl="locatie|plaats",
    ),
    "room": text("room|hall or room|which room?|room_name|space in the building"),
    "address.street": text(
        "street|street address|address of the venue|venue_street|street and number",
        de="Straße", fr="rue", es="calle", it="via", nl="straat",
    ),
    "address.postcode": text("postcode|zip|postal code|venue_postcode|zip_code"),
    "address.city": text(
        "city|town|in which town?|venue_city|event_city",
        de="Stadt", fr="ville", es="ciudad", it="città", pt="cidade", nl="stad|plaatsnaam",
    ),
    "organiser": text(
        "organiser|organizer|organised by|host organisation|organizer_name|who organises it?|"
        "promoter",
        "the club, firm or house that organises the event",
        de="Veranstalter", fr="organisateur", es="organizador", it="organizzatore",
        pt="organizador", nl="organisator",
    ),
    "sponsor": text("sponsor|sponsored by|supporter|main_sponsor|funded by"),
    "performer.name": text(
        "performer|artist|main speaker|speaker|main_act|who performs or speaks?|lecturer|guest",
        "the person who performs, speaks, reads or teaches",
        de="Künstler|Referent|Mitwirkender", fr="artiste|intervenant", es="artista|ponente",
        it="artista|relatore", pt="artista|palestrante", nl="artiest|spreker",
    ),
    "host.name": text("moderator|host|presented by|chair|moderator_name|who leads the evening?"),
    "speakers": texts(
        "speakers|panel|panelists|speaker_list|line-up|who is on the panel?",
        "all the speakers or acts that are listed",
        de="Redner|Podium", fr="intervenants", es="ponentes", it="relatori", nl="sprekers",
    ),
    "contact.name": text(
        "contact person|contact|whom to contact|contact_name|person in charge of registration",
        de="Ansprechpartner", fr="contact", es="persona de contacto", nl="contactpersoon",
    ),
    "contact.email": text(
        "contact email|e-mail|email|registration e-mail|contact_email|mail for questions",
        de="E-Mail", fr="e-mail", es="correo", it="e-mail", pt="e-mail", nl="e-mail",
    ),
    "contact.phone": text(
        "contact phone|phone|telephone|booking line|contact_phone|number to call",
        de="Telefon", fr="téléphone", es="teléfono", it="telefono", pt="telefone", nl="telefoon",
    ),
    "site": text("website|link|tickets at|registration link|url|event_url|more information at"),
    "code": text("registration code|event code|booking code|meeting id|access code|event_id"),
    "price": number(
        "price|ticket price|admission|entrance fee|full price|ticket_price|cost|how much is it?",
        "the normal price of a ticket or a place, bought in advance",
        de="Eintritt|Preis|Teilnahmegebühr", fr="prix|tarif plein", es="precio|entrada general",
        it="prezzo|ingresso intero", pt="preço|ingresso", nl="prijs|toegangsprijs",
    ),
    "price.currency": currency("currency|currency of the price|price_currency|currency_code"),
    "reduced": number(
        "reduced price|concession|student price|reduced_price|discounted ticket|concessionary price",
        de="ermäßigt", fr="tarif réduit", es="precio reducido", it="ridotto", pt="meia-entrada",
        nl="gereduceerd tarief",
    ),
    "at_door": number(
        "price at the door|on the door|box office price|door_price|price on the day",
        de="Abendkasse", fr="prix sur place", es="precio en taquilla", nl="prijs aan de deur",
    ),
    "discount": number("discount|early bird discount|discount_pct|percent off"),
    "capacity": integer(
        "capacity|number of places|max participants|seats|places available|max_attendees|"
        "how many people fit?",
        de="Plätze|Teilnehmerzahl", fr="nombre de places", es="aforo|plazas", it="posti",
        pt="vagas", nl="aantal plaatsen",
    ),
    "minimum_age": integer("minimum age|age limit|from what age?|min_age|age restriction"),
    "dress": text("dress code|what to wear|dress|dress_code|attire"),
    "language": text("language|language of the event|spoken language|held in|event_language"),
    "bring": texts("what to bring|things to bring|bring|items_to_bring|bring along|needed things"),
    "programme": objects(
        "programme|program|schedule|agenda|timetable|sessions|running order",
        {
            "time": time("time|start|at|begins"),
            "title": text("title|item|session|activity|what|name"),
            "speaker": text("speaker|by|who|presenter"),
        },
        "the items of the programme with their times",
        de="Programm|Ablauf", fr="programme", es="programa", it="programma", pt="programação",
        nl="programma",
    ),
    "status": choice(
        "status|event status|does it take place?|event_status|state",
        "scheduled/planned/takes place, cancelled/canceled/called off, postponed/rescheduled, "
        "sold out/fully booked",
        always=True,
        de="Status", fr="statut", es="estado",
    ),
    "free": yes_no(
        "free|free admission|is_free|free of charge?|no entrance fee|free entry",
        "whether entry costs nothing",
        de="kostenlos", fr="gratuit", es="gratuito", it="gratuito", pt="gratuito", nl="gratis",
    ),
    "registration": yes_no(
        "registration required|must one register?|rsvp needed|registration_required|booking needed",
        "whether one has to register or book beforehand",
        de="Anmeldung erforderlich", fr="inscription obligatoire", es="inscripción obligatoria",
        it="prenotazione obbligatoria", nl="aanmelden verplicht",
    ),
    "accessible": yes_no(
        "wheelchair accessible|accessible|step-free|barrier_free|suitable for wheelchairs?",
        de="barrierefrei", fr="accessible PMR", es="accesible", nl="rolstoeltoegankelijk",
    ),
    "outdoors": yes_no("outdoors|open air|is_outdoor|held outside?", de="im Freien"),
    "online": yes_no("online|livestream|can one take part online?|is_online|virtual"),
    "children": yes_no("children welcome|for children|kids allowed?|child_friendly|family event"),
    "food": yes_no(
        "food available|catering|food and drink|is there something to eat or drink?|has_catering"
    ),
    "when": group(
        "when|date and time|schedule",
        {"day": "date|day", "doors": "doors|admission", "start": "start|from",
         "finish": "end|to"},
    ),
    "where": group(
        "where|venue|place",
        {"venue": "name|venue", "address.street": "street|address",
         "address.postcode": "postcode|zip", "address.city": "city|town"},
    ),
    "prices": group(
        "prices|tickets|admission",
        {"price": "full|normal|advance", "reduced": "reduced|concession", "at_door": "door",
         "price.currency": "currency"},
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one event."""
    announced = world.date(2019, 2026)
    deadline = world.date(after=announced, days=(7, 40))
    day = world.date(after=deadline, days=(2, 30))
    hour = world.count("hour", 9, 19)
    price = world.money(6, 90, world.pick(0, 0, 2))
    return {
        "organiser": world.one_of(CLUBS[world.language]),
        "firm": world.company(),
        "sponsor": world.company(),
        "venue": world.code(VENUES[world.language]),
        "other_venue": world.code(VENUES[world.language]),
        "address": world.address(),
        "elsewhere": world.city(),
        "room": world.code(ROOMS[world.language]),
        "contact": world.person(),
        "performer": world.person(),
        "host": world.person(),
        "speakers": [world.person().name for _ in range(world.count("speakers", 2, 5))],
        "other": world.person(),
        "third": world.person(),
        "earlier": world.date(2005, 2017),
        "announced": announced,
        "deadline": deadline,
        "day": day,
        "end": world.date(after=day, days=world.pick((1, 3), (5, 40))),
        "doors": world.time(hour - 1, hour, 45),
        "start": world.time(hour, hour + 1, 15),
        "finish": world.time(hour + 2, hour + 4, 30),
        "hour": world.time(),
        "price": price,
        "reduced": world.money(
            value=price.value * world.pick(0.5, 0.7, 0.8), decimals=world.pick(0, 2)
        ),
        "at_door": world.money(value=price.value + world.rng.randint(2, 9)),
        "fee": world.money(1, 9),
        "discount": world.percent(5, 40),
        "capacity": world.number(*world.pick((6, 30), (30, 600))),
        "number": world.number(3, 60),
        "site": world.url(),
        "code": world.code("%##-%##-%##", "EV-%###", "????-%#", "%####"),
    }
