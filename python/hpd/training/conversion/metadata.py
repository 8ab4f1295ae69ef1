"""A text in the metadata of a GGUF file that is there already."""

from __future__ import annotations

from pathlib import Path

import gguf
from gguf.scripts.gguf_new_metadata import MetadataDetails, copy_with_new_metadata

from hpd.training.conversion.files import Replacing


def set_metadata(path: Path, key: str, text: str) -> None:
    """Write a text into a model file's metadata; the weights stay as they are.

    Args:
        path: the file; it is replaced whole, or not at all.
        key: takes the place of what is there under this name.
        text: what to write; an empty one takes the key away.
    """
    reader = gguf.GGUFReader(path)
    architecture = reader.get_field(gguf.Keys.General.ARCHITECTURE)
    assert architecture is not None, "llama.cpp loads no file without"
    new = {key: MetadataDetails(gguf.GGUFValueType.STRING, text)} if text else {}
    with Replacing(path) as fresh:
        writer = gguf.GGUFWriter(fresh, arch=architecture.contents(), endianess=reader.endianess)
        alignment = reader.get_field(gguf.Keys.General.ALIGNMENT)
        if alignment is not None:
            writer.data_alignment = alignment.contents()
        copy_with_new_metadata(reader, writer, new, [] if text else [key])
