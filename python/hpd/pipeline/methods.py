"""The limits of the decoding methods, checked before a model is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hpd.errors import SchemaError
from hpd.options import Options
from hpd.schema.attributes import Attribute, Schema


def check_method(options: Options, schemas: Schema | Mapping[str, Schema]) -> None:
    """Refuse a schema that the method of ``options`` cannot honour.

    ``ar`` writes attributes in the order of the schema, and each sees all that are written before
    it. So an attribute that comes ``after`` another one must stand behind it.

    Raises:
        SchemaError: an attribute stands before one that it comes after.
    """
    if options.method != "ar":
        return
    by_category = {None: schemas} if isinstance(schemas, Schema) else schemas
    for category, schema in by_category.items():
        where = "" if category is None else f"category {category!r}: "
        _check_order(schema.attributes, where)


def _check_order(attributes: Sequence[Attribute], where: str) -> None:
    written: set[str] = set()
    for attribute in attributes:
        for name in attribute.after:
            if name not in written:
                raise SchemaError(
                    f"{where}{attribute.name} comes after {name}, but stands before it in the "
                    "schema, and method 'ar' writes attributes in the order of the schema: put "
                    f"{name} first, or use method 'hpd'"
                )
        written.add(attribute.name)
        _check_order(attribute.attributes, f"{where}{attribute.name}: ")
        if attribute.item is not None:
            _check_order(attribute.item.attributes, f"{where}{attribute.name}: ")
