r"""llama.cpp's server: one document, or one attribute, a request, with one slot and with many.

    python benchmarks/peers/llama_server.py gold.jsonl --schema schema.json --replay gold.jsonl \
        -m model.gguf --server build/bin/llama-server

Build it from the source that llama-cpp-python was built from, with the same flags:

    cmake -S vendor/llama.cpp -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-fno-dse
    cmake --build build --target llama-server

The server cannot replay a text. Instead it writes as many tokens as the known answer has
(`n_predict`, with the end of the turn ignored), which is the same work; the text itself, written by
random weights, means nothing. A grammar of one literal would force the text but not its tokens:
random weights would use more of them. Sampling is greedy, and without a grammar, which would cost
more.

Settings: the prompt goes as tokens, the cache of each slot is kept between requests
(`cache_prompt`), so each slot reads the instruction once; old prompts are not copied to memory
(`--cache-ram 0`); all slots share one cache; flash attention is as the server chooses. With one
attribute a request, all requests of a document go to the same slot, one after another, so the
document is read once; several documents are under way, each in a slot.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import common

from hpd.models.hardware import use_extra_bufts

_HOST = "127.0.0.1"
_START_SECONDS = 120


class Client:
    """One connection to the server, which always uses the same slot."""

    def __init__(self, port: int, slot: int) -> None:
        self._connection = http.client.HTTPConnection(_HOST, port, timeout=600)
        self._slot = slot

    def complete(self, prompt: Sequence[int], n_tokens: int) -> None:
        """Make the server write a number of tokens."""
        body = {
            "prompt": list(prompt),
            "n_predict": n_tokens,
            "ignore_eos": True,
            "cache_prompt": True,
            "id_slot": self._slot,
            "temperature": 0,
            "samplers": ["top_k"],
            "top_k": 1,
        }
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", "/completion", json.dumps(body), headers)
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"the server answered {response.status}: {answer}")
        if answer["tokens_predicted"] != n_tokens:
            raise RuntimeError(f"{answer['tokens_predicted']} tokens, not {n_tokens}")


@contextlib.contextmanager
def serving(arguments: Any, n_slots: int, n_ctx: int, log: Path | None) -> Iterator[int]:
    """A server with a number of slots; yields its port."""
    threads = str(arguments.threads or os.cpu_count())
    command = [arguments.server, "-m", arguments.model, "--host", _HOST]
    command += ["--port", str(arguments.port), "-c", str(n_ctx), "--parallel", str(n_slots)]
    command += ["-t", threads, "-tb", threads, "-b", "512", "-ub", "512", "-ngl", "99"]
    command += ["--kv-unified", "--cache-ram", "0", "--no-webui", *arguments.server_option]
    if not use_extra_bufts():  # as for hpd: AMX would crash it
        command.append("--no-repack")
    with open(log or os.devnull, "w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            _wait(process, arguments.port)
            yield arguments.port
        finally:
            process.terminate()
            process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}: see --log")
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection(_HOST, port, timeout=2)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.2)
    raise RuntimeError(f"the server did not start in {_START_SECONDS} seconds")


def asking(port: int, n_slots: int, *, one_by_one: bool) -> common.Method:
    """A method in which every slot takes the next document as soon as it is free."""

    def run(questions: Sequence[common.Question]) -> int:
        queue: SimpleQueue[common.Question] = SimpleQueue()
        for question in questions:
            queue.put(question)
        errors: list[BaseException] = []

        def work(slot: int) -> None:
            client = Client(port, slot)
            try:
                while not errors:
                    question = queue.get_nowait()
                    if not one_by_one:
                        client.complete(question.prompt, len(question.answer))
                        continue
                    for prompt, value in question.fields:
                        client.complete(prompt, len(value))
            except Empty:
                pass
            except BaseException as error:
                errors.append(error)

        workers = [threading.Thread(target=work, args=(slot,)) for slot in range(n_slots)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if errors:
            raise errors[0]
        return 0

    return run


def main(arguments: list[str] | None = None) -> None:
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--server", required=True, help="the llama-server to run")
    parser.add_argument("--port", type=int, default=8790)
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 4, 8, 16])
    parser.add_argument(
        "--server-option", action="append", default=[], help="passed on; may be repeated"
    )
    parser.add_argument("--log", type=Path, help="what the server says")
    options = parser.parse_args(arguments)
    asked = common.load(options)
    every = (*asked.questions, *asked.warm_up)
    longest = max(max(len(q.prompt) + len(q.answer), *map(_field_length, q.fields)) for q in every)
    rows = []
    for n_slots in options.slots:
        n_ctx = n_slots * (longest + 64)
        with serving(options, n_slots, n_ctx, options.log) as port:
            methods = {
                f"llama-server, {n_slots} slots": asking(port, n_slots, one_by_one=False),
                f"llama-server, {n_slots} slots, an attribute a request": asking(
                    port, n_slots, one_by_one=True
                ),
            }
            settings = {"n_slots": n_slots, "n_ctx": n_ctx}
            rows += common.measure(asked, methods, options.rounds, settings)
        print(f"{n_slots} slots are done", file=sys.stderr)
    common.report(rows, options.output)


def _field_length(field: tuple[list[int], list[int]]) -> int:
    return len(field[0]) + len(field[1])


if __name__ == "__main__":
    main()
