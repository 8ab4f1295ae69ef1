"""The file of a model: a local one, one on the Hugging Face Hub, or the model in the box.

Nothing is loaded here; the result is the path of a GGUF file that llama.cpp can open.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from hpd.errors import ModelLoadError

BOX_NAME = "hpd-box.gguf"
MODEL_VARIABLE = "HPD_MODEL"
"""The environment variable that names the model if the user does not."""

PREFERRED_QUANTS = ("Q4_K_M", "Q8_0")
"""The quantisations to prefer in a repository with several; if it has none of these, its first
file is taken."""

_MAGIC = b"GGUF"
_LFS_POINTER = b"version https://git-lfs"
_PART = re.compile(r"^(?P<stem>.*)-(?P<part>\d{5})-of-(?P<n_parts>\d{5})\.gguf$", re.IGNORECASE)
_NOT_MODELS = re.compile(r"(^|[-._/])(mmproj|imatrix)", re.IGNORECASE)
_URL_HOST = re.compile(r"^(https?://)?[\w.-]+\.[a-z]{2,}/(?=[^/]+/[^/]+)", re.IGNORECASE)
_N_NAMES_SHOWN = 20
_TIMEOUT = 10.0


def resolve_model(
    model: str | Path | None = None, hf: str | None = None, *, progress: bool = True
) -> Path:
    """The GGUF file to open; of a split model, its first part, with the others beside it.

    ``model`` is a path. ``hf`` is ``user/repo``, ``user/repo:QUANT`` or ``user/repo:file.gguf``,
    downloaded into Hugging Face's cache. With neither, ``HPD_MODEL`` names a path, or else it is
    the model in the box. Raises ``ModelLoadError``, saying what to do.
    """
    if model is not None and hf is not None:
        raise ModelLoadError("give a local model or a Hugging Face repository, not both")
    if hf is not None:
        return check_gguf(download(hf, progress=progress))
    chosen = model or os.environ.get(MODEL_VARIABLE)
    return local_model(chosen) if chosen else box_model()


def resolve_draft_model(name: str, *, progress: bool = True) -> Path:
    """The GGUF file of a path or, where there is none such, of ``user/repo[:QUANT]``.

    Raises ``ModelLoadError``, saying what to do.
    """
    path = Path(name).expanduser()
    is_file = path.exists() or not _looks_like_repo(path)
    if is_file or (":" not in name and name.lower().endswith(".gguf")):
        return local_model(path)
    return check_gguf(download(name, progress=progress))


def local_model(path: str | Path) -> Path:
    """The GGUF file at a path; of a split model, all parts must be there."""
    path = Path(path).expanduser()
    if path.is_dir():
        inside = sorted(entry.name for entry in path.glob("*.gguf"))
        content = f"it holds {_names(inside)}" if inside else "and it holds no GGUF file"
        raise ModelLoadError(f"{path} is a folder, {content}; name the file")
    if not path.exists():
        hint = (
            "; for a repository on the Hugging Face Hub, say -hf" if _looks_like_repo(path) else ""
        )
        raise ModelLoadError(f"there is no model {path}{hint}")
    parts = [path.with_name(name) for name in part_names(path.name)]
    missing = [part.name for part in parts if not part.exists()]
    if missing:
        raise ModelLoadError(
            f"{path.name} is one of {len(parts)} parts, and these are not in {path.parent}: "
            f"{_names(missing)}"
        )
    for part in parts:
        check_gguf(part)
    return parts[0]


def box_model() -> Path:
    """The model that comes with hpd: in the installed package, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    places = [package / "models" / BOX_NAME, package.parents[1] / "models" / BOX_NAME]
    for place in places:
        if place.exists():
            return check_gguf(place)
    raise ModelLoadError(
        f"this installation of hpd has no model in the box ({places[0]}); "
        "name one: -m file.gguf, or -hf user/repo"
    )


def check_gguf(path: Path) -> Path:
    """Return ``path``; raise ``ModelLoadError`` if the file does not begin like a GGUF file."""
    try:
        with open(path, "rb") as file:
            start = file.read(len(_LFS_POINTER))
    except OSError as error:
        raise ModelLoadError(f"{path}: cannot be opened: {error.strerror or error}") from error
    if start.startswith(_MAGIC):
        return path
    if start.startswith(_LFS_POINTER):
        raise ModelLoadError(
            f"{path} is a git-lfs pointer, not the model itself: run git lfs pull where it lies"
        )
    content = f"it begins with {start[:8]!r}" if start else "it is empty"
    raise ModelLoadError(f"{path} is not a GGUF file: {content}")


