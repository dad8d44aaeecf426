"""Settings, paths, texts and keys of the program.

Imports: engine, engine.errors.
"""
