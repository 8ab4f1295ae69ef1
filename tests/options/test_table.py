"""The table of options: that each is declared in full, and that what is made from it is whole."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from hpd import Options
from hpd.cli import build_parser
from hpd.cli.option_arguments import add_option_arguments
from hpd.options import OPTIONS, TUNABLE
from option_values import NEEDED, OTHER

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
LEFT_OUT = {
    "extract": set(),
    "serve": set(),
    "bench": {"method", "on_invalid", "dedupe", "cache"},
    "tune": {"method", "on_invalid", "deterministic", "dedupe", "cache"},
}
"""The commands with options, and those that they do not have."""


def commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parser of each command."""
    (group,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    yield from group.choices.items()


def without_spaces(text: str) -> str:
    """A text, however it is broken into lines."""
    return "".join(text.split())


def test_every_field_is_an_option() -> None:
    assert list(OPTIONS) == [field.name for field in fields(Options)]


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_declared_in_full(name: str) -> None:
    option = OPTIONS[name]
    assert (option.name, option.default) == (name, getattr(Options(), name))
    assert all(re.fullmatch(r"--[a-z-]{3,}|-[a-z]{1,3}", flag) for flag in option.flags)
    assert sum(flag.startswith("--") for flag in option.flags) == 1
    assert len(option.help) > 10
    assert not option.help.endswith(".")
    if option.kind in ("integer", "number"):
        assert -math.inf < option.minimum < option.maximum < math.inf
        assert option.metavar
    assert not option.needs or option.needs in NEEDED
    assert option.checked(option.default) == option.default


def test_no_flag_is_used_twice() -> None:
    flags = [flag for option in OPTIONS.values() for flag in (*option.flags, *option.shorthands)]
    assert len(flags) == len(set(flags))


@pytest.mark.parametrize("name", TUNABLE)
def test_what_is_tuned_can_be_set(name: str) -> None:
    tuning = OPTIONS[name].tuning
    assert tuning is not None
    assert bool(tuning.tried) != bool(tuning.together_with)
    for value in (tuning.otherwise, *tuning.tried):
        assert type(value) is type(tuning.otherwise)
        assert OPTIONS[name].checked(value) == value != OPTIONS[name].default
    assert not tuning.together_with or OPTIONS[tuning.together_with].tuning is not None


@pytest.mark.parametrize("command", LEFT_OUT)
def test_a_command_has_all_options_but_those_that_it_cannot_honour(command: str) -> None:
    parser = dict(commands())[command]
    flags: dict[str, set[str]] = {}
    for action in parser._actions:
        flags.setdefault(action.dest, set()).update(action.option_strings)
    assert LEFT_OUT[command] == OPTIONS.keys() - flags.keys()
    shown = without_spaces(parser.format_help())
    # The page is written from what the command prints; argparse does so otherwise since 3.13.
    _, _, page = PAGE.read_text(encoding="utf-8").partition(f"## hpd {command}\n")
    on_page = without_spaces(page.partition("\n## ")[0])
    for name in OPTIONS.keys() - LEFT_OUT[command]:
        assert {*OPTIONS[name].flags, *OPTIONS[name].shorthands} <= flags[name]
        assert without_spaces(OPTIONS[name].help) in shown
        assert without_spaces(OPTIONS[name].help) in on_page


def test_only_these_commands_have_options() -> None:
    all_of_them = {"n_ctx", "temperature", "max_tokens"}  # judge and discover have a few of a model
    names = {n for n, parser in commands() if {a.dest for a in parser._actions} >= all_of_them}
    assert names == LEFT_OUT.keys()


def test_a_flag_means_the_same_in_every_command() -> None:
    meanings: dict[str, set[str]] = {}
    for _, parser in commands():
        for action in parser._actions:
            for flag in action.option_strings:
                if not flag.startswith("--"):
                    meanings.setdefault(flag, set()).add(action.dest)
    assert {flag: names for flag, names in meanings.items() if len(names) > 1} == {}
    assert meanings["-s"] == {"seed"}


def test_python_shows_all_options() -> None:
    shown = without_spaces(Options.__doc__ or "")
    for name, option in OPTIONS.items():
        assert without_spaces(f"{name} ({option.flag}): {option.help}") in shown


def test_nothing_that_is_made_from_the_table_leaves_an_option_out() -> None:
    assert OTHER.keys() == OPTIONS.keys()
    options = Options(**OTHER)  # type: ignore[arg-type]
    defaults = {name for name, o in OPTIONS.items() if getattr(options, name) == o.default}
    assert defaults == {"method", "deterministic", "cache"}
    parser = argparse.ArgumentParser()
    add_option_arguments(parser)
    assert vars(parser.parse_args([])).keys() == {*OPTIONS, "model", "hf"}
