"""The scanner that knows when a value is complete, against Python's json module."""

import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd._core import testing

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def cut(raw, cuts):
    """A text in pieces, as tokens bring it: anywhere, within a character too."""
    edges = sorted({0, len(raw), *(at % (len(raw) + 1) for at in cuts)})
    return [raw[a:b] for a, b in itertools.pairwise(edges)]


@given(JSON, st.booleans(), st.sampled_from(["", " ", "\n "]), st.lists(st.integers(0, 400)))
def test_a_value_is_complete_exactly_at_its_end(value, ascii_only, blank, cuts):
    raw = (blank + json.dumps(value, ensure_ascii=ascii_only)).encode()
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    after = b', "next": 1}'
    assert testing.scan_json(cut(raw + after, cuts)) == ("complete", len(raw))
    for n in range(len(raw)):
        status, _ = testing.scan_json([raw[:n]])
        assert status == "incomplete"
    assert testing.scan_json([raw])[0] == ("incomplete" if is_number else "complete")
    assert testing.scan_json([raw], end=True) == ("complete", len(raw))


@given(st.text(alphabet='{}[]":,\\ntrufalse0123456789.eE+- x', max_size=20))
def test_any_text_is_judged_as_json_would(text):
    status, length = testing.scan_json([text.encode()], end=True)
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text.lstrip(" "))
        end += len(text) - len(text.lstrip(" "))
    except ValueError:
        # More lenient than JSON in two things: a string ends at its quote whatever its escapes, and
        # a number may begin with zeros.
        assert status == "invalid" or "\\" in text or re.search(r"0\d", text)
        return
    rest = text[end : end + 1]
    bare = text.lstrip(" ")[:1] in tuple("-0123456789")
    if re.match(r" *-?0\d", text):
        return  # zeros before a number are read all the same
    if bare and rest not in ("", " ", ",", "}", "]"):
        assert status == "invalid"  # "1x" is no number followed by text
    else:
        assert (status, length) == ("complete", end)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (' "a\\"b", "c', 7),
        (' "a\\\\"x', 6),
        (" null,", 5),
        (" -1.5e3}", 7),
        (" 01067,", 6),
        (" -007.50}", 8),
        (' {"a": 01067}', 13),
        (" [00, 012] ", 10),
        (' {"a": [1, {"b": "}"}]} tail', 23),
        (" []", 3),
        (' "10\\" x 5\\""', 13),
    ],
)
def test_awkward_values(text, end):
    assert testing.scan_json([text.encode()]) == ("complete", end)


@pytest.mark.parametrize("text", [" nul ", " 01x", " --1", " 1.,", " tru1", " }", " 1e,", " [1 2]"])
def test_what_can_never_become_json_is_invalid_at_once(text):
    assert testing.scan_json([text.encode()])[0] == "invalid"
