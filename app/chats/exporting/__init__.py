"""Export of chats as JSON (which can be imported again), Markdown, HTML, plain text and PDF.

Imports: app.chats, app.markdown, app.settings, app.store, app.tools.
"""

from app.chats.exporting.export import Export, ExportError, ExportFormat, Progress, StoppedError

__all__ = ["Export", "ExportError", "ExportFormat", "Progress", "StoppedError"]
