"""The body of a request: a JSON object, and its parts by name and kind."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, NoReturn, TypeVar

from hpd.serving.refusals import bad_request

T = TypeVar("T")

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_KINDS: Mapping[type, str] = {str: "text", list: "a list", dict: "an object", bool: "true or false"}


def json_object(body: bytes) -> dict[str, Any]:
    """The object that a body holds.

    Raises:
        RefusedError: it is no object of valid JSON, or names a key twice.
    """
    try:
        parsed = json.loads(
            body.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_no_constant
        )
        if _SURROGATE.search(body):
            json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise bad_request(f"the body is not UTF-8: {error.reason}", code="invalid_json") from None
    except UnicodeEncodeError:
        raise bad_request(
            "the body holds half of a surrogate pair, which no text can", code="invalid_json"
        ) from None
    except json.JSONDecodeError as error:
        raise bad_request(
            f"the body is not valid JSON: {error.msg} (line {error.lineno}, character "
            f"{error.colno})",
            code="invalid_json",
        ) from None
    except (RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise bad_request(f"the body cannot be read: {reason}", code="invalid_json") from None
    if not isinstance(parsed, dict):
        raise bad_request("the body must be a JSON object", code="invalid_json")
    return parsed


def check_names(source: Mapping[str, Any], known: Collection[str], where: str = "") -> None:
    """Refuse parts that have no meaning here.

    Raises:
        RefusedError: naming the first one.
    """
    for name in source:
        if name not in known:
            place = f"{where}.{name}" if where else name
            raise bad_request(
                f"{place[:200]!r} is not known here; there are {', '.join(sorted(known))}",
                param=place[:200],
                code="unknown_parameter",
            )


def part(source: Mapping[str, Any], name: str, kind: type[T], where: str = "") -> T | None:
    """A part of a kind; None where it is missing or null.

    Raises:
        RefusedError: it is of another kind.
    """
    value = source.get(name)
    if value is None or isinstance(value, kind):
        return value
    place = f"{where}.{name}" if where else name
    raise bad_request(f"{place!r} must be {_KINDS[kind]}", param=place, code="invalid_type")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the key {twice[:80]!r} twice")
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
