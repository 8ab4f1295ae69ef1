"""Modules and files that comments, messages and pages name: they exist, whatever was moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import docs

ROOT = docs.ROOT
PACKAGE = ROOT / "python" / "hpd"
FOLDERS = ("python", "src", "tests", "tools", "benchmarks", "models", "docs", ".ci", ".github")
SUFFIXES = {"", ".py", ".pyi", ".h", ".cpp", ".md", ".toml", ".sh", ".yml"}

# Not ours, or made up by a test.
OTHER_FILES = {"llama.cpp", "llama.h", "ggml.h", "novel.cpp"}
OTHER_NAMES = {
    *("hpd.calibration", "hpd.decide", "hpd.exe", "hpd.fish", "hpd.job.NAME", "hpd.jsonl"),
    *("hpd.label", "hpd.log", "hpd.stated", "hpd.toml"),
}

MODULE = re.compile(r"\bhpd(?:\.[A-Za-z_]\w*)+")
CPP_FILE = re.compile(r"(?<![\w/.-])(?:[\w./-]+/)?\w+\.(?:cpp|h)\b")
INCLUDE = re.compile(r"^\s*#\s*include\b.*$", re.MULTILINE)


def texts() -> Iterator[tuple[str, str]]:
    """The text files of the repository by their paths; this one aside."""
    tops = (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    inner = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    for path in sorted((*tops, *inner)):
        if path.is_file() and path.suffix in SUFFIXES and path != Path(__file__):
            name = path.relative_to(ROOT).as_posix()
            if not re.search(r"(?:^|/)(?:__pycache__|\.\w+_cache)/", name):
                yield name, path.read_text(encoding="utf-8")


TEXTS = dict(texts())


def is_named_in(path: Path, name: str) -> bool:
    """Whether a module has the word at all."""
    return path.is_file() and bool(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")))


def module_exists(name: str) -> bool:
    """Whether ``hpd.a.b`` is a module, or a name in one as far as a look at its text can tell."""
    path = PACKAGE
    for part in name.split(".")[1:]:
        if (path / part).is_dir():
            path /= part
        elif any((path / f"{part}{suffix}").is_file() for suffix in (".py", ".pyi")):
            return True
        else:
            return part.startswith("__") or is_named_in(path / "__init__.py", part)
    return True


def file_exists(mention: str, mentioned_in: str) -> bool:
    """Whether a C++ file is there under the path, or, if it is told without one, anywhere."""
    if "/" in mention:
        places = (ROOT, ROOT / "src/hpd_cpp", (ROOT / mentioned_in).parent)
        return any((place / mention).is_file() for place in places)
    return any((ROOT / "src").rglob(mention))


def missing_modules(text: str) -> set[str]:
    """The modules of hpd that a text names and that are not there."""
    names = set(MODULE.findall(text)) - OTHER_NAMES
    return {name for name in names if not module_exists(name)}


def missing_files(name: str, text: str) -> set[str]:
    """The C++ files that a text names and that are not there."""
    mentions = set(CPP_FILE.findall(INCLUDE.sub("", text.replace("\\n", " "))))
    return {
        mention
        for mention in mentions
        if mention.rpartition("/")[2] not in OTHER_FILES and not file_exists(mention, name)
    }


def test_named_modules_exist() -> None:
    assert {
        name: missing for name, text in TEXTS.items() if (missing := missing_modules(text))
    } == {}


def test_named_cpp_files_exist() -> None:
    assert {
        name: missing for name, text in TEXTS.items() if (missing := missing_files(name, text))
    } == {}


@pytest.mark.parametrize("text", ["see hpd.job", "``hpd.pipeline.plan``", "hpd.models.cashe.x"])
def test_a_module_that_is_gone_is_noticed(text: str) -> None:
    assert missing_modules(text)


@pytest.mark.parametrize("text", ["attention_kernel.cpp", "(`src/hpd_cpp/scheduler.cpp`)"])
def test_a_file_that_is_gone_is_noticed(text: str) -> None:
    assert missing_files("docs/page.md", text)


def test_what_is_there_is_not() -> None:
    text = "hpd.schema.load_schema, hpd.Options, hpd.values; engine.cpp, model/context.h, llama.cpp"
    assert not missing_modules(text)
    assert not missing_files("docs/page.md", text)
