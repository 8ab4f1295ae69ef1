"""A kind of documents: a folder with the facts that it draws, what is asked, and its wordings."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from recipe.documents.asking import Ask
from recipe.documents.wording import Wording, WordingError, read_wordings
from recipe.facts import World

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Kind:
    """The facts, the questions and the wordings of one kind of documents."""

    name: str
    draw: Callable[[World], Mapping[str, Any]]
    asked: Mapping[str, Ask]
    wordings: tuple[Wording, ...]

    def knows(self, path: str) -> bool:
        """Whether something at this path can be asked for."""
        return self.ask_at(path) is not None

    def ask_at(self, path: str) -> Ask | None:
        """The question about a path, which may lead into an item of a list: ``items.2.name``."""
        return _ask_at(self.asked, path)


def _ask_at(asked: Mapping[str, Ask], path: str) -> Ask | None:
    if path in asked:
        return asked[path]
    parts = path.split(".")
    for end, part in enumerate(parts):
        ask = asked.get(".".join(parts[:end])) if part.isdigit() else None
        if ask is not None and ask.sort == "texts" and end == len(parts) - 1:
            return ask
        if ask is not None and ask.sort == "objects":
            return _ask_at(ask.parts, ".".join(parts[end + 1 :]))
    return None


def kind_names() -> tuple[str, ...]:
    """The kinds that there are: the folders with a module ``facts``."""
    return tuple(sorted(file.parent.name for file in FOLDER.glob("*/facts.py")))


@cache
def load_kind(name: str) -> Kind:
    """A kind by the name of its folder.

    Raises:
        WordingError: A file of wordings cannot be read.
    """
    module = importlib.import_module(f"recipe.documents.{name}.facts")
    wordings = tuple(
        wording for file in sorted((FOLDER / name).glob("*.txt")) for wording in read_wordings(file)
    )
    kind = Kind(name, module.draw, module.ASKED, wordings)
    for wording in wordings:
        for path in (*wording.states, *wording.unclear):
            if not kind.knows(path):
                raise WordingError(f"{wording.file}:{wording.line}: @{path} is not in ASKED")
    return kind
