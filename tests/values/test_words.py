"""Where words end in all scripts, and what may be quoted from a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.values.words import extends_previous, is_word_border, quotable_pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Nike A1023, 500ml", "Nike A1023 , 500ml"),
        ("don't a_b", "don ' t a_b"),
        ("заказX500 AΩ", "заказ X500 A Ω"),  # noqa: RUF001
        ("заказ500", "заказ500"),  # noqa: RUF001
        ("订单号A1023已发货", "订 单 号 A1023 已 发 货"),
        ("电话13800001111。", "电 话 13800001111 。"),
        ("テストTest", "テ ス ト Test"),
        ("서울에서", "서 울 에 서"),
        ("ราคา๑๒๓บาท", "ร า ค า ๑๒๓ บ า ท"),
        ("น้ำ", "น้ ำ"),
        ("بالقاهرة", "ب ا ل ق ا ه ر ة"),  # noqa: RUF001
        ("ב-12 ו١٢", "ב - 12 ו ١٢"),  # noqa: RUF001
        ("Dupre\u0301 le", "Dupre\u0301 le"),
        ("Dupre\u0301s", "Dupre\u0301s"),
        ("ｶﾞ각", "ｶﾞ 각"),
        ("\u1100\u1161\u11a8", "\u1100\u1161\u11a8"),
        ("👩\u200d👧!", "👩\u200d👧 !"),
        ("C:\\a", "C : \\ a"),
        (" \n", ""),
    ],
)
def test_the_pieces_that_can_be_quoted(text, pieces):
    assert [text[start:end] for start, end in quotable_pieces(text)] == pieces.split()


@given(st.text())
def test_pieces_are_all_but_the_blanks_and_whole_to_a_reader(text):
    pieces = quotable_pieces(text)
    assert "".join(text[start:end] for start, end in pieces) == "".join(
        char for char in text if not char.isspace()
    )
    for start, end in pieces:
        for at in (start, end):
            assert at in (0, len(text)) or not (text[at - 1].isdigit() and text[at].isdigit())
        assert end == len(text) or not extends_previous(text[end])


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("ab", 1, False),
        ("a b", 1, True),
        ("a1", 1, True),
        ("12", 1, None),
        ("e\u0301s", 1, None),
        ("e\u0301s", 2, False),
        ("e\u0301 s", 2, True),
        ("文a", 1, True),
        ("文字", 1, True),
        ("กข", 1, True),
        ("aж", 1, True),
        ("عa", 1, True),
        ("عع", 1, False),
    ],
)
def test_borders_of_words(text, position, expected):
    assert is_word_border(text, position) is expected
