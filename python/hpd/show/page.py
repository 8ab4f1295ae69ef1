"""Renders self-contained HTML pages, and single extractions as HTML without a script.

Extractions are given as lines of ``hpd extract``, as mappings. A page contains its style sheets,
scripts and data, so it needs no network. Text of documents never becomes markup: templates escape
it, and scripts only set the text of elements.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hpd.schema.data_checks import check_text
from hpd.show.shown_values import (
    TextSegment,
    color_classes,
    color_slots,
    covered_segments,
    shown_values,
)
from hpd.surrogates import escape_surrogates

SHARED_FOLDER = Path(__file__).parent / "templates"
"""The style sheets, scripts and templates that pages share."""

_BREAKS_OUT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def render_page(
    template: Path,
    *,
    data: object,
    may_call_server: bool = False,
    pictures_beside: bool = False,
    scripts: Sequence[Path] = (),
    **names: Any,
) -> str:
    """Render a page from a template, with the style sheet and script of the same name.

    Args:
        template: extends ``page.html``; text is escaped.
        data: included in the page as JSON, for the script.
        may_call_server: whether the script may make requests to the server of the page. All other
            requests are forbidden, as are scripts and styles of other origins.
        pictures_beside: whether the page may load pictures from its own folder or server.
        scripts: more scripts, which the template's own script can use.
        names: variables of the template.
    """
    styles = _read_files(
        SHARED_FOLDER / "document.css", SHARED_FOLDER / "page.css", template.with_suffix(".css")
    )
    script = _read_files(
        SHARED_FOLDER / "document.js",
        SHARED_FOLDER / "page.js",
        *scripts,
        template.with_suffix(".js"),
    )
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    return render_html(
        template,
        styles=Markup(styles),
        script=Markup(script),
        policy=content_policy(
            styles, script, may_call_server=may_call_server, pictures_beside=pictures_beside
        ),
        data=Markup(script_json(data)),
        **names,
    )


def render_html(template: Path, **names: Any) -> str:
    """Render a template as HTML, escaping all variables."""
    return _environment(template.parent, escapes=True).get_template(template.name).render(**names)


def render_text(template: Path, **names: Any) -> str:
    """Render a template as plain text, without escaping and without a final line break."""
    return _environment(template.parent, escapes=False).get_template(template.name).render(**names)


def content_policy(
    styles: str, script: str, *, may_call_server: bool, pictures_beside: bool = False
) -> str:
    """Return a Content-Security-Policy that forbids everything except the page's own script.

    In browsers that support trusted types, the script cannot turn text into markup either.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(styles)}'",
            f"script-src '{_digest(script)}'",
            "connect-src 'self'" if may_call_server else "connect-src 'none'",
            # Browsers differ in what 'self' means for a page opened from disk.
            "img-src data: 'self' file:" if pictures_beside else "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def script_json(data: object) -> str:
    """Return JSON that is safe in a script element, as nothing in it ends the element.

    Lone surrogates, which UTF-8 cannot encode, are escaped.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _BREAKS_OUT.items():
        text = text.replace(character, escape)
    return escape_surrogates(text)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read_files(*paths: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in paths)


@cache
def _environment(folder: Path, *, escapes: bool) -> Environment:
    return Environment(
        loader=FileSystemLoader([folder, SHARED_FOLDER]),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of the text, marked or not."""

    text: str
    classes: str | None = None
    """CSS classes; None if no value covers the text."""
    label: str | None = None
    """The paths of the values that end here."""


def extraction_html(line: Mapping[str, Any], text: str | None) -> str:
    """Render a line of ``hpd extract`` as HTML: the text with its values marked, and a table.

    Args:
        line: as returned by ``Extraction.to_dict``.
        text: the document; None: only the values are shown.
    """
    values = shown_values(line.get("data") or {}, line.get("fields") or {})
    slots = color_slots({"": dict.fromkeys(value.attribute for value in values)})
    colors = [color_classes(slots[value.attribute]) for value in values]
    pieces = None
    if text is not None:
        segments = covered_segments(values, len(text))
        pieces = list(_pieces(text, segments, colors, [value.path for value in values]))
    return render_html(
        SHARED_FOLDER / "extraction.html",
        styles=Markup((SHARED_FOLDER / "document.css").read_text(encoding="utf-8")),
        pieces=pieces,
        rows=list(zip(values, colors, strict=True)),
        has_confidence=any(value.confidence is not None for value in values),
        error=line.get("error"),
        checks=[check_text(check) for check in line.get("checks", ())],
    )


def _pieces(
    text: str, segments: Sequence[TextSegment], colors: Sequence[str], paths: Sequence[str]
) -> Iterator[TextPiece]:
    at = 0
    for start, end, values, ending in segments:
        yield TextPiece(text[at:start])
        inside = " inside" if len(values) > 1 else ""
        label = " · ".join(paths[value] for value in ending)
        yield TextPiece(text[start:end], colors[values[-1]] + inside, label or None)
        at = end
    yield TextPiece(text[at:])
