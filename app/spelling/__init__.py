"""Spell checking: selection of words, and the system's dictionaries.

Imports: app.flows, app.settings.
"""
