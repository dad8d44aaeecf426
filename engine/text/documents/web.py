"""HTML and EPUB, as Markdown by markdownify."""

from __future__ import annotations

import warnings
from typing import Any
from urllib.parse import unquote

from engine.text.documents.archive import DAMAGED, Archive, joined
from engine.text.documents.document import Budget, Document, UnreadableError, document

_CONTAINER = "META-INF/container.xml"
_GONE = ("script", "style", "noscript", "template", "svg", "iframe", "object")


def html(source: str) -> Document:
    """A page as Markdown, without scripts, styles and pictures."""
    return document("web page", "", [Budget().take(as_markdown(source))])


def as_markdown(source: str) -> str:
    """Raises UnreadableError for tags that are nested without end."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what looks like XML or a file's name
            soup: Any = BeautifulSoup(source, "html.parser")
            for tag in soup(_GONE):
                tag.decompose()
            converter: Any = MarkdownConverter(
                heading_style="ATX",
                bullets="-",
                strip=["a", "img"],
                escape_asterisks=False,
                escape_underscores=False,
                escape_misc=False,
            )
            return str(converter.convert_soup(soup.body or soup))
    except RecursionError:
        raise UnreadableError("is nested too deeply") from None


def epub(archive: Archive) -> Document:
    """Each part of the book's spine, a chapter in most of them."""
    if _CONTAINER not in archive:
        raise UnreadableError(DAMAGED)
    if "META-INF/encryption.xml" in archive and "META-INF/rights.xml" in archive:
        raise UnreadableError("is locked by its seller and cannot be read")
    found = [e for e in archive.xml(_CONTAINER).iter() if _name(e) == "rootfile"]
    package = str(found[0].get("full-path")) if found else ""
    root = archive.xml(package)
    folder = package.rpartition("/")[0]
    files = {
        str(e.get("id")): joined(folder, unquote(str(e.get("href"))))
        for e in root.iter()
        if _name(e) == "item"
    }
    budget, pages = Budget(), []
    for each in (e for e in root.iter() if _name(e) == "itemref"):
        name = files.get(str(each.get("idref")), "")
        if name in archive:
            source = archive.read(name).decode(errors="replace")
            pages.append(budget.take(as_markdown(source), 1))
    # Covers and title pages without a word have no number of their own.
    return document("EPUB", "chapter", [page for page in pages if page.strip()])


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
