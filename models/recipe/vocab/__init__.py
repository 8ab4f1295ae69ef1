"""The categories: about fifty kinds of goods."""

from __future__ import annotations

from recipe.category import Category
from recipe.vocab import beauty, clothes, food, home, outdoor, technical

CATEGORIES: tuple[Category, ...] = (
    *food.CATEGORIES,
    *beauty.CATEGORIES,
    *clothes.CATEGORIES,
    *home.CATEGORIES,
    *outdoor.CATEGORIES,
    *technical.CATEGORIES,
)
