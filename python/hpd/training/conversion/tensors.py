"""The tensors of a checkpoint, read one at a time: a model may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpd.errors import InputError
from hpd.training.conversion.files import read_json

_FLOATS = ("F64", "F32", "F16", "BF16")


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor in a safetensors file."""

    path: Path
    name: str
    shape: tuple[int, ...]

    def load(self) -> NDArray[np.float32]:
        """Its values."""
        import torch
        from safetensors import safe_open

        # NumPy has no bfloat16, torch has.
        with safe_open(self.path, framework="pt") as file:
            values = file.get_tensor(self.name).to(torch.float32).numpy()
        return np.ascontiguousarray(values, dtype=np.float32)


def checkpoint_tensors(checkpoint: Path) -> Iterator[StoredTensor]:
    """A checkpoint's tensors, from one file or from its shards."""
    index = checkpoint / "model.safetensors.index.json"
    if index.exists():
        files = sorted(set(read_json(index)["weight_map"].values()))
    else:
        files = ["model.safetensors"]
        if not (checkpoint / files[0]).exists():
            raise InputError(
                f"{checkpoint} has no {files[0]}: save the model with transformers' "
                "save_pretrained, which writes it"
            )
    for file in files:
        yield from stored_tensors(checkpoint / file)


def stored_tensors(path: Path) -> Iterator[StoredTensor]:
    """The tensors of a safetensors file, in the order of their names."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            for name in sorted(file.keys()):
                part = file.get_slice(name)
                if part.get_dtype() not in _FLOATS:
                    raise InputError(
                        f"{path}: {name} is of type {part.get_dtype()}; only the weights of a "
                        f"model that is not quantised ({', '.join(_FLOATS)}) can be exported"
                    )
                yield StoredTensor(path, name, tuple(part.get_shape()))
    except (OSError, SafetensorError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
