"""The model that tests ask if they name none, whichever is in the box."""

from pathlib import Path


def small_model():
    """A model of 6.5 million parameters, of which tests know the answers."""
    return Path(__file__).parents[1] / "models" / "small.gguf"
