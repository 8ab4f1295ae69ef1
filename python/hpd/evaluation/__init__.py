"""Data sets with known answers, and how well extractions agree with them."""
