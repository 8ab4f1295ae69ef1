"""Values that are decoded once: those of a document that comes again, now or in a later run."""

from hpd.pipeline.reuse.decoded import Decoded
from hpd.pipeline.reuse.folder import FolderTable, ReuseWarning
from hpd.pipeline.reuse.known_values import KnownValues, Reuse, Table, fingerprint
from hpd.pipeline.reuse.memory import MemoryTable

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
