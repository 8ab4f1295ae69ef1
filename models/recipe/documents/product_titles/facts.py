"""The facts of product titles, and how they are asked for.

Slots: ``brand``, ``rival`` (another brand, not asked for), ``model`` (a series or product line),
``other_model`` (not asked for), ``part`` (the maker's number), ``other_part`` (another one, not
asked for), ``sku`` (of the shop), ``color``, ``second_color`` (not asked for), ``size`` (of
clothes), ``pack`` (how many), ``pieces`` (of a set), ``weight``, ``volume``, ``length``, ``dims``,
``watts``, ``volts``, ``battery``, ``storage``, ``ram``, ``screen``, ``year``, ``price``,
``author`` and ``person`` (the person is not asked for), ``firm`` (a publisher or seller).
Everything is short text, as titles have it. Marked by the wording: the rest, with the ``type``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe import makeup
from recipe.documents.asking import (
    choice,
    integer,
    number,
    text,
    texts,
    yes_no,
)
from recipe.facts import World

COLORS = {
    "en": "Black|Navy|Matte Black|Rose Gold|Light Grey|Olive Green|Burgundy|White|Teal|Charcoal|"
    "Sky Blue|Silver|Dusty Pink|Coral|Heather Gray|Midnight|Sand|Mustard|Red/White|Walnut",
    "de": "Schwarz|Dunkelblau|Anthrazit|Hellgrau|Weiß|Bordeaux|Silber|Olivgrün|Rosé|Türkis|Eiche",
    "fr": "Noir|Bleu marine|Gris anthracite|Blanc|Bordeaux|Vert olive|Argent|Rose poudré|Écru",
    "es": "Negro|Azul marino|Gris claro|Blanco|Granate|Verde oliva|Plata|Rosa palo|Turquesa",
    "it": "Nero|Blu notte|Grigio chiaro|Bianco|Bordeaux|Verde oliva|Argento|Rosa antico|Panna",
    "pt": "Preto|Azul-marinho|Cinza claro|Branco|Vinho|Verde-oliva|Prata|Rosa|Turquesa",
    "nl": "Zwart|Donkerblauw|Antraciet|Lichtgrijs|Wit|Bordeaux|Zilver|Olijfgroen|Roze|Turquoise",
}

ASKED = {
    "brand": text(
        "brand|brand name|maker|manufacturer|brand_name|make|vendor brand|who makes it?",
        "the brand of the product itself, not of what it fits",
        de="Marke|Hersteller", fr="marque", es="marca", it="marca|produttore", pt="marca|fabricante",
        nl="merk",
    ),
    "model": text(
        "model|series|product line|model name|model_name|line|collection",
        "the name of the model or series",
        de="Modell|Serie", fr="modèle|gamme", es="modelo|serie", it="modello", pt="modelo",
        nl="model|serie",
    ),
    "part": text(
        "model number|part number|mpn|manufacturer part number|model_no|article number|item model",
        "the maker's number of the product",
        de="Modellnummer|Artikelnummer", fr="référence", es="número de modelo", it="codice modello",
        pt="código do modelo", nl="modelnummer",
    ),
    "sku": text("sku|shop's item number|stock number|listing id|item code of the shop"),
    "type": text(
        "product type|type|product|what is it?|item type|product_type|kind of product|article",
        "what the product is",
        de="Produktart|Artikel", fr="type de produit", es="tipo de producto",
        it="tipo di prodotto", pt="tipo de produto", nl="productsoort",
    ),
    "color": text(
        "color|colour|color_name|finish|which colour?|shade",
        "the colour as it is written",
        de="Farbe", fr="couleur", es="color", it="colore", pt="cor", nl="kleur",
    ),
    "material": text(
        "material|made of|fabric|material_type|main material",
        "what it is made of",
        de="Material", fr="matière|matériau", es="material", it="materiale", pt="material",
        nl="materiaal",
    ),
    "size": text(
        "size|clothing size|shoe size|size_label|which size?",
        "the size of clothes, shoes or bedding, as it is written",
        de="Größe", fr="taille|pointure", es="talla", it="taglia", pt="tamanho", nl="maat",
    ),
    "pack": integer(
        "pack size|pack of|number of items|quantity|count|units per pack|pack_count|how many?",
        "how many of them come in the pack",
        de="Anzahl|Packungsgröße|Stückzahl", fr="quantité|nombre de pièces", es="unidades",
        it="pezzi|quantità", pt="unidades|quantidade", nl="aantal",
    ),
    "pieces": integer("pieces|number of pieces|piece count|piece_count|parts in the set"),
    "weight": text(
        "weight|net weight|item weight|item_weight|how heavy?|content by weight",
        "the weight with its unit, as it is written",
        de="Gewicht|Füllgewicht", fr="poids", es="peso", it="peso", pt="peso", nl="gewicht",
    ),
    "volume": text(
        "volume|capacity|liquid volume|volume_per_item|fill quantity|how much does it hold?",
        "the volume with its unit, as it is written",
        de="Inhalt|Fassungsvermögen", fr="contenance|volume", es="capacidad|volumen",
        it="capacità", pt="volume|capacidade", nl="inhoud",
    ),
    "length": text(
        "length|cable length|item_length|how long is it?",
        "the length with its unit",
        de="Länge", fr="longueur", es="longitud", it="lunghezza", pt="comprimento", nl="lengte",
    ),
    "dims": text(
        "dimensions|measurements|size in cm or inches|item_dimensions|width and height|how large?",
        "two or three measures, as they are written",
        de="Maße|Abmessungen", fr="dimensions", es="medidas", it="dimensioni", pt="medidas",
        nl="afmetingen",
    ),
    "watts": text("wattage|power|watts|power rating|how many watts?", de="Leistung", fr="puissance"),
    "volts": text("voltage|volts|operating voltage|rated voltage", de="Spannung", fr="tension"),
    "battery": text("battery capacity|mah|battery_capacity|capacity of the battery"),
    "storage": text(
        "storage|storage capacity|disk size|memory storage|storage_size|ssd size",
        de="Speicher|Speicherkapazität", fr="stockage", es="almacenamiento",
    ),
    "ram": text("ram|memory|ram size|working memory|ram_memory", de="Arbeitsspeicher"),
    "screen": text(
        "screen size|display size|screen_size|display|diagonal", de="Bildschirmgröße",
        fr="taille d'écran", es="tamaño de pantalla",
    ),
    "resolution": text("resolution|display resolution|video resolution|image_resolution"),
    "platform": text("platform|for which console?|console|game platform|operating system"),
    "year": integer("year|model year|release year|year of make|vintage|model_year", de="Baujahr"),
    "price": number("price|sale price|cost|asking price|how much?", de="Preis", fr="prix"),
    "flavor": text(
        "flavor|flavour|taste|flavor_name|which flavour?", de="Geschmack|Sorte", fr="goût|parfum",
        es="sabor", it="gusto", pt="sabor", nl="smaak",
    ),
    "scent": text("scent|fragrance|smell|scent_name|perfume", de="Duft", fr="senteur"),
    "pattern": text("pattern|print|theme|motif|design_pattern", de="Muster|Motiv", fr="motif"),
    "style": text("neckline|sleeve or cut|style|cut|fit type|shape"),
    "age": text(
        "age range|age|recommended age|for which age?|age_group_text", de="Alter|Altersempfehlung",
        fr="âge", es="edad",
    ),
    "author": text("author|written by|book author|writer", de="Autor", fr="auteur", es="autor"),
    "work": text("book title|title of the work|work title|title of the book, film or game"),
    "format": text("format|binding|media format|book format|edition format"),
    "edition": text("edition|version|special edition|release version"),
    "origin": text("made in|country of origin|origin|country_of_origin|where is it from?"),
    "connector": text("connector|port|plug type|interface|connection|socket"),
    "compatible": texts(
        "compatible with|fits|compatible models|compatibility|suitable for|works with|fits_models",
        "the devices, models or machines that it fits",
        de="kompatibel mit|passend für", fr="compatible avec", es="compatible con",
        it="compatibile con", pt="compatível com", nl="geschikt voor",
    ),
    "included": texts(
        "included|included accessories|comes with|accessories in the box|what is included?"
    ),
    "condition": choice(
        "condition|item condition|state|new or used|item_condition",
        "new/brand new, refurbished/renewed/reconditioned, used/pre-owned/second-hand, "
        "for parts/defective/not working",
        "the condition, if the title tells it",
        de="Zustand", fr="état", es="estado", it="condizione", pt="condição", nl="staat",
    ),
    "gender": choice(
        "gender|for whom|department|target gender|target_group",
        "women/ladies/female, men/mens/male, unisex, kids/children",
        de="Zielgruppe", fr="genre", es="género",
    ),
    "category": choice(
        "category|product category|department|product_category|section of the shop",
        "electronics/computers and phones, clothing/fashion/apparel, home and kitchen/household, "
        "toys/toys and games, beauty/health and beauty/cosmetics, food/groceries/food and drink, "
        "tools/hardware/DIY, car parts/automotive, books/media/books and media, "
        "sports/sports and outdoors, pets/pet supplies, office/stationery, garden/outdoor",
        always=True,
        de="Kategorie|Warengruppe", fr="catégorie", es="categoría", it="categoria",
        pt="categoria", nl="categorie",
    ),
    "waterproof": yes_no("waterproof|is_waterproof|water resistant|can it get wet?"),
    "wireless": yes_no("wireless|cordless|is_wireless|bluetooth or wireless|without a cable?"),
    "organic": yes_no("organic|is_organic|bio|certified organic|is it organic?"),
    "vegan": yes_no("vegan|is_vegan|suitable for vegans"),
    "glutenfree": yes_no("gluten free|gluten_free|is_gluten_free|free of gluten"),
    "sugarfree": yes_no("sugar free|sugar_free|without sugar|unsweetened"),
    "rechargeable": yes_no("rechargeable|is_rechargeable|can it be charged?"),
    "batteries": yes_no("batteries included|comes with batteries|batteries_included"),
    "foldable": yes_no("foldable|folding|is_foldable|collapsible|can it be folded?"),
    "shipping": yes_no("free shipping|ships for free|free_shipping|free delivery"),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one title."""
    rng = world.rng
    year = rng.randint(1998, 2026)
    gap = rng.choice(("", " ", "-"))
    return {
        "brand": world.text(makeup.brand(rng)),
        "rival": world.text(makeup.name(rng)),
        "model": world.text(makeup.product_name(rng)),
        "other_model": world.text(f"{makeup.name(rng)} {rng.choice(makeup.MARKS)}"),
        "part": world.text(makeup.model_number(rng)),
        "other_part": world.text(makeup.model_number(rng)),
        "sku": world.code("#%######", "%#####-?", "SKU%####", "ASIN B0##?%?#?"),
        "color": world.one_of(COLORS[world.language]),
        "second_color": world.one_of(COLORS[world.language]),
        "size": world.one_of("S|M|L|XL|XXL|3XL|38|40|42|44|XS|One Size|9.5|EU 39|UK 12|10-12"),
        "pack": world.number(2, 48),
        "pieces": world.number(3, 500),
        "weight": world.text(makeup.weight(rng)),
        "volume": world.text(
            makeup.measure(rng, ("ml", "ML", "L", "fl oz", "Fl Oz", "cl", "oz"), 2, 64)
        ),
        "length": world.text(makeup.measure(rng, ("m", "ft", "cm", "inch", "Feet"), 1, 40)),
        "dims": world.code(
            "%#x%# cm", "%# x %# x %# cm", '%#" x %#"', "%##x%##mm", "%.#x%.#x%#cm", "%'x %'"
        ),
        "watts": world.code("%##W", "%## W", "%##0W", "%# Watt", "%#00 watts"),
        "volts": world.text(
            rng.choice(("12V", "18V", "20 V", "220-240V", "24 Volt", "110V", "3.7V"))
        ),
        "battery": world.code("%#00mAh", "%###mAh", "%#000 mAh", "%.#Ah", "%0000mAh"),
        "storage": world.text(rng.choice((64, 128, 256, 512)).__str__() + gap + "GB"),
        "ram": world.text(rng.choice((4, 8, 12, 16, 32)).__str__() + gap + "GB"),
        "screen": world.code('%#.#"', "%#.# inch", "%#-Inch", "%#''", "%.#\u2033"),
        "year": world.exact(year),
        "price": world.money(3, 400),
        "author": world.person().name,
        "person": world.person(),
        "firm": world.company(),
    }
