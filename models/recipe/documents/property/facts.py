"""The facts of advertisements for houses and flats, and how they are asked for.

Slots: ``price`` (of sale), ``rent`` (a month), ``deposit``, ``charges`` (a month), ``guide`` (a
price range), ``old`` and ``fee`` (amounts, not asked for), ``area`` (m², ``.number``; sq ft with
``@count: feet 1``), ``range`` (areas of several flats), ``plot`` (m²), ``terrace`` (m², not asked
for), ``rooms``, ``bedrooms``, ``bathrooms``, ``floor``, ``floors``, ``built``, ``renovated``
(years), ``street``, ``postcode``, ``city``, ``town`` (another one, not asked for), ``listed``,
``viewing``, ``available`` (dates, in this order), ``earlier`` (a date, not asked for),
``viewing_time``, ``hour`` (not asked for), ``agent`` (a person), ``owner`` (a person, not asked
for), ``firm`` (the agency), ``developer`` (a firm, not asked for), ``reference``, ``site``,
``energy`` (kWh), ``minutes`` (to the station, not asked for), ``spaces`` (for cars), ``units``
(flats in a building), ``features`` (3 to 7). Decided by the wording: the rest.
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
    text,
    texts,
    time,
    yes_no,
)
from recipe.facts import World

FEATURES = {
    "en": "wood floors|stucco ceilings|fitted kitchen|exposed beams|open fireplace|"
    "walk-in wardrobe|solar panels|double glazing|alarm system|home office|utility room|"
    "bay windows|high ceilings|sauna|pantry|large cellar|new windows|fibre internet",
    "de": "Parkett|Einbauschränke|Einbauküche|Stuckdecken|offener Kamin|Solaranlage|Gäste-WC|"
    "Alarmanlage|Arbeitszimmer|hohe Decken|Sauna|Waschküche|Glasfaseranschluss",
    "fr": "parquet ancien|moulures d'époque|cuisine équipée|volets électriques|cheminée|dressing|"
    "double vitrage|alarme|buanderie|belle hauteur sous plafond|cave|interphone",
    "es": "suelo de parqué|puerta blindada|cocina equipada|ventanas de aluminio|chimenea|"
    "armarios empotrados|aire acondicionado|alarma|trastero|conserjería|lavadero",
    "it": "parquet|soffitti affrescati|cucina abitabile|tapparelle elettriche|camino|"
    "cabina armadio|aria condizionata|doppi vetri|cantina|lavanderia|porta blindata",
    "pt": "soalho de madeira|estores elétricos|cozinha equipada|videoporteiro|lareira|roupeiros|"
    "ar condicionado|vidros duplos|arrecadação|painéis solares|churrasqueira",
    "nl": "houten vloer|kamer en suite|inbouwkeuken|glas-in-loodramen|open haard|"
    "inloopkast|zonnepanelen|dubbel glas|berging|bijkeuken|alarmsysteem",
}

ASKED = {
    "offer": choice(
        "offer type|for sale or rent|sale or rental|listing_type|transaction|buy or rent?",
        "for sale/sale/buy, to let/rent/rental/for rent, holiday let/short stay/vacation rental, "
        "wanted/looking for",
        always=True,
        de="Angebotsart|Kauf oder Miete", fr="type d'annonce|vente ou location",
        es="venta o alquiler", it="vendita o affitto", pt="venda ou arrendamento",
        nl="koop of huur",
    ),
    "type": choice(
        "property type|kind of property|type of home|property_type|building type|house or flat?",
        "flat/apartment/condo, house/detached house/villa, terraced house/semi-detached/townhouse, "
        "studio, room/shared flat, office/commercial/shop, land/plot, garage/parking space, "
        "farm/cottage",
        always=True,
        de="Objektart|Immobilientyp", fr="type de bien", es="tipo de inmueble",
        it="tipo di immobile", pt="tipo de imóvel", nl="soort woning",
    ),
    "price": number(
        "price|asking price|sale price|purchase_price|how much does it cost to buy?|list price",
        "the price for which it is sold",
        de="Kaufpreis", fr="prix de vente", es="precio de venta", it="prezzo di vendita",
        pt="preço de venda", nl="vraagprijs|koopprijs",
    ),
    "price.currency": currency("currency of the price|price currency|price_currency"),
    "guide.min": number("guide price from|lowest price|price_min|price from|cheapest unit"),
    "guide.max": number("guide price to|highest price|price_max|price up to|dearest unit"),
    "rent": number(
        "rent|monthly rent|rent per month|monthly_rent|how much is the rent?|rent pcm",
        de="Miete|Kaltmiete", fr="loyer", es="alquiler mensual|renta", it="canone|affitto mensile",
        pt="renda|aluguel", nl="huurprijs",
    ),
    "rent.currency": currency("currency of the rent|rent currency|rent_currency"),
    "deposit": number(
        "deposit|security deposit|deposit_amount|bond|how much is the deposit?",
        de="Kaution", fr="dépôt de garantie|caution", es="fianza", it="cauzione|deposito",
        pt="caução", nl="borg|waarborgsom",
    ),
    "charges": number(
        "service charge|monthly charges|maintenance fee|utilities per month|hoa_fee|"
        "additional costs",
        "the monthly costs besides the rent or price",
        de="Nebenkosten|Hausgeld", fr="charges", es="gastos de comunidad", it="spese condominiali",
        pt="condomínio", nl="servicekosten",
    ),
    "area": number(
        "area|living area|floor area|living_area|size|how large is it?|square metres or feet",
        "the floor area of the home",
        de="Wohnfläche|Fläche", fr="surface habitable|surface", es="superficie", it="superficie",
        pt="área útil|área", nl="woonoppervlakte",
    ),
    "area.unit": text("unit of the area|area unit|area_unit"),
    "range.min": number("smallest flat|area from|min_area|smallest unit"),
    "range.max": number("largest flat|area to|max_area|largest unit"),
    "plot": number(
        "plot size|plot area|land area|lot_size|size of the land|garden and plot in m²",
        "the area of the land",
        de="Grundstücksfläche", fr="surface du terrain", es="superficie de la parcela",
        it="superficie del terreno", pt="área do terreno", nl="perceeloppervlakte",
    ),
    "rooms": number(
        "rooms|number of rooms|room_count|how many rooms?|total rooms",
        de="Zimmer|Zimmerzahl", fr="pièces|nombre de pièces", es="habitaciones en total",
        it="locali|vani", pt="divisões", nl="kamers",
    ),
    "bedrooms": integer(
        "bedrooms|beds|number of bedrooms|bedroom_count|how many bedrooms?|br",
        de="Schlafzimmer", fr="chambres", es="dormitorios", it="camere da letto", pt="quartos",
        nl="slaapkamers",
    ),
    "bathrooms": number(
        "bathrooms|baths|number of bathrooms|bathroom_count|how many bathrooms?",
        de="Badezimmer|Bäder", fr="salles de bain", es="baños", it="bagni", pt="casas de banho",
        nl="badkamers",
    ),
    "floor": integer(
        "floor|storey|on which floor?|floor_number|level of the flat",
        de="Etage|Stockwerk", fr="étage", es="planta", it="piano", pt="andar", nl="verdieping",
    ),
    "floors": integer("floors in the building|number of storeys|floor_count|total floors|levels"),
    "built": integer(
        "year built|built in|construction year|year_built|when was it built?|year of construction",
        de="Baujahr", fr="année de construction", es="año de construcción",
        it="anno di costruzione", pt="ano de construção", nl="bouwjaar",
    ),
    "renovated": integer(
        "year renovated|renovated in|last renovation|renovation_year|modernised in",
        de="letzte Sanierung", fr="année de rénovation", es="año de reforma", nl="gerenoveerd in",
    ),
    "street": text("street|address|street address|street_address|street and number"),
    "postcode": text("postcode|zip|zip code|postal_code", de="PLZ|Postleitzahl", fr="code postal"),
    "city": text(
        "city|town|location|place|where is it?|city_name", de="Ort|Stadt", fr="ville", es="ciudad",
        it="città|comune", pt="cidade", nl="plaats",
    ),
    "district": text("district|neighbourhood|quarter|area of town|neighborhood|part of town"),
    "available": date(
        "available from|move-in date|available_from|free from|when can one move in?|vacant from",
        "from when it can be lived in",
        de="frei ab|Bezugstermin", fr="disponible le|libre le", es="disponible desde",
        it="libero dal", pt="disponível a partir de", nl="beschikbaar vanaf",
    ),
    "viewing": date(
        "viewing date|open house|viewing on|viewing_date|day of the viewing|inspection date",
        "the day on which it can be seen",
        de="Besichtigungstermin", fr="date de visite", es="fecha de visita", nl="kijkdag",
    ),
    "viewing_time": time("viewing time|open house from|viewing_at|viewing starts at"),
    "listed": date("listed on|online since|listing date|date_listed|advertised since"),
    "agent.name": text(
        "agent|contact|contact person|agent_name|whom to call|estate agent's name",
        "the person who answers questions",
        de="Ansprechpartner|Makler", fr="contact|agent", es="persona de contacto",
        it="referente|agente", pt="contato", nl="contactpersoon|makelaar",
    ),
    "agent.phone": text("phone|contact phone|telephone|agent_phone|number to call"),
    "agent.email": text("email|contact email|agent_email|e-mail of the agent"),
    "firm": text(
        "agency|estate agency|estate agent's firm|agency_name|offered by|broker firm|realtor",
        de="Maklerbüro|Anbieter", fr="agence", es="inmobiliaria", it="agenzia", pt="imobiliária",
        nl="makelaarskantoor",
    ),
    "reference": text(
        "reference|listing id|property reference|listing_id|object number|ref|mls number",
        de="Objektnummer", fr="référence", es="referencia", it="riferimento", pt="referência",
        nl="referentie",
    ),
    "site": text("website|link|url|online at|listing_url"),
    "commission": text("commission|agent's fee|brokerage|commission_rate|buyer's premium"),
    "lease": text("lease term|minimum stay|minimum_term|length of lease|minimum rental period"),
    "heating": text("heating|type of heating|heating_type|heated by|energy source"),
    "energy_class": text(
        "energy class|energy rating|epc rating|energy_efficiency_class|energy label",
        de="Energieeffizienzklasse", fr="classe énergie|DPE", es="certificado energético",
        it="classe energetica", pt="certificado energético|classe energética", nl="energielabel",
    ),
    "energy": number("energy consumption|kwh per m² and year|energy_kwh|energy demand"),
    "spaces": integer("parking spaces|number of parking spaces|car spaces|garage places"),
    "units": integer("number of flats|units in the building|unit_count|apartments in the house"),
    "features": texts(
        "features|amenities|highlights|feature_list|what does it have?|equipment|extras",
        "the amenities that the text lists",
        de="Ausstattung|Merkmale", fr="équipements|atouts", es="características|extras",
        it="dotazioni|caratteristiche", pt="características", nl="kenmerken|voorzieningen",
    ),
    "furnished": yes_no(
        "furnished|is_furnished|comes with furniture|furnished or not|is it furnished?",
        de="möbliert", fr="meublé", es="amueblado", it="arredato", pt="mobilado", nl="gemeubileerd",
    ),
    "pets": yes_no(
        "pets allowed|pets|pet_friendly|may one keep pets?|animals welcome",
        de="Haustiere erlaubt", fr="animaux acceptés", es="se admiten mascotas",
        it="animali ammessi", nl="huisdieren toegestaan",
    ),
    "smoking": yes_no("smoking allowed|smokers welcome|smoking|may one smoke?"),
    "balcony": yes_no("balcony|has_balcony|balcony or terrace|is there a balcony?"),
    "garden": yes_no("garden|has_garden|yard|is there a garden?"),
    "parking": yes_no("parking|has_parking|parking or garage|is there parking?"),
    "lift": yes_no(
        "lift|elevator|has_elevator|is there a lift?", de="Aufzug", fr="ascenseur", es="ascensor",
        it="ascensore", pt="elevador", nl="lift",
    ),
    "pool": yes_no("pool|swimming pool|has_pool|is there a pool?"),
    "accessible": yes_no("wheelchair accessible|step-free|accessible|barrier_free"),
    "vacant": yes_no("vacant|is it empty?|vacant possession|currently_unoccupied"),
    "negotiable": yes_no("price negotiable|negotiable|is_negotiable|open to offers"),
    "bills": yes_no("bills included|utilities included|rent_includes_bills|all-in rent"),
    "agency_fee": yes_no("agency fee payable|commission due|is there a commission?|broker fee due"),
    "contact": group(
        "contact|agent|contact details|seller contact",
        {"agent.name": "name|person", "agent.phone": "phone|tel", "agent.email": "email",
         "firm": "company|agency"},
    ),
    "address": group(
        "address|location|where",
        {"street": "street|line1", "postcode": "postcode|zip", "city": "city|town"},
    ),
    "costs": group(
        "costs|monthly costs|rent details",
        {"rent": "rent|cold_rent", "charges": "charges|utilities", "deposit": "deposit"},
    ),
    "price_range": group(
        "price range|prices|from_to", {"guide.min": "min|from|lowest", "guide.max": "max|to"}
    ),
    "area_range": group(
        "sizes|range of areas|flat sizes", {"range.min": "min|from", "range.max": "max|up to"}
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one advertisement."""
    rng = world.rng
    listed = world.date(2016, 2026)
    viewing = world.date(after=listed, days=(3, 30))
    built = rng.randint(1780, 2012)
    renovated = rng.randint(2013, 2025)
    address = world.address()
    feet = world.count("feet", 0, 0)
    return {
        "price": world.money(48000, 2900000, decimals=0),
        "rent": world.money(280, 4900, decimals=0),
        "deposit": world.money(300, 9000, decimals=0),
        "charges": world.money(40, 620, decimals=0),
        "guide": world.money_range(120000, 990000, 5000),
        "old": world.money(60000, 2500000, decimals=0),
        "fee": world.money(20, 400, decimals=0),
        "area": world.measure(420, 4200, "sq ft")
        if feet
        else world.measure(21, 310, "m²", world.pick(0, 0, 1)),
        "range": world.number_range(28, 160, "m²"),
        "plot": world.measure(140, 12000, "m²"),
        "terrace": world.measure(4, 40, "m²"),
        "rooms": world.number(2, 9),
        "bedrooms": world.number(2, 6),
        "bathrooms": world.number(2, 4),
        "floor": world.number(2, 19),
        "floors": world.number(2, 24),
        "built": world.exact(built),
        "renovated": world.exact(renovated),
        "street": address.street,
        "postcode": address.postcode,
        "city": address.city,
        "town": world.city(),
        "earlier": world.date(2008, 2014),
        "listed": listed,
        "viewing": viewing,
        "available": world.date(after=viewing, days=(10, 120)),
        "viewing_time": world.time(9, 18, 30),
        "hour": world.time(8, 20, 30),
        "agent": world.person(),
        "owner": world.person(),
        "firm": world.company(),
        "developer": world.company(),
        "reference": world.code("%#####", "REF-%###", "??%###", "ID %######", "%##/%##"),
        "site": world.url(),
        "energy": world.number(24, 320, world.pick(0, 1)),
        "minutes": world.number(2, 25),
        "spaces": world.number(2, 5),
        "units": world.number(3, 60),
        "features": world.some(FEATURES[world.language], 3, 7, "features"),
    }
