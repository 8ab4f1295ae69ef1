"""The targets of a schema's references: JSON pointers, and the URIs and anchors of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from hpd.schema.checks import fail

if TYPE_CHECKING:
    from referencing import Specification
    from referencing._core import Resolved, Resolver

Node = Mapping[str, Any]

_DEFINITIONS: Final = frozenset({"$defs", "definitions"})
"""Keywords whose schemas matter only where something refers to them."""
_MALFORMED: Final = (AttributeError, LookupError, TypeError, ValueError)
"""What referencing raises for a value of a wrong type, which is refused where it is read."""


class References:
    """A copy of a schema whose references are JSON pointers. Nothing outside it is opened.

    References without a target are kept, and refused where they are read.
    """

    def __init__(self, root: Node) -> None:
        self._pointers: dict[int, str] = {}
        self._is_done: dict[int, bool] = {}
        """Whether the target of a node's reference is found."""
        self.root: Node = self._copy(root, "")
        self.lost: dict[int, tuple[str, str]] = {}
        """References without a target that the schema depends on, each after its own pointer."""
        if self._is_done:
            # The import takes a tenth of a second.
            from referencing import Specification
            from referencing import jsonschema as drafts

            self._at_root = _resolver(self.root, Specification.OPAQUE)
            # A schema that names no draft may have the ids and anchors of an older one.
            named = str(self.root.get("$schema"))
            for draft in (drafts.DRAFT202012, drafts.DRAFT201909, drafts.DRAFT7, drafts.DRAFT4):
                self._replace(drafts.specification_with(named, default=draft))
                if not self.lost:
                    break

    def look_up(self, reference: object, where: str) -> Node:
        """Return the target of a reference."""
        found = _resolve(self._at_root, reference) if isinstance(reference, str) else None
        if found is None:
            raise fail(where, why_lost(reference))
        if found.contents is True:
            return {}
        if not isinstance(found.contents, Mapping):
            raise fail(where, f"the reference {reference!r} does not point to a schema")
        return found.contents

    def _copy(self, value: Any, pointer: str) -> Any:
        """Return a copy in which each object is in one place only, which is noted."""
        if isinstance(value, list):
            return [self._copy(each, f"{pointer}/{index}") for index, each in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        copied = {}
        for key, part in value.items():
            name = quote(str(key).replace("~", "~0").replace("/", "~1"), "~", errors="replace")
            copied[key] = self._copy(part, f"{pointer}/{name}")
        self._pointers[id(copied)] = pointer
        if isinstance(copied.get("$ref"), str):
            self._is_done[id(copied)] = False
        return copied

    def _replace(self, draft: Specification[Any]) -> None:
        """Replace references by pointers, as a draft finds their targets."""
        at_root = _resolver(self.root, draft)
        waiting: list[tuple[Any, Resolver[Any]]] = [(self.root, at_root)]
        seen: set[int] = set()
        while waiting:
            node, resolver = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            waiting += _parts(node, resolver, draft)
            if id(node) not in self._is_done:
                continue
            reference = node["$ref"]
            found = None if self._is_done[id(node)] else _resolve(resolver, reference)
            pointed = _resolve(self._at_root, reference)
            # In some schemas with ids, pointers nevertheless start at the root.
            found = found or _resolve(at_root, reference) or pointed
            if found is None:
                self.lost[id(node)] = f"#{self._pointers[id(node)]}", reference
                continue
            self.lost.pop(id(node), None)
            waiting.append((found.contents, found.resolver))
            self._is_done[id(node)] = True
            if pointed is not None and pointed.contents is found.contents:
                continue
            if found.contents is True:
                del node["$ref"], self._is_done[id(node)]
            elif id(found.contents) in self._pointers:
                node["$ref"] = f"#{self._pointers[id(found.contents)]}"


def why_lost(reference: object) -> str:
    """Return why a reference that has no target is refused."""
    if isinstance(reference, str) and reference.startswith("#"):
        return f"the reference {reference!r} points to nothing in the schema"
    return f"the reference {reference!r} points outside the schema: put its target into $defs"


def _resolver(root: Node, draft: Specification[Any]) -> Resolver[Any]:
    from referencing import Registry

    resource = draft.create_resource(root)
    registry: Registry[Any] = Registry().with_resource("", resource)
    try:
        return registry.crawl().resolver(resource.id() or "")
    except _MALFORMED:
        return registry.resolver()


def _resolve(resolver: Resolver[Any], reference: str) -> Resolved[Any] | None:
    from referencing.exceptions import Unresolvable

    # Some generators write a slash within a name so, which separates names in the standard.
    for form in dict.fromkeys((reference, reference.replace("%2F", "~1"))):
        try:
            return resolver.lookup(form)
        except (Unresolvable, *_MALFORMED):
            pass
    return None


def _parts(
    node: Any, resolver: Resolver[Any], draft: Specification[Any]
) -> Iterator[tuple[Any, Resolver[Any]]]:
    """Yield the schemas directly within a node, with their resolvers."""
    with suppress(*_MALFORMED):
        used = {key: value for key, value in node.items() if key not in _DEFINITIONS}
        for part in draft.create_resource(used).subresources():
            # Before draft 2020-12, the items of a tuple are a list.
            for each in part.contents if isinstance(part.contents, list) else [part.contents]:
                yield each, resolver.in_subresource(draft.create_resource(each))
