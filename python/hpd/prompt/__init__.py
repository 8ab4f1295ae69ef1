"""The prompt: its text, the model's chat template around it, and its tokens."""

from hpd.prompt.instruction import instruction_text
from hpd.prompt.labels import LABEL_KEY, LABEL_SETTING, Labels
from hpd.prompt.template import Rendered, render
from hpd.prompt.text import (
    COUNT_KEY,
    STACK_RULE,
    SYSTEM,
    DocumentTurn,
    Layout,
    NameLayout,
    Path,
    answer_text,
    attribute_lines,
    documents_text,
    key_text,
    key_texts,
    may_share_prompt,
    system_text,
    type_hint,
    value_text,
)
from hpd.prompt.tokens import PromptTokenizer, TokenizedPrompt, Vocabulary, common_prefix

__all__ = [
    "COUNT_KEY",
    "LABEL_KEY",
    "LABEL_SETTING",
    "STACK_RULE",
    "SYSTEM",
    "DocumentTurn",
    "Labels",
    "Layout",
    "NameLayout",
    "Path",
    "PromptTokenizer",
    "Rendered",
    "TokenizedPrompt",
    "Vocabulary",
    "answer_text",
    "attribute_lines",
    "common_prefix",
    "documents_text",
    "instruction_text",
    "key_text",
    "key_texts",
    "may_share_prompt",
    "render",
    "system_text",
    "type_hint",
    "value_text",
]
