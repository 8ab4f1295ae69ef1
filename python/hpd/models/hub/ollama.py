"""Models that Ollama has on this disk."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from hpd.errors import ModelLoadError
from hpd.messages import did_you_mean
from hpd.models.gguf_files import listed_files

OLLAMA_PREFIX = "ollama:"
"""The prefix of the names of Ollama's models."""

_FOLDER_VARIABLE = "OLLAMA_MODELS"
SERVICE_FOLDER = Path("/usr/share/ollama/.ollama/models")
"""That of its installation on Linux."""
_HOST, _NAMESPACE, _TAG = "registry.ollama.ai", "library", "latest"
_WEIGHTS = "application/vnd.ollama.image.model"
_ADAPTER = "application/vnd.ollama.image.adapter"
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model of Ollama, usable or not."""

    name: str
    """As ``ollama list`` shows it: ``qwen3:0.6b``."""
    path: Path | None
    """The file with its weights; None if it cannot be used."""
    problem: str = ""
    """The reason why it cannot be used."""


def ollama_folders() -> list[Path]:
    """Return the existing folders that may hold Ollama's models."""
    named = os.environ.get(_FOLDER_VARIABLE)
    folders = [Path(named)] if named else [Path.home() / ".ollama" / "models", SERVICE_FOLDER]
    return [folder for folder in folders if os.path.isdir(folder / "manifests")]


def ollama_models() -> list[OllamaModel]:
    """Return all models of Ollama, sorted by name."""
    models: dict[str, OllamaModel] = {}
    for folder in ollama_folders():
        manifests = folder / "manifests"
        for manifest in manifests.glob("*/*/*/*"):
            if manifest.is_file() and not manifest.name.startswith("."):
                name = _shown_name(manifest.relative_to(manifests))
                models.setdefault(name, _read(folder, name, manifest))
    return [models[name] for name in sorted(models)]


def ollama_model(name: str) -> Path:
    """Return the file with the weights of one of Ollama's models.

    Raises:
        ModelLoadError: Ollama has no such model here, or one that hpd cannot use.
    """
    folders = ollama_folders()
    if not folders:
        raise ModelLoadError(
            f"Ollama has no models here; if they are elsewhere, name the folder with "
            f"{_FOLDER_VARIABLE}, or get this one: ollama pull {name}"
        )
    known = {model.name: model for model in ollama_models()}
    wanted = name if ":" in name.rpartition("/")[2] else f"{name}:{_TAG}"
    if wanted not in known:
        has = did_you_mean(wanted, known, n=3) or f"it has {listed_files([*known])}"
        raise ModelLoadError(
            f"Ollama has no model {wanted} in {' or '.join(map(str, folders))}: {has} "
            f"To get it: ollama pull {name}"
        )
    model = known[wanted]
    if model.path is None:
        raise ModelLoadError(f"Ollama's model {wanted} cannot be used: {model.problem}")
    return model.path


def _shown_name(path: Path) -> str:
    """Return a model's name without Ollama's default parts."""
    host, namespace, model, tag = path.parts
    if host != _HOST:
        return f"{host}/{namespace}/{model}:{tag}"
    return f"{model}:{tag}" if namespace == _NAMESPACE else f"{namespace}/{model}:{tag}"


def _read(folder: Path, name: str, manifest: Path) -> OllamaModel:
    try:
        layers = json.loads(manifest.read_text(encoding="utf-8"))["layers"]
        digests = [(layer["mediaType"], str(layer["digest"])) for layer in layers]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return OllamaModel(name, None, f"{manifest} cannot be read: {error!r}")
    weights = [_blob(folder, digest) for kind, digest in digests if kind == _WEIGHTS]
    adapters = [_blob(folder, digest) for kind, digest in digests if kind == _ADAPTER]
    if len(weights) != 1:
        what = "is in several files" if weights else "has no GGUF file: it may run elsewhere"
        return OllamaModel(name, None, f"it {what}")
    path = weights[0]
    if path is None or not path.is_file():
        return OllamaModel(name, None, f"its file is not there: ollama pull {name}")
    if adapters:
        return OllamaModel(
            name,
            None,
            f"it is a model with an adapter, which must be named: -m {path} --lora {adapters[0]}",
        )
    return OllamaModel(name, path)


def _blob(folder: Path, digest: str) -> Path | None:
    """Return the file of a digest, whose colon is written as a hyphen."""
    match = _DIGEST.fullmatch(digest)
    if match is None:
        return None
    paths = [folder / "blobs" / f"sha256{mark}{match[1]}" for mark in "-:"]
    return next((path for path in paths if path.is_file()), paths[0])
