"""``python -m hpd.cli``: the same as ``hpd``."""

import sys

from hpd.cli import main

if __name__ == "__main__":
    sys.exit(main())
