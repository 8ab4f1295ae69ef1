"""Self-contained HTML pages, and one extraction as a piece of HTML without a script.

What is shown is taken from a line of ``hpd extract`` as it stands there, a mapping. A page needs no
network: its style sheets, scripts and data stand in it. What a document says is never markup:
templates escape it, and scripts only ever set the text of an element.
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

SHARED_FOLDER = Path(__file__).parent / "templates"
"""The style sheets, scripts and templates that more than one page has."""

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
    """A page out of a template, and the style sheet and script of the same name beside it.

    Args:
        template: extends ``page.html``. Its text is escaped; ``names`` are what it is given.
        data: goes into the page as JSON, for the script.
        may_call_server: whether the script may make requests to the server of the page. All other
            requests are forbidden, and so are scripts and styles that are not the page's own.
        pictures_beside: whether the page may load pictures from its own folder or server.
        scripts: further scripts, which the one of the same name can use.
    """
    styles = _read(
        SHARED_FOLDER / "document.css", SHARED_FOLDER / "page.css", template.with_suffix(".css")
    )
    script = _read(
        SHARED_FOLDER / "document.js",
        SHARED_FOLDER / "page.js",
        *scripts,
        template.with_suffix(".js"),
    )
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    return render(
        template,
        styles=Markup(styles),
        script=Markup(script),
        policy=content_policy(
            styles, script, may_call_server=may_call_server, pictures_beside=pictures_beside
        ),
        data=Markup(script_json(data)),
        **names,
    )


def render(template: Path, **names: Any) -> str:
    """A template with everything escaped that is put into it."""
    return _environment(template.parent, escapes=True).get_template(template.name).render(**names)


def render_text(template: Path, **names: Any) -> str:
    """A template as plain text, in which nothing is escaped; the end has no line break."""
    return _environment(template.parent, escapes=False).get_template(template.name).render(**names)


def content_policy(
    styles: str, script: str, *, may_call_server: bool, pictures_beside: bool = False
) -> str:
    """A Content-Security-Policy that forbids everything but the page's own script.

    That script cannot turn text into markup either, where browsers know trusted types.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(styles)}'",
            f"script-src '{_digest(script)}'",
            "connect-src 'self'" if may_call_server else "connect-src 'none'",
            # What 'self' is in a page that was opened from a disk differs between browsers.
            "img-src data: 'self' file:" if pictures_beside else "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def script_json(data: object) -> str:
    """JSON that is safe inside a script element: nothing in it ends the element.

    A lone surrogate, which UTF-8 cannot encode, is written as its escape.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _BREAKS_OUT.items():
        text = text.replace(character, escape)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(*paths: Path) -> str:
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
    """A stretch of the text, marked or not."""

    text: str
    classes: str | None = None
    """None: no value stands here."""
    label: str | None = None
    """The paths of the values that end here."""


def extraction_html(line: Mapping[str, Any], text: str | None) -> str:
    """The HTML of a line of ``hpd extract``: the text with its values marked, and their table.

    Args:
        line: as ``Extraction.to_dict`` gives it.
        text: the document; None shows the values alone.
    """
    values = shown_values(line.get("data") or {}, line.get("fields") or {})
    slots = color_slots({"": dict.fromkeys(value.attribute for value in values)})
    colors = [color_classes(slots[value.attribute]) for value in values]
    pieces = None
    if text is not None:
        segments = covered_segments(values, len(text))
        pieces = list(_pieces(text, segments, colors, [value.path for value in values]))
    return render(
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
