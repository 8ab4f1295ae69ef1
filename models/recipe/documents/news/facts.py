"""The facts of news, from a brief of two lines to a long report, and how they are asked for.

Slots: ``author``, ``photographer`` (persons), ``person`` (whom it is about), ``quoted`` (who says
something about it), ``other`` and ``third`` (more persons, who are not asked for), ``outlet`` (the
paper), ``rival`` (another one, not asked for), ``place`` (the town), ``elsewhere`` (another town,
not asked for), ``street``, ``organisation``, ``firm`` (another one, not asked for), ``happened``,
``published``, ``updated``, ``next`` (dates, in this order), ``earlier`` (a date long before, not
asked for), ``time``, ``hour`` (another time, not asked for), ``age``, ``old`` (another age, not
asked for), ``amount``, ``sum`` (another amount, not asked for), ``deaths``, ``injured``, ``jobs``,
``visitors``, ``votes``, ``number`` (another one, not asked for), ``change`` and ``rate``
(percentages; the second is not asked for), ``home``, ``guest`` (teams), ``home_goals``,
``guest_goals``, ``half`` (goals at half-time, not asked for), ``minutes`` (to read it),
``comments`` (how many), ``phone``, ``site``.
Decided by the wording: ``headline``, ``role``, ``quoted_role``, ``cause``, ``agency``,
``section``, ``genre``, ``arrested``, ``correction``, ``subscribers``, ``keywords``.
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

PAPERS = {
    "en": "Evening Herald|Daily Courier|The Valley Post|Morning Tribune|Coast Gazette|"
    "The Beacon|Northern Echoes|County Chronicle|The Ledger|Harbour Times|Metro Dispatch",
    "de": "Tagesanzeiger Nord|Neue Rundschau|Abendblick|Kreisbote|Volkszeitung|Der Morgen|"
    "Stadtkurier|Allgemeiner Anzeiger|Landblatt",
    "fr": "Le Courrier|La Gazette du Sud|L'Écho du matin|Le Réveil|La Voix des vallées|"
    "Ouest Matin|Le Quotidien libre",
    "es": "El Diario Nuevo|La Crónica|El Faro|La Gaceta|Hoy Mismo|El Correo del Valle|La Voz Libre",
    "it": "Il Corriere Nuovo|La Gazzetta del Lago|L'Eco|Il Giornale della Costa|La Voce|"
    "Cronaca Oggi",
    "pt": "Diário Novo|Folha do Vale|A Gazeta|Correio da Tarde|O Farol|Jornal da Serra",
    "nl": "De Nieuwe Courant|Het Avondblad|De Koerier|Dagblad De Kust|Streekblad|Het Nieuwsuur",
}
TEAMS = {
    "en": "{} United|{} Rovers|{} City|{} Athletic|{} Hawks|{} Wanderers|{} Town|{} Bears",
    "de": "FC {}|SV {}|TSV {}|{} 04|Eintracht {}|VfB {}|SG {}|TuS {}",
    "fr": "AS {}|FC {}|Olympique de {}|Stade de {}|US {}|Racing {}",
    "es": "CF {}|Real {}|Deportivo {}|Atlético {}|UD {}|Sporting {}",
    "it": "AC {}|US {}|Atletico {}|Virtus {}|Pro {}|FC {}",
    "pt": "{} FC|Sporting de {}|AA {}|União de {}|Clube Atlético {}|EC {}",
    "nl": "FC {}|VV {}|SC {}|{} '66|Sparta {}|Excelsior {}",
}
STREETS = {
    "en": "Station Road|Mill Lane|Highway %#|Church Street|Harbour Street|Route %#|Elm Avenue",
    "de": "Bahnhofstraße|Lindenweg|Bundesstraße %#|Marktplatz|Hafenstraße|Schillerstraße",
    "fr": "rue de la Gare|avenue Foch|route départementale %#|place du Marché|rue des Lilas",
    "es": "calle Mayor|avenida del Puerto|carretera N-%##|plaza del Mercado|calle del Olmo",
    "it": "via Roma|viale della Stazione|strada statale %#|piazza del Mercato|via dei Tigli",
    "pt": "rua das Flores|avenida Central|rodovia BR-%##|praça do Mercado|rua da Estação",
    "nl": "Stationsstraat|Molenweg|Provinciale weg N%##|Marktplein|Havenkade|Lindelaan",
}

ASKED = {
    "headline": text(
        "headline|title|article title|heading|news_title|what is the headline?",
        "the headline of the article, as printed",
        de="Überschrift|Schlagzeile", fr="titre|gros titre", es="titular", it="titolo",
        pt="título|manchete", nl="kop|titel",
    ),
    "author.name": text(
        "author|byline|written by|reporter|journalist|article_author|who wrote the article?",
        "the journalist who wrote it",
        de="Autor|Verfasser", fr="auteur|journaliste", es="autor", it="autore|giornalista",
        pt="autor|repórter", nl="auteur|verslaggever",
    ),
    "author.email": text("author email|reporter's e-mail|contact of the author|journalist_email"),
    "photographer.name": text(
        "photographer|photo credit|picture by|photo_by|who took the photo?|image credit",
        de="Fotograf", fr="photographe", es="fotógrafo", it="fotografo", pt="fotógrafo",
        nl="fotograaf",
    ),
    "agency": text("news agency|agency|wire service|agency code", "the agency it comes from"),
    "outlet": text(
        "newspaper|outlet|publication|paper|news source|published in|publisher name|medium",
        "the paper or site that publishes the article",
        de="Zeitung|Medium", fr="journal", es="periódico|medio", it="giornale|testata",
        pt="jornal", nl="krant",
    ),
    "published": date(
        "publication date|published|published on|date of the article|publish_date|pub_date|"
        "when was it published?",
        "the day on which the article appeared",
        de="Veröffentlichungsdatum|erschienen am", fr="date de publication|publié le",
        es="fecha de publicación", it="data di pubblicazione", pt="data de publicação",
        nl="publicatiedatum",
    ),
    "updated": date(
        "last updated|updated|update_date|modified|date of last change|revised on",
        de="aktualisiert am", fr="mis à jour le", es="actualizado el", it="aggiornato il",
        nl="bijgewerkt op",
    ),
    "happened": date(
        "date of the event|incident date|when did it happen?|happened on|event_date|"
        "day of the incident|occurred_on",
        "the day on which the thing reported happened",
        de="Tag des Ereignisses|Ereignisdatum", fr="date des faits", es="fecha del suceso",
        it="data dell'evento", pt="data do ocorrido", nl="datum van het voorval",
    ),
    "next": date(
        "next date|next step on|follow-up date|what day does it continue?|next_date|"
        "date of the next step",
        "the day in the future on which something follows: a hearing, a vote, a match, an opening",
    ),
    "time": time(
        "time of the event|incident time|at what time did it happen?|event_time|time of day",
        "the time at which it happened or began",
    ),
    "place": text(
        "place|location|city|town|where did it happen?|scene|event_location|dateline city",
        "the town where it happened",
        de="Ort|Stadt", fr="lieu|ville", es="lugar|ciudad", it="luogo|città", pt="local|cidade",
        nl="plaats|stad",
    ),
    "street": text("street|road|street_name|on which road?|street of the incident"),
    "organisation": text(
        "company|organisation|organization|institution|firm concerned|which company?|"
        "organisation_name",
        "the organisation that the news is about",
        de="Unternehmen|Organisation", fr="entreprise|organisation", es="empresa|organización",
        it="azienda", pt="empresa", nl="bedrijf|organisatie",
    ),
    "person.name": text(
        "main person|person|who is it about?|subject of the article|protagonist|person_name|"
        "central figure",
        "the person whom the article is about",
        de="Person|Hauptperson", fr="personne concernée", es="protagonista", it="protagonista",
        pt="protagonista", nl="hoofdpersoon",
    ),
    "role": text(
        "role|position of the main person|function|post|person_role|what does the main person do?"
    ),
    "age": integer(
        "age|age of the person|person_age|how old?|years old|age in years",
        "how old the main person is",
        de="Alter", fr="âge", es="edad", it="età", pt="idade", nl="leeftijd",
    ),
    "quoted.name": text(
        "quoted person|spokesperson|who is quoted?|source of the quote|speaker|statement by|"
        "quoted_person",
        "the person whose words are given",
        de="zitierte Person|Sprecher", fr="personne citée|porte-parole", es="portavoz|citado",
        it="persona citata", pt="porta-voz|citado", nl="woordvoerder|geciteerde persoon",
    ),
    "quoted_role": text(
        "role of the quoted person|quoted person's position|spokesperson_role|"
        "function of the speaker|who is the quoted person?"
    ),
    "deaths": integer(
        "deaths|dead|fatalities|killed|number of deaths|death_toll|how many died?",
        de="Todesopfer", fr="nombre de morts", es="fallecidos", it="morti", pt="mortos",
        nl="doden",
    ),
    "injured": integer(
        "injured|number of injured|casualties injured|hurt|injured_count|how many were hurt?",
        de="Verletzte", fr="blessés", es="heridos", it="feriti", pt="feridos", nl="gewonden",
    ),
    "jobs": integer(
        "jobs|number of jobs|jobs affected|positions|job_count|how many jobs?|employees concerned",
        "the jobs that are created, kept or cut",
        de="Arbeitsplätze|Stellen", fr="emplois", es="empleos", it="posti di lavoro",
        pt="empregos", nl="banen",
    ),
    "visitors": integer(
        "visitors|attendance|spectators|crowd|number of people attending|how many came?|audience",
        de="Besucher|Zuschauer", fr="visiteurs|spectateurs", es="asistentes|espectadores",
        it="spettatori|visitatori", pt="público", nl="bezoekers|toeschouwers",
    ),
    "votes": integer("votes in favour|votes for|yes votes|ayes|votes_for|how many voted for it?"),
    "change": number(
        "percentage|change in percent|percent|change_pct|by how many percent?|rise or fall in %",
        "the size of the main change, in percent, without a sign",
    ),
    "amount": number(
        "amount|sum|cost|amount of money|sum_of_money|how much money?|figure in money",
        "the amount of money that the news is about",
        de="Betrag|Kosten", fr="montant|coût", es="importe|coste", it="importo|costo",
        pt="valor|custo", nl="bedrag|kosten",
    ),
    "amount.currency": currency("currency|currency_code|currency of the amount|in which currency"),
    "home": text("home team|home side|hosts|home_team|heim|first team"),
    "guest": text("away team|visiting team|guests|away_team|visitors' team|second team"),
    "home_goals": integer("home score|goals of the home team|home_goals|points home"),
    "guest_goals": integer("away score|goals of the away team|away_goals|points away"),
    "cause": text(
        "cause|reason|why did it happen?|cause_of_incident|cause given",
        "the cause, as the article gives it",
        de="Ursache|Grund", fr="cause|raison", es="causa", it="causa", pt="causa",
        nl="oorzaak|reden",
    ),
    "minutes": integer("reading time|minutes to read|read_time|reading_minutes|length in minutes"),
    "comments": integer("comments|number of comments|comment_count|how many comments?"),
    "phone": text("hotline|phone number for witnesses|tip line|number to call|phone|witness_phone"),
    "site": text("website|link|web address|url|page with more information"),
    "keywords": texts(
        "keywords|tags|topics listed|article_tags|labels",
        "the tags given with the article",
        de="Schlagwörter", fr="mots-clés", es="etiquetas", it="parole chiave", pt="tags",
        nl="trefwoorden",
    ),
    "section": choice(
        "section|category|desk|news category|topic|kind of news|department",
        "crime/police, accident/disaster/accidents, politics/government, "
        "business/economy, sport/sports, culture/arts/entertainment, "
        "science/technology/science and technology, health/medicine, weather/environment, "
        "society/people/community",
        "the section of the paper to which it belongs",
        always=True,
        de="Ressort|Rubrik", fr="rubrique", es="sección", it="sezione", pt="editoria",
        nl="rubriek",
    ),
    "genre": choice(
        "genre|article type|kind of article|format|text_type",
        "report/news report/news, interview, opinion/comment/editorial, "
        "brief/short news/news in brief, obituary, review/critique",
        always=True,
        de="Textsorte", fr="genre", es="género",
    ),
    "arrested": yes_no(
        "arrest made|arrested|somebody arrested?|suspect_arrested|is there an arrest?",
        "whether the police has arrested somebody",
    ),
    "correction": yes_no("correction|has correction|corrected article?|includes_correction"),
    "subscribers": yes_no(
        "paywall|subscribers only|is_premium|only for subscribers?|paid article",
    ),
    "casualties": group("casualties|victims|toll", {"deaths": "dead|killed", "injured": "injured|hurt"}),
    "result": group(
        "result|match|final score|score",
        {
            "home": "home|home_team",
            "guest": "away|away_team",
            "home_goals": "home_goals|home score",
            "guest_goals": "away_goals|away score",
        },
    ),
    "article": group(
        "article|publication|source",
        {
            "headline": "headline|title",
            "author.name": "author|by",
            "outlet": "paper|outlet",
            "published": "date|published",
        },
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one article."""
    happened = world.date(2018, 2026)
    published = world.date(after=happened, days=(1, 3))
    updated = world.date(after=published, days=(1, 4))
    scale = world.pick((300, 9000), (5000, 90_000), (90_000, 9_000_000))
    teams = world.rng.sample(TEAMS[world.language].split("|"), 2)
    return {
        "author": world.person(),
        "photographer": world.person(),
        "person": world.person(),
        "quoted": world.person(),
        "other": world.person(),
        "third": world.person(),
        "outlet": world.one_of(PAPERS[world.language]),
        "rival": world.company(),
        "place": world.city(),
        "elsewhere": world.city(),
        "street": world.code(STREETS[world.language]),
        "organisation": world.company(),
        "firm": world.company(),
        "earlier": world.date(2005, 2016),
        "happened": happened,
        "published": published,
        "updated": updated,
        "next": world.date(after=updated, days=(5, 90)),
        "time": world.time(),
        "hour": world.time(),
        "age": world.number(18, 89),
        "old": world.number(18, 89),
        "amount": world.money(*scale, decimals=0),
        "sum": world.money(scale[0] // 10, scale[0], decimals=0),
        "deaths": world.number(2, 9),
        "injured": world.number(2, 48),
        "jobs": world.number(20, 2400),
        "visitors": world.number(80, 30000),
        "votes": world.number(12, 48),
        "number": world.number(3, 900),
        "change": world.percent(2, 48, world.pick(0, 1)),
        "rate": world.percent(1, 60),
        "home": world.text(teams[0].format(world.city())),
        "guest": world.text(teams[1].format(world.city())),
        "home_goals": world.number(0, 5),
        "guest_goals": world.number(0, 5),
        "half": world.number(0, 2),
        "minutes": world.number(2, 14),
        "comments": world.number(2, 480),
        "phone": world.phone(),
        "site": world.url(),
    }
