"""The checks of a schema: expressions over the values of an object.

``sum(lines.amount) == total`` is parsed as Python, but never run as Python: the few kinds of nodes
that are known here are evaluated one by one, and all others are refused when the schema is read.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from functools import lru_cache
from typing import Any, Final

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.checks import join_path

TOLERANCE: Final = Decimal("0.005")
"""The maximum difference of equal numbers: half a cent."""

_MAX_LENGTH: Final = 1000
_MAX_DEPTH: Final = 50
_TOO_DEEP: Final = f"it is nested more than {_MAX_DEPTH} levels deep: split it into several"
_MAX_DIGITS: Final = 9
_MAX_INTEGER: Final = 10**21
_FUNCTIONS: Final = ("sum", "len", "min", "max", "abs", "round")
_ORDERS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_QUOTED: Final = re.compile(r"""("[^"]*"|'[^']*')|`([^`]+)`""")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_SYNTAX: Final = (
    "a check has names, numbers, texts, comparisons, + - * /, and, or, not, and the functions "
    + ", ".join(_FUNCTIONS)
)
_ARITHMETIC: Final = Context(
    prec=50, rounding=ROUND_HALF_UP, traps=[InvalidOperation, DivisionByZero, Overflow]
)
_OPERATIONS: Final[dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]]] = {
    ast.Add: _ARITHMETIC.add,
    ast.Sub: _ARITHMETIC.subtract,
    ast.Mult: _ARITHMETIC.multiply,
    ast.Div: _ARITHMETIC.divide,
}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check that the data does not pass."""

    check: str
    """The expression, as in the schema."""
    passed: bool | None
    """False, or None if a value that it needs is null."""
    left: Any = None
    """The left side of a comparison: a number, text or boolean."""
    right: Any = None
    path: str = ""
    """The path of the object that has the check, such as ``lines[2]``; empty for the whole data."""

    def to_dict(self) -> dict[str, Any]:
        """Return the check's object in the output."""
        result: dict[str, Any] = {"check": self.check}
        if self.path:
            result["path"] = self.path
        result["passed"] = self.passed
        if self.left is not None or self.right is not None:
            result |= {"left": self.left, "right": self.right}
        return result


def check_text(check: Mapping[str, Any]) -> str:
    """Return a check's object in the output as text, with both sides of a comparison."""
    text = f"{check['path']}: {check['check']}" if "path" in check else str(check["check"])
    sides = [check.get(name) for name in ("left", "right")]
    if sides != [None, None]:
        left, right = ("unknown" if side is None else str(side) for side in sides)
        return f"{text} ({left} and {right})"
    return text if check["passed"] is False else f"{text} (unknown)"


def checks_not_passed(schema: Schema, data: Any) -> tuple[CheckResult, ...]:
    """Return the checks that data does not pass, or that are unknown because of nulls."""
    if not schema.has_checks:
        return ()
    if schema.has_unwrapped_root:
        return (*_checks_not_passed(schema.attributes[0], data, ""),)
    root = Attribute("", "object", attributes=schema.attributes, checks=schema.checks)
    return (*_checks_not_passed(root, data, ""),)


def _checks_not_passed(attribute: Attribute, data: Any, path: str) -> Iterator[CheckResult]:
    attribute = attribute.expanded
    if attribute.type == "union":
        # The data does not say which variant it is, so only a single object can have checks.
        objects = [each for each in attribute.attributes if not each.is_scalar]
        if len(objects) == 1:
            yield from _checks_not_passed(objects[0], data, path)
    elif attribute.type == "map" and attribute.item is not None and isinstance(data, dict):
        for name, part in data.items():
            yield from _checks_not_passed(attribute.item.attributes[1], part, join_path(path, name))
    elif attribute.type == "array" and attribute.item is not None and isinstance(data, list):
        for i, part in enumerate(data):
            yield from _checks_not_passed(attribute.item, part, join_path(path, i))
    elif attribute.type == "tuple" and isinstance(data, list):
        for i, (own, part) in enumerate(zip(attribute.attributes, data, strict=False)):
            yield from _checks_not_passed(own, part, join_path(path, i))
    elif attribute.type == "object" and isinstance(data, dict):
        for text in attribute.checks:
            passed, left, right = evaluate_check(text, data)
            if not passed:
                yield CheckResult(text, passed, left, right, path)
        for own in attribute.attributes:
            yield from _checks_not_passed(own, data.get(own.name), join_path(path, own.name))


