"""Streaming Markdown renderer. Each message has a QTextDocument that grows at its end.

`blocks` (pure Python) splits off finished blocks and `document` renders them. The names below are
imported lazily, since the first frame contains no messages (A90).

Imports: nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.markdown.document import CodeBlock, MarkdownDocument
    from app.markdown.style import MarkdownStyle

__all__ = ["CodeBlock", "MarkdownDocument", "MarkdownStyle"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from app.markdown import document

    globals().update({export: getattr(document, export) for export in __all__})
    return globals()[name]
