"""Grammars of texts that are quoted from a document."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator

from hpd.schema.attributes import Attribute
from hpd.values.grammar import BLANKS_RULE, is_free_text, literal, one_of, raw_grammar
from hpd.values.words import quotable_pieces


def quote_rule(document: str) -> str:
    """Return the GBNF rule ``quote``: the document from any of its words to any later one.

    Empty if the document has no words. Accents may be combining or precomposed characters.
    Backslashes may be escaped as in JSON or, before other text, written as in the document.
    """
    rules = [*_word_rules(document, lambda _: '"\\""')]
    first = " | ".join(f"w{n}" for n in range(len(rules)))
    return "\n".join([f"quote ::= {first}", *rules, ""]) if rules else ""


def is_quoted_list(array: Attribute) -> bool:
    """Return whether the items of an array are texts that are quoted from a document."""
    return array.item is not None and is_free_text(array.item) and not array.item.nullable


def quoted_list_grammar(array: Attribute, document: str) -> str:
    """Return the GBNF grammar of a list of quotes, each from behind the previous one.

    Otherwise a small model may repeat an item, and then all that follow it. Empty if the document
    has no words.
    """
    words = [*_word_rules(document, lambda n: f'"\\"" after{n}')]
    rules = {f"w{n}": rule for n, rule in enumerate(words)}
    for n in range(len(words)):
        is_last = n == len(words) - 1
        rules[f"item{n}"] = f"item{n} ::= w{n}" + ("" if is_last else f" | item{n + 1}")
        more = "" if is_last else f' | "," ws "\\"" item{n + 1}'
        rules[f"after{n}"] = f'after{n} ::= ws "]"{more}'
    items = '"\\"" item0' if array.forbids_null else '("\\"" item0 | "]")'
    return raw_grammar(array, f'"[" ws {items}', {**rules, "ws": BLANKS_RULE}) if rules else ""


def _word_rules(document: str, end: Callable[[int], str]) -> Iterator[str]:
    """Yield the rule ``w0``, ``w1``, ... of each word: the document from it to any later one.

    Args:
        document: the text.
        end: returns what follows a quote whose last word is the n-th.
    """
    pieces = quotable_pieces(document)

    def continuation(n: int) -> str:
        """Return the rule for a blank and the next word; empty after the last word."""
        if n >= len(pieces):
            return ""
        gap = document[pieces[n - 1][1] : pieces[n][0]]
        # The model sees one blank instead of several, and may write one for a line break.
        blank = '(" " | "\\\\n") ' if "\n" in gap else '" " ' if gap else ""
        return f"{blank}w{n}"

    for n, (start, stop) in enumerate(pieces):
        word = document[start:stop]
        texts = {word} if word.isascii() else {word, unicodedata.normalize("NFC", word)}
        written = one_of(json.dumps(text, ensure_ascii=False)[1:-1] for text in texts)
        forms = [f"({written}) ({' | '.join(filter(None, (end(n), continuation(n + 1))))})"]
        if word == "\\":
            n_slashes = len(document) - start - len(document[start:].lstrip("\\"))
            rest = continuation(n + n_slashes)
            if rest and document[start + n_slashes] != '"':
                forms.append(f"{literal(word * n_slashes)} {rest}")
        yield f"w{n} ::= {' | '.join(forms)}"
