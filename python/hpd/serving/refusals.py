"""A request that is refused: its status, and an error body as OpenAI's clients expect one."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hpd.errors import HpdError


class RefusedError(HpdError):
    """The answer to a request that cannot be served.

    Args:
        status: of HTTP.
        message: for people: what is wrong, and what to do.
        code: for programs.
        param: the part of the body that is wrong.
        headers: of the answer.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers = dict(headers or {})

    @property
    def body(self) -> bytes:
        """The body of the answer."""
        error = {
            "message": str(self),
            "type": _kind(self.status),
            "param": self.param,
            "code": self.code,
        }
        # A message may quote whatever was sent.
        return json.dumps({"error": error}).encode()


def _kind(status: int) -> str:
    if status == 401:
        return "authentication_error"
    if status == 429:
        return "rate_limit_error"
    return "invalid_request_error" if status < 500 else "server_error"


def bad_request(message: str, param: str | None = None, code: str | None = None) -> RefusedError:
    """The refusal of a body that says something wrong."""
    return RefusedError(400, message, code=code, param=param)
