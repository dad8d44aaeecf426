"""Chats of other programs, and our own JSON, read as a stream and taken into the store.

Imports: app.store.
"""

from app.chats.importing.job import Import, Report

__all__ = ["Import", "Report"]
