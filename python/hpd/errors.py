"""The exceptions and warnings of hpd; all errors derive from ``HpdError``."""

from typing import Any


class HpdError(Exception):
    """Base class of the errors that hpd raises."""


class SchemaError(HpdError, ValueError):
    """A schema cannot be read, or asks for something that hpd does not support."""


class OptionError(HpdError, ValueError):
    """An option is unknown or has an invalid value."""


class InputError(HpdError, ValueError):
    """An input file, line or record cannot be read."""


class MissingPackageError(InputError):
    """An optional package is not installed. The message has the command that installs it."""


class InvalidDataError(HpdError, ValueError):
    """The data of a document violates the schema: a required value is missing or invalid.

    ``extraction`` is the ``Extraction`` with the data and fields found so far.
    """

    extraction: Any = None


class ModelLoadError(HpdError, RuntimeError):
    """A model or adapter cannot be found, downloaded or loaded."""


class ContextOverflowError(HpdError, ValueError):
    """A document does not fit into the context, even alone."""


class DecodeError(HpdError, RuntimeError):
    """llama.cpp failed to compute a batch."""


class EngineClosedError(HpdError, RuntimeError):
    """The engine is closed, or in use by another thread."""


class CallCancelledError(HpdError, RuntimeError):
    """A call was cancelled before all of its documents were finished."""


class HpdWarning(UserWarning):
    """Base class of the warnings that hpd issues."""

    kind = "warning"
    """The label shown before the message on a terminal."""
