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
        return _known(self.asked, path)


def _known(asked: Mapping[str, Ask], path: str) -> bool:
    if path in asked:
        return True
    parts = path.split(".")
    for end, part in enumerate(parts):
        if end and part.isdigit():
            ask = asked.get(".".join(parts[:end]))
            inner = ".".join(parts[end + 1 :])
            if ask is None:
                return False
            if ask.sort == "texts":
                return not inner
            return ask.sort == "objects" and _known(ask.parts, inner)
    return False


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
            if not kind.knows(path) and not _list_mark(kind, path):
                raise WordingError(f"{wording.file}:{wording.line}: @{path} is not in ASKED")
    return kind


def _list_mark(kind: Kind, path: str) -> bool:
    ask = kind.asked.get(path)
    return ask is not None and ask.sort in ("texts", "objects")
