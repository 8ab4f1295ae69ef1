"""The confidence of a closed field: the share of its value among all that may be written."""

import itertools
import math

import llama_cpp
import numpy as np
import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from decoding import engine_options, make_requests, open_model
from gbnf import to_regex
from hpd import _native
from hpd._core import testing
from hpd.schema.attributes import Attribute
from hpd.values.choices import ChoiceProbabilities, Choices
from hpd.values.grammar import choice_texts, value_grammar
from nightly import by_day
from reference import Reference, is_complete

ROWS = npst.arrays(
    np.float32, st.integers(2, 700), elements=st.floats(-60, 60, width=32, allow_subnormal=False)
)
CHOICES = ('"red"', '"red wine"', '"redder"', '"blue"', "true", "null")
SETTINGS = (
    {"drafts": False, "n_in_flight": 1},
    {"drafts": True, "n_in_flight": 1},
    {"drafts": True, "n_in_flight": 8},
    {"drafts": True, "n_batch": 24, "n_ubatch": 24},
)
N_REQUESTS = 6
NEGLIGIBLE = 2e-3
"""Of a share, for each token: the less likely tokens are not looked at."""


UNLIKELY = np.array([40.0, 0.0, *[-8.0] * 600], np.float32)
"""The first token hides what lies below the second in the rounding of the sum of all."""


@given(ROWS, st.integers(0, 10_000))
@example(UNLIKELY, 1)
@example(np.append(UNLIKELY, np.float32(39.25)), 1)
@example(np.append(UNLIKELY, np.float32(38.5)), 1)
def test_tokens_beside_one_are_all_but_a_negligible_rest(row, seed):
    token = seed % len(row)
    probability = np.exp(row.astype(np.float64) - row.max())
    assume(probability[token] > 1e-20)
    beside = testing.tokens_beside(list(row), token)
    assert token in beside
    rest = np.delete(probability, beside)
    assert rest.sum() <= 1.1e-3 * probability[token]
    assert rest.max(initial=0) <= probability[beside].min()


@given(ROWS, st.sets(st.integers(0, 10_000), min_size=1))
def test_the_probability_of_some_tokens_together(row, some):
    tokens = sorted({token % len(row) for token in some})
    probability = np.exp(row.astype(np.float64) - row.max())
    expected = probability[tokens].sum() / probability.sum()
    assume(expected > 1e-20)
    assert math.exp(testing.log_sum(list(row), tokens)) == pytest.approx(expected, rel=1e-4)


# --- choices --------------------------------------------------------------------------------------


def clear(reference):
    llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(reference.context), True)


def slow_shares(reference, tokens, value, is_allowed):
    """The share of a value's tokens, looking at the whole vocabulary for each.

    Args:
        reference: the model.
        tokens: the prompt and the key.
        value: what was decoded after them.
        is_allowed: whether a token may follow the tokens of a value and their text.
    """
    pieces = [reference.piece(t).decode("utf-8", "replace") for t in range(reference.n_vocab)]
    share = 1.0
    text = ""
    clear(reference)
    given = list(tokens)
    for n, token in enumerate(value.tokens):
        row = reference.logits_after(given).astype(np.float64)
        every = [t for t in range(reference.n_vocab) if pieces[t]]
        same = [token]
        if is_complete((text + pieces[token]).encode()):
            same = [t for t in every if ends_alike(text, pieces[t], pieces[token])]
        own = value.tokens[:n]
        allowed = {*same, *(t for t in every if is_allowed(own, text, t, pieces[t]))}
        weights = np.exp(row - row[list(allowed)].max())
        share *= weights[same].sum() / weights[list(allowed)].sum()
        text += pieces[token]
        given = [token]
    return float(share)


def ends_alike(text, one, other):
    """Whether two pieces complete the text to the same value."""
    if not is_complete((text + one).encode()):
        return False
    values = [regex.match(r' ?("(\\.|[^"\\])*"|[^,}\] \t\r\n]*)', text + p) for p in (one, other)]
    return values[0].group() == values[1].group()


def by_grammar(grammar):
    """What a grammar allows."""
    pattern = regex.compile(to_regex(grammar).pattern)
    return lambda _, text, token, piece: pattern.fullmatch(text + piece, partial=True)


def by_choices(reference, choices):
    """What a list of choices allows: their tokens, or an end of one within another token."""
    known = [(f" {choice}", reference.tokenize(f" {choice}")) for choice in choices]

    def is_allowed(own, text, token, piece):
        if any(tokens[: len(own) + 1] == [*own, token] for _, tokens in known):
            return True
        return text.count('"') == 1 and any(
            (text + piece).startswith(choice) and not (text + piece)[len(choice) :][:1].isalnum()
            for choice, tokens in known
            if tokens[: len(own)] == own and choice.endswith('"')
        )

    return is_allowed


