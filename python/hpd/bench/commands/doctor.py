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
from hpd.messages import counted
from hpd.models.model_files import MODEL_VARIABLE, resolve_model

if TYPE_CHECKING:
    from hpd.bench.doctor import Finding

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
            print(_check_text(check), flush=True)
    n_broken = sum(check.state == "broken" for check in checks)
    if arguments.json:
        whole = {"ok": n_broken == 0, "checks": [check.to_dict() for check in checks]}
        print(json.dumps(whole, ensure_ascii=False, indent=1))
    else:
        n_notes = sum(check.state == "note" for check in checks)
        notes = f", {counted(n_notes, 'note')}" if n_broken or n_notes else ""
        print(f"\n{f'{n_broken} broken' if n_broken else 'everything works'}{notes}")
    return EXIT_FAILED if n_broken else EXIT_OK


def _check_text(check: Finding) -> str:
    """Format a check: its state, name, finding and remedy."""
    width = min(shutil.get_terminal_size((100, 24)).columns, _WIDEST)
    start = f"{check.state:<8}{check.name:<{_NAME_WIDTH}}"
    paragraphs = [(start, check.text)]
    if check.remedy:
        paragraphs.append((" " * len(start) + "> ", check.remedy))
    return "\n".join(
        textwrap.fill(
            text,
            max(width, len(first) + 20),
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for first, text in paragraphs
    )
