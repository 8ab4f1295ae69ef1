"""The facts of press releases and how they are asked for.

Slots: ``company`` (who issues it), ``partner``, ``firm`` (another one, not asked for),
``investors`` (1 to 4 companies), ``contact`` (for the press: ``name``, ``email``, ``phone``),
``speaker`` (the first who is quoted), ``second`` (another quoted person, not asked for),
``appointed`` and ``predecessor`` (persons), ``other`` (not asked for), ``city`` (of the dateline),
``headquarters`` and ``elsewhere`` (towns; the second is not asked for), ``published``,
``embargo``, ``launch`` (dates, in this order; ``embargo`` is the day of publication or the day
after), ``until`` (after the launch), ``earlier`` (long before, not asked for), ``embargo_time``,
``hour`` (another time, not asked for), ``product`` (a made-up name), ``model`` (a code), ``price``,
``amount`` (of the deal, the investment or the gift), ``revenue``, ``profit``, ``last_year``
(the revenue before, not asked for), ``growth`` and ``rate`` (percentages; the second is not asked
for), ``employees``, ``jobs``, ``units``, ``number`` (another one, not asked for), ``founded`` (a
year), ``ticker``, ``site``, ``reference``.
Decided by the wording: ``headline``, ``subtitle``, ``speaker_role``, ``role``, ``industry``,
``kind``, ``immediate``, ``embargoed``, ``photos``, ``listed``, ``features``, ``markets``,
``defect``, ``period``.
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

ASKED = {
    "company": text(
        "company|issuer|issued by|organisation|company_name|who issues the release?|"
        "announcing company|sender",
        "the organisation that issues the press release",
        de="Unternehmen|Herausgeber", fr="entreprise|émetteur", es="empresa|emisor",
        it="azienda|società", pt="empresa", nl="bedrijf|afzender",
    ),
    "partner": text(
        "partner|other company|partner company|counterpart|partner_name|together with whom?|"
        "target or partner",
        "the other company of the deal or the cooperation",
        de="Partner|Partnerunternehmen", fr="partenaire", es="socio|empresa asociada",
        it="partner", pt="parceiro", nl="partner",
    ),
    "investors": texts("investors|backers|investor_names|who invested?|shareholders joining"),
    "headline": text(
        "headline|title|release title|heading|press_release_title|what is the headline?",
        "the headline of the release, as it stands",
        de="Überschrift|Titel", fr="titre", es="titular|título", it="titolo", pt="título",
        nl="kop|titel",
    ),
    "subtitle": text("subtitle|subheading|sub-headline|second line|deck"),
    "city": text(
        "dateline city|city|place of issue|where was it issued?|release_city|issued in",
        "the town in the dateline",
        de="Ort der Meldung", fr="lieu d'émission", es="lugar de emisión", nl="plaats van uitgifte",
    ),
    "headquarters": text(
        "headquarters|head office|seat|based in|hq|company_seat|where is the company based?",
        "the town where the company has its seat",
        de="Firmensitz|Sitz", fr="siège", es="sede", it="sede", pt="sede", nl="hoofdkantoor",
    ),
    "published": date(
        "release date|published|date of the release|release_date|issued on|date issued|"
        "publication date",
        "the day on which the release is issued",
        de="Datum der Pressemitteilung", fr="date du communiqué", es="fecha del comunicado",
        it="data del comunicato", pt="data do comunicado", nl="datum persbericht",
    ),
    "embargo": date(
        "embargo|embargo date|embargoed until|not before|embargo_until|hold until",
        "the day until which nothing may be published",
        de="Sperrfrist", fr="embargo", es="embargo", it="embargo", pt="embargo", nl="embargo",
    ),
    "embargo_time": time("embargo time|embargo hour|embargo_time|time at which the embargo ends"),
    "launch": date(
        "effective date|start date|available from|launch date|start_date|takes effect on|"
        "when does it start?|from when?|opening or start",
        "the day on which the announced thing begins: sale, post, opening, validity",
        de="Startdatum|ab wann?|gilt ab", fr="date de début|à partir de", es="fecha de inicio",
        it="data di inizio|disponibile dal", pt="data de início", nl="startdatum|vanaf",
    ),
    "until": date("until|end date|ends on|valid until|end_date|last day", "the day it ends"),
    "contact.name": text(
        "press contact|media contact|contact person|contact_name|whom to ask?|contact for press",
        "the person for questions of journalists",
        de="Pressekontakt|Ansprechpartner", fr="contact presse", es="contacto de prensa",
        it="contatto stampa|ufficio stampa", pt="contato de imprensa", nl="perscontact",
    ),
    "contact.email": text(
        "press email|contact e-mail|media_email|e-mail of the press office|contact_email",
        de="Presse-E-Mail", fr="e-mail presse", es="correo de prensa", nl="pers-e-mail",
    ),
    "contact.phone": text(
        "press phone|contact phone|media phone|telephone of the press office|contact_phone",
        de="Pressetelefon", fr="téléphone presse", es="teléfono de prensa", nl="telefoon pers",
    ),
    "speaker.name": text(
        "quoted person|speaker|who is quoted?|spokesperson|quote_by|statement from|"
        "first quoted person",
        "the person whose statement is given",
        de="zitierte Person", fr="personne citée", es="persona citada", it="persona citata",
        pt="pessoa citada", nl="geciteerde persoon",
    ),
    "speaker_role": text(
        "role of the quoted person|speaker's position|title of the speaker|speaker_role|"
        "function of the quoted person",
        de="Funktion der zitierten Person", fr="fonction de la personne citée",
    ),
    "appointed.name": text(
        "appointed person|new manager|who is appointed?|appointee|new_hire|person joining|"
        "new office holder",
        "the person who gets a new post or a prize",
    ),
    "predecessor.name": text(
        "predecessor|former holder|who is replaced?|outgoing person|predecessor_name|succeeds"
    ),
    "role": text(
        "new role|position|post|appointed as|new_position|job title of the appointee",
        "the post that is filled",
    ),
    "product": text(
        "product|product name|name of the product|product_name|what is launched?|brand name",
        "the name of the product or service that it is about",
        de="Produkt|Produktname", fr="produit", es="producto", it="prodotto", pt="produto",
        nl="product|productnaam",
    ),
    "model": text("model number|model|article number|batch|lot number|item code|model_no"),
    "price": number(
        "price|retail price|recommended price|cost|unit_price|how much does it cost?|rrp",
        "the price of the product",
        de="Preis|UVP", fr="prix", es="precio", it="prezzo", pt="preço", nl="prijs",
    ),
    "price.currency": currency("price currency|currency of the price|price_currency"),
    "amount": number(
        "amount|deal value|investment|sum|funding amount|transaction_value|how much money?|volume",
        "the sum of the deal, the investment, the funding or the gift",
        de="Betrag|Volumen|Investitionssumme", fr="montant", es="importe|inversión",
        it="importo|investimento", pt="valor|investimento", nl="bedrag|investering",
    ),
    "amount.currency": currency("currency|currency_code|currency of the deal|currency of the sum"),
    "revenue": number(
        "revenue|sales|turnover|net sales|revenue_total|how much revenue?",
        de="Umsatz", fr="chiffre d'affaires", es="ingresos|facturación", it="ricavi|fatturato",
        pt="receita", nl="omzet",
    ),
    "profit": number(
        "profit|net income|earnings|net profit|result|profit_amount",
        de="Gewinn|Ergebnis", fr="bénéfice|résultat net", es="beneficio", it="utile",
        pt="lucro", nl="winst",
    ),
    "growth": number("growth|growth in percent|increase|growth_pct|change in %|by how many percent"),
    "period": text("period|reporting period|quarter|financial year|which period?|fiscal_period"),
    "employees": integer(
        "employees|staff|headcount|number of employees|workforce|how many people work there?",
        de="Mitarbeiter|Mitarbeiterzahl", fr="salariés|effectif", es="empleados|plantilla",
        it="dipendenti", pt="funcionários|colaboradores", nl="medewerkers",
    ),
    "jobs": integer("new jobs|jobs created|jobs|job_count|how many jobs?|positions created"),
    "units": integer("units|number of units|units affected|pieces|unit_count|how many pieces?"),
    "founded": integer(
        "founded|year of foundation|founding year|established|since|founded_in",
        de="Gründungsjahr", fr="année de création", es="año de fundación", it="anno di fondazione",
        pt="ano de fundação", nl="oprichtingsjahr|opgericht in",
    ),
    "ticker": text("ticker|stock symbol|ticker symbol|listed as|stock_ticker"),
    "site": text(
        "website|web address|url|company website|link|homepage|site",
        de="Webseite", fr="site internet", es="página web", it="sito", pt="site", nl="website",
    ),
    "reference": text("reference|release number|press release no.|release_id|document number"),
    "industry": text("industry|sector|line of business|field|what does the company do?"),
    "features": texts(
        "features|key points|highlights|advantages|product_features|what can it do?",
        "the features that the release lists",
        de="Merkmale", fr="points forts", es="características", nl="kenmerken",
    ),
    "markets": texts(
        "markets|countries|regions|available in|sold in|country_list|where is it available?",
        "the countries or regions where it is available",
    ),
    "defect": text(
        "defect|reason for the recall|hazard|problem|risk|fault|why is it recalled?",
        "the reason for a recall",
    ),
    "kind": choice(
        "kind of announcement|announcement type|release type|topic|category|type",
        "product launch/new product/launch, appointment/personnel/management change, "
        "results/financial results/earnings, partnership/cooperation/collaboration, "
        "acquisition/merger/takeover, funding/financing round/investment round, "
        "expansion/new site/opening, award/prize/recognition, recall/product recall/safety notice, "
        "event/exhibition/trade fair, donation/charity/social commitment, "
        "statement/position/reaction",
        "what is announced",
        always=True,
        de="Art der Meldung|Thema", fr="type d'annonce", es="tipo de anuncio",
        it="tipo di annuncio", nl="soort bericht",
    ),
    "immediate": yes_no("for immediate release|immediate release|may be published at once|immediate"),
    "embargoed": yes_no("embargoed|is there an embargo?|under_embargo|has embargo"),
    "photos": yes_no(
        "photos available|press photos|pictures available?|images_available|has press images",
        "whether pictures can be had by the press",
    ),
    "listed": yes_no("listed company|publicly traded|is_listed|on the stock exchange?"),
    "contact": group(
        "press contact|contact|media contact",
        {"contact.name": "name|person", "contact.email": "email|e-mail",
         "contact.phone": "phone|tel"},
    ),
    "figures": group(
        "figures|results|key figures|financials",
        {"revenue": "revenue|sales", "profit": "profit|net", "growth": "growth|change_pct"},
    ),
    "about": group(
        "about the company|company profile|boilerplate",
        {"company": "name|company", "founded": "founded|since", "headquarters": "seat|hq",
         "employees": "employees|staff", "site": "website|url"},
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one press release."""
    published = world.date(2018, 2026)
    embargo = world.date(after=published, days=(0, 2))
    revenue = world.money(4_000_000, 900_000_000, decimals=0)
    growth = world.percent(2, 60, world.pick(0, 1))
    launch = world.date(after=embargo, days=(2, 120))
    return {
        "company": world.company(),
        "partner": world.company(),
        "firm": world.company(),
        "investors": [world.company() for _ in range(world.count("investors", 1, 4))],
        "contact": world.person(),
        "speaker": world.person(),
        "second": world.person(),
        "appointed": world.person(),
        "predecessor": world.person(),
        "other": world.person(),
        "city": world.city(),
        "headquarters": world.city(),
        "elsewhere": world.city(),
        "earlier": world.date(2004, 2016),
        "published": published,
        "embargo": embargo,
        "launch": launch,
        "until": world.date(after=launch, days=(10, 200)),
        "embargo_time": world.time(6, 18, 30),
        "hour": world.time(),
        "product": world.word(),
        "model": world.code("??-%##", "%####-?", "L%#####", "MX %##?"),
        "price": world.money(4, 1900, world.pick(0, 2)),
        "amount": world.money(
            *world.pick((4000, 90_000), (90_000, 900_000), (900_000, 40_000_000)), decimals=0
        ),
        "revenue": revenue,
        "profit": world.money(200_000, 3_900_000, decimals=0),
        "last_year": world.money(value=revenue.value / (1 + growth.value / 100), decimals=0),
        "growth": growth,
        "rate": world.percent(2, 90),
        "employees": world.number(12, 9000),
        "jobs": world.number(6, 600),
        "units": world.number(150, 90000),
        "number": world.number(3, 400),
        "founded": world.exact(world.rng.randint(1861, 2017)),
        "ticker": world.code("???", "????", "???%"),
        "site": world.url(),
        "reference": world.code("PR-20##-%#", "%##/20%#", "PM %#/2%", "No. %##"),
    }
