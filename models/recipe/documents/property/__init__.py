"""Advertisements and descriptions of houses and flats."""
