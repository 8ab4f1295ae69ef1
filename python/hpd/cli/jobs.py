"""Jobs of ``hpd extract``: named sets of arguments in ``hpd.toml`` or ``pyproject.toml``.

A key of a job is a flag without dashes, a field of ``Options``, or ``input``, so a job can set
whatever the command line can. The command line takes precedence.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.cli.arguments import Parser, add_option_argument
from hpd.cli.common import UsageError
from hpd.messages import did_you_mean
from hpd.options import OPTIONS
from hpd.schema.sources import FILE_SUFFIXES

OWN_NAME = "hpd.toml"
PROJECT_NAME = "pyproject.toml"
JOBS = "job"
"""The table of jobs: ``[job.NAME]``, or ``[tool.hpd.job.NAME]``."""

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?")
_QUOTES = "\"' \t"


@dataclass(frozen=True, slots=True)
class Job:
    """A job as written in its file."""

    name: str
    path: Path
    """The file that contains it."""
    settings: Mapping[str, Any]
    text: str
    """The whole file."""
    table: tuple[str, ...]
    """The names of the enclosing tables."""

    def location(self, key: str) -> str:
        """Return the location of a setting for messages: the file and, if known, the line."""
        return _location(self.path, self.text, self.table, key)


def find_job(name: str, file: str | None) -> Job:
    """Find a job by its name.

    Args:
        name: the job's name.
        file: the file with the job; None: ``hpd.toml`` or a ``pyproject.toml`` with
            ``[tool.hpd]``, in this folder or the nearest one above it.

    Raises:
        UsageError: there is no such file or job, or the file cannot be read.
    """
    path = _find_file() if file is None else Path(file).expanduser()
    text, content = _read_toml(path)
    tables = ("tool", "hpd") if path.name == PROJECT_NAME else ()
    for table in tables:
        content = content.get(table, {})
        if not isinstance(content, dict):
            raise UsageError(f"{path}: {table} must be a table, as [tool.hpd.{JOBS}.{name}]")
    prefix = ".".join((*tables, JOBS))
    for key in content:
        if key != JOBS:
            raise UsageError(
                f"{_location(path, text, tables, key)}: there is no setting {key!r} here: jobs are "
                f"written as [{prefix}.NAME]"
            )
    jobs = content.get(JOBS, {})
    if not isinstance(jobs, dict) or not all(isinstance(job, dict) for job in jobs.values()):
        raise UsageError(f"{path}: each job must be a table: [{prefix}.NAME]")
    if name not in jobs:
        raise UsageError(f"{path}: there is no job {name!r}: {_similar_job(name, jobs, prefix)}")
    return Job(name, path, jobs[name], text, (*tables, JOBS, name))


def _similar_job(name: str, jobs: Collection[str], prefix: str) -> str:
    if not jobs:
        return f"it has none; write one as [{prefix}.{name}]"
    return did_you_mean(name, jobs) or f"it has {', '.join(jobs)}"


def _find_file() -> Path:
    folder = Path.cwd()
    for parent in (folder, *folder.parents):
        if (parent / OWN_NAME).is_file():
            return parent / OWN_NAME
        project = parent / PROJECT_NAME
        if project.is_file() and "hpd" in _as_table(_read_toml(project)[1].get("tool")):
            return project
    raise UsageError(
        f"there is no {OWN_NAME}, and no {PROJECT_NAME} with [tool.hpd], in {folder} or above it: "
        "name one, as --job FILE:NAME"
    )


def _as_table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a file, and its parsed content."""
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


def _location(path: Path, text: str, table: tuple[str, ...], key: str) -> str:
    line = _line_of(text, table, key)
    return str(path) if line is None else f"{path}:{line}"


def _line_of(text: str, table: tuple[str, ...], key: str) -> int | None:
    """Return the line of a key in a table, which ``tomllib`` does not give."""
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


_INPUT = "input"
_NOT_IN_JOBS = ("help", "job", "set", "dry-run")
"""Flags that apply to a single run."""

_PATHS = ("output", "examples", "cache", "calibration")
_NO_FILES = ("-", "none")
_MODELS = ("model", "draft-model")
"""A path, or the name of a model."""


def add_job_arguments(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--job",
        metavar="[FILE:]NAME",
        help="take arguments not given here from [job.NAME] in hpd.toml or [tool.hpd.job.NAME] in "
        "pyproject.toml, in this folder or the nearest parent with either",
    )


def job_defaults(parser: Parser, given: argparse.Namespace) -> Mapping[str, Any] | None:
    """Return a job's values for arguments that are not given; None without a job.

    Raises:
        UsageError: the file, the job or a setting is invalid; the message has its location.
    """
    if given.job is None:
        return None
    file, _, name = given.job.rpartition(":")
    job = find_job(name, file or None)
    parser.load_lazy_modules(lambda prefix: prefix[2:] in job.settings)
    actions = _settable_arguments(parser)
    values: dict[str, Any] = {}
    for key, value in job.settings.items():
        # Keys may also be written as in Python, with underscores.
        flag = key if key in actions else key.replace("_", "-")
        if flag not in actions:
            raise UsageError(
                f"{job.location(key)}: job {job.name}: {_unknown_key_text(key, actions)}"
            )
        if actions[flag].dest in values:
            raise UsageError(f"{job.location(key)}: job {job.name}: {flag} is given twice")
        try:
            values[actions[flag].dest] = _convert(actions[flag], flag, value, job.path.parent)
        except (ValueError, argparse.ArgumentTypeError) as error:
            raise UsageError(f"{job.location(key)}: job {job.name}: {key} {error}") from None
    if "model" in values and "hf_repo" in values:
        raise UsageError(
            f"{job.location('model')}: job {job.name}: give model or hf-repo, not both"
        )
    _drop_overridden(parser, given, values)
    return {**values, "job_file": job.path}


