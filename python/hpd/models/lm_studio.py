"""The models that LM Studio has on this disk: ``PUBLISHER/REPOSITORY/FILE.gguf`` below a folder."""

from __future__ import annotations

from pathlib import Path

from hpd.models.gguf_files import is_model_name, part_names

_FOLDERS = (".lmstudio/models", ".cache/lm-studio/models")
"""Below the home folder; the second one is that of earlier versions."""


def lm_studio_models() -> list[Path]:
    """The GGUF files; of a split model, the first part."""
    return [
        path
        for folder in _FOLDERS
        for path in sorted((Path.home() / folder).glob("*/*/*.gguf"))
        if is_model_name(path.name) and part_names(path.name)[0] == path.name and path.is_file()
    ]
