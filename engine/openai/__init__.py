"""OpenAI's shapes of requests and responses, which `serve` and `batch` share.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params.
"""
