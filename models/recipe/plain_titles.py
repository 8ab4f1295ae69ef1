"""The brand and the color of twenty titles in the fewest words, as one who tries hpd types them.

    PYTHONPATH=python:models python models/recipe/plain_titles.py [-m MODEL] [--layout LAYOUT]

Neither the brands nor the goods need be in the generator's lists. What is wrong is printed, and
how many of the forty values are right. Nothing here may be trained on.
"""

from __future__ import annotations

import hpd
from recipe.trial_settings import trial_parser, trial_settings

TITLES: tuple[tuple[str, str | None, str | None], ...] = (
    ("Nike shoe, red", "Nike", "red"),
    ("Luma Cotton T-Shirt, White", "Luma", "White"),
    ("Acme anvil, red", "Acme", "red"),
    ("Red Nike running shoes", "Nike", "Red"),
    ("Sony headphones, black", "Sony", "black"),
    ("Black Sony headphones", "Sony", "Black"),
    ("IKEA oak table", "IKEA", None),
    ("Bosch drill blue", "Bosch", "blue"),
    ("Adidas Hoodie Grey", "Adidas", "Grey"),
    ("Tavola Frying Pan, black", "Tavola", "black"),
    ("Patagonia women's jacket in green", "Patagonia", "green"),
    ("Samsung TV 55 inch", "Samsung", None),
    ("White Lego bricks", "Lego", "White"),
    ("Canon camera - silver", "Canon", "silver"),
    ("Fender guitar, sunburst red", "Fender", "sunburst red"),
    ("Yellow raincoat by Helly Hansen", "Helly Hansen", "Yellow"),
    ("Pinecrest Leather Wallet, Brown", "Pinecrest", "Brown"),
    ("Diesel Leather Sneaker for Men, Black", "Diesel", "Black"),
    ("Makita cordless drill, teal", "Makita", "teal"),
    ("KitchenAid mixer (pink)", "KitchenAid", "pink"),
)


def main() -> None:
    """Print what is wrong, and the number of right values."""
    settings = trial_settings(trial_parser(__doc__.splitlines()[0]).parse_args())
    n_right = 0
    with hpd.Extractor("brand, color", **settings) as extractor:
        for text, brand, color in TITLES:
            found = extractor.extract(text).data
            for name, gold in (("brand", brand), ("color", color)):
                n_right += found[name] == gold
                if found[name] != gold:
                    print(f"{text}: {name}={found[name]} ≠ {gold}")
    print(f"{n_right} of {2 * len(TITLES)} right")


if __name__ == "__main__":
    main()
