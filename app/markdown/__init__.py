"""Markdown that renders while it streams: one QTextDocument per message, grown at its end.

`blocks` is pure Python and decides what is finished; `document` shows it.

Imports: nothing.
"""

from app.markdown.document import CodeBlock, MarkdownDocument
from app.markdown.style import MarkdownStyle

__all__ = ["CodeBlock", "MarkdownDocument", "MarkdownStyle"]
