"""``hpd.extract``: extraction in one call, with a model that stays loaded."""

from __future__ import annotations

import os
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from hpd.documents import Document
from hpd.extractor import Extractor, OnError, SchemaForm
from hpd.models.model_files import MODEL_VARIABLE, check_model_names
from hpd.options import combine_options
from hpd.pipeline.examples import ExamplesForm, read_examples
from hpd.pipeline.recent import RecentlyUsed
from hpd.pipeline.task import Task
from hpd.results import Extraction
from hpd.schema import Schemas, as_schemas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Settings

T = TypeVar("T")

_MAX_MODELS = 2
_MAX_TASKS = 8


class _LoadedModel:
    """An extractor, and the lock held while its model is loading."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.extractor: Extractor[Any] | None = None
        self._tasks: RecentlyUsed[object, Task] = RecentlyUsed(_MAX_TASKS)

    def task(self, schemas: Schemas, examples: ExamplesForm) -> Task:
        """Return the task for a schema and examples; it is prepared once and keeps their tokens."""
        assert self.extractor is not None
        key = repr(read_examples(examples, schemas)), schemas.key
        prepare = partial(self.extractor.prepare, schemas, examples=examples)
        return self._tasks.get_or_make(key, prepare)


_models: RecentlyUsed[object, _LoadedModel] = RecentlyUsed(_MAX_MODELS)
"""The most recently used models; an extractor that is dropped closes once it is unreferenced."""
_lock = threading.Lock()


@overload
def extract(
    document: str | Document,
    schema: type[T],
    model: str | Path | None = None,
    *,
    hf_repo: str | None = None,
    examples: ExamplesForm = (),
    on_error: OnError = "raise",
    **settings: Unpack[Settings],
) -> Extraction[T]: ...


@overload
def extract(
    document: str | Document,
    schema: SchemaForm,
    model: str | Path | None = None,
    *,
    hf_repo: str | None = None,
    examples: ExamplesForm = (),
    on_error: OnError = "raise",
    **settings: Unpack[Settings],
) -> Extraction[dict[str, Any]]: ...


def extract(
    document: str | Document,
    schema: object,
    model: str | Path | None = None,
    *,
    hf_repo: str | None = None,
    examples: ExamplesForm = (),
    on_error: OnError = "raise",
    **settings: Any,
) -> Extraction[Any]:
    """Extract the values of one document.

    The model stays loaded for the next call, with any schema; the two most recently used models
    are kept. For many documents an ``Extractor`` is faster, as it decodes them together.

    Args:
        document: the text, or a ``Document``.
        schema: any form that ``Extractor`` accepts, except by category.
        model: path of a GGUF file; None for the bundled model.
        hf_repo: ``user/repo[:QUANT]`` on the Hugging Face Hub, instead of ``model``.
        examples: documents with their answers, as for ``Extractor``.
        on_error: ``raise`` the document's error, or ``record`` it in the extraction.
        settings: options by name, as in ``Options``.

    Raises:
        HpdError: see ``Extractor`` and ``Extractor.extract``.
    """
    check_model_names(model, hf_repo)
    schemas = as_schemas(schema)
    options = combine_options(None, settings)
    # HPD_MODEL, HPD_TUNED or the file itself may have changed by the next call.
    environment = tuple(sorted(item for item in os.environ.items() if item[0].startswith("HPD_")))
    file = Path(model or os.environ.get(MODEL_VARIABLE, "")).expanduser()
    file_version = (file.resolve(), file.stat().st_mtime_ns) if file.is_file() else file
    key = (hf_repo, options, environment, file_version)
    with _lock:
        loaded = _models.get_or_make(key, _LoadedModel)
    with loaded.lock:
        if loaded.extractor is None:
            loaded.extractor = Extractor(schemas, model, hf_repo=hf_repo, options=options)
        task_or_schema = loaded.task(schemas, examples) if examples else schemas
    return loaded.extractor.extract(document, schema=task_or_schema, on_error=on_error)  # type: ignore[arg-type]
