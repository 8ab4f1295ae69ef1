"""Clients that go before they have their answer: all that was begun for them ends."""

import contextlib
import json

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
    pytest.importorskip(package)

from server_process import serving
from waiting import until

N_CLIENTS = 50
N_WORDS = 600
N_BATCH = 128
N_KEYS = 64  # tokens of the keys of SCHEMA, at most
SCHEMA = "brand, color"
SHORT = {"text": "a lamp", "schema": SCHEMA}


@pytest.fixture(scope="module")
def server(tiny_model):
    """A server with random weights, which reads long documents one after the other."""
    model = str(tiny_model("qwen3", n_ctx_train=16_384))
    arguments = ("-m", model, "-c", "16384", "--set", "in_flight=2", "--set", "drafts=off")
    with serving("-t", "1", "--max-tokens", "400", "-b", str(N_BATCH), *arguments) as server:
        yield server


def text(number):
    return " ".join(f"{number}word{i}" for i in range(N_WORDS))


def chat(number, **more):
    form = {"type": "object", "properties": {"brand": {"type": "string"}}}
    return {
        "messages": [{"role": "user", "content": text(number)}],
        "response_format": {"type": "json_schema", "json_schema": {"schema": form}},
        **more,
    }


REQUESTS = {
    "one text": lambda n: ("/extract", {"text": text(n), "schema": SCHEMA}),
    "texts": lambda n: ("/extract", {"texts": [text(n), "a vase"], "schema": SCHEMA}),
    "the page": lambda n: ("/show", {"text": text(n), "schema": SCHEMA}),
    "a chat": lambda n: ("/v1/chat/completions", chat(n)),
    "a stream": lambda n: ("/v1/chat/completions", chat(n, stream=True)),
}


def n_tokens(server):
    return server.metric("hpd_engine_batch_tokens_total")


@contextlib.contextmanager
def clients(server, requests):
    """Have requests sent by a client each, which all go when the block is left."""
    with contextlib.ExitStack() as connections:
        for path, body in requests:
            connection = connections.enter_context(contextlib.closing(server.connect()))
            headers = {"Content-Type": "application/json"}
            connection.request("POST", path, json.dumps(body), headers)
        yield


def check_that_nothing_goes_on(server):
    """When all have gone, one batch may be under way; then another client is served."""
    until(lambda: server.get("/health").json["waiting"] == 0)
    before = n_tokens(server)
    reply = server.post("/extract", SHORT)
    assert reply.status == 200
    usage = reply.json["usage"]
    n_own = usage["prompt_tokens"] + usage["completion_tokens"] + N_KEYS
    assert n_tokens(server) - before < n_own + 2 * N_BATCH


@pytest.mark.parametrize("kind", REQUESTS)
def test_documents_of_clients_that_go_are_not_read_to_their_end(server, kind):
    """Most of them wait for their turn, and some are read."""
    before = n_tokens(server)
    with clients(server, [REQUESTS[kind](n) for n in range(N_CLIENTS)]):
        until(lambda: n_tokens(server) > before)
    check_that_nothing_goes_on(server)


def test_values_for_clients_that_go_are_not_written_to_their_end(server):
    long = {"type": "string", "pattern": "^[a-z]{300}$"}
    names = [f"attribute {i}" for i in range(40)]
    form = {"type": "object", "properties": dict.fromkeys(names, long), "required": names}

    def request(n):
        body = {
            "messages": [{"role": "user", "content": f"lamp {n}"}],
            "response_format": {"type": "json_schema", "json_schema": {"schema": form}},
            "stream": n % 2 == 0,
        }
        return "/v1/chat/completions", body

    before = n_tokens(server)
    with clients(server, map(request, range(N_CLIENTS))):
        until(lambda: n_tokens(server) > before + 1000)
    check_that_nothing_goes_on(server)
