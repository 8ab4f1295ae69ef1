"""The choices that a value's tokens leave: a walk over a sorted list, against looking at each."""

from hypothesis import given
from hypothesis import strategies as st

from hpd._core import testing

TOKENS = range(4)


@given(
    st.lists(st.lists(st.sampled_from(TOKENS), max_size=4), max_size=8),
    st.lists(st.sampled_from(TOKENS), max_size=5),
)
def test_choices_left(choices, tokens):
    walk = testing.Choices(choices)
    for n in range(len(tokens) + 1):
        left = [choice for choice in choices if choice[:n] == tokens[:n]]
        nexts = {choice[n] if len(choice) > n else -1 for choice in left}
        assert [walk.allows(token) for token in TOKENS] == [token in nexts for token in TOKENS]
        assert walk.next_tokens == sorted(nexts - {-1})
        assert walk.agreed == (nexts.pop() if len(nexts) == 1 else -1)
        assert walk.ended == all(len(choice) == n for choice in left)
        if n < len(tokens):
            walk.accept(tokens[n])
