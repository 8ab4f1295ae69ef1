"""The probabilities of choices, against the product of the shares of all tokens of each."""

import math
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.values.choices import MAX_BEGINNINGS, MAX_OPEN_SHARE, ChoiceProbabilities, Choices

NAMES = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5, unique=True)
PIECES = [first + second for first in ["", *'abc"'] for second in 'abc"'] + ['"}', 'a"}', ""]
"""A token is the place of its text in this list. The last one ends the answer."""
END = len(PIECES) - 1


def piece(token):
    """The text of a token."""
    return PIECES[token].encode()


def ends_generation(token):
    """Whether a token ends the answer."""
    return token == END


def spellings(text):
    """All ways to write a text with tokens."""
    if not text:
        return [()]
    return [
        (token, *rest)
        for token, own in enumerate(PIECES)
        if own and text.startswith(own)
        for rest in spellings(text[len(own) :])
    ]


class Model:
    """A model that writes one of some texts, with token probabilities that are drawn at random."""

    def __init__(self, allows, seed, sharpness):
        self._allows = allows
        self._seed = seed
        self._sharpness = sharpness

    def shares(self, tokens):
        """The log share of each token that may come next."""
        weights = {
            token: self._sharpness * zlib.crc32(bytes((self._seed, *tokens, token))) / 2**32
            for token in range(len(PIECES))
            if self._allows((*tokens, token))
        }
        total = math.log(sum(map(math.exp, weights.values()))) if weights else 0.0
        return {token: weight - total for token, weight in weights.items()}

    def value(self, replay=()):
        """The tokens of the likeliest value with a beginning, and the shares at each of them."""
        tokens, branches = (), []
        while shares := self.shares(tokens):
            branches.append([*shares.items()])
            token = max(shares, key=shares.get)
            tokens += (replay[len(tokens)] if len(tokens) < len(replay) else token,)
        return tokens, branches

    def probabilities(self, choice_of, tokens=()):
        """The probability of each choice, by all sequences of tokens."""
        shares = self.shares(tokens)
        if not shares:
            return {choice_of(tokens): 1.0}
        found = {}
        for token, log_share in shares.items():
            for choice, p in self.probabilities(choice_of, (*tokens, token)).items():
                found[choice] = found.get(choice, 0.0) + math.exp(log_share) * p
        return found


def found(choices, model):
    """What is known of the choices, and how many values the model wrote for it."""
    own = ChoiceProbabilities(choices)
    own.add(*model.value())
    n_values = 1
    while due := own.due():
        for tokens in due:
            own.add(*model.value(tokens))
            n_values += 1
    return own.known(), n_values


@given(NAMES, st.integers(0, 99), st.sampled_from([0.0, 2.0, 20.0]))
def test_texts(names, seed, sharpness):
    texts = [f'"{name}"' for name in names]
    ways = [spellings(text) for text in texts]
    begun = {tokens[:n] for each in ways for tokens in each for n in range(1, len(tokens) + 1)}

    def text_of(tokens):
        return next(n for n, text in enumerate(texts) if tokens in ways[n])

    model = Model(begun.__contains__, seed, sharpness)
    known, n_values = found(Choices(names, texts, ways, piece, ends_generation), model)
    expected = model.probabilities(text_of)
    assert len(known) == len(names)
    assert [p for _, p in known] == sorted((p for _, p in known), reverse=True)
    for number, probability in known:
        assert probability == pytest.approx(expected.get(number, 0.0), abs=MAX_OPEN_SHARE)
    assert sum(p for _, p in known) == pytest.approx(1, abs=MAX_OPEN_SHARE)
    assert n_values <= sum(map(len, ways))


def test_a_token_that_holds_the_end_of_a_choice_and_more_settles_it():
    ways = [[tuple(map(PIECES.index, ('"', name, '"')))] for name in "ab"]
    choices = Choices(["a", "b"], ['"a"', '"b"'], ways, piece, ends_generation)
    begun = {tokens[:n] for (tokens,) in ways for n in range(1, 4)}
    begun.add((PIECES.index('"'), PIECES.index('a"}')))
    known, n_values = found(choices, Model(begun.__contains__, 0, 0.0))
    assert known == [(0, pytest.approx(2 / 3)), (1, pytest.approx(1 / 3))]
    assert n_values == 1


def test_a_number_ends_with_what_stands_behind_it():
    pieces = [*"12,}", " ", ""]
    numbers = {"1": 1, "12": 12, "2": 2, "null": None}
    choices = Choices(
        [*numbers.values()],
        [*numbers],
        [],
        lambda token: pieces[token].encode(),
        lambda token: token == 5,
    )
    assert choices.beginning_with(()) == range(4)
    for text, expected in {
        "1": [0, 1],
        " 1": [0, 1],
        "1,": [0],
        "12": [1],
        "12}": [1],
        "2": [2],
        " ": [0, 1, 2, 3],
        "": [0, 1, 2, 3],
    }.items():
        tokens = tuple(map(pieces.index, text)) or (4,)
        assert choices.beginning_with(tokens) == expected, text
    assert choices.beginning_with((0, 5)) == [0]


def test_what_is_not_known_is_left_out():
    """Of too many choices that begin alike, only some are continued."""
    n_choices = 4 * MAX_BEGINNINGS
    ways = [[(0, 1 + n // 2, 1000 + n)] for n in range(n_choices)]
    begun = {tokens[:n] for (tokens,) in ways for n in range(1, 4)}
    begun.add((1,))
    ways.append([(1,)])

    class Even(Model):
        def shares(self, tokens):
            nexts = {own[len(tokens)] for own in begun if own[: len(tokens)] == tokens != own}
            return dict.fromkeys(nexts, -math.log(len(nexts) or 1))

    names = [*range(n_choices + 1)]
    model = Even(None, 0, 0.0)
    known, n_values = found(
        Choices(names, [f'"{n}"' for n in names], ways, lambda _: b"", ends_generation), model
    )
    assert n_values <= MAX_BEGINNINGS + 1
    assert known[0] == (n_choices, pytest.approx(1 / 2))
    assert 0 < len(known) - 1 < n_choices
    assert {round(p * n_choices, 6) for _, p in known[1:]} == {0.5}
