"""The facts of travel bookings, and how they are asked for.

Slots: ``traveller`` (a person, the first who travels), ``travellers`` (the names of all,
one unless counted), ``booker`` and ``agent`` (persons, not asked for), ``reference``
(of the booking), ``ticket``, ``loyalty``, ``old_reference`` (not asked for), ``airline``,
``hotel``, ``firm`` (a railway, ferry, car hire or tour operator), ``agency`` (where it was
booked), ``number`` (of the first flight or train), ``second_number`` (not asked for), ``origin``,
``destination``, ``via`` (towns), ``from_code``, ``to_code`` (airports, not asked for), ``booked``,
``cancel_by``, ``depart``, ``arrive_day``, ``back`` (dates, in this order), ``earlier`` (a date,
not asked for), ``depart_time``, ``arrive_time``, ``check_in_time``, ``check_out_time``, ``hour``
(not asked for), ``nights``, ``adults``, ``children``, ``rooms``, ``seat``, ``gate``, ``room``
(a room's number), ``total``, ``deposit``, ``night_price``, ``tax``, ``fee`` (amounts; the tax and
the fee are not asked for), ``baggage`` (kg), ``street``, ``postcode``, ``hotel_city``,
``phone``, ``email``, ``legs`` (none unless counted: ``number``, ``origin``, ``destination``,
``day``, ``time``, ``arrival``). Decided by the wording: the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe import makeup
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

AIRPORTS = "LHR|JFK|CDG|FRA|AMS|MAD|FCO|LIS|SIN|HND|DXB|GRU|YYZ|SYD|VIE|ZRH|OSL|ARN|IST|SFO|BOS"

ASKED = {
    "kind": choice(
        "booking type|type of booking|what is booked?|travel_type|kind of reservation|category",
        "flight/plane/air travel, train/rail, hotel/accommodation/lodging, "
        "car hire/rental car/car, ferry/cruise/ship, bus/coach, tour/excursion/package",
        "what kind of journey or stay is booked",
        always=True,
        de="Buchungsart", fr="type de réservation", es="tipo de reserva", nl="soort boeking",
    ),
    "status": choice(
        "status|booking status|booking_status|state of the reservation|is it confirmed?",
        "confirmed/booked, cancelled/canceled, changed/modified/rebooked, "
        "pending/on request/waitlisted",
        always=True,
    ),
    "travellers.1": text(
        "traveller|passenger|guest|lead guest|passenger_name|guest_name|who travels?|"
        "main traveller|name on the booking",
        "the person who travels or stays, the first one named",
        de="Reisender|Gast|Passagier", fr="voyageur|passager|client", es="pasajero|huésped",
        it="passeggero|ospite", pt="passageiro|hóspede", nl="reiziger|gast",
    ),
    "travellers": texts(
        "all travellers|passengers|guests|passenger_names|names of all travellers|who is going?",
        "the names of all the persons who travel",
        de="Reisende", fr="voyageurs|passagers", es="pasajeros", it="passeggeri", nl="reizigers",
    ),
    "traveller.email": text("traveller's email|guest email|passenger_email|e-mail of the guest"),
    "reference": text(
        "booking reference|reservation number|confirmation number|pnr|booking_ref|booking code|"
        "confirmation code|record locator",
        "the number of the booking",
        de="Buchungsnummer|Buchungscode", fr="numéro de réservation|dossier",
        es="número de reserva|localizador", it="numero di prenotazione|codice prenotazione",
        pt="código da reserva|localizador", nl="boekingsnummer|reserveringsnummer",
    ),
    "ticket": text("ticket number|e-ticket|ticket_no|number of the ticket|eticket_number"),
    "loyalty": text("frequent flyer number|loyalty number|membership number|loyalty_id|bonus card"),
    "airline": text(
        "airline|carrier|operated by|airline_name|which airline?|flying with",
        de="Fluggesellschaft", fr="compagnie aérienne", es="aerolínea", it="compagnia aerea",
        pt="companhia aérea", nl="luchtvaartmaatschappij",
    ),
    "hotel": text(
        "hotel|hotel name|accommodation|property|hotel_name|where do they stay?|lodging",
        de="Hotel|Unterkunft", fr="hôtel|hébergement", es="hotel|alojamiento", it="albergo|hotel",
        pt="hotel|alojamento", nl="hotel|verblijf",
    ),
    "firm": text(
        "operator|railway, ferry or car company|provider|operator_name|rental company|"
        "transport company",
        "the firm that runs the train, ferry, bus or tour or that hires out the car",
    ),
    "agency": text("travel agency|booked with|booked through|agency|booking site|agency_name"),
    "number": text(
        "flight number|flight or train number|train number|flight_no|service number|flight",
        "the number of the first flight or train",
        de="Flugnummer|Zugnummer", fr="numéro de vol|numéro de train",
        es="número de vuelo|número de tren", it="numero del volo|numero del treno",
        pt="número do voo", nl="vluchtnummer|treinnummer",
    ),
    "origin": text(
        "origin|from|departure city|departs from|departure_airport|where from?|starting point",
        "the place where the journey starts",
        de="Abreiseort|von", fr="départ de|ville de départ", es="origen|salida desde",
        it="partenza da", pt="origem", nl="vertrekplaats|van",
    ),
    "destination": text(
        "destination|to|arrival city|where to?|destination_city|travelling to",
        "where the journey goes to",
        de="Ziel|nach", fr="destination", es="destino", it="destinazione", pt="destino",
        nl="bestemming",
    ),
    "via": text("stopover|via|layover in|connection in|stop_city|where do they change?"),
    "booked": date(
        "booking date|booked on|date of booking|booking_date|reserved on|when was it booked?",
        de="Buchungsdatum", fr="date de réservation", es="fecha de reserva", nl="boekingsdatum",
    ),
    "depart": date(
        "departure date|outbound date|travel date|departs on|departure_date|date of travel|"
        "outward journey",
        "the day on which the journey starts",
        de="Hinreise am|Hinflug am", fr="date de départ|aller le", es="fecha de salida|ida",
        it="data di partenza|andata", pt="data de partida|ida", nl="vertrekdatum|heenreis",
    ),
    "back": date(
        "return date|inbound date|returns on|return_date|way back|coming back on",
        "the day of the journey back",
        de="Rückreise|Rückflug am", fr="date de retour", es="fecha de regreso|vuelta",
        it="data di ritorno", pt="data de volta|regresso", nl="retourdatum|terugreis",
    ),
    "check_in": date(
        "check-in date|check_in|check-in|hotel from|checkin_date|stay from|day of check-in",
        "the first day of the stay",
        de="Check-in", fr="début du séjour", es="fecha de entrada", it="check-in", pt="check-in",
        nl="inchecken",
    ),
    "check_out": date(
        "check-out date|checkout|check_out|leaving on|checkout_date|stay until|last day of stay",
        "the last day of the stay",
        de="Abreise vom Hotel|Check-out", fr="fin du séjour", es="fecha de salida del hotel",
        it="check-out", pt="saída|check-out", nl="uitchecken",
    ),
    "pick_up": date(
        "pick-up date|collected on|pickup_date|car from|start of rental|hire starts",
        "when the car is picked up",
    ),
    "drop_off": date(
        "drop-off date|returned on|dropoff_date|car until|end of rental|hire ends",
        "when the car is given back",
    ),
    "cancel_by": date(
        "free cancellation until|cancel by|cancellation deadline|cancel_before|"
        "last day to cancel free of charge",
        "until when it can be cancelled for nothing",
        de="kostenlos stornierbar bis", fr="annulation gratuite jusqu'au",
        es="cancelación gratuita hasta", it="cancellazione gratuita fino al",
        pt="cancelamento grátis até", nl="gratis annuleren tot",
    ),
    "depart_time": time(
        "departure time|departs at|dep_time|leaves at|when does it leave?|time of departure",
        de="Abfahrtszeit|Abflugzeit", fr="heure de départ", es="hora de salida",
        it="orario di partenza", pt="hora de partida", nl="vertrektijd",
    ),
    "arrive_time": time(
        "arrival time|arrives at|arr_time|lands at|when does it arrive?|time of arrival",
        de="Ankunftszeit", fr="heure d'arrivée", es="hora de llegada", it="orario di arrivo",
        pt="hora de chegada", nl="aankomsttijd",
    ),
    "check_in_time": time(
        "check-in time|check-in from|rooms ready at|check_in_from|earliest check-in hour"
    ),
    "check_out_time": time("check-out time|check-out by|leave the room by|check_out_until"),
    "nights": integer(
        "nights|number of nights|length_of_stay|how many nights?|nights booked",
        de="Nächte", fr="nuits", es="noches", it="notti", pt="noites", nl="nachten",
    ),
    "adults": integer(
        "adults|number of adults|adult_count|how many adults?", de="Erwachsene", fr="adultes",
        es="adultos", it="adulti", pt="adultos", nl="volwassenen",
    ),
    "children": integer(
        "children|number of children|child_count|kids|how many children?", de="Kinder",
        fr="enfants", es="niños", it="bambini", pt="crianças", nl="kinderen",
    ),
    "rooms": integer("rooms|number of rooms|room_count|how many rooms?"),
    "room_type": text(
        "room type|kind of room|room|room_type|room category|which room?",
        "the kind of room or cabin, as it is written",
        de="Zimmertyp", fr="type de chambre", es="tipo de habitación", it="tipo di camera",
        pt="tipo de quarto", nl="kamertype",
    ),
    "car": text("car model|vehicle|car class|type of car|vehicle_class|which car?"),
    "seat": text(
        "seat|seat number|seat_no|which seat?|assigned seat", de="Sitzplatz|Sitz", fr="siège|place",
        es="asiento", it="posto", pt="assento|lugar", nl="stoel|zitplaats",
    ),
    "gate": text("gate|boarding gate|gate_no|platform or gate"),
    "cabin": choice(
        "travel class|cabin|class|cabin_class|booking class|fare class",
        "economy/economy class/second class, premium economy, business/business class, "
        "first/first class",
        de="Klasse|Reiseklasse", fr="classe", es="clase", it="classe", pt="classe", nl="klasse",
    ),
    "board": choice(
        "board|meals|board_basis|meal plan|catering",
        "room only/no meals/none, breakfast/bed and breakfast, half board, "
        "full board, all-inclusive/all inclusive",
        "which meals are part of the stay",
        de="Verpflegung", fr="pension|repas", es="régimen", it="trattamento", nl="verzorging",
    ),
    "total": number(
        "total|total price|amount|total_price|price of the booking|how much does it cost?|"
        "total cost|amount charged",
        "what the whole booking costs",
        de="Gesamtpreis", fr="prix total|montant", es="precio total|importe",
        it="prezzo totale|totale", pt="preço total|valor total", nl="totaalprijs",
    ),
    "total.currency": currency("currency of the total|total_currency|currency of the price|currency charged"),
    "night_price": number("price per night|nightly rate|rate|night_rate|room rate"),
    "deposit": number("deposit|prepayment|deposit_paid|amount paid now|down payment"),
    "baggage": integer(
        "baggage allowance|luggage kg|checked baggage in kg|baggage_kg|weight of luggage allowed"
    ),
    "payment": choice(
        "payment method|paid by|payment_method|how was it paid?|means of payment",
        "credit card/card, cash, bank transfer/transfer, paypal, voucher/gift card, invoice",
    ),
    "legs": objects(
        "flights|legs|segments|itinerary|connections|journey parts|trips",
        {
            "number": text("number|flight|flight_number|train|service"),
            "origin": text("from|origin|departure|departs from"),
            "destination": text("to|destination|arrival|arrives at"),
            "day": date("date|day|departure date|on"),
            "time": time("departure time|time|leaves|dep"),
            "arrival": time("arrival time|arrives|arr"),
        },
        "the single flights or trains, in their order",
        de="Strecken|Flüge", fr="trajets|vols", es="tramos|vuelos", it="tratte|voli",
        pt="trechos|voos", nl="trajecten|vluchten",
    ),
    "extras": texts(
        "extras|add-ons|extras_booked|special services|additional services|what is booked besides?",
        "what is booked in addition",
    ),
    "refundable": yes_no(
        "refundable|is_refundable|money back on cancellation|can it be refunded?|refundable fare"
    ),
    "changeable": yes_no("changeable|can be changed|changes allowed|is_rebookable|flexible"),
    "direct": yes_no("direct|nonstop|non-stop|is_direct|direct connection|without changing"),
    "insurance": yes_no("travel insurance|insured|insurance_included|is insurance booked?"),
    "wifi": yes_no("wifi|wi-fi included|free internet|has_wifi"),
    "parking": yes_no("parking included|free parking|has_parking|is there parking?"),
    "pets": yes_no("pets allowed|pets|dogs welcome|pets_permitted"),
    "paid": yes_no("paid|already paid|is_paid|paid in full|prepaid"),
    "smoking": yes_no("smoking room|smoking|smoking_allowed|may one smoke?"),
    "street": text("hotel street|hotel address|street|address of the hotel|hotel_street"),
    "hotel_city": text("hotel city|city of the hotel|hotel_city|where is the hotel?"),
    "phone": text("hotel or operator phone|phone|contact phone|number to call|phone_number"),
    "stay": group(
        "stay|hotel stay|accommodation",
        {"hotel": "hotel|name", "check_in": "check_in|from|arrival",
         "check_out": "check_out|to|departure", "nights": "nights|length"},
    ),
    "trip": group(
        "trip|journey|travel|route",
        {"origin": "from|origin", "destination": "to|destination", "depart": "date|outbound|departs",
         "back": "return|back"},
    ),
    "party": group(
        "party|group|occupancy|people", {"adults": "adults|grown_ups", "children": "children|kids"}
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one booking."""
    rng = world.rng
    booked = world.date(2017, 2026)
    cancel_by = world.date(after=booked, days=(5, 40))
    depart = world.date(after=cancel_by, days=(1, 60))
    nights = world.number(2, 16)
    back = world.date(after=depart, days=(nights.value, nights.value))
    legs = []
    day, town = depart, world.city().value
    for _ in range(world.count("legs", 0, 0)):
        goal = world.city().value
        first = world.time(5, 13, 5)
        legs.append(
            Record(
                number=world.code("?? %##", "??%###", "?? %###"),
                origin=world.text(town),
                destination=world.text(goal),
                day=day,
                time=first,
                arrival=world.time(14, 23, 5),
            )
        )
        day, town = world.date(after=day, days=(0, 6)), goal
    address = world.address()
    airline = makeup.name(rng) + rng.choice((" Air", " Airways", "jet", " Airlines", "Fly"))
    hotel = rng.choice(("Hotel ", "Pension ", "The ", "Casa ", "Grand Hotel ")) + makeup.name(rng)
    firm = makeup.name(rng) + rng.choice((" Travel", " Lines", "Go", "Way", " Transport", "Mobil"))
    people = [world.person() for _ in range(world.count("travellers", 1, 1))]
    return {
        # The name is bound to its place in the list, which comes last.
        "traveller": people[0],
        "travellers": [person.name for person in people],
        "booker": world.person(),
        "agent": world.person(),
        "reference": world.code("??%???", "%#?#??", "%#######", "BK-%#####", "?#??%#", "%###.%###"),
        "old_reference": world.code("??%???", "%#######"),
        "ticket": world.code("%##-%#########", "%##%#########"),
        "loyalty": world.code("%########", "??%#######", "%## ### ###"),
        "airline": world.text(airline),
        "hotel": world.text(hotel),
        "firm": world.text(firm),
        "agency": world.company(),
        "number": world.code("?? %##", "??%###", "?? %###"),
        "second_number": world.code("?? %##", "??%###"),
        "origin": world.city(),
        "destination": world.city(),
        "via": world.city(),
        "from_code": world.one_of(AIRPORTS),
        "to_code": world.one_of(AIRPORTS),
        "earlier": world.date(2011, 2016),
        "booked": booked,
        "cancel_by": cancel_by,
        "depart": depart,
        "back": back,
        "check_in": world.date(after=depart, days=(0, 0)),
        "check_out": world.date(after=depart, days=(nights.value, nights.value)),
        "pick_up": world.date(after=depart, days=(0, 0)),
        "drop_off": world.date(after=depart, days=(nights.value, nights.value)),
        "depart_time": world.time(5, 13, 5),
        "arrive_time": world.time(14, 23, 5),
        "check_in_time": world.time(13, 17, 30),
        "check_out_time": world.time(9, 12, 30),
        "hour": world.time(6, 21, 15),
        "nights": nights,
        "adults": world.number(2, 6),
        "children": world.number(2, 4),
        "rooms": world.number(2, 4),
        "seat": world.code("%#?", "%?", "%%?"),
        "gate": world.code("?%#", "%#", "?%"),
        "room": world.code("%##", "%#%"),
        "total": world.money(60, 4800),
        "deposit": world.money(20, 400),
        "night_price": world.money(35, 420),
        "tax": world.money(2, 90),
        "fee": world.money(5, 120),
        "baggage": world.number(8, 32),
        "street": address.street,
        "postcode": address.postcode,
        "hotel_city": address.city,
        "phone": world.phone(),
        "email": world.email(),
        "legs": legs,
    }
