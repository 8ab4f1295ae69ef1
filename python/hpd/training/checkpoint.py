"""A checkpoint: all that a training run needs to go on, in a file that is whole or not there."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hpd.errors import InputError

Tensors = dict[str, Any]

CHECKPOINT_FILE = "checkpoint.pt"


@dataclass(slots=True)
class Progress:
    """The progress of a run."""

    step: int = 0
    """Updates done."""
    best_f1: float = -1.0
    best_step: int = 0
    n_worse: int = 0
    """Validations since the best one."""
    stopped: bool = False
    """It ended early."""


@dataclass(slots=True)
class Checkpoint:
    """A run's state."""

    progress: Progress
    weights: Tensors
    optimizer: dict[str, Any]
    best_weights: Tensors = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    """The settings that must be the same for the run to go on."""

    def save(self, folder: Path) -> None:
        """Write it in place of the last one."""
        import torch

        path = folder / CHECKPOINT_FILE
        fresh = path.with_suffix(".new")
        torch.save(
            {
                "progress": asdict(self.progress),
                "weights": self.weights,
                "optimizer": self.optimizer,
                "best_weights": self.best_weights,
                "settings": self.settings,
            },
            fresh,
        )
        os.replace(fresh, path)

    @classmethod
    def load(cls, folder: Path, settings: dict[str, Any]) -> Checkpoint | None:
        """The last one, or None; ``InputError`` if it is of a run with other settings."""
        import torch

        path = folder / CHECKPOINT_FILE
        if not path.exists():
            return None
        saved = torch.load(path, map_location="cpu", weights_only=True)
        for name, value in settings.items():
            before = saved["settings"].get(name)
            if before != value:
                raise InputError(
                    f"{path} is of a run with {name} {before}, not {value}: "
                    "go on with the same settings, or train into another folder"
                )
        saved["progress"] = Progress(**saved["progress"])
        return cls(**saved)


def trained_weights(model: Any) -> Tensors:
    """Copies of the weights that are trained."""
    return {
        name: parameter.detach().cpu().clone()
        for name, parameter in model.named_parameters()
        if parameter.requires_grad
    }


def set_weights(model: Any, weights: Tensors) -> None:
    """Put trained weights back."""
    import torch

    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, tensor in weights.items():
            parameters[name].copy_(tensor)
