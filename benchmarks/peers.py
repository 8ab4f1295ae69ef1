"""Compares hpd with other programs that fill in a schema with the same GGUF file.

Measures time, F1 and invalid answers. Every program gets the same texts, JSON Schema and model,
decodes greedily, and is warmed up with the first document. Its answers are parsed, validated and
scored against the gold; tokens are counted in the texts of the answers. LangExtract uses its own
prompt; the others get hpd's, on which the model was trained. If a program is not installed or
fails, its row has the error. Clients of a server use llama.cpp's, with its prompt cache and one
slot per document in flight.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from jsonschema import Draft202012Validator

from benchmarks.harness.result import Finding, Table
from benchmarks.harness.workbench import Workbench
from hpd import Document, Extractor
from hpd.bench.workload import spread
from hpd.evaluation.rows import Example, load_examples
from hpd.evaluation.scores import evaluate
from hpd.models.hardware import use_amx
from hpd.options import Options
from hpd.prompt.text import instruction_text, system_text
from hpd.prompt.tokens import documents_text
from hpd.schema import Schemas, load_schemas
from hpd.schema.attributes import Schema
from hpd.schema.render import to_json_schema

_LONGEST = 160
"""Maximum number of tokens in an answer."""
N_CTX = 2048
_PORT = 8790


@dataclass(frozen=True)
class PeerQuestion:
    """A document, and the schema to extract from it."""

    example: Example
    attributes: Schema

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the answer, with every attribute required; any may be null."""
        schema = to_json_schema(self.attributes)
        return {**schema, "required": list(schema["properties"])}

    @property
    def messages(self) -> list[dict[str, str]]:
        """hpd's prompt for a whole object, as messages of OpenAI's API."""
        user = instruction_text(self.attributes) + documents_text([self.example.text])
        return [{"role": "system", "content": system_text()}, {"role": "user", "content": user}]


@dataclass(frozen=True)
class Setting:
    """The model, schemas and settings that a peer runs with."""

    model: Path
    schemas: Schemas
    n_threads: int
    n_ctx: int
    """Maximum number of tokens in a prompt with its answer."""
    n_in_flight: int
    server: Path | None


Answerer = Callable[[Sequence[PeerQuestion]], list[str]]
"""Answers questions, each with a text that should be a JSON object."""
Peer = Callable[[Setting, ExitStack], Answerer]
"""Returns an answerer, and pushes what must be closed after it onto the stack."""


def _one_by_one(answer: Callable[[PeerQuestion], str]) -> Answerer:
    return lambda questions: [answer(question) for question in questions]


def _together(setting: Setting, answer: Callable[[PeerQuestion], str]) -> Answerer:
    def run(questions: Sequence[PeerQuestion]) -> list[str]:
        with ThreadPoolExecutor(setting.n_in_flight) as threads:
            return list(threads.map(answer, questions))

    return run


# --- hpd --------------------------------------------------------------------------------------


def hpd(setting: Setting, stack: ExitStack, method: str = "hpd") -> Answerer:
    """Answer with one of hpd's methods."""
    n_threads, in_flight = setting.n_threads, setting.n_in_flight
    options = Options(method=method, n_threads=n_threads, in_flight=in_flight, null_threshold=0.0)
    extractor = stack.enter_context(Extractor(setting.schemas, setting.model, options=options))

    def answer(questions: Sequence[PeerQuestion]) -> list[str]:
        documents = [Document(q.example.text, category=q.example.category) for q in questions]
        return [json.dumps(found.data) for found in extractor.extract_many(documents)]

    return answer


# --- libraries on top of llama-cpp-python, one document after another -------------------------


def _llama(setting: Setting, stack: ExitStack) -> Any:
    import llama_cpp  # after hpd, which chooses how its threads wait

    use_amx()  # unless it crashes on this machine
    llama = llama_cpp.Llama(
        str(setting.model), n_ctx=setting.n_ctx, n_batch=512, n_threads=setting.n_threads,
        n_threads_batch=setting.n_threads, n_gpu_layers=-1, flash_attn=True, verbose=False,
    )  # fmt: skip
    stack.callback(llama.close)
    return llama


def llama_cpp_python(setting: Setting, stack: ExitStack, constrained: bool = True) -> Answerer:
    """Answer with ``create_chat_completion``, with or without ``response_format``."""
    llama = _llama(setting, stack)

    def answer(question: PeerQuestion) -> str:
        form = {"type": "json_object", "schema": question.schema} if constrained else None
        found = llama.create_chat_completion(
            question.messages, response_format=form, temperature=0.0, max_tokens=_LONGEST
        )
        return str(found["choices"][0]["message"]["content"])

    return _one_by_one(answer)


