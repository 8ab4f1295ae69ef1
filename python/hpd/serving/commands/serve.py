"""``hpd serve``: values over HTTP."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from types import FrameType

from hpd.cli.arguments import (
    SCHEMA_HELP,
    add_option_arguments,
    integer,
    not_empty,
    number,
    parsed_options,
)
from hpd.cli.common import EXIT_INTERRUPTED, EXIT_OK, EXIT_SOME_FAILED, UsageError
from hpd.errors import HpdError
from hpd.extras import require_extra
from hpd.models.hardware import device_summary
from hpd.options import Options
from hpd.pipeline.plan import plan_run
from hpd.schema import load_schemas
from hpd.serving import STOP_SIGNALS, ServerLimits

KEY_VARIABLE = "HPD_API_KEY"

_LOGGER = logging.getLogger("hpd.serving")

_PACKAGES = ("fastapi", "uvicorn", "httptools", "prometheus_client")
_LARGEST_PORT = 65_535
_MAX_SECONDS = 86_400  # a day

_LIMITS = (
    ("--max-body", "body_bytes", "BYTES", integer(1), "maximum size of a request body"),
    ("--max-schema", "schema_bytes", "BYTES", integer(1), "maximum size of a schema with its "
     "options and examples, as JSON"),
    ("--max-texts", "texts", "N", integer(1), "maximum number of documents in one request"),
    ("--max-waiting", "waiting", "N", integer(1), "maximum number of unanswered documents over "
     "all requests; a request beyond it gets a 429"),
    ("--timeout", "seconds", "SECONDS", number(0.001, _MAX_SECONDS), "time limit of a request; "
     "one that takes longer is cancelled with a 504"),
    ("--shutdown-timeout", "shutdown_seconds", "SECONDS", number(0, _MAX_SECONDS), "time to "
     "finish requests in progress when the server stops"),
)  # fmt: skip
"""Flags with the fields of ``ServerLimits`` that they set."""

_DESCRIPTION = f"""\
Answer requests over HTTP. One model decodes the documents of all clients together. It has no
configuration file.

  POST /extract               text or texts with a schema in any form; answers like hpd extract
  POST /v1/chat/completions   for OpenAI clients, with a JSON Schema or a function
  GET  /                      a page to try it in a browser
  GET  /docs, /v1/models, /health, /metrics

  hpd serve
  curl --json '{{"text": "Nordvik desk lamp, black", "schema": "brand, color"}}' \\
    http://127.0.0.1:8000/extract

With --api-key, or a key in {KEY_VARIABLE}, requests must send it ("Authorization: Bearer KEY");
other users of the machine can see a key on the command line. Ctrl-C, SIGTERM or SIGHUP stops the
server once requests in progress are finished; a second one cancels them.
"""

_EPILOG = """\
Exit codes: 0 after SIGTERM or SIGHUP, 130 after Ctrl-C, 3 if requests were cancelled, 1 failure,
2 wrong usage.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "serve",
        usage="%(prog)s [--host H] [--port P] [options]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.set_defaults(run=run)
    _add_server(parser.add_argument_group("server"))
    _add_limits(parser.add_argument_group("limits"))
    add_option_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    require_extra("hpd serve", "serve", _PACKAGES)
    options = parsed_options(arguments)
    _set_up_log(quiet=options.quiet, requests=not arguments.no_log)
    with _stopping_early():
        return _run(arguments, options)
    _LOGGER.info("stopped")
    return EXIT_OK


