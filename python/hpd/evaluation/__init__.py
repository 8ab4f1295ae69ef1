"""Evaluation: predictions, gold files, and the scores of one against the other."""
