"""A model that is read pass after pass, and decoding one token a pass: what other ways are held to.

A way gets the tokens of a prompt and gives those of an answer: a whole object, or one value behind
its key. It may guess: a pass over guesses
tells for each what the model itself would have said there, so guesses that it said are as good as
decoded, and the first one that it did not say is replaced by what it did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import llama_cpp
import numpy as np

from hpd.models.hardware import use_amx

N_LONGEST = 192
"""Tokens of an answer."""


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
        places = range(start + 1 - self._n_prompt, start + 1 - self._n_prompt + len(tokens))
        self.margins |= zip(places, (best[:, 1] - best[:, 0]).tolist(), strict=True)
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
