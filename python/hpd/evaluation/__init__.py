"""Evaluation: scores of predictions against gold values."""
