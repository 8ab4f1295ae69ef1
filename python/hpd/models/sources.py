"""Where models come from: the Hugging Face Hub, and what Ollama and LM Studio have on this disk."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from hpd.errors import ModelLoadError
from hpd.models.gguf_files import choose_file, is_model_name, listed, part_names

_URL_HOST = re.compile(r"^(https?://)?[\w.-]+\.[a-z]{2,}/(?=[^/]+/[^/]+)", re.IGNORECASE)
_TIMEOUT = 10.0


class CachedFile(NamedTuple):
    """A GGUF file in the cache; of a split model, the first part."""

    repo: str
    name: str
    """Its name in the repository."""
    path: Path


def download(hf: str, *, progress: bool = True) -> Path:
    """The local path of ``user/repo[:QUANT]``, downloaded if it is not in the cache yet.

    ``HF_HOME``, ``HF_TOKEN``, ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE`` mean what they always do. A
    progress bar shows on a terminal only.
    """
    repo, quant = parse_hf(hf)
    listing = _list_files(repo)
    try:
        chosen = choose_file(listing.where, listing.files, quant)
    except ModelLoadError as error:
        raise ModelLoadError(f"{error}{_other_places(repo, listing)}") from error
    names = _parts_in(listing.where, chosen, listing.files)
    with _progress_bars(shown=progress):
        paths = [_download_file(repo, name, cached=listing.cached) for name in names]
    return paths[0]


def parse_hf(hf: str) -> tuple[str, str | None]:
    """The two parts of ``user/repo[:QUANT]``; a whole address is accepted as well."""
    repo, _, quant = _URL_HOST.sub("", hf.strip()).partition(":")
    repo = repo.strip("/")
    if not re.fullmatch(r"[^/\s]+/[^/\s]+", repo):
        raise ModelLoadError(f"{hf!r} is not the name of a repository: expected user/repo[:QUANT]")
    return repo, quant or None


def cached_models() -> list[CachedFile]:
    """The GGUF files in the Hub's cache, by repository and name."""
    import huggingface_hub as hub
    from huggingface_hub.errors import CacheNotFound

    try:
        repos = hub.scan_cache_dir().repos
    except CacheNotFound:
        return []
    files = [
        CachedFile(repo.repo_id, name, root / name)
        for repo in repos
        if repo.repo_type == "model"
        for root, names in _newest_revision(repo)
        for name in names
    ]
    return sorted(
        file
        for file in files
        if is_model_name(file.name) and part_names(file.path.name)[0] == file.path.name
    )


class _Listing(NamedTuple):
    where: str
    """The name of the place in messages."""
    files: list[str]
    cached: bool
    """Whether this is the cache, as the Hub could not be reached."""


def _list_files(repo: str) -> _Listing:
    """The files that the Hub has or, if it cannot be reached, the cache."""
    import huggingface_hub as hub
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    try:
        # Not list_repo_files, which tries for half a minute if there is no network.
        info = hub.HfApi().model_info(repo, timeout=_TIMEOUT)
        files = [sibling.rfilename for sibling in info.siblings or ()]
        return _Listing(f"repository {repo}", files, cached=False)
    except HFValidationError as error:
        raise ModelLoadError(f"{repo!r} is not the name of a repository: {error}") from error
    except GatedRepoError as error:
        raise ModelLoadError(_gated(repo)) from error
    except RepositoryNotFoundError as error:
        raise ModelLoadError(
            f"there is no repository {repo} on the Hugging Face Hub, or it is private: "
            "then set HF_TOKEN to a token that may read it"
        ) from error
    # The HTTP library of the Hub's client has errors of its own, whichever that library is.
    except Exception as error:
        offline = isinstance(error, OfflineModeIsEnabled)
        why = "HF_HUB_OFFLINE is set" if offline else f"the Hub cannot be reached: {error}"
        files = _cached_files(repo)
        if not files:
            raise ModelLoadError(
                f"{repo} is not in the cache, and {why}; {_without_network(repo)}"
            ) from error
        return _Listing(f"the cache of {repo} ({why})", files, cached=True)


def _cached_files(repo: str) -> list[str]:
    """The files of a repository in the cache: of its main branch, or else the newest ones."""
    import huggingface_hub as hub
    from huggingface_hub.errors import CacheNotFound

    try:
        cache = hub.scan_cache_dir()
    except CacheNotFound:
        return []
    return [
        name
        for cached in cache.repos
        if cached.repo_type == "model" and cached.repo_id == repo
        for _, names in _newest_revision(cached)
        for name in names
    ]


def _newest_revision(repo: Any) -> Iterator[tuple[Path, list[str]]]:
    """The folder and the files of a repository's main branch in the cache, or else the newest ones.

    There are none of a repository of which nothing is complete.
    """
    if not repo.revisions:
        return
    newest = max(
        repo.revisions, key=lambda revision: ("main" in revision.refs, revision.last_modified)
    )
    root = newest.snapshot_path
    yield root, sorted(file.file_path.relative_to(root).as_posix() for file in newest.files)


