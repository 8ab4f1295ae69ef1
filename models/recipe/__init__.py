"""The recipe of the model in the box: listings, a tokenizer, a small model, its training."""
