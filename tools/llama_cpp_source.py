"""Downloads the source of llama.cpp, which is part of that of llama-cpp-python."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_PACKAGE = "llama-cpp-python"


def pin() -> str:
    """Return the version of llama-cpp-python that hpd is written for."""
    text = PROJECT.read_text(encoding="utf-8")
    (version,) = set(re.findall(rf'"{_PACKAGE}==([0-9.]+)"', text))
    return str(version)


def download(folder: Path) -> Path:
    """Download the source of llama-cpp-python into a folder with pip; return the archive."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
    command += [_PACKAGE, "--dest", str(folder), f"{_PACKAGE}=={pin()}"]
    subprocess.run(command, check=True)  # pip says why it fails
    (archive,) = folder.glob("llama_cpp_python-*.tar.gz")
    return archive
