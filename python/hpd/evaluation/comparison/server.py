"""The page of a comparison, served to the browser on the same machine.

Only this machine can connect, and only the page itself is answered: a request whose Host or Origin
is another one, as that of a foreign page in the same browser would be, is refused.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from hpd.evaluation.comparison.judgements import VERDICTS
from hpd.evaluation.comparison.session import Session
from hpd.pages.page import render_page

HOST = "127.0.0.1"
_TEMPLATE = Path(__file__).with_name("compare.html")
_MOST_BYTES = 10_000


class ComparisonServer(ThreadingHTTPServer):
    """Serves one session until its annotator stops it; ``port`` 0 takes a free one."""

    def __init__(self, session: Session, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.session = session
        self.writing = threading.Lock()
        self.names = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def page(self) -> str:
        """The page, with all trials and the verdicts so far."""
        return render_page(
            _TEMPLATE, data=self.session.to_json(), calls_home=True, n=len(self.session.trials)
        )

    def stop(self) -> None:
        """End serving, once the present request is answered."""
        threading.Thread(target=self.shutdown).start()


class _Handler(BaseHTTPRequestHandler):
    server: ComparisonServer

    def do_GET(self) -> None:
        """The page."""
        if not self._is_from_here():
            return
        if self.path != "/":
            self._answer(HTTPStatus.NOT_FOUND, "there is nothing here but /")
            return
        self._answer(HTTPStatus.OK, self.server.page(), "text/html")

    def do_POST(self) -> None:
        """A verdict, or the end of the session."""
        if not self._is_from_here():
            return
        if self.path == "/stop":
            self._answer(HTTPStatus.OK, "{}", "application/json")
            self.server.stop()
            return
        if self.path != "/judgement":
            self._answer(HTTPStatus.NOT_FOUND, "only /judgement and /stop take anything")
            return
        try:
            self._judge(self._body())
        except (ValueError, TypeError, KeyError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, f"not a judgement: {error}")
        except OSError as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"not saved: {error.strerror}")
        else:
            self._answer(HTTPStatus.OK, "{}", "application/json")

    def _judge(self, body: Mapping[str, Any]) -> None:
        session = self.server.session
        number, verdict, seconds = body["trial"], body["verdict"], body.get("seconds")
        if type(number) is not int or not 0 <= number < len(session.trials):
            raise ValueError(f"there is no trial {number!r}")
        if verdict not in VERDICTS:
            raise ValueError(f"there is no verdict {verdict!r}")
        if seconds is not None:
            seconds = float(seconds)
        with self.server.writing:
            session.judge(number, verdict, seconds)

    def _body(self) -> Mapping[str, Any]:
        n_bytes = int(self.headers.get("Content-Length", ""))
        if not 0 < n_bytes <= _MOST_BYTES:
            raise ValueError(f"{n_bytes} bytes")
        body = json.loads(self.rfile.read(n_bytes))
        if not isinstance(body, dict):
            raise TypeError("not an object")
        return body

    def _is_from_here(self) -> bool:
        origin = self.headers.get("Origin")
        own_origins = {None, *(f"http://{name}" for name in self.server.names)}
        if self.headers.get("Host") in self.server.names and origin in own_origins:
            return True
        self._answer(HTTPStatus.FORBIDDEN, "asked from elsewhere")
        return False

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
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
        """Say nothing of single requests."""
