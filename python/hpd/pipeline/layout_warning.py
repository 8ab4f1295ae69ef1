"""Warns of a layout that the model was not trained for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from hpd.errors import HpdWarning
from hpd.messages import caller_level
from hpd.options import OPTIONS, Options
from hpd.prompt.text import LABEL_KEY

if TYPE_CHECKING:
    from hpd._native import Model


class LayoutWarning(HpdWarning):
    """The layout ``label`` is used with a model whose file does not say it was trained for it."""


def warn_of_layout(model: Model, options: Options) -> None:
    """Warn if neither the model nor an adapter is marked as trained for the layout ``label``."""
    if options.layout != "label":
        return
    if "on" in (model.metadata(LABEL_KEY), *model.lora_metadata(LABEL_KEY)):
        return
    warnings.warn(
        f"layout 'label' ({OPTIONS['layout'].flag}): the file of this model does not say that it "
        "was taught letters in place of keys, without which values can be mostly wrong: "
        "hpd finetune --mask label teaches it, the layout 'branch' needs no teaching",
        LayoutWarning,
        stacklevel=caller_level(),
    )
