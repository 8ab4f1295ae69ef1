"""The things that are reused, and under which options."""

from __future__ import annotations

from pathlib import Path

from hpd.models.file_content import content_fingerprint
from hpd.models.gguf_files import part_names
from hpd.models.model_files import local_lora
from hpd.options import Options
from hpd.pipeline.reuse import FolderTable, MemoryTable, Reuse
from hpd.version import __version__

_DECIDING = ("flash_attn", "cache_type_k", "cache_type_v")
"""The options of an engine that decide what a model says. Those of a call are part of its
questionnaire's context."""


def reuse_of(model: Path, options: Options) -> Reuse | None:
    """The place in which an extractor finds and keeps values that were decoded.

    Args:
        model: its file, or the first part of it.
        options: the extractor's.

    Raises:
        HpdError: the folder of ``cache`` cannot be used.
    """
    if not options.reuses_values:
        return None
    if not options.cache:
        # One extractor has one model and one set of options.
        return Reuse(MemoryTable(), by_field=False)
    parts = [model.with_name(name) for name in part_names(model.name)]
    adapters = [(content_fingerprint(local_lora(path)), scale) for path, scale in options.loras]
    context = (
        __version__,
        repr([content_fingerprint(part) for part in parts]),
        repr(adapters),
        repr([getattr(options, name) for name in _DECIDING]),
    )
    return Reuse(FolderTable(Path(options.cache).expanduser()), context, by_field=True)
