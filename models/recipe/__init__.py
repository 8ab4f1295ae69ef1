"""The recipe of the bundled model: listings, a tokenizer, a small model, its training."""
