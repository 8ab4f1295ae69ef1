"""Plans the machines, hours and dollars needed for many documents, from measured rates.

    python -m benchmarks.plan --price-per-hour 0.10
    python -m benchmarks.plan figures.jsonl --model qwen3:4b --hours 8 --price-per-hour 1.90

Rates are those of ``benchmarks/rates.jsonl``, each measured on the machine that it names, or those
of ``hpd bench -o FIGURES``, measured on yours. Rates of other models are not measured but
scaled: the time of a document is taken to grow with the weights in the layers. This overestimates
larger models, as their rows of logits grow less, and assumes the same quantisation and bottleneck.

Machines share nothing, so twice as many take half the time. ``--efficiency`` is the share of the
rate that remains after reading, writing and waiting for the last machine; it is assumed, not
measured. Each machine is also paid for ``--start-minutes``, in which it starts and loads the model.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from hpd.cli.arguments import integer, number
from hpd.messages import format_table
from hpd.models.hub.recommended import RECOMMENDED, RecommendedModel

RATES = Path(__file__).with_name("rates.jsonl")
_MODELS = {model.name: model for model in RECOMMENDED}
_SCALED_TO = ("qwen3:1.7b", "qwen3:4b", "qwen3:8b")


@dataclass(frozen=True, slots=True)
class Rate:
    """The time of a document on one machine."""

    workload: str
    model: str
    """A short name of a recommended model, or any text."""
    ms_per_document: float
    measured_on: str
    """The hardware, and for a stored rate the quantisation and the date."""
    is_measured: bool = True

    def scaled_to(self, name: str) -> Rate:
        """Return the rate of another model, scaled by the weights of its layers."""
        factor = layer_weights(_MODELS[name]) / layer_weights(_MODELS[self.model])
        taken = factor * self.ms_per_document
        return replace(self, model=name, ms_per_document=taken, is_measured=False)


class Plan(NamedTuple):
    """The machines for a number of documents."""

    n_machines: int
    hours: float
    """Hours from the start of the first machine to the end of the last."""
    dollars: float


def layer_weights(model: RecommendedModel) -> int:
    """Return the number of weights in the layers, without those of the vocabulary."""
    attention = model.n_embd * model.d_head * (2 * model.n_heads + 2 * model.n_kv_heads)
    return model.n_layers * (attention + 3 * model.n_embd * model.n_ff)


def plan(
    rate: Rate,
    n_documents: int,
    *,
    hours: float,
    price_per_hour: float,
    efficiency: float,
    start_minutes: float,
) -> Plan:
    """Return a plan with the fewest machines that finish in time.

    Raises:
        ValueError: a machine takes longer to start than the time allowed.
    """
    start_hours = start_minutes / 60
    if start_hours >= hours:
        raise ValueError(f"a machine takes {start_minutes:g} minutes to start, which is too long")
    machine_hours = n_documents * rate.ms_per_document / 3_600_000 / efficiency
    n_machines = max(1, math.ceil(machine_hours / (hours - start_hours)))
    return Plan(
        n_machines,
        start_hours + machine_hours / n_machines,
        (machine_hours + n_machines * start_hours) * price_per_hour,
    )


def stored_rates() -> list[Rate]:
    """Return the rates of ``rates.jsonl``."""
    return [Rate(**line) for line in _lines(RATES)]


def measured_rates(figures: Path, model: str) -> list[Rate]:
    """Return the rates of all settings of ``hpd`` in a file of ``hpd bench -o``.

    Raises:
        ValueError: the file has none.
    """
    lines = _lines(figures)
    known = next((line for line in lines if line.get("type") == "environment"), {})
    model = model or str(known.get("model_description", ""))
    name = known.get("workload", figures.name)
    machine = f"{known.get('n_cores')} cores of {known.get('processor')}"
    rates = [
        Rate(f"{name}, {line['method']}", model, line["ms_per_document"], machine)
        for line in lines
        if line.get("type") == "summary" and line.get("kind") == "hpd"
    ]
    if not rates:
        raise ValueError(f"{figures}: no summary of the method hpd; it is made by hpd bench -o")
    return rates


def with_other_sizes(rates: Sequence[Rate], names: Sequence[str]) -> Iterator[Rate]:
    """Yield each rate and, if its model is known, the rates scaled to other models."""
    for rate in rates:
        yield rate
        if rate.model in _MODELS:
            yield from (rate.scaled_to(name) for name in names if name != rate.model)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the plan."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("figures", nargs="*", type=Path, help="files of hpd bench -o [default: the stored rates]")
    add("--model", default="", choices=sorted(_MODELS), help="the model of FIGURES, to scale it")
    add("--documents", type=integer(1), default=1_000_000)
    add("--hours", type=number(0), default=24, help="maximum duration")
    add("--price-per-hour", type=number(0), required=True, help="of one machine, in dollars")
    add("--efficiency", type=number(0.01, 1), default=0.9)
    add("--start-minutes", type=number(0), default=5)
    add("--scale-to", nargs="*", choices=sorted(_MODELS), default=_SCALED_TO, metavar="NAME")
    asked = parser.parse_args(argv)
    limits = ("hours", "price_per_hour", "efficiency", "start_minutes")
    limited = {name: getattr(asked, name) for name in limits}
    rows = [["workload", "model", "", "docs/s", "machines", "hours", "dollars"]]
    try:
        rates = [rate for path in asked.figures for rate in measured_rates(path, asked.model)]
        rates = rates or stored_rates()
        for rate in with_other_sizes(rates, asked.scale_to):
            needed = plan(rate, asked.documents, **limited)
            known = "measured" if rate.is_measured else "scaled"
            per_second = f"{1000 / rate.ms_per_document:.3g}"
            figures = f"{needed.n_machines:,}", f"{needed.hours:.1f}", f"{needed.dollars:,.0f}"
            rows.append([rate.workload, rate.model, known, per_second, *figures])
    except (OSError, ValueError) as error:
        parser.error(str(error))
    print(
        f"{asked.documents:,} documents in {asked.hours:g} hours at most, on machines at "
        f"{asked.price_per_hour:g} dollars an hour\n"
    )
    print(format_table(rows, n_left=3))
    print("\nmeasured on:")
    for machine in dict.fromkeys(rate.measured_on for rate in rates):
        print(f"  {machine}")


if __name__ == "__main__":
    main()
