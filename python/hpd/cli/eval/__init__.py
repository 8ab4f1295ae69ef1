"""``hpd eval``: predictions against gold values, and two files against each other."""

from hpd.cli.eval.arguments import add_parser

__all__ = ["add_parser"]
