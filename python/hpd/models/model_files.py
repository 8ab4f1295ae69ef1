"""The file of a model: a local file, the bundled model, or one that ``hub`` finds.

Nothing is loaded here; the result is the path of a GGUF file.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from hpd.errors import ModelLoadError, OptionError
from hpd.messages import did_you_mean
from hpd.models.gguf_files import check_gguf, listed_files, part_names

BUNDLED_NAME = "hpd-box.gguf"
MODEL_VARIABLE = "HPD_MODEL"
"""The environment variable for the default model."""


def resolve_model(
    model: str | Path | None = None, hf_repo: str | None = None, *, progress: bool = True
) -> Path:
    """Return the GGUF file to open; for a split model, the first part, with the others beside it.

    ``model`` is a path, the short name of a recommended model (``qwen3:0.6b``), or ``ollama:NAME``.
    ``hf_repo`` is ``user/repo``, ``user/repo:QUANT`` or ``user/repo:file.gguf``, downloaded into
    Hugging Face's cache. With neither, ``HPD_MODEL`` is used like ``model``, or else the bundled
    model. Raises ``ModelLoadError``, which says what to do, or the error of ``check_model_names``.
    """
    check_model_names(model, hf_repo)
    if model is not None and hf_repo is not None:
        raise ModelLoadError("give a model or a Hugging Face repository, not both")
    if hf_repo is not None:
        return _download(hf_repo, progress=progress)
    chosen = model or os.environ.get(MODEL_VARIABLE)
    return named_model(chosen, progress=progress) if chosen else bundled_model()


def check_model_names(model: object, hf_repo: object) -> None:
    """Raise ``OptionError`` if the name of a model or repository is empty, or no name at all."""
    for option, given in (("model", model), ("hf_repo", hf_repo)):
        if given is not None and not (isinstance(given, str | os.PathLike) and os.fspath(given)):
            raise OptionError(f"{option} must be the name of a model or None, not {given!r}")


def resolve_draft_model(name: str, *, progress: bool = True) -> Path:
    """Return the GGUF file of a draft model, named as in ``resolve_model`` or as
    ``user/repo[:QUANT]``.

    Raises ``ModelLoadError``, which says what to do.
    """
    path = Path(name).expanduser()
    is_named = path.exists() or not _looks_like_repo(path)
    if is_named or (":" not in name and name.lower().endswith(".gguf")):
        return named_model(name, progress=progress)
    return _download(name, progress=progress)


def named_model(model: str | Path, *, progress: bool) -> Path:
    """Return the GGUF file for a path, a short name or ``ollama:NAME``, tried in this order."""
    found: Path | None = None
    if not Path(model).expanduser().exists():
        from hpd.models import hub

        found = hub.find_model(str(model), progress=progress)
    return local_model(model) if found is None else check_gguf(found)


def _download(repository: str, *, progress: bool) -> Path:
    from hpd.models import hub

    return check_gguf(hub.download(repository, progress=progress))


def local_model(path: str | Path) -> Path:
    """Return the GGUF file at a path; all parts of a split model must exist."""
    path = Path(path).expanduser()
    if path.is_dir():
        inside = sorted(entry.name for entry in path.glob("*.gguf"))
        content = f"with {listed_files(inside)}" if inside else "without a GGUF file"
        raise ModelLoadError(f"{path} is a folder {content}: name the file")
    if not path.exists():
        raise ModelLoadError(f"there is no model {path}{_remedy(path)}")
    parts = [path.with_name(name) for name in part_names(path.name)]
    missing = [part.name for part in parts if not part.exists()]
    if missing:
        raise ModelLoadError(
            f"{path.name} is one of {len(parts)} parts, and these are not in {path.parent}: "
            f"{listed_files(missing)}"
        )
    for part in parts:
        check_gguf(part)
    return parts[0]


def is_bundled(model: Path) -> bool:
    """Return whether a file is the bundled model."""
    try:
        return model.samefile(bundled_model())
    except (OSError, ModelLoadError):
        return False


def bundled_model() -> Path:
    """Return the bundled model: in the installed package, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    candidates = [package / "models" / BUNDLED_NAME, package.parents[1] / "models" / BUNDLED_NAME]
    for candidate in candidates:
        if candidate.exists():
            return check_gguf(candidate)
    raise ModelLoadError(
        f"this installation of hpd has no bundled model ({candidates[0]}); "
        "name one: model (-m) or hf_repo (-hf)"
    )


def parse_lora(text: str) -> tuple[str, float]:
    """Split ``file.gguf`` or ``file.gguf:scale`` into a path and a scale (default 1).

    Other colons, such as that of a drive, belong to the path.
    """
    head, colon, tail = text.rpartition(":")
    if colon and head and not Path(text).exists():
        try:
            scale = float(tail)
        except ValueError:
            return text, 1.0
        if not math.isfinite(scale):
            raise ModelLoadError(f"{text}: the scale of an adapter must be finite")
        return head, scale
    return text, 1.0


def local_lora(path: str | Path) -> Path:
    """Return the GGUF file of an adapter at a path."""
    path = Path(path).expanduser()
    if not path.is_file():
        raise ModelLoadError(f"there is no adapter {path}")
    return check_gguf(path)


# --- messages ---


def _remedy(path: Path) -> str:
    """Suggest what to do about a missing path."""
    beside = [entry.name for entry in path.parent.glob("*.gguf")] if path.parent.is_dir() else []
    hint = did_you_mean(path.name, beside, show=path.with_name)
    if hint:
        return f": {hint}"
    if _looks_like_repo(path):
        return "; for a repository on the Hugging Face Hub, use hf_repo (-hf)"
    is_word = path.name == str(path) and not path.suffix
    return "; hpd models lists the short names" if is_word else ""


def _looks_like_repo(path: Path) -> bool:
    return re.fullmatch(r"[\w.-]+/[\w.-]+(:[\w.-]+)?", str(path)) is not None