def outlines(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with Outlines, which compiles each schema once."""
    from outlines import Generator, from_llamacpp
    from outlines.inputs import Chat
    from outlines.types import JsonSchema

    model = from_llamacpp(_llama(setting, stack))
    generators: dict[str, Any] = {}

    def answer(question: PeerQuestion) -> str:
        schema = json.dumps(question.schema)
        if schema not in generators:
            generators[schema] = Generator(model, JsonSchema(schema))
        chat = Chat(question.messages)
        return str(generators[schema](chat, max_tokens=_LONGEST, temperature=0.0))

    return _one_by_one(answer)


def guidance(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with Guidance, which does not ask the model for text that the schema fixes."""
    import guidance as library

    start = library.models.LlamaCpp(
        _llama(setting, stack), echo=False, chat_template=library.chat.ChatMLTemplate
    )

    def answer(question: PeerQuestion) -> str:
        state = start
        for message in question.messages:
            with getattr(library, message["role"])():
                state += message["content"]
        with library.assistant():
            state += library.json(name="answer", schema=question.schema, max_tokens=_LONGEST)
        return str(state["answer"])

    return _one_by_one(answer)


# --- clients of llama.cpp's server, one concurrent request per document in flight -------------


@contextmanager
def _serving(setting: Setting) -> Iterator[str]:
    """Start the server; yield its address."""
    if setting.server is None:
        raise ImportError("llama.cpp's server: name the program (--server)")
    n, n_threads = setting.n_in_flight, setting.n_threads
    asked = f"--host 127.0.0.1 --port {_PORT} -c {setting.n_ctx * n} --parallel {n} -t {n_threads}"
    asked += f" -tb {n_threads} -ngl 99 --kv-unified --jinja"
    command = [str(setting.server), "-m", str(setting.model), *asked.split()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            address = f"http://127.0.0.1:{_PORT}"
            for _ in range(600):
                with suppress(OSError), urlopen(f"{address}/health", timeout=5):
                    break
                if server.poll() is not None:
                    raise RuntimeError(f"llama.cpp's server ended with {server.returncode}")
                time.sleep(0.1)
            yield f"{address}/v1"
        finally:
            server.terminate()


def _client(setting: Setting, stack: ExitStack) -> Any:
    # That no program is named is told before that the client's package is missing.
    address = stack.enter_context(_serving(setting))
    from openai import OpenAI

    return OpenAI(base_url=address, api_key="none", max_retries=0, timeout=600)


def llama_server(
    setting: Setting, stack: ExitStack, constrained: bool = True, by_field: bool = False
) -> Answerer:
    """Ask the server for whole objects, or for each field (as super-json-mode does)."""
    client = _client(setting, stack)

    def ask(question: PeerQuestion, schema: Mapping[str, Any]) -> str:
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        found = client.chat.completions.create(
            model="any", messages=question.messages, temperature=0.0, max_tokens=_LONGEST,
            **({"response_format": form} if constrained else {}),
        )  # fmt: skip
        return str(found.choices[0].message.content)

    def by_fields(question: PeerQuestion) -> str:
        whole: dict[str, Any] = {}
        for name, part in question.schema["properties"].items():
            one = {"type": "object", "properties": {name: part}, "required": [name]}
            whole |= _parsed(ask(question, one)) or {}
        return json.dumps(whole)

    return _together(setting, by_fields if by_field else lambda q: ask(q, q.schema))


def instructor(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with Instructor on top of the server, in its JSON Schema mode."""
    import instructor as library
    from pydantic import create_model

    client = library.from_openai(_client(setting, stack), mode=library.Mode.JSON_SCHEMA)

    def answer(question: PeerQuestion) -> str:
        fields = dict.fromkeys(question.schema["properties"], (str | None, ...))
        found = client.create(
            model="any", messages=question.messages, temperature=0.0, max_tokens=_LONGEST,
            response_model=create_model("Answer", **fields), max_retries=0,
        )  # fmt: skip
        return str(found.model_dump_json())

    return _together(setting, answer)


def llm(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with the library ``llm``, with a schema."""
    from llm.default_plugins.openai_models import Chat

    address = stack.enter_context(_serving(setting))
    model = Chat("any", model_name="any", api_base=address, supports_schema=True)
    model.key = "none"
    settings = {"stream": False, "temperature": 0.0, "max_tokens": _LONGEST}

    def answer(question: PeerQuestion) -> str:
        system, user = (message["content"] for message in question.messages)
        return str(model.prompt(user, system=system, schema=question.schema, **settings).text())

    return _together(setting, answer)


def langextract(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with LangExtract on top of the server, with one example of each attribute."""
    import langextract as library
    from langextract.providers.openai import OpenAILanguageModel

    address = stack.enter_context(_serving(setting))
    model = OpenAILanguageModel("any", api_key="none", base_url=address, temperature=0.0)

    def answer(question: PeerQuestion) -> str:
        names = list(question.schema["properties"])
        example = " ".join(f"some-{name}" for name in names)
        shown = [library.data.Extraction(name, f"some-{name}") for name in names]
        found = library.extract(
            question.example.text, "Extract: " + ", ".join(names),
            [library.data.ExampleData(example, shown)], model=model, show_progress=False,
        )  # fmt: skip
        values = {each.extraction_class: each.extraction_text for each in found.extractions}
        return json.dumps({name: values.get(name) for name in names})

    return _together(setting, answer)


ONE_BY_ONE: dict[str, Peer] = {
    "hpd, one in flight": hpd,
    "hpd, method ar": partial(hpd, method="ar"),
    "llama-cpp-python": llama_cpp_python,
    "llama-cpp-python, no schema": partial(llama_cpp_python, constrained=False),
    "outlines": outlines,
    "guidance": guidance,
}
TOGETHER: dict[str, Peer] = {
    "hpd": hpd,
    "hpd, method ar, many at once": partial(hpd, method="ar"),
    "llama-server": llama_server,
    "llama-server, no schema": partial(llama_server, constrained=False),
    "llama-server, a request a field": partial(llama_server, by_field=True),
    "instructor": instructor,
    "llm": llm,
    "langextract": langextract,
}


# --- measuring --------------------------------------------------------------------------------


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def peers(bench: Workbench) -> Finding:
    """Measure all programs with the same file, each with its own answers."""
    n_threads = bench.n_threads or os.cpu_count() or 1
    data = bench.data_set("oa-mine")
    schemas = load_schemas(data.schema)
    examples = list(load_examples(data.gold))
    chosen = [examples[i] for i in spread(len(examples), bench.count(16))]
    questions = [PeerQuestion(each, schemas.for_category(each.category)) for each in chosen]
    model = bench.using(bench.model)
    rows = []
    for programs, n in ((ONE_BY_ONE, 1), (TOGETHER, 16)):
        setting = Setting(model, schemas, n_threads, N_CTX, n, bench.server)
        rows += [measured(name, peer, setting, questions) for name, peer in programs.items()]
    times = {row["peer"]: row["seconds"] for row in rows if "error" not in row}
    others = {name: seconds for name, seconds in times.items() if "hpd" not in name}
    best = min(others, key=lambda name: others[name])
    return Finding(
        [Table(f"{len(chosen)} titles, once by each program after a warm-up", cells(rows))],
        f"{best}, the fastest of the others, takes {others[best] / times['hpd']:.1f} times as long "
        f"as hpd; hpd's own method ar {times['hpd, method ar'] / times['hpd']:.1f} times",
    )


def measured(
    name: str, peer: Peer, setting: Setting, questions: Sequence[PeerQuestion]
) -> dict[str, Any]:
    """Return the row of one peer, with its error if it is not installed or fails."""
    row: dict[str, Any] = {"peer": name, "n_in_flight": setting.n_in_flight}
    try:
        with ExitStack() as stack:
            answer = peer(setting, stack)
            answer(questions[:1])  # to warm up
            start = time.perf_counter()
            texts = answer(questions)
            seconds = time.perf_counter() - start
        row |= {"seconds": seconds / len(questions), **_scored(texts, setting, questions)}
    except Exception as error:
        row["error"] = f"{type(error).__name__}: {error}"
    print(row, file=sys.stderr, flush=True)
    return row


def _scored(
    texts: Sequence[str], setting: Setting, questions: Sequence[PeerQuestion]
) -> dict[str, float]:
    """Return the tokens per answer, F1, and the share of answers that are invalid."""
    from llama_cpp import Llama

    vocabulary = Llama(str(setting.model), vocab_only=True, verbose=False)
    n_tokens = sum(len(vocabulary.tokenize(text.encode(), add_bos=False)) for text in texts)
    answers = [_parsed(text) for text in texts]
    n_invalid = sum(
        found is None or not Draft202012Validator(q.schema).is_valid(found)
        for q, found in zip(questions, answers, strict=True)
    )
    attributes = {q.example.category: [a.name for a in q.attributes] for q in questions}
    scores = evaluate([q.example for q in questions], answers, attributes)
    n = len(questions)
    return {"tokens": n_tokens / n, "f1": scores.plain.micro.f1, "invalid": n_invalid / n}


def cells(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the rows as cells of a table, with each time as a multiple of hpd's."""
    own = next((row["seconds"] for row in rows if row["peer"] == "hpd" and "error" not in row), nan)
    made = [
        ["program", "in flight", "documents/s", "x hpd", "tokens", "ms a token", "F1", "invalid"]
    ]
    for row in rows:
        if "error" in row:
            told = [row["error"].splitlines()[0][:60], *[""] * 5]
        else:
            seconds, tokens = row["seconds"], row["tokens"]
            told = [f"{1 / seconds:.2f}", f"{seconds / own:.1f}", f"{tokens:.0f}"]
            told += [f"{1000 * seconds / tokens:.1f}", f"{row['f1']:.1f}", f"{row['invalid']:.0%}"]
        made.append([row["peer"], str(row["n_in_flight"]), *told])
    return made
