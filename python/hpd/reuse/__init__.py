"""Values that are decoded once: those of a document that comes again, now or in a later run."""

from hpd.reuse.decoded import Decoded
from hpd.reuse.folder import FolderTable, ReuseWarning
from hpd.reuse.known_values import KnownValues, Reuse, Table, fingerprint
from hpd.reuse.memory import MemoryTable

__all__ = [
    "Decoded",
    "FolderTable",
    "KnownValues",
    "MemoryTable",
    "Reuse",
    "ReuseWarning",
    "Table",
    "fingerprint",
]
