"""One fact, the forms in which it can be written, and what each form tells a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


class _Unclear:
    """The gold of a fact that is hinted at and cannot be told with certainty."""

    def __repr__(self) -> str:
        return "UNCLEAR"


UNCLEAR = _Unclear()


@dataclass(frozen=True)
class Statement:
    """The gold that one form gives away, how it is written, and how complete it is."""

    gold: Any
    written: str
    rank: int = 2


@dataclass(frozen=True)
class Form:
    """One way to write a fact: its text and what that text states, by path.

    Before a fact is bound to its place in a document, its own path is the empty string.
    """

    text: str
    states: Mapping[str, Statement] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.text)

    def changed(self, change: Callable[[str], str]) -> Form:
        """The form in another spelling, which changes copied gold as well."""
        return Form(
            change(self.text),
            {
                path: replace(
                    statement,
                    gold=change(statement.gold)
                    if isinstance(statement.gold, str) and statement.gold in self.text
                    else statement.gold,
                    written=change(statement.written),
                )
                for path, statement in self.states.items()
            },
        )

    def bound(self, prefix: str) -> Form:
        """The form with the paths of a document."""
        return Form(
            self.text,
            {
                f"{prefix}.{path}" if path else prefix: statement
                for path, statement in self.states.items()
            },
        )


def form(text: str, gold: Any, rank: int = 2, **parts: Any) -> Form:
    """A form that states ``gold``, and further parts such as ``currency``."""
    states = {"": Statement(gold, text, rank)} if gold is not None else {}
    states |= {part: Statement(value, text, rank) for part, value in parts.items()}
    return Form(text, states)


class Fact:
    """A fact with a default form and named ones, which are its attributes: ``date.long``.

    A form that costs time may be a function, which is called when the form is written.
    """

    def __init__(
        self, value: Any, default: Form | Callable[[], Form], **forms: Form | Callable[[], Form]
    ) -> None:
        self.value = value
        self.path = ""
        self._default = default
        self._forms = forms

    def __getattr__(self, name: str) -> Form:
        forms = self.__dict__.get("_forms", {})
        if name not in forms:
            raise AttributeError(f"no form {name!r}, but {', '.join(forms) or 'only the default'}")
        return _made(forms[name]).bound(self.path)

    @property
    def written(self) -> Form:
        """The default form."""
        return _made(self._default).bound(self.path)

    def __str__(self) -> str:
        return _made(self._default).text

    def __bool__(self) -> bool:
        return bool(self.value)


def _made(form: Form | Callable[[], Form]) -> Form:
    return form if isinstance(form, Form) else form()


class Record:
    """Facts that belong together, as the name and the address of a person."""

    def __init__(self, **facts: Any) -> None:
        self.__dict__.update(facts)

    def __iter__(self) -> Iterable[tuple[str, Any]]:  # type: ignore[misc]
        return iter(self.__dict__.items())


def bind(tree: Any, path: str = "") -> None:
    """Tell every fact of a tree its path; items of lists are counted from 1."""
    if isinstance(tree, Fact):
        tree.path = path
    elif isinstance(tree, (dict, Record)):
        for name, part in tree.__dict__.items() if isinstance(tree, Record) else tree.items():
            bind(part, f"{path}.{name}" if path else name)
    elif isinstance(tree, (list, tuple)):
        for number, part in enumerate(tree, start=1):
            bind(part, f"{path}.{number}")
