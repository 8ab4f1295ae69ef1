"""``hpd eval``: predictions against gold values, and two files against each other."""

from hpd.evaluation.commands.eval.arguments import add_parser

__all__ = ["add_parser"]
