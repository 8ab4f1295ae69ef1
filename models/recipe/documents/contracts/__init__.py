"""Contracts, and terms and conditions."""
