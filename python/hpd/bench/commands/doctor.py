"""``hpd doctor``: checks the installation, and suggests remedies."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from typing import TYPE_CHECKING

from hpd.cli.arguments import add_model_arguments
from hpd.cli.common import EXIT_FAILED, EXIT_OK
from hpd.cli.terminal import console
from hpd.messages import counted
from hpd.models.model_files import MODEL_VARIABLE, resolve_model

if TYPE_CHECKING:
    from hpd.bench.doctor import Finding

_WIDTHS = (8, 11)
"""Of the states and the names, in characters."""
_WIDEST = 120
_STYLES = {"ok": "green", "note": "yellow", "broken": "bold red"}

_DESCRIPTION = """\
Check this installation: versions, the library, processor, GPU, memory, what is known about this
machine, and a self-test with the bundled model, whose answers are known. Each line says whether it
works (ok), could be better (note) or does not work (broken), and what to do.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "doctor",
        usage="%(prog)s [-m MODEL | -hf USER/REPO[:QUANT]] [--json]",
        description=_DESCRIPTION,
        epilog="Exit code: 0 if nothing is broken, else 1.",
    )
    add_model_arguments(parser.add_argument_group("a model to try as well"))
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from hpd.bench import doctor

    is_named = arguments.model or arguments.hf_repo or os.environ.get(MODEL_VARIABLE)
    model = resolve_model(arguments.model, arguments.hf_repo) if is_named else None
    checks = []
    for check in doctor.run_checks(model):
        checks.append(check)
        if not arguments.json:
            _print_check(check)
    n_broken = sum(check.state == "broken" for check in checks)
    if arguments.json:
        whole = {"ok": n_broken == 0, "checks": [check.to_dict() for check in checks]}
        print(json.dumps(whole, ensure_ascii=False, indent=1))
    else:
        n_notes = sum(check.state == "note" for check in checks)
        notes = f", {counted(n_notes, 'note')}" if n_broken or n_notes else ""
        print(f"\n{f'{n_broken} broken' if n_broken else 'everything works'}{notes}")
    return EXIT_FAILED if n_broken else EXIT_OK


def _print_check(check: Finding) -> None:
    """Print a check: its state, name, finding and remedy."""
    from rich.table import Table
    from rich.text import Text

    row = Table.grid()
    for width in _WIDTHS:
        row.add_column(width=width)
    row.add_row(Text(check.state, _STYLES[check.state]), check.name, Text(check.text))
    if check.remedy:
        remedy = Table.grid()
        remedy.add_row("> ", Text(check.remedy))
        row.add_row("", "", remedy)
    # Wide enough for the longest word, such as a path, which would be broken otherwise.
    room = max(map(len, f"{check.text} > {check.remedy}".split())) + 2
    width = min(shutil.get_terminal_size((100, 24)).columns, _WIDEST)
    screen = console(width=max(width, sum(_WIDTHS) + room))
    with screen.capture() as captured:
        screen.print(row)
    print("\n".join(map(str.rstrip, captured.get().splitlines())), flush=True)
