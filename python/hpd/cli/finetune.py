"""``hpd finetune``: teach a model one's own documents."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hpd.cli.arguments import add_field_arguments, add_schema_argument, integer, number
from hpd.cli.common import EXIT_OK, UsageError, need_training, say
from hpd.machine.model_files import resolve_model
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from hpd.training.finetune import FinetuneOptions, Labels

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
        description=_DESCRIPTION,
    )
    parser.set_defaults(run=run)
    _add_files(parser)
    _add_task(parser)
    _add_training(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("train", metavar="TRAIN", type=Path, help="documents, with gold values")
    add_schema_argument(parser, required=True)
    parser.add_argument("-o", "--output", metavar="OUTDIR", type=Path, required=True)
    parser.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        help="a transformers checkpoint, or a GGUF file (else HPD_MODEL, else the one in the box)",
    )
    parser.add_argument("--dev", metavar="DEV", type=Path, help="documents with gold values")
    parser.add_argument(
        "--labels",
        metavar="FILE",
        default="gold",
        help="what hpd extract wrote for TRAIN; or self: the model's own autoregressive answers",
    )
    add_field_arguments(parser)
    parser.add_argument("--resume", action="store_true", help="go on where OUTDIR's run stopped")
    parser.add_argument("--quiet", action="store_true", help="no progress line, no summary")


def _add_task(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is taught")
    group.add_argument(
        "--method",
        choices=("hpd", "ar"),
        default="hpd",
        help="fields in parallel (default), or the whole object",
    )
    group.add_argument(
        "--mask",
        choices=("branch", "skeleton", "paper"),
        default="branch",
        help="what a field sees of the others: nothing (default), keys, or also unfinished values",
    )
    group.add_argument(
        "--max-tokens",
        metavar="K",
        type=integer(1),
        default=64,
        help="longest value, and the gap of --mask paper (default 64)",
    )
    group.add_argument(
        "--stack", metavar="J", type=integer(1), default=1, help="documents in one prompt"
    )
    group.add_argument(
        "--unnamed",
        choices=("null", "skip"),
        default="null",
        help="attributes that a document's label does not name are absent (default), or not taught",
    )


def _add_training(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training")
    group.add_argument(
        "--lora-rank", metavar="R", type=integer(0), default=0, help="(0: train all weights)"
    )
    group.add_argument("--lora-alpha", metavar="A", type=number(0), default=0.0, help="(0: 2 R)")
    group.add_argument("--epochs", metavar="E", type=number(0), default=3.0, help="(default 3)")
    group.add_argument(
        "--learning-rate",
        metavar="LR",
        type=number(0),
        help="(default 2e-4 for adapters, 5e-5 for all weights)",
    )
    group.add_argument("--warmup", metavar="PART", type=number(0, 1), default=0.05)
    group.add_argument("--weight-decay", metavar="W", type=number(0), default=0.0)
    group.add_argument(
        "--batch-size", metavar="N", type=integer(1), default=4, help="rows computed together"
    )
    group.add_argument(
        "--accumulate", metavar="N", type=integer(1), default=4, help="batches in one update"
    )
    group.add_argument(
        "--max-row", metavar="N", type=integer(1), default=4096, help="longest row, in tokens"
    )
    group.add_argument(
        "--n-dev", metavar="N", type=integer(0), default=100, help="validate on N (0: all) of DEV"
    )
    group.add_argument(
        "--validate-every", metavar="N", type=integer(0), default=0, help="updates (0: an epoch)"
    )
    group.add_argument(
        "--patience",
        metavar="N",
        type=integer(0),
        default=3,
        help="end after N validations without a better F1 (0: never)",
    )
    group.add_argument("--no-bf16", dest="bf16", action="store_false", help="compute in F32")
    group.add_argument("--device", default="", help="cpu, cuda, ... (else cuda if there is one)")
    group.add_argument(
        "-t",
        "--threads",
        dest="n_threads",
        metavar="N",
        type=integer(0),
        default=0,
        help="(0: all)",
    )
    group.add_argument(
        "--outtype",
        dest="file_type",
        metavar="TYPE",
        default="q8_0",
        help="of model.gguf's weights, as of hpd export (default q8_0)",
    )
    group.add_argument("-s", "--seed", metavar="N", type=integer(0), default=0)


def run(arguments: argparse.Namespace) -> int:
    """Train, and export."""
    loaded = load_schemas(arguments.schema)
    _check(arguments, loaded)
    model = Path(arguments.model).expanduser() if arguments.model else resolve_model()
    if not model.is_dir():
        model = resolve_model(model)

    import torch

    from hpd.training.data import Source
    from hpd.training.finetune import finetune

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
        _options(arguments),
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
    if arguments.method == "ar" and arguments.mask != "branch":
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


def _options(arguments: argparse.Namespace) -> FinetuneOptions:
    import torch

    from hpd.training.finetune import FinetuneOptions
    from hpd.training.loop import LoopOptions

    rate = arguments.learning_rate
    if rate is None:
        rate = 2e-4 if arguments.lora_rank else 5e-5
    loop = LoopOptions(
        learning_rate=rate,
        **{
            name: getattr(arguments, name)
            for name in (
                "epochs",
                "batch_size",
                "accumulate",
                "warmup",
                "weight_decay",
                "bf16",
                "seed",
                "validate_every",
                "patience",
            )
        },
    )
    return FinetuneOptions(
        device=arguments.device or ("cuda" if torch.cuda.is_available() else "cpu"),
        loop=loop,
        **{
            name: getattr(arguments, name)
            for name in (
                "method",
                "mask",
                "max_tokens",
                "unnamed",
                "stack",
                "max_row",
                "lora_rank",
                "lora_alpha",
                "file_type",
                "n_dev",
            )
        },
    )
