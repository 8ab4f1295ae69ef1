"""A trial of AMX and repacked weights: ``python -m hpd.models.amx_probe MODEL.gguf``.

``hpd.models.hardware`` runs it in a process of its own, as it may crash. Exit code 0: it works.
"""

from __future__ import annotations

import sys

from hpd import _native

N_PROMPT = 40
N_VALUE = 4


def main(path: str) -> int:
    """Decode a batch of many tokens and some of one, which go through different kernels."""
    options = _native.ModelOptions()
    options.use_extra_bufts = True
    options.n_gpu_layers = 0  # a GPU would prove nothing
    model = _native.Model([path], options)
    settings = _native.EngineOptions()
    settings.n_ctx = 256
    engine = _native.Engine(model, settings)
    text = model.tokenize("a small blue cup " * N_PROMPT)
    # The answer is given, so that the value does not end before its time.
    answer = model.tokenize(' "' + "a small blue cup " * N_VALUE)[:N_VALUE]
    field = _native.Field([], max_tokens=N_VALUE, replay=answer)
    engine.submit(0, text[:N_PROMPT], [field], n_instruction=0)
    n_decoded = 0
    while not engine.idle:
        for result in engine.step():
            n_decoded += sum(len(value.tokens) for value in result.values)
    return 0 if n_decoded == N_VALUE else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
