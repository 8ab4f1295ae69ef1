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
from typing import Any, Final, NamedTuple

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
_KNOWN: Final = (
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
            yield from _checks_not_passed(attribute.item, part, f"{path}[{i}]")
    elif attribute.type == "tuple" and isinstance(data, list):
        for i, (own, part) in enumerate(zip(attribute.attributes, data, strict=False)):
            yield from _checks_not_passed(own, part, f"{path}[{i}]")
    elif attribute.type == "object" and isinstance(data, dict):
        for text in attribute.checks:
            passed, left, right = evaluate(text, data)
            if not passed:
                yield CheckResult(text, passed, left, right, path)
        for own in attribute.attributes:
            yield from _checks_not_passed(own, data.get(own.name), join_path(path, own.name))


def evaluate(text: str, data: Any) -> tuple[bool | None, Any, Any]:
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
    return ValueError(f"{ast.unparse(node)} is not allowed: {_KNOWN}")


# --- when the schema is read ---


class _Kind(NamedTuple):
    name: str
    """number, text, boolean, date, object, or any."""
    is_list: bool = False


_NUMBER, _BOOLEAN, _TEXT = _Kind("number"), _Kind("boolean"), _Kind("text")


def check_expression(text: str, attributes: Sequence[Attribute]) -> None:
    """Check that an expression can be evaluated on the data of some attributes.

    Raises:
        ValueError: it cannot be parsed, has an unknown name, or has types that do not fit.
    """
    tree = _parse(text)
    try:
        kind = _kind(tree, attributes, 0)
    except RecursionError:  # from ast.unparse, for an error message
        raise ValueError(_TOO_DEEP) from None
    if kind.is_list or kind.name not in ("boolean", "any"):
        raise ValueError("it is neither true nor false: compare two values, as in a == b")


def _kind(node: ast.expr, attributes: Sequence[Attribute], depth: int) -> _Kind:
    def kind_of(part: ast.expr) -> _Kind:
        return _kind(part, attributes, depth + 1)

    def expect(part: ast.expr, *names: str) -> str:
        kind = kind_of(part)
        if kind.is_list:
            raise ValueError(f"{ast.unparse(part)} is a list: use sum, len, min or max of it")
        if kind.name not in (*names, "any"):
            raise ValueError(f"{ast.unparse(part)} is {kind.name}, not {' or '.join(names)}")
        return kind.name

    if depth > _MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
    match node:
        case ast.Constant(value=str()):
            return _TEXT
        case ast.Constant(value=int() | float() as value) if not isinstance(
            value, bool
        ) and math.isfinite(value):
            return _NUMBER
        case ast.Name() | ast.Attribute():
            return _kind_of_path(_path(node), attributes)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            expect(operand, "number")
            return _NUMBER
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            expect(operand, "boolean")
            return _BOOLEAN
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATIONS:
            expect(left, "number")
            expect(right, "number")
            return _NUMBER
        case ast.BoolOp(values=values):
            for part in values:
                expect(part, "boolean")
            return _BOOLEAN
        case ast.Compare(left=left, ops=ops, comparators=others) if all(
            type(op) in _ORDERS for op in ops
        ):
            parts = [left, *others]
            kinds = [expect(part, "number", "text", "boolean", "date") for part in parts]
            for i, order in enumerate(ops):
                _check_pair(order, parts[i : i + 2], kinds[i : i + 2])
            return _BOOLEAN
        case ast.Call(func=ast.Name(id="len"), args=[part], keywords=[]):
            if not kind_of(part).is_list:
                expect(part, "text")
            return _NUMBER
        case ast.Call(func=ast.Name(id="sum" | "min" | "max" as name), args=[part], keywords=[]):
            kind = kind_of(part)
            if not kind.is_list and kind.name != "any":
                raise ValueError(f"{ast.unparse(part)} is not a list, which {name} needs")
            if kind.name not in ("number", "any") and not (kind.name == "date" and name != "sum"):
                raise ValueError(
                    f"{ast.unparse(part)} is a list of {kind.name} values, not of numbers"
                )
            return _Kind(kind.name) if name != "sum" else _NUMBER
        case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_] as parts, keywords=[]):
            kinds = [expect(part, "number", "date") for part in parts]
            if len({*kinds} - {"any"}) > 1:
                raise ValueError(f"{ast.unparse(node)} mixes numbers and dates")
            return _Kind(min(kinds, key=lambda kind: kind == "any"))
        case ast.Call(func=ast.Name(id="abs" | "round"), args=[part], keywords=[]):
            expect(part, "number")
            return _NUMBER
        case ast.Call(
            func=ast.Name(id="round"),
            args=[part, ast.Constant(value=int() as n_digits)],
            keywords=[],
        ) if not isinstance(n_digits, bool) and n_digits <= _MAX_DIGITS:
            expect(part, "number")
            return _NUMBER
    raise _unknown(node)


