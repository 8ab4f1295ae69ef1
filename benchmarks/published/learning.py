"""Learning without gold: from a model's own answers."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.published import scores
from benchmarks.published.finetuning import Way, reference, trained
from benchmarks.published.part import Part
from benchmarks.published.result import Cell, Finding, Table
from benchmarks.published.workbench import Workbench


def self_supervision(bench: Workbench) -> Finding:
    """Section 4.4: a model that is taught its own autoregressive answers in parallel."""
    rows: list[list[Cell]] = [
        ["data", "mask", "AR", "HPD before", "HPD after", "as AR before", "as AR after"]
    ]
    heads = []
    for data in bench.data_sets("oa-mine"):
        ar = bench.extract(data, "ar", "--set", "method=ar")
        f1_ar = scores.both(bench.evaluate(data, ar))
        for way in (Way("hpd"), Way("hpd", "paper")):
            adapter = trained(
                bench, data, way, labels=("--labels", "self"), name=f"{way.name}-self"
            )
            before, after = (
                bench.evaluate(data, reference(bench, data, way, each), versus=ar)
                for each in (None, adapter)
            )
            same = [scores.agreement(each)[1] for each in (before, after)]
            figures = [f1_ar, scores.both(before), scores.both(after), *same]
            rows.append([data.title, f"`{way.mask}`", *figures])
            heads.append(
                f"mask {way.mask}: F1 {scores.f1(before):.1f} before and {scores.f1(after):.1f} "
                f"after, {same[0]} and {same[1]} of the fields as AR"
            )
    return Finding(
        [Table("Plain F1 (strict), and fields with AR's value, by the reference decoder", rows)],
        "; ".join(heads),
    )


PARTS: Sequence[Part] = (Part("self-supervision", "Self-supervision", 8, self_supervision),)
