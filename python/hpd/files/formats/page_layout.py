"""The text of a page from its letters: lines, columns, and blanks as wide as the gaps.

A page is read as it looks, whatever the order in which it was written. Letters form words, adjacent
words form pieces, and pieces form lines. Each piece starts at a text column that matches its
position on the page, so that vertical alignment is preserved in the text. Columns of prose, and
adjacent tables whose rows do not align, follow one another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final
from unicodedata import bidirectional

from hpd.documents import Box
from hpd.files.rows import PlacedText
from hpd.files.text_tables import is_number, text_width

_LINE_OVERLAP = 0.5
"""Minimum vertical overlap of pieces on the same line, as a share of the smaller height."""
_WORD_OVERLAP = 0.2
"""The same for words that follow each other, such as a footnote's number after a name."""
_WORD_GAP = 0.75
"""Maximum gap between letters of a word, and words of a piece, relative to the capital height."""
_RIGHT_TO_LEFT_GAP = 0.2
"""The same for letters that are read from right to left, whose blanks may be anywhere."""
_WORD_GAP_LETTERS = 1.2
"""Maximum gap between words of a piece, relative to the width of a letter."""
_MAX_TOUCHING_GAP = 0.1
"""Gap below which pieces are not separate, relative to their height."""
_MAX_OVERLAP = 0.6
"""Maximum overlap of a piece with one that continues it, relative to the height."""
_MIN_HEIGHT = 3.0
"""Minimum height, in points, that is assumed for dots and dashes."""
_FIRST_RIGHT_TO_LEFT = "\u0590"
_MIRRORED = str.maketrans("()[]{}", ")(][}{")
_N_NEAR_LINES = 4
"""Number of lines above a piece to which it may belong."""
_MIN_WIDTH = 0.5
"""Minimum width, in points, that is assumed for a character."""
_N_CELL_BLANKS = 2
_SAME_END = 0.25
"""Maximum distance of the ends of numbers that are aligned, relative to the width of a letter."""
_MAX_COLUMNS = 400
"""Maximum number of text columns of a page whose layout is kept."""
_PARAGRAPH_GAP = 1.6
"""Gap that becomes a blank line, relative to the usual gap; at least the height of a line."""

_N_COLUMN_LINES = 3
_N_PROSE_LINES = 5
_N_PROSE_WORDS = 3
"""Minimum average number of words per line of prose; cells have fewer."""
_N_PIECE_WORDS = 1.5
"""Minimum average number of words between wide gaps in prose; cells have fewer."""
_LETTER_SHARE = 0.7
"""Minimum share of letters among the characters of prose."""
_FULL_SHARE = 0.65
"""Minimum share of full lines in prose, on which the next line's first word had no room."""
_SHARED_SHARE = 0.25
"""Maximum share of rows of two unrelated tables that may be aligned."""
_TURNS_SHARE = 1.5
"""Minimum number of changes between two columns from line to line, relative to their lines, if
these are cells of the same rows."""
_WIDE_GUTTER = 2.0
"""Gutter, relative to the widest gap within two tables side by side, that makes them unrelated even
if all their rows are aligned."""
_DIAGONAL: Final = 4
"""The direction of a word across the page, where others are quarter turns."""
_MIN_MARK_HEIGHT = 3.0
"""Minimum height of the letters of such a word, relative to that of others."""
_N_TRIED_LINES = (1, 2, 3, 6)
"""Numbers of first lines whose gaps may be the gutter between two columns."""
_GUTTER = 0.7
"""Minimum width of a gutter, relative to the height of letters."""
_MAX_LINE_GAP = 2.0
"""Maximum gap, relative to the height, across which columns continue if only one of them does."""


@dataclass(slots=True)
class Letter:
    """A letter on a page; ligatures have more than one character."""

    text: str
    """Blank at the end of a word, a line feed at the end of a line; then the box means nothing."""
    box: Box