def _settable_arguments(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return the arguments that a job may set, by key."""
    long = [action for action in parser._actions if action.dest != argparse.SUPPRESS]
    # Options without a flag in this parser get one in another.
    unflagged = argparse.ArgumentParser(add_help=False)
    for name in parser._defaults.keys() & OPTIONS.keys():
        if not OPTIONS[name].flags:
            add_option_argument(unflagged, OPTIONS[name])
    keys = {_key(action): action for action in (*long, *unflagged._actions)}
    return {key: action for key, action in keys.items() if key not in _NOT_IN_JOBS}


def _key(action: argparse.Action) -> str:
    flags = [flag for flag in action.option_strings if flag.startswith("--")]
    return flags[0][2:] if flags else action.dest


def _unknown_key_text(key: str, actions: Mapping[str, argparse.Action]) -> str:
    if key in _NOT_IN_JOBS:
        return f"{key} is for the command line"
    by_name = next((known for known, action in actions.items() if action.dest == key), "")
    hint = f"did you mean {by_name}?" if by_name else did_you_mean(key, actions)
    return f"there is no setting {key!r}: {hint or 'hpd extract --help lists the flags'}"


def _drop_overridden(
    parser: argparse.ArgumentParser, given: argparse.Namespace, values: dict[str, Any]
) -> None:
    """Drop a job's values that would otherwise remain beside the arguments that replace them."""
    lists = [action.dest for action in parser._actions if _is_list(action)]
    for dest in lists:
        # argparse would add a list on the command line to that of the job.
        if getattr(given, dest):
            values.pop(dest, None)
    if given.model is not None or given.hf_repo is not None:
        values.pop("model", None)
        values.pop("hf_repo", None)


def _is_list(action: argparse.Action) -> bool:
    return isinstance(action, argparse._AppendAction) or action.nargs == "*"


def _convert(action: argparse.Action, key: str, value: Any, folder: Path) -> Any:
    """Convert a value as the parser would convert the text on the command line."""
    if action.nargs == 0:  # store_true, and flags that can be negated
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {value!r}")
        return value
    if key == "schema":
        return _convert_schema(value, folder)
    if _is_list(action):
        values = value if isinstance(value, list) else [value]
        return [_convert_single(action, key, each, folder) for each in values]
    return _convert_single(action, key, value, folder)


def _convert_single(action: argparse.Action, key: str, value: Any, folder: Path) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        kind = "true or false" if isinstance(value, bool) else f"a {type(value).__name__}"
        raise ValueError(f"must be one text or number, not {kind}")
    is_text = isinstance(value, str)
    text = _resolve_path(key, value, folder) if isinstance(value, str) else str(value)
    convert = action.type if callable(action.type) else str
    converted = convert(text)
    if isinstance(converted, int | float) and is_text:
        raise ValueError(f"must be a number, which is written without quotes: {value}")
    if isinstance(converted, str) and not is_text:
        raise ValueError(f'must be text, which is written in quotes: "{value}"')
    if action.choices is not None and converted not in action.choices:
        raise ValueError(f"must be one of {', '.join(map(str, action.choices))}, not {value!r}")
    return converted


def _convert_schema(value: Any, folder: Path) -> str:
    """Convert a schema to the command line's form: a table or a list becomes JSON."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, str):
        raise ValueError(f"must be text, a list of names or a table, not {value!r}")
    is_file = value.lower().endswith(FILE_SUFFIXES) and not any(map(str.isspace, value))
    return _in_folder(folder, value) if is_file or (folder / value).is_file() else value


def _resolve_path(key: str, value: str, folder: Path) -> str:
    """Resolve a path relative to the folder of the job file; leave other text as it is."""
    if key == _INPUT:
        return value if value == "-" else _resolve_pattern(folder, value)
    if key in _PATHS:
        return value if value in _NO_FILES else _in_folder(folder, value)
    if key == OPTIONS["instructions"].flag[2:] and value.startswith("@"):
        return "@" + _in_folder(folder, value[1:])
    is_path = value.lower().endswith(".gguf") or (folder / Path(value).expanduser()).exists()
    return _in_folder(folder, value) if key == "lora" or (key in _MODELS and is_path) else value


def _in_folder(folder: Path, path: str) -> str:
    resolved = folder / Path(path).expanduser()
    # The path appears in messages, so it stays short if that means the same.
    return path if folder == Path.cwd() and not path.startswith("~") else str(resolved)


def _resolve_pattern(folder: Path, name: str) -> str:
    """Resolve an input: a path, or a pattern in which the folder's name is escaped."""
    if folder == Path.cwd() or os.path.isabs(name) or not glob.has_magic(name):
        return _in_folder(folder, name)
    resolved = _in_folder(folder, name)
    return resolved if os.path.exists(resolved) else os.path.join(glob.escape(str(folder)), name)
