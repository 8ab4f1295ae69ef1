"""A model's chat template, filled in around a place for the user's text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hpd.errors import ModelLoadError
from hpd.prompt.text import DocumentTurn

# Stands for the user's text while a template is rendered: characters for private use, which no
# template looks for or strips.
_PLACE = "\ue000text\ue001"

CPU_SECONDS = 10
WALL_SECONDS = 120
"""The limits of the time that a template may take: it needs milliseconds, but the machine may be
busy."""

MEMORY = 1 << 30
"""The limit of its memory in bytes, with that of the Python that renders it."""

BEHIND_DOCUMENTS = "\n"
"""The end of documents in the assistant's turn; in the user's, the template has one."""

PLAIN = "{{ system }}\n\n{{ user }}\n\nAnswer:\n"
"""The template of models that have none of their own."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt's text around that of the user: the instruction and the documents."""

    before: str
    after: str

    def text(self, instruction: str, documents: str, turn: DocumentTurn = "user") -> str:
        """The whole prompt, with the documents in the user's turn or in the assistant's."""
        if turn == "assistant":
            return self.before + instruction + self.after + documents + BEHIND_DOCUMENTS
        return self.before + instruction + documents + self.after


def render(template: str, system: str, *, bos: str = "", eos: str = "") -> Rendered:
    """The prompt up to the assistant's turn, thinking off, in the model's own format.

    Args:
        template: the Jinja template of the model; empty for none.
        system: the rules.
        bos: the text of the token that begins a sequence, for templates that write it.
        eos: the text of the token that ends one.

    Raises:
        ModelLoadError: the template cannot be rendered, or does not have the user's text exactly
            once.
    """
    if not template:
        text = PLAIN.replace("{{ system }}", system).replace("{{ user }}", _PLACE)
    else:
        text = _render_chat(template, system, _PLACE, bos, eos)
    parts = text.split(_PLACE)
    if len(parts) != 2:
        raise ModelLoadError(
            f"the model's chat template shows the user's text {len(parts) - 1} times instead of "
            "once; it cannot be used for extraction"
        )
    return Rendered(*parts)


def _environment() -> dict[str, str]:
    """The environment of the process that renders.

    It starts without "site", whose work is done already: all places of modules are passed on. A
    library that was loaded in advance into this process, as a sanitizer is, may take more memory
    than the limit allows.
    """
    passed_on = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return passed_on | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@lru_cache(maxsize=64)
def _render_chat(template: str, system: str, user: str, bos: str, eos: str) -> str:
    """The text that a chat template makes, in a process of its own (``render_chat.py``)."""
    request = {
        "template": template,
        "bos": bos,
        "eos": eos,
        "seconds": CPU_SECONDS,
        "bytes": MEMORY,
        "conversations": [
            [{"role": "system", "content": system}, {"role": "user", "content": user}],
            # For templates without a system role, the rules open the user's text.
            [{"role": "user", "content": f"{system}\n\n{user}"}],
        ],
    }
    try:
        run = subprocess.run(
            [sys.executable, "-S", str(Path(__file__).with_name("render_chat.py"))],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=WALL_SECONDS,
            env=_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ModelLoadError(_does_not_end(WALL_SECONDS)) from None
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        if run.returncode > 0 and run.stderr:  # a fault of its own, and no limit
            reason = run.stderr.decode(errors="replace").strip().splitlines()[-1]
            raise ModelLoadError(
                f"the model's chat template cannot be rendered: {reason}"
            ) from None
        # It was killed: by its limit of time, or as no memory was left to say that there is none.
        raise ModelLoadError(_does_not_end(CPU_SECONDS)) from None
    if "error" in answer:
        raise ModelLoadError(f"the model's chat template fails: {answer['error']}")
    return str(answer["text"])


def _does_not_end(seconds: int) -> str:
    return (
        f"the model's chat template does not come to an end within {seconds} s and "
        f"{MEMORY >> 20} MiB of memory: use another model file, or mend its tokenizer.chat_template"
    )
