"""A real HTTP server that speaks OpenAI's protocol and gives the replies that a test wants."""

from __future__ import annotations

import contextlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from hpd.evaluation.endpoint import Endpoint
from local_server import answering


def answer_of(text):
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


class Scripted(HTTPServer):
    """Gives one reply after another, the last one again and again; keeps what it was asked."""

    def __init__(self, replies):
        super().__init__(("127.0.0.1", 0), _Replier)
        self.replies = replies
        self.asked = []
        self.keys = []
        self.may_answer = threading.Event()
        self.may_answer.set()


class _Replier(BaseHTTPRequestHandler):
    server: Scripted

    def do_POST(self):
        n_bytes = int(self.headers["Content-Length"])
        replies = self.server.replies
        status, body = replies[min(len(self.server.asked), len(replies) - 1)]
        self.server.asked.append(json.loads(self.rfile.read(n_bytes)))
        self.server.keys.append(self.headers["Authorization"])
        self.server.may_answer.wait()
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextmanager
def scripted(*replies):
    with answering(Scripted(list(replies))) as server:
        try:
            yield server, Endpoint(f"http://127.0.0.1:{server.server_port}/v1", "m", n_parallel=1)
        finally:
            server.may_answer.set()
