"""Texts that must not be in the repository; and the linters of this project's own making."""

import re
from pathlib import Path

import pytest

from tools import includes

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "python",
    "src",
    "tests",
    "tools",
    "docs",
    "examples",
    "models",
    "benchmarks",
    ".ci",
    ".github",
)
SUFFIXES = {
    "", ".py", ".pyi", ".h", ".cpp", ".md", ".toml", ".txt", ".json", ".jsonl", ".sh", ".svg",
    ".yml", ".yaml",
}  # fmt: skip

# Written so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile(r"/(?:work|root|home/\w+|Users/\w+|opt/(?:wheels|pypi))/(?=\w)")
SECRETS = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{30,}|ghp_[A-Za-z0-9]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY)"
)

# On the package index, hpd is another project: what is installed by name is hpd-cpp.
OTHER_PROJECT = re.compile(
    r"""\bhpd\[[a-z]|install\b[^\n`&|;#()]*[ '"]hpd(?![-\w./])|metadata\.\w+\(["']hpd["']\)"""
)


def files():
    """The text files of the repository."""
    top = (path for path in ROOT.iterdir() if path.name != ".git")  # a file, in a worktree
    yield from (path for path in top if path.is_file() and path.suffix in SUFFIXES)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            inner = path.relative_to(ROOT / folder).parts
            is_ours = not any(part.startswith((".", "__pycache__")) for part in inner)
            if is_ours and path.is_file() and path.suffix in SUFFIXES:
                yield path


@pytest.mark.parametrize(
    "pattern", [MACHINE_PATHS, SECRETS, OTHER_PROJECT], ids=["paths", "secrets", "other project"]
)
def test_what_must_not_be_in_the_repository(pattern):
    matches = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in files()
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert matches == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE_PATHS, "see /wo" + "rk/main"),
        (SECRETS, "hf_" + "a" * 34),
        (OTHER_PROJECT, "needs hp" + "d[training]"),
        (OTHER_PROJECT, "run `pip inst" + "all hpd`"),
        (OTHER_PROJECT, "pip inst" + "all --upgrade 'hpd>=0.1'"),
        (OTHER_PROJECT, "importlib.metadata.ver" + "sion('hpd')"),
    ],
)
def test_a_pattern_matches(pattern, text):
    assert pattern.search(text)


def test_cpp_includes_run_one_way():
    assert includes.problems(includes.sources()) == []


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("sampling/sampling.h", '#include "engine.h"', "is not below it"),
        ("model/model.h", '#include "scheduling/scheduler.h"', "is not below it"),
        ("engine.cpp", "#include <llama.h>", "llama.cpp's headers"),
        ("engine.cpp", "llama_memory_seq_rm(memory, 0, 0, 0);", "decode or memory"),
        ("novel.cpp", "", "no layer"),
    ],
)
def test_a_wrong_include_is_found(file, text, problem):
    (found,) = includes.problems({file: text})
    assert problem in found
