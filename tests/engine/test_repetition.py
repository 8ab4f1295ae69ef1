"""Values that go round are cut after one turn, unless the document or the grammar does, too."""

import llama_cpp
from hypothesis import given
from hypothesis import strategies as st

from decoding import engine_options, make_requests, open_model
from hpd import _native
from hpd._core import testing
from reference import Reference
from small_model import small_model

N_TOKENS = 90
TURNS = 'root ::= " \\"" ("x" "y"){%s} "\\""'

words = st.lists(st.integers(0, 2), max_size=30)


@given(words, words, st.integers(0, 40), st.integers(0, 30), st.integers(1, 40))
def test_the_end_that_goes_round(start, turn, n, first, longest):
    tokens = (start + turn * n)[:120]
    tail = tokens[first:]
    found = [
        (n_tokens, -period)
        for period in range(1, longest + 1)
        for n_tokens in range(max(24, min(4 * period, 2 * period + 32)), len(tail) + 1)
        if tail[-n_tokens:][period:] == tail[-n_tokens:][:-period]
    ]
    n_tokens, period = max(found, default=(0, 0))
    assert testing.repetition_of(tokens, first, longest) == (-period, n_tokens)


def test_a_value_that_goes_round_is_cut_after_one_turn(tiny_model):
    path = tiny_model("llama")
    with Reference(path, n_ctx=2048, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(reference, 12)
        expected = {
            (i, j): reference.value(prompt, key, N_TOKENS).tokens
            for i, ((prompt, keys), _) in enumerate(requests)
            for j, key in enumerate(keys)
        }
    for drafts in (False, True):
        engine = _native.Engine(open_model(path), engine_options(drafts=drafts))
        for i, ((prompt, keys), n_instruction) in enumerate(requests):
            fields = [_native.Field(list(key), max_tokens=N_TOKENS) for key in keys]
            engine.submit(i, prompt, fields, n_instruction=n_instruction)
        n_repeated = 0
        while not engine.idle:
            for result in engine.step():
                for j, value in enumerate(result.values):
                    whole = expected[result.id, j]
                    if value.finish == "repeated":
                        n_repeated += 1
                        assert value.tokens == whole[: len(value.tokens)]
                        assert len(whole) >= len(value.tokens) + 18  # three more turns
                    else:
                        assert value.tokens[: len(whole)] == whole  # less the end of the turn
        assert n_repeated


def value_of(model, document, grammar, max_tokens=N_TOKENS):
    engine = _native.Engine(model, engine_options(drafts=False))
    field = _native.Field(model.tokenize('{"a":'), max_tokens=max_tokens, grammar=grammar)
    engine.submit(0, model.tokenize(document), [field], n_instruction=0)
    while True:
        for result in engine.step():
            return result.values[0]


def test_what_the_grammar_or_the_document_asks_is_no_repetition(tiny_model):
    model = open_model(tiny_model("qwen3"))
    free = value_of(model, "A shoe", TURNS % "20,21")
    assert (free.finish, free.text) == ("repeated", b' "xy')
    asked = value_of(model, "A shoe", TURNS % "20")
    assert (asked.finish, asked.text) == ("complete", b' "' + b"xy" * 20 + b'"')
    stated = value_of(model, "A " + "xy" * 21, TURNS % "20,21")
    assert stated.finish == "complete"
    assert stated.text.startswith(b' "' + b"xy" * 20)


def test_a_grammar_that_allows_no_end_for_long_does_not_keep_a_value_going_round(tiny_model):
    model = open_model(tiny_model("qwen3"))
    endless = value_of(model, "A shoe", TURNS % "44")
    assert (endless.finish, endless.text) == ("repeated", b' "xy')
    stated = value_of(model, "A " + "xy" * 45, TURNS % "30")
    assert stated.finish == "complete"


def test_rows_are_not_in_the_document_because_their_digits_are():
    model = open_model(small_model())
    rows = 'root ::= " [" (row ", "){15} row "]"\nrow ::= "{\\"a\\": \\"ox\\", \\"n\\": 1}"'
    row = b'{"a": "ox", "n": 1}'
    invented = value_of(model, "ox 1\n" + "oxen 11 and 111\n" * 4, rows, 400)
    assert invented.finish == "repeated"
    assert invented.text.count(row) in (1, 2)  # The first tokens may differ from the next ones.
    stated = value_of(model, "Ox 1\n" * 16, rows, 400)
    assert (stated.finish, stated.text.count(row)) == ("complete", 16)
