"""KV caches of sessions, shared prefixes, and cache files on disk.

Imports: engine.errors.
"""