def _run(arguments: argparse.Namespace, options: Options) -> int:
    limits = _limits(arguments)
    key = _api_key(arguments.api_key)
    # Extractors need a schema; this one is never used.
    schemas = ["value"] if arguments.schema is None else load_schemas(arguments.schema)
    plan = plan_run(schemas, arguments.model, arguments.hf_repo, options)
    from hpd.extractor import Extractor
    from hpd.serving.server import listen, serve

    try:
        sock = listen(arguments.host, arguments.port)
    except OSError as error:
        # Python adds the address to the reason.
        is_lookup = isinstance(error, socket.gaierror)
        reason = error.strerror if is_lookup else os.strerror(error.errno or 0)
        raise HpdError(
            f"cannot listen on {arguments.host}, port {arguments.port}: {reason}"
        ) from None
    with sock:
        if key is None and not ipaddress.ip_address(sock.getsockname()[0]).is_loopback:
            _LOGGER.warning("warning: other machines can connect without a key: use --api-key")
        name = arguments.alias or plan.model.stem
        with Extractor.from_plan(plan) as extractor:
            _LOGGER.info("%s on %s", name, device_summary(options.n_gpu_layers))
            _LOGGER.info(
                "listening on %s: a page to try it, and /docs (Ctrl-C stops)", _address(sock)
            )
            shutdown = serve(
                extractor,
                sock,
                name=name,
                limits=limits,
                has_schema=arguments.schema is not None,
                is_strict=arguments.strict_model,
                api_key=key,
            )
    _LOGGER.info("stopped; cancelled requests: %d", shutdown.n_cancelled)
    if shutdown.number == signal.SIGINT:
        return EXIT_INTERRUPTED
    return EXIT_SOME_FAILED if shutdown.n_cancelled else EXIT_OK


class _StoppedEarly(BaseException):
    """A signal came before requests were served."""


@contextmanager
def _stopping_early() -> Iterator[None]:
    """Leave the block at a signal: while the model is downloaded or loaded, nothing is pending."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _StoppedEarly

    before = {
        number: signal.signal(number, stop) for number in STOP_SIGNALS if number != signal.SIGINT
    }
    try:
        yield
    except _StoppedEarly:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _set_up_log(*, quiet: bool, requests: bool) -> None:
    """Log to standard error, each line with the time."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    # Not the lines of hpd's other loggers, which may quote documents.
    for logger in (_LOGGER, logging.getLogger("uvicorn")):
        logger.addHandler(handler)
    _LOGGER.setLevel(logging.WARNING if quiet else logging.INFO)
    if not requests:
        _LOGGER.getChild("requests").setLevel(logging.WARNING)


def _add_server(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--host",
        metavar="H",
        type=not_empty,
        default="127.0.0.1",
        help="address to listen on; 0.0.0.0: all addresses of this machine [default: 127.0.0.1]",
    )
    group.add_argument(
        "--port",
        metavar="P",
        type=integer(0, _LARGEST_PORT),
        default=8000,
        help="port; 0: any free one [default: 8000]",
    )
    group.add_argument(
        "--api-key",
        metavar="KEY",
        type=not_empty,
        help=f"key that requests must send [default: {KEY_VARIABLE}]",
    )
    group.add_argument(
        "--alias",
        metavar="NAME",
        type=not_empty,
        help="the model's name in answers [default: its file name without .gguf]",
    )
    group.add_argument(
        "--strict-model", action="store_true", help="refuse requests that do not name this model"
    )
    group.add_argument("--no-log", action="store_true", help="do not log requests")
    group.add_argument("--schema", metavar="S", help=f"for requests without one: {SCHEMA_HELP}")


def _add_limits(group: argparse._ArgumentGroup) -> None:
    for flag, name, metavar, kind, meaning in _LIMITS:
        default = getattr(ServerLimits(), name)
        group.add_argument(
            flag,
            dest=name,
            metavar=metavar,
            type=kind,
            default=default,
            help=f"{meaning} [default: {default:.0f}]",
        )


def _limits(arguments: argparse.Namespace) -> ServerLimits:
    limits = ServerLimits(
        **{own.name: getattr(arguments, own.name) for own in fields(ServerLimits)}
    )
    if limits.texts > limits.waiting:
        raise UsageError(
            f"--max-texts {limits.texts} is above --max-waiting {limits.waiting}: a request with "
            "that many texts could never be accepted"
        )
    return limits


def _api_key(given: str | None) -> str | None:
    key = given or os.environ.get(KEY_VARIABLE) or None
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError(f"an API key ({KEY_VARIABLE}) must be ASCII, without blanks")
    return key


def _address(sock: socket.socket) -> str:
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
