"""A value as the engine decoded it, in a form that can be kept."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

_TEXT_ERRORS = "surrogateescape"  # a value that was cut off may end within a character


class Raw(Protocol):
    """The engine's report of a value."""

    @property
    def text(self) -> bytes:
        """The bytes that the model wrote."""

    @property
    def finish(self) -> str:
        """The reason why it ended."""

    @property
    def tokens(self) -> list[int]:
        """Its tokens."""

    @property
    def logprobs(self) -> list[float]:
        """The logarithm of each token's probability."""

    @property
    def log_shares(self) -> list[float]:
        """The same among the tokens that were allowed."""

    @property
    def margins(self) -> list[float]:
        """The distance of each token's logit above the runner-up's."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value that was decoded before; its attributes are those of ``_native.Value``."""

    text: bytes
    finish: str
    tokens: array[int]
    logprobs: array[float]
    log_shares: array[float]
    margins: array[float]

    @property
    def margin(self) -> float:
        """The smallest of the margins."""
        return min(self.margins, default=math.inf)

    @classmethod
    def of(cls, value: Raw) -> Decoded:
        """A copy of what the engine says."""
        return cls(
            value.text,
            value.finish,
            array("i", value.tokens),
            array("f", value.logprobs),
            array("f", value.log_shares),
            array("f", value.margins),
        )

    def to_json(self) -> dict[str, Any]:
        """The object that is kept in a file; its floats come back bit for bit."""
        return {
            "text": self.text.decode("utf-8", _TEXT_ERRORS),
            "finish": self.finish,
            "tokens": list(self.tokens),
            "logprobs": list(self.logprobs),
            "log_shares": list(self.log_shares),
            "margins": list(self.margins),
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Decoded:
        """The value of such an object.

        Raises:
            AttributeError, KeyError, OverflowError, TypeError, ValueError: it is none.
        """
        return cls(
            kept["text"].encode("utf-8", _TEXT_ERRORS),
            str(kept["finish"]),
            array("i", kept["tokens"]),
            array("f", kept["logprobs"]),
            array("f", kept["log_shares"]),
            array("f", kept["margins"]),
        )
