"""The colors of attributes: which has which, and that they can be told apart and read over."""

import re
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from hpd.show.page import SHARED_FOLDER
from hpd.show.shown_values import N_COLORS, color_slots

Array = npt.NDArray[np.float64]

CSS = (SHARED_FOLDER / "document.css").read_text(encoding="utf-8")
THEMES = ("light", "dark")
PAIRS = {
    name: colors
    for name, *colors in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", CSS
    )
}
MIX = r"color-mix\(in srgb, var\(--color\) (\d+)%"
(TINT,) = (int(p) / 100 for p in re.findall(rf"\.hpd mark {{[^}}]*background: {MIX}, tr", CSS))
(LABEL,) = (int(p) / 100 for p in re.findall(rf"::after {{[^}}]*color: {MIX}, var\(--ink", CSS))

# Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color
# vision deficiency", severity 1; they act on linear RGB.
VISIONS = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip


def srgb(name, theme):
    """A color of the style sheet, its parts from 0 to 1."""
    code = PAIRS[name][THEMES.index(theme)]
    return np.array([int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def linear(color):
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """As WCAG 2 defines it."""
    luminances = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)


def oklab(rgb):
    lms = np.array(
        [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]]
    ) @ rgb  # fmt: skip
    return np.array(
        [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
         [0.0259040371, 0.7827717662, -0.8086757660]]
    ) @ np.cbrt(lms)  # fmt: skip


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_colors_can_be_told_apart(theme, vision):
    seen = [
        oklab(np.clip(VISIONS[vision] @ linear(srgb(f"color-{i}", theme)), 0, 1))
        for i in range(N_COLORS)
    ]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) >= 0.08


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("number", range(N_COLORS))
def test_contrast_of_marks(theme, number):
    page, ink, color = (srgb(name, theme) for name in ("page", "ink", f"color-{number}"))
    tinted = TINT * color + (1 - TINT) * page
    assert contrast(color, page) >= 3
    assert contrast(ink, tinted) >= 4.5
    assert contrast(LABEL * color + (1 - LABEL) * ink, tinted) >= 4.5


def test_attributes_seen_together_have_different_colors():
    slots = color_slots({"shoes": ["brand", "color"], "tea": ["leaf", "brand"], "": ["origin"]})
    assert slots == {"brand": 0, "color": 1, "leaf": 1, "origin": 0}
