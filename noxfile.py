"""The chores of the project: ``nox -l`` lists them, ``nox -s NAME`` does one.

Each has an environment of its own. Arguments behind ``--`` are for the program that a session
runs: ``nox -s test -- tests/schema``.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import nox

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["test", "lint"]
"""What each push runs; the others take long, and are jobs of a schedule."""

TORCH = os.environ.get("HPD_TORCH", "torch==2.13.0")
"""As for ``.ci/run``, which says how to have the build for CPUs."""

FOR_TESTS = {"HPD_BUILD_TESTS": "ON"}
"""Installs hpd with the parts of its engine for tests."""

THREADED_TESTS = (
    "tests/engine/test_closing.py",
    "tests/engine/test_engine.py",
    "tests/pipeline/test_runner.py",
    "tests/test_extractor_threads.py",
)

EXTRAS = ("files", "frames", "html", "mcp", "ocr", "office", "parquet", "pdf", "serve")
"""The extras that tasks name."""


@nox.session
def test(session: nox.Session) -> None:
    """Run the tests, without those that need an extra."""
    session.install(".[test]", env=FOR_TESTS)
    session.run("pytest", *(session.posargs or ["-n", "auto"]))


@nox.session
def test_all(session: nox.Session) -> None:
    """Run all tests, with every extra; a skip that .ci/skips.txt does not allow is a failure."""
    session.install(TORCH, ".[dev]", env=FOR_TESTS)
    support = {"PYTHONPATH": "tests/support"}
    plugin = ("-p", "skips", "--allowed-skips", ".ci/skips.txt")
    vocabularies = str(Path(session.create_tmp()) / "vocabularies")
    session.run("python", "-m", "tools.vocabularies", vocabularies)
    session.run(
        *("python", "-m", "pytest", *plugin, *(session.posargs or ["-n", "auto"])),
        env={**support, "HPD_VOCABULARIES": vocabularies},
    )


@nox.session
@nox.parametrize("extra", EXTRAS)
def extras(session: nox.Session, extra: str) -> None:
    """Run the tasks (docs/tasks.md) that name an extra where nothing else is installed."""
    library = ["pandas"] if extra == "frames" else []  # whoever has frames has a library of them
    session.install(f".[{extra}]", *library, "pytest")
    # The suite's own settings need more packages.
    session.run(
        *("pytest", "--noconftest", "tests/repository/test_tasks.py", *session.posargs),
        env={"HPD_EXTRA": extra},
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Run every linter; ``-- --fix`` formats and repairs what can be."""
    session.install(".[lint]")
    session.run("python", "-m", "tools.lint", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Update what the pages show of commands, types and results."""
    session.install(".[plot]")
    session.run("python", "-m", "tools.docs")
    session.run("python", "-m", "tools.types_page")
    session.run("python", "-m", "benchmarks.paper", "--pages")
    session.run("python", "-m", "benchmarks.paper.figures")


@nox.session
def site(session: nox.Session) -> None:
    """Build the site of the pages into site/, as HTML that needs no server and no network."""
    session.install(".[site]")
    session.run("mkdocs", "build", "--strict", *session.posargs, env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session
def sanitizers(session: nox.Session) -> None:
    """Run the engine's tests with its C++ under AddressSanitizer and UBSan (Linux, GCC)."""
    _run_sanitized(
        session,
        "address,undefined",
        ("libasan.so", "libubsan.so"),
        session.posargs or ["tests/engine"],
        {
            # Python frees little at its end; what a sanitizer finds ends the run.
            "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        },
    )


@nox.session
def races(session: nox.Session) -> None:
    """Run the tests that use several threads with the C++ under ThreadSanitizer (Linux, GCC)."""
    _run_sanitized(
        session,
        "thread",
        ("libtsan.so",),
        session.posargs or THREADED_TESTS,
        {
            "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:suppressions=tools/races.supp",
            # ThreadSanitizer does not know how OpenMP's threads wait for each other.
            "OMP_NUM_THREADS": "1",
        },
    )


@nox.session
def soak(session: nox.Session) -> None:
    """Kill a run 50 times and resume it; run all tests with all of their cases, drawn anew."""
    session.install(".[test,files]", env=FOR_TESTS)
    session.run("python", "-m", "tools.soak", *session.posargs)
    session.run("pytest", "-n", "auto", env={"HPD_NIGHTLY": "1"})


@nox.session
def faults(session: nox.Session) -> None:
    """See that the tests notice thirty faults, made on purpose; ``-- NAME`` tries one."""
    session.install(TORCH, ".[dev]")
    session.run("python", "-m", "tools.faults", *session.posargs)


@nox.session
def software_gpu(session: nox.Session) -> None:
    """Run the engine's tests on a GPU that is none: llama.cpp's Vulkan on Mesa (Linux)."""
    folder = session.create_tmp()
    session.run("bash", "tools/software_gpu.sh", folder, *session.posargs, external=True)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """See that the benchmarks run: two documents and the model in the box; no figures to keep."""
    session.install(".[plot]")
    folder = session.create_tmp()
    trial = ["--limit", "2", "--work", folder, "--results", folder]
    session.run("python", "-m", "benchmarks.tables", "--part", "table-catalogue", *trial)
    session.run("python", "-m", "benchmarks.paper", "--part", "figure-4", *trial)


def _run_sanitized(
    session: nox.Session,
    sanitizer: str,
    libraries: tuple[str, ...],
    tests: Sequence[str],
    env: dict[str, str],
) -> None:
    """Build the extension with a sanitizer, and run tests on it."""
    session.install(".[test]", "-C", f"cmake.define.HPD_SANITIZE={sanitizer}", env=FOR_TESTS)
    # Python itself is not instrumented, so the libraries must be there before it.
    preloaded = [_library(name) for name in (*libraries, "libstdc++.so")]
    session.run("pytest", *tests, env=env | {"LD_PRELOAD": ":".join(preloaded)})


def _library(name: str) -> str:
    """The path of one of the compiler's libraries."""
    command = [os.environ.get("CXX", "g++"), f"-print-file-name={name}"]
    path = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return str(Path(path).resolve())
