"""The tables of docs/performance.md, measured again on an idle machine.

    python benchmarks/make_model.py --shape qwen3-0.6b --type Q8_0 model.gguf
    python -m benchmarks.tables --data DATA --work WORK --speed-model model.gguf
    python -m benchmarks.tables --part table-mixed --data DATA --speed-model model.gguf --again
    python -m benchmarks.tables --pages

Each workload is a part: hpd's methods take turns in three rounds, each a second time with
grammars, then its peers. --server names llama.cpp's llama-server, which is a peer, too. --pages
writes the tables into the pages that have a place for them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.published import command, side_by_side

PARTS = side_by_side.parts()


def main(arguments: Sequence[str] | None = None) -> int:
    return command.run(PARTS, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
