"""Markdown rendering while the text streams: one QTextDocument per message, extended at its end.

`blocks` is pure Python and separates the finished blocks. `document` renders them. The names below
are imported on first use, since the first frame has no message (A90).

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

    # stored after the first use
    globals().update({each: getattr(document, each) for each in __all__})
    return globals()[name]
