"""The types of the callbacks that report progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

OnChunk = Callable[[int, int, int], None]
"""Called when a document is split into chunks and when a chunk is finished, with the document's
index in the input, the number of finished chunks and the number of all chunks."""

OnSettled = Callable[[int, Mapping[str, Any]], None]
"""Called before a document is finished, with its index in the input and the data of its leading
attributes that can no longer change."""
