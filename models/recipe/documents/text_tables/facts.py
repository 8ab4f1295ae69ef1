"""The facts of tables in plain text, and how they are asked for.

Slots: lists of rows, of which a wording writes one (or more), with 2 to 7 rows unless counted:
``prices`` (``name``, ``code``, ``price``, ``unit``), ``stock`` (``name``, ``code``, ``count``,
``place``), ``staff`` (``name``, ``department``, ``phone``, ``since``), ``teams`` (``name``,
``played``, ``won``, ``points``), ``departures`` (``time``, ``line``, ``destination``,
``platform``), ``marks`` (``name``, ``subject``, ``mark``), ``readings`` (``day``, ``time``,
``value``, ``station``), ``shifts`` (``day``, ``name``, ``from_``, ``until``), ``sales``
(``region``, ``amount``, ``share``), ``places`` (``name``, ``country``, ``people``, ``area``).
``gap(shown, width)`` fills a column with spaces. ``currency`` is a code or, with ``.sign``, a sign.
``author`` and ``other`` (persons; the other is not asked for), ``firm``, ``city``, ``day`` (the
date of the table), ``earlier`` (not asked for), ``total`` (of the sales), ``count`` (of the
stock), ``average``, ``fee`` (not asked for), ``page`` (not asked for), ``source``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe import makeup
from recipe.documents.asking import (
    choice,
    currency,
    date,
    integer,
    number,
    objects,
    text,
    time,
    yes_no,
)
from recipe.facts import Fact, Record, World
from recipe.facts.fact import form

GOODS = {
    "en": "hex bolt M8|copper pipe|wall paint 5 l|garden rake|paper towels|batteries AA|"
    "printer paper|oak board|door hinge|cable tie|work gloves|LED strip|drill bit 6 mm|olive oil|"
    "flour 25 kg|coffee beans|dish soap|bin liners",
    "de": "Sechskantschraube M8|Kupferrohr|Wandfarbe 5 l|Gartenrechen|Küchenrolle|Batterien AA|"
    "Druckerpapier|Türscharnier|Kabelbinder|Arbeitshandschuhe|Mehl 25 kg|Kaffeebohnen",
    "fr": "boulon M8|tube de cuivre|peinture 5 l|râteau|essuie-tout|piles AA|papier A4|charnière|"
    "gants de travail|farine 25 kg|café en grains|sacs poubelle",
    "es": "tornillo M8|tubo de cobre|pintura 5 l|rastrillo|papel de cocina|pilas AA|bisagra|bridas|"
    "guantes de trabajo|harina 25 kg|café en grano",
    "it": "bullone M8|tubo di rame|pittura 5 l|rastrello|carta da cucina|pile AA|cerniera|"
    "fascette|guanti da lavoro|farina 25 kg|caffè in grani",
    "pt": "parafuso M8|tubo de cobre|tinta 5 l|ancinho|papel de cozinha|pilhas AA|dobradiça|"
    "luvas de trabalho|farinha 25 kg|café em grão",
    "nl": "zeskantbout M8|koperbuis|muurverf 5 l|hark|keukenpapier|batterijen AA|scharnier|"
    "kabelbinders|werkhandschoenen|bloem 25 kg|koffiebonen",
}
DEPARTMENTS = {
    "en": "Sales|Finance|IT|Purchasing|Logistics|HR|Quality|Legal|Front desk|Workshop",
    "de": "Vertrieb|Buchhaltung|IT|Einkauf|Logistik|Personal|Qualität|Empfang|Werkstatt",
    "fr": "Ventes|Comptabilité|Informatique|Achats|Logistique|RH|Qualité|Accueil|Atelier",
    "es": "Ventas|Contabilidad|Informática|Compras|Logística|RR. HH.|Calidad|Recepción|Taller",
    "it": "Vendite|Contabilità|IT|Acquisti|Logistica|Personale|Qualità|Officina",
    "pt": "Vendas|Contabilidade|Informática|Compras|Logística|RH|Qualidade|Oficina",
    "nl": "Verkoop|Boekhouding|IT|Inkoop|Logistiek|Personeel|Kwaliteit|Receptie|Werkplaats",
}
SUBJECTS = {
    "en": "Maths|History|French|Biology|Art|Physics|Music|Geography",
    "de": "Mathematik|Geschichte|Englisch|Biologie|Kunst|Physik|Musik|Erdkunde",
    "fr": "mathématiques|histoire|anglais|SVT|arts plastiques|physique|musique",
    "es": "matemáticas|historia|inglés|biología|plástica|física|música",
    "it": "matematica|storia|inglese|scienze|arte|fisica|musica",
    "pt": "matemática|história|inglês|biologia|artes|física|música",
    "nl": "wiskunde|geschiedenis|Engels|biologie|tekenen|natuurkunde|muziek",
}
REGIONS = {
    "en": "North|South|East|West|Midlands|Export|Online|Islands|Capital",
    "de": "Nord|Süd|Ost|West|Mitte|Export|Online",
    "fr": "Nord|Sud|Est|Ouest|Centre|Export|En ligne",
    "es": "Norte|Sur|Este|Oeste|Centro|Exportación|Canarias",
    "it": "Nord|Sud|Centro|Isole|Estero|Online",
    "pt": "Norte|Sul|Centro|Ilhas|Exportação|Online",
    "nl": "Noord|Zuid|Oost|West|Midden|Export|Online",
}

ASKED = {
    "title": text(
        "title|table title|caption|heading|table_title|what does the table show?",
        "the title above or below the table",
        de="Titel|Überschrift", fr="titre", es="título", it="titolo", pt="título", nl="titel",
    ),
    "kind": choice(
        "kind of table|table type|content type|table_type|what is listed?",
        "price list/prices/tariff, stock list/inventory, staff list/directory/phone list, "
        "league table/standings/results, timetable/departures/schedule of transport, "
        "marks/grades/test results, measurements/readings/sensor data, rota/shift plan/duty roster, "
        "sales figures/revenue/financial, places/countries/statistics of places",
        always=True,
    ),
    "prices": objects(
        "prices|price list|products with prices|articles|price_list|items for sale",
        {
            "name": text("name|product|item|article|description"),
            "code": text("code|sku|article number|item_no|id"),
            "price": number("price|unit price|cost|amount"),
            "unit": text("unit|per|sold by|packaging"),
        },
        "the rows of the price list",
        de="Preisliste|Artikel", fr="tarifs|articles", es="precios", it="listino", pt="preços",
        nl="prijslijst",
    ),
    "stock": objects(
        "stock|inventory|items in stock|stock_list|stored goods|warehouse rows",
        {
            "name": text("name|item|article|product|what"),
            "code": text("code|sku|item number|part_no"),
            "count": integer("count|quantity|in stock|on_hand|pieces"),
            "place": text("location|shelf|bin|place|where"),
        },
        de="Bestand", fr="stock", es="existencias", it="giacenze", pt="stock", nl="voorraad",
    ),
    "staff": objects(
        "staff|employees|people|directory|staff_list|members|colleagues",
        {
            "name": text("name|person|employee|full_name"),
            "department": text("department|team|unit|section"),
            "phone": text("phone|telephone|extension|number"),
            "since": date("since|joined|start date|employed_since|member since"),
        },
        de="Mitarbeiter|Personen", fr="personnel|employés", es="empleados", it="personale",
        pt="funcionários", nl="medewerkers",
    ),
    "teams": objects(
        "teams|standings|league table|ranking|clubs|results_table",
        {
            "name": text("team|name|club"),
            "played": integer("played|matches|games|p"),
            "won": integer("won|wins|victories|w"),
            "points": integer("points|pts|score"),
        },
        "the teams in the order of the table",
        de="Mannschaften|Tabelle", fr="équipes|classement", es="equipos|clasificación",
        it="squadre|classifica", pt="equipas|classificação", nl="ploegen|stand",
    ),
    "departures": objects(
        "departures|timetable|trains or buses|schedule|departure_list|connections",
        {
            "time": time("time|departs|departure|at"),
            "line": text("line|number|service|train|bus|flight"),
            "destination": text("destination|to|direction|going to"),
            "platform": text("platform|track|gate|bay|stand"),
        },
        "the departures in the order of the table",
        de="Abfahrten", fr="départs", es="salidas", it="partenze", pt="partidas", nl="vertrektijden",
    ),
    "marks": objects(
        "marks|grades|test results|grade_list|scores|pupils",
        {
            "name": text("name|pupil|student|who"),
            "subject": text("subject|course|test|paper"),
            "mark": number("mark|grade|score|result|points"),
        },
        de="Noten", fr="notes", es="notas", it="voti", pt="notas", nl="cijfers",
    ),
    "readings": objects(
        "readings|measurements|values|samples|data_points|sensor readings",
        {
            "day": date("date|day|measured on"),
            "time": time("time|at|measured at|hour"),
            "value": number("value|reading|measurement|level"),
            "station": text("station|sensor|place|site|probe"),
        },
        "the measured values",
        de="Messwerte", fr="relevés|mesures", es="mediciones", it="misure", pt="medições",
        nl="metingen",
    ),
    "shifts": objects(
        "shifts|rota|duty roster|shift_list|who works when?|schedule of work",
        {
            "day": date("date|day|on"),
            "name": text("name|person|who|employee"),
            "from_": time("from|start|begins|start_time"),
            "until": time("until|to|end|end_time"),
        },
        de="Schichten|Dienstplan", fr="horaires|équipes de travail", es="turnos", it="turni",
        pt="turnos", nl="diensten|rooster",
    ),
    "sales": objects(
        "sales|sales by region|revenue|figures|turnover_by_region|regions",
        {
            "region": text("region|area|name|market"),
            "amount": number("amount|sales|revenue|turnover|value"),
            "share": number("share|percent|percentage|part of the total"),
        },
        de="Umsätze", fr="ventes|chiffre d'affaires", es="ventas", it="vendite", pt="vendas",
        nl="omzet",
    ),
    "places": objects(
        "places|towns|districts|cities|rows|place_list|municipalities",
        {
            "name": text("name|town|place|district|city"),
            "country": text("country|state|land|nation"),
            "people": integer("population|inhabitants|people|residents"),
            "area": number("area|size|area_km2|surface"),
        },
        de="Orte", fr="communes|villes", es="municipios|ciudades", it="comuni", nl="plaatsen",
    ),
    "author.name": text(
        "author|compiled by|contact|prepared_by|person responsible|who made the table?"
    ),
    "author.email": text("contact e-mail|email|author_email|questions to"),
    "firm": text("company|organisation|publisher|issued by|company_name|whose table is it?"),
    "city": text("city|town of issue|station or place|location of the table|where?"),
    "day": date(
        "date of the table|as of|date|table_date|status date|valid from",
        "the day of which the table shows the state",
        de="Stand|Datum", fr="en date du|date", es="fecha", it="data|aggiornato al", pt="data",
        nl="datum|peildatum",
    ),
    "total": number("total|sum|total sales|grand total|total_amount", "the total under the table",
                    de="Summe", fr="total", es="total", it="totale", pt="total", nl="totaal"),
    "count": integer("total count|total pieces|sum of the stock|total_quantity|items altogether"),
    "average": number("average|mean|average value|avg|mean_value"),
    "currency": currency("currency|currency of the prices|currency_code|prices in"),
    "measure": text("unit of measurement|unit|measured in|unit_of_values|in which unit?"),
    "source": text("source|data source|taken from|source_name|origin of the data"),
    "season": text("season|period|school year|quarter|reporting_period"),
    "note": text("footnote|note|remark under the table|note_text|annotation"),
    "tax": yes_no("including vat|vat included|tax_included|gross prices|prices with tax"),
    "final": yes_no("final figures|is_final|definitive|final or provisional|audited"),
    "confidential": yes_no("confidential|is_confidential|internal use only|secret"),
}  # fmt: skip


def _draw_rows(world: World) -> dict[str, list[Record]]:
    rng = world.rng
    language = world.language
    goods = GOODS[language].split("|")

    def count(name: str, most: int = 7) -> range:
        return range(world.count(name, 2, most))

    def code() -> Any:
        return world.text(makeup.model_number(rng))

    rows: dict[str, list[Record]] = {}
    rows["prices"] = [
        Record(
            name=world.text(good),
            code=code(),
            price=world.money(0.4, 480),
            unit=world.one_of("kg|m|l|m²|100 g|box" if language == "en" else "kg|m|l|m²|100 g"),
        )
        for good in rng.sample(goods, len(count("prices")))
    ]
    rows["stock"] = [
        Record(
            name=world.text(good),
            code=code(),
            count=world.number(0, 2400),
            place=world.code("?%-0%", "%#.%", "?-%#", "R%#F%"),
        )
        for good in rng.sample(goods, len(count("stock")))
    ]
    rows["staff"] = [
        Record(
            name=world.person().name,
            department=world.one_of(DEPARTMENTS[language]),
            phone=world.code("%##", "%###", "ext. %##", "-%##"),
            since=world.date(1995, 2025),
        )
        for _ in count("staff")
    ]
    played, points, teams = rng.randint(8, 34), 90, []
    for _ in count("teams", 8):
        points = max(0, points - rng.randint(1, 11))
        teams.append(
            Record(
                name=world.text(
                    rng.choice(("FC ", "SV ", "", "", "Real ", "AC ", "United "))
                    + str(world.city().value)
                ),
                played=world.number(played, played),
                won=world.number(points // 4, points // 3),
                points=world.number(points, points),
            )
        )
    rows["teams"] = teams
    rows["departures"] = [
        Record(
            time=world.time(5, 23, 1),
            line=world.code("S%", "RE %#", "%##", "Bus %#", "IC %##", "U%", "T%#"),
            destination=world.city(),
            platform=world.code("%", "%#", "%?", "?"),
        )
        for _ in count("departures")
    ]
    rows["marks"] = [
        Record(
            name=world.person().name,
            subject=world.one_of(SUBJECTS[language]),
            mark=world.number(1, 100, 0),
        )
        for _ in count("marks")
    ]
    day = world.date(2018, 2026)
    rows["readings"] = [
        Record(
            day=world.date(after=day, days=(number, number)),
            time=world.time(0, 23, 5),
            value=world.number(0.1, 99, 1),
            station=world.code("ST-%", "S%#", "Probe %", "T%", "N%#"),
        )
        for number in count("readings", 8)
    ]
    rows["shifts"] = [
        Record(
            day=world.date(after=day, days=(number, number)),
            name=world.person().name,
            from_=world.time(5, 10, 30),
            until=world.time(13, 22, 30),
        )
        for number in count("shifts")
    ]
    regions = REGIONS[language].split("|")
    rows["sales"] = [
        Record(
            region=world.text(region),
            amount=world.money(1200, 900000, decimals=0),
            share=world.percent(1, 48, 1),
        )
        for region in rng.sample(regions, len(count("sales", 5)))
    ]
    rows["places"] = [
        Record(
            name=world.city(),
            country=world.address().country,
            people=world.number(900, 2400000),
            area=world.number(4, 1900, world.pick(0, 1)),
        )
        for _ in count("places")
    ]
    return rows


def _gap(shown: Any, width: int) -> str:
    """The spaces that fill a column after what is shown in it."""
    return " " * max(1, width - len(str(shown)))


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one table."""
    rows = _draw_rows(world)
    sign = str(world.money().sign)
    return {
        **rows,
        "gap": _gap,
        "currency": Fact(
            world.currency, form(world.currency, world.currency), sign=form(sign, world.currency)
        ),
        "author": world.person(),
        "other": world.person(),
        "firm": world.company(),
        "city": world.city(),
        "day": world.date(2018, 2026),
        "earlier": world.date(2009, 2016),
        "total": world.money(value=sum(row.amount.value for row in rows["sales"]), decimals=0),
        "count": world.number(*(2 * [sum(row.count.value for row in rows["stock"])])),
        "average": world.number(3, 90, 1),
        "fee": world.money(2, 60),
        "page": world.number(2, 40),
        "source": world.company(),
    }
