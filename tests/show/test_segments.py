"""A document cut where values begin and end, against a count character by character."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from hpd.show.shown_values import ShownValue, TextSegment, covered_segments, utf16_segments

N = 12
SPANS = st.tuples(st.integers(0, N - 1), st.integers(1, N + 3)).filter(
    lambda span: span[0] < span[1]
)
VALUES = st.lists(
    st.lists(SPANS, max_size=3).map(lambda spans: ShownValue("a", "a", "x", spans=tuple(spans))),
    max_size=5,
)


def slow_segments(values, n):
    """For each character the values that cover it; neighbours of the same bounds together."""
    bounds = {min(at, n) for value in values for span in value.spans for at in span}
    covering = [
        {i for i, value in enumerate(values) if any(s <= at < e for s, e in value.spans)}
        for at in range(n)
    ]
    number_of_bound = [sum(bound <= at for bound in bounds) for at in range(n)]
    stretches = [list(group) for _, group in groupby(range(n), key=number_of_bound.__getitem__)]
    return [(s[0], s[-1] + 1, covering[s[0]]) for s in stretches if covering[s[0]]]


@given(VALUES)
def test_equal_to_a_count_character_by_character(values):
    segments = covered_segments(values, N)
    assert [(s.start, s.end, set(s.values)) for s in segments] == slow_segments(values, N)
    for segment in segments:
        assert len(set(segment.values)) == len(segment.values)
        assert set(segment.ending) == {
            i
            for i, value in enumerate(values)
            for start, end in value.spans
            if min(end, N) == segment.end and start < segment.end
        }


def test_the_value_that_begins_first_is_first():
    outer, inner = (ShownValue("a", "a", "x", spans=(span,)) for span in ((0, 6), (2, 4)))
    assert covered_segments([inner, outer], 9) == [
        TextSegment(0, 2, (1,), ()),
        TextSegment(2, 4, (1, 0), (0,)),
        TextSegment(4, 6, (1,), (1,)),
    ]


@given(st.text(alphabet="ab😀é𝄞\u202e", min_size=N, max_size=N), VALUES)
def test_utf16_offsets_cut_the_same_texts(text, values):
    segments = covered_segments(values, N)
    units = text.encode("utf-16-le")
    for segment, converted in zip(segments, utf16_segments(segments, text), strict=True):
        cut = units[2 * converted.start : 2 * converted.end].decode("utf-16-le")
        assert cut == text[segment.start : segment.end]
        assert converted[2:] == segment[2:]
