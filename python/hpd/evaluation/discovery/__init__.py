"""Attributes of a category, proposed by a model that sees its documents (paper, figure 10)."""
