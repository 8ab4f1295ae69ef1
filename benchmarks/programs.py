"""hpd and other programs that fill in a schema with a GGUF file, as answerers of questions.

All get the same texts, JSON Schemas and model, and decode greedily. LangExtract uses its own
prompt; the others get hpd's, on which the bundled model was trained. Clients of a server use
llama.cpp's, with its prompt cache and one slot per document in flight.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.request import urlopen

from hpd import Document, Extractor
from hpd.models.hardware import use_amx
from hpd.options import Options
from hpd.prompt.text import instruction_text, system_text
from hpd.prompt.tokens import documents_text
from hpd.schema import Schemas
from hpd.schema.attributes import Schema
from hpd.schema.render import to_json_schema


@dataclass(frozen=True)
class Question:
    """A document, and the schema to extract from it."""

    text: str
    category: str
    attributes: Schema

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the answer, with every attribute required; any may be null."""
        schema = to_json_schema(self.attributes)
        return {**schema, "required": list(schema["properties"])}

    @property
    def messages(self) -> list[dict[str, str]]:
        """hpd's prompt for a whole object, as messages of OpenAI's API."""
        user = instruction_text(self.attributes) + documents_text([self.text])
        return [{"role": "system", "content": system_text()}, {"role": "user", "content": user}]


@dataclass(frozen=True)
class Setting:
    """The model, schemas and settings that a program runs with."""

    model: Path
    schemas: Schemas
    n_threads: int
    n_ctx: int
    """Maximum number of tokens in a prompt with its answer."""
    max_tokens: int
    """Maximum number of tokens in an answer."""
    n_in_flight: int
    server: Path | None


Answerer = Callable[[Sequence[Question]], list[str]]
"""Answers questions, each with a text that should be a JSON object."""
Program = Callable[[Setting, ExitStack], Answerer]
"""Returns an answerer, and pushes what must be closed after it onto the stack."""


def parsed(text: str) -> dict[str, Any] | None:
    """Return the object in an answer; None if it has none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _one_by_one(answer: Callable[[Question], str]) -> Answerer:
    return lambda questions: [answer(question) for question in questions]


def _together(setting: Setting, answer: Callable[[Question], str]) -> Answerer:
    def run(questions: Sequence[Question]) -> list[str]:
        with ThreadPoolExecutor(setting.n_in_flight) as threads:
            return list(threads.map(answer, questions))

    return run


# --- hpd --------------------------------------------------------------------------------------


def hpd(setting: Setting, stack: ExitStack, method: str = "hpd") -> Answerer:
    """Answer with one of hpd's methods."""
    n_threads, in_flight = setting.n_threads, setting.n_in_flight
    options = Options(
        method=method, n_threads=n_threads, in_flight=in_flight, dedupe=False, quiet=True
    )
    extractor = stack.enter_context(Extractor(setting.schemas, setting.model, options=options))

    def answer(questions: Sequence[Question]) -> list[str]:
        documents = [Document(q.text, category=q.category) for q in questions]
        found = extractor.extract_many(documents, on_error="record")
        return [json.dumps(extraction.data) for extraction in found]

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


