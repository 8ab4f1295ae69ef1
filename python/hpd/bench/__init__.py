"""Benchmarks: methods of extraction timed side by side on the same documents, answers checked.

``workload`` has the documents and their known answers, ``methods`` the settings to compare,
``measure`` runs and counts, ``rounds`` takes turns, ``summary`` and ``environment`` report.
"""
