"""Copies of model files that this processor reads faster, with the same weights.

ggml multiplies weights of type Q4_K and Q5_K by different code, and on some processors that for
Q5_K is much faster. A block of Q4_K is a block of Q5_K whose fifth bits are zero, so a file can be
rewritten without loss. A copy takes more memory, and single tokens take longer, so it is used only
with ``method="hpd"``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from contextlib import suppress
from pathlib import Path

from hpd.errors import HpdError, HpdWarning
from hpd.messages import caller_level
from hpd.models.cache import cache_folder, cached_value, content_fingerprint
from hpd.models.gguf_files import part_names, read_gguf_header
from hpd.models.hardware import devices, n_cores, processor
from hpd.models.weight_speed import N_DECODING, N_READING, weight_speeds
from hpd.options import Options, option_label
from hpd.version import __version__

NARROW, WIDE = "Q4_K", "Q5_K"
MIN_GAIN = 1.15
"""A copy is made if a document is read and answered at least this many times as fast."""
MAX_COPIES_BYTES = 20 << 30
"""Maximum size of all copies; the least recently used one is deleted to make room."""
_MIN_SHARE = 0.5
"""Minimum share of a file's weights that are of the narrow type."""
_MIN_FREE_BYTES = 5 << 30
"""Space that must remain on the disk."""
_N_DECODING_STEPS = 8
"""Batches of values per batch of documents, as with short texts and about ten attributes."""


class WiderCopyWarning(HpdWarning):
    """Says that a faster copy of a model was made, or why it could not be."""


def copies_folder() -> Path:
    """Return the folder of the copies, which may not exist yet."""
    return cache_folder() / "wider-copies"


def file_to_load(path: Path, options: Options) -> Path:
    """Return the file to load for a model: its wider copy if that is faster, else itself.

    The copy is made if there is none yet, which takes a few seconds for each gigabyte.
    """
    if not options.wider_copy or options.method != "hpd" or options.deterministic:
        return path
    if options.n_gpu_layers != 0 and devices():
        return path
    try:
        n_bytes = _n_bytes_of_copy(path)
        n_threads = options.n_threads_batch or options.n_threads or n_cores()
        if not n_bytes or speed_gain(n_threads) < MIN_GAIN:
            return path
        copy = copies_folder() / f"{content_fingerprint(path)}.gguf"
        if copy.exists():
            with suppress(OSError):
                os.utime(copy)
            return copy
        return _make_copy(path, copy, n_bytes)
    except (HpdError, OSError):
        return path  # Loading the file itself says what is wrong with it.


def speed_gain(n_threads: int) -> float:
    """Return how many times as fast this processor reads and answers a document with wide weights.

    It is measured once, in about two seconds, and stored.

    Raises:
        DecodeError: a product is wrong.
    """

    def measured() -> float:
        narrow, wide = (
            speed.seconds[N_READING] + _N_DECODING_STEPS * speed.seconds[N_DECODING]
            for speed in weight_speeds(n_threads, (NARROW, WIDE), (N_READING, N_DECODING))
        )
        return narrow / wide

    about = {"processor": processor(), "n_threads": n_threads}
    known = json.dumps([*about.values(), __version__])
    digest = hashlib.sha256(known.encode()).hexdigest()[:16]
    return cached_value(f"wide-weights-{digest}.json", "gain", measured, **about)


def _n_bytes_of_copy(path: Path) -> int:
    """Return the size of a copy; 0 if few weights would be wider, or the model is in parts."""
    if part_names(path.name) != [path.name]:
        return 0
    header = read_gguf_header(path)
    n_narrow = sum(each.n_bytes for each in header.tensors if each.type.upper() == NARROW)
    if n_narrow < _MIN_SHARE * header.n_weight_bytes:
        return 0
    return path.stat().st_size + n_narrow * 32 // 144  # The fifth bits of each block.


def _make_copy(path: Path, copy: Path, n_bytes: int) -> Path:
    """Make a copy and return it; return the file itself if that is not possible."""
    from hpd import _native

    size = f"{n_bytes / 1e9:.1f} GB"
    off = f"{option_label('wider_copy')}=off prevents it"
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(copy.parent).free < n_bytes + _MIN_FREE_BYTES:
            return path
        _make_room(copy.parent, n_bytes)
        partial = copy.with_suffix(f".{os.getpid()}")
        try:
            _native.write_wider_copy(str(path), str(partial))
            partial.replace(copy)
        finally:
            partial.unlink(missing_ok=True)
    except (HpdError, OSError) as error:
        warnings.warn(
            f"{path} would be read faster from a copy with wider weights, which could not be made: "
            f"{error}; {off}",
            WiderCopyWarning,
            stacklevel=caller_level(),
        )
        return path
    warnings.warn(
        f"{path.name} is read faster by this processor from a copy with wider weights, which was "
        f"made in {copy.parent} ({size}). It may be deleted at any time; {off}",
        WiderCopyWarning,
        stacklevel=caller_level(),
    )
    return copy


def _make_room(folder: Path, n_bytes: int) -> None:
    copies = sorted(folder.glob("*.gguf"), key=lambda copy: copy.stat().st_mtime)
    sizes = [copy.stat().st_size for copy in copies]
    while copies and sum(sizes) + n_bytes > MAX_COPIES_BYTES:
        copies.pop(0).unlink(missing_ok=True)
        sizes.pop(0)
