"""The tables of docs/performance.md and README, measured again on an idle machine.

    python -m benchmarks.tables --data DATA --work WORK
    python -m benchmarks.tables --data DATA --part table-catalogue -m model.gguf --again
    python -m benchmarks.tables --pages

Each workload is a part: hpd's methods take turns in three rounds, each with the model's own
answers, and then once more with known ones. Another part is of other programs; --server names
llama.cpp's llama-server, which is one of them. --pages writes the tables into the pages that have
a place for them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.published import command, side_by_side

PARTS = side_by_side.PARTS


def main(arguments: Sequence[str] | None = None) -> int:
    return command.run(PARTS, "benchmarks.tables", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
