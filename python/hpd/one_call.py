"""Extraction in one call, with a model that stays loaded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from hpd.extractor import Extractor, SchemaForm
from hpd.results import Extraction

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Settings

T = TypeVar("T")

_N_KEPT = 2
_kept: OrderedDict[str, Extractor[Any]] = OrderedDict()
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
    key = repr((model, hf, sorted(settings.items())))
    with _lock:
        extractor = _kept.get(key)
        if extractor is None:
            extractor = Extractor(schema, model, hf=hf, **settings)  # type: ignore[call-overload]
            while len(_kept) >= _N_KEPT:
                _kept.popitem(last=False)  # It is closed when nobody uses it any more.
            _kept[key] = extractor
        _kept.move_to_end(key)
    return extractor.extract(document, schema=schema)  # type: ignore[call-overload, no-any-return]