def _parts_in(where: str, chosen: str, files: Sequence[str]) -> list[str]:
    path = PurePosixPath(chosen)
    names = [str(path.with_name(name)) for name in part_names(path.name)]
    missing = [name for name in names if name not in files]
    if missing:
        raise ModelLoadError(f"{chosen} has parts that are not in {where}: {listed(missing)}")
    return names


def _download_file(repo: str, name: str, *, cached: bool) -> Path:
    import huggingface_hub as hub
    from huggingface_hub.errors import GatedRepoError

    try:
        return Path(str(hub.hf_hub_download(repo, name, local_files_only=cached)))
    except GatedRepoError as error:
        raise ModelLoadError(_gated(repo)) from error
    except Exception as error:  # as above; a full disk, too
        raise ModelLoadError(
            f"{repo}: {name} cannot be downloaded: {error}; {_without_network(repo)}"
        ) from error


@contextmanager
def _progress_bars(*, shown: bool) -> Iterator[None]:
    """The progress bars of the Hub's client, which show on a terminal only, or none at all."""
    # These names are documented, but not re-exported as type checkers demand.
    utils: Any = import_module("huggingface_hub.utils")
    hide = not shown and not utils.are_progress_bars_disabled()
    if hide:
        utils.disable_progress_bars()
    try:
        yield
    finally:
        if hide:
            utils.enable_progress_bars()


# --- messages ---


def _gated(repo: str) -> str:
    return (
        f"repository {repo} is gated: accept its conditions on its page, "
        "and set HF_TOKEN to a token of yours"
    )


def _without_network(repo: str) -> str:
    return f"you can put a GGUF file of {repo} on this disk yourself, and name it: -m FILE"


def _other_places(repo: str, listing: _Listing) -> str:
    """The remedy where a repository, or what the cache has of it, lacks the file."""
    if listing.cached:
        return f"; {_without_network(repo)}"
    if any(is_model_name(name) for name in listing.files):
        return ""
    return f"; look for a repository with GGUF files, such as {repo}-GGUF"


OLLAMA_PREFIX = "ollama:"
"""Names of models with it are Ollama's."""

_FOLDER_VARIABLE = "OLLAMA_MODELS"
_SERVICE_FOLDER = Path("/usr/share/ollama/.ollama/models")  # of its installation on Linux
_HOST, _NAMESPACE, _TAG = "registry.ollama.ai", "library", "latest"
_WEIGHTS = "application/vnd.ollama.image.model"
_ADAPTER = "application/vnd.ollama.image.adapter"
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model that Ollama has, whether it can be used or not."""

    name: str
    """As ``ollama list`` shows it: ``qwen3:0.6b``."""
    path: Path | None
    """The file with its weights; None if there is none that can be used."""
    problem: str = ""
    """The reason why it cannot be used."""


def ollama_folders() -> list[Path]:
    """The folders in which Ollama's models may be, those that exist."""
    named = os.environ.get(_FOLDER_VARIABLE)
    places = [Path(named)] if named else [Path.home() / ".ollama" / "models", _SERVICE_FOLDER]
    return [place for place in places if _is_folder(place / "manifests")]


def ollama_models() -> list[OllamaModel]:
    """All models of Ollama, by name."""
    models: dict[str, OllamaModel] = {}
    for folder in ollama_folders():
        for manifest in _manifests(folder / "manifests"):
            name = _shown_name(manifest.relative_to(folder / "manifests"))
            models.setdefault(name, _read(folder, name, manifest))
    return [models[name] for name in sorted(models)]


def ollama_model(name: str) -> Path:
    """The file with the weights of one of Ollama's models, named as Ollama does.

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
        close = difflib.get_close_matches(wanted, known, n=3)
        has = f"did you mean {' or '.join(close)}?" if close else f"it has {listed([*known])}"
        raise ModelLoadError(
            f"Ollama has no model {wanted} in {' or '.join(map(str, folders))}: {has} "
            f"To get it: ollama pull {name}"
        )
    model = known[wanted]
    if model.path is None:
        raise ModelLoadError(f"Ollama's model {wanted} cannot be used: {model.problem}")
    return model.path


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # of another user
        return False


def _manifests(folder: Path) -> Iterator[Path]:
    """The files at the depth of tags; hidden ones are none."""
    for path in sorted(folder.glob("*/*/*/*")):
        if path.is_file() and not path.name.startswith("."):
            yield path


def _shown_name(path: Path) -> str:
    """A name without the parts that Ollama takes for granted."""
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
    """The file of a digest, whose colon is a hyphen since early versions."""
    match = _DIGEST.fullmatch(digest)
    if match is None:
        return None
    paths = [folder / "blobs" / f"sha256{mark}{match[1]}" for mark in "-:"]
    return next((path for path in paths if path.is_file()), paths[0])


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
