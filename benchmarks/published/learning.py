"""Learning without gold: from a model's own answers, or from those of a larger model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.published import scores
from benchmarks.published.draft import small_model
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


def distillation(bench: Workbench) -> Finding:
    """Section 4.4: a smaller model that is taught a larger one's answers."""
    train = bench.catalogue("to-label", bench.count(600), "--tokens", "150", "--seed", "1")
    data = bench.catalogue("descriptions-150", bench.count(128), "--tokens", "150")
    labels = bench.extract(train, "hpd", "--set", "method=hpd")
    student = small_model(bench)
    adapter = trained(
        bench,
        train,
        Way("hpd"),
        labels=("--labels", str(labels)),
        name="distilled",
        model=student,
        n_epochs=4,
    )
    made: dict[str, Path] = {
        "teacher, AR": bench.extract(data, "ar", "--set", "method=ar"),
        "teacher, HPD": bench.extract(data, "hpd"),
        "student before, HPD": bench.extract(data, "student", model=student),
        "student after, HPD": bench.extract(
            data, "distilled", "--lora", str(adapter / "adapter.gguf"), model=student
        ),
    }
    rows: list[list[Cell]] = [["", "weights, MB", "F1"]]
    figures = {}
    for name, output in made.items():
        evaluated = bench.evaluate(data, output)
        figures[name] = scores.f1(evaluated)
        model = student if name.startswith("student") else bench.model
        rows.append([name, f"{model.stat().st_size / 1e6:.1f}", scores.both(evaluated)])
    return Finding(
        [Table("Plain F1 (strict) on made-up descriptions of 150 tokens", rows)],
        "; ".join(f"{name} {figure:.1f}" for name, figure in figures.items()),
        ["The teacher labelled 600 other descriptions with HPD."],
    )


PARTS: Sequence[Part] = (
    Part("self-supervision", "Self-supervision", 8, self_supervision),
    Part("distillation", "Distillation", 8, distillation),
)
