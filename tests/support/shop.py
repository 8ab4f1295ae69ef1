"""Documents of a shop, and the settings under which they are answered alike in any company."""

TEXTS = [
    "Diesel sneaker, black, 300 g",
    "Nike running shoe, red, size 44",
    "Adidas Samba, blue and white, leather",
    "Bosch drill, 18 V, with two batteries",
    "Sony camera, silver, 24 megapixels",
    "Coffee beans, dark roast, 12 oz",
]

EXACT = {"cache_type_k": "f32", "cache_type_v": "f32", "flash_attn": "off"}
"""Settings under which the size of a batch changes logits by about 1e-6 only. In all that the tests
ask of ``TEXTS``, the least margin between a token and the next best is 0.017."""
