"""Runs clang-tidy on the C++ sources, with CMake's compile commands."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tools.cmake import configuration

CHECKOUT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(sysconfig.get_path("scripts"))
TOOLS = ("clang-tidy", "cmake", "ninja")


def check(file: Path, build: Path) -> str:
    """Return the warnings about a file and the headers that it includes."""
    command = [str(SCRIPTS / "clang-tidy"), "-p", str(build), "--quiet", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr) if done.returncode else ""


def main(arguments: list[str]) -> int:
    """Check the given files, or all, in parallel.

    Returns:
        1 if there are warnings; 0 if not, or if a required program is missing.
    """
    missing = [tool for tool in TOOLS if not (SCRIPTS / tool).exists()]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (pip install '.[lint]')")
        return 0
    files = [Path(name) for name in arguments] or sorted((CHECKOUT / "src").rglob("*.cpp"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        build = Path(folder)
        ninja = ("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={SCRIPTS / 'ninja'}")
        command = [str(SCRIPTS / "cmake"), *configuration(CHECKOUT, build), *ninja]
        if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
            return 1
        warnings = list(filter(None, pool.map(partial(check, build=build), files)))
    print("\n".join(warnings) or f"{len(files)} files: no warnings")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