def part_names(name: str) -> list[str]:
    """The names of all parts of a split model, in order; any other model is its own only part."""
    match = _PART.match(name)
    if match is None:
        return [name]
    n_parts = int(match["n_parts"])
    return [
        f"{match['stem']}-{part:05d}-of-{n_parts:05d}{name[-5:]}" for part in range(1, n_parts + 1)
    ]


def parse_lora(text: str) -> tuple[str, float]:
    """Split ``file.gguf`` or ``file.gguf:scale`` into a path and a scale, which is 1 if not given.

    Other colons, such as a drive's, belong to the path.
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
    """The GGUF file of an adapter at a path."""
    path = Path(path).expanduser()
    if not path.is_file():
        raise ModelLoadError(f"there is no adapter {path}")
    return check_gguf(path)


# --- the Hugging Face Hub ---


def download(hf: str, *, progress: bool = True) -> Path:
    """The local path of ``user/repo[:QUANT]``, downloaded if it is not in the cache yet.

    ``HF_HOME``, ``HF_TOKEN``, ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE`` mean what they always do. A
    progress bar shows on a terminal only.
    """
    repo, quant = parse_hf(hf)
    listing = _list_files(repo)
    chosen = choose_file(listing.where, listing.files, quant)
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


def choose_file(where: str, files: Sequence[str], quant: str | None = None) -> str:
    """The GGUF file to open: of the given quantisation, or else of the preferred one.

    ``where`` is the name in messages of the place that holds ``files``.
    """
    ggufs = sorted(
        (name for name in files if name.lower().endswith(".gguf") and not _NOT_MODELS.search(name)),
        key=lambda name: (len(name), name),
    )
    if not ggufs:
        raise ModelLoadError(f"no GGUF in {where}; it has: {_names(sorted(files))}")
    for tag in PREFERRED_QUANTS if quant is None else (quant,):
        for name in ggufs:
            if _has_tag(name, tag):
                return name
    if quant is not None:
        raise ModelLoadError(f"no {quant} in {where}; it has: {_names(sorted(ggufs))}")
    return min(ggufs)


def _has_tag(name: str, tag: str) -> bool:
    if tag.lower() in (name.lower(), PurePosixPath(name).name.lower()):
        return True
    # Q4_K is not in Q4_K_M, nor Q4_0 in IQ4_0.
    pattern = rf"(?:^|[-._/]){re.escape(tag)}(?=[-./]|$)"
    return re.search(pattern, name[: -len(".gguf")], re.IGNORECASE) is not None


def _parts_in(where: str, chosen: str, files: Sequence[str]) -> list[str]:
    path = PurePosixPath(chosen)
    names = [str(path.with_name(name)) for name in part_names(path.name)]
    missing = [name for name in names if name not in files]
    if missing:
        raise ModelLoadError(f"{chosen} has parts that are not in {where}: {_names(missing)}")
    return names


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
            raise ModelLoadError(f"{repo} is not in the cache, and {why}") from error
        return _Listing(f"the cache of {repo} ({why})", files, cached=True)


def _cached_files(repo: str) -> list[str]:
    """The files of a repository in the cache: of its main branch, or else the newest ones."""
    import huggingface_hub as hub
    from huggingface_hub.errors import CacheNotFound

    try:
        cache = hub.scan_cache_dir()
    except CacheNotFound:
        return []
    revisions = [
        revision
        for cached in cache.repos
        if cached.repo_type == "model" and cached.repo_id == repo
        for revision in cached.revisions
    ]
    if not revisions:
        return []
    newest = max(revisions, key=lambda revision: ("main" in revision.refs, revision.last_modified))
    root = newest.snapshot_path
    return sorted(file.file_path.relative_to(root).as_posix() for file in newest.files)


def _download_file(repo: str, name: str, *, cached: bool) -> Path:
    import huggingface_hub as hub
    from huggingface_hub.errors import GatedRepoError

    try:
        return Path(str(hub.hf_hub_download(repo, name, local_files_only=cached)))
    except GatedRepoError as error:
        raise ModelLoadError(_gated(repo)) from error
    except Exception as error:  # as above; a full disk, too
        raise ModelLoadError(f"{repo}: {name} cannot be downloaded: {error}") from error


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


def _gated(repo: str) -> str:
    return (
        f"repository {repo} is gated: accept its conditions on its page, "
        "and set HF_TOKEN to a token of yours"
    )


# --- messages ---


def _looks_like_repo(path: Path) -> bool:
    return re.fullmatch(r"[\w.-]+/[\w.-]+(:[\w.-]+)?", str(path)) is not None


def _names(names: Sequence[str]) -> str:
    shown = list(names[:_N_NAMES_SHOWN])
    if len(names) > len(shown):
        shown.append(f"and {len(names) - len(shown)} more")
    return ", ".join(shown) or "nothing"
