"""The stub of the compiled module against the module itself."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

import pytest

import hpd
from hpd import _native

_core = sys.modules["hpd._core"]  # _native has imported it, after llama.cpp
STUB = ast.parse((Path(hpd.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def public(names: object) -> set[str]:
    """Without what Python itself adds."""
    return {name for name in dir(names) if not name.startswith("_")}


def members(node: ast.ClassDef) -> set[str]:
    """The names that a class of the stub defines."""
    names = set()
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            names.add(item.name)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            names.add(item.target.id)
    return {name for name in names if not name.startswith("_")}


def test_the_stub_names_what_the_module_has() -> None:
    functions = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}
    assert functions | set(CLASSES) == public(_core)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_the_stub_names_what_a_class_has(name: str) -> None:
    assert members(CLASSES[name]) == public(getattr(_core, name))


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_what_is_a_property_is_one_in_the_stub(name: str) -> None:
    stub = CLASSES[name]
    others = {
        item.name
        for item in stub.body
        if isinstance(item, ast.FunctionDef) and not item.decorator_list
    } | {
        item.target.id
        for item in stub.body
        if isinstance(item, ast.AnnAssign)
        and isinstance(item.target, ast.Name)
        and ast.unparse(item.annotation).startswith("ClassVar")
    }
    for member in members(stub):
        is_property = inspect.isdatadescriptor(inspect.getattr_static(getattr(_core, name), member))
        assert is_property == (member not in others), member


def test_what_the_package_uses_is_the_module() -> None:
    assert all(
        getattr(_native, name) is getattr(_core, name)
        for name in _native.__all__
        if name in public(_core)
    )
