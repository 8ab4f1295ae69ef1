"""The probabilities of all choices of a field.

For each token of a decoded value, the engine returns the shares of all tokens that were possible in
its place. A choice that differs from the value at that token is settled by the share of its own
token. A beginning that several choices have in common stays open until the model has continued it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MAX_OPEN_SHARE = 5e-5
"""Maximum total probability that may stay open: too little to show in four digits."""

MAX_BEGINNINGS = 100
"""Maximum number of beginnings to continue for one field; only many choices need more."""

_DELIMITERS = b",}] \t\r\n"

Tokens = tuple[int, ...]


class Choices:
    """The choices of a field, and the tokens with which each can begin.

    Args:
        values: the choices; None stands for null.
        texts: the JSON text of each.
        spellings: the tokens of each, in all ways to write it; empty if a grammar constrains the
            field instead.
        piece: returns the text of a token.
        ends_generation: returns whether a token ends the answer.
    """

    def __init__(
        self,
        values: Sequence[str | float | bool | None],
        texts: Sequence[str],
        spellings: Sequence[Sequence[Tokens]],
        piece: Callable[[int], bytes],
        ends_generation: Callable[[int], bool],
    ) -> None:
        self.values = values
        self._texts = [text.encode() for text in texts]
        self._piece = piece
        self._ends_generation = ends_generation
        beginnings: dict[Tokens, dict[int, None]] = {}
        for number, each in enumerate(spellings):
            for tokens in each:
                for n in range(1, len(tokens) + 1):
                    beginnings.setdefault(tokens[:n], {})[number] = None
        self._beginnings = {tokens: tuple(numbers) for tokens, numbers in beginnings.items()}

    def beginning_with(self, tokens: Tokens) -> Sequence[int]:
        """Return the indices of the choices that may begin with these tokens."""
        if not tokens:
            return range(len(self.values))
        if tokens in self._beginnings:
            return self._beginnings[tokens]
        text = b"".join(map(self._piece, tokens)).lstrip(b" ")
        if self._beginnings:  # The last token may also hold text after the value.
            return [n for n, own in enumerate(self._texts) if text.startswith(own)]
        has_ended = self._ends_generation(tokens[-1])
        for number, own in enumerate(self._texts):
            after = text[len(own) : len(own) + 1]
            if text.startswith(own) and (after in _DELIMITERS if after else has_ended):
                return [number]
        return [n for n, own in enumerate(self._texts) if own.startswith(text)]


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Tokens with which several choices begin."""

    probability: float
    numbers: Sequence[int]


class ChoiceProbabilities:
    """Finds the probabilities of a field's choices from values that are decoded for it.

    First ``add`` the field's value. Then ``add`` a value that continues each beginning that is
    ``due``, until there are none.

    Args:
        choices: the choices of the field.
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._settled = [0.0] * len(choices.values)
        self._open: dict[Tokens, _Beginning] = {(): _Beginning(1.0, choices.beginning_with(()))}
        self._continued: set[Tokens] = {()}

    def add(self, tokens: Sequence[int], branches: Sequence[Sequence[tuple[int, float]]]) -> None:
        """Add the shares at each token of a value.

        Args:
            tokens: the tokens of the value.
            branches: for each token, all that were possible in its place, with their log shares.
        """
        path = tuple(tokens)
        for n, shares in enumerate(branches):
            beginning = self._open.pop(path[:n], None)
            if beginning is None:
                continue
            for token, log_share in shares:
                longer = (*path[:n], token)
                probability = beginning.probability * math.exp(log_share)
                numbers = self._choices.beginning_with(longer)
                if len(numbers) == 1:
                    self._settled[numbers[0]] += probability
                else:
                    self._open[longer] = _Beginning(probability, numbers)

    def due(self) -> list[Tokens]:
        """Return the beginnings to continue next, the most probable first."""
        due = [tokens for tokens in self._probable_beginnings() if tokens not in self._continued]
        due = due[: MAX_BEGINNINGS - len(self._continued) + 1]
        self._continued.update(due)
        return due

    def known(self) -> list[tuple[int, float]]:
        """Return the index and probability of each choice whose probability is known.

        The most probable comes first. Each probability is at most ``MAX_OPEN_SHARE`` too low.
        """
        unknown = {n for tokens in self._probable_beginnings() for n in self._open[tokens].numbers}
        known = [(n, p) for n, p in enumerate(self._settled) if n not in unknown]
        return sorted(known, key=lambda pair: -pair[1])

    def _probable_beginnings(self) -> list[Tokens]:
        """Return the open beginnings but for the least probable, which together are negligible."""
        ordered = sorted(self._open, key=lambda tokens: self._open[tokens].probability)
        total = 0.0
        for n, tokens in enumerate(ordered):
            total += self._open[tokens].probability
            if total >= MAX_OPEN_SHARE:
                return ordered[n:][::-1]
        return []
