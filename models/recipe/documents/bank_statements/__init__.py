"""Statements of bank accounts and cards, and single notices of transactions."""
