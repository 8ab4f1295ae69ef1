"""HTML: the text of a page as a reader sees it, by inscriptis."""

from __future__ import annotations

import re
from html import escape

from hpd.errors import InputError
from hpd.files.rows import WholeText
from hpd.files.streams import (
    Source,
    decoded,
    is_mostly_utf8,
    known_encoding,
    needed,
)

_DECLARED = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset\s*=\s*["']?|\?xml[^>]*?encoding=["'])\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_AT_MOST_DECLARED = 4096  # bytes at the beginning of a page in which its encoding stands
_LINES = (
    *("center", "dd", "details", "dialog", "dir", "dl", "dt", "fieldset", "form", "hr", "legend"),
    *("menu", "optgroup", "option", "search", "section", "summary", "textarea"),
)
"""Elements that stand on lines of their own, which inscriptis does not know."""
_SCRIPTS = ("script", "style", "head", "noscript", "template")


def _read_page(source: Source) -> WholeText:
    data = source.read()
    declared = declared_encoding(data)
    try:
        html = decoded(data, source, declared)
    except InputError:
        if source.encoding or declared != "utf-8" or not is_mostly_utf8(data):
            raise
        html = data.decode("utf-8", "replace")  # as browsers do; a note is there already
    text = text_of_html(html, source.name)
    if data and not text:
        source.notes.append("this page has no text that a browser would show")
    return WholeText(text)


def declared_encoding(html: bytes) -> str | None:
    """The encoding that a page says it has; None if it says none that is known."""
    found = _DECLARED.search(_COMMENT.sub(b"", html[:_AT_MOST_DECLARED]))
    encoding = known_encoding(found[1].decode("ascii")) if found is not None else None
    # A page of UTF-16 could not be searched for its declaration, so that is wrong.
    return None if encoding is not None and encoding.startswith("utf-16") else encoding


def text_of_html(html: str, name: str) -> str:
    """The text of a page as a reader sees it.

    Raises:
        InputError: it cannot be read to its end, or inscriptis is not installed.
    """
    inscriptis = needed("inscriptis.html_engine", "inscriptis", "html", "HTML")
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    if not html.strip():
        return ""
    if html.lstrip().startswith("<?xml"):  # elsewhere it is a comment
        html = _CDATA.sub(lambda found: escape(found[1]), html)
    # The usual parser stops, without an error, at 255 nested elements and at texts of 10 MB.
    parser = HTMLParser(huge_tree=True, encoding="utf-8")
    data = html.encode("utf-8", "replace")
    try:
        tree = document_fromstring(data, parser=parser)
    except (ValueError, etree.LxmlError) as error:
        try:
            tree = document_fromstring(b"<pre>" + data + b"</pre>", parser=parser)
        except (ValueError, etree.LxmlError):
            raise InputError(f"{name}: cannot be read as HTML: {error}") from error
    if any(entry.level_name == "FATAL" for entry in parser.error_log):
        raise InputError(
            f"{name}: cannot be read as HTML to its end: {parser.error_log[-1].message}"
        )
    for below in [*tree.itersiblings("html")]:  # what stands behind the end of the page
        below.tag = "div"
        tree.append(below)
    config = inscriptis.ParserConfig()
    config.css = config.css | dict.fromkeys(_LINES, config.css["div"])
    try:
        return str(inscriptis.Inscriptis(tree, config).get_text()).strip()
    except RecursionError:  # elements that are nested deeper than Python's functions
        etree.strip_elements(tree, *_SCRIPTS, etree.Comment, with_tail=False)
        lines = (text.strip() for text in tree.itertext())
        return "\n".join(line for line in lines if line)


READERS = {"html": _read_page}
