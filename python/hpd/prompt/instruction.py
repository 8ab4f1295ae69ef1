"""The user's text before the documents: instructions of their own, the attributes, examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hpd.prompt.labels import Labels
from hpd.prompt.text import (
    DOCUMENT_FIRST,
    DocumentTurn,
    Layout,
    answer_text,
    attribute_lines,
)
from hpd.schema.attributes import Schema


def instruction_text(
    schema: Schema,
    examples: Sequence[tuple[str, object]] = (),
    layout: Layout = "branch",
    instructions: str = "",
    document_turn: DocumentTurn = "user",
) -> str:
    """The user's text before the documents.

    Args:
        schema: the attributes.
        examples: pairs of a document and its answer, which is shown as the model would write it.
        layout: that of the keys, whose letters stand before the attributes.
        instructions: what the user says of the task. They come first, so that their cells can be
            shared by all categories.
        document_turn: in whose turn the documents follow; the instruction says so if it is the
            assistant's.
    """
    labels = Labels(schema) if layout == "label" else None
    lines = labels.lines if labels else attribute_lines(schema)
    parts = [f"Instructions:\n{instructions}\n\n"] if instructions else []
    parts.append("Attributes:\n" + "\n".join(lines) + "\n\n")
    for document, answer in examples:
        shown = answer_text(answer)
        if labels and isinstance(answer, Mapping):
            shown = labels.answer(answer)
        parts.append(f"Example document:\n{document}\nExample answer:\n{shown}\n\n")
    if document_turn == "assistant":
        parts.append(DOCUMENT_FIRST)
    return "".join(parts)
