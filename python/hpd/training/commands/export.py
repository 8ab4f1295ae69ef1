"""``hpd export``: a transformers checkpoint as a GGUF file."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpd.cli.common import EXIT_OK, UsageError, before_the_model, need_training, say

_DESCRIPTION = """\
Write a transformers checkpoint, its tokenizer and chat template included, as one GGUF file for
llama.cpp and hpd. Families: Llama, Mistral, Qwen2, Qwen3 and Gemma 3 (its text part); tokenizers:
byte-level BPE, and SentencePiece's BPE with byte fallback.

  hpd export Qwen3-0.6B -o qwen3-0.6b.gguf
  hpd extract docs.jsonl --schema "brand, color" -m qwen3-0.6b.gguf

What was written is loaded and its tokens are compared with the checkpoint's before the file takes
its place. A checkpoint that llama.cpp cannot compute exactly is refused, with the reason.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help="write a transformers checkpoint as a GGUF file",
        description=_DESCRIPTION,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "checkpoint",
        metavar="CHECKPOINT",
        type=Path,
        help="a folder with config.json, safetensors files and tokenizer.json",
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True)
    parser.add_argument(
        "--outtype",
        metavar="TYPE",
        default="q8_0",
        help="of the weights: f32, f16, bf16, q8_0 (default), or any other that llama.cpp's "
        "quantiser knows (q4_k_m, ...)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace FILE if it is there")
    parser.add_argument("--quiet", action="store_true", help="no messages but errors")


def run(arguments: argparse.Namespace) -> int:
    """Export."""
    need_training("export")
    _check_files(arguments)

    from hpd.training.conversion.to_gguf import check_file_type, export_model

    with before_the_model():
        check_file_type(arguments.outtype)

    def tell(message: str) -> None:
        if not arguments.quiet:
            say(message)

    export_model(arguments.checkpoint, arguments.output, arguments.outtype, say=tell)
    tell(f"{arguments.output.stat().st_size / 1e6:.1f} MB")
    print(arguments.output, flush=True)
    return EXIT_OK


def _check_files(arguments: argparse.Namespace) -> None:
    checkpoint, output = arguments.checkpoint, arguments.output
    if not checkpoint.is_dir():
        raise UsageError(f"there is no folder {checkpoint}")
    if (checkpoint / "adapter_config.json").exists():
        raise UsageError(
            f"{checkpoint} is an adapter, not a model: merge it into its model and export that"
        )
    if not (checkpoint / "config.json").exists():
        raise UsageError(f"{checkpoint} has no config.json, so it is no transformers checkpoint")
    if output.is_dir():
        raise UsageError(f"{output} is a folder: name a file in it")
    if not output.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {output.parent} to write {output.name} into")
    if output.exists() and output.stat().st_size and not arguments.overwrite:
        raise UsageError(f"{output} is there already: --overwrite replaces it")
