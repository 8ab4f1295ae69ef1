"""The user's text before the documents: the attributes, and examples with their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hpd.prompt.labels import Labels
from hpd.prompt.text import Layout, answer_text, attribute_lines
from hpd.schema.attributes import Schema


def instruction_text(
    schema: Schema, examples: Sequence[tuple[str, object]] = (), layout: Layout = "branch"
) -> str:
    """The user's text before the documents.

    ``examples`` are pairs of a document and its answer, which is shown as the model would write it.
    """
    labels = Labels(schema) if layout == "label" else None
    lines = labels.lines if labels else attribute_lines(schema)
    parts = ["Attributes:\n" + "\n".join(lines) + "\n\n"]
    for document, answer in examples:
        shown = answer_text(answer)
        if labels and isinstance(answer, Mapping):
            shown = labels.answer(answer)
        parts.append(f"Example document:\n{document}\nExample answer:\n{shown}\n\n")
    return "".join(parts)
