"""The name and the version of the distribution, each written here alone.

The build takes the version from this file, so a checkout that is not installed knows it, too.
"""

from __future__ import annotations

__version__ = "0.1.0"

DISTRIBUTION = "hpd-cpp"
"""The name on the package index, where ``hpd`` belongs to another project. The import and the
command are called ``hpd`` all the same."""


def install_command(extra: str) -> str:
    """The command that installs one of the package's extras."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
