"""The command ``hpd``: one module for each of its commands.

Results go to standard output, everything else to standard error. Exit codes: 0 fine; 1 a failure
while running, or of the model; 2 usage or a bad schema, before any model is loaded; 3 some
documents failed and the rest are written; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from hpd.cli.arguments import Parser
from hpd.cli.common import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, UsageError, say
from hpd.cli.version import VersionAction
from hpd.errors import HpdError, OptionError, SchemaError
from hpd.models.memory import MemoryWarning
from hpd.models.settings import TunedWarning
from hpd.pipeline import ReuseWarning, UntaughtWarning
from hpd.schema import SchemaWarning

COMMANDS = {
    "extract": "hpd.cli.extract",
    "serve": "hpd.serving.commands.serve",
    "mcp": "hpd.serving.commands.mcp",
    "eval": "hpd.evaluation.commands.eval",
    "calibrate": "hpd.evaluation.commands.calibrate",
    "report": "hpd.evaluation.commands.report",
    "judge": "hpd.evaluation.commands.judge",
    "compare": "hpd.evaluation.commands.compare",
    "discover": "hpd.evaluation.commands.discover",
    "data": "hpd.evaluation.commands.data",
    "bench": "hpd.bench.commands.bench",
    "tune": "hpd.bench.commands.tune",
    "finetune": "hpd.training.command",
    "schema": "hpd.cli.schema",
    "models": "hpd.cli.models",
    "doctor": "hpd.bench.commands.doctor",
    "completion": "hpd.cli.completion",
}
"""The commands in the order of the help, and the module of each, loaded when it is called."""

_NO_INPUT = ("output", "schema", "text_field", "id_field", "category_field")
"""Arguments of which - is not standard input."""

_OURS = (SchemaWarning, TunedWarning, MemoryWarning, ReuseWarning, UntaughtWarning)

_DESCRIPTION = """\
Structured values out of documents with a local model, all fields decoded at once.

  hpd extract listings.jsonl --schema "brand, color, size" -o values.jsonl
  echo '{"text": "Diesel sneaker, black"}' | hpd extract - --schema "brand, color"
  hpd eval values.jsonl gold.jsonl
"""

_EPILOG = """\
Environment: HPD_MODEL (the model if none is named), HPD_TUNED=0 (leave out what hpd tune found),
HPD_CACHE (the folder where that is kept), and Hugging Face's HF_HOME, HF_TOKEN and HF_HUB_OFFLINE.
Exit codes: 0 fine, 1 failure, 2 usage or bad schema, 3 some documents failed,
130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line, or of one command only, which is made sooner."""
    parser = Parser(prog="hpd", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action=VersionAction, help="print the versions and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in COMMANDS if command is None else [command]:
        import_module(COMMANDS[name]).add_parser(commands)
    parser.set_defaults(build_parser=build_parser)  # for hpd completion
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code."""
    try:
        words = sys.argv[1:] if argv is None else argv
        command = words[0] if words and words[0] in COMMANDS else None
        arguments = build_parser(command).parse_args(words)
        _check_standard_input(arguments)
        with _plain_warnings():
            code: int = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        say("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has had enough, as head has: no error. Python would
        # complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except (UsageError, SchemaError, OptionError) as error:
        say(f"error: {error}")
        return EXIT_USAGE
    except (HpdError, OSError) as error:
        say(f"error: {error}")
        _forget_unwritten()
        return EXIT_FAILED
    return code


def _forget_unwritten() -> None:
    """Let go of output that cannot be written, or Python would complain once more at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check_standard_input(arguments: argparse.Namespace) -> None:
    """Refuse to read standard input twice: there would be nothing left."""
    files = {name: value for name, value in vars(arguments).items() if name not in _NO_INPUT}
    readers = [
        name
        for name, value in files.items()
        if "-" in (value if isinstance(value, list) else [value])
    ]
    if len(readers) > 1:
        raise UsageError(f"- is standard input, which can be read once only: {', '.join(readers)}")


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Print warnings of hpd as one line for a person; other warnings are left unchanged."""
    show = warnings.showwarning

    def plainly(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        if issubclass(category, _OURS):
            say(f"warning: {message}")
        else:
            show(message, category, *rest, **named)

    with warnings.catch_warnings():
        for ours in _OURS:
            warnings.simplefilter("always", ours)
        warnings.showwarning = plainly
        yield
