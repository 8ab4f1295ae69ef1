"""A warning where a model is asked in a layout that nobody taught it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from hpd.options import OPTIONS, Options
from hpd.prompt import LABEL_KEY

if TYPE_CHECKING:
    from hpd._native import Model


class UntaughtWarning(UserWarning):
    """A model is asked in the layout ``label``, and its file does not say that it was taught it."""


def warn_of_untaught(model: Model, options: Options) -> None:
    """Warn if neither a model nor an adapter says that it was taught the layout it is asked in."""
    if options.layout != "label":
        return
    if "on" in (model.metadata(LABEL_KEY), *model.lora_metadata(LABEL_KEY)):
        return
    warnings.warn(
        f"layout 'label' ({OPTIONS['layout'].flag}): the file of this model does not say that it "
        "was taught letters in place of keys, without which values can be mostly wrong: "
        "hpd finetune --mask label teaches it, the layout 'branch' needs no teaching",
        UntaughtWarning,
        stacklevel=3,
    )
