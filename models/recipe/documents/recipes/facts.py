"""The facts of recipes, and how they are asked for.

Slots: ``i(quantity, unit, name)`` writes one ingredient ("200 g flour") and states it; the
quantity may be a list, of which one is drawn, or ``None``; the unit and the quantity may be empty;
``how`` is another order: ``i(200, "g", "flour", how="{name}, {quantity}{unit}")``.
``author`` (a person), ``other`` (a person, not asked for), ``firm`` (a book, magazine or site's
name), ``site``, ``published`` (a date), ``earlier`` (not asked for), ``serves``, ``serves_range``,
``prep``, ``cook``, ``rest``, ``total`` (minutes, the total is their sum unless the wording writes
its own), ``hours`` (not asked for), ``heat`` (of the oven, with its unit; °F in American English),
``fan`` (not asked for), ``calories``, ``protein``, ``carbs``, ``fat`` (g a portion), ``rating``
(of 5), ``votes``, ``cost`` (an amount), ``fee`` (not asked for), ``days`` (that it keeps).
Decided by the wording: the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe.documents.asking import (
    choice,
    date,
    group,
    integer,
    number,
    objects,
    text,
    texts,
    yes_no,
)
from recipe.facts import World

FRACTIONS = {0.5: "½", 0.25: "¼", 0.75: "¾", 1.5: "1 ½", 2.5: "2 ½"}

ASKED = {
    "title": text(
        "title|name of the dish|recipe name|dish|recipe_title|what is cooked?|recipe",
        "the name of the dish",
        de="Gericht|Rezeptname", fr="nom de la recette|plat", es="nombre del plato|receta",
        it="nome del piatto|ricetta", pt="nome da receita|prato", nl="gerecht|naam van het recept",
    ),
    "ingredients": objects(
        "ingredients|ingredient_list|shopping list|what goes in?|list of ingredients|components",
        {
            "name": text("name|ingredient|item|what|food"),
            "quantity": number("quantity|amount|how much|qty|number"),
            "unit": text("unit|measure|unit of measure|measured in"),
        },
        "all the ingredients with their amounts",
        de="Zutaten", fr="ingrédients", es="ingredientes", it="ingredienti", pt="ingredientes",
        nl="ingrediënten",
    ),
    "serves": integer(
        "servings|serves|portions|yield|number_of_servings|how many does it serve?|for how many?",
        "how many people or portions it is for",
        de="Portionen|Personen", fr="nombre de personnes|portions", es="raciones|comensales",
        it="porzioni|persone", pt="porções|pessoas", nl="porties|personen",
    ),
    "serves_range.min": integer("minimum servings|serves at least|servings_min|portions from"),
    "serves_range.max": integer("maximum servings|serves up to|servings_max|portions to"),
    "prep": integer(
        "preparation time in minutes|prep time|prep_minutes|prep_time_min|minutes of preparation|"
        "hands-on minutes",
        "the minutes of preparation",
        de="Vorbereitungszeit in Minuten", fr="temps de préparation en minutes",
        es="tiempo de preparación en minutos", it="tempo di preparazione in minuti",
        nl="bereidingstijd in minuten",
    ),
    "cook": integer(
        "cooking time in minutes|cook time|cook_minutes|baking time in minutes|minutes in the oven",
        "the minutes of cooking or baking",
        de="Garzeit|Backzeit in Minuten", fr="temps de cuisson en minutes",
        es="tiempo de cocción en minutos", it="tempo di cottura in minuti",
        nl="kooktijd|oventijd in minuten",
    ),
    "rest": integer("resting time|minutes of resting|chilling_minutes|waiting time in minutes"),
    "total": integer(
        "total time in minutes|total time|total_minutes|how long does it all take?|ready in minutes"
    ),
    "heat": number(
        "oven temperature|temperature|oven_temp|bake at|how hot is the oven?|degrees",
        "the temperature of the oven",
        de="Backofentemperatur", fr="température du four", es="temperatura del horno",
        it="temperatura del forno", pt="temperatura do forno", nl="oventemperatuur",
    ),
    "heat.unit": text("unit of the temperature|temperature unit|Celsius or Fahrenheit sign"),
    "difficulty": choice(
        "difficulty|level|how hard is it?|difficulty_level|skill level",
        "easy/simple/beginner, medium/moderate/intermediate, hard/difficult/advanced",
        de="Schwierigkeit", fr="difficulté", es="dificultad", it="difficoltà", pt="dificuldade",
        nl="moeilijkheid",
    ),
    "course": choice(
        "course|type of dish|meal type|dish_type|part of the meal|course_category",
        "starter/appetizer, soup, main course/main dish/main, side dish/side, dessert/sweet, "
        "cake/baking/pastry, bread, drink/beverage/cocktail, sauce/dip/preserve, salad, breakfast",
        "what kind of dish it is",
        always=True,
        de="Gang|Art des Gerichts", fr="type de plat", es="tipo de plato", it="portata",
        pt="tipo de prato", nl="gang",
    ),
    "cuisine": text(
        "cuisine|origin of the dish|national cuisine|cuisine_type|which country's cooking?|region"
    ),
    "author.name": text(
        "author|cook|recipe by|author_name|whose recipe is it?|chef|written by",
        "the person whose recipe it is",
        de="Autor|Rezept von", fr="auteur|chef", es="autor|cocinero", it="autore|cuoco",
    ),
    "firm": text("source|book or magazine|published by|source_name|where is it from?"),
    "site": text("website|url|link|web address of the recipe"),
    "published": date("published|date|published on|publication_date|posted on"),
    "calories": integer(
        "calories|kcal|energy per serving|calories_per_serving|kcal per portion",
        de="Kalorien", fr="calories", es="calorías", it="calorie", nl="calorieën",
    ),
    "protein": number("protein|protein in g|grams of protein|protein_g"),
    "carbs": number("carbohydrates|carbs|carbs_g|grams of carbohydrate"),
    "fat": number("fat|grams of fat|fat_g|fat in g"),
    "rating": number("rating|stars|average rating|score"),
    "votes": integer("votes|number of ratings|ratings_count|reviews"),
    "cost": number("cost|cost per serving|price of the ingredients|estimated_cost"),
    "days": integer("keeps for days|shelf life in days|storage_days|how many days does it keep?"),
    "equipment": texts(
        "equipment|utensils|tools|equipment_needed|what utensils are needed?|kitchen tools",
        "the utensils that are needed",
        de="Küchengeräte", fr="ustensiles", es="utensilios", it="utensili", nl="keukengerei",
    ),
    "allergens": texts(
        "allergens|contains allergens|allergen_list|allergy information",
        "the allergens that the text names as such",
    ),
    "tip": text("tip|serving suggestion|serve with|goes with|served with"),
    "vegetarian": yes_no(
        "vegetarian|is_vegetarian|without meat|suitable for vegetarians|is it vegetarian?",
        always=True, de="vegetarisch", fr="végétarien", es="vegetariano", it="vegetariano",
    ),
    "vegan": yes_no(
        "vegan|is_vegan|suitable for vegans|is it vegan?|plant-based", always=True,
        de="vegan", fr="végétalien", es="vegano", it="vegano",
    ),
    "glutenfree": yes_no("gluten free|gluten_free|is it free of gluten?", always=True),
    "nuts": yes_no("contains nuts|nuts|has_nuts|are there nuts in it?", always=True),
    "alcohol": yes_no("contains alcohol|alcohol|has_alcohol|is there alcohol in it?", always=True),
    "freezable": yes_no("can be frozen|freezable|is_freezable|suitable for freezing"),
    "ahead": yes_no("can be made ahead|make ahead|prepare_in_advance|can it be prepared before?"),
    "spicy": yes_no("spicy|hot|is_spicy|is it spicy?", always=True),
    "times": group(
        "times|duration|timing|minutes",
        {"prep": "prep|preparation", "cook": "cook|cooking|baking", "total": "total|overall"},
    ),
    "nutrition": group(
        "nutrition|nutrition facts|per serving|nutritional_values",
        {"calories": "calories|kcal", "protein": "protein", "carbs": "carbs|carbohydrates",
         "fat": "fat"},
    ),
    "portions": group(
        "servings|portions|yield range", {"serves_range.min": "min|from", "serves_range.max": "max|to"}
    ),
}  # fmt: skip


class Ingredients:
    """Writes ingredients one after the other, with the marks that state them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.n_written = 0

    def __call__(
        self, quantity: Any, unit: str, name: str, how: str = "{quantity} {unit} {name}"
    ) -> str:
        """One ingredient in the layout ``how``; what is empty is left out."""
        self.n_written += 1
        path = f"ingredients.{self.n_written}"
        if isinstance(quantity, (list, tuple)):
            quantity = self.world.rng.choice(quantity)
        parts = {"name": f"[[{path}.name|{name}]]", "unit": "", "quantity": ""}
        if unit:
            parts["unit"] = f"[[{path}.unit|{unit}]]"
        if quantity:
            decimals = 0 if quantity == int(quantity) else 1
            shown = FRACTIONS.get(quantity) or str(self.world.number(quantity, quantity, decimals))
            parts["quantity"] = f"[[{path}.quantity={quantity}|{shown}]]"
        return " ".join(how.format(**parts).split(" ")).replace("  ", " ").strip(" ")


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one recipe."""
    prep, cook = world.number(5, 60, 0), world.number(8, 180, 0)
    fahrenheit = world.locale == "en_US"
    low = world.rng.randrange(150, 241, 10)
    degrees = round((low * 9 / 5 + 32) / 25) * 25 if fahrenheit else low
    return {
        "i": Ingredients(world),
        "author": world.person(),
        "other": world.person(),
        "firm": world.company(),
        "site": world.url(),
        "published": world.date(2011, 2026),
        "earlier": world.date(1990, 2009),
        "serves": world.number(2, 12),
        "serves_range": world.number_range(2, 12),
        "prep": prep,
        "cook": cook,
        "rest": world.number(10, 120),
        "total": world.number(prep.value + cook.value, prep.value + cook.value),
        "hours": world.number(2, 12),
        "heat": world.measure(degrees, degrees, "°F" if fahrenheit else "°C"),
        "fan": world.measure(low - 20, low - 20, "°C"),
        "calories": world.number(90, 980),
        "protein": world.number(2, 48, world.pick(0, 1)),
        "carbs": world.number(4, 96, world.pick(0, 1)),
        "fat": world.number(1, 52, world.pick(0, 1)),
        "rating": world.number(2.5, 5, 1),
        "votes": world.number(3, 4200),
        "cost": world.money(1, 22),
        "fee": world.money(10, 60),
        "days": world.number(2, 14),
    }
