"""Streaming import of chats from other programs and from Stretto's own JSON.

Imports: app.chats, app.settings, app.store.
"""

from app.chats.importing.job import Import
from app.chats.importing.report import Report

__all__ = ["Import", "Report"]
