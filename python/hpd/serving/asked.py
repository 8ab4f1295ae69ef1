"""A request that was read, and the form of its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.documents import Document
from hpd.results import Extraction
from hpd.serving.plans import Plan

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Answer:
    """The body of an answer."""

    body: bytes
    media_type: str = JSON


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was read: its documents, what is asked of them, and what becomes of it."""

    documents: Sequence[Document]
    plan: Plan
    answer: Callable[[Sequence[Extraction[Any]]], Answer]
    """Writes the extractions of the documents, in their order; may raise ``RefusedError``."""
