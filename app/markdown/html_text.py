"""Markdown as HTML, without Qt. Links lead only to web pages and mail addresses. Images are links.

Only the few HTML elements that the parser supports are allowed. All other HTML is text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.markdown.highlight import language_of, pieces
from app.markdown.plainly import parts
from app.markdown.syntax import parser
from app.markdown.tex import typed

Formulas = Callable[[str, bool], str]
"""Callback that returns HTML for a formula: its LaTeX, and True if it is set large."""


def body(text: str, formulas: Formulas) -> Iterator[str]:
    """Yield Markdown as HTML, one block at a time."""
    renderer = _Renderer(formulas)
    options, env = deepcopy(parser().options), dict[str, Any]()
    options["breaks"] = True
    for part in parts(text):
        if part.tokens:
            yield renderer.render(part.tokens, options, env)
        else:
            yield f'<p class="typed">{escape(part.source)}</p>\n'


def fragment(text: str) -> str:
    """Return Markdown as HTML for the clipboard, with formulas as source."""

    def formulas(source: str, display: bool) -> str:
        return escape(typed(source, display))

    return f'<div dir="auto">{"".join(body(text, formulas))}</div>'


class _Renderer(RendererHTML):
    """markdown-it's renderer, without elements that load anything."""

    def __init__(self, formulas: Formulas) -> None:
        super().__init__()
        self._formulas = formulas
        rules: dict[str, Any] = self.rules
        rules |= {"fence": self._fence, "code_block": self._fence, "math": self._math}
        rules |= {"link_open": self._link, "image": self._image}

    def _fence(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        token = tokens[at]
        language = language_of(token.info) if token.type == "fence" else ""
        code = "".join(
            f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text)
            for kind, text in pieces(token.content, language)
        )
        return f'<pre dir="ltr"><code>{code}</code></pre>\n'

    def _math(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        return self._formulas(tokens[at].content, tokens[at].markup == "$$")

    def _link(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        href = str(tokens[at].attrs.get("href", ""))
        return f'<a href="{escape(href)}" rel="noreferrer">' if leads_out(href) else "<a>"

    def _image(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        source = str(tokens[at].attrs.get("src", ""))
        words = escape(tokens[at].content or source)
        if not leads_out(source):
            return words
        return f'<a href="{escape(source)}" rel="noreferrer">{words}</a>'


def leads_out(href: str) -> bool:
    """Return True if an address may be a link: of a web page or for mail."""
    try:
        return urlsplit(href).scheme.lower() in {"http", "https", "mailto"}
    except ValueError:
        return False
