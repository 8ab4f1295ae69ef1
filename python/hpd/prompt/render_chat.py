"""A chat template, rendered by a process of its own: ``python render_chat.py < JSON``.

A template is a program that came with a model: it may loop for ever, or ask for more memory than
there is. So ``hpd.prompt.template`` starts this file, which limits itself, and imports nothing of
hpd, so that it starts quickly. Standard input is an object with ``template``, ``bos``, ``eos``,
``seconds``, ``bytes`` and ``conversations``; standard output is one with the ``text`` of the first
conversation that the template accepts, or with the ``error`` of the last.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from typing import Any, NoReturn


def main() -> None:
    """Render what standard input asks for."""
    # The folder of this file, whose modules have names that others may have as well.
    del sys.path[0]
    request = json.load(sys.stdin)
    _limit(request["seconds"], request["bytes"])
    try:
        answer = {"text": _text(request)}
    except MemoryError:
        answer = {"error": f"it needs more than {request['bytes'] >> 20} MiB of memory"}
    except Exception as error:  # whatever the template makes its engine raise
        answer = {"error": str(error) or type(error).__name__}
    json.dump(answer, sys.stdout)


def _text(request: dict[str, Any]) -> str:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> NoReturn:
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    # Marks of what a model is trained to say, which transformers passes over as well.
    source = re.sub(r"(\{%[-+]?\s*)generation(\s*[-+]?%\})", r"\1if true\2", request["template"])
    source = re.sub(r"(\{%[-+]?\s*)endgeneration(\s*[-+]?%\})", r"\1endif\2", source)
    template = environment.from_string(source)
    # Some templates read tools whenever they are defined, some only text in typed parts.
    first: str | Exception | None = None
    for is_typed in (False, True):
        for tools in ({"tools": None}, {}):
            for messages in request["conversations"]:
                user = messages[-1]["content"].split("\n\n")[-1]
                given = [_typed(each) for each in messages] if is_typed else messages
                try:
                    text = _rendered(template, given, request, tools)
                except MemoryError:
                    raise
                except Exception as error:
                    first = first or error
                    continue
                if text.count(user) == 1:
                    return text
                first = first or text
    if isinstance(first, Exception):
        raise first
    return first or ""


def _typed(message: dict[str, str]) -> dict[str, Any]:
    return {**message, "content": [{"type": "text", "text": message["content"]}]}


def _rendered(
    template: Any,
    messages: list[dict[str, Any]],
    request: dict[str, Any],
    tools: dict[str, None],
) -> str:
    text: str = template.render(
        messages=messages,
        add_generation_prompt=True,
        enable_thinking=False,
        bos_token=request["bos"],
        eos_token=request["eos"],
        **tools,
    )
    return text


def _limit(seconds: int, n_bytes: int) -> None:
    """Limit this process, where the operating system can: not on Windows."""
    try:
        import resource
    except ImportError:
        return
    for limit, value in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, n_bytes)):
        try:
            resource.setrlimit(limit, (value, value))
        except (ValueError, OSError):  # a lower limit is set already
            continue


if __name__ == "__main__":
    main()
