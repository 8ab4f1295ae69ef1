"""The source of llama.cpp, which is part of that of llama-cpp-python."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_PACKAGE = "llama-cpp-python"


def pin() -> str:
    """Return the version of llama-cpp-python that hpd is written for."""
    text = PROJECT.read_text(encoding="utf-8")
    (version,) = set(re.findall(rf'"{_PACKAGE}==([0-9.]+)"', text))
    return str(version)


@contextmanager
def downloaded() -> Iterator[Path]:
    """Download the source with pip; yield its folder, which is temporary."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
        command += [_PACKAGE, "--dest", folder, f"{_PACKAGE}=={pin()}"]
        subprocess.run(command, check=True)  # pip says why it fails
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
        yield archive.with_name(archive.name.removesuffix(".tar.gz")) / "vendor" / "llama.cpp"
