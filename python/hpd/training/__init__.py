"""Fine-tuning for hyper-parallel decoding: packing, masks, training, export."""

ROUNDED_TYPES = ("Q4_0", "Q5_0", "Q8_0")
"""Types that weights can be rounded to in training: blocks of 32 weights with one scale."""
