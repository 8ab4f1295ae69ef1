"""Right answers of a scripted model, in every vocabulary, of every type, however they are asked.

``python tests/support/answer_matrix.py [FOLDER]`` prints how many cells fail, by vocabulary and
kind; FOLDER has llama.cpp's ``ggml-vocab-*.gguf``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hpd import _native
from hpd.documents import Document
from hpd.schema import load_schema
from hpd.schema.checks import SchemaWarning
from hpd.values.parsing import MISSING_PREFIX
from scripted_model import ANY, STYLES, Script, ScriptedAnswer, Written, plain, scripted_extractions
from tools.vocabularies import FOLDER_VARIABLE
from vocabulary_models import SMALL, models

LEAST_CONFIDENCE = 0.9


@dataclass(frozen=True)
class Kind:
    """A row of docs/types.md with right answers."""

    row: str
    properties: dict
    answers: tuple
    """The values of the first property, or whole answers of several."""
    nothing: object = None
    """The answer to a document that does not state it; ``...``: it is not asked."""
    methods: tuple = ("hpd", "ar")
    more: tuple = ()
    """Other keys of the schema, with their values."""

    @property
    def name(self):
        """The name of the first attribute."""
        return next(iter(self.properties))

    def schema(self, required):
        """The JSON Schema, in which the attributes are required or not."""
        schema = {"type": "object", "properties": self.properties, **dict(self.more)}
        return schema | ({"required": [*self.properties]} if required else {})

    def whole(self, answer):
        """A whole answer."""
        return answer if len(self.properties) > 1 else {self.name: answer}


def _text(**held):
    return {"type": "string", **held}


def _list(item, **held):
    return {"type": "array", "items": item, **held}


def _object(**parts):
    return {"type": "object", "properties": parts}


_INTEGER = {"type": "integer"}
_NUMBER = {"type": "number"}
_COLORS = _text(enum=["red", "red wine", "blue", "black", "weiß", 'black "ink"'])
_DATE = _text(format="date")
_HPD = ("hpd",)

KINDS = (
    Kind(
        "text",
        {"brand": _text()},
        (
            "Diesel",
            "Café Zürich",
            "日本酒",
            "🦜 parrot",
            '5" pipe',
            "Smith & Sons Inc.",
            "(red)",
            "A",
            "9",
            "C:\\Users\\bo\\table",
            "two\nlines",
            "-5 °C",
            "und so weiter…",
            "naïve!",
        ),
    ),
    Kind(
        "text with a length",
        {"color": _text(minLength=2, maxLength=12)},
        ("red", "grün", "rosé 🍷"),
    ),
    Kind(
        "text with a pattern",
        {"model_number": _text(pattern="^[A-Z]{2}-[0-9]{3}$")},
        ("AB-123", "ZX-900"),
    ),
    Kind(
        "text with a pattern", {"plate": _text(pattern="^[A-ZÄÖÜ]{1,3} [0-9]+$")}, ("ÄÖ 12", "M 7")
    ),
    Kind(
        "text with a format",
        {"order_id": _text(format="uuid")},
        ("123e4567-e89b-12d3-a456-426614174000",),
    ),
    Kind("text with a format", {"mail": _text(format="email")}, ("ann.lee@example.org",)),
    Kind("text with a format", {"link": _text(format="uri")}, ("https://example.org/a?b=1",)),
    Kind("text with a format", {"at": _text(format="time")}, ("09:30:00Z",)),
    Kind("whole number", {"pack_size": _INTEGER}, (6, 0, -12, 1200000)),
    Kind("whole number with limits", {"rating": {**_INTEGER, "minimum": 1, "maximum": 5}}, (4, 1)),
    Kind(
        "whole number with limits", {"age": {**_INTEGER, "minimum": 0, "maximum": 120}}, (13, 120)
    ),
    Kind("number", {"weight": _NUMBER}, (2.5, -0.75, 3, Written(17.9, "17.90"))),
    Kind(
        "number with a step",
        {"total": {**_NUMBER, "minimum": 0, "multipleOf": 0.01}},
        (Written(17.9, "17.90"), 1234.56, 5),
    ),
    Kind("boolean", {"waterproof": {"type": "boolean"}}, (True, False)),
    Kind(
        "choice of texts", {"color": _COLORS}, ("black", "red", "red wine", "weiß", 'black "ink"')
    ),
    Kind("choice of texts", {"seating": _text(enum=["indoor", "outdoor"])}, ("outdoor",)),
    Kind("choice of numbers", {"priority": {"enum": [1, 2, 10, 100]}}, (2, 10, 100)),
    Kind("date", {"due": _DATE}, ("2024-05-31", "2024-02-29")),
    Kind(
        "date and time",
        {"start": _text(format="date-time")},
        ("2024-05-31T09:30:00", "2024-05-31T09:30:00Z", "2024-05-31T09:30:00+02:00"),
    ),
    Kind("list", {"colors": _list(_text())}, (["red", "grün"], ["one"]), nothing=[]),
    Kind(
        "list",
        {"rooms": _list(_text(enum=["kitchen", "bath", "hall"]))},
        (["kitchen", "bath"],),
        nothing=[],
    ),
    Kind("list", {"days": _list(_DATE)}, (["2024-05-31", "2024-06-01"],), nothing=[]),
    Kind("list", {"sizes": _list(_INTEGER)}, ([36, 38, 40],), nothing=[]),
    Kind("list", {"many": _list(_text())}, ([f"tag {n}" for n in range(12)],), nothing=[]),
    Kind(
        "list without duplicates",
        {"colors": _list(_text(), uniqueItems=True)},
        (["red", "blue"],),
        nothing=[],
    ),
    Kind(
        "list of objects",
        {"lines": _list(_object(item=_text(), quantity=_INTEGER))},
        ([{"item": "hammers", "quantity": 2}, {"item": "saws", "quantity": 3}],),
        nothing=[],
    ),
    Kind(
        "list of objects",
        {
            "coverages": _list(
                _object(letter=_text(enum=["A", "B", "C"]), limit=_NUMBER, from_=_DATE)
                | {"required": ["letter", "limit", "from_"]}
            )
        },
        (
            [
                {"letter": "A", "limit": 160000, "from_": "2024-01-01"},
                {"letter": "C", "limit": 2.5, "from_": "2024-12-31"},
            ],
        ),
        nothing=[],
    ),
    Kind(
        "object",
        {"maker": _object(name=_text(), city=_text())},
        ({"name": "Bosch", "city": "Stuttgart"},),
        nothing={"name": None, "city": None},
    ),
    Kind(
        "dependent attribute",
        {"currency": _text(), "total": {**_NUMBER, "depends_on": ["currency"]}},
        ({"currency": "EUR", "total": Written(17.9, "17.90")},),
        nothing={"currency": None, "total": None},
    ),
    Kind("text or number", {"size": {"type": ["integer", "string"]}}, ("XL", 36)),
    Kind(
        "union of objects",
        {
            "contact": {
                "anyOf": [
                    {"title": "Person", **_object(name=_text())},
                    {"title": "Company", **_object(company=_text(), since=_DATE)},
                ]
            }
        },
        ({"name": "Ann Miller"}, {"company": "Bosch", "since": "1886-11-15"}),
        methods=_HPD,
    ),
    Kind(
        "union of objects",
        {
            "pay": {
                "oneOf": [
                    _object(kind={"const": "card"}, number=_text()),
                    _object(kind={"const": "cash"}, amount=_NUMBER),
                ]
            }
        },
        ({"kind": "card", "number": "4711"}, {"kind": "cash", "amount": 12.5}),
        methods=_HPD,
    ),
    Kind(
        "open names",
        {"specs": {"type": "object", "additionalProperties": _text()}},
        ({"voltage": "12 V", "color": "red"},),
        nothing={},
        methods=_HPD,
    ),
    Kind(
        "tuple",
        {"route": {"type": "array", "prefixItems": [_text(), _INTEGER]}},
        (["Berlin", 12],),
        nothing=[None, None],
        methods=_HPD,
    ),
    Kind(
        "recursive object",
        {"man": {"$ref": "#/$defs/man"}},
        ({"name": "Ann Miller", "boss": {"name": "Bo Ek"}},),
        nothing={"name": None},
        methods=_HPD,
        more=(("$defs", {"man": _object(name=_text(), boss={"$ref": "#/$defs/man"})}),),
    ),
)

USUAL = {"drafts": False, "n_ctx": 32768}
SETTINGS = {
    "branch": {"drafts": True},
    "skeleton": {"layout": "skeleton"},
    "label": {"layout": "label"},
    "stack": {"stack": 2},
    "retry": {"on_invalid": "retry"},
    "force": {"on_missing": "force"},
    "stated": {"verbatim": True},
    "ar": {"method": "ar"},
}


@dataclass(frozen=True)
class Cell:
    """One right answer, asked in one way."""

    kind: Kind
    answer: object
    required: bool
    setting: str
    style: object

    @property
    def is_null(self):
        """Whether the document does not state it."""
        return self.answer is self.kind.nothing

    @property
    def category(self):
        """The name of its schema."""
        return f"{self.kind.row}: {self.kind.name}{'!' if self.required else ''}"

    def __str__(self):
        answer = json.dumps(plain(self.answer), ensure_ascii=False)
        mark = "!" if self.required else ""
        return f"{self.kind.row}{mark} {answer}, {self.setting}, {self.style.name}"


def cells(*, every=False):
    """The cells of a vocabulary.

    Args:
        every: whether each answer is asked in every way and written in every style. Otherwise the
            styles take turns, but where the first answer of a kind is asked in branches; and
            elsewhere the answers do.
    """
    styles, answers = itertools.cycle(STYLES), itertools.count()
    for setting, kind in itertools.product(SETTINGS, KINDS):
        if SETTINGS[setting].get("method", "hpd") not in kind.methods:
            continue
        is_plain = setting == "branch"
        for required in (False, True):
            some = [*kind.answers]
            if not every and not (is_plain and not required):
                some = [some[next(answers) % len(some)]]
            if not (required and setting == "force"):  # Then no answer is right.
                some.append(kind.nothing)
            for n, answer in enumerate(some):
                n_styles = 1
                if every or (is_plain and not required and n == 0):
                    n_styles = len(STYLES)
                elif is_plain and not required:
                    n_styles = 3
                for style in itertools.islice(styles, n_styles):
                    yield Cell(kind, answer, required, setting, style)


def _pruned(value):
    """A value without what holds nothing."""
    if isinstance(value, dict):
        kept = {name: _pruned(own) for name, own in value.items()}
        return {name: own for name, own in kept.items() if own is not None} or None
    if isinstance(value, list):
        kept = [_pruned(own) for own in value]
        return kept if any(own is not None for own in kept) else None
    return value


def fault(cell, extraction):
    """What is wrong with an extraction; empty if nothing is."""
    want = _pruned(plain(cell.kind.whole(cell.answer)))
    got = _pruned(extraction.data)
    if got != want:
        return f"value: {json.dumps(got, ensure_ascii=False)}"
    for path, result in extraction.fields.items():
        is_lacking = (
            cell.is_null and cell.required and (result.error or "").startswith(MISSING_PREFIX)
        )
        if result.error and not is_lacking:
            return f"error: {path}: {result.error}"
        # The end of no items, or of objects, is one of two ways to cut it, if what may follow is
        # cut in both.
        ends_in_marks = not result.value or (isinstance(result.value, list) and "{" in result.raw)
        least = 0.45 if ends_in_marks and cell.style is ANY else LEAST_CONFIDENCE
        if result.confidence is not None and result.confidence < least:
            return f"confidence: {path}: {result.confidence:.2g}"
    return ""


def faults(model, some):
    """The cells that fail in a model's vocabulary, each with what is wrong."""
    by_setting = defaultdict(list)
    for cell in some:
        by_setting[cell.setting].append(cell)
    script = Script(model)
    found = []
    for setting, own in by_setting.items():
        # Documents of a stack have the same style.
        own = sorted(own, key=lambda cell: (cell.category, STYLES.index(cell.style)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SchemaWarning)
            schemas = {cell.category: load_schema(cell.kind.schema(cell.required)) for cell in own}
        documents, known = [], {}
        for n, cell in enumerate(own):
            shown = "" if cell.is_null else "; ".join(_stated(cell.answer))
            text = f"Sheet {_letters(n)}. {cell.kind.name}: {shown}"
            documents.append(Document(text, n, cell.category))
            hesitates = cell.required and setting in ("retry", "force")
            known[text] = ScriptedAnswer(cell.kind.whole(cell.answer), cell.style, hesitates)
        extractions = scripted_extractions(
            script, schemas, documents, known.__getitem__, **(USUAL | SETTINGS[setting])
        )
        for cell, extraction in zip(own, extractions, strict=True):
            if wrong := fault(cell, extraction):
                found.append((cell, wrong))
    return found


def _stated(answer):
    """The values in an answer as a document states them."""
    if isinstance(answer, dict):
        for name, own in answer.items():
            yield from (f"{name} {text}" for text in _stated(own))
    elif isinstance(answer, list):
        for own in answer:
            yield from _stated(own)
    else:
        yield answer.text if isinstance(answer, Written) else str(answer)


def _letters(n):
    return "".join(chr(ord("a") + int(digit)) for digit in str(n))


def sample(name, n):
    """Some of the cells, others for each vocabulary."""
    every = [*cells()]
    return random.Random(name).sample(every, min(n, len(every)))


def share(name):
    """A sixth of the cells for a small vocabulary: each cell is asked of one of the six."""
    every = [*cells()]
    random.Random(0).shuffle(every)
    return every[[*SMALL].index(name) % 6 :: 6]


def table(found, asked):
    """How many cells failed of how many, by kind and vocabulary.

    Args:
        found: the cells that fail, by vocabulary.
        asked: all cells that were asked, likewise.
    """
    rows = [["Kind", *asked], ["---"] * (1 + len(asked))]
    for row in (*dict.fromkeys(kind.row for kind in KINDS), "all"):
        cells_of = [
            [
                sum(row in (cell.kind.row, "all") for cell in some)
                for some in (found.get(name, ()), all_)
            ]
            for name, all_ in asked.items()
        ]
        rows.append([row, *(f"{n_failed}/{n}" for n_failed, n in cells_of)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main():
    """Print the table, and how many cells fail by way of asking, style and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", help=f"in place of {FOLDER_VARIABLE}")
    parser.add_argument("--every", action="store_true", help="every style in every way of asking")
    parser.add_argument("--sample", type=int, help="so many cells of each large vocabulary")
    parser.add_argument("--only", nargs="*", help="these vocabularies")
    parser.add_argument("--list", action="store_true", help="name the cells that fail")
    arguments = parser.parse_args()
    _native.leave_out_amx()
    found, asked, ways, all_ways = {}, {}, Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, make in models(folder, arguments.folder).items():
            if arguments.only and name not in arguments.only:
                continue
            some = [*cells(every=arguments.every)]
            if arguments.sample and name not in SMALL:
                some = sample(name, arguments.sample)
            begin = time.process_time()
            path = make()
            model = _native.Model([str(path)])
            wrong = faults(model, some)
            model.close()
            path.unlink()
            seconds = time.process_time() - begin
            asked[name], found[name] = some, [cell for cell, _ in wrong]
            for cell in some:
                all_ways.update([cell.setting, cell.style.name])
            for cell, what in wrong:
                ways.update([cell.setting, cell.style.name, what.partition(":")[0]])
                if arguments.list:
                    print(f"{name}: {cell}: {what}", flush=True)
            note = f"{name}: {len(wrong)} of {len(some)}, {seconds:.0f} s of a processor"
            print(note, file=sys.stderr, flush=True)
    print(table(found, asked), end="\n\n")
    for way in sorted(ways):
        print(f"{way}: {ways[way]}" + (f"/{all_ways[way]}" if way in all_ways else ""))
    return bool(ways)


if __name__ == "__main__":
    sys.exit(main())
