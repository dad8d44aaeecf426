"""Spell checking: which words to check, and access to the system's dictionaries.

Imports: app.flows, app.settings.
"""
