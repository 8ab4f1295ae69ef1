"""The places of all values of a document: as the slowest way finds them, that tries all."""

import itertools
import os
import random
import time

import pytest

from hpd.values.grounding import Grounder, assign_spans
from hpd.values.windows import (
    APART_COST,
    MISMATCH_COST,
    CandidateSpans,
    ItemPart,
    ListItem,
    Span,
    choose_windows,
)


def places(text, values):
    """The places in a text, of values by dotted path in which numbers are those of items."""
    paths = {tuple(name.split(".")): value for name, value in values.items()}
    arrays = {path[:n] for path in paths for n in range(1, len(path)) if path[n].isdigit()}
    found = assign_spans(Grounder(text), paths, arrays)
    return {".".join(path): f"{span.start}:{span.end}" for path, span in found.items()}


def of_rows(name, rows):
    """The values of a list, by dotted path."""
    values = {}
    for number, row in enumerate(rows, start=1):
        if isinstance(row, dict):
            values |= {f"{name}.{number}.{key}": value for key, value in row.items()}
        else:
            values[f"{name}.{number}"] = row
    return values


ORDER = "Order: 12 saws at 3.50, 2 hammers at 12.00, 1,200 nails."
MET = "Alice met Bob. Later Alice called Carol, and Bob called Alice."


@pytest.mark.parametrize(
    ("text", "values", "texts"),
    [
        (
            MET,
            of_rows("people", ["Alice", "Bob", "Alice", "Carol", "Bob", "Alice"]),
            "0:5 10:13 21:26 34:39 45:48 56:61",
        ),
        (
            ORDER,
            of_rows(
                "lines",
                [
                    {"name": "saws", "n": 12, "price": 3.5},
                    {"name": "hammers", "n": 2, "price": 12.0},
                    {"name": "nails", "n": 1200},
                ],
            ),
            "10:14 7:9 18:22 26:33 24:25 37:42 50:55 44:49",
        ),
        # The other end of an item is as far as its own.
        (
            "saws: 3; bolts: 3; nails: 3",
            of_rows("l", [{"p": "saws", "n": 3}, {"p": "bolts", "n": 3}, {"p": "nails", "n": 3}]),
            "0:4 6:7 9:14 16:17 19:24 26:27",
        ),
        # A number is not that of a name beside it.
        (
            "A-1 x 1, A-11 x 11; sum 12 of X-12",
            {**of_rows("l", [{"p": "A-1", "n": 1}, {"p": "A-11", "n": 11}]), "sum": 12},
            "0:3 6:7 9:13 16:18 24:26",
        ),
        # Two parts of one item that are equal.
        (
            "2 nails at 2, 3 nuts at 3",
            of_rows("l", [{"n": 2, "p": "nails", "each": 2}, {"n": 3, "p": "nuts", "each": 3}]),
            "0:1 2:7 11:12 14:15 16:20 24:25",
        ),
        # What all items share has one place, though it is in the head.
        (
            "All prices in EUR. Saws 3.50, bolts 4.20",
            of_rows("l", [{"p": "Saws", "c": "EUR"}, {"p": "bolts", "c": "EUR"}]),
            "19:23 14:17 30:35 14:17",
        ),
        # A list of names, and one of numbers.
        (
            "Ann, Bob and Cy are 12, 12 and 13",
            of_rows("l", [{"p": "Ann", "n": 12}, {"p": "Bob", "n": 12}, {"p": "Cy", "n": 13}]),
            "0:3 20:22 5:8 24:26 13:15 31:33",
        ),
        # Items that are in the order of the text but for one.
        ("a, b, c", of_rows("l", ["b", "a", "c"]), "3:4 0:1 6:7"),
        ("x and x", of_rows("l", ["x", "x", "x"]), "0:1 6:7 0:1"),
        # Where a value stands more than once, it is that of its own name.
        (
            "Net 100.00, tax 0.00, total 100.00",
            {"total": 100.0, "tax": 0.0, "net": 100.0},
            "28:34 16:20 4:10",
        ),
        (
            "Seller: Ann Lee, 4 May 2024. Buyer: Ann Lee, 4 May 2024.",
            {"buyer": "Ann Lee", "sellerName": "Ann Lee"},
            "36:43 8:15",
        ),
        ("Total 1,235.60, amount 1.235,60", {"amount": 1235.6, "total": 1235.6}, "23:31 6:14"),
        ("50.00 was paid, and 50.00 is due", {"rest": 50.0}, "0:5"),
        # An object of its own is one item; a number of the document is not that of an item.
        (
            "Ann of Rome sells to Bob of Rome: 2 pens at 6.00; sum 12.00, 12 days.",
            {
                "to.name": "Bob",
                "to.city": "Rome",
                "l.1.p": "pens",
                "l.1.n": 2,
                "d": 12,
                "sum": 12.0,
            },
            "21:24 28:32 36:40 34:35 61:63 54:59",
        ),
        # Lists within lists.
        (
            "Mon: tea 1, rye 2. Tue: tea 1, rye 2.",
            {
                "d.1.day": "Mon",
                "d.1.l.1.p": "tea",
                "d.1.l.1.n": 1,
                "d.1.l.2.p": "rye",
                "d.2.day": "Tue",
                "d.2.l.1.p": "tea",
                "d.2.l.2.p": "rye",
                "d.2.l.2.n": 2,
            },
            "0:3 5:8 9:10 12:15 19:22 24:27 31:34 35:36",
        ),
    ],
)
def test_where_the_values_of_a_document_are(text, values, texts):
    found = places(text, values)
    assert " ".join(found.values()) == texts
    assert found == places(text, values)


