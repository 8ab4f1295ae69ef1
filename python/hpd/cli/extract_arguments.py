"""The arguments of ``hpd extract``, and the options that they say."""

from __future__ import annotations

import argparse
from dataclasses import fields

from hpd.cli.common import UsageError, add_model_arguments, integer, number
from hpd.cli.schema import SCHEMA_HELP
from hpd.errors import ModelLoadError
from hpd.machine.model_files import parse_lora
from hpd.options import TUNABLE, Options
from hpd.records import FORMATS, TEXT_FIELDS

_DEFAULTS = Options()
_CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")


EPILOG = (
    "A record's text is its first field of: "
    + ", ".join(" and ".join(names) for names in TEXT_FIELDS)
    + "; its id is the field id, or its number."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """All arguments, in groups."""
    _add_input(parser)
    _add_output(parser)
    _add_method(parser)
    _add_values(parser)
    _add_model(parser)
    _add_sampling(parser)


def _add_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", help="a file, or - for standard input")
    parser.add_argument("--schema", metavar="S", required=True, help=SCHEMA_HELP)
    group = parser.add_argument_group("input")
    group.add_argument("--format", choices=FORMATS, help="of INPUT (else told by its extension)")
    group.add_argument(
        "--text-field",
        metavar="F",
        action="append",
        help="the field with the text; repeated, the texts are joined",
    )
    group.add_argument("--id-field", metavar="F", help="the field with the id")
    group.add_argument(
        "--category-field", metavar="F", help="the field with the category, which has its schema"
    )
    group.add_argument("--limit", metavar="N", type=integer(0), help="stop after N documents")
    group.add_argument(
        "--examples",
        metavar="FILE",
        help='documents with their answers ("data"), to show in the prompt; '
        "with --category-field, to the documents of their category",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="OUT", help="a file (else standard output)")
    group.add_argument(
        "--resume", action="store_true", help="keep what OUT has, and do the documents it lacks"
    )
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="print the prompt of the first document (or of --stack) and its numbers of tokens; "
        "nothing is loaded but the vocabulary",
    )
    loudness = group.add_mutually_exclusive_group()
    loudness.add_argument(
        "--verbose", action="store_true", default=None, help="show llama.cpp's log"
    )
    loudness.add_argument("--quiet", action="store_true", help="no progress bar, no summary")