@dataclass(slots=True)
class _Piece:
    """Letters that belong together on one line, in reading order."""

    letters: list[Letter]
    left: float
    top: float
    right: float
    bottom: float
    word_starts: list[int] = field(default_factory=lambda: [0])
    """The indexes of letters that begin a word."""
    _text: str = ""
    _n_columns: int = 0

    @property
    def height(self) -> float:
        return max(self.bottom - self.top, _MIN_HEIGHT)

    @property
    def n_columns(self) -> int:
        if not self._n_columns:
            self._n_columns = text_width(self.text()) + len(self.word_starts) - 1
        return self._n_columns

    def text(self) -> str:
        if not self._text:
            self._text = "".join([letter.text for letter in self.letters])
        return self._text

    def gap(self, other: _Piece) -> float:
        """Return the horizontal gap to another piece; negative if they overlap."""
        return max(other.left - self.right, self.left - other.right)

    def blank(self, other: _Piece) -> float:
        """Return the minimum gap to another piece if they are not words of one piece."""
        height = _WORD_GAP * max(self.height, other.height)
        # Monospaced letters are as far apart as wide ones.
        longer = max(self, other, key=lambda piece: len(piece.text()))
        if len(longer.text()) == 1:
            return height
        return max(height, _WORD_GAP_LETTERS * longer.letter_width())

    def overlap(self, other: _Piece) -> float:
        """Return the vertical overlap as a share of the smaller height."""
        apart = abs(self.top + self.bottom - other.top - other.bottom) / 2
        low, high = sorted((self.height, other.height))
        return min(low, (low + high) / 2 - apart) / low

    def _foot(self, other: _Piece) -> float:
        """Return the bottom of the line of both pieces, as given by the longer one."""
        return self.bottom if len(self.letters) >= len(other.letters) else other.bottom

    def letter_width(self) -> float:
        """Return the average width of its letters."""
        return (self.right - self.left) / self.n_columns

    def first_word_width(self) -> float:
        """Return the approximate width of its first word."""
        n_letters = self.word_starts[1] if len(self.word_starts) > 1 else len(self.letters)
        return self.letter_width() * n_letters

    def placed_text(self) -> Iterator[PlacedText]:
        """Yield its letters, with blanks between words."""
        starts = {*self.word_starts[1:]}
        for n, letter in enumerate(self.letters):
            if n in starts:
                yield " ", None
            yield letter.text, letter.box

    def take(self, other: _Piece, *, is_apart: bool = True) -> None:
        """Append a piece that follows the last word, or continues it."""
        foot = self._foot(other)
        starts = other.word_starts if is_apart else other.word_starts[1:]
        self.word_starts += [len(self.letters) + start for start in starts]
        self.letters += other.letters
        self._text, self._n_columns = "", 0
        self.left, self.right = min(self.left, other.left), max(self.right, other.right)
        self.top, self.bottom = min(self.top, other.top), foot


_Line = list[_Piece]


def lines_of(letters: Iterable[Letter]) -> list[list[PlacedText]]:
    """Return the lines of a page from top to bottom.

    Args:
        letters: in logical order within a line; the lines may come in any order. Letters that are
            turned are read along their own lines, after those that are not.
    """
    by_angle: dict[int, list[list[Letter]]] = defaultdict(list)
    angle = 0
    words = list(_words(letters))
    if any(_n_right_to_left(letter.text) for word in words for letter in word):
        words = [*map(_sorted_codes, words)]
    height = median(_height(word) for word in words) if words else 0
    for word in words:
        angle = _direction(word, angle)
        by_angle[_DIAGONAL if _is_mark(word, height) else angle].append(word)
    n_letters = {angle: sum(map(len, words)) for angle, words in by_angle.items()}
    lines: list[list[PlacedText]] = []
    for angle in sorted(by_angle, key=lambda angle: (angle != 0, -n_letters[angle])):
        pieces = [_turn_upright(word, angle) for word in by_angle[angle]]
        text = "".join(piece.text() for piece in pieces)
        is_mirrored = 2 * _n_right_to_left(text) > sum(map(str.isalpha, text))
        pieces = _pieces(pieces, is_mirrored=is_mirrored)
        if is_mirrored:
            for piece in pieces:
                piece.left, piece.right = -piece.right, -piece.left
        for block in _blocks(_lines(pieces, is_mirrored=is_mirrored)):
            if lines:
                lines.append([])
            placed = _placed_lines(block)
            lines += map(_mirror_brackets, placed) if is_mirrored else placed
    return lines


def _words(letters: Iterable[Letter]) -> Iterator[list[Letter]]:
    word: list[Letter] = []
    for letter in letters:
        if letter.text.isspace() or not letter.text:
            if word:
                yield word
            word = []
            continue
        if word and not _is_next(word, letter):
            yield word
            word = []
        word.append(letter)
    if word:
        yield word


