"""The categories: sixty kinds of goods, and the last of them goods of all kinds."""

from __future__ import annotations

from recipe.category import Category
from recipe.vocab import beauty, clothes, food, general, home, outdoor, technical

CATEGORIES: tuple[Category, ...] = (
    *food.CATEGORIES,
    *beauty.CATEGORIES,
    *clothes.CATEGORIES,
    *home.CATEGORIES,
    *outdoor.CATEGORIES,
    *technical.CATEGORIES,
    *general.CATEGORIES,
)

GOODS = general.CATEGORIES[0]
