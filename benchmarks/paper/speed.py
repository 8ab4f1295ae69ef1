"""Compares the speed of HPD with batched and speculative AR, and measures the size of its steps.

If all methods must write the same answers, known ones are replayed (``hpd bench --replay``).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from benchmarks.harness.part import Part
from benchmarks.harness.result import Finding, Rows, Table
from benchmarks.harness.workbench import MissingInputError, Workbench
from benchmarks.tables import WORKLOADS, workload
from hpd.errors import ModelLoadError
from hpd.models.model_files import resolve_model


def figure_4(bench: Workbench) -> Finding:
    """Measure throughput by documents in a prompt and prompts in flight."""
    n = bench.count(32)
    data = bench.catalogue(n + 2, n_tokens=300)
    methods = ["prefill", "ar-batched"]
    found = bench.bench("figure-4", data, methods, "--sweep", "figure-4", n=n, replay=True)
    own = [row for row in found if row["kind"] == "hpd"]
    in_flight = sorted({row["settings"]["in_flight"] for row in own})
    rows: Rows = [["documents in a prompt", *(f"{n} in flight" for n in in_flight)]]
    ratios = {
        (row["settings"]["stack"], row["settings"]["in_flight"]): _ratio(row, "speedup_ar_batched")
        for row in own
    }
    for stack in sorted({stack for stack, _ in ratios}):
        rows.append([stack, *(ratios[stack, n] for n in in_flight)])
    floor = next(row for row in found if row["kind"] == "prefill")
    reading = _ratio(floor, "speedup_ar_batched")
    rows.append(["reading alone", *(reading for _ in in_flight)])
    best = max(own, key=lambda row: row["speedup_ar_batched"])
    return Finding(
        [Table("Documents a second, as a multiple of the best batched AR", rows)],
        f"at best {_ratio(best, 'speedup_ar_batched')} times batched AR, with "
        f"{best['settings']['stack']} in a prompt and {best['settings']['in_flight']} prompts in "
        f"flight; reading alone would be {reading} times",
    )


def speculation(bench: Workbench) -> Finding:
    """Table 3: compare HPD with AR that drafts from the text, or with a draft model."""
    try:
        draft_model = bench.using(resolve_model("smollm2:135m", progress=False))
    except ModelLoadError as error:
        raise MissingInputError(f"needs the draft model smollm2:135m: {error}") from error
    few = f"ar:documents={bench.count(4)}"
    methods = {
        "AR": few,
        "AR, looked up in the text": f"{few},drafts=on",
        "AR, a draft model": f"{few},draft_model={draft_model}",
        "HPD": "hpd:in_flight=1,drafts=off",
        "HPD, drafts": "hpd:in_flight=1",
    }
    n = bench.count(8)
    rows: Rows = [["data", "answers", "method", "ms/doc", "x AR", "steps", "accepted"]]
    heads = []
    for name, is_known in product(WORKLOADS, (False, True)):
        data = workload(bench, name, n)
        answers = "known" if is_known else "own"
        run = f"speculation-{data.name}-{answers}"
        found = bench.bench(run, data, methods.values(), n=n, rounds=2, replay=is_known)
        by_method = {row["method"]: row for row in found}
        ratios = {}
        for title, method in methods.items():
            row = by_method[method]
            accepted = "" if row["acceptance"] is None else f"{row['acceptance']:.0%}"
            times = [f"{row['ms_per_document']:.0f}", _ratio(row, "speedup_ar")]
            rows.append([data.title, answers, title, *times, f"{row['steps']:.1f}", accepted])
            ratios[title] = row["speedup_ar"]
        if is_known:
            heads.append(
                f"{data.title}: HPD {max(ratios['HPD'], ratios['HPD, drafts']):.1f} times AR, "
                f"AR with drafts of the text {ratios['AR, looked up in the text']:.2f} times, "
                f"of a model {ratios['AR, a draft model']:.2f} times"
            )
    note = (
        "The draft model is the original SmolLM2-135M-Instruct. No smaller model with this "
        "vocabulary was available, so the table shows how much is accepted, but not the time that "
        "a smaller one would save."
    )
    headline = "known answers: " + "; ".join(heads)
    return Finding([Table("One document in flight, no stacks", rows)], headline, [note])


def width(bench: Workbench) -> Finding:
    """Count the tokens in a step for six stacked documents of 16 attributes, as in the paper."""
    n_stacked = 6
    data = bench.catalogue(n_stacked * 2, n_tokens=100)
    method = f"hpd:stack={n_stacked},in_flight=1,drafts=off"
    (row,) = bench.bench("width", data, [method], n=n_stacked, replay=True)
    n_fields = n_stacked * 16
    n_rows = row["rows"] * n_stacked
    n_steps = row["steps"] + 1
    rows: Rows = [
        ["fields in the prompt", "steps", "tokens read off", "in a step, on average"],
        [n_fields, f"{n_steps:.0f}", f"{n_rows:.0f}", f"{n_rows / n_steps:.1f}"],
    ]
    return Finding(
        [Table("Six documents in one prompt, 16 attributes each, the first step included", rows)],
        f"{n_fields} tokens in the first step, {n_rows:.0f} in {n_steps:.0f} steps",
    )


def _ratio(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    return "" if value is None else f"{value:.2f}"


PARTS = (
    Part("figure-4", "Figure 4: documents in a prompt, and prompts in flight", 5, figure_4),
    Part("speculation", "Table 3: speculative decoding", 5, speculation),
    Part("width", "Tokens in one step", 0.2, width),
)
