"""Receipts of shops, restaurants, taxis, filling stations and online sellers."""
