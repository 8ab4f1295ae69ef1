"""Titles of many lengths, and a schema in several waves: for what one document does to another."""

import random

SCHEMA = (
    "brand, color, size, material, weight float, product_type, waterproof bool, "
    "features [str], parts [{name, stuff}], line after color, use after product_type"
)

_BRANDS = ("Nordvik", "Luma", "Tavola", "Pinecrest", "Bosch", "Diesel", "Harlow", "Zenpure")
_KINDS = ("sneaker", "wool coat", "frying pan", "T-shirt", "green tea", "hand soap", "desk lamp")
_COLORS = ("red", "dark green", "black", "silver", "lavender", "caramel", "navy blue", "natural")
_SIZES = ("M", "28 cm", "12 oz", "6 pack", "2.5 kg", "size 9", "pack of 3", "8 fl oz")
_STUFFS = ("cotton", "steel", "plastic", "leather", "oak wood", "glass", "ceramic", "bamboo")


def titles(n, seed=5):
    """Titles of made-up products, of 3 to 30 words."""
    pick = random.Random(seed)
    return [_title(pick) for _ in range(n)]


def _title(pick):
    optional = [
        pick.choice(_SIZES),
        pick.choice(_STUFFS),
        pick.choice(_COLORS),
        "for women",
        "for men",
        "waterproof",
        f"with {pick.choice(_STUFFS)} handle",
        f"and {pick.choice(_COLORS)}",
    ]
    parts = [pick.choice(_KINDS), pick.choice(_COLORS), *pick.sample(optional, pick.randint(1, 7))]
    pick.shuffle(parts)
    return f"{pick.choice(_BRANDS)} {', '.join(parts)}"
