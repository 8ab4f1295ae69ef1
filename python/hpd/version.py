"""The name and the version of the distribution, which are defined only here.

The build reads the version from this file, so it is also known in a checkout that is not installed.
"""

from __future__ import annotations

__version__ = "0.1.0"

DISTRIBUTION = "hpd-cpp"
"""The name on the package index, where ``hpd`` belongs to another project. The module and the
command are nevertheless called ``hpd``."""


def install_command(extra: str) -> str:
    """Return the command that installs one of the package's extras."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
