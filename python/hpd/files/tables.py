"""Tables made from the output lines of a run: CSV, TSV, JSON, Excel and Parquet."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from hpd.files.streams import fill_pattern, fixed_folder, is_pattern, naming_file
from hpd.schema.attributes import Attribute
from hpd.schema.data_checks import check_text
from hpd.schema.schemas import Schemas

OutputLine = Mapping[str, Any]
"""A line of output."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    attribute: Attribute
    """The type of its values, as an attribute; also for columns of the input."""
    value: Callable[[OutputLine], Any]
    """Returns the value for an output line, or None."""
    of_input: str = ""
    """The name of the input's column, if it is one."""
    path: str = ""
    """The path of its values in the data, if it belongs to an attribute."""


def table_columns(
    lines: Iterable[OutputLine], schemas: Schemas, *, confidence: bool = False
) -> list[Column]:
    """Return the columns of a table: id, attributes, error and input.

    Args:
        lines: all lines; they determine the columns of the input and their types.
        schemas: their attributes are columns.
        confidence: whether each attribute is followed by a column with its confidence.
    """
    has_source = False
    kinds: dict[str, str] = {}
    for row in lines:
        has_source = has_source or "source" in row
        if "text" in row:
            kinds.setdefault("text", "string")
        for name, value in row.get("input", {}).items():
            kinds[name] = _joined_kind(kinds.get(name), value)
    own = Column("id", Attribute("id"), lambda row: as_text(row.get("id")))
    of_input = []
    if has_source:
        of_input.append(Column("source", Attribute("source"), lambda row: row.get("source")))
    names = {own.name, *(column.name for column in of_input)}
    for name, kind in kinds.items():
        if name in names:
            continue
        attribute = Attribute(name, "string" if kind == "json" else kind)  # type: ignore[arg-type]
        of_input.append(Column(name, attribute, _shown_input(name, kind), name))
        names.add(name)
    values = []
    attributes = attributes_of(schemas)
    taken = names | {attribute.name for attribute in attributes}
    for attribute in attributes:
        shown = _free(attribute.name, "extracted.", names)
        values.append(Column(shown, attribute, data_value(attribute), path=attribute.name))
        names.add(shown)
        if confidence:
            name = _free(f"{shown}_confidence", "extracted.", names | taken)
            values.append(Column(name, Attribute(name, "number"), _confidence(attribute.name)))
            names.add(name)
    if has_checks(schemas):
        name = _free("checks", "extraction.", names)
        values.append(Column(name, Attribute(name), checks_text))
        names.add(name)
    error = _free("error", "extraction.", names)
    return [own, *values, Column(error, Attribute(error), error_text), *of_input]


def _free(name: str, prefix: str, names: Container[str]) -> str:
    """Prefix a name until it differs from all others."""
    while name in names:
        name = prefix + name
    return name


def min_confidence(line: OutputLine, path: str) -> float | None:
    """Return the lowest confidence of the values at a path, parts and items included."""
    stated = (
        field.get("confidence")
        for name, field in line.get("fields", {}).items()
        if name == path or name.startswith((f"{path}.", f"{path}["))
    )
    return min((each for each in stated if each is not None), default=None)


def _confidence(path: str) -> Callable[[OutputLine], float | None]:
    return lambda line: min_confidence(line, path)


def attributes_of(schemas: Schemas) -> list[Attribute]:
    """Return the attributes of all categories; one that differs between them holds JSON."""
    by_name: dict[str, Attribute] = {}
    for schema in schemas.by_category.values():
        for attribute in schema:
            known = by_name.setdefault(attribute.name, attribute)
            if _shape(known) != _shape(attribute):
                by_name[attribute.name] = Attribute(attribute.name, "enum", choices=("", 0))
    return list(by_name.values())


def _shape(attribute: Attribute) -> object:
    inner = None if attribute.item is None else _shape(attribute.item)
    parts = tuple((part.name, _shape(part)) for part in attribute.attributes)
    return scalar_kind(attribute), inner, parts


