"""Models on the Hugging Face Hub and in its cache."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from hpd.errors import ModelLoadError
from hpd.models.gguf_files import listed_files, part_names

PREFERRED_QUANTS = ("Q4_K_M", "Q8_0")
"""The preferred quantisations, best first; if a repository has none of these, its first file is
used."""

_NOT_MODELS = re.compile(r"(^|[-._/])(mmproj|imatrix)", re.IGNORECASE)
_URL_HOST = re.compile(r"^(https?://)?[\w.-]+\.[a-z]{2,}/(?=[^/]+/[^/]+)", re.IGNORECASE)
_TIMEOUT = 10.0


class CachedFile(NamedTuple):
    """A file in the Hub's cache."""

    repo: str
    name: str
    """Its name in the repository."""
    path: Path


def download(hf_repo: str, *, progress: bool = True) -> Path:
    """Return the local path of ``user/repo[:QUANT]``, downloading it if it is not in the cache.

    Respects ``HF_HOME``, ``HF_TOKEN``, ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE``. Shows a progress bar
    on a terminal.
    """
    repo, quant = parse_hf(hf_repo)
    listing = _list_files(repo)
    try:
        chosen = choose_file(listing.where, listing.files, quant)
    except ModelLoadError as error:
        raise ModelLoadError(f"{error}{_other_repositories_hint(repo, listing)}") from error
    names = _parts_in(listing.where, chosen, listing.files)
    with _progress_bars(shown=progress):
        paths = [_download_file(repo, name, cached=listing.cached) for name in names]
    return paths[0]


def parse_hf(hf_repo: str) -> tuple[str, str | None]:
    """Split ``user/repo[:QUANT]`` into its two parts; a URL is accepted as well."""
    repo, _, quant = _URL_HOST.sub("", hf_repo.strip()).partition(":")
    repo = repo.strip("/")
    if not re.fullmatch(r"[^/\s]+/[^/\s]+", repo):
        raise ModelLoadError(
            f"{hf_repo!r} is not the name of a repository: expected user/repo[:QUANT]"
        )
    return repo, quant or None


def cached_models() -> list[CachedFile]:
    """Return the GGUF files in the Hub's cache, sorted by repository and name; of split models, the
    first part."""
    return sorted(
        file
        for file in _cached_files()
        if is_model_name(file.name) and part_names(file.path.name)[0] == file.path.name
    )


class _Listing(NamedTuple):
    where: str
    """The name of the source in messages."""
    files: list[str]
    cached: bool
    """Whether this is the cache, because the Hub cannot be reached."""


def _list_files(repo: str) -> _Listing:
    """List the files of a repository on the Hub or, if it cannot be reached, in the cache."""
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
        raise ModelLoadError(_gated_message(repo)) from error
    except RepositoryNotFoundError as error:
        raise ModelLoadError(
            f"there is no repository {repo} on the Hugging Face Hub, or it is private: "
            "then set HF_TOKEN to a token that may read it"
        ) from error
    # The HTTP library of the Hub's client has errors of its own, whichever that library is.
    except Exception as error:
        offline = isinstance(error, OfflineModeIsEnabled)
        why = "HF_HUB_OFFLINE is set" if offline else f"the Hub cannot be reached: {error}"
        files = sorted(file.name for file in _cached_files() if file.repo == repo)
        if not files:
            raise ModelLoadError(
                f"{repo} is not in the cache, and {why}; {_without_network(repo)}"
            ) from error
        return _Listing(f"the cache of {repo} ({why})", files, cached=True)


def _cached_files() -> Iterator[CachedFile]:
    """Yield the complete files in the Hub's cache: of each repository's main branch, or else of its
    newest revision."""
    import huggingface_hub as hub
    from huggingface_hub.errors import CacheNotFound

    try:
        repos = hub.scan_cache_dir().repos
    except CacheNotFound:
        return
    for repo in repos:
        if repo.repo_type == "model" and repo.revisions:
            newest = max(repo.revisions, key=lambda each: ("main" in each.refs, each.last_modified))
            for file in newest.files:
                name = file.file_path.relative_to(newest.snapshot_path).as_posix()
                yield CachedFile(repo.repo_id, name, newest.snapshot_path / name)


def _parts_in(where: str, chosen: str, files: Sequence[str]) -> list[str]:
    path = PurePosixPath(chosen)
    names = [str(path.with_name(name)) for name in part_names(path.name)]
    missing = [name for name in names if name not in files]
    if missing:
        raise ModelLoadError(f"{chosen} has parts that are not in {where}: {listed_files(missing)}")
    return names


def _download_file(repo: str, name: str, *, cached: bool) -> Path:
    import huggingface_hub as hub
    from huggingface_hub.errors import GatedRepoError

    try:
        return Path(str(hub.hf_hub_download(repo, name, local_files_only=cached)))
    except GatedRepoError as error:
        raise ModelLoadError(_gated_message(repo)) from error
    except Exception as error:  # as above; a full disk, too
        raise ModelLoadError(
            f"{repo}: {name} cannot be downloaded: {error}; {_without_network(repo)}"
        ) from error


@contextmanager
def _progress_bars(*, shown: bool) -> Iterator[None]:
    """Show the progress bars of the Hub's client, on a terminal only, or none at all."""
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


# --- the file of a repository ---


def is_model_name(name: str) -> bool:
    """Return whether a file name is that of a model, not of a projector or similar."""
    return name.lower().endswith(".gguf") and not _NOT_MODELS.search(name)


def choose_file(where: str, files: Sequence[str], quant: str | None = None) -> str:
    """Choose a GGUF file: of the given quantisation, or else of the preferred one.

    ``where`` names the source of ``files`` in messages.
    """
    ggufs = sorted(filter(is_model_name, files), key=lambda name: (len(name), name))
    if not ggufs:
        raise ModelLoadError(f"no GGUF in {where}; it has: {listed_files(sorted(files))}")
    for tag in PREFERRED_QUANTS if quant is None else (quant,):
        for name in ggufs:
            if _has_tag(name, tag):
                return name
    if quant is not None:
        raise ModelLoadError(f"no {quant} in {where}; it has: {listed_files(sorted(ggufs))}")
    return min(ggufs)


def _has_tag(name: str, tag: str) -> bool:
    if tag.lower() in (name.lower(), PurePosixPath(name).name.lower()):
        return True
    # Q4_K is not in Q4_K_M, nor Q4_0 in IQ4_0.
    pattern = rf"(?:^|[-._/]){re.escape(tag)}(?=[-./]|$)"
    return re.search(pattern, name[: -len(".gguf")], re.IGNORECASE) is not None


# --- messages ---


def _gated_message(repo: str) -> str:
    return (
        f"repository {repo} is gated: accept its conditions on its page, "
        "and set HF_TOKEN to your token"
    )


def _without_network(repo: str) -> str:
    return f"you can put a GGUF file of {repo} on this disk yourself, and name it as the model"


def _other_repositories_hint(repo: str, listing: _Listing) -> str:
    """Suggest other repositories where this one, or the cached part of it, lacks the file."""
    if listing.cached:
        return f"; {_without_network(repo)}"
    if any(is_model_name(name) for name in listing.files):
        return ""
    return f"; look for a repository with GGUF files, such as {repo}-GGUF"
