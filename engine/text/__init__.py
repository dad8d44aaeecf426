"""Conversion between text and tokens: prompts, answers, and constraints on answers.

Imports: engine.errors, engine.cache, engine.messages, engine.params.
"""
