"""Texts that contradict their schema in one field, and the outcome of that field."""
