"""Models by their names on the Hugging Face Hub, in Ollama and in the list of recommended ones."""

from __future__ import annotations

from pathlib import Path

from hpd.errors import ModelLoadError
from hpd.models.hub.hugging_face import download
from hpd.models.hub.ollama import OLLAMA_PREFIX, ollama_model
from hpd.models.hub.recommended import is_short_name, packaged_file, repository_of

__all__ = ["download", "find_model"]


def find_model(name: str, *, progress: bool) -> Path | None:
    """Return the file of ``ollama:NAME`` or of a short name (``qwen3:0.6b``); None if the name is
    neither.

    Raises:
        ModelLoadError: there is no such model, or it cannot be downloaded.
    """
    if name.startswith(OLLAMA_PREFIX):
        return ollama_model(name[len(OLLAMA_PREFIX) :])
    if not is_short_name(name):
        return None
    if (packaged := packaged_file(name)) is not None:
        return packaged
    repository = repository_of(name)
    try:
        return download(repository, progress=progress)
    except ModelLoadError as error:
        raise ModelLoadError(f"{name}: {error}") from error
