"""Titles of products, as shops and marketplaces write them."""
