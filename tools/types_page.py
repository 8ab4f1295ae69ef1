"""The page docs/types.md: every type, its constraint, and an example that was run.

``python -m tools.types_page`` runs the examples on the model in the box and writes the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.prompt.questions import count_attribute
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute
from hpd.values.grammar import enum_texts, unconstrained, value_grammar

PAGE = Path(__file__).resolve().parents[1] / "docs" / "types.md"
COLUMNS = ("Type", "In a schema", "Constraint while it is decoded", "Document", "Result")

_LONGEST_RULE = 60

_HEAD = """\
# Types

Each field is constrained while it is decoded, so that its value parses and validates. Whatever its
type, a value may be `null` instead: a model that is not allowed to say so can only make something
up. If the token that the model prefers obeys the constraint, no other token is looked at.

- A *trie* holds the tokens of the few texts that are allowed.
- A *grammar* is one of llama.cpp's (GBNF); the table shows the part of it for the value itself.
- Limits that a grammar cannot express are *checked* when the value is read. If a check fails, the
  value is null, and the field's `error` says why.
- With `--stated`, a number, date, time, e-mail address or link can only be one that the document
  states, in whatever form: `58,000` is 58000, `1.2 million` is 1200000, `3. März 2026` is
  2026-03-03. Its grammar lists these; if there are none, the value is null. A day without a year is
  one in the years that the document names; if it names none, or states more than 5,000 values, they
  are free. The file of the model in the box asks for this (`--no-stated` switches it off); other
  models are free unless you say so, as they can also work something out.
- With `--decide`, the best of an enum's choices, of `true` and `false`, and with `--stated` of what
  the document states, is taken even where the model would rather say null, unless it is less likely
  than the null threshold allows. Its confidence is its share among all of them, null included. The
  only choice of an enum is not forced in this way. A value that is refused after all leaves a plain
  null, without its text, unless it was likelier than all else together. The file of the model in
  the box asks for this as well (`--no-decide`).

Attributes are optional unless the schema says otherwise. A required attribute that the document
does not state is null, and its field has an `error`. An attribute that comes `after` another one is
asked in a later wave, and sees the finished value of the other.

The examples were run with the model in the box. It is small, so a result may be wrong, but it is
never of the wrong type. `python -m tools.types_page` writes this page.
"""


@dataclass(frozen=True)
class Example:
    """A row of the table."""

    name: str
    schema: str | dict[str, Any]
    document: str

    def attribute(self) -> Attribute:
        """The attribute that the row is about, the last one of the schema."""
        return load_schema(self.source()).attributes[-1]

    def source(self) -> str | dict[str, Any]:
        """The whole schema; where ``schema`` is a dict, that holds the properties."""
        if isinstance(self.schema, str):
            return self.schema
        return {"type": "object", "properties": self.schema}

    def shown(self) -> str:
        """The schema as the table shows it."""
        return self.schema if isinstance(self.schema, str) else json.dumps(self.schema)


EXAMPLES = (
    Example("text", "brand", "Diesel sneaker, black leather"),
    Example(
        "text with a length",
        {"color": {"type": "string", "minLength": 2, "maxLength": 12}},
        "Nike shoe, red",
    ),
    Example(
        "text with a pattern",
        {"model_number": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"}},
        "Bosch drill, model number AB-123",
    ),
    Example(
        "text with a format",
        {"order_id": {"type": "string", "format": "uuid"}},
        "Order id 123e4567-e89b-12d3-a456-426614174000",
    ),
    Example(
        "text with a format that is checked",
        {"email": {"type": "string", "format": "email"}},
        "Email: ann@example.com",
    ),
    Example("whole number", "pack_size int", "Ground coffee, 6 bags"),
    Example(
        "whole number with limits",
        {"rating": {"type": "integer", "minimum": 1, "maximum": 5}},
        "Rating: 4 of 5",
    ),
    Example("number", "weight float", "Dumbbell, weight 2.5 kg"),
    Example(
        "number with steps",
        {"total": {"type": "number", "minimum": 0, "multipleOf": 0.01}},
        "Invoice, total 17.90 EUR",
    ),
    Example("true or false", "waterproof bool", "Waterproof jacket, waterproof: true"),
    Example("one of some texts", "color [red|blue|black]", "Diesel sneaker, black leather"),
    Example("one of some numbers", {"priority": {"enum": [1, 2, 3]}}, "Ticket, priority: 2"),
    Example("date", "due date", "Invoice, due 2024-05-31"),
    Example("date and time", "start datetime", "Concert, start 2024-05-31T09:30:00"),
    Example("optional", "size?", "Diesel sneaker, black leather"),
    Example("required", "size!", "Diesel sneaker, size 9"),
    Example("list", "colors [str]", "Shirts in red, blue and green"),
    Example(
        "list without duplicates",
        {"colors": {"type": "array", "items": {"type": "string"}, "uniqueItems": True}},
        "Colors: red, blue, red",
    ),
    Example("list of objects", "lines [{item, quantity int}]", "2 hammers, 3 saws"),
    Example("object", "maker {name, city}", "Made by Bosch in Stuttgart"),
    Example("after another", "currency, total float after currency", "Total 17.90 EUR"),
)


def constraint(attribute: Attribute) -> str:
    """The constraint on an attribute, in words and in GBNF."""
    if attribute.type == "object":
        parts = [f"{child.name}: {constraint(child)}" for child in attribute.attributes]
        return "each part by itself: " + "; ".join(parts)
    if attribute.type == "array" and attribute.item is not None:
        limit = count_attribute(attribute).maximum
        item = constraint(attribute.item)
        once = ", each kept once" if attribute.unique_items else ""
        return f"first their number, 0 to {limit:g}; then all items at once{once}: {item}"
    texts = enum_texts(attribute)
    if texts is not None:
        return "trie of " + ", ".join(_code(text.strip()) for text in texts)
    left = unconstrained(attribute)
    checked = f"; checked: {', '.join(left)}" if left else ""
    return f"grammar {_code(_rule(attribute))}{checked}"


def _rule(attribute: Attribute) -> str:
    root = (value_grammar(attribute) or "").splitlines()[0]
    rule = root[root.index("((") + 2 : root.rindex(") end")]
    return rule if len(rule) <= _LONGEST_RULE else rule[:_LONGEST_RULE].rstrip() + " …"


def rows() -> Iterator[tuple[str, str, str, str]]:
    """The rows of the table without the results."""
    for example in EXAMPLES:
        attribute = example.attribute()
        yield example.name, _code(example.shown()), constraint(attribute), example.document


def results() -> list[Any]:
    """The answer of the model in the box to each example."""
    from hpd import Extractor

    answers = []
    for example in EXAMPLES:
        with Extractor(example.source(), n_ctx=2048) as extractor:
            extraction = extractor.extract(example.document)
        data = dict(extraction.data)
        errors = [field.error for field in extraction.fields.values() if field.error]
        answers.append((data, errors))
    return answers


def page(answers: list[Any]) -> str:
    """The whole page, with the data and the errors of each example's answer."""
    lines = [_line(COLUMNS), _line(["---"] * len(COLUMNS))]
    for row, (data, errors) in zip(rows(), answers, strict=True):
        result = _code(json.dumps(data, ensure_ascii=False))
        lines.append(_line([*row, "; ".join([result, *(f"error: {error}" for error in errors)])]))
    return _HEAD + "\n" + "\n".join(lines) + "\n"


def cells(text: str) -> list[list[str]]:
    """The table of a page, without its heading."""
    table = [line for line in text.splitlines() if line.startswith("| ")]
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