def _add_method(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("decoding")
    group.add_argument(
        "--method",
        choices=("hpd", "ar"),
        help="hpd: all fields in parallel (default); ar: the whole object, token after token",
    )
    group.add_argument(
        "--layout",
        choices=("branch", "skeleton"),
        help="a field sees its own key only (default), or the keys before it, too",
    )
    group.add_argument(
        "--stack",
        metavar="J",
        type=integer(1),
        help=f"documents in one prompt (default {_DEFAULTS.stack})",
    )
    group.add_argument(
        "--in-flight",
        metavar="N",
        type=integer(0),
        help="prompts decoded together; 0: as many as are thought best (default: as tuned, else 0)",
    )
    group.add_argument(
        "--drafts",
        action=argparse.BooleanOptionalAction,
        help="guess tokens where that pays and let the model verify them: the same values in "
        "fewer, larger steps (default: as tuned, else yes)",
    )
    group.add_argument(
        "-md",
        "--draft-model",
        metavar="MODEL",
        help="let this smaller model of the same vocabulary guess tokens, too: a GGUF file, or "
        "USER/REPO[:QUANT]",
    )
    group.add_argument(
        "--draft-max",
        dest="n_draft",
        metavar="N",
        type=integer(1),
        help=f"tokens that it guesses for a value at a time (default {_DEFAULTS.n_draft})",
    )
    group.add_argument(
        "--draft-p-min",
        metavar="P",
        type=number(0, 1),
        help="it stops where its likeliest token is less likely than P "
        f"(default {_DEFAULTS.draft_p_min})",
    )
    group.add_argument(
        "--max-tokens",
        metavar="K",
        type=integer(1),
        help=f"longest value, in tokens (default {_DEFAULTS.max_tokens})",
    )
    group.add_argument(
        "--on-overflow",
        choices=("error", "chunk", "truncate"),
        help="what to do with a document that does not fit the context: fail (default), cut it "
        "into overlapping chunks and put their values together, or leave out its end",
    )


def _add_values(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("values")
    group.add_argument(
        "--null-threshold",
        metavar="P",
        type=number(0, 1),
        help="values less likely than P become null",
    )
    group.add_argument(
        "--require-grounding",
        action="store_true",
        default=None,
        help="values that the document does not hold become null",
    )
    group.add_argument(
        "--all-occurrences",
        action="store_true",
        default=None,
        help="tell all places of a value in the document, not only the best one",
    )


def _add_model(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model (as in llama.cpp)")
    add_model_arguments(group)
    group.add_argument(
        "--lora",
        metavar="FILE[:SCALE]",
        type=_lora,
        action="append",
        help="an adapter; may be repeated",
    )
    group.add_argument(
        "-c", "--ctx-size", dest="n_ctx", metavar="N", type=integer(0), help="KV cells (0: chosen)"
    )
    group.add_argument(
        "-b",
        "--batch-size",
        dest="n_batch",
        metavar="N",
        type=integer(1),
        help=f"tokens in one decode call (default: as tuned, else {TUNABLE['n_batch']})",
    )
    group.add_argument(
        "-ub",
        "--ubatch-size",
        dest="n_ubatch",
        metavar="N",
        type=integer(1),
        help=f"tokens in one pass over the weights (default: as tuned, else {TUNABLE['n_ubatch']})",
    )
    group.add_argument(
        "--value-batch-size",
        dest="n_value_batch",
        metavar="N",
        type=integer(-1),
        help="tokens in a batch of values alone; 0: values ride in the batches that read "
        "documents; -1: as the engine thinks best (default: as tuned, else -1)",
    )
    group.add_argument(
        "-t", "--threads", dest="n_threads", metavar="N", type=integer(0), help="(0: chosen)"
    )
    group.add_argument(
        "-ngl",
        "--gpu-layers",
        dest="n_gpu_layers",
        metavar="N",
        type=integer(-1),
        help="layers on the GPU (-1: all)",
    )
    group.add_argument("-fa", "--flash-attn", choices=("on", "off", "auto"), help="(default auto)")
    group.add_argument(
        "--cpu-attention",
        action=argparse.BooleanOptionalAction,
        help="on a CPU, hpd's own kernel for flash attention instead of llama.cpp's (default yes)",
    )
    for letter in "kv":
        group.add_argument(
            f"-ct{letter}",
            f"--cache-type-{letter}",
            choices=_CACHE_TYPES,
            metavar="TYPE",
            help=f"of the cache's {letter.upper()}: {', '.join(_CACHE_TYPES)} (default f16)",
        )


def _add_sampling(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("sampling")
    group.add_argument(
        "--temp", dest="temperature", metavar="T", type=number(0), help="(default 0: greedy)"
    )
    group.add_argument("--top-k", metavar="K", type=integer(0), help="(0: all)")
    group.add_argument("--top-p", metavar="P", type=number(0, 1))
    group.add_argument("--min-p", metavar="P", type=number(0, 1))
    group.add_argument("-s", "--seed", metavar="N", type=integer(0))


def _lora(text: str) -> tuple[str, float]:
    try:
        return parse_lora(text)
    except ModelLoadError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def options_of(arguments: argparse.Namespace) -> Options:
    """What was said on the command line; the rest keeps its defaults."""
    given = {
        name: getattr(arguments, name)
        for name in (field.name for field in fields(Options))
        if getattr(arguments, name, None) is not None
    }
    try:
        return Options(loras=tuple(arguments.lora or ()), **given)
    except ValueError as error:
        raise UsageError(str(error)) from error
