"""Imports optional packages when they are needed, with one message if a package is missing."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from hpd.errors import MissingPackageError
from hpd.version import install_command


def import_extra(module: str, package: str, extra: str, what: str) -> Any:
    """Import a module of an optional package.

    Args:
        module: its name, which may be dotted.
        package: its name on the package index.
        extra: the extra of hpd that installs it.
        what: what needs it, for the message.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        importlib.import_module(module.partition(".")[0])
        return importlib.import_module(module)
    except ImportError as error:
        raise missing_packages_error(what, [package], install_command(extra)) from error


def require_extra(what: str, extra: str, packages: Iterable[str]) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Raises:
        MissingPackageError: some are missing.
    """
    absent = [name for name in packages if find_spec(name) is None]
    if absent:
        raise missing_packages_error(what, absent, install_command(extra))


def missing_packages_error(what: str, packages: Iterable[str], command: str) -> MissingPackageError:
    """Return the error for packages that are not installed."""
    return MissingPackageError(f"{what} needs {', '.join(packages)}: run `{command}`")
