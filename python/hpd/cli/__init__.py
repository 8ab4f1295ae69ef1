"""The command line, ``hpd``: one module per command.

Results go to standard output, everything else to standard error. Exit codes: 0 success; 1 failure;
2 usage error or invalid schema, before any model is loaded; 3 some documents failed and the rest
are written; 130 interrupted.
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
from hpd.errors import HpdError, HpdWarning, MissingPackageError, OptionError, SchemaError
from hpd.messages import did_you_mean

COMMANDS: dict[str, tuple[str, str]] = {
    "extract": ("hpd.cli.extract", "extract values from documents"),
    "serve": ("hpd.serving.commands.serve", "start an HTTP server, also for OpenAI clients"),
    "mcp": ("hpd.serving.commands.mcp", "serve tools to assistants"),
    "eval": ("hpd.evaluation.commands.eval", "score values against gold values"),
    "calibrate": ("hpd.evaluation.commands.calibrate", "fit confidence to accuracy"),
    "status": ("hpd.evaluation.commands.status", "show a run's progress"),
    "report": (
        "hpd.evaluation.commands.report",
        "make an HTML page with values marked in their texts",
    ),
    "judge": ("hpd.evaluation.commands.judge", "let a larger model judge values"),
    "compare": ("hpd.evaluation.commands.compare", "let people compare systems blindly"),
    "discover": ("hpd.evaluation.commands.discover", "let a model propose attributes"),
    "data": ("hpd.evaluation.commands.data", "convert public data sets"),
    "bench": ("hpd.bench.commands.bench", "compare the speed of methods"),
    "tune": ("hpd.bench.commands.tune", "find the fastest settings for a model on this machine"),
    "finetune": ("hpd.training.command", "fine-tune a model"),
    "schema": ("hpd.cli.schema", "show how hpd reads a schema"),
    "text": ("hpd.cli.text", "print the text of documents as a model sees it"),
    "models": ("hpd.cli.models", "list models to download and on this machine"),
    "doctor": ("hpd.bench.commands.doctor", "check the installation"),
    "completion": ("hpd.cli.completion", "print a shell completion script"),
}
"""The commands in the order of the help, each with its module, loaded on use, and its help."""

_NO_INPUT = ("output", "schema", "text_field", "id_field", "category_field")
"""Arguments for which ``-`` does not mean standard input."""

_DESCRIPTION = """\
Extract structured values from documents with a local model, decoding all fields at once.

  hpd extract listings.jsonl --schema "brand, color, size" -o values.jsonl
  echo '{"text": "Diesel sneaker, black"}' | hpd extract - --schema "brand, color"
  hpd eval values.jsonl gold.jsonl
"""

_EPILOG = """\
Environment: HPD_MODEL (the default model), HPD_CACHE (the cache folder), HPD_TUNED=0 (ignore the
settings that hpd tune stored there), and Hugging Face's HF_HOME, HF_TOKEN, HF_HUB_OFFLINE.
Exit codes: 0 success, 1 failure, 2 wrong usage or schema, 3 some documents failed,
130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command line, or of one command only, which is faster."""
    parser, commands = _parser()
    for name in COMMANDS if command is None else [command]:
        import_module(COMMANDS[name][0]).add_parser(commands)
    parser.set_defaults(build_parser=build_parser)  # for hpd completion
    return parser


def _parser() -> tuple[argparse.ArgumentParser, Any]:
    parser = Parser(prog="hpd", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=_Help)
    parser.add_argument("--version", action=_Version, help="print the versions and exit")
    return parser, parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, action=_Commands
    )


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps each command on one line: argparse does not count the indentation of commands."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action, _Commands):
            self._action_max_length += 2


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Commands whose help is taken from ``COMMANDS``."""

    def add_parser(self, name: str, **settings: Any) -> Any:
        return super().add_parser(name, **{**settings, "help": COMMANDS[name][1]})


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments with the parser of their command."""
    if words and words[0] in COMMANDS:
        return build_parser(words[0]).parse_args(words)
    parser, commands = _parser()
    for name in COMMANDS:
        commands.add_parser(name)
    if words and not words[0].startswith("-"):
        hint = did_you_mean(words[0], COMMANDS) or f"there are {', '.join(COMMANDS)}"
        raise UsageError(f"there is no command {words[0]!r}: {hint} (see hpd --help)")
    return parser.parse_args(words or ["--help"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code."""
    try:
        arguments = _parse(sys.argv[1:] if argv is None else argv)
        _check_standard_input(arguments)
        with _plain_warnings(quiet=getattr(arguments, "quiet", False)):
            code: int = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        say("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard_unwritten()  # The reader of the output, such as head, has stopped: no error.
        return EXIT_OK
    except (UsageError, SchemaError, OptionError, MissingPackageError) as error:
        say(f"error: {error}")
        return EXIT_USAGE
    except (HpdError, OSError) as error:
        say(f"error: {error}")
        _discard_unwritten()
        return EXIT_FAILED
    return code


def _discard_unwritten() -> None:
    """Discard output that cannot be written; otherwise Python would complain again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check_standard_input(arguments: argparse.Namespace) -> None:
    """Check that standard input is read only once."""
    files = {name: value for name, value in vars(arguments).items() if name not in _NO_INPUT}
    readers = [
        name
        for name, value in files.items()
        if "-" in (value if isinstance(value, list) else [value])
    ]
    if len(readers) > 1:
        raise UsageError(f"- is standard input, which can be read only once: {', '.join(readers)}")


@contextmanager
def _plain_warnings(*, quiet: bool) -> Iterator[None]:
    """Print hpd's warnings on one line each, without notes if ``quiet``; other warnings are
    unchanged."""
    show_other = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        if issubclass(category, HpdWarning):
            if not (quiet and category.kind == "note"):
                say(f"{category.kind}: {message}")
        else:
            show_other(message, category, *rest, **named)

    with warnings.catch_warnings():
        warnings.simplefilter("always", HpdWarning)
        warnings.showwarning = show
        yield


class _Version(argparse.Action):
    """Prints the versions, which are looked up only when needed."""

    def __init__(self, option_strings: Sequence[str], dest: str, **rest: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **rest)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print and exit."""
        print(_versions(), flush=True)
        parser.exit()


def _versions() -> str:
    """Return the versions of hpd and of its libraries, without loading a model."""
    from hpd.models.hardware import device_summary, llama_cpp_version
    from hpd.version import __version__

    lines = [f"hpd {__version__}"]
    try:
        lines.append(f"llama.cpp {llama_cpp_version()}")
        lines.append(f"computing on {device_summary(-1)}")
    # Its library is missing or unloadable, or of another version.
    except (HpdError, ImportError, OSError, RuntimeError) as error:
        lines.append(f"llama.cpp cannot be loaded: {error}")
    return "\n".join(lines)
