"""llama-cpp-python's own class, without the kernels that crash on this processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import llama_cpp

from hpd.models.hardware import use_extra_bufts


def own_llama(model: Path, **options: Any) -> Any:
    """A ``llama_cpp.Llama``, which has no option that turns AMX and repacked weights off."""
    params = llama_cpp.llama_model_default_params()
    params.use_extra_bufts = use_extra_bufts()
    with patch("llama_cpp.llama_cpp.llama_model_default_params", lambda: params):
        return llama_cpp.Llama(str(model), verbose=False, **options)
