"""Text to tokens and back: prompts, answers, and the forms that an answer can be bound to.

Imports: engine.errors, engine.cache, engine.messages, engine.params.
"""
