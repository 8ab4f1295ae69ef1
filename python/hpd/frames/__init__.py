"""Adds typed columns of extracted values to data frames.

>>> import hpd.frames
>>> hpd.frames.extract(frame, "brand, price float", column="title")  # pandas, polars or Arrow
>>> dataset.map(hpd.frames.BatchExtractor("brand, price float", column="title"), batched=True)
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hpd.errors import OptionError, SchemaError
from hpd.extractor import Extractor, OnError
from hpd.files.journal import file_fingerprint
from hpd.frames.columns import ColumnSettings, add_columns
from hpd.frames.kinds import open_frame, texts_of
from hpd.options import Options, combine_options
from hpd.pipeline.plan import plan_run
from hpd.schema import as_schemas
from hpd.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Settings
    from hpd.pipeline.examples import ExamplesForm

__all__ = ["BatchExtractor", "extract"]

F = TypeVar("F")


def extract(
    frame: F,
    schema: object = None,
    *,
    column: str,
    category_column: str | None = None,
    extractor: Extractor[Any] | None = None,
    model: str | Path | None = None,
    hf_repo: str | None = None,
    options: Options | None = None,
    prefix: str = "",
    confidence: bool = False,
    spans: bool = False,
    on_error: OnError = "raise",
    **settings: Unpack[Settings],
) -> F:
    """Return a frame of the same kind with a typed column for each attribute of the schema.

    Lists and objects are nested Arrow types. If the text of a row is null, so are its new columns.
    pandas keeps its index, and gets columns with Arrow types.

    Args:
        frame: a pandas or polars DataFrame, or an Arrow table or record batch. The result is an
            Arrow table for anything else that exports its columns as an Arrow C stream, and a dict
            of only the new columns for a dict of lists.
        schema: any form that ``Extractor`` accepts; optional with ``extractor``.
        column: the column with the texts.
        category_column: the column with the categories, if there is a schema per category.
        extractor: used instead of loading a model for this call; it is not closed.
        model: path of a GGUF file; None for the bundled model.
        hf_repo: ``user/repo[:QUANT]`` on the Hugging Face Hub, instead of ``model``.
        options: the options; single ones may also be given by name.
        prefix: prepended to the names of all new columns.
        confidence: whether to add ``NAME_confidence``, with the probability of each value.
        spans: whether to add ``NAME_span``, with the ``start`` and ``end`` of each value in its
            text, in characters.
        on_error: ``raise`` the error of a document, or ``record`` it in the column ``error``.
        settings: options by name, as in ``Options``.

    Raises:
        InputError: the kind of frame is not supported, a column is missing or does not hold text,
            or a new column would have the name of an existing one. Raised before a model is loaded.
        OptionError: an extractor was given together with a model or options.
        HpdError: see ``Extractor`` and ``Extractor.extract_many``.
    """
    opened = open_frame(frame)
    columns = ColumnSettings(column, category_column, prefix, confidence, spans, on_error)
    for name in (column, category_column):
        if name is not None:
            texts_of(opened, name)
    if extractor is not None:
        if settings or any(given is not None for given in (model, hf_repo, options)):
            raise OptionError("an extractor has its own model and options: give no others")
        schemas = extractor.schemas if schema is None else as_schemas(schema)
        new_columns = columns.new_columns(schemas, opened.names)
        schema_for_call = None if schema is None else schemas
        return cast(F, add_columns(opened, new_columns, extractor, schema_for_call, columns))
    if schema is None:
        raise SchemaError("there is no schema: give one, or an extractor that has one")
    schemas = as_schemas(schema)
    new_columns = columns.new_columns(schemas, opened.names)
    with Extractor(schemas, model, hf_repo=hf_repo, options=options, **settings) as loaded:
        return cast(F, add_columns(opened, new_columns, loaded, None, columns))


_loaded: dict[tuple[int, str], Extractor[Any]] = {}
"""The extractors by process id and settings: a fork cannot use those of its parent."""
_lock = threading.Lock()


class BatchExtractor:
    """A callable that adds typed columns to each batch, like ``hpd.frames.extract``.

    The model is loaded at the first call, and only once per process, even if several copies of the
    object are unpickled there. Pickles contain a fingerprint of the model's file, so that results
    cached by ``datasets`` are not used for another model.

    ``examples`` and ``system_prompt`` are as for ``Extractor``, and everything else as for
    ``hpd.frames.extract``.

    Raises:
        OptionError: an option is unknown or has an invalid value, or an example is invalid.
        SchemaError: the schema cannot be read.
        ModelLoadError: the model cannot be found.
    """

    def __init__(
        self,
        schema: object,
        *,
        column: str,
        category_column: str | None = None,
        model: str | Path | None = None,
        hf_repo: str | None = None,
        options: Options | None = None,
        examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
        system_prompt: str | None = None,
        prefix: str = "",
        confidence: bool = False,
        spans: bool = False,
        on_error: OnError = "raise",
        **settings: Unpack[Settings],
    ) -> None:
        self._columns = ColumnSettings(column, category_column, prefix, confidence, spans, on_error)
        chosen = combine_options(options, settings)
        self._plan = plan_run(schema, model, hf_repo, chosen, examples, system_prompt)
        self._version = (file_fingerprint(self._plan.model), __version__)

    def __call__(self, batch: Any) -> Any:
        """Return a batch of the same kind with the new columns; for a dict of lists, only these.

        Raises:
            HpdError: see ``hpd.frames.extract``; also raised in a process that was forked after a
                model had been used.
        """
        frame = open_frame(batch)
        new_columns = self._columns.new_columns(self._plan.task.schemas, frame.names)
        return add_columns(frame, new_columns, self.load(), None, self._columns)

    def load(self) -> Extractor[Any]:
        """Return the extractor of this process, which stays open until the process ends."""
        key = (os.getpid(), repr((self._plan, self._plan.model, self._version)))
        with _lock:
            if key not in _loaded:
                _loaded[key] = Extractor.from_plan(self._plan)
            return _loaded[key]
