"""Structured values out of documents with a local model, all fields decoded at once.

>>> import hpd
>>> with hpd.Extractor(["Brand", "Color"]) as extractor:  # the model in the box
...     extraction = extractor.extract("Diesel Men's Exposure High-Top Sneaker, Black")
...     print(extraction.data, extraction.fields["Brand"].confidence)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hpd.documents import Document
from hpd.errors import (
    ContextOverflowError,
    DecodeError,
    EngineClosedError,
    HpdError,
    InputError,
    InvalidDataError,
    ModelLoadError,
    OptionError,
    SchemaError,
)
from hpd.options import Options
from hpd.results import Extraction, FieldResult, Usage
from hpd.schema.attributes import Attribute, Schema
from hpd.version import __version__

if TYPE_CHECKING:
    from hpd.extractor import Extractor

__all__ = [
    "Attribute",
    "ContextOverflowError",
    "DecodeError",
    "Document",
    "EngineClosedError",
    "Extraction",
    "Extractor",
    "FieldResult",
    "HpdError",
    "InputError",
    "InvalidDataError",
    "ModelLoadError",
    "OptionError",
    "Options",
    "Schema",
    "SchemaError",
    "Usage",
    "__version__",
]

_WITH_ENGINE = {"Extractor": "hpd.extractor"}


def __getattr__(name: str) -> Any:
    """Load llama.cpp only when something is asked for that decodes."""
    if name in _WITH_ENGINE:
        return getattr(importlib.import_module(_WITH_ENGINE[name]), name)
    raise AttributeError(f"module 'hpd' has no attribute {name!r}")
