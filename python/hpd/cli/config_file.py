"""The file that has the user's jobs: ``hpd.toml``, or ``[tool.hpd]`` in ``pyproject.toml``."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.cli.common import UsageError

OWN_NAME = "hpd.toml"
PROJECT_NAME = "pyproject.toml"
JOBS = "job"
"""The table of jobs: ``[job.NAME]``, or ``[tool.hpd.job.NAME]``."""

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?")
_QUOTES = "\"' \t"


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it is written."""

    name: str
    path: Path
    """The file that it stands in."""
    settings: Mapping[str, Any]
    text: str
    """The whole file."""
    table: tuple[str, ...]
    """The names of the tables around the settings."""

    def where(self, key: str) -> str:
        """The place of a setting, for messages: the file and, where it can be told, the line."""
        return _place(self.path, self.text, self.table, key)


def find_job(name: str, file: str | None = None) -> Job:
    """A job by its name.

    Args:
        name: of the job.
        file: the file that has it; None: ``hpd.toml`` or a ``pyproject.toml`` with ``[tool.hpd]``
            in this folder, or else in the nearest one above it.

    Raises:
        UsageError: there is no such file or job, or the file cannot be read.
    """
    path = _find_file() if file is None else Path(file).expanduser()
    text, content = _read(path)
    tables = ("tool", "hpd") if path.name == PROJECT_NAME else ()
    for table in tables:
        content = content.get(table, {})
        if not isinstance(content, dict):
            raise UsageError(f"{path}: {table} must be a table, as [tool.hpd.{JOBS}.{name}]")
    prefix = ".".join((*tables, JOBS))
    for key in content:
        if key != JOBS:
            raise UsageError(
                f"{_place(path, text, tables, key)}: there is no setting {key!r} here: jobs are "
                f"written as [{prefix}.NAME]"
            )
    jobs = content.get(JOBS, {})
    if not isinstance(jobs, dict) or not all(isinstance(job, dict) for job in jobs.values()):
        raise UsageError(f"{path}: each job must be a table: [{prefix}.NAME]")
    if name not in jobs:
        raise UsageError(f"{path}: there is no job {name!r}: {_nearest(name, jobs, prefix)}")
    return Job(name, path, jobs[name], text, (*tables, JOBS, name))


def nearest(name: str, names: Collection[str]) -> str:
    """The end of a message about a name that there is not; empty if none is like it."""
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else ""


def _nearest(name: str, jobs: Collection[str], prefix: str) -> str:
    if not jobs:
        return f"it has none, which would be written as [{prefix}.{name}]"
    return nearest(name, jobs) or f"it has {', '.join(jobs)}"


def _find_file() -> Path:
    folder = Path.cwd()
    for place in (folder, *folder.parents):
        if (place / OWN_NAME).is_file():
            return place / OWN_NAME
        project = place / PROJECT_NAME
        if project.is_file() and "hpd" in _table(_read(project)[1].get("tool")):
            return project
    raise UsageError(
        f"there is no {OWN_NAME}, and no {PROJECT_NAME} with [tool.hpd], in {folder} or above it: "
        "name a file with --config"
    )


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a file, and its content."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error}") from error
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error


def _place(path: Path, text: str, table: tuple[str, ...], key: str) -> str:
    line = _line_of(text, table, key)
    return str(path) if line is None else f"{path}:{line}"


def _line_of(text: str, table: tuple[str, ...], key: str) -> int | None:
    """The line of a key, where tables are written with headers of their own."""
    inside = not table
    is_key = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]")
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.fullmatch(line):
            names = tuple(part.strip(_QUOTES) for part in header[1].split("."))
            if names[: len(table) + 1] == (*table, key):
                return number
            inside = names == table
        elif inside and is_key.match(line):
            return number
    return None