def decode(path, field, settings):
    """The values of all keys of all requests, each with the same constraint."""
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(reference, N_REQUESTS)
    model = open_model(path)
    for name in {"choices", "counted_choices"} & field.keys():
        own = [model.tokenize(f" {choice}") for choice in field[name]]
        field = {**field, name: own}
    engine = _native.Engine(model, engine_options(**settings))
    testing.fix_least_probability(engine, 0.1)
    waiting = list(enumerate(requests))
    results = {}
    while waiting or not engine.idle:
        while waiting and engine.wants_request:
            i, ((prompt, keys), n_instruction) = waiting.pop(0)
            fields = [_native.Field(list(k), attribute=1, **field) for k in keys]
            engine.submit(i, list(prompt), fields, n_instruction=n_instruction)
        for result in engine.step():
            results[result.id] = list(result.values)
    return [results[i] for i in range(len(requests))]


@pytest.mark.parametrize("settings", by_day(2, SETTINGS), ids=str)
def test_the_confidence_of_a_choice_is_its_share_among_the_choices(tiny_model, settings):
    path = tiny_model("qwen3")
    values = decode(path, {"choices": CHOICES, "normalizes": True}, settings)
    seen = set()
    for value, expected in with_slow_shares(path, values, CHOICES):
        seen.add(value.text.decode().strip())
        assert len(value.log_shares) == len(value.logprobs) == len(value.tokens)
        assert math.exp(sum(value.log_shares)) == pytest.approx(expected, rel=1e-2)
        # The probabilities among all texts are as they were.
        assert sum(value.logprobs) < sum(value.log_shares)
    assert len(seen) > 1
    assert seen <= set(CHOICES)


def with_slow_shares(path, values, choices):
    """Each value with its share among some choices."""
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        is_allowed = by_choices(reference, choices)
        for ((prompt, keys), _), own in zip(
            make_requests(reference, N_REQUESTS), values, strict=True
        ):
            for key, value in zip(keys, own, strict=True):
                yield value, slow_shares(reference, [*prompt, *key], value, is_allowed)


def test_an_open_field_keeps_its_probabilities(tiny_model):
    path = tiny_model("qwen3")
    for value in itertools.chain(*decode(path, {"choices": CHOICES}, {})):
        assert value.log_shares == value.logprobs


@pytest.mark.parametrize("settings", by_day(2, SETTINGS), ids=str)
def test_choices_that_only_count_are_never_taken(tiny_model, settings):
    path = tiny_model("qwen3")
    free = decode(path, {"choices": CHOICES, "normalizes": True}, settings)
    without = [c for c in CHOICES if c != free[0][0].text.decode().strip()]
    field = {"choices": without, "counted_choices": CHOICES, "normalizes": True}
    values = decode(path, field, settings)
    n_others = 0
    for (value, expected), other in zip(
        with_slow_shares(path, values, CHOICES), itertools.chain.from_iterable(free), strict=True
    ):
        choice = value.text.decode().strip()
        assert choice in without
        assert math.exp(sum(value.log_shares)) == pytest.approx(expected, rel=1e-2)
        n_others += choice != other.text.decode().strip()
    assert n_others


# --- grammars -------------------------------------------------------------------------------------

CLOSED = {
    "count": Attribute("n", "integer"),
    "number": Attribute("n", "number"),
    "date": Attribute("n", "date"),
    "pattern": Attribute("n", pattern="^[A-D]{1,3}[0-9]?$"),
    "numbers": Attribute("n", "enum", choices=(1, 12, 120, 2.5)),
}


@pytest.mark.parametrize("name", CLOSED)
def test_the_confidence_of_a_constrained_value_is_its_share_of_what_its_grammar_allows(
    tiny_model, name
):
    path = tiny_model("qwen3")
    grammar = value_grammar(CLOSED[name]) or ""
    field = {"grammar": grammar, "normalizes": True, "max_tokens": 16}
    runs = [decode(path, field, settings) for settings in SETTINGS]
    n_raised = 0
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(reference, N_REQUESTS)
        for ((prompt, keys), _), *values in zip(requests, *runs, strict=True):
            for key, *same in zip(keys, *values, strict=True):
                expected = slow_shares(reference, [*prompt, *key], same[0], by_grammar(grammar))
                for value in same:
                    if value.tokens != same[0].tokens:
                        continue  # a near tie
                    share = math.exp(sum(value.log_shares))
                    tolerance = len(value.tokens) * NEGLIGIBLE
                    assert share == pytest.approx(expected, rel=tolerance), value
                    n_raised += share > 1.1 * math.exp(sum(value.logprobs))
    assert n_raised


