"""What must not be in the repository; and the linters of this project's own making."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import includes

ROOT = Path(__file__).parents[2]
FOLDERS = ("python", "src", "tests", "tools", "docs", "examples", "models", "benchmarks", ".ci")
SUFFIXES = {
    "", ".py", ".pyi", ".h", ".cpp", ".md", ".toml", ".txt", ".json", ".jsonl", ".sh", ".svg"
}  # fmt: skip

# Written so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile(r"/(?:work|root|home/\w+|Users/\w+|opt/(?:wheels|pypi))/(?=\w)")
SECRETS = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{30,}|ghp_[A-Za-z0-9]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY)"
)


def files() -> Iterator[Path]:
    """The text files of the repository."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix in SUFFIXES)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            inner = path.relative_to(ROOT / folder).parts
            is_ours = not any(part.startswith((".", "__pycache__")) for part in inner)
            if is_ours and path.is_file() and path.suffix in SUFFIXES:
                yield path


@pytest.mark.parametrize("pattern", [MACHINE_PATHS, SECRETS], ids=["paths", "secrets"])
def test_nothing_of_one_machine_is_in_the_repository(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in files()
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_these_patterns_find_something() -> None:
    assert MACHINE_PATHS.search("see /wo" + "rk/main")
    assert SECRETS.search("hf_" + "a" * 34)


def test_cpp_includes_run_one_way() -> None:
    assert includes.problems(includes.sources()) == []


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("sampling/sampling.h", '#include "engine.h"', "does not stand below it"),
        ("model/model.h", '#include "scheduling/scheduler.h"', "does not stand below it"),
        ("engine.cpp", "#include <llama.h>", "llama.cpp's headers"),
        ("engine.cpp", "llama_memory_seq_rm(memory, 0, 0, 0);", "decode or memory"),
        ("novel.cpp", "", "no layer"),
    ],
)
def test_a_wrong_include_is_found(file: str, text: str, problem: str) -> None:
    (found,) = includes.problems({file: text})
    assert problem in found


def test_a_right_include_is_none() -> None:
    text = '#include "engine.h"\n#include "model/model.h"\n// llama_decode( is called elsewhere\n'
    assert includes.problems({"engine.cpp": text}) == []
