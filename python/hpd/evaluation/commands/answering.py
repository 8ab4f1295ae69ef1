"""The model that answers a command's questions: a local one or an endpoint."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import (
    add_model_arguments,
    add_option_argument,
    integer,
    not_empty,
    number,
    parsed_options,
)
from hpd.cli.common import UsageError, say
from hpd.evaluation.commands.inputs import refuse
from hpd.evaluation.endpoint import KEY_VARIABLE, RESPONSE_FORMATS, Endpoint, EndpointExtractor
from hpd.extras import require_extra
from hpd.files.journal import file_fingerprint
from hpd.models.cache import cache_folder
from hpd.models.model_files import is_bundled, resolve_model
from hpd.options import OPTIONS
from hpd.pipeline.plan import plan_run
from hpd.schema.schemas import Schemas

if TYPE_CHECKING:
    from hpd.extractor import Extractor

_LOCAL = ("n_ctx", "n_gpu_layers", "n_threads", "in_flight")
"""The options of a local model; others keep their defaults."""

_ENDPOINT_ONLY = (
    "response_format", "parallel", "retries", "rpm", "no_cache", "price_in", "price_out",
)  # fmt: skip

_ENDPOINT_HELP = f"""\
Any endpoint with OpenAI's protocol; -m NAME is the model's name there. The key is read from the
environment variable {KEY_VARIABLE}. Answers are cached in hpd's cache folder.
"""


def add_answering_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of both kinds of models."""
    local = parser.add_argument_group("a local model")
    add_model_arguments(local)
    for name in _LOCAL:
        add_option_argument(local, OPTIONS[name])
    parser.add_argument(
        "--max-tokens",
        metavar="K",
        type=integer(1),
        help="maximum tokens of a local model's text for one field, or of an endpoint's answer",
    )
    group = parser.add_argument_group("a model behind an endpoint", _ENDPOINT_HELP)
    group.add_argument(
        "--api",
        metavar="URL",
        type=not_empty,
        help="URL of the endpoint, such as http://localhost:8000/v1",
    )
    group.add_argument(
        "--response-format",
        choices=RESPONSE_FORMATS,
        help="how to send the schema of the answer: structured outputs (json_schema, the default), "
        "JSON mode with a schema, as in llama-cpp-python's server (json_object), or not at all "
        "(text)",
    )
    group.add_argument(
        "--parallel", metavar="N", type=integer(1, 1000), help="concurrent requests (default 4)"
    )
    group.add_argument(
        "--retries",
        metavar="N",
        type=integer(0, 100),
        help="retries after transient failures, with increasing waits (default 5)",
    )
    group.add_argument("--rpm", metavar="N", type=number(0.01), help="maximum requests per minute")
    group.add_argument("--no-cache", action="store_true", help="do not use the cache")
    group.add_argument(
        "--price-in", metavar="USD", type=number(0), help="price of a million prompt tokens"
    )
    group.add_argument(
        "--price-out", metavar="USD", type=number(0), help="price of a million answer tokens"
    )


def check_answering(arguments: argparse.Namespace) -> None:
    """Refuse arguments that do not apply to the kind of model."""
    if arguments.api is None:
        refuse(arguments, _ENDPOINT_ONLY, "does nothing without --api")
        return
    if not arguments.api.startswith(("http://", "https://")):
        raise UsageError(f"--api {arguments.api} is not a URL such as http://HOST/v1")
    if arguments.model is None:
        raise UsageError("--api needs the name of a model: -m NAME")
    local = ("hf_repo", *_LOCAL)
    refuse(arguments, local, "is for local models, and does nothing with --api")
    if (arguments.price_in is None) != (arguments.price_out is None):
        raise UsageError("--price-in and --price-out need each other")
    require_extra("--api", "api", ("diskcache", "openai"))


def answering_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return all settings that affect the model's answers, by name."""
    if arguments.api is None:
        model = {"model": file_fingerprint(resolve_model(arguments.model, arguments.hf_repo))}
    else:
        model = {"endpoint": arguments.api, "model": arguments.model}
        model["response format"] = arguments.response_format or RESPONSE_FORMATS[0]
    return {**model, "option --max-tokens": arguments.max_tokens}


def open_answering(
    arguments: argparse.Namespace,
    schemas: Schemas,
    system_prompt: str,
    *,
    max_tokens: tuple[int, int],
    **decoding: object,
) -> Extractor[Any] | EndpointExtractor:
    """Open the model; close it, or use it as a context manager.

    Unless ``--max-tokens`` is given, ``max_tokens`` has the maximum length of a local model's value
    and of an endpoint's answer. ``decoding`` are options of a local model that the command sets.

    Raises ``ModelLoadError`` if the local model cannot be found or loaded, and
    ``MissingPackageError`` if the extra ``api`` is not installed.
    """
    for_value, for_answer = max_tokens
    if arguments.api is not None:
        given = {
            "response_format": arguments.response_format,
            "n_parallel": arguments.parallel,
            "n_retries": arguments.retries,
            "requests_per_minute": arguments.rpm,
            "cache": None if arguments.no_cache else cache_folder() / "answers",
        }
        endpoint = Endpoint(
            arguments.api,
            arguments.model,
            max_tokens=arguments.max_tokens or for_answer,
            **{name: value for name, value in given.items() if value is not None},
        )
        return EndpointExtractor(schemas, endpoint, system_prompt=system_prompt)
    from hpd.extractor import Extractor
    from hpd.values.confidence import NO_CALIBRATION

    options = parsed_options(arguments).with_settings(
        # A field without an answer must not fail the others.
        {
            "max_tokens": arguments.max_tokens or for_value,
            "on_invalid": "record",
            # Calibration, threshold and verbatim are for values of documents, not these answers.
            "calibration": NO_CALIBRATION,
            "verbatim": False,
            **decoding,
        }
    )
    plan = plan_run(
        schemas, arguments.model, arguments.hf_repo, options, system_prompt=system_prompt
    )
    if is_bundled(plan.model) and not getattr(arguments, "quiet", False):
        say(
            "the bundled model is trained only to copy values, so its answers mean little: "
            "choose another model (-m, -hf or --api)"
        )
    return Extractor.from_plan(plan)


def price(arguments: argparse.Namespace, n_in: int, n_out: int) -> float | None:
    """Return the price of some tokens, in dollars; None if no price is given."""
    if arguments.price_in is None:
        return None
    return float(n_in * arguments.price_in + n_out * arguments.price_out) / 1e6


def tokens_text(arguments: argparse.Namespace, n_in: int, n_out: int) -> str:
    """Describe the tokens of prompts and answers, and their price if one is given."""
    cost = price(arguments, n_in, n_out)
    priced = "" if cost is None else f", {cost:.4f} dollars"
    return f"{n_in} tokens of prompts, {n_out} of answers{priced}"
