"""Renders a model's chat template around a placeholder for the user's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from hpd.errors import ModelLoadError

# Stands for the user's text while a template is rendered: private use characters, which templates
# neither look for nor strip.
_PLACEHOLDER = "\ue000text\ue001"

PLAIN_TEMPLATE = "{{ system }}\n\n{{ user }}\n\nAnswer:\n"
"""The template for models without one."""

_THINKING_MARK: Final = re.compile(r"([<\[◁])([\w:]*(?:think|thought|reason)[\w:]*)([>\]▷])", re.I)
"""Marks that begin and end a model's thinking before its answer."""

_OTHER_THINKING_MARKS: Final = {
    "<|think_start|>": "<|think_end|>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "Here are my reasoning steps:": "[BEGIN FINAL RESPONSE]",
}

_ANSWER_OPENINGS: Final = {
    "<|start|>assistant": "<|channel|>final<|message|>",
    "<|start|>assistant<|channel|>": "final<|message|>",
    "<|channel|>analysis<|message|>": "<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|begin|>assistant": "<|content|>",
    ">>>": "all\n",
}
"""What to add to a prompt that ends like this; the model would otherwise choose it itself."""

_TEMPLATE_VARIABLES: Final = {
    "add_generation_prompt": True,
    "enable_thinking": False,
    "thinking": False,
    "thinking_budget": 0,
    "reasoning_effort": "low",
}


@dataclass(frozen=True, slots=True)
class RenderedTemplate:
    """A prompt's text around the user's text: the instruction and the documents."""

    before: str
    after: str

    def text(self, instruction: str, documents: str) -> str:
        """Return the whole prompt."""
        return self.before + instruction + documents + self.after


def render_template(
    template: str, system: str, bos: str = "", eos: str = "", *, needs_system_prompt: bool = True
) -> RenderedTemplate:
    """Render the prompt up to the assistant's turn, with thinking off, in the model's format.

    If the template begins a thought, it is ended, so that the answer follows.

    Args:
        template: the model's Jinja template; empty if it has none.
        system: the system prompt.
        bos: text of the BOS token, for templates that write it.
        eos: text of the EOS token.
        needs_system_prompt: whether the system prompt goes into the user's text if the template
            ignores system messages.

    Raises:
        ModelLoadError: the template cannot be rendered, or does not have the user's text exactly
            once.
    """
    if not template:
        text = PLAIN_TEMPLATE.replace("{{ system }}", system).replace("{{ user }}", _PLACEHOLDER)
    else:
        text = _render_chat(template, system, bos, eos, needs_system_prompt)
    parts = text.split(_PLACEHOLDER)
    if len(parts) != 2:
        raise ModelLoadError(
            f"the model's chat template shows the user's text {len(parts) - 1} times instead of "
            "once; it cannot be used for extraction"
        )
    # After blanks, BOS would not be the first token.
    return RenderedTemplate(parts[0].lstrip(), _end_thinking(parts[1]))


def _end_thinking(text: str) -> str:
    """Return the end of a prompt with any open thought closed, and in the final channel."""
    marks = {mark[0]: f"{mark[1]}/{mark[2]}{mark[3]}" for mark in _THINKING_MARK.finditer(text)}
    for begin, end in (marks | _OTHER_THINKING_MARKS).items():
        if text.rfind(begin) > text.rfind(end):
            return f"{text.rstrip()}\n\n{end}\n\n"
    return text + next((more for end, more in _ANSWER_OPENINGS.items() if text.endswith(end)), "")


@lru_cache(maxsize=64)
def _render_chat(template: str, system: str, bos: str, eos: str, needs_system_prompt: bool) -> str:
    """Render the conversation in the first form that comes out with all that is needed."""
    from hpd.prompt.sandbox import render_sandboxed  # imported late, as it loads Jinja

    conversations = [
        [{"role": "system", "content": system}, {"role": "user", "content": _PLACEHOLDER}],
        # For templates without a system role, the system prompt goes into the user's text.
        [{"role": "user", "content": f"{system}\n\n{_PLACEHOLDER}"}],
    ]
    # Some templates read tools if they are defined, some only read text in typed parts.
    variables = [
        {"messages": [_with_typed_parts(m) if m["role"] in typed else m for m in messages], **tools}
        for typed in ((), ("system", "user"), ("user",))
        for tools in ({"tools": None}, {})
        for messages in conversations
    ]
    texts: list[str] = []
    failures: list[Exception] = []
    for given in variables:
        try:
            text = render_sandboxed(
                template, bos_token=bos, eos_token=eos, **_TEMPLATE_VARIABLES, **given
            )
        except Exception as error:  # any error of the template
            failures.append(error)
            continue
        if text.count(_PLACEHOLDER) == 1 and (system[:20] in text or not needs_system_prompt):
            return text
        texts.append(text)
    if texts:  # The template may write the system prompt as JSON, with escaped letters.
        return max(texts, key=lambda text: text.count(_PLACEHOLDER) == 1)
    reason = str(failures[0]) or type(failures[0]).__name__
    raise ModelLoadError(f"the model's chat template fails: {reason}") from failures[0]


def _with_typed_parts(message: dict[str, str]) -> dict[str, Any]:
    return {**message, "content": [{"type": "text", "text": message["content"]}]}
