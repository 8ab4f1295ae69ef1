"""``hpd finetune``: teach a model one's own documents."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import flag_of
from hpd.cli.common import EXIT_OK, UsageError, before_the_model, need_training, say
from hpd.models.model_files import resolve_model
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema
from hpd.training.commands.finetune_arguments import AUTO, add_arguments

if TYPE_CHECKING:
    from hpd.training.finetune import FinetuneOptions, Labels

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
    add_arguments(parser)


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
            raise UsageError(f"{flag_of(name)} does nothing without {flag_of(needed)}")
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
    from hpd.training.rate_trial import ADAPTER_RATES, MODEL_RATES

    loop = _said(arguments, LoopOptions)
    task = _said(arguments, FinetuneOptions)
    if loop.get("learning_rate", AUTO) == AUTO:
        loop.pop("learning_rate", None)
        task["rates"] = ADAPTER_RATES if arguments.lora_rank else MODEL_RATES
    task.setdefault("device", "cuda" if torch.cuda.is_available() else "cpu")
    return FinetuneOptions(loop=LoopOptions(**loop), **task)


def _said(arguments: argparse.Namespace, options: type[Any]) -> dict[str, Any]:
    """Those fields of a dataclass that the command line sets; the rest keeps its defaults."""
    names = [field.name for field in fields(options)]
    said = {name: getattr(arguments, name, None) for name in names}
    return {name: value for name, value in said.items() if value is not None}
