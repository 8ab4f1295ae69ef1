"""Adaptive n-grams (ANPD; Ou et al., 2024): drafts from the text itself, checked by the model.

What followed the last tokens when they stood in the prompt or in the answer before is drafted to
follow them again. Long contexts are looked up before short ones (the levels), and every token that
is decoded is counted, so that the drafts adapt. The model reads the draft in one pass and keeps
what it would have said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from benchmarks.neighbours.passes import Passes, Way, n_right

_N_CONTEXT = 4
"""Tokens of the longest context."""
_N_DRAFT = 6


class NGrams:
    """Counts of what followed each context of a growing text."""

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._followed: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)

    def add(self, tokens: Sequence[int]) -> None:
        """Tokens that the text goes on with."""
        for token in tokens:
            for n in range(1, min(_N_CONTEXT, len(self._tokens)) + 1):
                self._followed[tuple(self._tokens[-n:])][token] += 1
            self._tokens.append(token)

    def draft(self, n_most: int) -> list[int]:
        """How the text may go on: fewer tokens where nothing like it has been seen."""
        tokens = self._tokens[-_N_CONTEXT:]
        drafted: list[int] = []
        while len(drafted) < n_most:
            contexts = (tuple(tokens[-n:]) for n in range(_N_CONTEXT, 0, -1))
            seen = next((self._followed[c] for c in contexts if c in self._followed), None)
            if seen is None:
                break
            drafted.append(seen.most_common(1)[0][0])
            tokens.append(drafted[-1])
        return drafted


def anpd(passes: Passes, prompt: Sequence[int]) -> list[int]:
    """Drafts from the prompt and the answer so far."""
    answer = [passes.begin(prompt)]
    ngrams = NGrams()
    ngrams.add([*prompt, *answer])
    while not passes.is_over(answer):
        guess = ngrams.draft(_N_DRAFT)
        said = passes.read(answer, guess)
        longer = passes.extended(answer, said[: n_right(guess, said) + 1])
        ngrams.add(longer[len(answer) :])
        answer = longer
    return answer


WAYS: dict[str, Way] = {"adaptive n-grams (ANPD)": anpd}
