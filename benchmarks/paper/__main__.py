"""Reproduces the figures, tables and claims of the paper, as far as possible.

    python -m benchmarks.paper --list
    python -m benchmarks.paper --data DATA --work WORK
    python -m benchmarks.paper --part figure-4 --work WORK -m model.gguf
    python -m benchmarks.paper --pages

DATA has a folder for each data set: oa-mine and ae-110k with train.jsonl, dev.jsonl and
attributes.json, wdc-pave with train.jsonl, crossner with DOMAIN.jsonl and DOMAIN.schema.json. Each
part writes one JSON file, and is skipped if that exists; intermediate files stay in WORK, so an
interrupted part continues where it stopped. --pages writes the results into the slots of the pages;
benchmarks.paper.figures draws the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.harness import part
from benchmarks.paper import neighbours, quality, speed

PARTS = (*quality.PARTS, *speed.PARTS, *neighbours.PARTS)


def main(arguments: Sequence[str] | None = None) -> int:
    return part.run(PARTS, "benchmarks.paper", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
