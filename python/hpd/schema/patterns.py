"""Regular expressions of a schema, with a limit on the time that one may take.

Some patterns need more steps for each further character of a text that they do not match:
``^(a+)+$`` would take years on forty of them. Python's own engine cannot be stopped, so another one
with the same syntax tries them. Its ``\\w`` is Unicode's word character: unlike Python's, it takes
combining marks and does not take signs such as a superscript two or a fraction.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any, Final

PATTERN_SECONDS: Final = 1.0
"""The time that a pattern may take on one value; all but those that explode take microseconds."""


def check_pattern(pattern: object) -> None:
    """Refuse what is not a regular expression.

    Raises:
        ValueError: with the reason.
    """
    if not isinstance(pattern, str):
        raise ValueError("it is not text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
        _compiled(pattern)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (re.error, OverflowError, MemoryError) as error:
        raise ValueError(str(error) or "it is too large") from None
    except Exception as error:  # whatever the other engine raises
        raise ValueError(str(error)) from None


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text.

    Raises:
        TimeoutError: that is not known after ``PATTERN_SECONDS``.
    """
    return _compiled(pattern).search(text, timeout=PATTERN_SECONDS) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import regex

    with warnings.catch_warnings():
        # About signs that the other engine may once read differently.
        warnings.simplefilter("ignore")
        return regex.compile(pattern)
