"""A category of goods: the values of its listings, their names, and their order."""

from __future__ import annotations

from dataclasses import dataclass, field

from recipe.lists import words


@dataclass(frozen=True)
class Category:
    """Word lists and title patterns of one category.

    ``values`` maps a key to entries, in which ``@word`` calls a generator of `recipe.values`.
    ``titles`` are patterns: ``{key}`` is a value, ``[...]`` may be left out.
    ``names`` adds names under which a key is asked for here ("Tea variety").
    """

    name: str
    values: dict[str, tuple[str, ...]]
    titles: tuple[str, ...]
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)


def category(
    name: str, values: dict[str, str], titles: str, names: dict[str, str] | None = None
) -> Category:
    """A category written compactly: lists as ``a|b``, one title pattern a line."""
    return Category(
        name,
        {key: words(text) for key, text in values.items()},
        tuple(line.strip() for line in titles.splitlines() if line.strip()),
        {key: words(text) for key, text in (names or {}).items()},
    )
