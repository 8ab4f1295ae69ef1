r"""llama-cpp-python's `Llama.create_completion`: plain, with a JSON grammar, with prompt lookup.

    python benchmarks/peers/llama_cpp_python.py gold.jsonl --schema schema.json \
        --replay gold.jsonl -m model.gguf

It can only do one document at a time. The answers are replayed: a logits processor lifts the known
token above all others, so the model, the grammar and the drafts cost as much as with real weights,
and the text that comes out is compared with the known one. The processor copies a row of logits;
its time is counted, but small beside the model's.

Settings: flash attention on, 512 tokens a batch, one thread a core; the instruction stays in the
cache from one document to the next, which `create_completion` does by itself. Drafts of 10 tokens
after matches of up to 2, the library's default for its lookup. Where AMX would crash this build of
llama.cpp, it is off, as it is for hpd.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import common
import llama_cpp
import numpy as np
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

from hpd.bench.workload import Workload
from hpd.models.hardware import use_extra_bufts
from hpd.schema.attributes import Schema


class Replay(llama_cpp.LogitsProcessorList):
    """A logits processor by which every sampled token is the next one of the known answer."""

    def __init__(self, tokens: Sequence[int]) -> None:
        super().__init__([self._lift])
        self._tokens = iter(tokens)

    def _lift(self, input_ids: np.ndarray, scores: np.ndarray) -> np.ndarray:
        token = next(self._tokens, None)
        if token is not None:
            scores[token] = 1e9
        return scores


def grammars(workload: Workload) -> dict[str | None, llama_cpp.LlamaGrammar]:
    """The library's own grammar for the object of each category; any attribute may be null."""

    def grammar(schema: Schema) -> llama_cpp.LlamaGrammar:
        properties = {attribute.name: {"type": ["string", "null"]} for attribute in schema}
        form = {"type": "object", "properties": properties, "required": list(properties)}
        return llama_cpp.LlamaGrammar.from_json_schema(json.dumps(form), verbose=False)

    categories = {item.category for item in (*workload.items, *workload.warm_up)}
    return {category: grammar(workload.schema(category)) for category in categories}


def completion(llama: llama_cpp.Llama, **settings: Any) -> common.Method:
    """A method that asks for whole objects, with a grammar for each category if there are any."""
    by_category = settings.pop("grammars", {})

    def run(questions: Sequence[common.Question]) -> int:
        n_wrong = 0
        for question in questions:
            answer = llama.create_completion(
                question.prompt,
                max_tokens=len(question.answer),
                temperature=0.0,
                logits_processor=Replay(question.answer),
                grammar=by_category.get(question.category),
                **settings,
            )
            n_wrong += answer["choices"][0]["text"] != question.answer_text
        return n_wrong

    return run


def do_without_amx() -> None:
    """Have models loaded without AMX and repacked weights, for which the library has no setting."""
    default = llama_cpp.llama_cpp.llama_model_default_params

    def parameters() -> Any:
        made = default()
        made.use_extra_bufts = False
        return made

    llama_cpp.llama_cpp.llama_model_default_params = parameters


def main(arguments: list[str] | None = None) -> None:
    parser = common.parser(__doc__.splitlines()[0])
    options = parser.parse_args(arguments)
    asked = common.load(options)
    if not use_extra_bufts():
        do_without_amx()
    every = (*asked.questions, *asked.warm_up)
    n_ctx = 64 + max(len(q.prompt) + len(q.answer) for q in every)
    settings = {
        "n_ctx": n_ctx,
        "n_batch": 512,
        "n_threads": options.threads or os.cpu_count(),
        "n_threads_batch": options.threads or os.cpu_count(),
        "flash_attn": True,
    }

    def open_model(**more: Any) -> llama_cpp.Llama:
        return llama_cpp.Llama(options.model, verbose=False, n_gpu_layers=-1, **settings, **more)

    plain = open_model()
    # Drafts need a row of logits for every token, so they get a context of their own; without
    # logits_all the library has room for n_batch rows only, and fails on longer prompts.
    lookup = open_model(draft_model=LlamaPromptLookupDecoding(), logits_all=True)
    methods = {
        "create_completion": completion(plain),
        "create_completion, JSON grammar": completion(plain, grammars=grammars(asked.workload)),
        "create_completion, prompt lookup": completion(lookup),
    }
    rows = common.measure(asked, methods, options.rounds, settings)
    common.report(rows, options.output)
    if any(row["n_wrong"] for row in rows):
        raise SystemExit("some answers are not the replayed ones: " + json.dumps(rows))


if __name__ == "__main__":
    main()
