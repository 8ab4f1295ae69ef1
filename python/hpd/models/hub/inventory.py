"""The models for this machine: those that hpd recommends and those on disk, with the memory that
each needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hpd.errors import ModelLoadError
from hpd.models.gguf_files import check_gguf, part_names
from hpd.models.hub.hugging_face import CachedFile, choose_file, is_model_name, parse_hf
from hpd.models.hub.ollama import OLLAMA_PREFIX, ollama_models
from hpd.models.hub.recommended import RECOMMENDED, RecommendedModel, packaged_file, repository_of
from hpd.models.memory import PROCESS_BYTES, ModelShape, memory_need, need_of_shape
from hpd.models.model_files import bundled_model
from hpd.options import Options

Owner = Literal["hpd", "Hugging Face", "Ollama", "LM Studio"]


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model on this disk."""

    owner: Owner
    """The program that stores it."""
    arguments: tuple[str, ...]
    """The command-line arguments that select it; none for the bundled model."""
    path: Path | None
    n_file_bytes: int = 0
    n_memory_bytes: int | None = None
    """The memory that it needs with default options; None if its header cannot be read."""
    problem: str = ""
    """The reason why it cannot be used."""


def recommended_memory(model: RecommendedModel) -> int:
    """Return the bytes of memory that a recommended model needs with default options."""
    shape = ModelShape(
        n_ctx_train=model.n_ctx_train,
        n_embd=model.n_embd,
        n_ff=model.n_ff,
        n_heads=model.n_heads,
        n_vocab=model.n_vocab,
        n_texts=model.n_vocab + model.n_merges,
        n_k=model.n_layers * model.n_kv_heads * model.d_head,
        n_v=model.n_layers * model.n_kv_heads * model.d_head,
        n_state=0,
    )
    need = need_of_shape(shape, int(model.file_gb * 1e9), Options().with_defaults())
    return need.total + PROCESS_BYTES


def recommended_on_disk(cached: list[CachedFile]) -> dict[str, Path]:
    """Return the files of recommended models, in installed packages and in the Hub's cache, by
    short name."""
    found = {}
    for model in RECOMMENDED:
        if (packaged := packaged_file(model.name)) is not None:
            found[model.name] = packaged
            continue
        repo, quant = parse_hf(repository_of(model.name))
        paths = {file.name: file.path for file in cached if file.repo == repo}
        try:
            found[model.name] = paths[choose_file(repo, list(paths), quant)]
        except ModelLoadError:
            continue
    return found


def local_models(cached: list[CachedFile]) -> Iterator[LocalModel]:
    """Return the models on this disk: the bundled one, and those of the Hub's cache, Ollama and LM
    Studio."""
    try:
        yield _local_model("hpd", (), bundled_model())
    except ModelLoadError as error:
        yield LocalModel("hpd", (), None, problem=str(error))
    for file in cached:
        yield _local_model("Hugging Face", ("-hf", f"{file.repo}:{file.name}"), file.path)
    for model in ollama_models():
        arguments = ("-m", f"{OLLAMA_PREFIX}{model.name}")
        if model.path is None:
            yield LocalModel("Ollama", arguments, None, problem=model.problem)
        else:
            yield _local_model("Ollama", arguments, model.path)
    for path in lm_studio_models():
        yield _local_model("LM Studio", ("-m", str(path)), path)


def _local_model(owner: Owner, arguments: tuple[str, ...], path: Path) -> LocalModel:
    try:
        check_gguf(path)
        parts = [path.with_name(name) for name in part_names(path.name)]
        n_file_bytes = sum(part.stat().st_size for part in parts)
        n_memory_bytes = memory_need(path, Options()).total
    except (ModelLoadError, OSError) as error:
        return LocalModel(owner, arguments, path, problem=str(error))
    return LocalModel(owner, arguments, path, n_file_bytes, n_memory_bytes)


_LM_STUDIO_FOLDERS = (".lmstudio/models", ".cache/lm-studio/models")
"""Below the home folder; the second one is that of earlier versions."""


def lm_studio_models() -> list[Path]:
    """Return the GGUF files; for a split model, the first part."""
    return [
        path
        for folder in _LM_STUDIO_FOLDERS
        for path in sorted((Path.home() / folder).glob("*/*/*.gguf"))
        if is_model_name(path.name) and part_names(path.name)[0] == path.name and path.is_file()
    ]
