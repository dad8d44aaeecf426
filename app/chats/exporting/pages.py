"""A chat as one HTML page that stands alone: no scripts, and nothing that is loaded from elsewhere.

Text goes through the window's own Markdown. Links lead to web pages and mail addresses only, images
are links, HTML in a text is text; a policy in the page's head forbids all loading besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.chats.attached.words import attached
from app.chats.exporting.prose import moment, speaker
from app.language import tr
from app.markdown.commonmark import parser
from app.markdown.highlight import COLOURS, language_of, pieces
from app.markdown.plainly import parts
from app.markdown.tex import EM, INK, formula, typed
from app.store import Chat, Message

Formulas = Callable[[str, bool], str]
"""Gives HTML for a formula: its LaTeX, and whether it is set large."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; --text: #1f1f1e; --page: #ffffff; --muted: #6b6a66;
  --line: #dddcd7; --code: #f6f5f1; --mine: #f1f0ec; --link: #2a62c9; --error: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #ececea; --page: #1c1c1a; --muted: #a3a29c;
  --line: #3b3b38; --code: #242422; --mine: #2a2a28; --link: #7fb0ff; --error: #ff9287; } }
body { margin: 0 auto; max-width: 760px; padding: 32px 24px 64px; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
  overflow-wrap: break-word; }
header { border-bottom: 1px solid var(--line); margin-bottom: 24px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; }
.who { color: var(--muted); font-size: 13px; margin: 24px 0 4px; }
.mine { background: var(--mine); border-radius: 12px; padding: 10px 16px; white-space: pre-wrap; }
.prompt { color: var(--muted); white-space: pre-wrap; }
.error { color: var(--error); }
details { color: var(--muted); border-left: 2px solid var(--line); padding-left: 12px; }
a { color: var(--link); }
pre { background: var(--code); border-radius: 8px; padding: 12px 16px; overflow-x: auto; }
pre, code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 13px; }
:not(pre) > code { background: var(--code); border-radius: 4px; padding: 1px 4px; }
blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: 14px;
  color: var(--muted); }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: 5px 10px; }
hr { border: 0; border-top: 1px solid var(--line); }
svg { vertical-align: middle; } .typed { white-space: pre-wrap; }
"""


def page(chat: Chat, said: Sequence[Message], *, thoughts: bool = False) -> Iterator[str]:
    """The page in pieces, a message at a time."""
    title = escape(chat.shown_title)
    yield (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>{_STYLE}{_code_style()}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{title}</h1>\n<p class=who>{moment(chat.created_at)}</p>\n"
    )
    if chat.system:
        yield f'<p class="prompt" dir="auto">{escape(chat.system)}</p>\n'
    yield "</header>\n"
    for message in said:
        yield from message_html(message, drawn, thoughts=thoughts)
    yield "</body>\n</html>\n"


def message_html(message: Message, formulas: Formulas, *, thoughts: bool) -> Iterator[str]:
    """One message with its speaker, in pieces of a block each."""
    when = moment(message.created_at)
    yield f'<div class="message" dir="auto">\n<p class="who">{escape(speaker(message))}'
    yield f"{' · ' + when if when else ''}</p>\n"
    if thoughts and message.reasoning:
        yield "<details><summary>" + escape(tr("Thoughts")) + "</summary>\n"
        yield from body(message.reasoning, formulas)
        yield "</details>\n"
    for file in message.attachments:
        words = tr("Attached: {file}", file=attached(file))
        yield f'<p class="who">{escape(words)}</p>\n'
    if message.role == "assistant":
        yield from body(message.content, formulas)
    elif message.content:
        yield f'<div class="mine">{escape(message.content)}</div>\n'
    if message.error:
        yield f'<p class="error">{escape(message.error)}</p>\n'
    yield "</div>\n"


def body(text: str, formulas: Formulas) -> Iterator[str]:
    """Markdown as HTML, a block at a time."""
    renderer = _Renderer(formulas)
    options, env = parser().options, dict[str, Any]()
    for part in parts(text):
        if part.tokens:
            yield renderer.render(part.tokens, options, env)
        else:
            yield f'<p class="typed">{escape(part.source)}</p>\n'


def drawn(source: str, display: bool) -> str:
    """A formula as a vector in the colour of the text, or as it was typed."""
    found = formula(source, display)
    if found is None:
        return f"<code>{escape(typed(source, display))}</code>"
    picture = found.svg.replace(INK, "currentColor")
    size = f"height:{found.height / EM:.3f}em;width:{found.width / EM:.3f}em"
    low = f"vertical-align:{-found.depth / EM:.3f}em"
    label = escape(typed(source, display))
    return picture.replace(
        "<svg ", f'<svg role="img" aria-label="{label}" style="{size};{low}" ', 1
    )


class _Renderer(RendererHTML):
    """markdown-it's renderer, without anything that leads out of the page by itself."""

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
    """Whether it is an address that may be a link: of a web page or for mail."""
    try:
        return urlsplit(href).scheme.lower() in {"http", "https", "mailto"}
    except ValueError:
        return False


def _code_style() -> str:
    light = "".join(f".{kind} {{ color: {pair[0]}; }}\n" for kind, pair in COLOURS.items())
    dark = "".join(f".{kind} {{ color: {pair[1]}; }}\n" for kind, pair in COLOURS.items())
    return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"
