"""A folder as Ollama leaves it: manifests, and the blobs that they name."""

import hashlib
import json

WEIGHTS = "application/vnd.ollama.image.model"
ADAPTER = "application/vnd.ollama.image.adapter"
TEMPLATE = "application/vnd.ollama.image.template"


def add_ollama_model(folder, name, *parts):
    """Write a model's manifest and its parts; returns the files of the parts.

    Args:
        folder: Ollama's, made if it is not there.
        name: ``HOST/NAMESPACE/MODEL/TAG``.
        parts: media types with contents.
    """
    layers, paths = [], []
    for kind, content in parts:
        digest = hashlib.sha256(content).hexdigest()
        paths.append(folder / "blobs" / f"sha256-{digest}")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_bytes(content)
        layers.append({"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)})
    manifest = folder / "manifests" / name
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"schemaVersion": 2, "config": {}, "layers": layers}))
    return paths
