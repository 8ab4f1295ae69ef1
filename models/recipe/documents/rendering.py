"""A wording rendered with drawn facts, and the facts that its text then states."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateError, Undefined

from recipe.documents.kind import Kind
from recipe.documents.wording import Wording, json_or_text
from recipe.facts.fact import UNCLEAR, Fact, Form, Statement, bind
from recipe.facts.world import World

_MARK = re.compile(r"\[\[([a-z_0-9.]+)(?:=([^|\[\]]+))?\|(.*?)\]\]", re.DOTALL)


@dataclass(frozen=True)
class Rendered:
    """A text and what it states, by path."""

    text: str
    states: Mapping[str, Statement]


def render(wording: Wording, kind: Kind, rng: Random) -> Rendered:
    """The wording with facts of its kind; only what is written into the text is stated.

    Raises:
        WordingError: The template is wrong, or a slot does not exist.
    """
    world = World(rng, wording.language, wording.locale, wording.counts)
    facts = dict(kind.draw(world))
    bind(facts)
    states: dict[str, Statement] = {}

    def note(path: str, statement: Statement) -> None:
        if path not in states or states[path].rank < statement.rank:
            states[path] = statement

    def written(value: Any) -> Any:
        shown = value.written if isinstance(value, Fact) else value
        if isinstance(shown, Form):
            for path, statement in shown.states.items():
                note(path, statement)
            return shown.text
        if isinstance(shown, (str, int, float)):
            return shown
        if isinstance(shown, Undefined):
            whole, name = shown._undefined_obj, str(shown._undefined_name)
            return getattr(whole, name) if isinstance(whole, Fact) else str(shown)
        raise TypeError(f"{type(value).__name__} is no text: name one of its parts")

    try:
        template, environment = _template(wording.body)
        environment.finalize = written
        text = template.render({**facts, "pick": world.pick, "world": world})
    except (TemplateError, TypeError, AttributeError, ValueError) as error:
        raise wording.error(error) from None

    n_marked: dict[str, int] = {}

    def marked(match: re.Match[str]) -> str:
        path, gold, words = match.groups()
        if not kind.knows(path):
            raise wording.error(f"[[{path}|...]] is not in ASKED of {kind.name}")
        if path in kind.asked and kind.asked[path].sort == "texts":
            n_marked[path] = n_marked.get(path, 0) + 1
            path = f"{path}.{n_marked[path]}"
        note(path, Statement(json_or_text(gold) if gold else " ".join(words.split()), words, 9))
        return words

    text = _MARK.sub(marked, text)
    if "[[" in text or "]]" in text:
        raise wording.error("a mark reads [[path|words]] or [[path=gold|words]]")
    for path, gold in wording.states.items():
        note(path, Statement(gold, "", 9))
    for path in wording.unclear:
        states[path] = Statement(UNCLEAR, "", 10)
    # Lines that became empty one after the other are one.
    text = re.sub(r"[ \t]+\n", "\n", text)
    text = re.sub(r"\n{3,}", "\n\n", text).lstrip("\n").rstrip()
    return Rendered(text, states)


@cache
def _template(body: str) -> tuple[Template, Environment]:
    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value,
        autoescape=False,
    )
    for name, change in (
        ("upper", str.upper),
        ("lower", str.lower),
        ("title", str.title),
        ("capitalize", lambda words: words[:1].upper() + words[1:]),
    ):
        environment.filters[name] = _spelling(change)
    environment.filters["join"] = _join
    return environment.from_string(body), environment


def _spelling(change: Callable[[str], str]) -> Callable[[Any], Any]:
    def filtered(value: Any) -> Any:
        shown = value.written if isinstance(value, Fact) else value
        return shown.changed(change) if isinstance(shown, Form) else change(str(shown))

    return filtered


def _join(values: Any, between: str = ", ", last: str = "") -> Form:
    """Several facts in a row, with another word before the last one: ``join(", ", " and ")``."""
    forms = [value.written if isinstance(value, Fact) else value for value in values]
    forms = [shown if isinstance(shown, Form) else Form(str(shown)) for shown in forms]
    states: dict[str, Statement] = {}
    text = ""
    for number, shown in enumerate(forms):
        if number:
            text += last if last and number == len(forms) - 1 else between
        text += shown.text
        states |= shown.states
    return Form(text, states)
