"""Stands in for llama.cpp's server, as a program: its answers say null for whatever is asked."""

from __future__ import annotations

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scripted_endpoint import answer_of


def absent(schema):
    """The emptiest value that a JSON Schema allows."""
    if schema.get("type") == "object":
        return {name: absent(part) for name, part in schema["properties"].items()}
    return [] if schema.get("type") == "array" else None


class _Replier(BaseHTTPRequestHandler):
    def do_GET(self):
        self._reply({"status": "ok"})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        form = asked["response_format"]
        schema = form.get("json_schema", {}).get("schema")
        self._reply(answer_of(json.dumps(absent(schema))))

    def _reply(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    with ThreadingHTTPServer(("127.0.0.1", parser.parse_known_args()[0].port), _Replier) as server:
        server.serve_forever()
