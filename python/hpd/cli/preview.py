"""The preview of a request, for ``--dry-run`` and ``hpd schema --prompt``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpd.cli.common import table

if TYPE_CHECKING:
    from hpd.pipeline.pipeline import Preview

_RULE = "-" * 40


def report(preview: Preview, n_ctx: int) -> str:
    """The prompt and, below it, the numbers of tokens in its parts."""
    n_keys = sum(n_tokens for _, n_tokens in preview.keys)
    rows = [
        ["prompt", f"{preview.n_prompt} tokens"],
        ["  shared by all documents", f"{preview.n_instruction}"],
        ["  of this one", f"{preview.n_prompt - preview.n_instruction}"],
        ["keys", f"{n_keys} tokens"],
        ["fields that wait for other values", f"{preview.n_later}"],
        ["longest value and its key", f"up to {preview.n_longest} tokens"],
        ["context", f"{n_ctx} tokens"],
    ]
    n_over = preview.n_prompt + preview.n_longest - n_ctx
    if n_over > 0:
        rows.append(["over", f"{n_over} tokens"])
    fields = [["key", "tokens"], *([key or "(none)", str(n)] for key, n in preview.keys)]
    parts = [preview.text, _RULE, table(fields), "", table(rows)]
    return "\n".join(parts)
