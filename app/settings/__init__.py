"""What a person has chosen, and what stays the same for the whole program: paths, words, keys.

Imports: engine, engine.errors.
"""
