"""The class of a check, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["ok", "note", "broken"]
"""``note``: it works, but not as well as it could."""


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check."""

    name: str
    state: State
    text: str
    """The state of things, for people."""
    remedy: str = ""
    """The steps that mend or improve it; empty: none are needed."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs."""

    def to_dict(self) -> dict[str, Any]:
        """The object in the output of ``hpd doctor --json``."""
        result: dict[str, Any] = {"name": self.name, "state": self.state, "text": self.text}
        if self.remedy:
            result["remedy"] = self.remedy
        return {**result, **({"details": dict(self.details)} if self.details else {})}
