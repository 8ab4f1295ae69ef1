"""Every exception that hpd raises on purpose has ``HpdError`` as its root."""

from typing import Any


class HpdError(Exception):
    """Root of all errors that hpd raises."""


class SchemaError(HpdError, ValueError):
    """A schema that cannot be read, or that asks for something hpd cannot honour."""


class OptionError(HpdError, ValueError):
    """Unknown option or invalid value."""


class InputError(HpdError, ValueError):
    """An input file, line or record that cannot be read."""


class MissingPackageError(InputError):
    """An optional package that is not installed. The message has the command that installs it."""


class InvalidDataError(HpdError, ValueError):
    """A document whose data breaks the schema: a required value is missing or not valid.

    ``extraction`` is the ``Extraction`` as far as it went, the data included.
    """

    extraction: Any = None


class ModelLoadError(HpdError, RuntimeError):
    """A model or adapter that cannot be found, downloaded or loaded."""


class ContextOverflowError(HpdError, ValueError):
    """A document that does not fit the context, even alone."""


class DecodeError(HpdError, RuntimeError):
    """llama.cpp failed to compute a batch."""


class EngineClosedError(HpdError, RuntimeError):
    """The engine was closed, or is in use by another thread."""


class CallCancelledError(HpdError, RuntimeError):
    """A call that was ended from elsewhere before all its documents were finished."""


class HpdWarning(UserWarning):
    """Root of all warnings that hpd gives."""

    kind = "warning"
    """The word before it on a terminal."""
