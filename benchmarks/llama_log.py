"""llama.cpp's log, for programs that call its library without hpd's engine."""

from __future__ import annotations

import ctypes

import llama_cpp


@llama_cpp.llama_log_callback
def _drop(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """Take in a line, and say nothing."""


def silence() -> None:
    """Keep its lines off standard error: there is one for each tensor."""
    llama_cpp.llama_log_set(_drop, ctypes.c_void_p(0))
