"""A model's chat template, filled in around a place for the documents."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, NoReturn

from hpd.errors import ModelLoadError

# Stands for the documents while a template is rendered: characters for private use, which no
# template looks for or strips.
_PLACE = "\ue000documents\ue001"

PLAIN = "{{ system }}\n\n{{ user }}\n\nAnswer:\n"
"""The template of models that have none of their own."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt's text around the documents."""

    before: str
    after: str


def render(
    template: str, system: str, instruction: str, *, bos: str = "", eos: str = ""
) -> Rendered:
    """The prompt up to the assistant's turn, thinking off, in the model's own format.

    Args:
        template: the Jinja template of the model; empty for none.
        system: the rules.
        instruction: the user's text before the documents.
        bos: the text of the token that begins a sequence, for templates that write it.
        eos: the text of the token that ends one.

    Raises:
        ModelLoadError: the template cannot be rendered, or does not have the user's text exactly
            once.
    """
    user = instruction + _PLACE
    if not template:
        text = PLAIN.replace("{{ system }}", system).replace("{{ user }}", user)
    else:
        text = _render_chat(template, system, user, bos, eos)
    parts = text.split(_PLACE)
    if len(parts) != 2:
        raise ModelLoadError(
            f"the model's chat template shows the user's text {len(parts) - 1} times instead of "
            "once; it cannot be used for extraction"
        )
    return Rendered(*parts)


def _render_chat(template: str, system: str, user: str, bos: str, eos: str) -> str:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> NoReturn:
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)

    def fill(messages: list[dict[str, Any]]) -> str:
        return environment.from_string(template).render(
            messages=messages,
            add_generation_prompt=True,
            enable_thinking=False,
            bos_token=bos,
            eos_token=eos,
            tools=None,
        )

    with_system = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    try:
        return fill(with_system)
    except jinja2.TemplateError:
        # For templates without a system role, the rules open the user's text.
        try:
            return fill([{"role": "user", "content": f"{system}\n\n{user}"}])
        except jinja2.TemplateError as error:
            raise ModelLoadError(f"the model's chat template fails: {error}") from error
