"""A whole frame, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hpd.errors import OptionError, SchemaError
from hpd.extractor import Extractor, OnError
from hpd.frames.columns import Columns, extended
from hpd.frames.kinds import open_frame, texts_of
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Options, Settings

F = TypeVar("F")


def extract(
    frame: F,
    schema: object = None,
    *,
    column: str,
    category_column: str | None = None,
    extractor: Extractor[Any] | None = None,
    model: str | Path | None = None,
    hf: str | None = None,
    options: Options | None = None,
    prefix: str = "",
    confidence: bool = False,
    spans: bool = False,
    on_error: OnError = "raise",
    **settings: Unpack[Settings],
) -> F:
    """A frame of the same kind, with a typed column for each attribute of the schema.

    Lists and objects are nested, as Arrow has them. A row whose text is null has null in every new
    column. pandas keeps its index, and gets columns of its Arrow types.

    Args:
        frame: a DataFrame of pandas or polars, or a table or record batch of Arrow; of anything
            else that gives its columns through Arrow's C stream, the result is an Arrow table, and
            of a dict of lists it is a dict of the new ones.
        schema: in any form that ``Extractor`` takes; may be left out with ``extractor``.
        column: the column with the texts.
        category_column: the column with the categories, if the schema is by category.
        extractor: reads the texts, and stays open; without one, a model is loaded for this call.
        model: path of a GGUF file; None for the model in the box.
        hf: ``user/repo[:QUANT]`` on the Hugging Face Hub, in place of ``model``.
        options: how to read and decode. Single options may be given by name as well.
        prefix: stands before the names of all new columns.
        confidence: whether to add ``NAME_confidence``, with the probability of each value.
        spans: whether to add ``NAME_span``, with the ``start`` and ``end`` of each value in its
            text, in characters.
        on_error: ``raise`` the error of a document, or ``record`` it in the column ``error``.
        settings: options by name, as in ``Options``.

    Raises:
        InputError: the frame is of no known kind, a column is missing or does not hold text, or a
            new column would have the name of one that is there; before a model is loaded.
        OptionError: ``extractor`` and settings of another one were given together.
        HpdError: as ``Extractor`` and ``Extractor.extract_many``.
    """
    opened = open_frame(frame)
    columns = Columns(column, category_column, prefix, confidence, spans, on_error)
    for name in (column, category_column):
        if name is not None:
            texts_of(opened, name)
    if extractor is not None:
        if settings or any(given is not None for given in (model, hf, options)):
            raise OptionError("an extractor has its model and options: give none beside it")
        schemas = extractor.schemas if schema is None else load_schemas(schema)
        added = columns.added(schemas, opened.names)
        own = None if schema is None else schemas
        return cast(F, extended(opened, added, extractor, own, columns))
    if schema is None:
        raise SchemaError("there is no schema: give one, or an extractor that has one")
    schemas = schema if isinstance(schema, Schema) else load_schemas(schema)
    added = columns.added(schemas, opened.names)
    with Extractor(schemas, model, hf=hf, options=options, **settings) as loaded:
        return cast(F, extended(opened, added, loaded, None, columns))
