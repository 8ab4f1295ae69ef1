"""Grammars of texts that are quoted from a document."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Final

from hpd.schema.attributes import Attribute
from hpd.values.grammar import (
    BLANKS_RULE,
    QUOTATION_MARK,
    Allowed,
    literal,
    one_of,
    raw_grammar,
    rules_around,
)
from hpd.values.words import quotable_pieces

_MAX_HEADING: Final = 4
"""Maximum number of words of a text that several rows of a list may quote from one place."""


def quote_rule(document: str) -> str:
    """Return the GBNF rule ``quote``: the document from any of its words to any later one.

    Empty if the document has no words. Accents may be combining or precomposed characters.
    Backslashes may be escaped as in JSON or, before other text, written as in the document; one
    before a quotation mark may be that of JSON.
    """
    words = _Words(document)
    rules = [
        f"w{n} ::= {words.rule(n, QUOTATION_MARK, 'w{}'.format)}" for n in range(words.n_words)
    ]
    first = " | ".join(f"w{n}" for n in range(words.n_words))
    return "\n".join([f"quote ::= {first}", *rules, ""]) if rules else ""


def ordered_part(array: Attribute) -> Attribute | None:
    """Return the quoted text whose order in the document is that of the items of a list.

    This is the item itself, or its first part that is a text; None if there is none.
    """
    item = array.item
    if item is None:
        return None
    if item.type == "object":
        return next((part for part in item.attributes if part.is_free_text), None)
    return item if item.is_free_text and not item.nullable else None


def ordered_list_grammar(array: Attribute, part: Attribute, document: str, allowed: Allowed) -> str:
    """Return the GBNF grammar of a list whose items follow each other in the document.

    Otherwise a small model may go back to an earlier item, and repeat all that follow it. Several
    objects may have their first text from one place, such as a heading. Empty if the document has
    no words.

    Args:
        array: the list.
        part: its ``ordered_part``.
        document: the text.
        allowed: as in ``value_grammar``.
    """
    words = _Words(document)
    if not words.n_words or array.item is None:
        return ""
    is_object = part is not array.item
    before, after, rules = "", "", {"ws": BLANKS_RULE}
    if is_object:
        before, after, rules = rules_around(array.item, part, allowed)
        rules["quote"] = quote_rule(document).rstrip()
    may_be_null = is_object and not part.forbids_null

    def add(name: str, rule: str) -> None:
        rules[name] = f"{name} ::= {rule}"

    for n in range(words.n_words):
        end = f"{QUOTATION_MARK} {after} next{n + 1}"
        add(f"w{n}-after", words.rule(n, end, "w{}-after".format))
        if is_object:
            for k in range(n, min(n + _MAX_HEADING, words.n_words)):
                end = f"{QUOTATION_MARK} {after} next{n}"
                add(f"w{k}-of{n}", words.rule(k, end, _rule_names_from(n)))
        others = f" | item{n + 1}" if n + 1 < words.n_words else ""
        add(f"item{n}", f"w{n}-{f'of{n}' if is_object else 'after'}{others}")
    for n in range(words.n_words + 1):
        starts = [f"{QUOTATION_MARK} item{n}"] * (n < words.n_words)
        starts += [f'"null" {after} next{n}'] * may_be_null
        if starts:
            add(f"row{n}", f"{before} ({' | '.join(starts)})")
        add(f"next{n}", f'ws "]" | "," ws row{n}' if starts else 'ws "]"')
    items = "row0" if array.forbids_null else '(row0 | "]")'
    return raw_grammar(array, f'"[" ws {items}', rules)


def _rule_names_from(n: int) -> Callable[[int], str]:
    """Return the names of the rules for a quote that begins with the n-th word."""
    return lambda k: f"w{k}-of{n}" if k - n < _MAX_HEADING else f"w{k}-after"


class _Words:
    """The words of a document, at which quotes begin and end."""

    def __init__(self, document: str) -> None:
        self._document = document
        self._pieces = quotable_pieces(document)

    @property
    def n_words(self) -> int:
        return len(self._pieces)

    def rule(self, n: int, end: str, name_of: Callable[[int], str]) -> str:
        """Return the right side of the rule for a quote from its n-th word on.

        Args:
            n: the index of the word.
            end: what follows if it is the last word.
            name_of: returns the name of the rule for a later word.
        """
        document = self._document
        start, stop = self._pieces[n]
        word = document[start:stop]
        texts = {word} if word.isascii() else {word, unicodedata.normalize("NFC", word)}
        written = one_of(json.dumps(text, ensure_ascii=False)[1:-1] for text in texts)
        forms = [
            f"({written}) ({' | '.join(filter(None, (end, self._next_word_rule(n + 1, name_of))))})"
        ]
        if word == "\\":
            n_slashes = len(document) - start - len(document[start:].lstrip("\\"))
            rest = self._next_word_rule(n + n_slashes, name_of)
            if rest and document[start + n_slashes] != '"':
                forms.append(f"{literal(word * n_slashes)} {rest}")
            elif rest and n_slashes == 1:
                forms.append(rest)  # The quotation mark is escaped in the document already.
        return " | ".join(forms)

    def _next_word_rule(self, n: int, name_of: Callable[[int], str]) -> str:
        """Return the rule for a blank and a word; empty after the last word."""
        if n >= self.n_words:
            return ""
        gap = self._document[self._pieces[n - 1][1] : self._pieces[n][0]]
        # The model sees one blank instead of several, and may write one for a line break.
        blank = '(" " | "\\n") ' if "\n" in gap else '" " ' if gap else ""
        return f"{blank}{name_of(n)}"
