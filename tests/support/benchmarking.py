"""A small workload for the benchmark's tests, and measurements with made-up figures."""

import dataclasses
import json
from pathlib import Path

import dataset_files
from benchmarks.harness.result import load_results
from hpd.bench.measure import MeasuredAnswers, Measurement
from small_model import small_model

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


def measurement(method, number, seconds, **settings):
    """A measurement of one method in one round; what is not said is 0."""
    values = {f.name: 0 for f in dataclasses.fields(Measurement)}
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


class FakeBench:
    """Says how long each method takes, round after round, and remembers who was asked when.

    Args:
        seconds: by name of a method, those of its first run, of its second one and so on; of the
            runs after that, the last ones again.
    """

    def __init__(self, seconds):
        self.seconds = seconds
        self.asked = []

    def measure(self, method, number):
        """The run of a method."""
        name = method.name
        taken = self.seconds[name]
        if not isinstance(taken, float | int):
            n_before = sum(asked == name for _, asked in self.asked)
            taken = taken[min(n_before, len(taken) - 1)]
        self.asked.append((number, name))
        return MeasuredAnswers(measurement(name, number, taken), {0: name})


def a_few_titles(folder):
    """A data set of made-up titles."""
    made = folder / "data" / "oa-mine"
    made.mkdir(parents=True)
    titles = dataset_files.extractgpt(made)
    titles.rename(made / "dev.jsonl")
    names = {"Shoes": ["Brand"], "Tea": ["Brand"]}
    (made / "attributes.json").write_text(json.dumps(names))


def tables_of(part, folder):
    """The tables of a part, in miniature."""
    from benchmarks.paper import __main__ as paper

    asked = ["--data", folder / "data", "-m", small_model(), "--part", part, "--limit", "2"]
    asked += ["--results", folder / "results", "--work", folder / "work", "-t", "1"]
    assert paper.main([str(each) for each in asked]) == 0
    return load_results(folder / "results")[part].finding.tables
