"""Spelling: which words of a text to look at, and the system's dictionaries that judge them.

Imports: app.flows, app.settings.
"""