def test_what_only_the_wider_grammar_allows_counts_and_is_never_taken(tiny_model):
    path = tiny_model("qwen3")
    numbers = Attribute("n", "enum", choices=(1, 12, 120, 2.5), forbids_null=True)
    narrow, wide = (value_grammar(each) or "" for each in (numbers, CLOSED["numbers"]))
    field = {"grammar": narrow, "counted_grammar": wide, "normalizes": True, "max_tokens": 16}
    free = decode(path, {**field, "grammar": wide}, SETTINGS[0])
    n_others = 0
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(reference, N_REQUESTS)
        values = decode(path, field, SETTINGS[0])
        for ((prompt, keys), _), own, others in zip(requests, values, free, strict=True):
            for key, value, other in zip(keys, own, others, strict=True):
                assert not value.text.decode().strip().startswith("null")
                expected = slow_shares(reference, [*prompt, *key], value, by_grammar(wide))
                share = math.exp(sum(value.log_shares))
                tolerance = len(value.tokens) * NEGLIGIBLE
                assert share == pytest.approx(expected, rel=tolerance), value
                n_others += value.text != other.text
    assert n_others


# --- all choices ----------------------------------------------------------------------------------


def slow_probabilities(reference, given, is_allowed, choice_of):
    """The probability of each choice: of all tokens with which it can be written, the product.

    Args:
        reference: the model.
        given: the prompt and the key.
        is_allowed: whether a token may follow the tokens of a value and their text.
        choice_of: the choice that a text holds; None if it may become several.
    """
    pieces = [reference.piece(t).decode("utf-8", "replace") for t in range(reference.n_vocab)]
    found = {}

    def visit(tokens, text, probability):
        clear(reference)
        row = reference.logits_after([*given, *tokens]).astype(np.float64)
        every = range(reference.n_vocab)
        allowed = [t for t in every if pieces[t] and is_allowed(tokens, text, t, pieces[t])]
        weights = np.exp(row[allowed] - row[allowed].max())
        for token, share in zip(allowed, weights / weights.sum(), strict=True):
            choice = choice_of(text + pieces[token])
            if choice is not None:
                found[choice] = found.get(choice, 0.0) + probability * share
            elif probability * share > 1e-5:
                visit([*tokens, token], text + pieces[token], probability * share)

    visit([], "", 1.0)
    return found


def fast_probabilities(path, field, choices_of):
    """What is known of the choices of each key of two requests, and how many values that took."""
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(reference, 2)
    model = open_model(path)
    engine = _native.Engine(model, engine_options())
    for number, ((prompt, keys), n_instruction) in enumerate(requests):
        for key in keys:
            own = ChoiceProbabilities(choices_of(model))
            due = [()]
            n_values = 0
            while due:
                fields = [
                    _native.Field(list(key), replay=list(t), records_branches=True, **field(model))
                    for t in due
                ]
                engine.submit(number, list(prompt), fields, n_instruction=n_instruction)
                results = []
                while not results:
                    results = engine.step()
                for value in results[0].values:
                    own.add(value.tokens, value.branches)
                n_values += len(due)
                due = own.due()
            yield [*prompt, *key], own.known(), n_values


def check_probabilities(path, field, choices_of, reference_of):
    """Hold all probabilities of choices against the slow ones."""
    n_open = 0
    found = list(fast_probabilities(path, field, choices_of))
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        for given, known, n_values in found:
            expected = slow_probabilities(reference, given, *reference_of(reference))
            assert sum(p for _, p in known) == pytest.approx(1, abs=1e-4)
            for number, probability in known:
                assert probability == pytest.approx(expected.get(number, 0.0), abs=2e-3)
            n_open += n_values - 1
    assert n_open, "no choices begin alike"


def test_the_probabilities_of_all_choices(tiny_model):
    def choices_of(model):
        ways = [[tuple(model.tokenize(f" {choice}"))] for choice in CHOICES]
        return Choices(CHOICES, CHOICES, ways, model.piece, model.ends_generation)

    def choice_of(text):
        return next((n for n, own in enumerate(CHOICES) if text.strip().startswith(own)), None)

    check_probabilities(
        tiny_model("qwen3"),
        lambda model: {"choices": [model.tokenize(f" {choice}") for choice in CHOICES]},
        choices_of,
        lambda reference: (by_choices(reference, CHOICES), choice_of),
    )


def test_the_probabilities_of_all_numbers(tiny_model):
    attribute = CLOSED["numbers"]
    texts = choice_texts(attribute)

    def choices_of(model):
        return Choices([*texts.values()], [*texts], [], model.piece, model.ends_generation)

    def choice_of(text):
        number, end = regex.fullmatch(r" ?([^,}\] \t\r\n]*)(.*)", text, regex.DOTALL).groups()
        return [*texts].index(number) if end or number == "null" else None

    grammar = value_grammar(attribute)
    check_probabilities(
        tiny_model("qwen3"),
        lambda _: {"grammar": grammar, "max_tokens": 16},
        choices_of,
        lambda _: (by_grammar(grammar), choice_of),
    )


def test_only_fields_that_ask_for_it_have_all_shares(tiny_model):
    (value, *_), *_ = decode(tiny_model("qwen3"), {"choices": CHOICES, "normalizes": True}, {})
    assert value.branches == []
