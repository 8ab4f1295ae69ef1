"""Jobs of ``hpd extract``: its arguments, kept in a file under a name.

A key of a job is a flag without its dashes, or ``input``; so a job can say whatever the command
line can, and what is said there wins.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hpd.cli.common import UsageError
from hpd.cli.config_file import Job, find_job, nearest
from hpd.options import OPTIONS
from hpd.schema.sources import FILE_SUFFIXES

_INPUT = "input"
_NOT_OF_JOBS = ("help", "job", "config", "status", "dry-run")
"""Flags that are for one run only."""

_PATHS = ("output", "examples", "cache", "calibration")
_NO_FILES = ("-", "none")
_MODELS = ("model", "draft-model")
"""A path, or the name of a model."""


def add_job_arguments(group: argparse._ActionsContainer) -> None:
    """``--job`` and ``--config``."""
    group.add_argument(
        "--job",
        metavar="NAME",
        help="take the arguments that are not said here from [job.NAME] in hpd.toml, or from "
        "[tool.hpd.job.NAME] in pyproject.toml, of this folder or the nearest one above it",
    )
    group.add_argument("--config", metavar="FILE", help="the file that has the job")


def job_defaults(
    parser: argparse.ArgumentParser, said: argparse.Namespace
) -> Mapping[str, Any] | None:
    """The values that a job gives to arguments that were not said; None: no job was named.

    Raises:
        UsageError: the file, the job, or a setting is not as it should be, with its place.
    """
    if said.job is None:
        if said.config is not None:
            raise UsageError("--config does nothing without --job")
        return None
    if said.status is not None:
        return None  # which refuses it
    job = find_job(said.job, said.config)
    actions = _settable(parser)
    values = {}
    for key, value in job.settings.items():
        if key not in actions:
            raise UsageError(f"{job.where(key)}: job {job.name}: {_unknown(key, actions)}")
        try:
            values[actions[key].dest] = _converted(actions[key], key, value, job.path.parent)
        except (ValueError, argparse.ArgumentTypeError) as error:
            raise UsageError(f"{job.where(key)}: job {job.name}: {key} {error}") from None
    _check_models(job, values)
    _leave_to_the_command_line(parser, said, values)
    return {**values, "job_file": job.path}


def _settable(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The arguments that a job may give, by their keys."""
    # Not the flags that are short for a value of another one.
    long = [action for action in parser._actions if type(action) is not argparse._StoreConstAction]
    keys = {_key(action): action for action in long}
    return {key: action for key, action in keys.items() if key not in _NOT_OF_JOBS}


def _key(action: argparse.Action) -> str:
    flags = [flag for flag in action.option_strings if flag.startswith("--")]
    return flags[0][2:] if flags else action.dest


def _unknown(key: str, actions: Mapping[str, argparse.Action]) -> str:
    if key in _NOT_OF_JOBS:
        return f"{key} is for the command line"
    by_name = next((known for known, action in actions.items() if action.dest == key), "")
    hint = f"did you mean {by_name}?" if by_name else nearest(key, actions)
    return f"there is no setting {key!r}: {hint or 'hpd extract --help lists the flags'}"


def _check_models(job: Job, values: dict[str, Any]) -> None:
    if "model" in values and "hf" in values:
        raise UsageError(f"{job.where('model')}: job {job.name}: give model or hf-repo, not both")


def _leave_to_the_command_line(
    parser: argparse.ArgumentParser, said: argparse.Namespace, values: dict[str, Any]
) -> None:
    """Drop what argparse would not let the command line win against."""
    lists = [action.dest for action in parser._actions if _is_list(action)]
    for dest in lists:
        # Lists that are said would be added to those of the job.
        if getattr(said, dest):
            values.pop(dest, None)
    if said.model is not None or said.hf is not None:
        values.pop("model", None)
        values.pop("hf", None)


def _is_list(action: argparse.Action) -> bool:
    return isinstance(action, argparse._AppendAction) or action.nargs == "*"


def _converted(action: argparse.Action, key: str, value: Any, folder: Path) -> Any:
    """A value as the parser would make it of the text on the command line."""
    if action.nargs == 0:  # store_true, and flags that can be negated
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {value!r}")
        return value
    if key == "schema":
        return _schema(value, folder)
    if _is_list(action):
        return [_single(action, key, each, folder) for each in _as_list(value)]
    return _single(action, key, value, folder)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _single(action: argparse.Action, key: str, value: Any, folder: Path) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        kind = "true or false" if isinstance(value, bool) else f"a {type(value).__name__}"
        raise ValueError(f"must be one text or number, not {kind}")
    is_text = isinstance(value, str)
    text = _placed(key, value, folder) if isinstance(value, str) else str(value)
    convert = action.type if callable(action.type) else str
    converted = convert(text)
    if isinstance(converted, int | float) and is_text:
        raise ValueError(f"must be a number, which is written without quotes: {value}")
    if isinstance(converted, str) and not is_text:
        raise ValueError(f'must be text, which is written in quotes: "{value}"')
    if action.choices is not None and converted not in action.choices:
        raise ValueError(f"must be one of {', '.join(map(str, action.choices))}, not {value!r}")
    return converted


def _schema(value: Any, folder: Path) -> str:
    """A schema as the command line takes it: a table or a list becomes JSON."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, str):
        raise ValueError(f"must be text, a list of names or a table, not {value!r}")
    is_file = value.lower().endswith(FILE_SUFFIXES) and not any(map(str.isspace, value))
    return _below(folder, value) if is_file or (folder / value).is_file() else value


def _placed(key: str, value: str, folder: Path) -> str:
    """A path that is relative to the folder of the file that names it; any other text as it is."""
    if key == _INPUT:
        return value if value == "-" else _pattern(folder, value)
    if key in _PATHS:
        return value if value in _NO_FILES else _below(folder, value)
    if key == OPTIONS["instructions"].flag[2:] and value.startswith("@"):
        return "@" + _below(folder, value[1:])
    if key == "lora" or (key in _MODELS and _is_path(folder, value)):
        return _below(folder, value)
    return value


def _is_path(folder: Path, name: str) -> bool:
    return name.lower().endswith(".gguf") or (folder / Path(name).expanduser()).exists()


def _below(folder: Path, path: str) -> str:
    placed = folder / Path(path).expanduser()
    # Short where that is the same, as it stands in messages.
    return path if folder == Path.cwd() and not path.startswith("~") else str(placed)


def _pattern(folder: Path, name: str) -> str:
    """An input: a path, or a pattern, in which the folder's own name is no pattern."""
    if folder == Path.cwd() or os.path.isabs(name) or not glob.has_magic(name):
        return _below(folder, name)
    placed = _below(folder, name)
    return placed if os.path.exists(placed) else os.path.join(glob.escape(str(folder)), name)
