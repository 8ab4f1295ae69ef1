"""Scores of a checkpoint: on listings and documents kept aside, and on data sets.

    PYTHONPATH=python:models python models/recipe/evaluate.py FOLDER [--data DIR ...] [--limit N]

A greedy branch is right if and only if every gold token is the most likely one after the gold
tokens before it. So one pass over packed rows counts the values that greedy decoding would get
right. For the whole-object answer the same pass counts the values that are right if all before them
are; autoregression that runs freely is measured with the engine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer

from hpd.schema.attributes import Attribute, Schema
from hpd.training.packing import FieldTokens, PackedRow, pack, visible
from hpd.training.precision import bf16_is_faster
from recipe.batches import _after
from recipe.documents.kind import Kind
from recipe.documents.questions import is_kept_aside, kinds, make_documents
from recipe.examples import Example
from recipe.held_out import listings
from recipe.model import Box, Shape
from recipe.rows import field_texts, prompt_text

HELD_OUT_SEED = 990_001
Field = tuple[str, str]  # key text, gold value text


def load(folder: Path) -> tuple[Box, Tokenizer]:
    """The checkpoint's model and its tokenizer."""
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)
    model = Box(Shape(**saved["shape"]), saved["model"]["traits"])
    model.load_state_dict(saved["model"])
    return model.eval(), Tokenizer.from_file(str(folder / "tokenizer.json"))


@torch.no_grad()
def first_wrong(
    model: Box, tokenizer: Tokenizer, prompt: str, fields: Sequence[Field]
) -> list[tuple[bool, str]]:
    """Whether greedy decoding gets each field right, and the first token that it would write."""
    null = tokenizer.encode(" null").ids[0]
    tokens = [
        FieldTokens(
            tokenizer.encode(key).ids, tokenizer.encode(value).ids + _after(value, tokenizer)
        )
        for key, value in fields
    ]
    given = tokenizer.encode(prompt).ids
    # A tree for each field keeps the gold of fields with the same key apart.
    results = []
    row = pack(given, tokens)
    logits = model_logits(model, row)
    best = logits.argmax(-1).tolist()
    children = {
        (parent, token): index
        for index, (parent, token) in enumerate(
            zip(row.parents.tolist(), row.tokens.tolist(), strict=True)
        )
    }
    for field in tokens:
        node = row.n_prompt - 1
        for token in field.key:
            node = children[node, token]
        opening = best[node]
        right = True
        last = len(field.value) - (1 if _is_number(field, tokenizer) else 0)
        for number, token in enumerate(field.value):
            if best[node] != token and (number < last or best[node] in _digits(tokenizer)):
                right = False
                break
            if number < len(field.value) - 1:
                node = children[node, token]
        results.append((right, "null" if opening == null else "value"))
    return results


def _digits(tokenizer: Tokenizer) -> set[int]:
    return {tokenizer.encode(char).ids[0] for char in "0123456789."}


def _is_number(field: FieldTokens, tokenizer: Tokenizer) -> bool:
    return bool(field.value) and field.value[-1] == tokenizer.encode(",").ids[0]


def model_logits(model: Box, row: PackedRow) -> torch.Tensor:
    """The logits after every token of a row."""
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16_is_faster("cpu")):
        return model(
            torch.from_numpy(row.tokens).long(),
            torch.from_numpy(row.positions).long(),
            [torch.from_numpy(visible(row.parents))],
            torch.arange(len(row)),
        )


def f1(counts: Counter[str]) -> float:
    """Micro F1 as in the papers, in percent."""
    right, invented, missed, wrong = counts["vc"], counts["nv"], counts["vn"], counts["vw"]
    precision = round(100 * right / max(1, right + invented + wrong), 2)
    recall = round(100 * right / max(1, right + missed + wrong), 2)
    return 2 * precision * recall / max(1e-9, precision + recall)


def outcome(gold_is_none: bool, right: bool, opening: str) -> str:
    """The outcome of one field: nn, nv, vn, vc or vw."""
    if gold_is_none:
        return "nn" if opening == "null" else "nv"
    return "vn" if opening == "null" else "vc" if right else "vw"


