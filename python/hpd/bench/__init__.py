"""What extraction costs: methods timed side by side on the same documents, their answers checked.

``workload`` says what is asked and what must come out, ``methods`` how, ``jobs`` puts known answers
in the model's mouth, ``measure`` runs and counts, ``summary`` and ``environment`` tell of it.
"""
