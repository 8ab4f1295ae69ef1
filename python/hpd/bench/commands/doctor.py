"""``hpd doctor``: checks the installation, and suggests remedies."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import textwrap
from typing import TYPE_CHECKING

from hpd.cli.arguments import add_model_arguments
from hpd.cli.common import EXIT_FAILED, EXIT_OK
from hpd.models.model_files import MODEL_VARIABLE, resolve_model

if TYPE_CHECKING:
    from hpd.bench.doctor import Check

_NAME_WIDTH = 11
_WIDEST = 120

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
            print(_shown(check), flush=True)
    n_broken = sum(check.state == "broken" for check in checks)
    if arguments.json:
        whole = {"ok": n_broken == 0, "checks": [check.to_dict() for check in checks]}
        print(json.dumps(whole, ensure_ascii=False, indent=1))
    else:
        n_notes = sum(check.state == "note" for check in checks)
        print(f"\n{_closing(n_broken, n_notes)}")
    return EXIT_FAILED if n_broken else EXIT_OK


def _shown(check: Check) -> str:
    """Format a check: its state, name, finding and remedy."""
    width = min(shutil.get_terminal_size((100, 24)).columns, _WIDEST)
    start = f"{check.state:<8}{check.name:<{_NAME_WIDTH}}"
    lines = _wrapped(check.text, width, start)
    if check.remedy:
        lines += _wrapped(check.remedy, width, " " * len(start) + "> ")
    return "\n".join(lines)


def _wrapped(text: str, width: int, start: str) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, len(start) + 20),
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _closing(n_broken: int, n_notes: int) -> str:
    parts = [f"{n_broken} broken" if n_broken else "everything works"]
    if n_broken or n_notes:
        parts.append(f"{n_notes} note{'s' * (n_notes != 1)}")
    return ", ".join(parts)