def cost_of(parts, chosen):
    """The cost of one item, with the number of each part's place; it may be None."""
    spans = [p.candidates.spans[n] for p, n in zip(parts, chosen, strict=True) if n is not None]
    cost = max(s.end for s in spans) - min(s.start for s in spans)
    for part, n in zip(parts, chosen, strict=True):
        first = part.candidates.spans[0]
        if n is None:
            cost += APART_COST
        else:
            cost += MISMATCH_COST * part.candidates.mismatches[n] - (first.end - first.start)
    return cost


def all_ways(parts):
    """All windows of an item, each with the cost of the best placement in it."""
    fewest = min(range(len(parts)), key=lambda n: len(parts[n].candidates.spans))
    anchors = [p for p in parts if p.candidates.spans == parts[fewest].candidates.spans]
    numbers = [[*range(len(part.candidates.spans)), None] for part in parts]
    ways = {}
    for chosen in itertools.product(*numbers):
        placed = {p.path: n for p, n in zip(parts, chosen, strict=True) if n is not None}
        if not any(p.path in placed for p in anchors):
            continue
        spans = [p.candidates.spans[placed[p.path]] for p in parts if p.path in placed]
        ends = [(p.candidates.starts[0], placed[p.path]) for p in parts if p.path in placed]
        if len(set(ends)) < len(ends):
            continue  # Two parts that are equal are at one place.
        window = min(s.start for s in spans), max(s.end for s in spans)
        ways[window] = min(ways.get(window, 10**9), cost_of(parts, chosen))
    return ways


def least_cost(items):
    """The cost of the best of all ways to place the items of a list."""
    windows = [all_ways(parts) for parts in items]

    def least(number, start):
        if number == len(items):
            return 0
        unordered = APART_COST * (len(items[number]) + 1) + least(number + 1, start)
        ordered = [
            cost + least(number + 1, end)
            for (begin, end), cost in windows[number].items()
            if begin >= start
        ]
        return min([unordered, *ordered])

    return least(0, 0)


def made_items(rng):
    """A few items of a few parts, whose values stand anywhere in a text of a hundred places."""
    values = [
        CandidateSpans(
            [Span(at, at + size, "exact") for at in starts],
            starts,
            [rng.choice((0, 0, 1, 2)) for _ in starts],
        )
        for first, size in ((0, 3), (10, 1), (3, 2), (5, 5), (7, 4))
        for starts in [
            sorted(rng.sample(range(first, 1500, rng.choice((20, 40, 310))), rng.randint(1, 4)))
        ]
    ]
    used = {}
    for value in values:  # Different values do not begin at the same place.
        used.setdefault(value.starts[0], value)
    return [
        [
            ItemPart((str(number), str(n)), rng.choice(list(used.values())))
            for n in range(rng.randint(1, 3))
        ]
        for number in range(rng.randint(1, 4))
    ]


def check_made(seed):
    items = made_items(random.Random(seed))
    made = [ListItem(parts) for parts in items]
    windows = choose_windows(made)
    placed = [window for window in windows if window is not None]
    for one, other in itertools.pairwise(placed):
        assert one.end <= other.start
    cost = 0
    for item, parts, window in zip(made, items, windows, strict=True):
        if window is None:
            cost += APART_COST * (len(parts) + 1)
            continue
        chosen = {part.path: span for part, span in item.spans(window)}
        numbers = tuple(
            part.candidates.spans.index(chosen[part.path]) if part.path in chosen else None
            for part in parts
        )
        cost += cost_of(parts, numbers)
    assert cost == least_cost(items), seed


def test_no_other_placement_costs_less():
    for seed in range(20_000 if "HPD_NIGHTLY" in os.environ else 400):
        check_made(seed)


def test_each_value_has_a_place_of_its_own_where_there_are_enough():
    rng = random.Random(5)
    for _ in range(300):
        words = rng.choices(["red", "blue", "12", "Red", "tall oak", "oak"], k=rng.randint(0, 12))
        text = ", ".join(words)
        values = rng.choices(["red", "blue", "12", "oak"], k=rng.randint(1, 5))
        found = places(text, of_rows("l", values))
        for value in set(values):
            n_places = len(Grounder(text).candidate_spans(value))
            got = {found[f"l.{n}"] for n, v in enumerate(values, 1) if v == value and n_places}
            assert len(got) == min(values.count(value), n_places), (text, values)


def test_a_long_list_is_placed_at_once():
    rng = random.Random(1)
    rows = [
        (f"item{n}", rng.randint(1, 9), rng.randint(100, 900) / 100, rng.choice("SML"))
        for n in range(200)
    ]
    lines = [f"{p}: {n} at {c:.2f} EUR, size {s}, " + "sent as agreed. " * 4 for p, n, c, s in rows]
    text = "\n".join(lines)
    values = of_rows("l", [{"p": p, "n": n, "c": c, "s": s, "of": "EUR"} for p, n, c, s in rows])
    began = time.process_time()
    found = places(text, values)
    assert time.process_time() - began < 0.5, "it takes a twentieth of a second"
    for name, span in found.items():
        start = int(span.split(":")[0])
        assert text[: start + 1].count("\n") == int(name.split(".")[1]) - 1, name
