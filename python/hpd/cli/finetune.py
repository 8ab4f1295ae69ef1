"""``hpd finetune``: teach a model one's own documents."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import add_field_arguments, add_schema_argument, integer, not_empty, number
from hpd.cli.common import EXIT_OK, UsageError, before_the_model, need_training, say
from hpd.cli.option_arguments import add_option_argument
from hpd.machine.model_files import resolve_model
from hpd.options import OPTIONS
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from hpd.training.finetune import FinetuneOptions, Labels

_NUMBERS = (
    ("lora_rank", "R", integer(0, 4096), "of an adapter; 0: train all weights [default: 0]"),
    ("lora_alpha", "A", number(0, 1e6), "weight of the adapter; 0: twice R [default: 0]"),
    ("epochs", "E", number(0, 1e6), "times that each document is seen [default: 3]"),
    (
        *("learning_rate", "LR", number(0, 1e3)),
        "at its highest [default: 2e-4 for adapters, 5e-5 for all weights]",
    ),
    ("warmup", "PART", number(0, 1), "of all updates, while the rate rises [default: 0.05]"),
    ("weight_decay", "W", number(0, 1e3), "of AdamW [default: 0]"),
    ("batch_size", "N", integer(1), "rows computed together [default: 4]"),
    ("accumulate", "N", integer(1), "batches in one update [default: 4]"),
    (
        "max_row",
        "N",
        integer(1),
        "longest row, in tokens; others are left out [default: 4096]",
    ),
    ("n_dev", "N", integer(0), "validate on N documents of DEV; 0: all [default: 100]"),
    ("validate_every", "N", integer(0), "validate after N updates; 0: an epoch [default: 0]"),
    (
        "patience",
        "N",
        integer(0),
        "end after N validations without a gain; 0: never [default: 3]",
    ),
)
"""Fields of the training's options that are numbers: metavar, bounds and help."""

_NEEDS = {"lora_alpha": "lora_rank", "n_dev": "dev", "validate_every": "dev", "patience": "dev"}

_DESCRIPTION = """\
Teach a model to fill in a schema, from documents with gold values, from what a larger model
extracted, or from its own answers. A whole document with all its fields is one row, under the mask
with which the fields are decoded, so a step costs one document and not one per field.

  hpd finetune train.jsonl --schema attributes.json --category-field category --dev dev.jsonl \\
      --lora-rank 16 -o shoes
  hpd extract new.jsonl --schema attributes.json --category-field category --lora shoes/adapter.gguf

OUTDIR gets log.jsonl, checkpoint.pt (for --resume), and model.gguf with its checkpoint, or with
--lora-rank adapter.gguf. Of a GGUF model the weights are trained as they are after quantisation.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "finetune",
        help="teach a model one's own documents",
        usage="%(prog)s TRAIN --schema S -o OUTDIR [options]",
        description=_DESCRIPTION,
    )
    parser.set_defaults(run=run)
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
        choices=("branch", "skeleton", "paper"),
        help="what a field sees of the others: nothing, keys, or also unfinished values "
        "[default: branch]",
    )
    add_option_argument(
        group, OPTIONS["max_tokens"], help="longest value, in tokens, and the gap of --mask paper"
    )
    add_option_argument(group, OPTIONS["stack"])
    group.add_argument(
        "--unnamed",
        choices=("null", "skip"),
        help="attributes that a document's label does not name are absent (null), or not taught "
        "(skip) [default: null]",
    )


def _add_training(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training")
    for name, metavar, kind, text in _NUMBERS:
        group.add_argument(_flag(name), metavar=metavar, type=kind, help=text)
    group.add_argument(
        "--no-bf16", dest="bf16", action="store_false", default=None, help="compute in F32"
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
    add_option_argument(group, OPTIONS["seed"], help="seed of the order of the documents")


def run(arguments: argparse.Namespace) -> int:
    """Train, and export."""
    loaded = load_schemas(arguments.schema)
    _check(arguments, loaded)
    model = Path(arguments.model).expanduser() if arguments.model else resolve_model()
    if not model.is_dir():
        model = resolve_model(model)

    import torch

    from hpd.training.conversion.to_gguf import check_file_type
    from hpd.training.data import Source
    from hpd.training.finetune import finetune

    options = _options(arguments)
    _check_device(options.device)
    with before_the_model():
        check_file_type(options.file_type)
    if arguments.n_threads:
        torch.set_num_threads(arguments.n_threads)

    def source(path: Path) -> Source:
        return Source(path, arguments.text_field, arguments.id_field, arguments.category_field)

    def tell(message: str) -> None:
        if not arguments.quiet:
            say(message)

    result = finetune(
        source(arguments.train),
        arguments.output,
        model,
        loaded,
        options,
        labels=_labels(arguments.labels),
        dev=source(arguments.dev) if arguments.dev else None,
        resume=arguments.resume,
        quiet=arguments.quiet,
        say=tell,
    )
    best = "" if result.best_f1 is None else f", best F1 {result.best_f1:.2f}"
    tell(f"{result.n_steps} updates{best}")
    print(result.gguf, flush=True)
    return EXIT_OK


def _check(arguments: argparse.Namespace, loaded: Schema | Mapping[str, Schema]) -> None:
    need_training("finetune")
    if not isinstance(loaded, Schema) and arguments.category_field is None:
        raise UsageError(
            "the schema has one for each category: say where a document's is (--category-field)"
        )
    for name, needed in _NEEDS.items():
        if getattr(arguments, name) is not None and not getattr(arguments, needed):
            raise UsageError(f"{_flag(name)} does nothing without {_flag(needed)}")
    if arguments.file_type is not None and arguments.lora_rank:
        raise UsageError("--outtype is of model.gguf: with --lora-rank there is only adapter.gguf")
    if arguments.method == "ar" and arguments.mask not in (None, "branch"):
        raise UsageError("--mask is for --method hpd: a whole object is always causal")
    for path in (arguments.train, arguments.dev):
        if path is not None and not path.exists():
            raise UsageError(f"there is no file {path}")
    if (arguments.output / "checkpoint.pt").exists() and not arguments.resume:
        raise UsageError(
            f"{arguments.output} holds a run: --resume goes on with it; "
            "for another one choose another folder"
        )
    if arguments.labels not in ("gold", "self") and not Path(arguments.labels).exists():
        raise UsageError(f"there is no file {arguments.labels} with labels")


def _labels(text: str) -> Labels:
    if text == "gold":
        return "gold"
    return "self" if text == "self" else Path(text)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _check_device(name: str) -> None:
    import torch

    try:
        torch.zeros(1, device=name)
    except (AssertionError, RuntimeError) as error:
        first_line = str(error).partition("\n")[0]
        raise UsageError(f"--device {name} cannot be used: {first_line}") from error


def _options(arguments: argparse.Namespace) -> FinetuneOptions:
    import torch

    from hpd.training.finetune import FinetuneOptions
    from hpd.training.loop import LoopOptions

    loop = _said(arguments, LoopOptions)
    loop.setdefault("learning_rate", 2e-4 if arguments.lora_rank else 5e-5)
    task = _said(arguments, FinetuneOptions)
    task.setdefault("device", "cuda" if torch.cuda.is_available() else "cpu")
    return FinetuneOptions(loop=LoopOptions(**loop), **task)


def _said(arguments: argparse.Namespace, options: type[Any]) -> dict[str, Any]:
    """Those fields of a dataclass that the command line sets; the rest keeps its defaults."""
    names = [field.name for field in fields(options)]
    said = {name: getattr(arguments, name, None) for name in names}
    return {name: value for name, value in said.items() if value is not None}
