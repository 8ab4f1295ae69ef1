"""Decodes a little with AMX and repacked weights: ``python -m hpd.hardware_probe MODEL.gguf``.

Run by ``hpd.hardware`` in a process of its own, which may die of it. Exit code 0: it works.
"""

from __future__ import annotations

import sys

from hpd import _native

N_TOKENS = (1, 40)
"""Batches of one token and of many go through different kernels."""


def main(path: str) -> int:
    """Decode batches of both kinds; 1 if the values are not what plain kernels give."""
    texts = []
    for extra in (False, True):
        options = _native.ModelOptions()
        options.use_extra_bufts = extra
        model = _native.Model([path], options)
        settings = _native.EngineOptions()
        settings.n_ctx = 256
        for n in N_TOKENS:
            engine = _native.Engine(model, settings)
            prompt = (model.tokenize("a small blue cup ") * N_TOKENS[-1])[:n]
            engine.submit(0, prompt, 0, [_native.Field([], max_tokens=2)])
            while not engine.idle:
                texts += [value.tokens for result in engine.step() for value in result.values]
    return 0 if len(texts) == 2 * len(N_TOKENS) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
