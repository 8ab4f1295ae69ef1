"""Requests of tokens through the engine, for tests that compare it with the reference."""

import functools
import random

import llama_cpp

from hpd import _native
from hpd._core import testing
from hpd.models.hardware import devices
from hpd.prompt.questions import stack_prefixes
from hpd.prompt.text import Labels
from hpd.schema.attributes import Attribute, Schema
from reference import Reference

ON_DEVICE = bool(devices())
"""Whether the model is on a GPU, be it one of software, while the reference is not."""

F32_TIE = 1e-2 if ON_DEVICE else 1e-5
"""Sums are made in another order for another batch size: below this margin, in nats, either token
is right. A GPU makes them in yet another one, and needs more."""

DEVICE_TIE = F32_TIE if ON_DEVICE else 0.0
"""For values that are known to have no near tie on a processor."""

QUANTISED_TIE = 0.5 if ON_DEVICE else 0.25
"""The same with quantised weights: the processor rounds activations to eight bits, so where sums
differ in their last bit, one of these may be another; a device rounds otherwise, or not at all."""

LOGPROB_ERROR = max(1e-3, F32_TIE)
"""The log-probabilities of a token may differ by so much between two batches, as sums do."""

WORDS = [
    "Nike",
    "Men's",
    "Running",
    "Shoe",
    "Black",
    "10 M US",
    "Café",
    "500 ml",
    "日本",
    "12-Pack",
]
KEYS = ['{"Brand":', '{"Color":', '{"Size":', '{"Pack size":', '{"maker": {"city":', '{"n":']
N_KEYS = len(KEYS)


def open_model(path):
    """A model with the default options."""
    return _native.Model([str(path)])


def engine_options(**settings):
    """Options for tiny models: one thread, plain attention, a small context."""
    options = _native.EngineOptions()
    options.n_threads = 1
    options.n_ctx = 2048
    options.flash_attn = "off"
    options.drafts = True
    options.cache_type_k = options.cache_type_v = "f32"
    for name, value in settings.items():
        setattr(options, name, value)
    return options


@functools.cache
def expectation(path, n, layout, n_stacked, max_tokens, most_keys=N_KEYS):
    """Requests and what the reference says to them; the same for many settings of the engine."""
    with Reference(path, n_ctx=2048, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(
            reference, n, layout=layout, n_stacked=n_stacked, most_keys=most_keys
        )
        expected = [
            [reference.value(prompt, key, max_tokens) for key in keys]
            for (prompt, keys), _ in requests
        ]
    return requests, expected


def make_requests(reference, n, *, layout="branch", n_stacked=1, most_keys=N_KEYS, seed=0):
    """Requests and the number of leading tokens that all of them share."""
    rng = random.Random(seed)
    instruction = "<|im_start|>system\nFill in: Brand, Color, Size.<|im_end|>\n"
    requests = []
    for _ in range(n):
        documents = [" ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for _ in range(n_stacked)]
        prompt = (
            f"{instruction}<|im_start|>user\nDocument: {' | '.join(documents)}<|im_end|>\n"
            "<|im_start|>assistant\n"
        )
        keys = [
            f'{{"{j}": ' + key if n_stacked > 1 else key
            for j in range(1, n_stacked + 1)
            for key in KEYS[: rng.randint(2, most_keys)]
        ]
        if layout == "label":
            labels = Labels(Schema(tuple(Attribute(f"attribute {n}") for n in range(len(KEYS)))))
            places = stack_prefixes(n_stacked)
            keys = [
                labels.key(places[j], (f"attribute {n}",))
                for j in range(n_stacked)
                for n in range(rng.randint(2, most_keys))
            ]
        if layout == "skeleton":
            keys = [", ".join(keys[: i + 1]) for i in range(len(keys))]
        tokens = [reference.tokenize(key) for key in keys]
        requests.append(
            ((reference.tokenize(prompt), tokens), len(reference.tokenize(instruction)))
        )
    return requests


def run(engine, requests, *, max_tokens=16, order=None):
    """The requests' results, in their own order, whatever order they were submitted in."""
    testing.check_every_step(engine, True)
    # Guesses are made however fast this machine is.
    testing.fix_least_probability(engine, 0.1)
    waiting = list(order if order is not None else range(len(requests)))
    results = {}
    while waiting or not engine.idle:
        while waiting and engine.wants_request:
            i = waiting.pop(0)
            (prompt, keys), n_instruction = requests[i]
            fields = [_native.Field(list(key), max_tokens=max_tokens) for key in keys]
            engine.submit(i, list(prompt), fields, n_instruction=n_instruction)
        for result in engine.step():
            results[result.id] = result
    assert sorted(results) == list(range(len(requests)))
    return [results[i] for i in range(len(requests))]


def disagreements(results, expected, tolerance=DEVICE_TIE):
    """The places where tokens differ although the reference's margin exceeds the tolerance."""
    found = []
    for r, (result, values) in enumerate(zip(results, expected, strict=True)):
        if result.error:
            found.append(f"request {r}: {result.error}")
            continue
        for f, (got, want) in enumerate(zip(result.values, values, strict=True)):
            tokens = list(got.tokens)
            if got.finish == "end_of_generation":
                tokens = tokens[:-1]
            # The engine gives up on text that cannot become JSON; the reference talks on.
            wanted = want.tokens[: len(tokens)] if got.finish == "invalid" else want.tokens
            if tokens == wanted:
                continue
            at = next(
                (i for i, (a, b) in enumerate(zip(tokens, wanted, strict=False)) if a != b),
                min(len(tokens), len(wanted)),
            )
            margin = want.margins[at] if at < len(want.margins) else want.stop_margin
            if margin is None or margin > tolerance:
                found.append(
                    f"request {r} field {f}: {tokens} ({got.finish}), not {wanted} ({want.stop}), "
                    f"margin {margin} at token {at}"
                )
    return found
