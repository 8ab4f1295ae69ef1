"""A model that is read pass after pass, and ways to decode with it.

A way gets the tokens of a prompt and returns those of one value. It may guess: a pass over guesses
tells for each what the model itself would have said there, so guesses that it said are as good as
decoded, and the first one that it did not say is replaced by what it did.

- Jacobi and hybrid decoding (Santilli et al., 2023): guess a block, update all of it in one pass.
- Adaptive n-grams (ANPD; Ou et al., 2024): drafts from the text itself, checked by the model.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import llama_cpp
import numpy as np

from hpd.models.hardware import use_amx

N_LONGEST = 192
"""Tokens of an answer."""
_N_JACOBI = 16
"""As many as a long value has, which then is one block."""
_N_HYBRID = 4
_N_CONTEXT = 4
"""Tokens of the longest context of the n-grams."""
_N_DRAFT = 6


class Passes:
    """One context, which is given tokens behind those that it holds.

    Args:
        model: path of a GGUF file.
        n_ctx: tokens of a prompt with its answer, and with guesses behind that.
        n_threads: of all passes.
    """

    def __init__(self, model: Path, n_ctx: int = 1024, n_threads: int = 1) -> None:
        use_amx()  # or not, where it crashes
        self._llama = llama_cpp.Llama(
            str(model), n_ctx=n_ctx, n_batch=n_ctx, n_threads=n_threads, n_threads_batch=n_threads,
            logits_all=True, verbose=False,
        )  # fmt: skip
        self._n_prompt = 0
        self._n_before = 0
        self.n_passes = 0
        self.margins: dict[int, float] = {}
        """How far the two best tokens were apart, in logits, by their place in the answer."""
        self.final: list[int] = []
        """After how many passes each token of the answer was final."""

    def begin(self, prompt: Sequence[int]) -> int:
        """The first token of the answer; what the last prompt began with is not read again."""
        held = self._llama.input_ids[: self._llama.n_tokens].tolist()
        most = min(len(held), len(prompt) - 1)
        n_same = next((i for i in range(most) if held[i] != prompt[i]), most)
        self._n_prompt, self.margins = len(prompt), {}
        first = self._read(prompt[n_same:], n_same)[-1]
        self.final, self._n_before = [1], self.n_passes - 1
        return first

    def read(self, answer: Sequence[int], guess: Sequence[int] = ()) -> list[int]:
        """What comes behind the answer's last token, and behind each token of a guess after it."""
        return self._read([answer[-1], *guess], self._n_prompt + len(answer) - 1)

    def _read(self, tokens: Sequence[int], start: int) -> list[int]:
        self.n_passes += 1
        self._llama.n_tokens = start
        self._llama.eval(tokens)
        rows = self._llama.scores[start : start + len(tokens)]
        best = np.partition(rows, -2)[:, -2:]
        indexes = range(start + 1 - self._n_prompt, start + 1 - self._n_prompt + len(tokens))
        self.margins |= zip(indexes, (best[:, 1] - best[:, 0]).tolist(), strict=True)
        return [int(token) for token in rows.argmax(-1)]

    def text(self, tokens: Sequence[int]) -> str:
        """The text of an answer."""
        return self._llama.detokenize(list(tokens)).decode("utf-8", "replace")

    def is_over(self, answer: Sequence[int]) -> bool:
        """Whether an answer is a finished JSON value, or may not go on."""
        ends = answer[-1] == self._llama.token_eos() or len(answer) >= N_LONGEST
        return ends or _is_value(self.text(answer).lstrip())

    def extended(self, answer: Sequence[int], more: Sequence[int]) -> list[int]:
        """An answer with more tokens, up to the one with which it is over."""
        longer = list(answer)
        for token in more:
            if self.is_over(longer):
                break
            longer.append(token)
            self.final.append(self.n_passes - self._n_before)
        return longer

    def close(self) -> None:
        """Give the model's memory back."""
        self._llama.close()


Way = Callable[[Passes, Sequence[int]], list[int]]
"""Gives the tokens of the answer to a prompt."""


def one_by_one(passes: Passes, prompt: Sequence[int]) -> list[int]:
    """Autoregressive decoding, which is Gauss-Seidel's method: each token sees the final ones."""
    answer = [passes.begin(prompt)]
    while not passes.is_over(answer):
        answer = passes.extended(answer, passes.read(answer))
    return answer


def n_right(guess: Sequence[int], said: Sequence[int]) -> int:
    """How many tokens of a guess the model said itself, up to the first that it did not."""
    pairs = zip(guess, said, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), len(guess))


def _is_value(text: str) -> bool:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return False
    # Another digit may follow, unless something else has.
    return end < len(text) or not isinstance(value, int | float) or isinstance(value, bool)


def jacobi(passes: Passes, prompt: Sequence[int], n_block: int) -> list[int]:
    """Blocks of ``n_block`` tokens; those that cannot change any more are not read again.

    Jacobi's method starts all of a block from a guess and replaces every token by what the model
    says behind the guesses before it, until nothing changes. That is the greedy answer, as its
    first i tokens are right after i passes at the latest. The hybrid takes short blocks, each
    behind the final tokens of those before, and stops where the answer does.
    """
    answer = [passes.begin(prompt)]
    while not passes.is_over(answer):
        # Nothing is known of the block; its last known token is as good a guess as any.
        guess = [answer[-1]] * n_block
        while guess and not passes.is_over(answer):
            said = passes.read(answer, guess[:-1])
            n_final = min(n_right(guess, said) + 1, len(said))
            answer = passes.extended(answer, said[:n_final])
            guess = said[n_final:]
    return answer


class NGrams:
    """Counts of what followed each context of a growing text; long contexts come first."""

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
    """What followed the last tokens earlier is drafted to follow them again."""
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
