"""Mutation tests: ``python -m tools.faults`` checks that the tests notice seeded faults.

Each patch in ``tests/faults`` breaks the code in one place. It is applied to a copy of this
checkout, ``build/faults``, whose C++ is compiled there. The tests that the patch names must pass
without it, and at least one must fail with it. Exits with 1 if a fault is not noticed, and with 2
if a patch no longer applies or the tests fail without any.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from hpd.models.model_files import BUNDLED_NAME
from tools.cmake import configuration

CHECKOUT = Path(__file__).resolve().parents[1]
COPY = CHECKOUT / "build" / "faults"
PATCHES = sorted((CHECKOUT / "tests" / "faults").glob("*.patch"))
_MAX_SECONDS = 1800
"""Timeout of a fault's tests; a hang counts as noticed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Apply the patches one by one, and print whether each was noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a part of patches' names [default: all]"
    )
    names = parser.parse_args(arguments).names
    chosen = [p for p in PATCHES if not names or any(part in p.stem for part in names)]
    copy_checkout()
    if [patch for patch in chosen if not applies(patch)]:
        return 2
    compile_copy()
    if not passes({test for patch in chosen for test in tests_of(patch)}):
        print("the tests fail without any fault")
        return 2
    n_missed = 0
    for patch in chosen:
        start = time.monotonic()
        is_missed = passes_with(patch)
        n_missed += is_missed
        verdict = "MISSED" if is_missed else "noticed"
        print(f"{verdict:7} {time.monotonic() - start:4.0f} s  {patch.stem}", flush=True)
    print(f"{len(chosen) - n_missed} of {len(chosen)} faults were noticed")
    return 1 if n_missed else 0


def tests_of(patch: Path) -> list[str]:
    """Return the tests that a patch names."""
    (names,) = re.findall(r"^Tests: (.+)$", patch.read_text(encoding="utf-8"), re.MULTILINE)
    return str(names).split()


def applies(patch: Path, folder: Path = COPY) -> bool:
    """Return whether a patch still applies; if not, git prints why."""
    return not subprocess.run(["git", "apply", "--check", str(patch)], cwd=folder).returncode


def passes_with(patch: Path) -> bool:
    """Return whether the tests of a patch pass with it."""
    subprocess.run(["git", "apply", str(patch)], cwd=COPY, check=True)
    try:
        if "+++ b/src/" in patch.read_text(encoding="utf-8"):
            compile_copy()
        return passes(tests_of(patch))
    finally:
        subprocess.run(["git", "apply", "--reverse", str(patch)], cwd=COPY, check=True)


def passes(tests: Iterable[str]) -> bool:
    """Return whether tests of the copy pass.

    Raises:
        RuntimeError: they could not be run.
    """
    # Python compares sources with their .pyc by size and time in seconds, and may miss a patch.
    env = {**os.environ, "PYTHONPATH": str(COPY / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    env["HPD_NIGHTLY"] = "1"  # A fault may show in one case only.
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile", "unshrunk", *sorted(tests)]
    try:
        run = subprocess.run(command, cwd=COPY, env=env, timeout=_MAX_SECONDS, capture_output=True)
    except subprocess.TimeoutExpired:
        return False
    if run.returncode not in (0, 1):
        raise RuntimeError(f"pytest ended with {run.returncode}:\n{run.stdout.decode()}")
    return run.returncode == 0


def copy_checkout() -> None:
    """Update the copy, a worktree; unchanged files keep their time, so as not to be recompiled."""
    if not COPY.exists():
        command = ["git", "worktree", "add", "--quiet", "--force", "--detach", str(COPY)]
        subprocess.run(command, cwd=CHECKOUT, check=True)
    # A commit of uncommitted changes, on no branch; empty if there are none.
    stash = subprocess.check_output(["git", "stash", "create"], cwd=CHECKOUT, text=True)
    head = stash or subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=CHECKOUT, text=True)
    command = ["git", "checkout", "--quiet", "--force", "--detach", head.strip()]
    subprocess.run(command, cwd=COPY, check=True)
    shutil.copy(CHECKOUT / "models" / BUNDLED_NAME, COPY / "python" / "hpd" / "models")


def compile_copy() -> None:
    """Compile the copy's C++ for its Python."""
    build = COPY / "build"
    kind = ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON")
    configure = ["cmake", *configuration(COPY, build), *kind]
    compile_ = ["cmake", "--build", str(build), "--parallel", str(os.cpu_count() or 1)]
    for command in (configure, compile_):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (module,) = build.glob("_core*.so")
    shutil.copy(module, COPY / "python" / "hpd")


if __name__ == "__main__":
    sys.exit(main())
