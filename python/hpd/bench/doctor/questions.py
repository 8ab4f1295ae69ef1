"""The questions of the self-test, with the answers that the model in the box should give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("self_test.json")
"""``python -m tools.self_test`` writes the answers."""


def stored_questions() -> dict[str, Any]:
    """The ``schema``, and ``questions``: of each its text, data, and confidences by dotted path."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content
