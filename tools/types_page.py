"""Updates the table in docs/types.md: every type, its constraint, and an example with its result.

``python -m tools.types_page`` runs the examples with the bundled model and writes the table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.prompt.questions import variant_attribute
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute
from hpd.schema.scalars import STRING_FORMATS
from hpd.values.grammar import (
    _FORMAT_RULES,
    _NUMBER,
    _pattern_is_supported,
    enum_texts,
    value_grammar,
)

PAGE = Path(__file__).resolve().parents[1] / "docs" / "types.md"
COLUMNS = ("Type", "In a schema", "Constraint", "Document", "Result")

_MAX_RULE_LENGTH = 60
_COMMON = {r'"\"" char* "\""': "any text", _NUMBER: "any number"}
"""Grammars that the table describes in words."""
_LIMITS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength",
)  # fmt: skip
"""Keywords of JSON Schema; an attribute has them with underscores."""


@dataclass(frozen=True)
class TypeExample:
    """A row of the table."""

    name: str
    schema: str | dict[str, Any]
    document: str

    def attribute(self) -> Attribute:
        """The row's attribute, the last one of the schema."""
        return load_schema(self.source()).attributes[-1]

    def source(self) -> str | dict[str, Any]:
        """The whole schema; a dict without ``properties`` is its properties."""
        if isinstance(self.schema, str) or "properties" in self.schema:
            return self.schema
        return {"type": "object", "properties": self.schema}

    def shown(self) -> str:
        """The schema as the table shows it."""
        return self.schema if isinstance(self.schema, str) else json.dumps(self.schema)


EXAMPLES = tuple(
    TypeExample(**row)
    for row in json.loads(Path(__file__).with_name("types.json").read_text(encoding="utf-8"))
)


def constraint(attribute: Attribute) -> str:
    """Return an attribute's constraint in words and GBNF."""
    parts = "; ".join(f"{child.name}: {constraint(child)}" for child in attribute.attributes)
    if attribute.type == "object":
        return f"each part separately: {parts}"
    if attribute.type == "tuple":
        return "each item separately: " + "; ".join(map(constraint, attribute.attributes))
    if attribute.type == "recursive":
        return "the same, one level down"
    if attribute.type == "union" and not attribute.is_scalar:
        variants = _trie(enum_texts(variant_attribute(attribute)) or [])
        return f"first the variant, {variants}; then its parts: {parts}"
    if attribute.type == "map" and attribute.item is not None:
        name, value = map(constraint, attribute.item.attributes)
        return f"first all names: {name}; then all values at once: {value}"
    if attribute.type == "array" and attribute.item is not None:
        item = constraint(attribute.item)
        once = ", without duplicates" if attribute.unique_items else ""
        if attribute.item.is_scalar:
            return f"one list, or the number of items, then all at once{once}: {item}"
        return f"the names or number of the rows, then everything else at once{once}: {item}"
    texts = enum_texts(attribute)
    if texts is not None:
        return _trie(texts)
    left = unconstrained(attribute)
    checked = f"; checked: {', '.join(left)}" if left else ""
    rule = _rule(attribute)
    return f"{_COMMON.get(rule) or f'grammar {_code(rule)}'}{checked}"


def unconstrained(attribute: Attribute) -> list[str]:
    """Return the limits of a scalar that are checked after decoding, not by its grammar."""
    names = {limit: re.sub("([A-Z])", r"_\1", limit).lower() for limit in _LIMITS}
    limits = [limit for limit, name in names.items() if getattr(attribute, name) is not None]
    if attribute.type == "integer":
        limits.append("whole number")
    if attribute.type in ("date", "date-time"):
        limits.append("calendar")
    if attribute.pattern is not None and not _pattern_is_supported(attribute.pattern):
        limits.append("pattern")
    if attribute.format is not None and (
        attribute.pattern is not None
        or attribute.format not in STRING_FORMATS
        or attribute.format in _FORMAT_RULES
    ):
        limits.append("format")
    return limits


def _trie(texts: Iterable[str]) -> str:
    return "trie of " + ", ".join(_code(text.strip()) for text in texts)


def _rule(attribute: Attribute) -> str:
    root = (value_grammar(attribute) or "").splitlines()[0]
    rule = root[root.index("(") + 1 : root.rindex(") end?")].removesuffix(' | "null"')
    return rule if len(rule) <= _MAX_RULE_LENGTH else rule[:_MAX_RULE_LENGTH].rstrip() + " …"


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Yield the table's rows without results."""
    for example in EXAMPLES:
        attribute = example.attribute()
        yield example.name, _code(example.shown()), constraint(attribute), example.document


def results() -> list[Any]:
    """Return the bundled model's answer to each example."""
    from hpd import Extractor

    answers = []
    with Extractor(EXAMPLES[0].source(), n_ctx=2048) as extractor:
        for example in EXAMPLES:
            extraction = extractor.extract(example.document, schema=example.source())
            errors = [field.error for field in extraction.fields.values() if field.error]
            answers.append((extraction.data, errors))
    return answers


def page(answers: list[Any]) -> str:
    """Return the page with an updated table of each example's data and errors."""
    lines = [_line(COLUMNS), _line(["---"] * len(COLUMNS))]
    for row, (data, errors) in zip(rows(), answers, strict=True):
        result = _code(json.dumps(data, ensure_ascii=False))
        lines.append(_line([*row, "; ".join([result, *(f"error: {error}" for error in errors)])]))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n{_line(COLUMNS)}\n")
    return "\n".join([before, *lines, "", rest.partition("\n\n")[2]])


def _line(row: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def main() -> None:
    """Run the examples and write the page."""
    PAGE.write_text(page(results()), encoding="utf-8")


if __name__ == "__main__":
    main()
