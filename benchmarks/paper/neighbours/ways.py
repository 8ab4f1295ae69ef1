"""Ways to decode a value with a model, pass by pass.

A way gets the tokens of a prompt and returns those of one value. It may guess tokens: a pass over
guesses gives the model's own token at each position, so guesses that match are as good as decoded,
and the first that does not is replaced by the model's token.

- Jacobi and hybrid decoding (Santilli et al., 2023): guess a block, update all of it in one pass.
- Adaptive n-grams (ANPD; Ou et al., 2024): draft from the text so far, and verify with the model.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path

import llama_cpp
import numpy as np

from hpd.models.hardware import use_amx

_N_CTX = 1024
"""Maximum number of tokens in a prompt with its answer and guesses."""
N_LONGEST = 192
"""Maximum number of tokens in an answer."""
_N_JACOBI = 16
"""The length of a long value, so that nearly every value is one block."""
_N_HYBRID = 4
_N_CONTEXT = 4
"""Maximum number of tokens in an n-gram's context."""
_N_DRAFT = 6


class Passes:
    """A context of a model, given by the path of its file, that reads tokens pass by pass."""

    def __init__(self, model: Path, n_threads: int = 1) -> None:
        use_amx()  # unless it crashes on this machine
        sizes = {"n_ctx": _N_CTX, "n_batch": _N_CTX}
        sizes |= {"n_threads": n_threads, "n_threads_batch": n_threads}
        self._llama = llama_cpp.Llama(str(model), logits_all=True, verbose=False, **sizes)
        self._n_prompt = self._n_before = 0
        self.n_passes = 0
        self.margins: dict[int, float] = {}
        """The difference between the two best logits, by the token's index in the answer."""
        self.final: list[int] = []
        """The number of passes after which each token of the answer was final."""

    def begin(self, prompt: Sequence[int]) -> int:
        """Read what a prompt does not share with the last one; return the answer's first token."""
        held = self._llama.input_ids[: self._llama.n_tokens].tolist()
        n_same = n_right(prompt[:-1], held)
        self._n_prompt, self.margins = len(prompt), {}
        first = self._read(prompt[n_same:], n_same)[-1]
        self.final, self._n_before = [1], self.n_passes - 1
        return first

    def read(self, answer: Sequence[int], guess: Sequence[int] = ()) -> list[int]:
        """Return the next token after the answer, and after each token of a guess."""
        return self._read([answer[-1], *guess], self._n_prompt + len(answer) - 1)

    def _read(self, tokens: Sequence[int], start: int) -> list[int]:
        self.n_passes += 1
        self._llama.n_tokens = start
        self._llama.eval(tokens)
        rows = self._llama.scores[start : start + len(tokens)]
        second, first = np.partition(rows, -2)[:, -2:].T
        self.margins |= enumerate((first - second).tolist(), start + 1 - self._n_prompt)
        return [int(token) for token in rows.argmax(-1)]

    def text(self, tokens: Sequence[int]) -> str:
        """Return the text of an answer."""
        return self._llama.detokenize(list(tokens)).decode("utf-8", "replace")

    def is_over(self, answer: Sequence[int]) -> bool:
        """Return whether an answer is a complete JSON value, or at its maximum length."""
        ends = answer[-1] == self._llama.token_eos() or len(answer) >= N_LONGEST
        return ends or _is_value(self.text(answer).lstrip())

    def extended(self, answer: Sequence[int], more: Sequence[int]) -> list[int]:
        """Return an answer extended by tokens, up to the one that completes it."""
        longer = list(answer)
        for token in more:
            if self.is_over(longer):
                break
            longer.append(token)
            self.final.append(self.n_passes - self._n_before)
        return longer

    def close(self) -> None:
        """Free the model's memory."""
        self._llama.close()


Way = Callable[[Passes, Sequence[int]], list[int]]
"""Returns the tokens of the answer to a prompt."""


def one_by_one(passes: Passes, prompt: Sequence[int]) -> list[int]:
    """Decode autoregressively, which is the Gauss-Seidel method: each token sees final ones."""
    answer = [passes.begin(prompt)]
    while not passes.is_over(answer):
        answer = passes.extended(answer, passes.read(answer))
    return answer


def n_right(guess: Sequence[int], said: Sequence[int]) -> int:
    """Return the number of guessed tokens before the first that differs from the model's."""
    same = (a == b for a, b in zip(guess, said, strict=False))
    return sum(takewhile(bool, same))


def _is_value(text: str) -> bool:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return False
    # A number may continue, unless something else follows it.
    return end < len(text) or not isinstance(value, int | float) or isinstance(value, bool)


def jacobi(passes: Passes, prompt: Sequence[int], n_block: int) -> list[int]:
    """Decode blocks of ``n_block`` tokens; those that are final are not read again.

    Jacobi's method begins with a guess for a whole block and replaces every token by the model's
    token after the guesses before it, until nothing changes. This gives the greedy answer, as its
    first i tokens are right after at most i passes. The hybrid method uses short blocks, each after
    the final tokens of those before, and stops at the end of the answer.
    """
    answer = [passes.begin(prompt)]
    while not passes.is_over(answer):
        # Nothing is known about the block, so its guess is the last known token.
        guess = [answer[-1]] * n_block
        while guess and not passes.is_over(answer):
            said = passes.read(answer, guess[:-1])
            n_final = min(n_right(guess, said) + 1, len(said))
            answer = passes.extended(answer, said[:n_final])
            guess = said[n_final:]
    return answer


class NGrams:
    """Counts the tokens that followed each context in a growing text."""

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._followed: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)

    def add(self, tokens: Sequence[int]) -> None:
        """Append tokens to the text."""
        for token in tokens:
            for n in range(1, min(_N_CONTEXT, len(self._tokens)) + 1):
                self._followed[tuple(self._tokens[-n:])][token] += 1
            self._tokens.append(token)

    def draft(self, n_most: int) -> list[int]:
        """Return a likely continuation, preferring long contexts; shorter if none is known."""
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
    """Draft what followed the last tokens earlier in the text."""
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


AR = "one token a pass (AR)"
WAYS: dict[str, Way] = {
    AR: one_by_one,
    f"Jacobi, blocks of {_N_JACOBI}": partial(jacobi, n_block=_N_JACOBI),
    f"hybrid, blocks of {_N_HYBRID}": partial(jacobi, n_block=_N_HYBRID),
    "adaptive n-grams (ANPD)": anpd,
}
