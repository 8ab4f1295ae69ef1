"""A form: a short document of lines in any order, and what may be asked about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hpd.schema.attributes import Attribute


@dataclass
class Form:
    """A document, the attributes that may be asked for, and their answers."""

    text: str
    attributes: tuple[Attribute, ...]
    answer: dict[int, Any]
    """The answer to each attribute, by its number."""
