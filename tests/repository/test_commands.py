"""The commands in the pages: hpd takes them as they are written, and scripts are where they say."""

import contextlib
import re
import shlex
from pathlib import Path

import pytest

from hpd.cli import build_parser
from hpd.cli.common import UsageError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "models" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^ *```(?:bash|sh)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_ENDS = {"|", "&&", "||", ";", ">", ">>", "<", "2>", "&"}
_FILES = re.compile(r"there is no hpd\.toml|No such file")
"""Errors about files that a reader of the page has."""


def commands(page, program="hpd"):
    """The arguments of each command of a program in the blocks of a page."""
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            command = []
            for word in [*shlex.split(line, comments=True), ";"]:
                if word not in _ENDS:
                    command.append(word)
                    continue
                if command[:1] == [program] and "..." not in command:
                    yield command[1:]
                command = []


def test_the_pages_have_many_commands():
    assert sum(len(list(commands(page))) for page in PAGES) > 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_hpd_takes_the_commands_of_a_page(page):
    for words in commands(page):
        with contextlib.suppress(SystemExit):  # of --help and --version
            try:
                build_parser().parse_args(words)
            except UsageError as error:
                if not _FILES.search(str(error)):
                    pytest.fail(f"hpd {shlex.join(words)}: {error}")


def test_scripts_are_where_the_pages_say():
    named = [words for page in PAGES for words in commands(page, "python")]
    files = [words[0] for words in named if words[0].endswith(".py")]
    modules = [words[1] for words in named if words[0] == "-m" and words[1] != "venv"]
    assert files or modules
    for file in (*files, *(module.replace(".", "/") for module in modules)):
        path = ROOT / file
        package = path / "__main__.py"
        assert path.is_file() or path.with_suffix(".py").is_file() or package.is_file(), file
