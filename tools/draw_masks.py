"""Pictures of the masks, drawn from the code that makes them.

    python -m tools.draw_masks docs/images

Needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from hpd.training import masks
from hpd.training.masks import MASKS, Kind, Mask, Order, Roles, RowLayout

# A prompt of one token and three attributes of one, as in the paper's figure 3; values of three,
# two and three tokens that are fed.
_N_PROMPT = 1
_N_KEYS = (1, 1, 1)
_N_VALUES = (3, 2, 3)
_K_MAX = 4

_COLORS = {"hidden": "#ffffff", "prompt": "#d9d9d9", "key": "#9ecae1", "value": "#fdae6b"}
_BLOCKED = "#e34a33"
_TITLES = {"natural": "in training", "steps": "while decoding"}


def picture(mask: Mask, n_documents: int = 1) -> Any:
    """A figure of one mask in both orders, side by side."""
    from matplotlib.figure import Figure

    n_keys, n_values = _N_KEYS * n_documents, _N_VALUES * n_documents
    layout = RowLayout(mask, _N_PROMPT + n_documents - 1, n_keys, _K_MAX)
    n = layout.n_prompt + sum(n_keys) + sum(n_values)
    size = 0.9 + 0.27 * n
    figure = Figure(figsize=(2 * size, size + 0.2), layout="constrained")
    orders: tuple[Order, Order] = ("natural", "steps")
    for axes, order in zip(figure.subplots(1, 2), orders, strict=True):
        _draw(axes, mask, layout.whole(n_values, order))
        axes.set_title(f"{mask}, {_TITLES[order]}", fontsize=10, pad=34)
    return figure


def names(roles: Roles) -> list[str]:
    """The names of the tokens: p, a1, v1.2 (value 1, token 2)."""
    labels = []
    for kind, field, step in zip(roles.kind, roles.field, roles.step, strict=True):
        if kind == Kind.PROMPT:
            labels.append("p")
        elif kind == Kind.KEY:
            labels.append(f"a{field + 1}")
        else:
            labels.append(f"v{field + 1}.{step}")
    return labels


def _draw(axes: Any, mask: Mask, roles: Roles) -> None:
    from matplotlib.colors import to_rgb

    every = roles.at(np.s_[None, :]), roles.at(np.s_[:, None])
    seen = masks.sees(mask, every[1], every[0])
    # What plain causal attention over the finished text would see as well.
    text = np.lexsort((roles.step, np.maximum(roles.field, -1)))
    place = np.argsort(text)
    causal = place[None, :] <= place[:, None]
    colors = np.full((*seen.shape, 3), to_rgb(_COLORS["hidden"]))
    for kind in (Kind.PROMPT, Kind.KEY, Kind.VALUE):
        colors[seen & (roles.kind == kind)[None, :]] = to_rgb(_COLORS[kind.name.lower()])
    colors[causal & ~seen] = to_rgb(_BLOCKED)
    axes.imshow(colors, interpolation="nearest")
    labels = names(roles)
    ticks = range(len(labels))
    positions = [
        f"{label}  {position}" for label, position in zip(labels, roles.position, strict=True)
    ]
    axes.set_xticks(ticks, labels, rotation=90, fontsize=7)
    axes.set_yticks(ticks, positions, fontsize=7)
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(len(labels) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(labels) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="#bbbbbb", linewidth=0.5)
    axes.tick_params(which="both", length=0)


def main(folder: Path) -> None:
    """Write a PNG for each mask."""
    folder.mkdir(parents=True, exist_ok=True)
    for mask in MASKS:
        # Without the date and the version of matplotlib the same picture is the same file.
        picture(mask).savefig(folder / f"mask-{mask}.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
