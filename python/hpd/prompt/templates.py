"""Texts for a model out of Jinja templates, which stand in files of their own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def render_text(template: Path, **names: Any) -> str:
    """A template as plain text, in which nothing is escaped; the end has no line break."""
    return _environment(template.parent).get_template(template.name).render(**names)


@cache
def _environment(folder: Path) -> Environment:
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
