"""Texts that contradict their schema in one field, and the outcomes of that field."""
