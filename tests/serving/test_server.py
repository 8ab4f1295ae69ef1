"""``hpd serve`` as it is: real requests over loopback."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
    pytest.importorskip(package)

from command_line import run_hpd
from hpd.documents import Place
from hpd.errors import HpdError
from hpd.results import (
    Extraction,
    Failure,
    FieldValue,
    RejectedAnswer,
    Usage,
    ValueOption,
)
from hpd.schema.data_checks import CheckResult
from server_process import SECONDS, Reply, Server, serving
from waiting import until

SCHEMA = "brand: the maker, color, weight_g float?, material [cotton|steel|glass]"
TEXTS = [
    "Nordvik desk lamp, black, 900 g, steel",
    "Luma T-shirt, red, cotton",
    "Tavola frying pan, steel, 1.2 kg",
    "Harlow vase of blue glass, 450 g",
    "Diesel Men's sneaker",
    "",
]


@pytest.fixture(scope="module")
def random_server(tiny_model):
    """A server with random weights: the values are nonsense, and take long if they are to."""
    arguments = ["-m", str(tiny_model("qwen3")), "--alias", "tiny", "--max-tokens", "4"]
    with serving("-t", "1", *arguments) as server:
        yield server


@pytest.fixture(scope="module")
def slow_server(tiny_model):
    """A server whose queue is short."""
    limits = ("--max-waiting", "8", "--max-texts", "8")
    with serving("-t", "1", *slow_model(tiny_model), *limits) as server:
        yield server


def slow_model(tiny_model):
    """Arguments for a server that has much to do with ``LONG``."""
    model = str(tiny_model("qwen3", n_ctx_train=16_384))
    return "-m", model, "--max-tokens", "8", "-c", "16384", "--set", "in_flight=1"


ATTRIBUTES = [f"attribute number {i} of a great many" for i in range(120)]
LONG = {
    "texts": [f"text {i}" for i in range(8)],
    "schema": ATTRIBUTES,
    "options": {"on_invalid": "record"},
}
"""Takes seconds on any machine."""


def lines_of_the_command(*options):
    source = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    done = run_hpd("extract", "-", "--schema", SCHEMA, "--quiet", "-t", "1", *options, text=source)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def compared(line):
    """A line without what the company of a document may change, and its number as an id."""
    fields = {
        place: {name: value for name, value in field.items() if name not in _VARIES}
        for place, field in line["fields"].items()
    }
    return line["data"], fields


_VARIES = ("confidence", "uncalibrated", "margin", "near_tie")


def test_values_are_those_of_the_command(server):
    expected = [compared(line) for line in lines_of_the_command()]
    reply = server.post("/extract", {"texts": TEXTS, "schema": SCHEMA})
    assert reply.status == 200, reply.body
    together = reply.json["extractions"]
    assert [compared(line) for line in together] == expected
    alone = [server.post("/extract", {"text": text, "schema": SCHEMA}).json for text in TEXTS]
    assert [compared(line) for line in alone] == expected
    # No model is asked about the last text, which is empty.
    assert all(0 <= f["confidence"] <= 1 for line in alone[:-1] for f in line["fields"].values())


def test_options_of_a_request_do_what_they_do_on_the_command_line(server):
    flags = ("--null-threshold", "0.9", "--set", "require_grounding=on")
    expected = [compared(line) for line in lines_of_the_command(*flags)]
    options = {"null_threshold": 0.9, "require_grounding": True}
    body = {"texts": TEXTS, "schema": SCHEMA, "options": options}
    lines = server.post("/extract", body).json["extractions"]
    assert [compared(line) for line in lines] == expected
    assert expected != [compared(line) for line in lines_of_the_command()]


def test_checks_that_did_not_pass_are_in_the_answer(random_server):
    properties = {"brand": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "checks": ["1 == 2", "1 < 2"]}
    line = random_server.post("/extract", {"text": "x", "schema": schema}).json
    assert line["checks"] == [{"check": "1 == 2", "passed": False, "left": 1, "right": 2}]
    described = random_server.ask("GET", "/openapi.json", {}).json
    assert "checks" in described["components"]["schemas"]["ExtractionBody"]["properties"]
    refused = random_server.post("/extract", {"text": "x", "schema": {**schema, "checks": ["x"]}})
    assert refused.status == 400
    assert "there is no 'x'" in refused.json["error"]["message"]


def test_a_document_that_fails_has_its_error_in_its_place(random_server):
    texts = [{"text": "x", "id": 1, "category": "a"}, {"text": "y", "id": 2, "category": "c"}]
    body = {"texts": texts, "schema": {"a": ["b"], "d": ["e"]}, "options": {"on_invalid": "record"}}
    first, second = random_server.post("/extract", body).json["extractions"]
    assert (first["id"], set(first["data"])) == (1, {"b"})
    assert second["id"] == 2
    assert second["error"]["type"] == "InputError"


def test_advice_names_options_as_requests_do(random_server):
    long = random_server.post("/extract", {"text": "x " * 3000, "schema": "a"}).json["error"]
    assert long["type"] == "ContextOverflowError"
    assert 'on_overflow="chunk"' in long["message"]
    assert "--" not in long["message"], "which no request has"
    body = {"text": "x", "schema": "a", "options": {"max_tokens": 0}}
    refused = random_server.post("/extract", body).json["error"]
    assert refused["code"] == "invalid_option"
    assert refused["message"].startswith("max_tokens must be a whole number")


def test_many_clients_lose_nothing(server):
    """64 clients at once, each with a connection of its own, get what each would get alone."""
    n_clients, n_each = 64, 3
    texts = TEXTS[:5]

    def body(number):
        return {"text": texts[number % len(texts)], "id": number, "schema": SCHEMA}

    def client(first):
        connection = server.connect()
        replies = []
        try:
            for number in range(first, first + n_each):
                headers = {"Content-Type": "application/json"}
                connection.request("POST", "/extract", json.dumps(body(number)), headers)
                response = connection.getresponse()
                replies.append(Reply(response.status, dict(response.headers), response.read()))
        finally:
            connection.close()
        return replies

    alone = [server.post("/extract", body(number)).json["data"] for number in range(len(texts))]
    before = server.metric("hpd_documents_total")
    with ThreadPoolExecutor(n_clients) as clients:
        of_clients = clients.map(client, range(0, n_clients * n_each, n_each))
        replies = [reply for replies in of_clients for reply in replies]
    assert [reply.status for reply in replies] == [200] * (n_clients * n_each)
    for number, reply in enumerate(replies):
        assert (reply.json["id"], reply.json["data"]) == (number, alone[number % len(texts)])
    assert server.metric("hpd_documents_total") - before == n_clients * n_each
    until(lambda: waiting(server) == 0)


def test_clients_are_decoded_together(random_server):
    """All their documents in fewer batches than one after the other."""

    def n_batches(n_clients):
        def ask(i):
            text = f"lamp {i} of {n_clients}"
            body = {"text": text, "schema": "brand, color", "options": {"max_tokens": 60}}
            return random_server.post("/extract", body).status

        before = random_server.metric("hpd_engine_batches_total")
        with ThreadPoolExecutor(n_clients) as clients:
            assert set(clients.map(ask, range(32))) == {200}
        return random_server.metric("hpd_engine_batches_total") - before

    alone = n_batches(1)
    assert n_batches(32) < alone / 2


@contextlib.contextmanager
def begun(server, body):
    """Send a request, and do not wait for its answer."""
    with contextlib.closing(server.connect()) as connection:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/extract", json.dumps(body), headers)
        yield connection


def waiting(server):
    return server.get("/health").json["waiting"]


def test_a_queue_that_is_full_says_so_and_clients_that_go_empty_it(slow_server):
    short = {"text": "x", "schema": "a", "options": {"on_invalid": "record", "max_tokens": 2}}
    with begun(slow_server, LONG):
        until(lambda: waiting(slow_server) == 8)
        refused = slow_server.post("/extract", short)
        assert refused.status == 429
        assert refused.json["error"]["code"] == "queue_full"
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        # The engine works on it now, and does not any more soon after the client has gone.
        before = slow_server.metric("hpd_engine_batches_total")
        until(lambda: slow_server.metric("hpd_engine_batches_total") > before)
    until(lambda: waiting(slow_server) == 0)

    def stands_still():
        now = slow_server.metric("hpd_engine_batches_total")
        time.sleep(0.5)
        return slow_server.metric("hpd_engine_batches_total") == now

    until(stands_still)
    # Not because it was through with them.
    assert slow_server.metric("hpd_documents_total") < 8
    assert 'status="499"' in slow_server.get("/metrics").body.decode()
    assert slow_server.post("/extract", short).status == 200


def test_a_client_that_goes_midway_ends_the_work_for_its_stream(slow_server):
    long = {"type": "string", "pattern": "^[a-z]{900}$"}
    own = {"first": {"type": ["boolean", "null"]}, **dict.fromkeys(ATTRIBUTES, long)}
    schema = {"type": "object", "properties": own, "required": [*own]}
    body = {
        "messages": [{"role": "user", "content": "a lamp"}],
        "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
        "hpd": {"max_tokens": 2000},
        "stream": True,
    }
    timed = 'hpd_request_seconds_count{path="/v1/chat/completions"}'
    before = slow_server.metric("hpd_documents_total")
    assert slow_server.metric(timed) == 0
    with contextlib.closing(slow_server.connect()) as connection:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        response = connection.getresponse()
        assert response.status == 200
        assert b'"role": "assistant"' in response.readline()
        assert waiting(slow_server) == 1
        assert slow_server.metric(timed) == 0
        response.close()
    until(lambda: waiting(slow_server) == 0)
    until(lambda: slow_server.metric(timed) == 1)
    # Not because it was through with it.
    assert slow_server.metric("hpd_documents_total") == before


def test_a_request_that_takes_too_long_is_cancelled(tiny_model):
    with serving("-t", "1", *slow_model(tiny_model), "--timeout", "0.05") as server:
        reply = server.post("/extract", LONG)
        assert (reply.status, reply.json["error"]["code"]) == (504, "timeout")
        until(lambda: waiting(server) == 0)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 130)]
)
def test_an_end_that_waits_for_what_is_under_way(tiny_model, number, code):
    seconds = ("--timeout", str(SECONDS), "--shutdown-timeout", str(SECONDS))
    with serving("-t", "1", *slow_model(tiny_model), *seconds) as server:
        body = {**LONG, "texts": ["x", "y"], "schema": ATTRIBUTES[:60]}
        with contextlib.closing(server.connect()) as idle, begun(server, body) as connection:
            idle.connect()
            until(lambda: waiting(server) == 2)
            assert server.end(number) == code
            response = connection.getresponse()
            assert response.status == 200
            assert len(json.loads(response.read())["extractions"]) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_while_it_ends_it_says_so_to_whoever_asks(tiny_model, number):
    arguments = (*slow_model(tiny_model), "--shutdown-timeout", str(SECONDS))
    with serving("-t", "1", *arguments) as server, begun(server, LONG) as connection:
        until(lambda: waiting(server) == 8)
        server.process.send_signal(number)
        until(lambda: server.ask("GET", "/health", {}).status == 503)
        health = server.ask("GET", "/health", {}).json
        assert (health["status"], health["waiting"]) == ("stopping", 8)
        late = server.ask(
            "POST",
            "/extract",
            {"Content-Type": "application/json"},
            b'{"text": "x", "schema": "a"}',
        )
        assert late.status == 503
        assert late.json["error"]["code"] == "shutting_down"
        assert late.headers["retry-after"]
        server.end(number)  # Once more: what is under way is cancelled.
        assert connection.getresponse().status == 503


def test_there_is_a_line_for_each_request_and_for_the_end(tiny_model):
    with serving("-m", str(tiny_model("qwen3")), "-t", "1") as server:
        for path in ("/", "/docs", "/openapi.json", "/health", "/v1/models"):
            server.get(path)
        server.ask("HEAD", "/v1/models", {})
        server.get("/no%0Awhere")
        server.get("/extract")
        server.post("/extract", {"text": "x", "schema": "a", "options": 1})
        server.post("/extract", {"texts": []})
        server.post("/extract", {"text": "x", "schema": {"a": ["b"]}})
        with contextlib.closing(socket.create_connection(("127.0.0.1", server.port))) as client:
            client.sendall(b"what?\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 400 ")
        server.end()
    time_of_line = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ")
    lines = [time_of_line.sub("", line) for line in server.said if time_of_line.search(line)]
    assert len(lines) == len(server.said), server.said
    # Without /health, which is asked every second.
    assert [re.sub(r" \d\.\d{3} s", "", line) for line in lines[2:]] == [
        "127.0.0.1 GET / 200",
        "127.0.0.1 GET /docs 200",
        "127.0.0.1 GET /openapi.json 200",
        "127.0.0.1 GET /v1/models 200",
        "127.0.0.1 HEAD /v1/models 200",
        "127.0.0.1 GET /no%0Awhere 404 unknown_url",
        "127.0.0.1 GET /extract 405 unknown_url",
        "127.0.0.1 POST /extract 400 invalid_type",
        "127.0.0.1 POST /extract 400 invalid_value",
        "127.0.0.1 POST /extract 200 failed documents: 1 (InputError)",
        "Invalid HTTP request received.",
        "shutting down; pending documents: 0",
        "stopped; cancelled requests: 0",
    ]
    assert re.search(r"GET / 200 \d+\.\d{3} s$", lines[2])


@pytest.mark.parametrize(("flag", "n_lines"), [("--no-log", 4), ("--quiet", 0)])
def test_lines_that_are_left_out(tiny_model, flag, n_lines):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = ("-m", str(tiny_model("qwen3")), "-t", "1", "--port", str(port), flag)
    command = [sys.executable, "-m", "hpd.cli", "serve", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        server = Server(process, port=port)

        def answers():
            with contextlib.suppress(OSError):
                return server.get("/v1/models").status == 200

        until(answers)
        process.terminate()
        _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert len(said.splitlines()) == n_lines, said


def test_a_signal_while_the_model_is_loaded(tmp_path):
    os.mkfifo(tmp_path / "model.gguf")
    command = [sys.executable, "-m", "hpd.cli", "serve", "--port", "0"]
    command += ["-m", str(tmp_path / "model.gguf")]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process,
        open(tmp_path / "model.gguf", "wb"),  # Until the server waits for what is in there.
    ):
        process.terminate()
        _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert said.endswith(" stopped\n")


def test_a_request_that_takes_too_long_is_logged(tiny_model):
    with serving("-t", "1", *slow_model(tiny_model), "--timeout", "0.2") as server:
        with begun(server, LONG) as connection:
            assert connection.getresponse().status == 504
        until(lambda: any(line.endswith(" s timeout") for line in server.said))
        server.end()


@pytest.mark.parametrize("path", ["/", "/health", "/docs", "/openapi.json", "/metrics"])
def test_head_is_get_without_a_body(random_server, path):
    whole, head = (random_server.ask(method, path, {}) for method in ("GET", "HEAD"))
    assert head.status == whole.status == 200
    assert head.body == b""
    assert head.headers["content-type"] == whole.headers["content-type"]


def test_the_description_has_the_form_of_every_answer(random_server):
    described = random_server.ask("GET", "/openapi.json", {}).json
    for path, methods in described["paths"].items():
        for method, address in methods.items():
            answers = address["responses"]
            kinds = {
                "/metrics": ["text/plain"],
                "/v1/chat/completions": ["application/json", "text/event-stream"],
            }
            assert [*answers["200"]["content"]] == kinds.get(path, ["application/json"])
            others = [answer for status, answer in answers.items() if status != "200"]
            (form,) = {json.dumps(answer["content"]) for answer in others}
            own = "Health" if path == "/health" else "ErrorBody"
            assert json.loads(form) == {
                "application/json": {"schema": {"$ref": f"#/components/schemas/{own}"}}
            }
            if method == "post":
                assert {"400", "401", "408", "413", "415", "429", "503", "504"} <= {*answers}
                assert ("422" in answers) == ("404" in answers) == path.startswith("/v1/")
            assert address["summary"] != "Systemone"
    assert not [name for name in described["components"]["schemas"] if name.startswith("_")]
    line = described["components"]["schemas"]["ExtractionBody"]["properties"]
    assert {"id", "data", "fields", "usage", "error"} <= {*line}
    answer = random_server.ask(
        "POST", "/extract", {"Content-Type": "application/json"}, b'{"text": "x", "schema": "a"}'
    ).json
    assert {*answer} <= {*line}


def test_every_key_of_a_line_is_described():
    from hpd.serving.answers import ExtractionBody

    field = FieldValue(
        *(0.5, 0, 1, "exact", Place(1, ((0, 0, 2, 1),), "May!B7"), "error", "reason", "raw"),
        *(True, True, True, True, "x", 0.25, 0.75, (RejectedAnswer("raw", "error"),), "x"),
        options=(ValueOption("x", 0.5), ValueOption(None, 0.25)),
    )
    usage = Usage(*range(2, 2 + len(fields(Usage))))
    check = CheckResult("b == 2", False, 1, 2, "rows[0]")
    failure = Failure(HpdError("why"))
    line = Extraction("a", {"b": 1}, {"b": field}, usage, failure, (check,), truncated_at=3)
    for whole in (field, usage, line):
        assert all(getattr(whole, own.name) != own.default for own in fields(whole) if own.repr)
    read = ExtractionBody.model_validate(line.to_dict())
    assert read.model_dump(mode="json", exclude_unset=True) == line.to_dict()


def test_the_key_is_part_of_the_description(tiny_model):
    with serving("-m", str(tiny_model("qwen3")), "-t", "1", "--api-key", "secret") as server:
        described = server.ask("GET", "/openapi.json", {}).json
        server.end()
    assert described["components"]["securitySchemes"] == {
        "HTTPBearer": {"type": "http", "scheme": "bearer"}
    }
    assert described["paths"]["/extract"]["post"]["security"] == [{"HTTPBearer": []}]
    assert "security" not in described["paths"]["/health"]["get"]


def test_the_description_is_drawn_without_a_network(random_server):
    pytest.importorskip("fastapi_swagger")
    page = random_server.ask("GET", "/docs", {}).body.decode()
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(links) >= 2
    for link in links:
        assert ":" not in link, "which leads to another machine"
        file = random_server.ask("GET", f"/{link}", {})
        assert file.status == 200
        assert file.body


def test_an_end_that_cancels_what_takes_too_long(tiny_model):
    arguments = (*slow_model(tiny_model), "--shutdown-timeout", "0.1")
    with serving("-t", "1", *arguments) as server, begun(server, LONG) as connection:
        until(lambda: waiting(server) == 8)
        assert server.end() == 3
        response = connection.getresponse()
        assert response.status == 503
        assert json.loads(response.read())["error"]["code"] == "shutting_down"
    assert server.said[-1].endswith("stopped; cancelled requests: 1")


def test_a_second_signal_cancels_at_once(tiny_model):
    arguments = (*slow_model(tiny_model), "--shutdown-timeout", "3600")
    with serving("-t", "1", *arguments) as server, begun(server, LONG) as connection:
        until(lambda: waiting(server) == 8)
        server.process.send_signal(signal.SIGINT)
        until(lambda: server.ask("GET", "/health", {}).status == 503)
        assert server.end(signal.SIGINT) == 130
        assert connection.getresponse().status == 503


def test_a_key_is_asked_for(tiny_model, monkeypatch):
    monkeypatch.setenv("HPD_API_KEY", "of-the-environment")
    model = str(tiny_model("qwen3"))
    with serving("-t", "1", "-m", model, "--max-tokens", "2") as server:
        body = {"text": "x", "schema": "a", "options": {"on_invalid": "record"}}
        for path in ("/extract", "/v1/chat/completions"):
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "é"}):
                reply = server.post(path, body, **headers)
                assert (reply.status, reply.json["error"]["code"]) == (401, "invalid_api_key")
        assert server.get("/v1/models").status == 401
        assert server.get("/metrics").status == 401
        assert server.get("/health").status == 200
        key = {"Authorization": "Bearer of-the-environment"}
        assert server.post("/extract", body, **key).status == 200
        key = {"Authorization": "bearer of-the-environment"}
        assert server.get("/v1/models", **key).json["data"][0]["owned_by"] == "hpd"


def test_a_strict_server_refuses_other_names_of_its_model(tiny_model):
    model = str(tiny_model("qwen3"))
    arguments = ("-m", model, "--alias", "tiny", "--strict-model", "--max-tokens", "2")
    with serving("-t", "1", *arguments) as server:
        form = {"type": "json_object", "schema": {"properties": {"a": {}}}}
        body = {"messages": [{"role": "user", "content": "x"}], "response_format": form}
        for name, status in (("tiny", 200), ("hpd", 404)):
            assert server.post("/v1/chat/completions", {**body, "model": name}).status == status


def test_bodies_that_are_refused(random_server):
    def code(reply):
        return reply.status, reply.json["error"]["code"]

    for body, why in (
        (b'{"text": "x"', "line 1 column 12"),
        (b'{"text": "\xff"}', "unicode"),
        (b'{"text": NaN}', "column 10"),
        (b'{"text": "x \\ud83d", "schema": "a"}', "unpaired surrogate"),
        (b'{"text": "\\udc00\\ud83d", "schema": "a"}', "unpaired surrogate"),
        (b"[" * 100_000, "recursion limit"),
    ):
        for path in ("/extract", "/v1/chat/completions"):
            reply = random_server.post(path, body)
            assert code(reply) == (400, "invalid_json")
            assert why in reply.json["error"]["message"]
    assert code(random_server.post("/extract", b"[]"))[0] == 400
    assert code(random_server.post("/extract", b""))[0] == 400
    assert code(random_server.post("/extract", {"text": "x", "schema": "a [red|"})) == (
        400,
        "invalid_schema",
    )
    plain = {"Content-Type": "text/plain"}
    assert code(random_server.ask("POST", "/extract", plain, b"{}")) == (415, "invalid_type")
    large = b'{"text": "' + b"x" * (5 << 20) + b'"}'
    assert code(random_server.post("/extract", large)) == (413, "body_too_large")
    assert code(random_server.get("/nowhere")) == (404, "unknown_url")
    assert code(random_server.get("/extract")) == (405, "unknown_url")
    # None of it has done any harm.
    assert random_server.get("/health").json == {"status": "ok", "model": "tiny", "waiting": 0}


def test_a_body_in_parts_is_counted_as_it_comes(random_server):
    connection = random_server.connect()
    connection.putrequest("POST", "/extract")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    part = b"x" * 65_536
    sent = 0
    try:
        while sent < 64 << 20:
            connection.send(b"%x\r\n%s\r\n" % (len(part), part))
            sent += len(part)
    except OSError:
        pass  # It was hung up on.
    assert sent < 64 << 20
    connection.close()


def test_requests_for_other_paths_are_counted(random_server):
    for method, path in (
        *(("GET", "/nowhere"), ("GET", "/no/where"), ("PUT", "/extract"), ("HEAD", "/docs")),
        *(("GET", "/v1/models/tiny"), ("GET", "/v1/models/other")),
    ):
        random_server.ask(method, path, {})
    text = random_server.get("/metrics").body.decode()
    counted = re.findall(r'hpd_requests_total\{path="(.*)",status="(\d+)"\}', text)
    assert {
        *(("other", "404"), ("/extract", "405"), ("/docs", "200")),
        *(("/v1/models/{name}", "200"), ("/v1/models/{name}", "404")),
    } <= {*counted}
    assert not [path for path, _ in counted if "where" in path]


def test_metrics(random_server):
    before = random_server.metric("hpd_documents_total")
    body = {"texts": ["x", "y"], "schema": "a", "options": {"on_invalid": "record"}}
    assert random_server.post("/extract", body).status == 200
    assert random_server.metric("hpd_documents_total") == before + 2
    reply = random_server.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = reply.body.decode()
    for name in (
        'hpd_requests_total{path="/extract",status="200"}',
        'hpd_request_seconds_bucket{le="+Inf",path="/extract"}',
        'hpd_documents_total{error=""}',
        'hpd_tokens_total{kind="prompt"}',
        "hpd_engine_batches_total",
        "hpd_engine_decode_seconds_total",
        "hpd_waiting_documents",
        "process_resident_memory_bytes",
    ):
        assert name in text


def test_the_server_s_own_schema(tiny_model, tmp_path):
    schema = tmp_path / "schema.json"
    schema.write_text('["brand"]')
    arguments = ["-m", str(tiny_model("qwen3")), "--max-tokens", "2", "--on-invalid", "record"]
    with serving("-t", "1", *arguments, "--schema", str(schema)) as server:
        assert set(server.post("/extract", {"text": "x"}).json["data"]) == {"brand"}
        other = server.post("/extract", {"text": "x", "schema": "color"})
        assert set(other.json["data"]) == {"color"}
        body = {"messages": [{"role": "user", "content": "x"}]}
        for form in ({}, {"response_format": {"type": "json_object"}}):
            chat = server.post("/v1/chat/completions", {**body, **form})
            answer = chat.json["choices"][0]["message"]["content"]
            assert set(json.loads(answer)) == {"brand"}
        page = server.get("/").body.decode()
        assert re.search(r'<textarea id="schema"[^>]*></textarea>', page)
        named = server.post("/extract", {"text": "x", "schema": str(schema)})
        assert named.status == 400


def test_what_is_wrong_with_the_command_line(tiny_model, tmp_path):
    def refused(*arguments, code=2):
        done = run_hpd("serve", *arguments)
        assert done.returncode == code
        return done.stderr

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused("--port", str(port), code=1) == (
            f"hpd: error: cannot listen on 127.0.0.1, port {port}: Address already in use\n"
        )
    # Addresses for examples, which no machine has.
    assert refused("--host", "192.0.2.1", "--port", "1234", code=1) == (
        "hpd: error: cannot listen on 192.0.2.1, port 1234: Cannot assign requested address\n"
    )
    assert "cannot listen on no.such" in refused("--host", "no.such.host.invalid", code=1)
    assert "could never be accepted" in refused("--max-texts", "9", "--max-waiting", "8")
    assert "ASCII" in refused("--api-key", "clé")
    assert "no-such.json" in refused("--schema", str(tmp_path / "no-such.json"))
    missing = run_hpd("serve", "--port", "0", "-m", str(tmp_path / "no.gguf"))
    assert missing.returncode == 1


def test_other_machines_and_no_key_give_a_warning(tiny_model):
    # It listens before the model is loaded, and ends when that fails.
    done = run_hpd("serve", "--host", "0.0.0.0", "--port", "0", "-m", "no.gguf")
    assert "other machines can connect without a key" in done.stderr
