"""Serves the page of a comparison, which only this machine can open.

Requests with a foreign Host or Origin, as from another page in the same browser, are rejected.
"""

from __future__ import annotations

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from hpd.evaluation.comparison import PAIR_VERDICTS, ComparisonSession
from hpd.show.page import render_page

HOST = "127.0.0.1"
_TEMPLATE = Path(__file__).parent / "templates" / "compare.html"
_MAX_BODY_BYTES = 10_000


class ComparisonServer(ThreadingHTTPServer):
    """Serves a session until it is stopped; ``port`` 0 is any free one."""

    def __init__(self, session: ComparisonSession, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.session = session
        self.writing = threading.Lock()
        self.names = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: ComparisonServer

    def do_GET(self) -> None:
        if not self._is_from_here():
            return
        if self.path != "/":
            self._respond(HTTPStatus.NOT_FOUND, "only / exists")
            return
        session = self.server.session
        page = render_page(
            _TEMPLATE, data=session.page_data(), may_call_server=True, n=len(session.trials)
        )
        self._respond(HTTPStatus.OK, page, "text/html")

    def do_POST(self) -> None:
        """Take a verdict, or stop the session."""
        if not self._is_from_here():
            return
        if self.path == "/stop":
            self._respond(HTTPStatus.OK, "{}", "application/json")
            # Once this request is answered.
            threading.Thread(target=self.server.shutdown).start()
            return
        if self.path != "/judgement":
            self._respond(HTTPStatus.NOT_FOUND, "only /judgement and /stop accept POST")
            return
        try:
            self._judge()
        except (ValueError, TypeError, KeyError) as error:
            self._respond(HTTPStatus.BAD_REQUEST, f"not a judgement: {error}")
        except OSError as error:
            self._respond(HTTPStatus.INTERNAL_SERVER_ERROR, f"not saved: {error.strerror}")
        else:
            self._respond(HTTPStatus.OK, "{}", "application/json")

    def _judge(self) -> None:
        n_bytes = int(self.headers.get("Content-Length", ""))
        if not 0 < n_bytes <= _MAX_BODY_BYTES:
            raise ValueError(f"{n_bytes} bytes")
        body = json.loads(self.rfile.read(n_bytes))
        if not isinstance(body, dict):
            raise TypeError("not an object")
        session = self.server.session
        number, verdict, seconds = body["trial"], body["verdict"], body.get("seconds")
        if type(number) is not int or not 0 <= number < len(session.trials):
            raise ValueError(f"unknown trial {number!r}")
        if verdict not in PAIR_VERDICTS:
            raise ValueError(f"unknown verdict {verdict!r}")
        if seconds is not None:
            seconds = float(seconds)
        with self.server.writing:
            session.judge(number, verdict, seconds)

    def _is_from_here(self) -> bool:
        origin = self.headers.get("Origin")
        own_origins = {None, *(f"http://{name}" for name in self.server.names)}
        if self.headers.get("Host") in self.server.names and origin in own_origins:
            return True
        self._respond(HTTPStatus.FORBIDDEN, "foreign Host or Origin")
        return False

    def _respond(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
        body = text.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Do not log requests."""
