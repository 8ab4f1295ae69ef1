"""A data set in hpd's own format: lines of documents with gold, and a schema for each category."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hpd.errors import InputError
from hpd.evaluation.datasets.document import Row
from hpd.evaluation.datasets.survey import Survey
from hpd.files.streams import reason
from hpd.schema import load_schemas


def schemas_of(survey: Survey) -> Any:
    """The schema of a data set, or one for each category, as ``--schema`` takes them.

    Categories without any attribute have none, nor have, where there are categories, documents
    without one; None if nothing has any. Raises ``SchemaError`` if a name cannot be used.
    """
    by_category = {
        category: _schema(names, lists=survey.dataset.lists)
        for category in survey.categories
        if (names := survey.attribute_names(category))
    }
    without = by_category.pop("", None)
    schemas = by_category or without
    if not schemas:
        return None
    load_schemas(schemas)
    return schemas


def schema_path(output: Path) -> Path:
    """The path for the schema of a converted file: ``a.jsonl`` has ``a.schema.json``."""
    return output.with_name(f"{output.stem}.schema.json")


def write_dataset(rows: Iterable[Row], survey: Survey, output: Path) -> None:
    """Write the rows that could be read, and their schema beside them.

    A file of that name stays as it was until the new one is complete. Raises ``InputError`` if it
    cannot be written, and ``SchemaError`` if an attribute cannot be one.
    """
    schemas = schemas_of(survey)
    unfinished = output.with_name(f".{output.name}.unfinished")
    try:
        with open(unfinished, "w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                if not isinstance(row, InputError):
                    lists = survey.dataset.lists
                    names = survey.attribute_names(row.category) if lists else ()
                    line = row.to_line(lists=lists, names=names)
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
        os.replace(unfinished, output)
        if schemas is not None:
            text = json.dumps(schemas, ensure_ascii=False, indent=1)
            schema_path(output).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {reason(error)}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _schema(names: list[str], *, lists: bool) -> list[str] | dict[str, Any]:
    if not lists:
        return names
    properties = {name: {"type": "array", "items": {"type": "string"}} for name in names}
    return {"type": "object", "properties": properties}