def _sorted_codes(word: list[Letter]) -> list[Letter]:
    """Return the letters of a code, such as ``A-12``, as they stand on the page.

    In lines that are read from right to left, pdfium takes its letters and digits for words.
    """
    text = "".join(letter.text for letter in word)
    if _n_right_to_left(text) or not any(map(str.isalpha, text)):
        return word
    steps = {a.box[0] < b.box[0] for a, b in pairwise(word)}
    is_pair = len(word) == 2 and not text.isalpha()
    if len(steps) < 2 and not is_pair:
        return word
    sides = [*zip(*(letter.box for letter in word), strict=True)]
    if min(sides[3]) <= max(sides[1]):
        return word  # they do not stand beside each other
    return _paired_brackets(sorted(word, key=lambda letter: letter.box[0]))


def _paired_brackets(letters: list[Letter]) -> list[Letter]:
    """Return letters with brackets at both ends that open and close, if pdfium mirrored one."""
    turned = [*letters]
    for at, outwards in ((0, ")]}"), (-1, "([{")):
        if letters[at].text in outwards:
            turned[at] = Letter(letters[at].text.translate(_MIRRORED), letters[at].box)
    is_better = _has_bracket_pairs("".join(letter.text for letter in turned))
    return turned if is_better else letters


def _is_next(word: Sequence[Letter], letter: Letter) -> bool:
    """Return whether a letter may continue a word, in any direction."""
    before, box = word[-1].box, letter.box
    is_right_to_left = _are_right_to_left(word[-1].text + letter.text)
    if is_right_to_left and 2 * box[0] > before[0] + before[2]:
        return False  # it was drawn earlier, but is read later
    size = max(before[2] - before[0], before[3] - before[1], box[2] - box[0], box[3] - box[1])
    gap_x = max(box[0] - before[2], before[0] - box[2])
    gap_y = max(box[1] - before[3], before[1] - box[3])
    widest = _RIGHT_TO_LEFT_GAP if is_right_to_left else _WORD_GAP
    return max(gap_x, gap_y) < widest * max(size, _MIN_HEIGHT)


def _direction(word: Sequence[Letter], otherwise: int) -> int:
    """Return the direction of a word in clockwise quarter turns."""
    without_signs = [letter for letter in word if letter.text.isalnum()]
    if len(word) < 2 or (len(word) < 3 and len(without_signs) < 2):
        return otherwise  # a sign may be on any side of a letter
    first, last = word[0].box, word[-1].box
    is_rightwards = first[0] + first[2] <= last[0] + last[2]
    is_downwards = first[1] + first[3] <= last[1] + last[3]
    if _n_right_to_left("".join(letter.text for letter in word)):
        # A symbol or digit next to one letter may be on either side.
        is_rightwards, is_downwards = not is_rightwards or len(word) < 3, not is_downwards
    gap_x = max(last[0] - first[2], first[0] - last[2])
    gap_y = max(last[1] - first[3], first[1] - last[3])
    if gap_x >= gap_y or (gap_y < 0 and len(word) < 3):
        if is_rightwards:
            return 0
        # On a line that is read from right to left, the first bracket is to the right of a number.
        return 2 if len(without_signs) == len(word) else _direction(without_signs, otherwise)
    return 1 if is_downwards else 3


def _height(word: Sequence[Letter]) -> float:
    return word[0].box[3] - word[0].box[1]


def _is_mark(word: Sequence[Letter], height: float) -> bool:
    """Return whether a word, such as DRAFT, runs across the page in letters of several lines."""
    first, last = word[0].box, word[-1].box
    gap_x = max(last[0] - first[2], first[0] - last[2])
    gap_y = max(last[1] - first[3], first[1] - last[3])
    return min(gap_x, gap_y) > 0 and _height(word) > _MIN_MARK_HEIGHT * height


_TURNS: Mapping[int, Callable[[Sequence[float]], Box]] = {
    0: lambda box: (box[0], box[1], box[2], box[3]),
    1: lambda box: (box[1], -box[2], box[3], -box[0]),
    2: lambda box: (-box[2], -box[3], -box[0], -box[1]),
    3: lambda box: (-box[3], box[0], -box[1], box[2]),
    _DIAGONAL: lambda box: (box[0], box[1], box[2], box[3]),
}
"""Functions that rotate a box back, by quarter turns of the page."""


