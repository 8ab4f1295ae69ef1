"""``hpd --version``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from hpd.models.hardware import computing_place
from hpd.version import __version__, installed_version


class VersionAction(argparse.Action):
    """Prints the versions, which are looked up only when they are asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **rest: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **rest)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print and exit."""
        print(version_text())
        parser.exit()


def version_text() -> str:
    """The versions of hpd and of what it runs on; no model is loaded."""
    lines = [f"hpd {__version__}", f"llama-cpp-python {installed_version('llama-cpp-python')}"]
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError) as error:  # its library is missing or unloadable
        lines.append(f"llama.cpp cannot be loaded: {error}")
    else:
        lines.append(f"llama.cpp {llama_cpp.llama_version().decode()}")
        lines.append(f"computing on {computing_place(-1)}")
    return "\n".join(lines)