def llama_cpp_python(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with ``create_chat_completion`` and ``response_format``."""
    llama = _llama(setting, stack)

    def answer(question: Question) -> str:
        form = {"type": "json_object", "schema": question.schema}
        found = llama.create_chat_completion(
            question.messages,
            response_format=form,
            temperature=0.0,
            max_tokens=setting.max_tokens,
        )
        return str(found["choices"][0]["message"]["content"])

    return _one_by_one(answer)


def outlines(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with Outlines, which has compiled each schema before it is asked."""
    from outlines import Generator, from_llamacpp
    from outlines.inputs import Chat
    from outlines.types import JsonSchema

    model = from_llamacpp(_llama(setting, stack))
    generators: dict[str, Any] = {}
    for attributes in setting.schemas.by_category.values():
        schema = json.dumps(Question("", "", attributes).schema)
        generators[schema] = Generator(model, JsonSchema(schema))

    def answer(question: Question) -> str:
        chat = Chat(question.messages)
        generator = generators[json.dumps(question.schema)]
        return str(generator(chat, max_tokens=setting.max_tokens, temperature=0.0))

    return _one_by_one(answer)


def guidance(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with Guidance, which does not ask the model for text that the schema fixes."""
    import guidance as library

    start = library.models.LlamaCpp(
        _llama(setting, stack), echo=False, chat_template=library.chat.ChatMLTemplate
    )

    def answer(question: Question) -> str:
        state = start
        for message in question.messages:
            with getattr(library, message["role"])():
                state += message["content"]
        with library.assistant():
            schema, max_tokens = question.schema, setting.max_tokens
            state += library.json(name="answer", schema=schema, max_tokens=max_tokens)
        return str(state["answer"])

    return _one_by_one(answer)


# --- clients of llama.cpp's server, one concurrent request per document in flight -------------


def _llama_command(setting: Setting) -> list[str]:
    if setting.server is None:
        raise ImportError("llama.cpp's server: name the program (--server)")
    n, n_threads = setting.n_in_flight, setting.n_threads
    asked = f"-c {setting.n_ctx * n} --parallel {n} -ngl 99 --kv-unified --jinja"
    asked += f" -t {n_threads} -tb {n_threads}" if n_threads else ""
    return [str(setting.server), "-m", str(setting.model), *asked.split()]


def _vllm_command(setting: Setting) -> list[str]:
    program = shutil.which("vllm")
    if program is None:
        raise ImportError("vllm is not installed")
    # Of a GGUF file, vLLM reads only some types; a folder of Hugging Face's may stand for it.
    model = os.environ.get("VLLM_MODEL", str(setting.model))
    asked = f"--served-model-name any --max-num-seqs {setting.n_in_flight}"
    return [program, "serve", model, *asked.split(), "--max-model-len", str(setting.n_ctx)]


@contextmanager
def _serving(command: Sequence[str]) -> Iterator[str]:
    """Start a server; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [*command, "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            for _ in range(3000):
                with suppress(OSError), urlopen(f"{address}/health", timeout=5):
                    break
                if server.poll() is not None:
                    raise RuntimeError(f"{command[0]} ended with {server.returncode}")
                time.sleep(0.1)
            yield f"{address}/v1"
        finally:
            server.terminate()


def _client(command: Sequence[str], stack: ExitStack) -> Any:
    from openai import OpenAI

    address = stack.enter_context(_serving(command))
    return OpenAI(base_url=address, api_key="none", max_retries=0, timeout=600)


def llama_server(setting: Setting, stack: ExitStack, by_field: bool = False) -> Answerer:
    """Ask llama.cpp's server for whole objects, or for each field (as super-json-mode does)."""
    return _served(setting, stack, _llama_command(setting), by_field)


def vllm(setting: Setting, stack: ExitStack) -> Answerer:
    """Ask vLLM's server for whole objects."""
    return _served(setting, stack, _vllm_command(setting))


def _served(
    setting: Setting, stack: ExitStack, command: Sequence[str], by_field: bool = False
) -> Answerer:
    client = _client(command, stack)

    def ask(question: Question, schema: Mapping[str, Any], *more: dict[str, str]) -> str:
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        found = client.chat.completions.create(
            model="any", messages=[*question.messages, *more], temperature=0.0,
            max_tokens=setting.max_tokens, response_format=form,
        )  # fmt: skip
        return str(found.choices[0].message.content)

    def by_fields(question: Question) -> str:
        whole: dict[str, Any] = {}
        for name, part in question.schema["properties"].items():
            one = {"type": "object", "properties": {name: part}, "required": [name]}
            # Behind all else, so that the server has read the document only once.
            only = {"role": "user", "content": f'Answer with the key "{name}" only.'}
            whole |= parsed(ask(question, one, only)) or {}
        return json.dumps(whole)

    return _together(setting, by_fields if by_field else lambda q: ask(q, q.schema))


def instructor(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with Instructor on top of the server, in its JSON Schema mode."""
    import instructor as library
    from instructor.core.exceptions import InstructorError

    server = _client(_llama_command(setting), stack)
    client = library.from_openai(server, mode=library.Mode.JSON_SCHEMA)

    def answer(question: Question) -> str:
        try:
            found = client.create(
                model="any", messages=question.messages, temperature=0.0, max_retries=0,
                max_tokens=setting.max_tokens, response_model=_model("Answer", question.schema),
            )  # fmt: skip
        except InstructorError:  # an answer that was cut or is invalid
            return ""
        return str(found.model_dump_json())

    return _together(setting, answer)


_LEAVES: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}


def _model(name: str, schema: Mapping[str, Any]) -> Any:
    """Return a Pydantic model of an object, or the type of another part of a schema."""
    from pydantic import create_model

    if "enum" in schema:
        return Literal[tuple(schema["enum"])]  # type: ignore[misc]
    stated = schema["type"]
    kind = stated if isinstance(stated, str) else next(each for each in stated if each != "null")
    if kind == "array":
        return list[_model(name, schema["items"])]  # type: ignore[misc]
    if kind == "object":
        parts = schema["properties"].items()
        return create_model(name, **{part: (_model(part, each), ...) for part, each in parts})
    return _LEAVES[kind] | None


def langextract(setting: Setting, stack: ExitStack) -> Answerer:
    """Answer with LangExtract on top of the server, with one example of each attribute.

    A row of a list is an extraction with attributes.
    """
    import langextract as library

    address = stack.enter_context(_serving(_llama_command(setting)))
    settings = {"temperature": 0.0, "max_output_tokens": setting.max_tokens}
    config = library.factory.ModelConfig(
        "any", "OpenAILanguageModel", {"api_key": "none", "base_url": address, **settings}
    )
    # It warns that the examples make the schema.
    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")

    def answer(question: Question) -> str:
        properties = question.schema["properties"]
        columns = {name: _columns(part) for name, part in properties.items()}
        shown = [
            library.data.Extraction(
                name, f"some-{name}", attributes={each: f"some-{each}" for each in row} or None
            )
            for name, row in columns.items()
        ]
        example = library.data.ExampleData(" ".join(each.extraction_text for each in shown), shown)
        found = library.extract(
            question.text, "Extract: " + ", ".join(columns), [example], config=config,
            show_progress=False,
        )  # fmt: skip
        whole: dict[str, Any] = {name: [] if row else None for name, row in columns.items()}
        for each in found.extractions or ():
            row = columns.get(each.extraction_class)
            if row:
                stated = each.attributes or {}
                whole[each.extraction_class].append({name: stated.get(name) for name in row})
            elif row is not None:
                whole[each.extraction_class] = each.extraction_text
        return json.dumps(whole)

    return _together(setting, answer)


def _columns(schema: Mapping[str, Any]) -> list[str]:
    """Return the names in the rows of a list; empty if a part of a schema is not such a list."""
    return [*schema.get("items", {}).get("properties", ())]


ONE_BY_ONE: Mapping[str, Program] = {
    "hpd, one at a time": hpd,
    "hpd, method ar": partial(hpd, method="ar"),
    "llama-cpp-python": llama_cpp_python,
    "outlines": outlines,
    "guidance": guidance,
}
MANY_AT_ONCE = "hpd, method ar, many at once"
"""The program that is measured with several numbers in flight, of which the fastest counts."""
TOGETHER: Mapping[str, Program] = {
    "hpd": hpd,
    MANY_AT_ONCE: partial(hpd, method="ar"),
    "llama-server": llama_server,
    "llama-server, a request a field": partial(llama_server, by_field=True),
    "instructor": instructor,
    "langextract": langextract,
}
