"""Packed rows against a slow reference that knows no trees: one sequence per field."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.training.packing import NO_PARENT, NO_TARGET, FieldTokens, pack, pack_text, visible

# Few different tokens, so that branches share beginnings often.
tokens = st.lists(st.integers(0, 3), min_size=1, max_size=5)
fields = st.lists(st.builds(FieldTokens, tokens, tokens), min_size=1, max_size=5)


def history(row, index):
    """The tokens that lead to one token, by following its parents."""
    found = []
    while index != NO_PARENT:
        found.append(index)
        index = row.parents[index]
    return found[::-1]


@given(tokens, fields, st.one_of(st.just([]), tokens))
def test_each_token_sees_exactly_its_own_history(prompt, some_fields, answer):
    row = pack(prompt, some_fields, answer)
    mask = visible(row.parents)
    for index in range(len(row)):
        assert np.flatnonzero(mask[index]).tolist() == history(row, index)


@given(tokens, fields, st.one_of(st.just([]), tokens))
def test_every_branch_is_there_as_the_sequence_it_would_be_alone(prompt, some_fields, answer):
    row = pack(prompt, some_fields, answer)
    alone = {tuple(row.tokens[history(row, index)].tolist()) for index in range(len(row))}
    sequences = [[*field.key, *field.value] for field in some_fields] + ([answer] if answer else [])
    for sequence in sequences:
        for n_fed in range(len(sequence)):
            assert (*prompt, *sequence[:n_fed]) in alone
    # Nothing else is: the row costs what the different beginnings cost, and no token twice.
    assert len(alone) == len(row)


@given(tokens, fields)
def test_positions_go_on_from_what_a_token_follows(prompt, some_fields):
    row = pack(prompt, some_fields)
    for index in range(len(row)):
        assert row.positions[index] == len(history(row, index)) - 1


@given(tokens, fields, st.one_of(st.just([]), tokens))
def test_only_values_and_the_answer_are_taught(prompt, some_fields, answer):
    row = pack(prompt, some_fields, answer)
    allowed = {(*prompt, *answer[:n]): {answer[n]} for n in range(len(answer))}
    for field in some_fields:
        for n, token in enumerate(field.value):
            allowed.setdefault((*prompt, *field.key, *field.value[:n]), set()).add(token)
    for index, target in enumerate(row.targets.tolist()):
        sequence = tuple(row.tokens[history(row, index)].tolist())
        assert (target != NO_TARGET) == (sequence in allowed)
        assert target == NO_TARGET or target in allowed[sequence]


def test_the_whole_answer_wins_where_two_branches_part():
    row = pack([1], [FieldTokens([2], [3])], answer=[2, 4])
    assert row.tokens.tolist() == [1, 2]
    assert row.targets.tolist() == [2, 4]


def test_a_last_token_is_a_target_and_never_fed():
    row = pack([1, 2], [FieldTokens([5, 6], [7, 8])])
    assert row.tokens.tolist() == [1, 2, 5, 6, 7]
    assert row.targets.tolist() == [NO_TARGET, NO_TARGET, NO_TARGET, 7, 8]
    assert row.n_prompt == 2


def test_plain_text_teaches_every_next_token():
    row = pack_text([4, 5, 6])
    assert row.tokens.tolist() == [4, 5]
    assert row.targets.tolist() == [5, 6]
    assert pack_text([4, 5, 6], n_given=2).targets.tolist() == [NO_TARGET, 6]


def test_padding_sees_itself_and_nobody_sees_it():
    mask = visible(pack([1, 2], []).parents, n_padded=4)
    assert mask.shape == (4, 4)
    assert mask[2:].tolist() == [[False, False, True, False], [False, False, False, True]]
    assert not mask[:2, 2:].any()


def test_an_empty_prompt_is_refused():
    with pytest.raises(ValueError, match="no tokens"):
        pack([], [FieldTokens([1], [2])])
