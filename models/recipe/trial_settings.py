"""The options of the programs that ask a box something: a model, and a layout."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from hpd.prompt import Layout


def trial_parser(description: str) -> argparse.ArgumentParser:
    """A parser of the arguments that all these programs share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-m", "--model", help="a GGUF file or a model's name (default: the box)")
    parser.add_argument("--layout", choices=get_args(Layout), help="the layout of the prompt")
    return parser


def trial_settings(asked: argparse.Namespace) -> dict[str, Any]:
    """The extractor's settings that those arguments name."""
    settings = {"model": asked.model, "layout": asked.layout}
    return {name: value for name, value in settings.items() if value}