def _check_pair(op: ast.cmpop, parts: list[ast.expr], kinds: list[str]) -> None:
    """Check that two sides can be compared."""
    left, right = map(ast.unparse, parts)
    known = {*kinds} - {"any"}
    if len(known) > 1 and known != {"date", "text"}:
        raise ValueError(f"{left} is {kinds[0]}, and {right} is {kinds[1]}: they are never equal")
    if "date" in known:
        for part in parts:
            if isinstance(part, ast.Constant) and _date(part.value) is None:
                raise ValueError(f"{ast.unparse(part)} is not a date such as '2024-05-31'")
    elif known & {"text", "boolean"} and not isinstance(op, ast.Eq | ast.NotEq):
        raise ValueError(
            f"{left} and {right}: only numbers and dates have an order (a date has the format date)"
        )


def _kind_of_path(names: list[str], attributes: Sequence[Attribute]) -> _Kind:
    is_list = False
    attribute = None
    for i, name in enumerate(names):
        if attribute is not None:
            if attribute.type in ("union", "map", "tuple", "recursive"):
                return _Kind("any", is_list)
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
    if attribute.type == "tuple":
        return _Kind("any", is_list=True)
    return _Kind(_kind_name(attribute), is_list)


def _kind_name(attribute: Attribute) -> str:
    if attribute.type == "enum":
        kinds = {_kind_of_constant(choice) for choice in attribute.choices}
        return kinds.pop() if len(kinds) == 1 else "any"
    if attribute.type == "union" and attribute.is_scalar:
        kinds = {*map(_kind_name, attribute.attributes)}
        return kinds.pop() if len(kinds) == 1 else "any"
    return {
        "string": "text",
        "integer": "number",
        "number": "number",
        "boolean": "boolean",
        "date": "date",
        "date-time": "date",
        "object": "object",
        "map": "object",
    }.get(attribute.type, "any")


def _kind_of_constant(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text"


# --- when data is checked ---


def _evaluate_node(node: ast.expr, data: Any) -> Any:
    """Return a Decimal, text, boolean, list of these, or None if it is not known."""
    match node:
        case ast.Constant(value=value):
            return _with_decimals(value)
        case ast.Name() | ast.Attribute():
            return _with_decimals(_value_at(data, _path(node)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = _number(_evaluate_node(operand, data))
            return None if number is None else _ARITHMETIC.minus(number)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            truth = _truth(_evaluate_node(operand, data))
            return None if truth is None else not truth
        case ast.BinOp(op=op, left=one, right=other):
            left, right = _number(_evaluate_node(one, data)), _number(_evaluate_node(other, data))
            if left is None or right is None:
                return None
            try:
                return _OPERATIONS[type(op)](left, right)
            except ArithmeticError:
                return None
        case ast.BoolOp(op=op, values=values):
            return _joined_truth(op, [_truth(_evaluate_node(part, data)) for part in values])
        case ast.Compare(left=first, ops=ops, comparators=others):
            sides = [_evaluate_node(part, data) for part in (first, *others)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            return _joined_truth(ast.And(), [_compare(*pair) for pair in pairs])
        case ast.Call(func=ast.Name(id=name), args=arguments):
            try:
                return _call(name, [_evaluate_node(part, data) for part in arguments])
            except ArithmeticError:
                return None
    raise _unknown(node)


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


def _number(value: Any) -> Decimal | None:
    return value if isinstance(value, Decimal) else None


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
