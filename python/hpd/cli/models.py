"""``hpd models``: the models that hpd recommends, those on this disk, and which of them fit."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import add_option_argument
from hpd.cli.common import EXIT_OK, UsageError
from hpd.messages import format_table
from hpd.options import OPTIONS

if TYPE_CHECKING:
    from hpd.models.hub.inventory import LocalModel
    from hpd.models.hub.recommended import RecommendedModel
    from hpd.models.weight_speed import WeightSpeed

_DESCRIPTION = """\
List recommended models and those already on this disk: the bundled one, and those of Hugging Face's
cache, Ollama and LM Studio. A recommended model is downloaded on first use:

  hpd extract letters/ --schema "sender, date" -m qwen3:4b
  hpd extract letters/ --schema "sender, date" -m qwen3:4b-q8_0      another quantisation
  hpd extract letters/ --schema "sender, date" -m ollama:qwen3:4b    Ollama's copy

MEMORY is an estimate for the default options; FITS says whether this much of the computer's memory
is available now. A model on a GPU uses the GPU's memory, which is not checked.

Speed depends on the weight type and the processor. --speed times the types, without any model, in
about ten seconds, relative to Q8_0. (Q4_K_M is mostly Q4_K, Q5_K_M mostly Q5_K.) Run nothing else
meanwhile.
"""

_SPEED_NOTE = """\
READING: batches of 512 tokens, as for documents; DECODING: batches of 16, as for values in
flight; ONE TOKEN: as for one document written token by token. Speeds are relative to Q8_0."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "models", usage="%(prog)s [--speed [-t N]] [--json]", description=_DESCRIPTION
    )
    parser.add_argument(
        "--speed", action="store_true", help="time the weight types on this processor"
    )
    add_option_argument(parser, OPTIONS["n_threads"], help="threads for --speed; 0: one per core")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print both lists and, with ``--speed``, the speeds of the weight types."""
    if arguments.n_threads is not None and not arguments.speed:
        raise UsageError("-t does nothing without --speed")
    from hpd.models.hardware import processor
    from hpd.models.hub.hugging_face import cached_models
    from hpd.models.hub.inventory import local_models, recommended_memory, recommended_on_disk
    from hpd.models.hub.recommended import RECOMMENDED
    from hpd.models.memory import memory, readable_size

    available = memory().available
    cached = cached_models()
    on_disk = recommended_on_disk(cached)
    recommended = [
        _recommended_entry(model, recommended_memory(model), available, on_disk.get(model.name))
        for model in RECOMMENDED
    ]
    here = [_local_entry(model, available) for model in local_models(cached)]
    if arguments.json:
        whole = {"available_bytes": available, "recommended": recommended, "here": here}
        if arguments.speed:
            whole["weights"] = [asdict(speed) for speed in _measure_speeds(arguments.n_threads)]
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return EXIT_OK
    size = "unknown" if available is None else readable_size(available)
    print(f"memory available: {size}\n\nrecommended, by size (-m NAME):\n")
    print(format_table(_recommended_rows(recommended), n_left=3))
    print("\non this disk:\n")
    print(format_table(_local_rows(here), n_left=2))
    unusable = [f"{_use(model)}: {model['problem']}" for model in here if model["problem"]]
    if unusable:
        print("\n".join(["\ncannot be used:\n", *unusable]))
    if arguments.speed:
        speeds = _measure_speeds(arguments.n_threads)
        print(f"\nspeed of the weight types on {processor()}:\n")
        print(format_table(_speed_rows(speeds), n_left=1))
        print(f"\n{_SPEED_NOTE}")
    return EXIT_OK


def _recommended_entry(
    model: RecommendedModel, n_memory_bytes: int, available: int | None, path: object
) -> dict[str, Any]:
    return {
        "name": model.name,
        "repository": model.repository,
        "quantisation": model.quantisation,
        "licence": model.licence,
        "good_for": model.good_for,
        "file_bytes": int(model.file_gb * 1e9),
        "memory_bytes": n_memory_bytes,
        "fits": None if available is None else n_memory_bytes <= available,
        "path": None if path is None else str(path),
    }


def _local_entry(model: LocalModel, available: int | None) -> dict[str, Any]:
    need = model.n_memory_bytes
    return {
        "arguments": list(model.arguments),
        "owner": model.owner,
        "path": None if model.path is None else str(model.path),
        "file_bytes": model.n_file_bytes,
        "memory_bytes": need,
        "fits": None if available is None or need is None else need <= available,
        "problem": model.problem or None,
    }


def _recommended_rows(models: list[dict[str, Any]]) -> list[list[str]]:
    rows = [["NAME", "LICENCE", "GOOD FOR", "FILE", "MEMORY", "FITS", "HERE"]]
    for model in models:
        rows.append(
            [
                model["name"],
                model["licence"],
                model["good_for"],
                *_sizes(model),
                "no" if model["path"] is None else "yes",
            ]
        )
    return rows


def _local_rows(models: list[dict[str, Any]]) -> list[list[str]]:
    rows = [["USE IT WITH", "FROM", "FILE", "MEMORY", "FITS"]]
    for model in models:
        sizes = ["", "", "-"] if model["problem"] else _sizes(model)
        rows.append([_use(model), model["owner"], *sizes])
    return rows


def _measure_speeds(n_threads: int | None) -> list[WeightSpeed]:
    from hpd.models.hardware import n_cores
    from hpd.models.weight_speed import weight_speeds

    return weight_speeds(n_threads or n_cores())


def _speed_rows(speeds: list[WeightSpeed]) -> list[list[str]]:
    """Return the rows of the table of weight types and their speeds."""
    from hpd.models.weight_speed import N_ALONE, N_DECODING, N_READING

    (usual,) = (speed for speed in speeds if speed.type == "Q8_0")
    rows = [["TYPE", "BITS", "READING", "DECODING", "ONE TOKEN"]]
    for speed in speeds:
        times = [usual.seconds[n] / speed.seconds[n] for n in (N_READING, N_DECODING, N_ALONE)]
        rows.append([speed.type, f"{speed.n_bits:.1f}", *(f"{each:.2f}x" for each in times)])
    return rows


def _use(model: dict[str, Any]) -> str:
    """Return the arguments that select a model, quoted for a shell."""
    return shlex.join(model["arguments"]) or "(nothing: the default)"


def _sizes(model: dict[str, Any]) -> list[str]:
    """Return the cells for the file's size, the memory, and whether it fits."""
    from hpd.models.memory import readable_size

    fits = {True: "yes", False: "no", None: "?"}[model["fits"]]
    return [readable_size(model["file_bytes"]), readable_size(model["memory_bytes"]), fits]
