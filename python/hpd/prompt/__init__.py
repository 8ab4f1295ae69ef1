"""The prompt: its text, the model's chat template around it, and its tokens."""

from hpd.prompt.text import (
    COUNT_KEY,
    LABEL_KEY,
    STACK_RULE,
    SYSTEM,
    DocumentTurn,
    Labels,
    Layout,
    Path,
    answer_text,
    instruction_text,
    key_text,
    system_text,
    value_text,
)
from hpd.prompt.tokens import (
    PromptTokenizer,
    Vocabulary,
    documents_text,
    may_share_prompt,
    rendered,
)

__all__ = [
    "COUNT_KEY",
    "LABEL_KEY",
    "STACK_RULE",
    "SYSTEM",
    "DocumentTurn",
    "Labels",
    "Layout",
    "Path",
    "PromptTokenizer",
    "Vocabulary",
    "answer_text",
    "documents_text",
    "instruction_text",
    "key_text",
    "may_share_prompt",
    "rendered",
    "system_text",
    "value_text",
]
