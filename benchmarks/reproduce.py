"""The figures, tables and claims of the paper, made here as far as they can be.

    python -m benchmarks.reproduce --list
    python -m benchmarks.reproduce --data DATA --work WORK
    python -m benchmarks.reproduce --part figure-4 --work WORK -m model.gguf
    python -m benchmarks.reproduce --pages

DATA has a folder for each data set: oa-mine and ae-110k with train.jsonl, dev.jsonl and
attributes.json, wdc-pave with train.jsonl. Each part leaves one JSON file, and is not measured
again while that is there; what a part makes on the way stays in WORK, so that it goes on where it
was stopped. --pages writes docs/reproduction.md, and the tables in other pages, from the results.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.published import command, learning, quality, speed

PARTS = (*quality.PARTS, *learning.PARTS, *speed.PARTS)


def main(arguments: Sequence[str] | None = None) -> int:
    return command.run(PARTS, "benchmarks.reproduce", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