def _turn_upright(word: list[Letter], quarter: int) -> _Piece:
    """Rotate a word so that it is read from left to right."""
    turned = _TURNS[quarter]
    sides = zip(*(letter.box for letter in word), strict=True)
    around = [pick(each) for pick, each in zip((min, min, max, max), sides, strict=True)]
    bottoms = sorted(turned(letter.box)[3] for letter in word)
    left, top, right, _ = turned(around)
    # Most letters end at the baseline, few go below it.
    return _Piece(word, left, top, max(right, left + _MIN_WIDTH), bottoms[len(bottoms) // 2])


def _pieces(words: Sequence[_Piece], *, is_mirrored: bool) -> list[_Piece]:
    pieces: list[_Piece] = []
    for word in words:
        last = pieces[-1] if pieces else None
        if last is not None and last.overlap(word) > _WORD_OVERLAP:
            is_leftwards = _n_right_to_left(last.text() + word.text()) > 0
            if is_leftwards and is_mirrored:
                pieces.append(word)  # what stands between them may come later
                continue
            gap = last.left - word.right if is_leftwards else word.left - last.right
            if -_MAX_OVERLAP * max(last.height, word.height) < gap < last.blank(word):
                last.take(word)
                continue
        pieces.append(word)
    return pieces


def _n_right_to_left(text: str) -> int:
    """Count the letters that are read from right to left."""
    if max(text) < _FIRST_RIGHT_TO_LEFT:
        return 0
    return sum(bidirectional(letter) in ("R", "AL") for letter in text)


def _are_right_to_left(text: str) -> bool:
    """Return whether letters, and signs beside them, are read from right to left."""
    signs = [sign for sign in text if sign.isalnum()]
    return bool(signs) and _n_right_to_left("".join(signs)) == len(signs)


def _lines(pieces: Iterable[_Piece], *, is_mirrored: bool) -> list[_Line]:
    """Return the lines from top to bottom, each from left to right."""
    lines: list[_Line] = []
    for piece in sorted(pieces, key=lambda piece: piece.top + piece.bottom):
        line = max(lines[-_N_NEAR_LINES:], key=lambda line: _beside_share(piece, line), default=[])
        if line and _beside_share(piece, line) > _LINE_OVERLAP:
            line.append(piece)
        else:
            lines.append([piece])
    joined = (_join_pieces(line, is_mirrored=is_mirrored) for line in lines)
    return sorted(joined, key=_top)


def _top(line: _Line) -> float:
    return min(piece.top for piece in line)


def _beside_share(piece: _Piece, line: _Line) -> float:
    """Return the share of a piece's height that is beside a line's pieces; 0 if it covers one."""
    nearest = min(line, key=piece.gap)
    share = piece.overlap(nearest)
    if piece.gap(nearest) < -_MAX_OVERLAP * min(piece.height, nearest.height):
        return share if share > _MAX_OVERLAP and piece.text() == nearest.text() else 0.0
    like = min(line, key=lambda other: (round(abs(other.height - piece.height)), piece.gap(other)))
    return min(share, piece.overlap(like))


def _join_pieces(line: _Line, *, is_mirrored: bool) -> _Line:
    """Sort a line from left to right; join pieces drawn in parts, or twice for bold print."""
    joined: _Line = []
    for piece in sorted(line, key=lambda piece: piece.left):
        last = joined[-1] if joined else None
        height = piece.height if last is None else max(last.height, piece.height)
        if last is None or last.gap(piece) >= last.blank(piece):
            joined.append(piece)
        elif last.gap(piece) > -_MAX_OVERLAP * height or last.text() != piece.text():
            is_leftwards = _are_right_to_left(last.text()[-1] + piece.text()[0])
            touching = _RIGHT_TO_LEFT_GAP if is_leftwards else _MAX_TOUCHING_GAP
            is_apart = last.gap(piece) > touching * height or _has_reversed_order(
                last.text(), piece.text()
            )
            if is_mirrored and _are_left_to_right(last.text(), piece.text(), is_apart=is_apart):
                piece.take(last, is_apart=is_apart)
                piece.letters = _paired_brackets(piece.letters)
                joined[-1] = piece
            else:
                last.take(piece, is_apart=is_apart)
    return joined


def _are_left_to_right(text: str, following: str, *, is_apart: bool) -> bool:
    """Return whether parts of a code, or words with letters, are read from left to right."""
    if _n_right_to_left(text + following):
        return False
    have_letters = [any(map(str.isalpha, each)) for each in (text, following)]
    if is_apart:
        return all(have_letters)
    # Two numbers that touch are none.
    return any(have_letters) or not (
        any(map(str.isdigit, text)) and any(map(str.isdigit, following))
    )


def _has_reversed_order(text: str, following: str) -> bool:
    """Return whether a number follows a word that is read from right to left, or precedes one."""
    ends = text[-1] + following[0]
    return _n_right_to_left(ends) == 1 and any(map(str.isdigit, ends))


def _blocks(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Return groups of lines that are read together; a left column comes before the one to its
    right."""
    kept: list[_Line] = []
    at = 0
    while at < len(lines):
        columns = _columns(lines[at:])
        if columns is None:
            kept.append(lines[at])
            at += 1
            continue
        if kept:
            yield kept
            kept = []
        n_lines, left, right = columns
        yield from _blocks(left)
        yield from _blocks(right)
        at += n_lines
    if kept:
        yield kept


def _columns(lines: Sequence[_Line]) -> tuple[int, list[_Line], list[_Line]] | None:
    """Return the number of lines in which two columns begin, and the lines of each; else None."""
    gutters = {gutter for n in _N_TRIED_LINES for gutter in _gutters(lines[:n])}
    for gutter in sorted(gutters):
        beside, x = _lines_beside(lines, *gutter)
        above = beside[: _n_lines_above_table(beside, x)]
        left, right = _sides(above, x)
        if len(above) < len(beside) and _is_prose(left) and _is_prose(right):
            return len(above), left, right
        left, right = _sides(beside, x)
        if min(len(left), len(right)) < _N_COLUMN_LINES:
            continue
        if not above and _is_prose(left) and _is_prose(right):
            continue  # the table is read first
        if _are_apart(beside, left, right):
            return len(beside), left, right
    return None


def _sides(lines: Sequence[_Line], x: float) -> tuple[list[_Line], list[_Line]]:
    """Return the lines to the left and to the right of a gutter."""
    left = [side for line in lines if (side := [p for p in line if p.right <= x])]
    right = [side for line in lines if (side := [p for p in line if p.left >= x])]
    return left, right


def _n_lines_above_table(lines: Sequence[_Line], x: float) -> int:
    """Return the number of lines before a table that has a gap where columns above it do, or of all
    if there is none."""
    gaps = [_top(below) - _bottom(line) for line, below in pairwise(lines)]
    breaks = [n for n, gap in enumerate(gaps, 1) if gap > _MAX_LINE_GAP * lines[n][0].height]
    for first, last in pairwise([0, *breaks, len(lines)]):
        rows = lines[first:last]
        pieces = [piece for row in rows for piece in row]
        n_words = sum(len(piece.word_starts) for piece in pieces)
        n_beside = sum(row[0].right <= x <= row[-1].left for row in rows)
        is_table = len(rows) > 1 or not first
        if is_table and n_beside > len(rows) / 2 and n_words < _N_PIECE_WORDS * len(pieces):
            return first
    return len(lines)


def _gutters(lines: Sequence[_Line]) -> Iterator[tuple[float, float]]:
    """Yield the left and right sides of gaps that run through all lines."""
    pieces = sorted((piece.left, piece.right) for line in lines for piece in line)
    right = pieces[0][1]
    for piece in pieces:
        if piece[0] > right:
            yield right, piece[0]
        right = max(right, piece[1])


def _lines_beside(
    lines: Sequence[_Line], left: float, right: float
) -> tuple[Sequence[_Line], float]:
    """Return the first lines with text on both sides of a gutter, and the gutter's position."""
    n_beside = 0
    has_left, has_right = False, False
    for n, line in enumerate(lines):
        n_left = 0
        for piece in line:
            if piece.left + piece.right >= left + right:
                break
            n_left += 1
        least = max(left, line[n_left - 1].right) if n_left else left
        most = min(right, line[n_left].left) if n_left < len(line) else right
        if most - least < _GUTTER * line[0].height:
            break
        goes_on = n_left not in (0, len(line)) or not (has_left and has_right)
        if not goes_on and _top(line) - _bottom(lines[n - 1]) > _MAX_LINE_GAP * line[0].height:
            break
        left, right = least, most
        has_left, has_right = has_left or n_left > 0, has_right or n_left < len(line)
        n_beside = n + 1
    return lines[:n_beside], (left + right) / 2


def _bottom(line: _Line) -> float:
    return max(piece.bottom for piece in line)


def _are_apart(beside: Sequence[_Line], left: Sequence[_Line], right: Sequence[_Line]) -> bool:
    """Return whether two columns are read one after the other instead of row by row."""
    if _is_prose(left) and _is_prose(right):
        return True
    if not all(_is_table(side) or _is_prose(side) for side in (left, right)):
        return False
    n_shared = len(left) + len(right) - len(beside)
    fewest = min(len(left), len(right))
    if n_shared <= _SHARED_SHARE * fewest:
        is_in_turn = _n_turns(left, right) >= _TURNS_SHARE * fewest
        if is_in_turn and not all(map(_begin_with_words, (left, right))):
            return False  # cells of the same rows, some of them a little lower than the others
        shared_height = min(_bottom(left[-1]), _bottom(right[-1])) - max(
            _top(left[0]), _top(right[0])
        )
        return shared_height > 0
    gutter = min(p.left for line in right for p in line) - max(
        p.right for line in left for p in line
    )
    gaps = [b.left - a.right for side in (left, right) for line in side for a, b in pairwise(line)]
    return gutter > _WIDE_GUTTER * max(gaps, default=gutter) and all(
        map(_has_labels, (left, right))
    )


def _n_turns(left: Sequence[_Line], right: Sequence[_Line]) -> int:
    """Return how often a line of one column is followed by one of the other."""
    order = sorted([(_top(line), 0) for line in left] + [(_top(line), 1) for line in right])
    return sum(a[1] != b[1] for a, b in pairwise(order))


def _begin_with_words(lines: Sequence[_Line]) -> bool:
    """Return whether most lines begin with a word, as those of a table of its own."""
    signs = (next(filter(str.isalnum, line[0].text()), "") for line in lines)
    return sum(map(str.isalpha, signs)) > len(lines) / 2


def _is_table(lines: Sequence[_Line]) -> bool:
    return sum(len(line) > 1 for line in lines) > len(lines) / 2


def _has_labels(lines: Sequence[_Line]) -> bool:
    """Return whether rows begin with words and end with numbers."""
    ends = [(line[0].text(), line[-1].text()) for line in lines if len(line) > 1]
    n = sum(first[:1].isalpha() and any(map(str.isdigit, last)) for first, last in ends)
    return n > len(lines) / 2


def _is_prose(lines: Sequence[_Line]) -> bool:
    """Return whether lines break at the end of a column, as in prose, not of a cell."""
    text = "".join(piece.text() for line in lines for piece in line)
    n_letters = sum(map(str.isalpha, text))
    pieces = [piece for line in lines for piece in line]
    n_words = sum(len(piece.word_starts) for piece in pieces)
    # Chinese and Japanese have no blanks between words, and letters two text columns wide.
    n_wide = sum(piece.n_columns for line in lines for piece in line) - len(text)
    n_words = max(n_words, n_wide // 4)
    least = max(_N_PROSE_WORDS * len(lines), _N_PIECE_WORDS * len(pieces))
    if len(lines) < _N_PROSE_LINES or n_words < least:
        return False
    if n_letters < _LETTER_SHARE * len(text):
        return False
    ends = sorted(line[-1].right for line in lines)
    end = ends[-1 - len(ends) // 10]  # a few lines may be longer
    full = [
        line[-1].right + below[0].first_word_width() + line[-1].letter_width() > end
        for line, below in pairwise(lines)
    ]
    return sum(full) >= _FULL_SHARE * len(full)


def _placed_lines(lines: Sequence[_Line]) -> Iterator[list[PlacedText]]:
    """Return lines with their pieces at text columns that match their positions on the page."""
    lines = _join_rows(lines)
    columns = _text_columns(lines)
    gaps = [_top(below) - _bottom(line) for line, below in pairwise(lines)]
    usual = median(gaps) if gaps else 0.0
    for line, gap in zip(lines, [0.0, *gaps], strict=True):
        if gap > max(_PARAGRAPH_GAP * usual, line[0].height):
            yield []
        placed: list[PlacedText] = []
        n_placed = 0
        for piece in line:
            n_blanks = columns[id(piece)] - n_placed
            if n_blanks:
                placed.append((" " * n_blanks, None))
            placed += piece.placed_text()
            n_placed += n_blanks + piece.n_columns
        yield placed


def _join_rows(lines: Sequence[_Line]) -> list[_Line]:
    """Join lines that overlap and have no piece below another.

    These are cells of one row, some of them in the middle of its height or a little lower.
    """
    joined: list[_Line] = []
    for line in lines:
        if joined and all(_stands_beside(piece, joined[-1]) for piece in line):
            joined[-1] = sorted([*joined[-1], *line], key=lambda piece: piece.left)
        else:
            joined.append(line)
    return joined


def _stands_beside(piece: _Piece, line: _Line) -> bool:
    """Return whether a piece overlaps the line, in a gap of it or at its end."""
    nearest = min(line, key=piece.gap)
    return piece.gap(nearest) >= piece.blank(nearest) and piece.overlap(nearest) > 0


def _mirror_brackets(line: list[PlacedText]) -> list[PlacedText]:
    """Return a line with brackets as they are written, not as they are drawn from right to left.

    Some files have one, some the other; only one of them opens brackets before it closes them.
    """
    text = "".join(text for text, _ in line)
    mirrored = text.translate(_MIRRORED)
    if (
        not _n_right_to_left(text or " ")
        or _has_bracket_pairs(text)
        or not _has_bracket_pairs(mirrored)
    ):
        return line
    return [(text.translate(_MIRRORED), box) for text, box in line]


def _has_bracket_pairs(text: str) -> bool:
    """Return whether brackets are in pairs, each opened before it is closed."""
    depth = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _text_columns(lines: Sequence[_Line]) -> dict[int, int]:
    """Return the text column at which each piece begins, by its id.

    It follows the position on the page, and is to the right of everything that ends before it on
    any line, so that vertical alignment is kept even where letters are narrow.
    """
    columns = _choose_columns(lines, has_columns=True)
    last = max(columns[id(line[-1])] + line[-1].n_columns for line in lines)
    # A drawing with words everywhere would become as wide as all of them together.
    return columns if last <= _MAX_COLUMNS else _choose_columns(lines, has_columns=False)


def _choose_columns(lines: Sequence[_Line], *, has_columns: bool) -> dict[int, int]:
    width = _letter_width(lines)
    first = min(piece.left for line in lines for piece in line)
    before = {id(b): a for line in lines for a, b in pairwise(line)}
    edges = [(piece.left, 1, piece) for line in lines for piece in line]
    edges += [(piece.right, 0, piece) for line in lines for piece in line]
    columns: dict[int, int] = {}
    n_taken = 0
    for _, is_left, piece in sorted(edges, key=lambda edge: edge[:2]):
        if not is_left:
            n_taken = has_columns * max(
                n_taken, columns[id(piece)] + piece.n_columns + _N_CELL_BLANKS
            )
            continue
        column = max(n_taken, round((piece.left - first) / width))
        if last := before.get(id(piece)):  # which it may overlap a little
            column = max(column, columns[id(last)] + last.n_columns + _N_CELL_BLANKS)
        columns[id(piece)] = column
    if has_columns:
        _align_numbers(lines, columns, width)
    return columns


def _align_numbers(lines: Sequence[_Line], columns: dict[int, int], width: float) -> None:
    """Move numbers that end at the same place on the page to the right until they do in the text.

    Likewise signs that stand alone: of a currency, or a dash in place of a number. There is room:
    what is to the right of one of them on any line begins behind all of them.
    """
    numbers = [piece for line in lines for piece in line if _is_number_or_sign(piece.text())]
    same: list[_Piece] = []
    for piece in [*sorted(numbers, key=lambda piece: piece.right), None]:
        if same and (piece is None or piece.right - same[0].right > _SAME_END * width):
            last = max(columns[id(each)] + each.n_columns for each in same)
            columns |= {id(each): last - each.n_columns for each in same}
            same = []
        if piece is not None:
            same.append(piece)


def _is_number_or_sign(text: str) -> bool:
    return is_number(text) or (len(text) == 1 and not text.isalpha())


def _letter_width(lines: Sequence[_Line]) -> float:
    """Return the median width of a letter, in points."""
    widths = sorted((p.letter_width(), p.n_columns) for line in lines for p in line)
    n_half = sum(n for _, n in widths) / 2
    for width, n in widths:
        n_half -= n
        if n_half <= 0:
            return max(width, 1.0)
    return 1.0
