"""Settings, paths, translations, and keys.

Imports: engine, engine.errors, engine.files.
"""
