"""The stub of the compiled module against the module itself, both ways."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from hpd import _core, _native

_STUB = Path(__file__).parents[2] / "python/hpd/_core.pyi"
STUB = ast.parse(_STUB.read_text(encoding="utf-8")).body
CLASSES = {node.name: node for node in STUB if isinstance(node, ast.ClassDef)}

_MODULE_PREFIX = re.compile(r"\bhpd\._core\.")
_OBJECT = re.compile(r"<[^>]* object at [^>]*>")


class Parameter(NamedTuple):
    """As both a stub and pybind11's docstrings have it; types are written too differently."""

    name: str
    keyword_only: bool
    default: str | None
    """None: there is none; ``...``: something that cannot be written down."""


class Function(NamedTuple):
    parameters: tuple[Parameter, ...]
    result: str


def public(names):
    """Without what Python itself adds, and the names that a module has imported."""
    return {
        name
        for name in vars(names)
        if not name.startswith("_") and not isinstance(getattr(names, name), ModuleType)
    }


def function(node):
    """A function of a stub, or one made of a docstring."""

    def default(given):
        if given is None:
            return None
        value = ast.literal_eval(given)
        return "..." if value is ... else repr(value)

    arguments = node.args
    n_without = len(arguments.args) - len(arguments.defaults)
    positional = [
        Parameter(a.arg, False, default(d))
        for a, d in zip(arguments.args, [None] * n_without + arguments.defaults, strict=True)
    ]
    named = [
        Parameter(a.arg, True, default(d))
        for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    parameters = tuple(p for p in (*positional, *named) if p.name != "self")
    return Function(parameters, ast.unparse(node.returns) if node.returns else "")


def documented(text):
    """The function that a docstring of pybind11's begins with."""
    assert text, "pybind11 writes a signature into every docstring"
    line = _OBJECT.sub("...", text.splitlines()[0])
    name, _, rest = line.partition("(")
    (node,) = ast.parse(f"def {name or 'getter'}({rest}: ...").body
    assert isinstance(node, ast.FunctionDef)
    return function(node)


def alike(stub, real):
    """Whether a result's type is the same, as far as pybind11 says what it is."""
    stub, real = (_MODULE_PREFIX.sub("", text) for text in (stub, real))
    # Of a null pointer pybind11 says nothing.
    return real in (stub, stub.removesuffix(" | None"), stub.partition("[")[0], "object")


def assert_alike(stub, real):
    ours, theirs = function(stub), documented(real)
    assert ours.parameters == theirs.parameters
    assert alike(ours.result, theirs.result), f"{ours.result}, not {theirs.result}"


def is_made_by_python(real):
    """Whether it can be called; what only the engine makes has Python's ``__init__``."""
    return isinstance(real.__init__.__doc__, str) and "self: hpd." in real.__init__.__doc__


def test_the_stub_names_what_the_module_has():
    names = {node.name for node in STUB if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert names == public(_core)


def test_functions_have_the_stubs_signatures():
    for node in STUB:
        if isinstance(node, ast.FunctionDef):
            assert_alike(node, getattr(_core, node.name).__doc__)


def has_any_field(stub):
    """Whether a stub leaves the fields to the table of options (tests/models)."""
    return any(getattr(item, "name", "") == "__setattr__" for item in stub.body)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_the_stubs_members(name):
    real = getattr(_core, name)
    if has_any_field(CLASSES[name]):
        assert is_made_by_python(real)
        return
    stub = CLASSES[name].body
    methods = {}
    read_only = {}
    writable = {}
    constants = set()
    for item in stub:
        if isinstance(item, ast.FunctionDef):
            (read_only if item.decorator_list else methods)[item.name] = item
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            kind = ast.unparse(item.annotation)
            if kind.startswith("ClassVar"):
                constants.add(item.target.id)
            else:
                writable[item.target.id] = kind

    members = {member: inspect.getattr_static(real, member) for member in public(real)}
    properties = {m: value for m, value in members.items() if isinstance(value, property)}
    assert set(read_only) == {m for m, value in properties.items() if value.fset is None}
    assert set(writable) == {m for m, value in properties.items() if value.fset is not None}
    assert constants == {m for m, value in members.items() if isinstance(value, real)}
    assert ("__init__" in methods) == is_made_by_python(real)
    assert set(methods) - {"__init__"} == set(members) - set(properties) - constants
    for member, node in methods.items():
        assert_alike(node, getattr(real, member).__doc__)
    for member, node in read_only.items():
        assert alike(function(node).result, documented(properties[member].fget.__doc__).result)
    for member, kind in writable.items():
        assert alike(kind, documented(properties[member].fget.__doc__).result), member


def test_all_that_is_for_users_is_passed_on():
    """``_native`` is the way to ``_core``, and names all of it."""
    own = {"BUNDLED", "LIBRARIES", "LLAMA_CPP_PYTHON", "claim_process"}
    names = set(_native.__all__) - own
    assert names == public(_core)
    assert all(getattr(_native, name) is getattr(_core, name) for name in names)
