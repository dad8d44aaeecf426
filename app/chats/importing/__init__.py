"""Import of chats of other programs, and of Stretto's own JSON, as a stream.

Imports: app.chats, app.settings, app.store.
"""

from app.chats.importing.job import Import
from app.chats.importing.report import Report

__all__ = ["Import", "Report"]
