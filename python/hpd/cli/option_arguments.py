"""The table of options as arguments of a command."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import Any

from hpd.cli.arguments import add_model_arguments
from hpd.cli.common import say, setting_text
from hpd.errors import ModelLoadError
from hpd.models.hardware import devices
from hpd.models.model_files import parse_lora
from hpd.option import Option, Target
from hpd.options import OPTIONS, Options

_HEADINGS: dict[str, tuple[Target, ...]] = {
    "quality": ("prompt", "answer", "value", "document"),
    "engine (flags as in llama.cpp, where it has them)": ("model", "engine", "sampling"),
    "run": ("run",),
}
"""The groups of the help, and what the options in each are for."""


def add_option_arguments(parser: argparse.ArgumentParser, leave_out: Collection[str] = ()) -> None:
    """All options in groups, with ``-m`` and ``-hf`` among those of the model.

    Args:
        parser: of a command that reads documents with a model.
        leave_out: names of options that the command cannot honour.
    """
    for heading, targets in _HEADINGS.items():
        arguments = parser.add_argument_group(heading)
        if "model" in targets:
            add_model_arguments(arguments)
        for option in OPTIONS.values():
            if option.target in targets and option.name not in leave_out:
                add_option_argument(arguments, option)


def add_option_argument(
    group: argparse._ActionsContainer,
    option: Option,
    help: str | None = None,  # noqa: A002
) -> None:
    """One option, with the table's help or, where it means less, its own; None: not said."""
    described = f"{help or option.help}{_choices(option)}{_default(option)}".replace("%", "%%")
    settings: dict[str, Any] = {"dest": option.name, "default": None, "help": described}
    if option.kind == "switch":
        can_be_negated = option.default is not False
        settings["action"] = argparse.BooleanOptionalAction if can_be_negated else "store_true"
    else:
        settings["type"] = _convert(option)
        settings["metavar"] = option.metavar or "{" + ",".join(option.choices) + "}"
    if option.kind == "adapters":
        settings["action"] = "append"
    group.add_argument(*option.flags, **settings)


def options_of(arguments: argparse.Namespace) -> Options:
    """The options that were said on the command line; the rest keeps its defaults.

    Raises:
        OptionError: two of them do not go together.
    """
    said = {name: getattr(arguments, name, None) for name in OPTIONS}
    return Options().replaced({name: value for name, value in said.items() if value is not None})


def say_without_effect(options: Options) -> None:
    """Say which options were set that mean nothing here, as no GPU computes."""
    if not options.for_gpus:
        return
    flags = ", ".join(options.for_gpus)
    if options.n_gpu_layers == 0:
        say(f"without effect: {flags}; with --gpu-layers 0 no layer is on a GPU")
    elif not devices():
        say(
            f"without effect: {flags}; this build of llama.cpp has no GPU (hpd doctor says how to "
            "get one that has)"
        )


def _choices(option: Option) -> str:
    """The choices, where the metavar does not show them."""
    return f": {', '.join(option.choices)}" if option.choices and option.metavar else ""


def _default(option: Option) -> str:
    if option.tuning is not None:
        return f" [default: as tuned, else {setting_text(option.tuning.otherwise)}]"
    if option.default is None or option.default in ("", ()) or option.default is False:
        return ""
    return f" [default: {setting_text(option.default)}]"


def _convert(option: Option) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            return parse_lora(text) if option.kind == "adapters" else option.parsed(text)
        except (ValueError, ModelLoadError) as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert
