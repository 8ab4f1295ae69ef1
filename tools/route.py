"""The way of one document: the files and functions of hpd that a warm ``extract()`` goes through.

``python -m tools.route`` extracts three fields with the model in the box, twice, and follows the
second call in all threads. A switch is a call to a function in another file than the call before
it. ``--list`` shows the calls one after another.
"""

from __future__ import annotations

import argparse
import sys
import threading
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import hpd

PACKAGE = Path(hpd.__file__).parent
DOCUMENT = "Diesel Men's Exposure High-Top Sneaker, Black, size 44, EUR 89.95"
SCHEMA = ["brand", "color", "size"]

Calls = list[tuple[str, str]]


class Follower:
    """Notes calls to functions of hpd, the file and the name of each, in the threads it is in."""

    def __init__(self) -> None:
        self._is_on = False
        self._calls: dict[int, Calls] = {}

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note one event of the interpreter."""
        path = Path(frame.f_code.co_filename)
        if self._is_on and event == "call" and path.is_relative_to(PACKAGE):
            own = self._calls.setdefault(threading.get_ident(), [])
            own.append((str(path.relative_to(PACKAGE)), frame.f_code.co_name))

    def calls_of(self, extractor: hpd.Extractor[Any]) -> Calls:
        """The calls of one ``extract()``, thread by thread."""
        self._is_on = True
        extractor.extract(DOCUMENT)
        self._is_on = False
        return [call for own in self._calls.values() for call in own]


def main() -> None:
    """Print the numbers of one way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="show every call")
    arguments = parser.parse_args()
    follower = Follower()
    threading.setprofile(follower)  # for the engine's thread, which starts with the first call
    sys.setprofile(follower)
    with hpd.Extractor(SCHEMA, n_threads=1) as extractor:
        extractor.extract("Nike Air, white")
        calls = follower.calls_of(extractor)
    sys.setprofile(None)
    if arguments.list:
        for file, name in calls:
            sys.stdout.write(f"{file}  {name}\n")
    files = {file for file, _ in calls}
    n_switches = sum(one[0] != other[0] for one, other in pairwise(calls))
    sys.stdout.write(
        f"{len(files)} files, {len(set(calls))} functions, {len(calls)} calls, "
        f"{n_switches} switches between files\n"
    )
    for file in sorted(files):
        sys.stdout.write(f"  {file}\n")


if __name__ == "__main__":
    main()
