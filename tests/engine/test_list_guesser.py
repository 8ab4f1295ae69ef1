"""How a list goes on, guessed from the rows above and the document."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd._core import testing


def continuation(document, written, n_bytes=80):
    return testing.continuation_of_list(document, [written], n_bytes).decode()


LABELS = (
    "Name: Crates\nColour: red\nPrice: 1.63 EUR\n\nName: Cups\nPrice: 53.20 EUR\n\nName: Nuts\n"
)
ORDERS = "A-1  26  41.26\nB-2   5   8.83\nC-3  15  20.53\n"
GUESTS = "Ann Lee from Bonn is in room 29. Eva Day (Rome), room 190. Leo Lind from Oslo, room 2."


@pytest.mark.parametrize(
    ("document", "written", "expected"),
    [
        pytest.param("Ann, Bob, Eva.", '["Ann", "', 'Bob", "Eva', id="items"),
        pytest.param("Ann, Bob, Eva.", '["Ann", "B', 'ob", "Eva', id="inside an item"),
        pytest.param(
            ORDERS,
            '[{"code": "A-1", "n": 26, "price": 41.26}, {"code": "',
            'B-2", "n": 5, "price": 8.83}, {"code": "C-3", "n": 15, "price": 20.53}',
            id="columns",
        ),
        pytest.param(
            ORDERS,
            '[{"price": 41.26, "code": "A-1"}, {"price": 8',
            '.83, "code": "B-2"}, {"price": 20.53, "code": "C-3',
            id="columns in another order",
        ),
        pytest.param(
            LABELS,
            '[{"name": "Crates", "colour": "red", "price": 1.63}, {"name": "C',
            'ups", "colour": null, "price": 53.20}, {"name": "Nuts',
            id="labels, one missing",
        ),
        pytest.param(
            GUESTS,
            '[{"name": "Ann Lee", "room": 29, "city": "Bonn"}, {"name": "',
            'Eva Day", "room": 190, "city": "',
            id="prose",
        ),
        pytest.param(
            "x 1 yes\ny 2 yes\nz 3 yes\n",
            '[{"a": 1, "ok": true}, {"a": 2, "ok": true}, {"a": ',
            '3, "ok": true}',
            id="a value that the document does not state",
        ),
        pytest.param(
            "茶叶:三、咖啡:四、水:五。",
            '[{"n": "茶叶", "m": "三"}, {"n": "咖啡", "m": "四"}, {"n": "',
            '水", "m": "五。',
            id="no blanks",
        ),
    ],
)
def test_rows_go_on_as_those_above(document, written, expected):
    assert continuation(document, written).startswith(expected)


def test_a_row_that_was_placed_too_far_on_is_found_again():
    rows = [
        {"name": f"N{n}", "colour": c} for n, c in enumerate(["red", "blue", "blue", "red", "grey"])
    ]
    document = "".join(f"Name: {row['name']}\nColour: {row['colour']}\n\n" for row in rows)
    wrong = [rows[0], {"name": "N1", "colour": "grey"}]  # that is the last one's
    written = json.dumps(wrong)[:-1] + ', {"name": "N2'
    assert continuation(document, written).startswith('", "colour": "blue"}, {"name": "N3"')


@given(
    document=st.text("ab1 ,:\n|é茶", max_size=60),
    pieces=st.lists(st.text('ab1 ,:{}[]"\\é茶', max_size=8), max_size=12),
    n_bytes=st.integers(0, 200),
)
def test_nothing_but_the_text_counts(document, pieces, n_bytes):
    whole = testing.continuation_of_list(document, ["".join(pieces)], n_bytes)
    assert testing.continuation_of_list(document, pieces, n_bytes) == whole
