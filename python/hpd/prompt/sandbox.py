"""A sandbox for chat templates, which are untrusted programs from model files."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_STEPS = 100_000
"""Maximum number of loop iterations and calls; templates need hundreds."""

MAX_CHARACTERS = 1_000_000
"""Maximum length of the output."""


def render_sandboxed(source: str, **variables: Any) -> str:
    """Render a template.

    Raises:
        Exception: any error of the template; it may also take too many steps or write too much.
    """
    text = ""
    for piece in _Sandbox().program(source).generate(variables):
        text += piece
        if len(text) > MAX_CHARACTERS:
            raise jinja2.TemplateError(f"it writes more than {MAX_CHARACTERS} characters")
    return text


class _Generation(Extension):
    """Ignores ``{% generation %}`` tags, which mark the text on which a model is trained."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Any) -> Any:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _Sandbox(ImmutableSandboxedEnvironment):
    """The environment that templates expect, for one rendering."""

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols", _Generation],
        )
        self._n_steps = 0
        self.globals.update(raise_exception=_raise_exception, strftime_now=_strftime_now)
        self.filters.update(tojson=_tojson, counted=self._counted)

    def program(self, source: str) -> jinja2.Template:
        """Compile the template so that its loop iterations are counted."""
        tree = self.parse(source)
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, "counted", [], [], None, None)
        return jinja2.Template.from_code(self, self.compile(tree), self.globals)

    def call(self, *arguments: Any, **named: Any) -> Any:
        """Count a call in the template."""
        self._step()
        return super().call(*arguments, **named)

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self._step()
            yield item

    def _step(self) -> None:
        self._n_steps += 1
        if self._n_steps > MAX_STEPS:
            raise jinja2.TemplateError(f"it does not end within {MAX_STEPS} steps")


def _raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _strftime_now(form: str) -> str:
    return datetime.datetime.now().strftime(form)


def _tojson(value: Any, **settings: Any) -> str:
    """Return plain JSON: Jinja's own filter escapes HTML."""
    return json.dumps(value, **{"ensure_ascii": False, **settings})
