"""CONTRIBUTING.md: its map has every room that there is, and its ways lead to files that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

# Parts of a package that are no rooms: the package itself, and what is compiled.
NOT_ROOMS = {"__init__", "_core", "_core_testing"}


def mapped(heading: str) -> dict[str, str]:
    """The rooms below a heading of the map, each with its sentence."""
    _, _, section = PAGE.partition(f"\n### {heading}\n")
    assert section, heading
    section = re.split(r"\n##", section)[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, re.MULTILINE))


def folders(path: str) -> set[str]:
    """The folders below a path of the repository that have files of ours in them."""
    return {
        folder.name
        for folder in (ROOT / path).iterdir()
        if folder.is_dir() and any(file.suffix != ".pyc" for file in folder.rglob("*.*"))
    }


def package_rooms() -> set[str]:
    """The folders and the modules of the package."""
    modules = {path.stem for path in (ROOT / "python/hpd").glob("*.py")}
    return (folders("python/hpd") | modules) - NOT_ROOMS


def test_the_map_of_the_package_is_complete() -> None:
    assert set(mapped("python/hpd")) == package_rooms()


def test_the_map_of_the_engine_is_complete() -> None:
    assert set(mapped("src/hpd_cpp")) == folders("src/hpd_cpp")


def test_the_map_of_the_tests_is_complete() -> None:
    others = set(mapped("tests"))
    assert not others & package_rooms()
    assert folders("tests") - package_rooms() == others


def test_the_map_of_the_repository_has_folders_that_exist() -> None:
    for name in mapped("Everything else"):
        assert (ROOT / name).is_dir(), name


def contract() -> Iterator[tuple[dict[str, str], set[str]]]:
    """The comments above each line of the layers, and the rooms on it."""
    _, _, layers = PROJECT.partition("\nlayers = [\n")
    sentences: dict[str, str] = {}
    for line in layers.partition("\n]\n")[0].splitlines():
        if comment := re.fullmatch(r"  # (\w+): (.+)", line):
            sentences[comment[1]] = comment[2]
        else:
            yield sentences, set(re.findall(r"\w+", line))
            sentences = {}


def test_each_room_of_the_contract_has_its_sentence_and_the_map_has_the_same() -> None:
    every = {}
    for sentences, rooms in contract():
        assert set(sentences) == rooms
        every |= sentences
    assert every == mapped("python/hpd")


def test_the_map_goes_from_the_top_down_as_the_contract_does() -> None:
    order = [name for sentences, _ in contract() for name in sentences]
    assert list(mapped("python/hpd")) == order


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`(\.?\w+(?:/[\w.-]+)+)`", PAGE))), ids=lambda path: path
)
def test_a_path_that_is_named_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("name", ["Type", "Layout", "Options", "key_texts"])
def test_a_name_that_is_told_with_its_file_is_there(name: str) -> None:
    (path,) = re.findall(rf"`{name}` in `([\w/.]+\.py)`", PAGE) or re.findall(
        rf"`([\w/.]+\.py)`, whose `{name}`", PAGE
    )
    assert re.search(rf"^(?:class |def )?{name}\b", (ROOT / path).read_text(), re.MULTILINE)


def test_chores_that_are_named_exist() -> None:
    sessions = set(re.findall(r"@nox\.session\ndef (\w+)", (ROOT / "noxfile.py").read_text()))
    assert set(re.findall(r"nox -s (\w+)", PAGE)) <= sessions
    (listed,) = re.findall(r"lists the chores: (.*?)\. `nox", PAGE, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", listed)) == sessions
