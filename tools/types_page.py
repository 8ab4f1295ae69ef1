"""Updates the table in docs/types.md: every type, its constraint, and an example with its result.

``python -m tools.types_page`` runs the examples with the bundled model and writes the table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.prompt.questions import which_attribute
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute
from hpd.values.grammar import enum_texts, value_grammar
from tools.unconstrained import unconstrained

PAGE = Path(__file__).resolve().parents[1] / "docs" / "types.md"
COLUMNS = ("Type", "In a schema", "Constraint", "Document", "Result")

_MAX_RULE_LENGTH = 60
_COMMON = {r'"\"" char* "\""': "any text", '"-"? [0-9]+ ("." [0-9]+)?': "any number"}
"""Grammars that the table describes in words."""


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


EXAMPLES = (
    TypeExample("text", "brand", "Luma T-Shirt, white"),
    TypeExample(
        "text with a length",
        {"color": {"type": "string", "minLength": 2, "maxLength": 12}},
        "Nike shoe, red",
    ),
    TypeExample(
        "text with a pattern",
        {"model_number": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"}},
        "Bosch drill, model number AB-123",
    ),
    TypeExample(
        "text with a format",
        {"order_id": {"type": "string", "format": "uuid"}},
        "Order id 123e4567-e89b-12d3-a456-426614174000",
    ),
    TypeExample("whole number", "pack_size int", "Ground coffee, 6 bags"),
    TypeExample(
        "whole number with limits",
        {"rating": {"type": "integer", "minimum": 1, "maximum": 5}},
        "Rating: 4 of 5",
    ),
    TypeExample("number", "weight float", "Dumbbell, weight 2.5 kg"),
    TypeExample(
        "number with a step",
        {"total": {"type": "number", "minimum": 0, "multipleOf": 0.01}},
        "Invoice, total 17.90 EUR",
    ),
    TypeExample("boolean", "waterproof bool", "Waterproof jacket, waterproof: true"),
    TypeExample("choice of texts", "color [red|blue|black]", "Diesel sneaker, black leather"),
    TypeExample("choice of numbers", {"priority": {"enum": [1, 2, 3]}}, "Ticket, priority 2 of 3"),
    TypeExample("date", '"due" date', "Invoice, due 2024-05-31"),
    TypeExample("date and time", "start datetime", "Concert, start 2024-05-31T09:30:00"),
    TypeExample("optional", "size?", "Diesel sneaker, black leather"),
    TypeExample("required", "size!", "Diesel sneaker, size 9"),
    TypeExample("list", "colors [str]", "Shirts in red, blue and green"),
    TypeExample(
        "list without duplicates",
        {"colors": {"type": "array", "items": {"type": "string"}, "uniqueItems": True}},
        "Colors: red, blue, red",
    ),
    TypeExample("list of objects", "lines [{item, quantity int}]", "2 hammers, 3 saws"),
    TypeExample("object", "maker {name, city}", "Made by Bosch in Stuttgart"),
    TypeExample("dependent attribute", "currency, total float after currency", "Total 17.90 EUR"),
    TypeExample("text or number", {"size": {"type": ["integer", "string"]}}, "Sneaker, size 9"),
    TypeExample(
        "union of objects",
        {
            "payment": {
                "anyOf": [
                    {"title": "Card", "properties": {"card_number": {"type": "string"}}},
                    {"title": "Transfer", "properties": {"iban": {"type": "string"}}},
                ]
            }
        },
        "Payment by card, card number 4711 0815",
    ),
    TypeExample(
        "open names",
        {"prices": {"type": "object", "additionalProperties": {"type": "number"}}},
        "Prices: coffee 2.50, tea 1.80",
    ),
    TypeExample(
        "tuple",
        {"route": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}},
        "Route: Berlin, 12",
    ),
    TypeExample(
        "recursive object",
        {
            "$defs": {
                "employee": {
                    "properties": {
                        "name": {"type": "string"},
                        "manager": {"$ref": "#/$defs/employee"},
                    }
                }
            },
            "properties": {"employee": {"$ref": "#/$defs/employee"}},
        },
        "Employee: Ann Miller",
    ),
)


def constraint(attribute: Attribute) -> str:
    """Return an attribute's constraint in words and GBNF."""
    if attribute.type == "object":
        parts = [f"{child.name}: {constraint(child)}" for child in attribute.attributes]
        return "each part separately: " + "; ".join(parts)
    if attribute.type == "tuple":
        return "each item separately: " + "; ".join(map(constraint, attribute.attributes))
    if attribute.type == "recursive":
        return "the same, one level down"
    if attribute.type == "union" and not attribute.is_scalar:
        variants = enum_texts(which_attribute(attribute)) or []
        parts = [f"{child.name}: {constraint(child)}" for child in attribute.attributes]
        names = ", ".join(_code(text.strip()) for text in variants)
        return f"first the variant, trie of {names}; then its parts: " + "; ".join(parts)
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
        return "trie of " + ", ".join(_code(text.strip()) for text in texts)
    left = unconstrained(attribute)
    checked = f"; checked: {', '.join(left)}" if left else ""
    rule = _rule(attribute)
    return f"{_COMMON.get(rule) or f'grammar {_code(rule)}'}{checked}"


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


def cells(text: str) -> list[list[str]]:
    """Return a page's table without its heading."""
    table = [line for line in text.partition("\n## Whole")[0].splitlines() if line.startswith("| ")]
    split = [line[2:-2].replace("\\|", "\0").split(" | ") for line in table]
    return [[cell.replace("\0", "|") for cell in row] for row in split[2:]]


def _line(row: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def main() -> int:
    """Run the examples and write the page."""
    PAGE.write_text(page(results()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
