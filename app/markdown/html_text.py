"""Markdown as HTML. Only web and mail links are allowed, and images become links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from html import escape
from typing import Any

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.markdown.highlight import highlight, language_of
from app.markdown.inline import is_allowed_link
from app.markdown.plain_text import split_blocks
from app.markdown.syntax import parser
from app.markdown.tex import typed_source

Formulas = Callable[[str, bool], str]
"""Returns a formula as HTML, given the LaTeX and True for display style."""


def html_blocks(text: str, formulas: Formulas) -> Iterator[str]:
    renderer = _Renderer(formulas)
    options, env = deepcopy(parser().options), dict[str, Any]()
    options["breaks"] = True
    for part in split_blocks(text):
        if part.tokens:
            yield renderer.render(part.tokens, options, env)
        else:
            yield f'<p class="typed">{escape(part.source)}</p>\n'


def to_html(text: str) -> str:
    def formulas(source: str, display: bool) -> str:
        return escape(typed_source(source, display))

    return f'<div dir="auto">{"".join(html_blocks(text, formulas))}</div>'


class _Renderer(RendererHTML):
    """Renderer without elements that would load anything."""

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
            for kind, text in highlight(token.content, language)
        )
        return f'<pre dir="ltr"><code>{code}</code></pre>\n'

    def _math(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        return self._formulas(tokens[at].content, tokens[at].markup == "$$")

    def _link(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        href = str(tokens[at].attrs.get("href", ""))
        return f'<a href="{escape(href)}" rel="noreferrer">' if is_allowed_link(href) else "<a>"

    def _image(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        source = str(tokens[at].attrs.get("src", ""))
        words = escape(tokens[at].content or source)
        if not is_allowed_link(source):
            return words
        return f'<a href="{escape(source)}" rel="noreferrer">{words}</a>'
