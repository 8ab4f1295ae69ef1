"""The options of the programs that ask a box what a newcomer would: a model, and a layout."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from hpd.prompt import Layout


def trial_settings(description: str) -> dict[str, Any]:
    """The extractor's settings that the arguments of the command name."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-m", "--model", help="a GGUF file or a model's name (default: the box)")
    parser.add_argument("--layout", choices=get_args(Layout), help="the layout of the prompt")
    asked = vars(parser.parse_args())
    return {name: value for name, value in asked.items() if value}
