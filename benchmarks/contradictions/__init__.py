"""Texts that contradict their schema in one field, and what hpd makes of that field."""