def evaluate_check(text: str, data: Any) -> tuple[bool | None, Any, Any]:
    """Return whether data passes a check (None: unknown), and both sides if it is a comparison."""
    tree = _parse(text)
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        left, right = _evaluate_node(tree.left, data), _evaluate_node(tree.comparators[0], data)
        return _compare(tree.ops[0], left, right), _as_json(left), _as_json(right)
    return _truth(_evaluate_node(tree, data)), None, None


def _as_json(value: Any) -> Any:
    if not isinstance(value, Decimal):
        return value if isinstance(value, str | bool) else None
    if abs(value) < _MAX_INTEGER and value == value.to_integral_value():
        return int(value)
    return float(value) if math.isfinite(float(value)) else None


@lru_cache(maxsize=1024)
def _parse(text: str) -> ast.expr:
    """Parse a check; names that Python would not parse are in backticks."""
    names: list[str] = []

    def placeholder(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        names.append(match[2])
        return f"__{len(names) - 1}__"

    if len(text) > _MAX_LENGTH:
        raise ValueError(f"it has more than {_MAX_LENGTH} characters: split it into several")
    if "\\" in text:
        raise ValueError("a check has no backslashes")
    source = _QUOTED.sub(placeholder, text).replace("\n", " ").strip()
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ValueError(
            f"it is not an expression ({why}); two values are compared with =="
        ) from None
    meant = {f"__{i}__": name for i, name in enumerate(names)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = meant.get(node.id, node.id)
        elif isinstance(node, ast.Attribute):
            node.attr = meant.get(node.attr, node.attr)
    return tree


def _path(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [*_path(node.value), node.attr]
    raise _unknown(node)


def _unknown(node: ast.AST) -> ValueError:
    return ValueError(f"{ast.unparse(node)} is not allowed: {_SYNTAX}")


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the expressions from whose values that of a node is computed.

    Raises:
        ValueError: a check cannot have such a node.
    """
    match node:
        case ast.Constant(value=str()) | ast.Name():
            return []
        case ast.Constant(value=int() | float() as value) if not isinstance(
            value, bool
        ) and math.isfinite(value):
            return []
        case ast.Attribute():
            _path(node)
            return []
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return [operand]
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATIONS:
            return [left, right]
        case ast.BoolOp(values=values):
            return values
        case ast.Compare(left=left, ops=ops, comparators=others) if all(
            type(op) in _ORDERS for op in ops
        ):
            return [left, *others]
        case (
            ast.Call(func=ast.Name(id="sum" | "len" | "abs" | "round"), args=[_], keywords=[])
            | ast.Call(func=ast.Name(id="min" | "max"), args=[_, *_], keywords=[])
        ):
            return node.args
        case ast.Call(
            func=ast.Name(id="round"),
            args=[_, ast.Constant(value=int() as n_digits)],
            keywords=[],
        ) if not isinstance(n_digits, bool) and n_digits <= _MAX_DIGITS:
            return node.args
    raise _unknown(node)


# --- when the schema is read ---


_ANY: Final = object()
"""The sample of a value that may have several types."""
_SAMPLES: Final = {
    "string": "text",
    "integer": 2,
    "number": 2,
    "boolean": True,
    "date": "2024-05-31",
    "date-time": "2024-05-31T12:00:00",
    "object": {},
    "map": {},
}
_KINDS: Final = {list: "a list", dict: "an object", Decimal: "a number", bool: "true or false"}


def check_expression(text: str, attributes: Sequence[Attribute]) -> None:
    """Check, with sample values, that an expression can be evaluated on data of some attributes.

    Raises:
        ValueError: it cannot be parsed, has an unknown name, or has types that do not fit.
    """
    tree = _parse(text)
    try:
        value = _evaluate_samples(tree, attributes, 0)
    except RecursionError:  # from ast.unparse, for an error message
        raise ValueError(_TOO_DEEP) from None
    if value is not _ANY and not isinstance(value, bool):
        raise ValueError("it is neither true nor false: compare two values, as in a == b")


def _evaluate_samples(node: ast.expr, attributes: Sequence[Attribute], depth: int) -> Any:
    """Return the value for samples of some attributes; ``_ANY`` if their types are not known."""
    if depth > _MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
    if isinstance(node, ast.Name | ast.Attribute):
        return _with_decimals(_sample_at(_path(node), attributes))
    parts = _parts(node)
    values = [_evaluate_samples(part, attributes, depth + 1) for part in parts]
    if any(value is _ANY or value == [_ANY] for value in values):
        return _ANY
    value = _apply(node, values)
    if value is not None and None not in _truths(node, values):
        return value
    if isinstance(node, ast.BinOp) and all(isinstance(value, Decimal) for value in values):
        return _ANY  # a division by zero, of samples alone
    kinds = zip(map(ast.unparse, parts), map(_kind, values), strict=True)
    raise ValueError(
        f"{ast.unparse(node)} cannot be computed: "
        + " and ".join(f"{part} is {kind}" for part, kind in kinds)
    )


def _kind(value: Any) -> str:
    is_date = _date(value) is not None
    return _KINDS.get(type(value), "a date" if is_date else "a text")


def _sample_at(names: list[str], attributes: Sequence[Attribute]) -> Any:
    """Return a sample of the value at a path, in a list if it leads through lists."""
    is_list = False
    attribute = None
    for i, name in enumerate(names):
        if attribute is not None:
            if attribute.type in ("union", "map", "tuple", "recursive"):
                return _ANY
            attributes = attribute.attributes
        found = next((each for each in attributes if each.name == name), None)
        if found is None:
            where = ".".join(names[:i])
            known = ", ".join(each.name for each in attributes)
            if not known:
                raise ValueError(f"{where or 'the object'} has no parts, such as {name!r}")
            raise ValueError(f"there is no {name!r}{where and f' in {where}'}, only {known}")
        attribute = found
        while attribute.type == "array" and attribute.item is not None:
            attribute, is_list = attribute.item, True
    assert attribute is not None
    is_list = is_list or attribute.type == "tuple"
    return [_sample(attribute)] if is_list else _sample(attribute)


def _sample(attribute: Attribute) -> Any:
    samples: Sequence[Any] = [_SAMPLES.get(attribute.type, _ANY)]
    if attribute.type == "enum":
        samples = attribute.choices
    elif attribute.type == "union" and attribute.is_scalar:
        samples = [*map(_sample, attribute.attributes)]
    return samples[0] if len({type(_with_decimals(each)) for each in samples}) == 1 else _ANY


# --- when data is checked ---


def _evaluate_node(node: ast.expr, data: Any) -> Any:
    """Return a Decimal, text, boolean, list of these, or None if it is not known."""
    if isinstance(node, ast.Name | ast.Attribute):
        return _with_decimals(_value_at(data, _path(node)))
    return _apply(node, [_evaluate_node(part, data) for part in _parts(node)])


def _apply(node: ast.expr, values: list[Any]) -> Any:
    """Return the value of a node, given those of its parts; None if it is not known."""
    try:
        match node:
            case ast.Constant(value=value):
                return _with_decimals(value)
            case ast.UnaryOp(op=ast.USub()):
                return _ARITHMETIC.minus(values[0]) if isinstance(values[0], Decimal) else None
            case ast.UnaryOp():
                return None if (truth := _truth(values[0])) is None else not truth
            case ast.BoolOp(op=op):
                return _joined_truth(op, _truths(node, values))
            case ast.Compare():
                return _joined_truth(ast.And(), _truths(node, values))
            case ast.BinOp(op=op) if all(isinstance(value, Decimal) for value in values):
                return _OPERATIONS[type(op)](*values)
            case ast.Call(func=ast.Name(id=name)):
                return _call(name, values)
    except ArithmeticError:
        pass
    return None


def _truths(node: ast.expr, values: list[Any]) -> list[bool | None]:
    """Return what a node joins: the operands of ``and`` or ``or``, or each comparison."""
    match node:
        case ast.BoolOp():
            return [*map(_truth, values)]
        case ast.Compare(ops=ops):
            pairs = zip(ops, values, values[1:], strict=False)
            return [_compare(*pair) for pair in pairs]
    return []


def _value_at(data: Any, names: Sequence[str]) -> Any:
    """Return the value at a path, or a list of all values if it leads through lists."""
    if isinstance(data, list):
        found = []
        for item in data:
            value = _value_at(item, names)
            found.extend(value if isinstance(value, list) else [value])
        return found
    if not names:
        return data
    return _value_at(data.get(names[0]), names[1:]) if isinstance(data, dict) else None


def _with_decimals(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_decimals(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Decimal(repr(value)) if math.isfinite(value) else None
    return value


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _joined_truth(op: ast.boolop, truths: list[bool | None]) -> bool | None:
    """Return the conjunction or disjunction; None if it depends on unknown parts."""
    decides = isinstance(op, ast.Or)
    if decides in truths:
        return decides
    return None if None in truths else not decides


def _call(name: str, arguments: list[Any]) -> Any:
    first = arguments[0]
    if name == "len":
        return Decimal(len(first)) if isinstance(first, list | str) else None
    if name in ("abs", "round"):
        if not isinstance(first, Decimal):
            return None
        if name == "abs":
            return abs(first)
        digits = int(arguments[1]) if len(arguments) > 1 else 0
        return _ARITHMETIC.quantize(first, Decimal(1).scaleb(-digits))
    items = first if len(arguments) == 1 else arguments
    if not isinstance(items, list):
        return None
    if name == "sum":
        if not all(isinstance(item, Decimal) for item in items):
            return None
        total = Decimal(0)
        for item in items:
            total = _ARITHMETIC.add(total, item)
        return total
    best = items[0] if items else None
    for item in items:
        is_better = _compare(ast.Lt() if name == "min" else ast.Gt(), item, best)
        if is_better is None:
            return None
        best = item if is_better else best
    return best


def _compare(op: ast.cmpop, left: Any, right: Any) -> bool | None:
    holds = _ORDERS[type(op)]
    is_strict = isinstance(op, ast.Lt | ast.Gt)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        if not is_strict and abs(_ARITHMETIC.subtract(left, right)) <= TOLERANCE:
            return not isinstance(op, ast.NotEq)
        return holds(left, right)
    is_order = not isinstance(op, ast.Eq | ast.NotEq)
    if isinstance(left, str) and isinstance(right, str):
        one, other = _date(left), _date(right)
        if one is None or other is None:
            return None if is_order else holds(left, right)
        if not (isinstance(one, datetime) and isinstance(other, datetime)):
            return holds(_day(one), _day(other))
        try:
            return holds(one, other)
        except TypeError:  # one has a time zone, the other has none
            return None
    if isinstance(left, bool) and isinstance(right, bool) and not is_order:
        return holds(left, right)
    return None


def _date(text: object) -> date | datetime | None:
    if not isinstance(text, str) or not _DATE.match(text):
        return None
    try:
        if len(text) == len("2024-05-31"):
            return date.fromisoformat(text)
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None


def _day(value: date | datetime) -> date:
    return value.date() if isinstance(value, datetime) else value
