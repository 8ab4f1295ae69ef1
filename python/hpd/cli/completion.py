"""``hpd completion``: a script with which a shell completes the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from hpd.cli.common import EXIT_OK
from hpd.extras import require_extra
from hpd.options import OPTIONS

SHELLS = ("bash", "zsh", "fish")

_FILES = ("FILE", "INPUT", "OUT", "MODEL", "DEV", "TRAIN", "GOLD", "S", "SCHEMA")
"""Metavars in the help whose values are or can be files."""
_FOLDERS = ("DIR", "FOLDER", "OUTDIR")

_DESCRIPTION = """\
Print a script that completes commands, flags, choices and files in your shell. hpd does not run
while you type, so generate the script again after an update.

  bash   hpd completion bash > ~/.local/share/bash-completion/completions/hpd
  zsh    hpd completion zsh > ~/.zsh/completions/_hpd      in a folder of $fpath, before compinit
  fish   hpd completion fish > ~/.config/fish/completions/hpd.fish

To try it in this shell only: eval "$(hpd completion bash)"
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "completion", usage="%(prog)s {bash,zsh,fish}", description=_DESCRIPTION
    )
    parser.add_argument("shell", choices=SHELLS, help="your shell")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    require_extra("hpd completion", "completion", ("shtab",))
    import shtab

    parser = arguments.build_parser()
    for command in parser._subparsers._group_actions[0].choices.values():
        command.load_lazy_modules()
    for action in _all_actions(parser):
        _complete(action, shtab)
    print(shtab.complete(parser, arguments.shell))
    return EXIT_OK


def _all_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Iterate over the arguments of a parser and of all its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _all_actions(command)


def _complete(action: Any, shtab: Any) -> None:
    """Tell shtab which values an argument takes, if its parser does not know them."""
    option = OPTIONS.get(action.dest)
    if option is not None and option.choices:
        action.choices = option.choices
    elif str(action.metavar).rstrip(".") in _FILES:
        action.complete = shtab.FILE
    elif action.metavar in _FOLDERS:
        action.complete = shtab.DIRECTORY
