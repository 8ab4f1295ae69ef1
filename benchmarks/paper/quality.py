"""Compares the quality of HPD and AR with one model, zero-shot and after fine-tuning."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.harness.part import Part
from benchmarks.harness.result import Finding, Rows, Table
from benchmarks.harness.workbench import DataSet, MissingInputError, Workbench
from benchmarks.paper.adapters import AdapterWay, merged, predicted, quantized, trained
from hpd.evaluation.commands.eval_figures import p_text
from hpd.evaluation.rows import load_examples
from hpd.schema import load_schemas

_DIFFERENCE_HEAD = ("AR", "HPD", "HPD - AR", "95% interval", "p")

Evaluated = Mapping[str, Any]
"""The output of ``hpd eval --json``."""


def _f1(evaluated: Evaluated, scope: str = "plain") -> float:
    """Return exact micro F1 in percent."""
    return float(evaluated[scope]["micro"]["f1"])


def _both(evaluated: Evaluated) -> str:
    """Return exact micro F1, with strict F1 in brackets."""
    return f"{_f1(evaluated):.1f} ({_f1(evaluated, 'strict'):.1f})"


def _difference(evaluated: Evaluated, scope: str = "plain", form: str = "exact") -> list[str]:
    """Return F1 of the other file and of this one, their difference, its interval, and p."""
    found = evaluated["versus"]["differences"][form][scope]["micro"]["f1"]
    low, high = found["interval"]
    gap = f"{found['difference']:+.2f}", f"{low:+.2f} to {high:+.2f}"
    return [f"{found['second']:.2f}", f"{found['first']:.2f}", *gap, p_text(found["p_value"])]


def _agreement(evaluated: Evaluated) -> list[str]:
    """Return the number of fields and how many are the same; then the same for filled fields."""
    shares = evaluated["versus"]["agreement"]
    cells = []
    for n, same in (("n_fields", "same"), ("n_filled", "filled_same")):
        cells += [str(shares[n]), f"{shares[same]:.2f}%", f"{shares[f'{same}_normalized']:.2f}%"]
    return cells


def _per_document(evaluated: Evaluated, count: str) -> float:
    """Return a count of the usage (``steps``, ``prompt_tokens``, ...) per document."""
    usage = evaluated["throughput"]
    return float(usage[count] / usage["n_documents"])


def zero_shot(bench: Workbench) -> Finding:
    """Table 1 without fine-tuning: compare both methods on each data set, with a paired test."""
    scored: Rows = [["data", "documents", "values", "scope", *_DIFFERENCE_HEAD]]
    agreed: Rows = [
        ["data", "fields", "same", "normalized", "with a value in either", "same", "normalized"]
    ]
    heads = []
    for data in bench.data_sets():
        evaluated = _against(bench, data)
        for form in ("exact", "normalized"):
            for scope in ("plain", "strict"):
                figures = _difference(evaluated, scope, form)
                scored.append([data.title, evaluated["n_rows"], form, scope, *figures])
        agreed.append([data.title, *_agreement(evaluated)])
        heads.append(_sentence(data.title, evaluated))
    same = Table("Fields in which both methods have the same value", agreed)
    tables = [Table("F1, micro, of the model as it is", scored), same]
    return Finding(tables, "HPD - AR in plain F1: " + "; ".join(heads))


def _against(bench: Workbench, data: DataSet) -> Evaluated:
    """Compare HPD with AR, both without fine-tuning."""
    hpd, ar = (
        bench.extract(data, f"{method}-likely", "--set", f"method={method}", unlikely=False)
        for method in ("hpd", "ar")
    )
    evaluated: Evaluated = bench.evaluate(data, hpd, versus=ar)
    return evaluated


def _sentence(name: str, evaluated: Evaluated) -> str:
    """Return the difference in plain F1 and the agreement on one data set, in words."""
    *_, gap, interval, p = _difference(evaluated)
    same = evaluated["versus"]["agreement"]["filled_same"]
    return f"{name} {gap} ({interval}, p {p}; {same:.0f}% of the filled fields the same)"


TABLE_1_WAYS = (AdapterWay("ar"), AdapterWay("hpd"), AdapterWay("hpd", "paper"))
_N_SHOTS = 2
N_FEW = 60
"""Number of documents of a data set where AR on all of them would take too long."""
_N_LABELLED = 150


def fine_tuned(bench: Workbench) -> Finding:
    """Table 1 with fine-tuning: compare the methods, each with its own adapter."""
    ar, *others = TABLE_1_WAYS
    rows: Rows = [["data", "method", "as it is", "few-shot", "fine-tuned"]]
    tests: Rows = [["data", "method", *_DIFFERENCE_HEAD[2:], "fields the same"]]
    heads = []
    for data in bench.data_sets("oa-mine", "ae-110k"):
        few = bench.some(data, bench.count(N_FEW))
        shown = ("--examples", str(_examples(bench, data)))
        made: dict[AdapterWay, Path] = {}
        for way in TABLE_1_WAYS:
            untaught = [predicted(bench, few, way, None)]
            if way.mask != "paper":
                untaught.append(predicted(bench, few, way, None, "-few-shot", shown))
            before, *few_shot = [_both(bench.evaluate(few, each)) for each in untaught]
            made[way] = predicted(bench, data, way, trained(bench, data, way))
            after = _both(bench.evaluate(data, made[way]))
            rows.append([data.title, way.title, before, *(few_shot or [""]), after])
        for way in others:
            evaluated = bench.evaluate(data, made[way], versus=made[ar])
            same = _agreement(evaluated)[1]
            tests.append([data.title, way.title, *_difference(evaluated)[2:], same])
            heads.append(_sentence(f"{data.title}, mask {way.mask}", evaluated))
    return Finding(
        [
            Table("Micro F1, plain, and in brackets strict", rows),
            Table("The fine-tuned methods compared with fine-tuned AR, plain F1", tests),
        ],
        "after fine-tuning, HPD - AR in plain F1: " + "; ".join(heads),
        [
            f"Without training, about {N_FEW} titles of each set are scored; few-shot prompts show "
            f"{_N_SHOTS} rows of each category.",
            "The engine reads the weights as Q8_0, the reference decoder (mask `paper`) as F32. "
            "Each adapter has rank 16 and was trained for one epoch. Attributes that a row does "
            "not name are taught as null on OA-Mine, whose rows are complete, but not on AE-110k, "
            "whose rows name a quarter of the attributes.",
        ],
    )


def _examples(bench: Workbench, data: DataSet) -> Path:
    """Write the first training rows of each category as examples for prompts."""
    path = bench.folder(data.name) / "examples.jsonl"
    shown: Counter[str] = Counter()
    with path.open("w", encoding="utf-8") as file:
        source = data.train or data.gold
        for example in load_examples(source, category_field="category", needs_text=True):
            if shown[example.category] < _N_SHOTS:
                shown[example.category] += 1
                values = {name: gold[0] for name, gold in example.gold.items() if gold}
                row = {"text": example.text, "category": example.category, "data": values}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def k_max(bench: Workbench) -> Finding:
    """Vary the maximum number of tokens in a value."""
    rows: Rows = [["data", "K_max", "F1", "steps a document", "tokens written"]]
    heads = []
    for data in bench.data_sets("oa-mine", "ae-110k"):
        found = []
        for n in (2, 4, 8, 16, 30, 64):
            arguments = ("--max-tokens", str(n), "--set", "drafts=off")
            evaluated = bench.evaluate(data, bench.extract(data, f"k-max-{n}", *arguments))
            counts = ("steps", "completion_tokens")
            means = (f"{_per_document(evaluated, count):.1f}" for count in counts)
            rows.append([data.title, n, _both(evaluated), *means])
            found.append((_f1(evaluated), n))
        best = max(figure for figure, _ in found)
        enough = min(n for figure, n in found if figure >= best - 0.5)
        heads.append(f"{data.title}: within half a point of the best from {enough} tokens on")
    return Finding([Table("Plain F1 (strict), drafts off", rows)], "; ".join(heads))


def stacks(bench: Workbench) -> Finding:
    """Vary the number of documents in one prompt (the paper's J)."""
    rows: Rows = [["data", "J", "F1", "same as J = 1", "tokens read", "steps a document"]]
    heads = []
    for data in bench.data_sets("oa-mine", "ae-110k"):
        outputs = {
            n: bench.extract(data, f"stack-{n}", "--set", f"stack={n}", "--set", "drafts=off")
            for n in (1, 2, 4, 6, 8)
        }
        figures = {}
        for n, output in outputs.items():
            evaluated = bench.evaluate(data, output, versus=outputs[1])
            read = f"{_per_document(evaluated, 'prompt_tokens'):.0f}"
            steps = f"{_per_document(evaluated, 'steps'):.1f}"
            rows.append([data.title, n, _both(evaluated), _agreement(evaluated)[1], read, steps])
            figures[n] = _f1(evaluated)
        heads.append(f"{data.title}: F1 {figures[1]:.1f} alone, {figures[6]:.1f} with six")
    return Finding([Table("Plain F1 (strict), drafts off", rows)], "; ".join(heads))


def descriptions(bench: Workbench) -> Finding:
    """Compare both methods on made-up product descriptions like those of Amazon Reviews."""
    data = bench.catalogue(bench.count(32), n_tokens=300)
    evaluated = _against(bench, data)
    rows = [
        ["documents", *_DIFFERENCE_HEAD, "fields the same"],
        [evaluated["n_rows"], *_difference(evaluated), _agreement(evaluated)[1]],
    ]
    note = (
        "Amazon Reviews 2023 is not available, nor is a model that could judge it; these "
        "descriptions are made up (`benchmarks/workloads.py`), so their values are known."
    )
    return Finding(
        [Table("Plain F1, micro: descriptions of 300 tokens, 16 attributes", rows)],
        f"HPD - AR in plain F1: {_sentence('made-up descriptions', evaluated)}",
        [note],
    )


def order(bench: Workbench) -> Finding:
    """Reverse the order of the attributes, for models trained with one order."""
    rows: Rows = [["data", "method", "F1", "in reverse", "values the same"]]
    heads = []
    for data in bench.data_sets("oa-mine", "ae-110k"):
        few = bench.some(data, bench.count(N_FEW))
        backwards = _reversed(bench, few)
        for way in (AdapterWay("ar"), AdapterWay("hpd")):
            adapter = trained(bench, data, way)
            forth = predicted(bench, few, way, adapter)
            back = predicted(bench, backwards, way, adapter, "-reversed")
            evaluated = [bench.evaluate(few, output, versus=forth) for output in (forth, back)]
            same = _agreement(evaluated[1])[4]
            title = way.method.upper()
            rows.append([data.title, title, *map(_both, evaluated), same])
            heads.append(f"{data.title}, {title}: {same} of the filled fields are the same")
    note = (
        f"About {N_FEW} titles of each set; each method has its own adapter of table 1. HPD's "
        "instruction also lists the attributes in that order."
    )
    caption = "Plain F1 (strict), and filled fields with the same value"
    return Finding([Table(caption, rows)], "; ".join(heads), [note])


def _reversed(bench: Workbench, data: DataSet) -> DataSet:
    """Return the same documents with a schema in reverse order."""
    schema = bench.folder("reversed") / f"{data.name}.json"
    names = json.loads(data.schema.read_text(encoding="utf-8"))
    backwards = {category: each[::-1] for category, each in names.items()}
    schema.write_text(json.dumps(backwards), encoding="utf-8")
    return replace(data, schema=schema)


def quantization(bench: Workbench) -> Finding:
    """Compare both methods, each with its adapter of table 1, on weights of other types."""
    rows: Rows = [["data", "weights", *_DIFFERENCE_HEAD]]
    heads = []
    data = bench.data_set("oa-mine")
    few = bench.some(data, bench.count(N_FEW))
    for name in ("Q8_0", "Q4_0", "Q4_K"):
        model = quantized(bench, name)
        hpd, ar = (
            predicted(bench, few, way, trained(bench, data, way), f"-{name}", model=model)
            for way in (AdapterWay("hpd"), AdapterWay("ar"))
        )
        figures = _difference(bench.evaluate(few, hpd, versus=ar))
        rows.append([data.title, name, *figures])
        heads.append(f"{name} {figures[2]} (p {figures[-1]})")
    note = (
        f"About {N_FEW} titles. All weights are made from `{bench.model.name}`; the adapters are "
        "in F32."
    )
    headline = "HPD - AR in plain F1: " + "; ".join(heads)
    return Finding([Table("Plain F1, micro", rows)], headline, [note])


def self_supervision(bench: Workbench) -> Finding:
    """Section 4.4: train a model to give its own autoregressive answers in parallel.

    The model of table 1 that was trained to write whole objects labels titles; from these labels
    alone, it learns to write the same values in parallel.
    """
    ar, hpd = AdapterWay("ar"), AdapterWay("hpd")
    data = bench.data_set("oa-mine")
    teacher = trained(bench, data, ar)
    titles = _titles(bench, data)
    labels = ("--labels", str(predicted(bench, titles, ar, teacher)))
    model = merged(bench, teacher)
    student = trained(bench, titles, hpd, model=model, labels=labels, name=f"{hpd.name}-of-ar")
    few = bench.some(data, bench.count(N_FEW))
    answers = predicted(bench, few, ar, teacher)
    rows = [
        ["data", "decoded by", "taught", "F1", "fields as AR"],
        [data.title, "AR", "gold", _both(bench.evaluate(few, answers)), ""],
    ]
    found = []
    for taught, adapter in (("as AR", None), ("as AR, and its answers", student)):
        output = predicted(bench, few, hpd, adapter, "-of-ar", model=model)
        evaluated = bench.evaluate(few, output, versus=answers)
        same = _agreement(evaluated)[1]
        rows.append([data.title, "HPD", taught, _both(evaluated), same])
        found.append(f"F1 {_f1(evaluated):.1f} and {same} of the fields as AR")
    headline = f"{data.title}: {found[0]} before, {found[1]} after"
    note = (
        f"About {N_FEW} titles. AR labelled some {_N_LABELLED} titles of its training data; on "
        "these labels, an adapter for HPD was trained for one epoch, on top of AR's."
    )
    table = Table("Plain F1 (strict), and fields with AR's value", rows)
    return Finding([table], headline, [note])


def _titles(bench: Workbench, data: DataSet) -> DataSet:
    """Return titles of the training rows, to be labelled."""
    if data.train is None:
        raise MissingInputError(f"needs {data.name}/train.jsonl in --data FOLDER")
    lines = bench.folder(data.name) / "train-gold.jsonl"
    bench.make(lines, ["hpd", "data", "convert", str(data.train), "-o", str(lines)])
    return bench.some(replace(data, gold=lines, train=None), bench.count(_N_LABELLED))


def splits(bench: Workbench) -> Finding:
    """Table 2: count the rows of each data set."""
    rows: Rows = [["data", "to learn from", "scored", "categories", "attributes a category"]]
    heads = []
    for data in bench.data_sets():
        schemas = load_schemas(str(data.schema))
        sizes = [len(schema.attributes) for schema in schemas.by_category.values()]
        n_train, n_scored = (
            len(path.read_text(encoding="utf-8").splitlines()) if path else 0
            for path in (data.train, data.gold)
        )
        mean = f"{sum(sizes) / len(sizes):.2f}"
        rows.append([data.title, n_train, n_scored, len(sizes), mean])
        heads.append(f"{data.title}: {n_train} and {n_scored}")
    note = (
        "OA-Mine and AE-110k are the two halves of ExtractGPT's large training splits, "
        "divided by a hash of the title; the paper's test splits are not used."
    )
    return Finding([Table("Rows", rows)], "; ".join(heads), [note])


PARTS = (
    Part("data", "Table 2: the data", 0.1, splits),
    Part("zero-shot", "Table 1, zero-shot: AR and HPD with the same model", 4, zero_shot),
    Part("fine-tuned", "Table 1, fine-tuned", 110, fine_tuned),
    Part("k-max", "K_max, the longest value", 2, k_max),
    Part("order", "The order of the attributes", 4, order),
    Part("quantization", "Weights of fewer bits", 3, quantization),
    Part("self-supervision", "Self-supervision", 40, self_supervision),
    Part("stacks", "J, the documents in one prompt", 2, stacks),
    Part("descriptions", "Descriptions like those of Amazon Reviews", 2, descriptions),
)
