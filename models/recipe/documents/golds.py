"""The golds of a rendered wording, in the types in which they are asked for."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from recipe.documents.asking import Ask
from recipe.facts.fact import UNCLEAR, Statement


class GoldError(ValueError):
    """A gold that its question cannot have."""


def gold(ask: Ask, path: str, states: Mapping[str, Statement]) -> Any:
    """The gold of one question: a value, null where nothing is stated, or ``UNCLEAR``.

    Items of lists are numbered from 1, in the order of the text; lists that are not stated are
    empty, and a group has none of its own.

    Raises:
        GoldError: The gold is of another type, or no choice.
    """
    if ask.sort in ("texts", "objects"):
        return _items(ask, path, states)
    statement = states.get(path)
    if statement is None:
        return UNCLEAR if ask.always else None
    if statement.gold is UNCLEAR or statement.gold is None:
        return statement.gold
    _check(ask, path, statement.gold)
    if isinstance(statement.gold, float) and statement.gold.is_integer():
        return int(statement.gold)
    return statement.gold


def _items(ask: Ask, path: str, states: Mapping[str, Statement]) -> Any:
    whole = states.get(path)
    if whole is not None:
        if whole.gold is UNCLEAR:
            return UNCLEAR
        if not isinstance(whole.gold, list):
            raise GoldError(f"{path}: {whole.gold!r} is no list")
        return whole.gold
    pattern = re.compile(re.escape(path) + r"\.(\d+)(?:\.|$)")
    numbers = sorted({int(match[1]) for match in map(pattern.match, states) if match})
    if ask.sort == "texts":
        return [states[f"{path}.{number}"].gold for number in numbers]
    return [
        {key: gold(part, f"{path}.{number}.{key}", states) for key, part in ask.parts.items()}
        for number in numbers
    ]


def _check(ask: Ask, path: str, value: Any) -> None:
    if ask.sort == "text" and not isinstance(value, str):
        raise GoldError(f"{path}: {value!r} is no text (in a mark, leave out the part with =)")
    if ask.sort in ("number", "integer"):
        numbers = int if ask.sort == "integer" else (int, float)
        if not isinstance(value, numbers) or isinstance(value, bool):
            raise GoldError(f"{path}: {value!r} is no {ask.sort}: write [[{path}=3|three]]")
    if ask.sort == "currency" and not re.fullmatch("[A-Z]{3}", str(value)):
        raise GoldError(f"{path}: {value!r} is no code such as EUR")
    if ask.sort == "yes_no" and not isinstance(value, bool):
        raise GoldError(f"{path}: {value!r} is neither true nor false")
    if ask.sort == "choice" and value not in ask.choices:
        raise GoldError(f"{path}: {value!r} is none of {', '.join(ask.choices)}")
    if ask.sort == "date":
        try:
            datetime.date.fromisoformat(value)
        except (TypeError, ValueError):
            raise GoldError(f"{path}: {value!r} is no ISO date") from None
    if ask.sort == "time" and not re.fullmatch(r"[012]\d:[0-5]\d", str(value)):
        raise GoldError(f"{path}: {value!r} is no time such as 18:30")
