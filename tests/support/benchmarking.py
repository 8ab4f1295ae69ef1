"""A small workload for the benchmark's tests, and measurements with made-up figures."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import hpd
from hpd.bench.measure import Measurement

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROWS = [
    {"id": "a", "text": "Nike shoe, black, 10 M", "gold": {"Brand": "Nike", "Color": "black"}},
    {"id": "b", "text": "Diesel sneaker", "gold": {"Brand": ["Diesel", "DIESEL"]}},
    {"id": "c", "text": "Plain cap, red", "gold": {"Brand": "n/a", "Color": "red"}},
    {"id": "d", "text": "Café mug 500 ml", "gold": {"Color": None}},
]
SCHEMA = "Brand, Color"

TINY = ["-c", "1024", "-t", "1", "--rounds", "1"]
"""Arguments of ``hpd bench`` for a tiny model."""


def measurement(method: str, number: int, seconds: float, **settings: Any) -> Measurement:
    """A measurement of one method in one round; what is not said is 0."""
    values: dict[str, Any] = {f.name: 0 for f in dataclasses.fields(Measurement)}
    values.update(
        method=method,
        kind=method.partition(":")[0],
        round=number,
        settings={},
        n_documents=10,
        n_batches=5,
        n_tokens=500,
        n_graphs=5,
        seconds=seconds,
    )
    return Measurement(**{**values, **settings})


def run_script(*arguments: object) -> str:
    """The output of a script of ``benchmarks``, with the hpd that is tested here."""
    tested = str(Path(hpd.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": tested},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