def held_out(model: Box, tokenizer: Tokenizer, n_examples: int) -> dict[str, dict[str, float]]:
    """F1 on listings, and on documents of each kind whose wordings are not trained on."""
    sources = {"listings": listings(Random(HELD_OUT_SEED))} | {
        kind.name: _documents(kind)
        for kind in kinds()
        if any(is_kept_aside(wording) for wording in kind.wordings)
    }
    scores = {}
    for name, examples in sources.items():
        counts: Counter[str] = Counter()
        for example in islice(examples, n_examples):
            fields = [(field.key, field.value) for field in field_texts(example)]
            results = first_wrong(model, tokenizer, prompt_text(example), fields)
            for (_, value), (right, opening) in zip(fields, results, strict=True):
                counts[outcome(value == " null", right, opening)] += 1
        n_right = counts["nn"] + counts["vc"]
        scores[name] = {"f1": f1(counts), "right": 100 * n_right / counts.total(), **counts}
    return scores


def _documents(kind: Kind) -> Iterator[Example]:
    rng = Random(HELD_OUT_SEED)
    while True:
        yield Example(*make_documents(rng, kept_aside=True, kind=kind))


def dataset(
    model: Box, tokenizer: Tokenizer, folder: Path, split: str, limit: int, show: int = 0
) -> dict[str, float]:
    """Plain and strict F1 of zero-shot branches on a data set."""
    attributes = json.loads((folder / "attributes.json").read_text())
    plain: Counter[str] = Counter()
    strict: Counter[str] = Counter()
    for number, row in enumerate(_rows(folder / f"{split}.jsonl", limit)):
        names = attributes[row["category"]]
        schema = Schema(tuple(Attribute(name) for name in names))
        prompt = prompt_text(Example(schema, [row["input"]], [{}]))
        questions: list[tuple[str, str]] = []
        for name in names:
            golds = list(row["target_scores"].get(name, {"n/a": 1}))
            golds = ["n/a"] if golds[0] == "n/a" else golds
            questions += [
                (name, "null" if gold == "n/a" else json.dumps(gold.strip(), ensure_ascii=False))
                for gold in golds
            ]
        rights: dict[str, bool] = {}
        openings: dict[str, str] = {}
        # One pass for each rank of gold values, as fields with the same key must not share a tree.
        pending = list(questions)
        while pending:
            now: dict[str, str] = {}
            later = []
            for name, gold in pending:
                if name in now:
                    later.append((name, gold))
                else:
                    now[name] = gold
            fields = [(f"{{{json.dumps(name)}:", " " + gold) for name, gold in now.items()]
            for name, (right, opening) in zip(
                now, first_wrong(model, tokenizer, prompt, fields), strict=True
            ):
                rights[name] = rights.get(name, False) or right
                openings[name] = opening
            pending = later
        for name in names:
            given = row["target_scores"].get(name)
            none = given is None or next(iter(given)) == "n/a"
            result = outcome(none, rights[name], openings[name])
            strict[result] += 1
            if given is not None:
                plain[result] += 1
                if number < show and result != "nn":
                    print(result, name, list(given), "|", row["input"][:90], file=sys.stderr)
    return {
        "plain": f1(plain),
        "strict": f1(strict),
        **{f"plain_{key}": value for key, value in sorted(plain.items())},
    }


def _rows(path: Path, limit: int) -> Iterable[dict[str, dict[str, dict[str, int]]]]:
    lines = path.read_text().splitlines()[: limit or None]
    return [json.loads(line) for line in lines]


def main() -> None:
    """Print one JSON line for each measurement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--held-out", type=int, default=100, help="examples of each kind")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model, tokenizer = load(arguments.folder)
    for name, scores in held_out(model, tokenizer, arguments.held_out).items():
        print(json.dumps({name: scores}), flush=True)
    for folder in arguments.data:
        print(
            json.dumps(
                {folder.name: dataset(model, tokenizer, folder, arguments.split, arguments.limit)}
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
