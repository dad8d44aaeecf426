"""KV caches: what a session holds, what several sessions share, what is kept on disk.

Imports: engine.errors.
"""
