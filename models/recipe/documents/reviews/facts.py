"""The facts of reviews of products, places, services and works, and how they are asked for.

Slots: ``product`` (its full name), ``brand``, ``model`` (a line of products), ``business`` (the
firm or place that is reviewed, or the shop), ``rival`` (another one, not asked for), ``reviewer``
(``name``; forms of persons), ``nick`` (a user's name), ``staff`` (a person who is named for their
work), ``other`` (a person, not asked for), ``city`` (of the place), ``home`` (of the reviewer),
``rating`` (1 to 5, ``.stars`` "★★★★☆", ``.of`` "4/5"; ``@count: rating 1`` fixes it; with
``@count: best 10`` one of ten with a decimal), ``old_rating`` (not asked for), ``posted``, ``visited``,
``bought`` (dates), ``earlier`` (a date, not asked for), ``price``, ``fee`` (amounts; the fee is
not asked for), ``helpful`` (votes), ``nights``, ``guests``, ``minutes`` (of waiting), ``order``,
``aspects`` (3 to 6, each ``name`` and ``score`` of five).
Decided by the wording: the rest.
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
    yes_no,
)
from recipe.facts import Fact, Record, World
from recipe.facts.fact import form

ASPECTS = {
    "en": "Cleanliness|Location|Service|Value|Comfort|Food|Quality|Ease of use|Battery|Design|"
    "Staff|Facilities|Delivery|Picture|Sound|Noise|Wi-Fi|Breakfast",
    "de": "Sauberkeit|Lage|Service|Preis-Leistung|Komfort|Essen|Qualität|Bedienung|Personal|"
    "Lieferung|Verarbeitung|WLAN|Frühstück",
    "fr": "Propreté|Emplacement|Service|Rapport qualité-prix|Confort|Cuisine|Accueil|Livraison|"
    "Finition|Petit-déjeuner",
    "es": "Limpieza|Ubicación|Servicio|Relación calidad-precio|Comodidad|Comida|Personal|Entrega|"
    "Desayuno",
    "it": "Pulizia|Posizione|Servizio|Rapporto qualità-prezzo|Comfort|Cucina|Personale|Consegna|"
    "Colazione",
    "pt": "Limpeza|Localização|Atendimento|Custo-benefício|Conforto|Comida|Equipe|Entrega",
    "nl": "Netheid|Ligging|Service|Prijs-kwaliteit|Comfort|Eten|Personeel|Levering|Ontbijt",
}

ASKED = {
    "product": text(
        "product|product name|product_name|item reviewed|which product?|article|what was bought?",
        "the product that is reviewed, as it is named",
        de="Produkt|Artikel", fr="produit", es="producto", it="prodotto", pt="produto",
        nl="product",
    ),
    "brand": text("brand|maker|manufacturer|brand_name|make", de="Marke", fr="marque", es="marca"),
    "business": text(
        "business|place|name of the business|restaurant or hotel|business_name|company reviewed|"
        "establishment|venue",
        "the firm or place that the review is about",
        de="Betrieb|Lokal|Unternehmen", fr="établissement|entreprise", es="establecimiento|empresa",
        it="locale|azienda", pt="estabelecimento", nl="bedrijf|zaak",
    ),
    "work": text(
        "work|title of the book or film|reviewed work|work_title|which book, film or game?",
        "the book, film, game or record that is reviewed",
        de="Werk|Titel des Buches", fr="œuvre", es="obra", it="opera", pt="obra", nl="werk",
    ),
    "reviewer.name": text(
        "reviewer|author|reviewer_name|who wrote it?|name of the customer|reviewed by|user|"
        "posted by",
        "the person who wrote the review, or the name of the account",
        de="Rezensent|Verfasser", fr="auteur|client", es="autor|usuario", it="autore|recensore",
        pt="autor", nl="recensent|auteur",
    ),
    "home": text(
        "reviewer's town|reviewer_location|where is the reviewer from?|home of the reviewer"
    ),
    "city": text(
        "city|location|town of the place|business_city|where is it?|place reviewed is in",
        "the town in which the place is",
        de="Ort|Stadt", fr="ville", es="ciudad", it="città", pt="cidade", nl="plaats",
    ),
    "rating": number(
        "rating|stars|star rating|overall_rating|score|how many stars?|points",
        "the overall rating that the reviewer gives",
        de="Bewertung|Sterne", fr="note|étoiles", es="puntuación|estrellas", it="voto|stelle",
        pt="nota|estrelas", nl="beoordeling|sterren",
    ),
    "rating.scale": integer(
        "rating scale|out of|maximum rating|best possible rating|scale|rating_max",
        "the best rating that could have been given",
    ),
    "title": text(
        "review title|headline|title|title of the review|review_title|summary line",
        "the headline of the review",
        de="Überschrift|Titel", fr="titre de l'avis", es="título", it="titolo", pt="título",
        nl="titel|kop",
    ),
    "posted": date(
        "review date|posted on|date of review|review_date|published|written on|date posted",
        "when the review was written",
        de="Datum der Bewertung", fr="date de l'avis", es="fecha de la reseña",
        it="data della recensione", pt="data da avaliação", nl="datum recensie",
    ),
    "visited": date(
        "visit date|date of visit|visited on|stay_date|when were they there?|date of stay",
        "when the reviewer was there",
        de="Besuch am", fr="date de la visite", es="fecha de la visita", nl="datum bezoek",
    ),
    "bought": date(
        "purchase date|bought on|date of purchase|purchase_date|when was it bought?",
        de="Kaufdatum", fr="date d'achat", es="fecha de compra",
    ),
    "price": number(
        "price|price paid|cost|how much did it cost?|amount paid|price_paid",
        "what the reviewer paid",
        de="Preis", fr="prix", es="precio", it="prezzo", pt="preço", nl="prijs",
    ),
    "price.currency": currency("price currency|currency of the price paid|price_currency|currency it was paid in"),
    "helpful": integer(
        "helpful votes|found helpful|helpful_count|people who found it helpful|useful votes|likes"
    ),
    "nights": integer("nights|nights stayed|number of nights|length_of_stay|how many nights?"),
    "guests": integer("guests|party size|number of people|people in the group|how many were they?"),
    "minutes": integer(
        "waiting time in minutes|minutes waited|wait_minutes|how long did they wait?|wait in min",
        "how many minutes they had to wait",
    ),
    "used": text(
        "time of use|used for|owned for|how long has it been used?|period of use|usage_duration",
        "how long the reviewer has had or used it, as it is written",
    ),
    "staff.name": text(
        "staff member|employee named|staff_name|who served them?|name of the waiter or agent",
        "the employee who is named",
    ),
    "order": text("order number|order_id|booking number|order reference|purchase number"),
    "pros": texts(
        "pros|advantages|positives|what was good?|liked|strengths|good points|praised",
        "the things that the reviewer likes",
        de="Vorteile|Pluspunkte", fr="points positifs|avantages", es="ventajas|lo mejor",
        it="pregi|punti di forza", pt="pontos positivos|vantagens", nl="pluspunten|voordelen",
    ),
    "cons": texts(
        "cons|disadvantages|negatives|what was bad?|disliked|weaknesses|complaints|criticised",
        "the things that the reviewer does not like",
        de="Nachteile|Minuspunkte", fr="points négatifs|inconvénients", es="desventajas|lo peor",
        it="difetti|punti deboli", pt="pontos negativos|desvantagens", nl="minpunten|nadelen",
    ),
    "dishes": texts(
        "dishes|dishes eaten|food ordered|what did they eat?|dishes_mentioned|meals",
        "the dishes and drinks that they had",
    ),
    "aspects": objects(
        "aspects|ratings by aspect|sub-ratings|aspect_scores|detailed ratings|categories rated",
        {
            "name": text("aspect|name|category|criterion|what"),
            "score": number("score|rating|points|stars|mark"),
        },
        "the single ratings",
        de="Einzelbewertungen", fr="notes détaillées", es="valoraciones parciales",
        it="voti parziali", pt="notas por item", nl="deelbeoordelingen",
    ),
    "sentiment": choice(
        "sentiment|overall sentiment|tone|opinion|polarity|review_sentiment|verdict|feeling",
        "positive/favourable/good, negative/unfavourable/bad, mixed, neutral",
        "whether the review is positive or negative",
        always=True,
        de="Stimmung|Tonfall", fr="sentiment", es="sentimiento|opinión", it="sentimento",
        pt="sentimento", nl="sentiment",
    ),
    "kind": choice(
        "category|what is reviewed|type of review|kind of thing reviewed|review_category",
        "product/goods/item, restaurant/food and drink/café, hotel/accommodation/lodging, "
        "book, film/movie/series, game/video game, app/software, "
        "service/tradesman/company, employer/workplace, course/training, "
        "attraction/museum/sight, doctor/health care",
        "what kind of thing it is about",
        always=True,
        de="Kategorie", fr="catégorie", es="categoría", it="categoria", pt="categoria",
        nl="categorie",
    ),
    "fit": choice(
        "fit|size|how does it fit?|size_fit|sizing",
        "too small/runs small, true to size/as expected, too large/runs large",
        "how the clothes or shoes fit",
    ),
    "recommends": yes_no(
        "recommended|would recommend|recommends|would_recommend|is it recommended?|"
        "does the reviewer recommend it?",
        "whether the reviewer would recommend it to others",
        always=True,
        de="Empfehlung|empfohlen", fr="recommandé", es="recomienda", it="consigliato",
        pt="recomenda", nl="aanbevolen",
    ),
    "verified": yes_no(
        "verified purchase|verified|verified_purchase|is the purchase verified?|confirmed stay"
    ),
    "returning": yes_no(
        "would come back|would buy again|returning customer|will_return|will they go again?",
        "whether the reviewer would go there or buy it again",
    ),
    "refund": yes_no("refunded|refund given|money back|got_refund|did they get their money back?"),
    "reply": yes_no(
        "owner replied|has reply|business_response|answered by the owner|did the owner respond?"
    ),
    "gift": yes_no("bought as a gift|is_gift|gift|was it a present?"),
    "free": yes_no(
        "received for free|sponsored|free_sample|paid review|was the product given for nothing?",
        "whether the reviewer got it without paying",
    ),
    "spoilers": yes_no("spoilers|contains spoilers|has_spoilers|does it give the plot away?"),
    "review": group(
        "review|review_info|summary",
        {"title": "title|headline", "rating": "rating|stars", "posted": "date|posted"},
    ),
    "author": group(
        "reviewer|author|customer",
        {"reviewer.name": "name|user", "home": "location|town"},
    ),
}  # fmt: skip


def _rating(value: float, best: int, shown: str) -> Fact:
    stars = "★" * round(value) + "☆" * (best - round(value))
    return Fact(
        value,
        form(shown, value),
        of=form(f"{shown}/{best}", value, scale=best),
        stars=form(stars, value),
    )


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one review."""
    rng = world.rng
    visited = world.date(2014, 2026)
    stars = world.count("rating", 1, 5)
    best = world.count("best", 5, 5)
    tenths = world.number(2 * stars - 1, 2 * stars, 1)
    rating = _rating(stars, 5, str(stars))
    if best == 10:
        rating = _rating(tenths.value, 10, str(tenths))
    names = world.some(ASPECTS[world.language], 3, 6, "aspects")
    staff = world.person()
    return {
        "product": world.text(
            f"{makeup.name(rng)} {makeup.product_name(rng)} {makeup.model_number(rng)}"
        ),
        "brand": world.text(makeup.brand(rng)),
        "model": world.text(makeup.product_name(rng)),
        "business": world.company(),
        "rival": world.company(),
        "reviewer": world.person(),
        "nick": world.text(
            rng.choice(("", "the_", "x")) + makeup.name(rng).lower() + str(rng.randint(1, 99))
        ),
        "staff": staff,
        "other": world.person(),
        "city": world.city(),
        "home": world.city(),
        "rating": rating,
        "old_rating": world.number(1, 5),
        "earlier": world.date(2009, 2013),
        "visited": visited,
        "bought": world.date(after=visited, days=(0, 5)),
        "posted": world.date(after=visited, days=(6, 60)),
        "price": world.money(4, 900),
        "fee": world.money(2, 60),
        "helpful": world.number(2, 480),
        "nights": world.number(2, 14),
        "guests": world.number(2, 9),
        "minutes": world.number(15, 110),
        "order": world.code("%##-%######", "#%#####", "??%####"),
        "aspects": [
            Record(name=name, score=_rating(score := rng.randint(1, 5), 5, str(score)))
            for name in names
        ],
    }
