"""Learning without gold: from a model's own answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.published import scores
from benchmarks.published.finetuning import Way, trained
from benchmarks.published.part import Part
from benchmarks.published.quality import N_FEW, predicted
from benchmarks.published.result import Cell, Finding, Table
from benchmarks.published.workbench import DataSet, MissingInputError, Workbench

_N_LABELLED = 150


def self_supervision(bench: Workbench) -> Finding:
    """Section 4.4: a model that is taught its own autoregressive answers in parallel.

    The model is that of table 1 which learned to write whole objects. It labels titles, and from
    these labels alone it learns to give the same values in parallel.
    """
    rows: list[list[Cell]] = [["data", "decoded by", "taught", "F1", "fields as AR"]]
    heads = []
    ar, hpd = Way("ar"), Way("hpd")
    for data in bench.data_sets("oa-mine"):
        teacher = trained(bench, data, ar)
        titles = _titles(bench, data)
        labels = ("--labels", str(predicted(bench, titles, ar, teacher)))
        model = _merged(bench, teacher)
        student = trained(bench, titles, hpd, model=model, labels=labels, name=f"{hpd.name}-of-ar")
        few = bench.some(data, bench.count(N_FEW))
        answers = predicted(bench, few, ar, teacher)
        rows.append([data.title, "AR", "gold", scores.both(bench.evaluate(few, answers)), ""])
        found = []
        for taught, adapter in (("as AR", None), ("as AR, and its answers", student)):
            output = predicted(bench, few, hpd, adapter, "-of-ar", model=model)
            evaluated = bench.evaluate(few, output, versus=answers)
            same = scores.agreement(evaluated)[1]
            rows.append([data.title, "HPD", taught, scores.both(evaluated), same])
            found.append(f"F1 {scores.f1(evaluated):.1f} and {same} of the fields as AR")
        heads.append(f"{data.title}: {found[0]} before, {found[1]} after")
    return Finding(
        [Table("Plain F1 (strict), and fields with AR's value", rows)],
        "; ".join(heads),
        [
            f"About {N_FEW} titles. AR labelled some {_N_LABELLED} that it was taught with, and an "
            "adapter for HPD was trained on its weights, its own adapter included, for one epoch."
        ],
    )


def _merged(bench: Workbench, adapter: Path) -> Path:
    """The scored model with an adapter added to its weights."""
    output = bench.folder("models") / f"{adapter.parent.name}-{adapter.name}.gguf"
    command = ["-m", "benchmarks.published.merge", str(bench.model)]
    return bench.make(output, [*command, str(adapter / "adapter.gguf"), str(output)])


def _titles(bench: Workbench, data: DataSet) -> DataSet:
    """Titles to label, of the rows to learn from."""
    if data.train is None:
        raise MissingInputError(f"needs {data.name}/train.jsonl in --data FOLDER")
    lines = bench.folder(data.name) / "train-gold.jsonl"
    bench.make(lines, ["hpd", "data", "convert", str(data.train), "-o", str(lines)])
    return bench.some(replace(data, gold=lines, train=None), bench.count(_N_LABELLED))


PARTS: Sequence[Part] = (Part("self-supervision", "Self-supervision", 40, self_supervision),)
