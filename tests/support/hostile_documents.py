"""Documents that cost a careless search the square of their length, or more.

As a program, finds a value in each of them, and all that each states: of 50,000 characters, which
takes half a second of a processor each at most, or far more.
"""

import signal

from hpd.schema.attributes import Attribute
from hpd.values.grounding import Grounder
from hpd.values.stated import StatedValues

SCALE = 5
MOST_SECONDS = 4
"""Of a processor for one document, so that no busy machine is mistaken for a slow search."""

CASES = [
    ("a" * 5000, "a" * 10_000 * SCALE),
    ("a" * 200 + "b", "a" * 10_000 * SCALE),
    ("ab" * 100, "ba" * 5000 * SCALE),
    ("x", "e" + "\u0301" * 10_000 * SCALE),
    ("a\u0301", "\u0301\u0316" * 5000 * SCALE),
    (123, "1" * 10_000 * SCALE),
    (123, "1," * 5000 * SCALE),
    (123, "1 234" * 2000 * SCALE),
    ("2024-01-02", "2 " * 5000 * SCALE),
    ("2024-01-02T15:30:00", "2024-01-02   " * 1000 * SCALE),
    ("2024-01-02", "2/1/" * 3000 * SCALE),
    ("hello world", "hello wrld " * 1000 * SCALE),
    ("lorem ipsum dolor sit amet " * 9, "lorem ipsun dolor sit amet consectetur " * 250 * SCALE),
    ("\u200d" * 50, "\u200d" * 10_000 * SCALE),
    ("ﷺ" * 10, "ﷺ" * 10_000 * SCALE),
    ("ann@example.com", "ann@" + "example." * 1000 * SCALE),
    ("2024-01-02", "2 May, 1 June; 1990 1991 " * 400 * SCALE),
    ("2024-01-02T15:30:00", "2.1.2024 15:30 uhr, 3:30 p.m. " * 400 * SCALE),
]
ASKED = (
    Attribute("a", "integer"),
    Attribute("a", "number"),
    Attribute("a", "date"),
    Attribute("a", "date-time"),
    Attribute("a", format="time"),
    Attribute("a", format="email"),
    Attribute("a", format="uri"),
)

if __name__ == "__main__":
    for value, document in CASES:
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)  # which ends this process
        print(ascii(f"{str(value)[:20]} in {document[:20]}..."), flush=True)
        grounder = Grounder(document)
        grounder.best_span(value)
        grounder.best_spans(value)
        stated = StatedValues(document)
        for attribute in ASKED:
            stated.texts_for(attribute)
