"""Errors and warnings of the schema readers, which say where something is wrong and what to do."""

from __future__ import annotations

import warnings

from hpd.errors import SchemaError


class SchemaWarning(UserWarning):
    """A part of a schema that hpd reads, but cannot honour to the letter."""


def warn(where: str, message: str) -> None:
    """Warn about the place ``where`` of a schema."""
    warnings.warn(f"{where}: {message}", SchemaWarning, stacklevel=2)


def fail(where: str, message: str) -> SchemaError:
    """The error to raise about the place ``where`` of a schema."""
    return SchemaError(f"{where}: {message}" if where else message)
