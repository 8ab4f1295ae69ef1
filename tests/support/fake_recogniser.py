"""A stand-in for RapidOCR, which recognises the text of pictures."""

import sys
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType

from hpd.files.formats.pictures import recogniser
from hpd.files.rows import RECOGNISER


@contextmanager
def recognising(monkeypatch, recognise):
    """Call a function in place of RapidOCR."""
    module = ModuleType(RECOGNISER)
    module.__spec__ = ModuleSpec(RECOGNISER, None)
    module.RapidOCR = lambda: recognise
    monkeypatch.setitem(sys.modules, RECOGNISER, module)
    recogniser.cache_clear()
    yield
    recogniser.cache_clear()
