"""Write short texts with long lists and tables, out of the handwritten documents' own items.

People write few lists of more than four texts. So these rows have up to forty items, in the forms
of sentences, enumerations and printed tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe.handwritten import Handwritten, Question
from recipe.short import SPACELESS, Row, label_of, short_row, spelled
from recipe.words import Words

MAX_ITEM = 40
"""Longest text of an item, in characters."""

_SEPARATORS = (", ", ", ", ", ", "; ", " / ", " | ", " · ", "\n", "\n- ", "\n* ", "\n• ", "\n\n")
_ANDS = ("and", "and", "and", "&", "und", "et", "y", "e", "en")
_NUMBERS = (
    *("numbers", "values", "readings", "scores", "amounts", "years", "codes", "pages"),
    *("weights", "prices", "measurements", "lengths", "counts", "temperatures", "results"),
)
_TOTALS = ("Total", "TOTAL", "Sum", "Subtotal", "Summe", "Total items")


class Lists:
    """Draws rows with lists of texts, numbers and objects.

    Args:
        documents: the documents whose lists are taken apart.
        words: most items are made up of these.
    """

    def __init__(self, documents: Sequence[Handwritten], words: Words) -> None:
        self._documents = documents
        self._words = words
        self._texts: list[Question] = []
        self._tables: list[Question] = []
        by_name: defaultdict[str, set[str]] = defaultdict(set)
        parts: defaultdict[str, set[str]] = defaultdict(set)
        for document in documents:
            for question in document.questions:
                item = question.kind.item
                if item is None or question.description:
                    continue
                gold = question.golds[0]
                if item.type == "string":
                    by_name[question.names[0]] |= set(filter(_is_short, gold))
                    if gold:
                        self._texts.append(question)
                elif item.type == "object" and len(gold) > 1 and _is_flat(item):
                    self._tables.append(question)
                    for row in gold:
                        for name, value in row.items():
                            if isinstance(value, str) and _is_short(value):
                                parts[name].add(value)
        self._pools = {name: sorted(texts) for name, texts in by_name.items()}
        self._parts = {name: sorted(texts) for name, texts in parts.items()}
        self._big = [pool for pool in self._pools.values() if len(pool) > 20]

    def row(self, rng: Random) -> Row:
        """Return a text with one to three lists, and some fields of a document."""
        made: list[Row] = []
        short = rng.random() < 0.55 and short_row(rng.choice(self._documents), rng, self._words)
        if short:
            made.append(short)
        n_lists = rng.choice((1, 1, 1, 1, 2, 2, 3))
        for _ in range(n_lists):
            kind = rng.random()
            if kind < 0.6:
                made.append(self._table(rng, n_lists))
            elif kind < 0.68:
                made.append(self._numbers(rng))
            else:
                made.append(self._enumeration(rng, n_lists))
        rng.shuffle(made)
        text = rng.choice(("\n", "\n\n", "\n\n")).join(text for text, *_ in made)
        asked: dict[str, Attribute] = {}
        answer: dict[str, Any] = {}
        for _, schema, values in made:
            for attribute in schema.attributes:
                if attribute.name not in asked and (len(asked) < 1 or rng.random() < 0.9):
                    asked[attribute.name] = attribute
                    answer[attribute.name] = values[attribute.name]
        for _ in range(rng.choice((0, 0, 1, 2, 3))):  # Lists that the text does not have.
            question = rng.choice(self._texts)
            absent = rng.choice(question.attributes)
            if absent.name.casefold() not in text.casefold() and absent.name not in asked:
                asked[absent.name], answer[absent.name] = absent, []
        return text, Schema(tuple(asked.values())), answer

    def _enumeration(self, rng: Random, n_lists: int) -> Row:
        question = rng.choice(self._texts)
        attribute = rng.choice(question.attributes)
        n = _length(rng, 24 if n_lists == 1 else 12)
        pool = self._pools[question.names[0]]
        while len(pool) < n or (len(pool) < 2 * n and rng.random() < 0.5):
            pool = sorted({*pool, *rng.choice(self._big)})
        separator = rng.choice(_SEPARATORS)
        mark = separator.strip() or "\n"
        texts = [text for text in rng.sample(pool, n) if mark not in text and "," not in text]
        if rng.random() < 0.7:
            texts = [self._words.like(text, rng) for text in texts]
        if rng.random() < 0.1:
            texts = [text.upper() for text in texts]
        elif rng.random() < 0.1:
            texts = [text.lower() for text in texts]
        texts = list(dict.fromkeys(_varied(texts, rng)))
        if not texts:
            return self._enumeration(rng, n_lists)
        return self._listed(attribute, texts, texts, separator, rng)

    def _numbers(self, rng: Random) -> Row:
        item = Attribute("item", rng.choice(("integer", "integer", "number")))
        name = rng.choice(_NUMBERS)
        n = _length(rng, 24)
        digits = rng.choice((1, 2, 2, 3, 4))
        limits = (10 ** (digits - 1), 10**digits - 1)
        values: list[Any] = [rng.randint(*limits) for _ in range(n)]
        if item.type == "number":
            values = [round(value / rng.choice((10, 10, 100)), 2) for value in values]
        if rng.random() < 0.4:
            values.sort()
        attribute = Attribute(name, type="array", item=item)
        separator = rng.choice(_SEPARATORS)
        return self._listed(attribute, values, list(map(str, values)), separator, rng)

    def _listed(
        self,
        attribute: Attribute,
        values: Sequence[Any],
        texts: Sequence[str],
        separator: str,
        rng: Random,
    ) -> Row:
        label = label_of(attribute.name)
        if SPACELESS.search(label + texts[0]) and separator == ", ":
            separator = "、"
        body = separator.join(texts)
        if "\n" in separator and rng.random() < 0.25:
            dot = rng.choice(".)")
            body = "\n".join(f"{n}{dot} {text}" for n, text in enumerate(texts, 1))
        elif separator == ", " and len(texts) > 1 and rng.random() < 0.4:
            comma = rng.choice((",", ""))
            body = ", ".join(texts[:-1]) + f"{comma} {rng.choice(_ANDS)} {texts[-1]}"
        if "\n" in separator:
            is_numbered = body.startswith(("1.", "1)"))
            mark = "" if is_numbered else separator.strip("\n")
            text = f"{label}{rng.choice((':', ''))}\n{mark}{body}"
        else:
            owner = rng.choice(rng.choice(self._big))
            text = rng.choice(
                (
                    *(f"{label}: {body}", f"{label}: {body}", f"{label} {body}"),
                    *(f"{label} = {body}", f"{label}: {body}.", f"{body} ({label})"),
                    f"The {label.lower()} are {body}.",
                    f"We have these {label.lower()}: {body}.",
                    f"{body} are the {label.lower()} of {owner}.",
                    f"There are {body} in {owner} ({label.lower()}).",
                )
            )
        return text, Schema((attribute,)), {attribute.name: list(values)}

    def _table(self, rng: Random, n_lists: int) -> Row:
        question = rng.choice(self._tables)
        attribute = rng.choice(question.attributes)
        assert attribute.item is not None
        columns = [part for part in attribute.item.attributes if not part.is_constant]
        if len(columns) > 3 and rng.random() < 0.4:
            columns = sorted(rng.sample(columns, rng.randint(2, len(columns))), key=columns.index)
            if not any(part.type == "string" for part in columns):
                columns = [part for part in attribute.item.attributes if not part.is_constant]
        n = _length(rng, 20 if n_lists == 1 else 8)
        is_made_up = rng.random() < 0.7
        rows: list[dict[str, Any]] = []
        gold = question.golds[0]
        for _ in range(n):
            base = rng.choice(gold)
            row = {
                part.name: self._cell(part, base.get(part.name), is_made_up, rng)
                for part in columns
            }
            if row not in rows and any(isinstance(value, str) for value in row.values()):
                rows.append(row)
        if not rows:
            return self._table(rng, n_lists)
        cells = [
            ["" if row[p.name] is None else spelled(p, row[p.name], rng) for p in columns]
            for row in rows
        ]
        # A column in one form.
        for c, part in enumerate(columns):
            if part.type in ("integer", "number", "date"):
                seed = rng.random()
                for row, line in zip(rows, cells, strict=True):
                    if row[part.name] is not None:
                        line[c] = spelled(part, row[part.name], Random(seed))
        heads = [label_of(part.name) for part in columns]
        text = _printed(heads, cells, rng)
        if rng.random() < 0.4:
            text = f"{label_of(attribute.name)}\n{text}"
        if rng.random() < 0.25:
            text += f"\n{rng.choice(_TOTALS)} {rng.randint(1, 9999)}"
        item = replace(attribute.item, attributes=tuple(columns))
        asked = replace(attribute, item=item)
        return text, Schema((asked,)), {attribute.name: rows}

    def _cell(self, part: Attribute, value: Any, is_made_up: bool, rng: Random) -> Any:
        if rng.random() < 0.04 and not part.required:
            return None
        if value is None and rng.random() < 0.7:
            return None
        if part.type == "enum":
            return rng.choice(part.choices)
        if part.type in ("integer", "number"):
            digits = len(str(int(abs(value)))) if isinstance(value, int | float) else 2
            whole = rng.randint(0 if digits == 1 else 10 ** (digits - 1), 10**digits - 1)
            if part.type == "integer":
                return whole
            return round(whole + rng.choice((0, 0.5, rng.randint(1, 99) / 100)), 2)
        if part.type == "boolean":
            return rng.random() < 0.5
        if part.type == "date":
            return f"20{rng.randint(18, 27)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        if isinstance(value, str) and re.fullmatch(r"[A-Z0-9./-]*\d[A-Z0-9./-]*", value):
            return re.sub(r"\d", lambda _: str(rng.randint(0, 9)), value)
        pool = self._parts.get(part.name, [])
        if not pool or (len(pool) < 12 and rng.random() < 0.7):
            pool = rng.choice(self._big)
        text = rng.choice(pool)
        if is_made_up:
            text = self._words.like(text, rng)
        return None if "|" in text or "\t" in text else text


def _varied(texts: Sequence[str], rng: Random) -> Sequence[str]:
    """Return items as some lists have them: with amounts, as codes, as tags."""
    kind = rng.random()
    if kind < 0.08:
        units = ("", "", " g", " kg", " ml", " x", " pcs", " cups", " tbsp", " packs of", "x")
        amounts = (1, 2, 3, 4, 5, 6, 8, 10, 12, 50, 100, 200, 250, 500)
        return [f"{rng.choice(amounts)}{rng.choice(units)} {text}" for text in texts]
    if kind < 0.14:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        n, has_digits = rng.randint(1, 4), rng.random() < 0.4
        digits = rng.choice(("", "-")), rng.randint(1, 4)
        return [
            "".join(rng.choices(letters, k=n))
            + (digits[0] + "".join(rng.choices("0123456789", k=digits[1])) if has_digits else "")
            for _ in texts
        ]
    if kind < 0.17:
        return [f"#{text.replace(' ', '').lower()}" for text in texts]
    if kind < 0.20:
        return [f"{text} ({rng.randint(1, 60)})" for text in texts]
    return texts


def _length(rng: Random, most: int) -> int:
    kind = rng.random()
    if kind < 0.15:
        return rng.randint(1, 3)
    if kind < 0.5:
        return rng.randint(4, 8)
    return rng.randint(6, most) if kind < 0.95 else rng.randint(most // 2, most + most // 2)


def _is_short(text: str) -> bool:
    return 1 < len(text) <= MAX_ITEM and "\n" not in text and ";" not in text


def _is_flat(item: Attribute) -> bool:
    kinds = ("string", "integer", "number", "date", "enum")
    parts = [part for part in item.attributes if not part.is_constant]
    return (
        2 <= len(parts) <= 7
        and all(part.type in kinds and part.format is None for part in parts)
        and all(part.pattern is None and not part.description for part in parts)
        and any(part.type == "string" for part in parts)
        and all(all(isinstance(c, str) for c in part.choices) for part in parts)
    )


def _printed(heads: list[str], cells: list[list[str]], rng: Random) -> str:
    kind = rng.random()
    if kind < 0.15:  # Lines of labels and values.
        join = rng.choice((", ", "; ", " | ", "\n"))
        lines = [
            join.join(f"{h}: {c}" for h, c in zip(heads, row, strict=True) if c) for row in cells
        ]
        return ("\n\n" if join == "\n" else "\n").join(lines)
    if kind < 0.3 and all(map(all, cells)):  # One line with each row, or a sentence.
        join = rng.choice((" ", ", ", " - ", ", "))
        lines = [join.join(filter(None, row)) for row in cells]
        return rng.choice(("\n", "\n- ", "; ", "\n")).join(lines)
    order = list(range(len(heads)))
    if rng.random() < 0.2:
        rng.shuffle(order)
    table = [[row[c] for c in order] for row in (heads, *cells)]
    numbered = rng.random() < 0.2
    if numbered:
        table = [
            [str(n) if n else rng.choice(("#", "No", "Pos")), *row] for n, row in enumerate(table)
        ]
    if rng.random() < 0.15:
        table[0] = [head.upper() for head in table[0]]
    if kind < 0.5:
        mark = rng.choice((" | ", "\t", ",", ";"))
        if not any(mark.strip() and mark.strip() in cell for row in table for cell in row):
            lines = [mark.join(row) for row in table]
            if mark == " | " and rng.random() < 0.5:
                lines = [f"| {line} |" for line in lines]
                lines.insert(1, "|" + "---|" * len(table[0]))
            return "\n".join(lines)
    widths = [max(map(len, column)) + rng.randint(2, 6) for column in zip(*table, strict=True)]
    right = [rng.random() < 0.4 and _are_numbers(column[1:]) for column in zip(*table, strict=True)]
    return "\n".join(
        "".join(
            cell.rjust(width - 2) + "  " if r else cell.ljust(width)
            for cell, width, r in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in table
    )


def _are_numbers(cells: Iterable[str]) -> bool:
    return all(cell[:1].isdigit() or not cell for cell in cells)
