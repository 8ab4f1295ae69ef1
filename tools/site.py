"""Hooks of mkdocs: the pages of the site outside of docs/.

README, change log, CONTRIBUTING and the page of the bundled model are elsewhere in the repository.
The Python reference is generated from docstrings, that of the command line from its help. Links
between pages become links within the site; links to other files become plain text.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

import hpd
from hpd.cli import COMMANDS
from tools.docs import ROOT, run

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "models/README.md": "box.md",
}
"""Pages outside of docs/, by their path in the repository, and their names in the site."""
REFERENCE = "reference.md"
COMMAND_LINE = "command-line.md"

_LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_IMAGE = re.compile(r"(?<=\]\()docs/(?=[^)]*\.(?:png|svg)\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside of docs/."""
    from mkdocs.structure.files import File

    for path, name in ELSEWHERE.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=_IMAGE.sub("", text)))
    files.append(File.generated(config, REFERENCE, content=reference()))
    files.append(File.generated(config, COMMAND_LINE, content=command_line()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Convert links of the repository to those of the site."""
    paths = {name: path for path, name in ELSEWHERE.items()}
    uri = page.file.src_uri
    source = paths.get(uri, f"docs/{uri}")

    def linked(match: re.Match[str]) -> str:
        path, hash_mark, anchor = match["target"].partition("#")
        if "://" in path or not path:
            return match.group()
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        name = ELSEWHERE.get(target, target.removeprefix("docs/"))
        if files.get_file_from_path(name) is None:
            return match["text"]
        return f"[{match['text']}]({name}{hash_mark}{anchor})"

    return _LINK.sub(linked, markdown)


def reference() -> str:
    """Return a page with the docstring of each public name."""
    names = [name for name in hpd.__all__ if not name.startswith("_")]
    errors = sorted(name for name in names if name.endswith("Error"))
    # Those that most readers look for come first.
    first = ("extract", "Extractor", "Options", "Extraction")
    others = [name for name in dict.fromkeys((*first, *names)) if name not in errors]
    lines = ["# Python", "", "Everything that `import hpd` offers, from its docstrings.", ""]
    for title, members in (("Extraction", others), ("Errors", errors)):
        lines += [f"## {title}", ""]
        for name in members:
            path = f"{getattr(hpd, name).__module__}.{name}"
            lines += [f"::: {path}", "    options:", f"      heading: hpd.{name}", ""]
    return "\n".join(lines)


def command_line() -> str:
    """Return a page with the help of each command."""
    lines = ["# Command line", ""]
    for name in COMMANDS:
        shown = run(f"hpd {name} --help")
        lines += [f"## hpd {name}", "", "```text", shown.rstrip(), "```", ""]
    return "\n".join(lines)