def scalar_kind(attribute: Attribute) -> str:
    """The kind of the values of a column: an attribute's type, or ``json`` for mixed choices."""
    if attribute.type in ("date", "date-time"):
        return "string"
    if attribute.type != "enum":
        return attribute.type
    kinds = {_kind(choice) for choice in attribute.choices}
    if kinds <= {"integer", "number"} and len(kinds) == 2:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "json"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -(2**63) <= value < 2**63 else "json"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else "json"


def _joined_kind(known: str | None, value: Any) -> str:
    is_number = value in ("NaN", "Infinity", "-Infinity")  # as JSON can have it
    kind = "null" if value is None else "number" if is_number else _kind(value)
    if known in (None, "null", kind) or kind == "null":
        return kind if known in (None, "null") else str(known)
    return "number" if {known, kind} == {"integer", "number"} else "json"


def input_value(line: OutputLine, name: str) -> Any:
    """Return the value of an input's column in an output line."""
    return line.get("input", {}).get(name, line.get("text") if name == "text" else None)


def _shown_input(name: str, kind: str) -> Callable[[OutputLine], Any]:
    if kind == "json":
        return lambda line: as_text(input_value(line, name))
    return lambda line: input_value(line, name)


def data_value(attribute: Attribute) -> Callable[[OutputLine], Any]:
    """Return the value of an attribute in an output line."""

    def value(row: OutputLine) -> Any:
        data = row.get("data") or {}
        # Where the root of the schema is no object, the data is the value itself.
        given = data.get(attribute.name) if isinstance(data, dict) else data
        return as_text(given) if scalar_kind(attribute) == "json" else given

    return value


def error_text(row: OutputLine) -> str | None:
    """Return the error of a failed document, as written in its column."""
    error = row.get("error")
    return None if error is None else f"{error['type']}: {error['message']}"


def has_checks(schemas: Schemas) -> bool:
    """Return whether a schema has checks, so that its table has a column for them."""
    return any(schema.has_checks for schema in schemas.by_category.values())


def checks_text(row: OutputLine) -> str | None:
    """Return the checks that a document did not pass, as written in their column."""
    return "; ".join(map(check_text, row.get("checks", ()))) or None


