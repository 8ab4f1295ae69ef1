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
from hpd.results import Extraction

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Settings

T = TypeVar("T")

_N_KEPT = 2


class _Loaded:
    """An extractor, and the lock of those who wait until its model is loaded."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.extractor: Extractor[Any] | None = None


_kept: OrderedDict[object, _Loaded] = OrderedDict()
_lock = threading.Lock()


@overload
def extract(
    document: str,
    schema: type[T],
    model: str | Path | None = None,
    *,
    hf: str | None = None,
    **settings: Unpack[Settings],
) -> Extraction[T]: ...


@overload
def extract(
    document: str,
    schema: SchemaForm,
    model: str | Path | None = None,
    *,
    hf: str | None = None,
    **settings: Unpack[Settings],
) -> Extraction[dict[str, Any]]: ...


def extract(
    document: str,
    schema: object,
    model: str | Path | None = None,
    *,
    hf: str | None = None,
    **settings: Any,
) -> Extraction[Any]:
    """The values of one document.

    The model stays loaded for the next call, with whatever schema; the two that were used last are
    kept. For many documents an ``Extractor`` is faster, as it decodes them together.

    Args:
        document: the text.
        schema: in any form that ``Extractor`` takes, for one category.
        model: path of a GGUF file; None for the model in the box.
        hf: ``user/repo[:QUANT]`` on the Hugging Face Hub, in place of ``model``.
        settings: options by name, as in ``Options``.

    Raises:
        HpdError: as ``Extractor`` and ``Extractor.extract``.
    """
    options = combined(None, settings)
    # HPD_MODEL and HPD_TUNED may be other ones at the next call, and so may the file of that name.
    ours = tuple(sorted(item for item in os.environ.items() if item[0].startswith("HPD_")))
    file = Path(model or os.environ.get(MODEL_VARIABLE, "")).expanduser()
    state = (file.resolve(), file.stat().st_mtime_ns) if file.is_file() else file
    key = (hf, options, ours, state)
    with _lock:
        loaded = _kept.setdefault(key, _Loaded())
        _kept.move_to_end(key)
        while len(_kept) > _N_KEPT:
            _kept.popitem(last=False)  # It is closed when nobody uses it any more.
    with loaded.lock:
        if loaded.extractor is None:
            loaded.extractor = Extractor(schema, model, hf=hf, options=options)  # type: ignore[call-overload]
        extractor = loaded.extractor
    return extractor.extract(document, schema=schema)  # type: ignore[call-overload, no-any-return]
