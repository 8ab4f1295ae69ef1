"""``hpd finetune``: fine-tunes a model on your documents."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import (
    add_field_arguments,
    add_option_argument,
    add_schema_argument,
    flag_of,
    integer,
    not_empty,
    number,
)
from hpd.cli.common import EXIT_OK, UsageError, say
from hpd.extras import require_extra
from hpd.models.model_files import resolve_model
from hpd.options import OPTIONS
from hpd.schema import load_schemas
from hpd.schema.schemas import Schemas
from hpd.training import ROUNDED_TYPES

if TYPE_CHECKING:
    from hpd.training.finetune import FinetuneOptions

AUTO = "auto"
ROW_FORMS = ("branch", "skeleton", "label", "paper", "ar")
_NEEDS = {"lora_alpha": "lora_rank", "n_dev": "dev", "validate_every": "dev", "patience": "dev"}

_DESCRIPTION = """\
Fine-tune a model to extract a schema from documents with gold values, from the output of a larger
model, or from its own answers. A document with all its fields is one row, under the mask used for
decoding, so a step costs one pass per document, not one per field.

  hpd finetune train.jsonl --schema attributes.json --category-field category --dev dev.jsonl \\
      --lora-rank 16 -o shoes
  hpd extract new.jsonl --schema attributes.json --category-field category --lora shoes/adapter.gguf

  write-documents | hpd finetune - -m small.gguf --minutes 600 --quantise q4_0 -o out

Without --schema, each line has its own in "schema". OUTDIR receives log.jsonl, checkpoint.pt (for
--resume, on any machine) and model.gguf or, with --lora-rank, adapter.gguf.
"""


def _rate(text: str) -> float | str:
    return AUTO if text == AUTO else number(0, 1e3)(text)


def _mask(text: str) -> dict[str, float]:
    """Parse forms with weights: ``branch`` or ``branch=8,skeleton=1,ar=1``."""
    forms: dict[str, float] = {}
    for part in text.split(","):
        name, _, weight = part.partition("=")
        if name not in ROW_FORMS:
            raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(ROW_FORMS)}")
        forms[name] = number(0, 1e6)(weight) if weight else 1.0
    if not sum(forms.values()):
        raise argparse.ArgumentTypeError("every form has weight 0")
    return forms


def _rounding(text: str) -> str:
    if text.upper() not in ROUNDED_TYPES:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(ROUNDED_TYPES)}")
    return text.upper()


_NUMBERS = (
    ("lora_rank", "R", integer(0, 4096), "rank of the adapter; 0: train all weights [default: 0]"),
    ("lora_alpha", "A", number(0, 1e6), "weight of the adapter; 0: twice R [default: 0]"),
    ("freeze", "N", integer(0, 4096), "do not train the embeddings and the first N layers: faster, "
     "and less is forgotten [default: 0]"),
    ("epochs", "E", number(0, 1e6), "how often each document is seen [default: 3, or as often as "
     "--minutes allows]"),
    ("minutes", "M", number(0, 1e7), "total training time, over all runs"),
    ("part", "M", number(0, 1e7), "stop this run after M minutes; --resume continues"),
    ("learning_rate", "LR", _rate, "peak rate; auto: the best of four in a short trial, by the "
     "loss on held-out documents [default: auto]"),
    ("warmup", "N", integer(0), "updates in which the rate rises, at most a twentieth of all "
     "[default: 30]"),
    ("decay", "PART", number(0, 1), "final part in which the rate falls [default: 0.25]"),
    ("weight_decay", "W", number(0, 1e3), "weight decay of AdamW [default: 0.01]"),
    ("batch_tokens", "N", integer(1), "tokens per update [default: 2048]"),
    ("max_row", "N", integer(1), "fit long tables into N tokens by dropping cells [default: 4096]"),
    ("n_dev", "N", integer(0), "validate on N documents of DEV; 0: all [default: 100]"),
    ("validate_every", "N", integer(0), "validate every N updates; 0: every epoch [default: 0]"),
    ("patience", "N", integer(0), "stop after N validations without a better F1; 0: never "
     "[default: 3]"),
)  # fmt: skip
"""Numeric options of training: field, metavar, type with bounds, help."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "finetune",
        usage="%(prog)s TRAIN [--schema S] -o OUTDIR [options]",
        description=_DESCRIPTION,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "train", metavar="TRAIN", type=Path, help="documents with gold values, or - for a stream"
    )
    add_schema_argument(parser, required=False)
    parser.add_argument(
        "-o", "--output", metavar="OUTDIR", type=Path, required=True, help="output folder"
    )
    parser.add_argument(
        "-m", "--model", metavar="MODEL", type=not_empty,
        help="a GGUF file [default: HPD_MODEL, else the bundled model]",
    )  # fmt: skip
    parser.add_argument(
        "--dev", metavar="DEV", type=Path, help="documents with gold values for validation"
    )
    parser.add_argument(
        "--labels", metavar="FILE", default="gold",
        help="output of hpd extract for TRAIN, or self for the model's own autoregressive answers "
        "[default: the gold values in TRAIN]",
    )  # fmt: skip
    add_field_arguments(parser)
    parser.add_argument("--resume", action="store_true", help="continue the run in OUTDIR")
    parser.add_argument(
        "--quiet", action="store_true", help="hide the progress line and the summary"
    )
    _add_task(parser.add_argument_group("training task"))
    _add_training(parser.add_argument_group("training"))


