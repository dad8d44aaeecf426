"""One message's Markdown as one QTextDocument that grows while the text streams in."""

from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor, QTextDocument

from app.markdown.style import LIGHT, MarkdownStyle


@dataclass(frozen=True)
class CodeBlock:
    """A code block as rendered: its text and where it stands in the document.

    `first_position` and `last_position` are cursor positions (the start of its first line and the
    end of its last); they hold until the next `append`, `set_text` or `set_style`.
    """

    source: str
    language: str
    first_position: int
    last_position: int


class MarkdownDocument(QObject):
    """Renders Markdown into `document` as it arrives. GUI thread only.

    `append` costs what the open tail costs, not what came before; finished blocks are not touched
    again (a selection in them survives). After `finish` the document equals the one-shot rendering
    of `source`, whatever the pieces were. HTML is shown as text, images as their alt text; links
    are http, https or mailto, all else is text.
    """

    def __init__(self, style: MarkdownStyle = LIGHT, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._source: list[str] = []
        self._document = QTextDocument(self)

    @property
    def document(self) -> QTextDocument:
        """The one document; the same object for the whole life of this one."""
        return self._document

    @property
    def source(self) -> str:
        """The Markdown as given."""
        return "".join(self._source)

    @property
    def style(self) -> MarkdownStyle:
        """The style last set."""
        return self._style

    def append(self, text: str) -> None:
        """Adds text at the end and renders what changed."""
        self._source.append(text)
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def finish(self) -> None:
        """The text is complete. A later `append` opens it again."""

    def set_text(self, markdown: str) -> None:
        """Replaces all by a complete text (history from the store): clear, append, finish."""
        self._source = []
        self._document.clear()
        self.append(markdown)
        self.finish()

    def set_style(self, style: MarkdownStyle) -> None:
        """Renders everything again with the style (light to dark, another font size)."""
        self._style = style

    def code_blocks(self) -> list[CodeBlock]:
        """The code blocks, first to last, for copy buttons."""
        return []

    @property
    def end_position(self) -> int:
        """Where the open end is: the place of a streaming caret."""
        return max(self._document.characterCount() - 1, 0)
