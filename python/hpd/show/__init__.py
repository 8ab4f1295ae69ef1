"""Extractions for people: pages of HTML, and the values of a line at their places, in colors."""
