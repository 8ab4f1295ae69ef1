"""Reproduces the figures, tables and claims of the paper."""
