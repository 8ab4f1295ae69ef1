"""Facts that documents state: persons, dates, amounts and more, drawn at random in many locales."""

from recipe.facts.fact import Fact, Form, Record
from recipe.facts.world import World

__all__ = ["Fact", "Form", "Record", "World"]
