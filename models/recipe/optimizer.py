"""Muon for the matrices, AdamW for the rest."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.optim import AdamW

from hpd.training.precision import bf16_is_faster
from recipe.model import Box

MATRICES = ("q", "k", "v", "o", "gate", "up", "down")


def orthogonal(gradient: Tensor, n_steps: int = 5) -> Tensor:
    """The nearest orthogonal matrices, roughly, by Newton and Schulz's iteration (batched)."""
    x = gradient.to(torch.bfloat16 if bf16_is_faster(gradient.device.type) else torch.float32)
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(n_steps):
        product = x @ x.mT
        x = 3.4445 * x + (-4.7750 * product + 2.0315 * product @ product) @ x
    return (x.mT if tall else x).float()


class Optimizer:
    """Both optimizers behind one step; ``scale`` is the schedule's factor."""

    def __init__(
        self, model: Box, matrix_rate: float = 0.015, other_rate: float = 3e-3, decay: float = 0.02
    ) -> None:
        self.matrices = [getattr(model, name) for name in MATRICES]
        self.momenta = [torch.zeros_like(matrix) for matrix in self.matrices]
        ids = {id(matrix) for matrix in self.matrices}
        self.others = [parameter for parameter in model.parameters() if id(parameter) not in ids]
        self.adam = AdamW(
            self.others, lr=other_rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True
        )
        self.matrix_rate, self.other_rate, self.decay = matrix_rate, other_rate, decay

    @torch.no_grad()
    def step(self, scale: float, momentum: float = 0.95) -> None:
        """Clip the gradients, update the weights, clear the gradients."""
        torch.nn.utils.clip_grad_norm_(self.others, 1.0)
        for group in self.adam.param_groups:
            group["lr"] = self.other_rate * scale
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        for matrix, average in zip(self.matrices, self.momenta, strict=True):
            gradient = matrix.grad
            assert gradient is not None
            average.lerp_(gradient, 1 - momentum)
            update = orthogonal(gradient.lerp(average, momentum))
            rate = self.matrix_rate * scale
            matrix.mul_(1 - rate * self.decay)
            matrix.add_(update, alpha=-rate * max(1.0, matrix.shape[-2] / matrix.shape[-1]) ** 0.5)
            matrix.grad = None

    def state(self) -> dict[str, object]:
        """The state of both optimizers, for a checkpoint."""
        return {"momenta": self.momenta, "adam": self.adam.state_dict()}

    def restore(self, state: dict[str, object]) -> None:
        """Take over the state from a checkpoint."""
        for mine, theirs in zip(self.momenta, state["momenta"], strict=True):  # type: ignore[call-overload]
            mine.copy_(theirs)
        self.adam.load_state_dict(state["adam"])  # type: ignore[arg-type]
