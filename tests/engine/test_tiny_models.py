"""The tiny models talk, and the reference that judges the engine can be relied on."""

import llama_cpp
import pytest

import tiny_models
from reference import Reference, is_complete

DOCUMENTS = (
    "Nike Men's Leather Shoe, Black, Size 10",
    "Bosch Coffee Maker 12 Cup Steel 900 Watt",
    "Canon Camera with Battery 20 pack",
    "Rubber Boots 日本 €5 green",
)
KEYS = ("Brand", "Color", "Size", "Material", "Type", "Model", "Capacity", "Weight")
MAX_TOKENS = 24


def prompt_tokens(reference, document):
    instruction = "<|im_start|>system\nFill in: Brand, Color, Size, Material.<|im_end|>\n"
    question = f"<|im_start|>user\nDocument:\n{document}<|im_end|>\n<|im_start|>assistant\n"
    return reference.tokenize(instruction + question, add_special=True)


def talk(reference, documents=DOCUMENTS):
    return [
        reference.value(
            prompt_tokens(reference, document), reference.tokenize(f'{{"{key}":'), MAX_TOKENS
        )
        for document in documents
        for key in KEYS
    ]


@pytest.fixture(scope="module", params=tiny_models.KINDS)
def reference(request, tiny_model):
    with Reference(tiny_model(request.param), n_ctx=512) as opened:
        yield opened


@pytest.fixture(scope="module")
def values(reference):
    return talk(reference)


# --- the models -----------------------------------------------------------------------------------


def test_some_values_are_null_and_most_are_not(values):
    n_null = sum(value.text == " null" for value in values)
    assert 0.05 < n_null / len(values) < 0.7


def test_values_hang_on_document_and_key(values):
    said = [value.raw for value in values if value.text != " null"]
    assert len(set(said)) > 0.7 * len(said)


def test_most_values_end_and_take_several_tokens(values):
    assert sum(value.stop == "complete" for value in values) > 0.6 * len(values)
    lengths = [
        len(value.tokens) for value in values if value.stop == "complete" and value.text != " null"
    ]
    assert 3 < sum(lengths) / len(lengths) < 16
    assert len(set(lengths)) > 3


def test_margins_are_far_above_rounding(values):
    margins = sorted(margin for value in values for margin in value.margins)
    assert margins[len(margins) // 10] > 0.03
    assert all(logprob <= 0 for value in values for logprob in value.logprobs)
    assert all(len(value.margins) == len(value.tokens) for value in values)


def test_what_left_the_sliding_window_still_counts_in_one_layer(tiny_model):
    with Reference(tiny_model("gemma3"), n_ctx=512) as reference:
        key = reference.tokenize('{"Brand":')
        padding = reference.tokenize(" and the" * tiny_models.SLIDING_WINDOW)
        said = [
            reference.value([*reference.tokenize(word), *padding], key, MAX_TOKENS).raw
            for word in (" Nike", " Bosch", " Canon", " Sony", " Adidas", " Samsung")
        ]
    assert len(set(said)) > 1


def test_keys_of_the_skeleton_do_not_tokenize_alone_as_together(tiny_model):
    with Reference(tiny_model("qwen3"), n_ctx=256) as reference:
        alone = reference.tokenize('{"Brand":')
        together = reference.tokenize('{"Brand":, "Color":')
    assert together[: len(alone)] != alone


def test_sentencepiece_joins_the_newline_of_the_template_to_the_key(tiny_model):
    with Reference(tiny_model("gemma3"), n_ctx=256) as reference:
        prompt = reference.tokenize("<|im_start|>assistant\n")
        together = reference.tokenize('<|im_start|>assistant\n{"Brand":')
    assert together[: len(prompt)] != prompt


# --- the reference --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["qwen3", "llama", "gemma3", "mamba"])
def test_reference_agrees_with_llama_cpp_pythons_own_class(tiny_model, kind):
    # F32 weights go through none of the kernels that crash on CPUs with AMX.
    path = tiny_model(kind)
    with Reference(path, n_ctx=512) as reference:
        tokens = prompt_tokens(reference, DOCUMENTS[0]) + reference.tokenize('{"Brand":')
        value = reference.value(tokens, [], 8)
    llama = llama_cpp.Llama(
        str(path), n_ctx=512, n_batch=512, n_threads=1, n_threads_batch=1, verbose=False
    )
    try:
        generated = llama.generate(tokens, temp=0.0, repeat_penalty=1.0)
        assert [next(generated) for _ in value.tokens] == value.tokens
        generated.close()
    finally:
        llama.close()


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", False),
        (" ", False),
        (" nul", False),
        (" null", True),
        ("null, ", True),
        (" true", True),
        (" 12", False),
        (" 12,", True),
        (" 12.", False),
        (" 1.5}", True),
        (" -", False),
        (" 1e", False),
        (" 1e5\n", True),
        (' "', False),
        (' "a', False),
        (' ""', True),
        (' "a",', True),
        (' "a\\"', False),
        (' "a\\\\"', True),
        (' "\\x"', True),
        (' "a\nb"', True),
        (' {"a": 1', False),
        (' {"a": [1, "}"]}', True),
        (" [1, 2", False),
        (" [1, 2]", True),
        (" NaN,", False),
        (" Infinity,", False),
        (" word", False),
    ],
)
def test_is_complete(text, complete):
    assert is_complete(text.encode()) is complete