def _add_task(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--method", choices=("hpd", "ar"),
        help="fields in parallel, or the whole object (like --mask ar) [default: hpd]",
    )  # fmt: skip
    group.add_argument(
        "--mask", metavar="MASK", dest="forms", type=_mask,
        help="what a field sees of the others: nothing (branch; label has letters in place of "
        "keys), their keys (skeleton), or also unfinished values (paper); ar is the whole object. "
        "Several with their shares: branch=8,label=1,ar=1 [default: branch]",
    )  # fmt: skip
    longest = replace(OPTIONS["max_tokens"], default=64)  # Also the size of the gap.
    add_option_argument(
        group, longest, help="maximum length of a value, in tokens, and the gap of --mask paper"
    )
    add_option_argument(group, OPTIONS["stack"])
    add_option_argument(
        group, OPTIONS["lists"],
        help="how lists are asked for, as in hpd extract [default: as the model was trained, else "
        "whole]",
    )  # fmt: skip
    add_option_argument(group, OPTIONS["instructions"])
    group.add_argument(
        "--unnamed", choices=("null", "skip"),
        help="treat attributes that a document's gold does not name as absent (null), or do not "
        "train on them (skip) [default: null]",
    )  # fmt: skip


def _add_training(group: argparse._ArgumentGroup) -> None:
    for name, metavar, kind, text in _NUMBERS:
        group.add_argument(flag_of(name), metavar=metavar, type=kind, help=text)
    group.add_argument(
        "--bf16", action=argparse.BooleanOptionalAction, default=None,
        help="compute in bfloat16 or F32 [default: the faster one on this device]",
    )  # fmt: skip
    group.add_argument(
        "--compile", action="store_true", default=None, dest="is_compiled",
        help="fuse norms, gates and rounding with a C++ compiler: half a minute, then faster steps",
    )  # fmt: skip
    group.add_argument(
        "--device", type=not_empty, help="cpu, cuda, ... [default: cuda if available, else cpu]"
    )
    add_option_argument(group, OPTIONS["n_threads"], help="compute threads; 0: all")
    group.add_argument(
        "--quantise", metavar="TYPE", dest="rounding", type=_rounding,
        help="train with weights rounded to q4_0, q5_0 or q8_0, and write the file in that type",
    )  # fmt: skip
    group.add_argument(
        "--outtype", dest="file_type", metavar="TYPE", type=not_empty,
        help="weight type of model.gguf: f32, f16, bf16, or any that llama.cpp's quantiser "
        "supports (q4_k_m, ...) [default: q8_0]",
    )  # fmt: skip
    add_option_argument(
        group, OPTIONS["seed"],
        help="seed of the document order and of a new adapter's weights",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    loaded = load_schemas(arguments.schema) if arguments.schema is not None else None
    _check(arguments, loaded)

    import torch

    from hpd.training.data import TrainingSource
    from hpd.training.finetune import finetune
    from hpd.training.weights import file_type_number

    options = _options(arguments)
    _check_device(options.device)
    if options.loop.is_compiled:
        _check_compiler(options.device)
    file_type_number(options.file_type)  # An unknown type is refused at once.
    model = resolve_model(arguments.model)
    if arguments.n_threads:
        torch.set_num_threads(arguments.n_threads)

    def source(path: Path) -> TrainingSource:
        return TrainingSource(
            path, arguments.text_field, arguments.id_field, arguments.category_field
        )

    def tell(message: str) -> None:
        if not arguments.quiet:
            say(message)

    labels = arguments.labels
    if labels not in ("gold", "self"):
        labels = Path(labels)
    result = finetune(
        source(arguments.train),
        arguments.output,
        model,
        loaded,
        options,
        labels=labels,
        dev=source(arguments.dev) if arguments.dev else None,
        resume=arguments.resume,
        quiet=arguments.quiet,
        say=tell,
    )
    best = "" if result.best_f1 is None else f", best F1 {result.best_f1:.2f}"
    tell(f"{result.n_steps} updates{best}")
    if result.gguf is None:
        tell("stopped after --part: continue with --resume")
    else:
        print(result.gguf, flush=True)
    return EXIT_OK


def _check(arguments: argparse.Namespace, loaded: Schemas | None) -> None:
    require_extra("hpd finetune", "training", ("gguf", "torch", "transformers"))
    if loaded is not None and loaded.single is None and arguments.category_field is None:
        raise UsageError(
            "the schema differs by category: name the category's field with --category-field"
        )
    for name, needed in _NEEDS.items():
        if getattr(arguments, name) is not None and not getattr(arguments, needed):
            raise UsageError(f"{flag_of(name)} does nothing without {flag_of(needed)}")
    for name, flag in (("file_type", "--outtype"), ("rounding", "--quantise")):
        if getattr(arguments, name) is not None and arguments.lora_rank:
            raise UsageError(
                f"{flag} applies to model.gguf, but --lora-rank writes only adapter.gguf"
            )
    if arguments.freeze and arguments.lora_rank:
        raise UsageError("--freeze does nothing with --lora-rank, which freezes all weights")
    if arguments.rounding and arguments.file_type:
        raise UsageError("--quantise already sets --outtype: give only one")
    if arguments.method == "ar" and arguments.forms not in (None, {"branch": 1.0}):
        raise UsageError("--mask needs --method hpd: a whole object is always causal")
    is_stream = str(arguments.train) == "-"
    if is_stream and arguments.epochs is not None:
        raise UsageError("a stream is read once: use --minutes, not --epochs")
    if is_stream and arguments.labels != "gold":
        raise UsageError("a stream has its labels in its lines: --labels needs a file")
    for path in (None if is_stream else arguments.train, arguments.dev):
        if path is not None and not path.exists():
            raise UsageError(f"there is no file {path}")
    if (arguments.output / "checkpoint.pt").exists() and not arguments.resume:
        raise UsageError(
            f"{arguments.output} already has a run: continue it with --resume, "
            "or choose another folder"
        )
    if arguments.labels not in ("gold", "self") and not Path(arguments.labels).exists():
        raise UsageError(f"there is no file {arguments.labels}")


def _check_device(name: str) -> None:
    import torch

    try:
        torch.zeros(1, device=name)
    except (AssertionError, RuntimeError) as error:
        first_line = str(error).partition("\n")[0]
        raise UsageError(f"--device {name} cannot be used: {first_line}") from error


def _check_compiler(device: str) -> None:
    import torch

    try:
        torch.compile(torch.neg)(torch.zeros(1, device=device))
    except RuntimeError as error:
        first_line = str(error).partition("\n")[0]
        raise UsageError(f"--compile needs a working compiler: {first_line}") from error


def _options(arguments: argparse.Namespace) -> FinetuneOptions:
    import torch

    from hpd.training.finetune import ADAPTER_RATES, MODEL_RATES, FinetuneOptions
    from hpd.training.loop import LoopOptions

    loop = _given_fields(arguments, LoopOptions)
    task = _given_fields(arguments, FinetuneOptions)
    if loop.get("learning_rate", AUTO) == AUTO:
        loop.pop("learning_rate", None)
        task["rates"] = ADAPTER_RATES if arguments.lora_rank else MODEL_RATES
    if arguments.method == "ar":
        task["forms"] = {"ar": 1.0}
    task.setdefault("device", "cuda" if torch.cuda.is_available() else "cpu")
    return FinetuneOptions(loop=LoopOptions(**loop), **task)


def _given_fields(arguments: argparse.Namespace, options: type[Any]) -> dict[str, Any]:
    """Return the fields of a dataclass that the command line sets."""
    values = {field.name: getattr(arguments, field.name, None) for field in fields(options)}
    return {name: value for name, value in values.items() if value is not None}
