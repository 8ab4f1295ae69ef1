"""Extracts structured values from documents with a local model, decoding all fields at once.

>>> import hpd
>>> with hpd.Extractor(["Brand", "Color"]) as extractor:  # the bundled model
...     extraction = extractor.extract("Diesel Men's Exposure High-Top Sneaker, Black")
...     print(extraction.data, extraction.fields["Brand"].confidence)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpd.documents import Document, Place
    from hpd.errors import (
        ContextOverflowError,
        DecodeError,
        EngineClosedError,
        HpdError,
        InputError,
        InvalidDataError,
        MissingPackageError,
        ModelLoadError,
        OptionError,
        SchemaError,
    )
    from hpd.extractor import Extractor
    from hpd.files.inputs import read_documents
    from hpd.one_call import extract
    from hpd.options import Options
    from hpd.pipeline.task import Task
    from hpd.results import Extraction, Failure, FieldValue, Usage, ValueOption
    from hpd.schema.attributes import Attribute, Schema
    from hpd.schema.data_checks import CheckResult
    from hpd.schema.schemas import Schemas
    from hpd.schema.sources import load_schemas
    from hpd.version import __version__

__all__ = [
    "Attribute",
    "CheckResult",
    "ContextOverflowError",
    "DecodeError",
    "Document",
    "EngineClosedError",
    "Extraction",
    "Extractor",
    "Failure",
    "FieldValue",
    "HpdError",
    "InputError",
    "InvalidDataError",
    "MissingPackageError",
    "ModelLoadError",
    "OptionError",
    "Options",
    "Place",
    "Schema",
    "SchemaError",
    "Schemas",
    "Task",
    "Usage",
    "ValueOption",
    "__version__",
    "extract",
    "load_schemas",
    "read_documents",
]

_MODULES = {
    "hpd.documents": ("Document", "Place"),
    "hpd.extractor": ("Extractor",),
    "hpd.files.inputs": ("read_documents",),
    "hpd.one_call": ("extract",),
    "hpd.options": ("Options",),
    "hpd.pipeline.task": ("Task",),
    "hpd.results": ("Extraction", "Failure", "FieldValue", "Usage", "ValueOption"),
    "hpd.schema.attributes": ("Attribute", "Schema"),
    "hpd.schema.data_checks": ("CheckResult",),
    "hpd.schema.schemas": ("Schemas",),
    "hpd.schema.sources": ("load_schemas",),
    "hpd.version": ("__version__",),
}
"""The modules that define public names; names that are not here are in ``hpd.errors``."""


def __getattr__(name: str) -> Any:
    """Import a name on first use, so that ``import hpd`` is fast and does not load llama.cpp.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in __all__:
        raise AttributeError(f"module 'hpd' has no attribute {name!r}")
    module = next((module for module, names in _MODULES.items() if name in names), "hpd.errors")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    """Return all public names, including those whose import loads llama.cpp."""
    return __all__
