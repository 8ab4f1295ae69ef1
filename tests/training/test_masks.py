"""Masks against a definition that is written from the paper's sentences, one pair at a time."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from hpd.training import masks
from hpd.training.masks import MASKS, RowLayout
from strategies import part_of_examples


class Token(NamedTuple):
    """A token as the paper names it; documents and attributes are counted apart."""

    kind: str
    document: int = 0
    attribute: int = 0
    number: int = 0


class Row(NamedTuple):
    """For each document and attribute: tokens of its key, tokens of its value."""

    n_prompt: int
    fields: list[list[tuple[int, int]]]

    def flat(self):
        return [pair for document in self.fields for pair in document]

    def layout(self, mask, k_max):
        return RowLayout(mask, self.n_prompt, [n_key for n_key, _ in self.flat()], k_max)

    def roles(self, mask, order="natural", k_max=5):
        layout = self.layout(mask, k_max)
        n_values = [n for _, n in self.flat()]
        if order == "natural":
            return layout.whole(n_values)
        steps = range(1, max(n_values) + 1)
        appended = [(field, k) for k in steps for field, n in enumerate(n_values) if n >= k]
        return masks.join([layout.first_step(), layout.values(appended)])

    def natural(self):
        """The tokens as the finished text has them."""
        text = [Token("prompt", number=i) for i in range(self.n_prompt)]
        for j, document in enumerate(self.fields):
            for n, (n_key, n_value) in enumerate(document):
                text += [Token("key", j, n, i) for i in range(n_key)]
                text += [Token("value", j, n, k) for k in range(1, n_value + 1)]
        return text

    def appended(self):
        """The tokens in the order in which inference puts them into memory."""
        text = self.natural()
        first = [token for token in text if token.kind != "value"]
        values = [token for token in text if token.kind == "value"]
        return first + sorted(values, key=lambda token: token.number)  # sorting is stable


def may_see(mask, query, key, text):
    """Section 4.4 for ``paper``; for the others: which sequence would the engine put it in?"""
    if key == query:
        return True
    if text.index(key) > text.index(query):
        return False  # "the standard causal mask"
    same = (query.document, query.attribute) == (key.document, key.attribute)
    if key.kind == "prompt":
        return True
    if mask == "branch":
        return same
    if mask == "skeleton":
        return key.kind == "key" or same
    if query.kind == "key":
        # "we prevent all attribute tokens from attending to all value tokens"
        return key.kind == "key"
    # "each token v_{n,k} cannot attend to tokens v_{n',k'}, n' < n, k' > k"
    return key.kind == "key" or key.number <= query.number


def brute_force(mask, row, tokens):
    text = row.natural()
    return np.array([[may_see(mask, query, key, text) for key in tokens] for query in tokens])


rows = st.builds(
    Row,
    st.integers(1, 4),
    st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.integers(0, 5)), min_size=1, max_size=3),
        min_size=1,
        max_size=3,
    ),
)


@pytest.mark.parametrize("order", ["natural", "steps"])
@pytest.mark.parametrize("mask", MASKS)
@given(row=rows)
@part_of_examples(0.6)
def test_every_mask_is_what_the_paper_says(mask, order, row):
    tokens = row.natural() if order == "natural" else row.appended()
    roles = row.roles(mask, order)
    found = masks.dense(mask, masks.stack([roles]))[0, 0].numpy()
    assert (found == brute_force(mask, row, tokens)).all()


@pytest.mark.parametrize("mask", MASKS)
@given(row=rows)
@part_of_examples(0.4)
def test_training_and_inference_have_the_same_pattern(mask, row):
    """Figures 3a and 3b: only the order of rows and columns differs, and no position."""
    natural, appended = row.natural(), row.appended()
    where = [natural.index(token) for token in appended]
    training, inference = row.roles(mask), row.roles(mask, "steps")
    for part, other in zip(training, inference, strict=True):
        assert (part[where] == other).all()
    dense = masks.dense(mask, masks.stack([training]))[0, 0]
    assert (dense[where][:, where] == masks.dense(mask, masks.stack([inference]))[0, 0]).all()


later_fields = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 5)), min_size=1, max_size=3)


@pytest.mark.parametrize("mask", MASKS)
@given(row=rows, later=later_fields)
@part_of_examples(0.4)
def test_fields_of_later_waves_see_the_prompt_and_themselves(mask, row, later):
    """This holds for every mask of the first wave, which does not see them."""
    first = row.flat()
    pairs = [*first, *later]
    layout = RowLayout(mask, row.n_prompt, [n_key for n_key, _ in pairs], 5, len(first))
    roles = layout.whole([n_value for _, n_value in pairs])
    dense = masks.dense(mask, masks.stack([roles]))[0, 0].numpy()
    n_before = len(row.natural())
    assert (dense[:n_before, :n_before] == brute_force(mask, row, row.natural())).all()
    alone = [RowLayout("branch", row.n_prompt, [n_key], 5).whole([n]) for n_key, n in later]
    start = n_before
    for field in alone:
        n_own = len(field.kind) - row.n_prompt
        expected = np.zeros((n_own, len(dense)), dtype=bool)
        expected[:, : row.n_prompt] = True
        expected[:, start : start + n_own] = np.tri(n_own, dtype=bool)
        assert (dense[start : start + n_own] == expected).all()
        assert (roles.position[start : start + n_own] == field.position[row.n_prompt :]).all()
        assert not dense[:start, start : start + n_own].any()
        start += n_own
    assert start == len(dense)


@given(row=rows, k_max=st.integers(5, 9))
def test_positions_of_the_paper_are_those_of_algorithm_2(row, k_max):
    # s = cat(p, a), its positions 0, 1, 2, ...; then a gap of K_max after every attribute
    position = list(range(row.n_prompt))
    starts, ends = [], []
    at = row.n_prompt
    for n_key, _ in row.flat():
        starts.append(at)
        ends.append(at + n_key - 1)
        position += range(at, at + n_key)
        at += n_key
    offset = 0
    for start, end in zip(starts, ends, strict=True):
        for i in range(start, end + 1):
            position[i] += offset
        offset += k_max
    layout = row.layout("paper", k_max)
    assert layout.first_step().position.tolist() == position
    for field, end in enumerate(ends):
        for k in range(1, k_max + 1):
            assert layout.value_position(field, k) == position[end] + k


@pytest.mark.parametrize("mask", ["skeleton", "branch"])
@given(row=rows)
def test_without_gaps_a_position_counts_what_is_seen(mask, row):
    roles = row.roles(mask)
    seen = brute_force(mask, row, row.natural()).sum(axis=1)
    assert roles.position.tolist() == (seen - 1).tolist()


@pytest.mark.parametrize("mask", MASKS)
@given(batch=st.lists(rows, min_size=1, max_size=3))
@part_of_examples(0.3)
def test_a_ragged_batch_changes_nothing_for_its_rows(mask, batch):
    roles = masks.stack([row.roles(mask) for row in batch])
    dense = masks.dense(mask, roles)[:, 0].numpy()
    for index, row in enumerate(batch):
        n = len(row.natural())
        assert (dense[index, :n, :n] == brute_force(mask, row, row.natural())).all()
        assert not dense[index, :, n:].any(), "padding is seen"
        assert dense[index].any(axis=1).all(), "a token sees nothing at all"


@pytest.mark.parametrize("mask", MASKS)
@given(batch=st.lists(rows, min_size=1, max_size=3))
@part_of_examples(0.15)
def test_flex_attention_gets_the_same_mask(mask, batch):
    from torch.nn.attention.flex_attention import create_mask

    roles = masks.stack([row.roles(mask) for row in batch])
    n = roles.kind.shape[1]
    mod = masks.mask_mod(mask, roles)
    assert (create_mask(mod, len(batch), 1, n, n, device="cpu") == masks.dense(mask, roles)).all()


@pytest.mark.parametrize("mask", MASKS)
def test_flex_attention_and_sdpa_agree(mask):
    from torch.nn.attention.flex_attention import flex_attention

    torch.manual_seed(0)
    small, large = Row(3, [[(2, 3), (1, 0)]]), Row(140, [[(3, 5), (2, 4)], [(2, 2), (3, 5)]])
    roles = masks.stack([small.roles(mask), large.roles(mask)])
    n = roles.kind.shape[1]
    q, k, v = torch.randn(3, 2, 2, n, 16)
    dense = masks.dense(mask, roles)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=dense)
    blocks = masks.block_mask(mask, roles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is slow unless it is compiled
        found = flex_attention(q, k, v, block_mask=blocks)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("mask", MASKS)
def test_new_tokens_against_a_cache_are_the_last_rows_of_the_mask(mask):
    row = Row(3, [[(2, 3), (1, 2)], [(2, 1)]])
    keys = masks.stack([row.roles(mask, "steps")])
    whole = masks.dense(mask, keys)
    queries = keys.at(np.s_[:, -3:])
    assert (masks.dense(mask, keys, queries) == whole[:, :, -3:]).all()


def test_a_causal_row_is_causal():
    dense = masks.dense("paper", masks.stack([RowLayout("paper", 6, [], 1).prompt()]))[0, 0]
    assert (dense == torch.ones(6, 6, dtype=torch.bool).tril()).all()


def test_a_value_must_fit_its_gap():
    with pytest.raises(ValueError, match="step 4 of a value of at most 3"):
        Row(1, [[(1, 4), (1, 0)]]).roles("paper", k_max=3)
    with pytest.raises(ValueError, match="mask must be one of paper, skeleton, branch"):
        RowLayout("causal", 1, [], 1)
