"""The arguments of ``hpd finetune``."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpd.cli.arguments import (
    add_field_arguments,
    add_schema_argument,
    flag_of,
    integer,
    not_empty,
    number,
)
from hpd.cli.option_arguments import add_option_argument
from hpd.options import OPTIONS

AUTO = "auto"


def rate(text: str) -> float | str:
    """A learning rate, or that it is to be found."""
    return AUTO if text == AUTO else number(0, 1e3)(text)


_NUMBERS = (
    ("lora_rank", "R", integer(0, 4096), "of an adapter; 0: train all weights [default: 0]"),
    ("lora_alpha", "A", number(0, 1e6), "weight of the adapter; 0: twice R [default: 0]"),
    ("epochs", "E", number(0, 1e6), "times that each document is seen [default: 3]"),
    (
        *("learning_rate", "LR", rate),
        "at its highest; auto: what a short trial of four rates finds best, by the loss on DEV or, "
        "without it, on a tenth of TRAIN [default: auto]",
    ),
    ("warmup", "PART", number(0, 1), "of all updates, while the rate rises [default: 0.05]"),
    ("weight_decay", "W", number(0, 1e3), "of AdamW [default: 0]"),
    ("batch_size", "N", integer(1), "rows computed together [default: 4]"),
    ("accumulate", "N", integer(1), "batches in one update [default: 4]"),
    ("max_row", "N", integer(1), "longest row, in tokens; others are left out [default: 4096]"),
    ("n_dev", "N", integer(0), "validate on N documents of DEV; 0: all [default: 100]"),
    ("validate_every", "N", integer(0), "validate after N updates; 0: an epoch [default: 0]"),
    ("patience", "N", integer(0), "end after N validations without a gain; 0: never [default: 3]"),
)
"""Fields of the training's options that are numbers: metavar, bounds and help."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """All arguments, in groups."""
    _add_files(parser)
    _add_task(parser)
    _add_training(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("train", metavar="TRAIN", type=Path, help="documents, with gold values")
    add_schema_argument(parser, required=True)
    parser.add_argument(
        "-o", "--output", metavar="OUTDIR", type=Path, required=True, help="a folder for all of it"
    )
    parser.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        type=not_empty,
        help="a transformers checkpoint, or a GGUF file (else HPD_MODEL, else the one in the box)",
    )
    parser.add_argument(
        "--dev", metavar="DEV", type=Path, help="documents with gold values, to validate on"
    )
    parser.add_argument(
        "--labels",
        metavar="FILE",
        default="gold",
        help="what hpd extract wrote for TRAIN; or self: the model's own autoregressive answers "
        "[default: the gold values of TRAIN]",
    )
    add_field_arguments(parser)
    parser.add_argument("--resume", action="store_true", help="go on where OUTDIR's run stopped")
    parser.add_argument("--quiet", action="store_true", help="no progress line, no summary")


def _add_task(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is taught")
    group.add_argument(
        "--method",
        choices=("hpd", "ar"),
        help="fields in parallel, or the whole object [default: hpd]",
    )
    group.add_argument(
        "--mask",
        choices=("branch", "skeleton", "label", "paper"),
        help="what a field sees of the others: nothing, keys, nothing behind a letter in place "
        "of a key, or also unfinished values "
        "[default: branch]",
    )
    add_option_argument(
        group, OPTIONS["max_tokens"], help="longest value, in tokens, and the gap of --mask paper"
    )
    add_option_argument(group, OPTIONS["stack"])
    add_option_argument(group, OPTIONS["document_turn"])
    add_option_argument(group, OPTIONS["instructions"])
    group.add_argument(
        "--unnamed",
        choices=("null", "skip"),
        help="attributes that a document's label does not name are absent (null), or not taught "
        "(skip) [default: null]",
    )


def _add_training(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training")
    for name, metavar, kind, text in _NUMBERS:
        group.add_argument(flag_of(name), metavar=metavar, type=kind, help=text)
    group.add_argument(
        "--bf16",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="compute in bfloat16, or in F32 [default: what is faster on this device]",
    )
    group.add_argument(
        "--device", type=not_empty, help="cpu, cuda, ... [default: cuda if there is one, else cpu]"
    )
    add_option_argument(group, OPTIONS["n_threads"], help="threads that compute; 0: all")
    group.add_argument(
        "--outtype",
        dest="file_type",
        metavar="TYPE",
        type=not_empty,
        help="of the weights in model.gguf, as of hpd export [default: q8_0]",
    )
    add_option_argument(
        group,
        OPTIONS["seed"],
        help="seed of the order of the documents and of a new adapter's weights",
    )
