"""The command-line parser, and arguments that several commands share."""

from __future__ import annotations

import argparse
import math
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn, TypeVar

from hpd.cli.common import UsageError, say, setting_text
from hpd.errors import ModelLoadError
from hpd.messages import did_you_mean
from hpd.option_fields import Affects, Option, Target
from hpd.options import OPTIONS, Options

N = TypeVar("N", int, float)

SCHEMA_HELP = (
    'a JSON Schema, a list of names, the one-line form ("brand, price float?"), a file with one '
    "of these or with {category: schema}, or module:Class of a Pydantic model"
)


class Parser(argparse.ArgumentParser):
    """A parser with one-line errors and preformatted descriptions.

    A module that adds arguments to a core command is registered by the common prefix of its flags,
    and loaded when one of them is used.
    """

    more_defaults: Callable[[argparse.Namespace], Mapping[str, Any] | None] | None = None
    """Returns defaults for missing arguments, from the given ones."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        settings.setdefault("allow_abbrev", False)
        super().__init__(**settings)
        self.lazy_modules: dict[str, str] = {}
        """Modules with ``add_arguments(parser)``, by the common prefix of their flags."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse arguments; reject ``--flag=--``, which Python 3.11 reads as an empty list."""
        given = list(sys.argv[1:] if args is None else args)
        self.load_lazy_modules(lambda prefix: any(word.startswith(prefix) for word in given))
        for text in given:
            flag, _, value = text.partition("=")
            if flag.startswith("-") and value == "--":
                self.error(f"argument {flag}: must not be '--'")
        parsed = super().parse_known_args(given, namespace)
        more = None if self.more_defaults is None else self.more_defaults(parsed[0])
        if more is not None:
            self.set_defaults(**more)
            parsed = super().parse_known_args(given, namespace)
        if parsed[1] and self._subparsers is None:  # a command's parser, which has all flags
            self.error(f"unrecognized arguments: {' '.join(parsed[1])}")
        return parsed

    def load_lazy_modules(self, is_wanted: Callable[[str], bool] = lambda prefix: True) -> None:
        """Load the modules for flags with certain prefixes (default: all), and add their
        arguments."""
        for prefix in filter(is_wanted, list(self.lazy_modules)):
            import_module(self.lazy_modules.pop(prefix)).add_arguments(self)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a help text; unlike argparse, raise an error if it cannot be written."""
        stream = file or sys.stderr
        stream.write(message)
        stream.flush()

    def error(self, message: str) -> NoReturn:
        """Raise an error for the command line.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"{message}{_hint(message, self._option_string_actions)} (see {self.prog} --help)"
        )


def _hint(message: str, flags: Collection[str]) -> str:
    """Suggest what to write instead of an unknown flag."""
    flag = re.match(r"unrecognized arguments: (--(no-)?([a-z-]+))", message)
    if flag is None:
        return ""
    name = flag[3].replace("-", "_")
    if name not in OPTIONS:
        return f": {near}" if (near := did_you_mean(flag[1], flags)) else ""
    value = "off" if flag[2] else "on" if OPTIONS[name].kind == "switch" else "VALUE"
    return f": use --set {name}={value}"


def integer(minimum: int, maximum: int = sys.maxsize) -> Callable[[str], int]:
    """Return a type for integers within bounds."""
    return _within(int, "a whole number", minimum, maximum)


def number(minimum: float, maximum: float = math.inf) -> Callable[[str], float]:
    """Return a type for finite numbers within bounds."""
    return _within(float, "a number", minimum, maximum)


def _within(convert: Callable[[str], N], kind: str, low: float, high: float) -> Callable[[str], N]:
    def bounded(text: str) -> N:
        try:
            value = convert(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {kind}") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
        if value < low:
            raise argparse.ArgumentTypeError(f"{text} is below {low:g}")
        if value > high:
            raise argparse.ArgumentTypeError(f"{text} is above {high:g}")
        return value

    return bounded


def not_empty(text: str) -> str:
    """Check that an argument is not empty, as an unset shell variable is."""
    if not text:
        raise argparse.ArgumentTypeError("is empty")
    return text


def flag_of(name: str) -> str:
    """Return the flag of an argument by its attribute name."""
    return f"--{name.replace('_', '-')}"


def add_model_arguments(group: argparse._ActionsContainer) -> None:
    source = group.add_mutually_exclusive_group()
    source.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        type=not_empty,
        help="a GGUF file, a short name (qwen3:0.6b; see hpd models) or ollama:NAME [default: "
        "HPD_MODEL, else the bundled model]",
    )
    source.add_argument(
        "-hf",
        "--hf-repo",
        dest="hf_repo",
        type=not_empty,
        metavar="USER/REPO[:QUANT]",
        help="a repository on the Hugging Face Hub",
    )


def add_schema_argument(parser: argparse._ActionsContainer, *, required: bool) -> None:
    parser.add_argument("--schema", metavar="S", required=required, help=SCHEMA_HELP)


def add_field_arguments(group: argparse._ActionsContainer) -> None:
    """Add arguments for the fields that hold a record's text, id and category."""
    _add_text_arguments(group)
    add_category_argument(group)


def add_category_argument(group: argparse._ActionsContainer) -> None:
    group.add_argument("--category-field", metavar="F", help="the field with the category")


def add_document_arguments(group: argparse._ActionsContainer) -> None:
    """Add arguments for the documents of the extractions."""
    group.add_argument(
        "--documents",
        metavar="PATH",
        help="the input of hpd extract, to read texts from: a file, folder or pattern",
    )
    _add_text_arguments(group)


def add_text_argument(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--text-field",
        metavar="F",
        action="append",
        help="the field with the text; if repeated, the texts are joined",
    )


