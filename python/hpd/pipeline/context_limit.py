"""The limit of the tokens that one prompt may have with its values, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContextLimit:
    """The KV cells that one request may take, and who limits them.

    Args:
        n_engine: the cells of the engine.
        n_trained: the tokens for which the model was trained, as its file says; 0 if it does not.
        n_asked: the ``n_ctx`` of the user; 0 if hpd chose it.
    """

    n_engine: int
    n_trained: int
    n_asked: int

    @property
    def n_cells(self) -> int:
        """The limit. A model knows no positions beyond those of its training."""
        return min(self.n_engine, self.n_trained) if self.n_trained else self.n_engine

    @property
    def is_the_models(self) -> bool:
        """Whether it is the model that has no room for more."""
        return 0 < self.n_trained <= self.n_engine

    @property
    def reason(self) -> str:
        """The one who set it, and how far it can be raised; in a clause of an error message."""
        if self.is_the_models:
            return "the limit is the model's, which was trained for no more"
        who = "by n_ctx (-c)" if self.n_asked else "by hpd, as n_ctx (-c) is not"
        most = f", up to the {self.n_trained} of the model's training" if self.n_trained else ""
        return f"the limit is set {who}: it can be raised{most}"
