"""Jacobi and hybrid decoding (Santilli et al., 2023): guess a block, update all of it in one pass.

Greedy decoding solves for token i, given those before it. Jacobi's method starts all of a block
from a guess and replaces every token by what the model says behind the guesses before it, until
nothing changes: that is the greedy answer, as its first i tokens are right after i passes at the
latest. With one block for all of an answer this is Jacobi decoding. The hybrid takes block after
block, each behind the final tokens of those before, and stops where the answer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.neighbours.passes import Passes, Way, n_right

_N_JACOBI = 16
"""As many as a long value has, which then is one block."""
_N_HYBRID = 4


def jacobi(passes: Passes, prompt: Sequence[int], n_block: int) -> list[int]:
    """Blocks of ``n_block`` tokens; those that cannot change any more are not read again."""
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


WAYS: dict[str, Way] = {
    f"Jacobi, blocks of {_N_JACOBI}": partial(jacobi, n_block=_N_JACOBI),
    f"hybrid, blocks of {_N_HYBRID}": partial(jacobi, n_block=_N_HYBRID),
}
