"""Chats of other programs, and our own JSON, read as a stream and taken into the store.

Imports: app.chats, app.settings, app.store.
"""

from app.chats.importing.job import Import
from app.chats.importing.report import Report

__all__ = ["Import", "Report"]
