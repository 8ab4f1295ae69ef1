"""The options of an extractor.

Each option is declared once, as a field of ``Options``, with its default, help, flags, bounds and
purpose. The command line, the checks, the engine's own structs and the identity of tuned settings
are made from that.
"""

from hpd.options.option import Option, Tuning
from hpd.options.options import OPTIONS, TUNABLE, Method, OnOverflow, Options, combined

__all__ = ["OPTIONS", "TUNABLE", "Method", "OnOverflow", "Option", "Options", "Tuning", "combined"]