def as_text(value: Any) -> str | None:
    """Return a string as it is, and any other value as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


_MARK: Final = "\ufeff"
"""Without a byte order mark, Excel does not read a file as UTF-8."""


def write_delimited(
    path: Path, columns: Sequence[Column], lines: Callable[[], Iterable[OutputLine]], separator: str
) -> None:
    """Write a table of text, its header first; with a byte order mark if it is not all ASCII."""
    flat = flat_columns(columns)
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = ([as_text(column.value(line)) or "" for column in flat] for line in lines())
        is_ascii = all(text.isascii() for row in rows for text in row)
        is_ascii = is_ascii and all(column.name.isascii() for column in flat)
        file.write("" if is_ascii else _MARK)
    # A column of the input may hold a text that is not Unicode.
    with open(path, "a", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow([column.name for column in flat])
        writer.writerows([as_text(column.value(line)) for column in flat] for line in lines())


def flat_columns(columns: Iterable[Column]) -> list[Column]:
    """Replace each column of objects by columns for its parts."""
    flat: list[Column] = []
    for column in columns:
        if column.attribute.type != "object":
            flat.append(column)
        else:
            flat += flat_columns(
                Column(
                    f"{column.name}.{part.name}",
                    part,
                    _part(column.value, part.name),
                    path=f"{column.path}.{part.name}" if column.path else "",
                )
                for part in column.attribute.attributes
            )
    return flat


def _part(value: Callable[[OutputLine], Any], name: str) -> Callable[..., Any]:
    return lambda row: (value(row) or {}).get(name)


_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
_TABLE_MODULES: Final = {
    ".parquet": "hpd.external.parquet",
    ".pq": "hpd.external.parquet",
    ".xlsx": "hpd.external.sheets",
}
"""The modules that write typed tables."""
_JSON: Final = ".json"
PER_DOCUMENT_SUFFIXES: Final = (_JSON, ".jsonl")
"""The extensions of outputs with one file per document."""


def is_made_from_lines(path: str | Path) -> bool:
    """Whether an output is made of lines when they are all there, by its name: a table, an array
    of JSON, or, as ``out/{stem}.json``, a file for each document."""
    return is_pattern(str(path)) or Path(path).suffix.lower() in (
        *_SEPARATORS,
        *_TABLE_MODULES,
        _JSON,
    )


def keeps_input(path: str | Path) -> bool:
    """Return whether an output includes the columns of the input by default, as tables do."""
    return is_made_from_lines(path) and Path(path).suffix.lower() not in PER_DOCUMENT_SUFFIXES


def lines_path(table: Path) -> Path:
    """Return the file of lines from which a table is made. It has every detail, and a run is
    resumed from it."""
    if is_pattern(str(table)):
        return fixed_folder(str(table)) / "lines.hpd.jsonl"
    return table.with_name(table.name + ".jsonl")


def write_table(
    lines: Path,
    table: Path,
    schemas: Schemas,
    types: Mapping[str, Any] | None = None,
    *,
    confidence: bool = False,
) -> None:
    """Write a table from a file of lines, and replace an existing table when the new one is
    complete.

    The columns are the id, the attributes, the checks that did not pass, the error of a document
    that failed, the file of the input (where lines tell it) and the columns of the input. An
    attribute with the name of one of these gets ``extracted.`` before its own. With ``confidence``
    each attribute has a column behind it with the lowest confidence of its values. In Parquet,
    lists and objects are nested columns, and columns of an input that was Parquet keep their
    ``types``; in CSV, TSV and Excel objects are columns ``maker.city``, and lists are JSON. In JSON
    the lines are an array.

    Raises:
        InputError: a package is not installed.
        HpdError: a value does not fit the type of its column, or into a cell.
        OSError: the table cannot be written.
    """
    if is_pattern(str(table)):
        _write_each(str(table), lines)
        return
    unfinished = table.with_name(table.name + ".new")
    try:
        if table.suffix.lower() == _JSON:
            _write_array(unfinished, lines)
        elif table.suffix.lower() in _TABLE_MODULES:
            _table_module(table).write_table(
                unfinished, lambda: _lines(lines), schemas, types or {}, confidence=confidence
            )
        else:
            columns = table_columns(_lines(lines), schemas, confidence=confidence)
            separator = _SEPARATORS[table.suffix.lower()]
            write_delimited(unfinished, columns, lambda: _lines(lines), separator)
        unfinished.replace(table)
    except BaseException:
        # Where the disk is full, its room is needed.
        unfinished.unlink(missing_ok=True)
        raise


def _write_each(pattern: str, lines: Path) -> None:
    """Write the lines of each input file to a separate file.

    In ``.json`` that of a file that is one document is an object, those of others are an array.
    """
    is_jsonl = Path(pattern).suffix.lower() != _JSON
    left = Counter(fill_pattern(pattern, line["source"]) for line in _lines(lines))
    begun: set[str] = set()
    for line in _lines(lines):
        name = fill_pattern(pattern, line["source"])
        path = Path(name)
        unfinished = path.with_name(path.name + ".new")
        if name not in begun:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.unlink(missing_ok=True)
        left[name] -= 1
        is_object = is_jsonl or (name not in begun and not left[name] and _is_whole(line))
        before = "" if is_object else "[\n" if name not in begun else ",\n"
        after = "\n" if is_object else "" if left[name] else "\n]\n"
        begun.add(name)
        with naming_file(path), open(unfinished, "ab") as file:
            text = before + json.dumps(line, ensure_ascii=False) + after
            file.write(text.encode("utf-8", "backslashreplace"))
        if not left[name]:
            unfinished.replace(path)


def _is_whole(line: OutputLine) -> bool:
    return bool(line.get("id") == line["source"])


def _write_array(path: Path, lines: Path) -> None:
    with open(lines, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as file:
        between = "["
        for line in source:
            file.write(f"{between}\n{line.rstrip()}")
            between = ","
        file.write("[]\n" if between == "[" else "\n]\n")


def _lines(path: Path) -> Iterator[OutputLine]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def check_writable(table: Path) -> None:
    """Check, before a run, that its table can be written.

    Raises:
        InputError: a package is not installed.
    """
    if table.suffix.lower() in _TABLE_MODULES:
        _table_module(table).check_writable()


def _table_module(table: Path) -> Any:
    return import_module(_TABLE_MODULES[table.suffix.lower()])
