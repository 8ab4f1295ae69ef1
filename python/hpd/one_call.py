"""Extraction in one call, with a model that stays loaded."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from hpd.extractor import Extractor, SchemaForm
from hpd.models.model_files import MODEL_VARIABLE
from hpd.options import combined
from hpd.pipeline import ExamplesForm, Task, read_examples
from hpd.results import Extraction
from hpd.schema import as_schemas
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Settings

T = TypeVar("T")

_N_KEPT = 2
_N_TASKS = 8


class _Loaded:
    """An extractor, and the lock of those who wait until its model is loaded."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.extractor: Extractor[Any] | None = None
        self._tasks: OrderedDict[object, Task] = OrderedDict()

    def task(self, schema: object, examples: ExamplesForm) -> Task:
        """A schema with its examples, prepared once, as their tokens are kept with it."""
        assert self.extractor is not None
        read = as_schemas(schema)
        pairs = read_examples(examples, read)
        key = repr(pairs), read.key if isinstance(read, Schema) else repr(read)
        if key not in self._tasks:
            self._tasks[key] = self.extractor.prepare(read, examples=examples)
        self._tasks.move_to_end(key)
        if len(self._tasks) > _N_TASKS:
            self._tasks.popitem(last=False)
        return self._tasks[key]


_kept: OrderedDict[object, _Loaded] = OrderedDict()
_lock = threading.Lock()


@overload
def extract(
    document: str,
    schema: type[T],
    model: str | Path | None = None,
    *,
    hf_repo: str | None = None,
    examples: ExamplesForm = (),
    **settings: Unpack[Settings],
) -> Extraction[T]: ...


@overload
def extract(
    document: str,
    schema: SchemaForm,
    model: str | Path | None = None,
    *,
    hf_repo: str | None = None,
    examples: ExamplesForm = (),
    **settings: Unpack[Settings],
) -> Extraction[dict[str, Any]]: ...


def extract(
    document: str,
    schema: object,
    model: str | Path | None = None,
    *,
    hf_repo: str | None = None,
    examples: ExamplesForm = (),
    **settings: Any,
) -> Extraction[Any]:
    """The values of one document.

    The model stays loaded for the next call, with whatever schema; the two that were used last are
    kept. For many documents an ``Extractor`` is faster, as it decodes them together.

    Args:
        document: the text.
        schema: in any form that ``Extractor`` takes, for one category.
        model: path of a GGUF file; None for the bundled model.
        hf: ``user/repo[:QUANT]`` on the Hugging Face Hub, in place of ``model``.
        examples: documents with their answers, as ``Extractor`` takes them.
        settings: options by name, as in ``Options``.

    Raises:
        HpdError: as ``Extractor`` and ``Extractor.extract``.
    """
    options = combined(None, settings)
    # HPD_MODEL and HPD_TUNED may be other ones at the next call, and so may the file of that name.
    ours = tuple(sorted(item for item in os.environ.items() if item[0].startswith("HPD_")))
    file = Path(model or os.environ.get(MODEL_VARIABLE, "")).expanduser()
    state = (file.resolve(), file.stat().st_mtime_ns) if file.is_file() else file
    key = (hf_repo, options, ours, state)
    with _lock:
        loaded = _kept.setdefault(key, _Loaded())
        _kept.move_to_end(key)
        while len(_kept) > _N_KEPT:
            _kept.popitem(last=False)  # It is closed when nobody uses it any more.
    with loaded.lock:
        if loaded.extractor is None:
            loaded.extractor = Extractor(schema, model, hf_repo=hf_repo, options=options)  # type: ignore[call-overload]
        asked = loaded.task(schema, examples) if examples else schema
    return loaded.extractor.extract(document, schema=asked)  # type: ignore[call-overload, no-any-return]