def _add_text_arguments(group: argparse._ActionsContainer) -> None:
    add_text_argument(group)
    group.add_argument("--id-field", metavar="F", help="the field with the id")


# --- the table of options ---

_HEADINGS: dict[str, tuple[Target, ...]] = {
    "quality": ("prompt", "answer", "value", "document"),
    "model and engine (as in llama.cpp)": ("model", "engine", "sampling"),
    "run": ("run",),
}
"""The groups of the help, with the targets of their options."""

_AFFECTED: dict[Affects, str] = {
    "values": "affecting values",
    "speed": "affecting speed (values are the same, except for rounding)",
    "display": "messages",
}


def add_option_arguments(
    parser: argparse.ArgumentParser, leave_out: Collection[str] = (), *, with_model: bool = True
) -> None:
    """Add all options: common ones in groups, with ``-m`` and ``-hf``, the others by ``--set``.

    Args:
        parser: the parser of a command that runs a model.
        leave_out: names of options that the command does not support.
        with_model: whether to add ``-m`` and ``-hf``.
    """
    options = [option for option in OPTIONS.values() if option.name not in leave_out]
    for heading, targets in _HEADINGS.items():
        group = parser.add_argument_group(heading)
        if "model" in targets and with_model:
            add_model_arguments(group)
        for option in options:
            if option.target in targets and option.flags:
                add_option_argument(group, option)
    group.add_argument(
        "--set",
        action=_SetOption,
        options={option.name: option for option in options},
        metavar="NAME=VALUE",
        help="set any other option; may be repeated; --set help lists them all",
    )
    parser.set_defaults(**{option.name: None for option in options})


def add_option_argument(
    group: argparse._ActionsContainer,
    option: Option,
    help: str | None = None,  # noqa: A002
) -> None:
    """Add one option, with the table's help or the given one; its default is None (not given)."""
    described = f"{help or option.help}{_choices_text(option)}{_default_text(option)}".replace(
        "%", "%%"
    )
    settings: dict[str, Any] = {"dest": option.name, "default": None, "help": described}
    if option.kind == "switch":
        negatable = option.default is not False
        settings["action"] = argparse.BooleanOptionalAction if negatable else "store_true"
    else:
        settings["type"] = _converter(option)
        settings["metavar"] = option.metavar or "{" + ",".join(option.choices) + "}"
    if option.kind == "adapters":
        settings["action"] = "append"
    group.add_argument(*(option.flags or (flag_of(option.name),)), **settings)


class _SetOption(argparse.Action):
    """The action of ``--set NAME=VALUE``, which acts like a flag of that option."""

    def __init__(
        self, option_strings: Sequence[str], dest: str, options: Mapping[str, Option], **rest: Any
    ) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, **rest)
        self._options = options

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value as the flag would."""
        if values == "help":
            print(_all_options(self._options))
            parser.exit()
        name, equals, text = values.partition("=")
        name = name.strip().replace("-", "_")
        if name not in self._options:
            hint = did_you_mean(name, self._options) or "--set help lists them"
            problem = "no such option" if name not in OPTIONS else "not for this command"
            raise argparse.ArgumentError(self, f"{name}: {problem}: {hint}")
        option = self._options[name]
        if not equals:
            raise argparse.ArgumentError(self, f"{name} needs a value: --set {name}=VALUE")
        try:
            value = _converter(option)(text)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(self, f"{name} {error}") from None
        if option.kind == "adapters":
            value = [*(getattr(namespace, name) or []), value]
        setattr(namespace, name, value)


def _all_options(options: Mapping[str, Option]) -> str:
    """Describe all options with flags, values and help, grouped by what they affect."""
    lines = []
    for affects, heading in _AFFECTED.items():
        lines.append(f"{heading}:\n")
        for option in options.values():
            if option.affects == affects:
                flags = f" ({', '.join(option.flags)})" if option.flags else ""
                text = f"{option.help}; {option.allowed}{_default_text(option)}"
                lines.append(f"  {option.name}{flags}")
                lines.append(
                    textwrap.fill(text, 96, initial_indent=" " * 6, subsequent_indent=" " * 6)
                )
        lines.append("")
    return "\n".join(lines).rstrip()


def parsed_options(arguments: argparse.Namespace) -> Options:
    """Return the options given on the command line; others keep their defaults.

    Raises:
        OptionError: two of them conflict.
    """
    given = {name: getattr(arguments, name, None) for name in OPTIONS}
    values = {name: value for name, value in given.items() if value is not None}
    if "adapters" in values:
        values["adapters"] = tuple(values["adapters"])
    # Each value was checked when it was parsed.
    return Options().with_checked_values(values)


def say_ineffective_options(options: Options) -> None:
    """Warn about options that have no effect without a GPU."""
    from hpd.models.hardware import devices

    if not options.gpu_only_flags:
        return
    flags = ", ".join(options.gpu_only_flags)
    if options.n_gpu_layers == 0:
        say(f"without effect: {flags}; with --gpu-layers 0 no layer is on a GPU")
    elif not devices():
        say(
            f"without effect: {flags}; this build of llama.cpp has no GPU (hpd doctor says how to "
            "get one that has)"
        )


def _choices_text(option: Option) -> str:
    """Return the choices, unless the metavar shows them."""
    return f": {', '.join(option.choices)}" if option.choices and option.metavar else ""


def _default_text(option: Option) -> str:
    if option.tuning is not None:
        return f" [default: as tuned, else {setting_text(option.tuning.default)}]"
    if option.default is None or option.default is False or option.default in ("", ()):
        return ""
    return f" [default: {setting_text(option.default)}]"


def _converter(option: Option) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        from hpd.models.model_files import parse_lora

        try:
            return parse_lora(text) if option.kind == "adapters" else option.parse(text)
        except (ValueError, ModelLoadError) as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert
