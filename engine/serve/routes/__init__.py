"""Routes, with one module per API.

`schema` defines fields that several APIs share (as pydantic models) and their error messages.
`base` has the description of a route and the base of writers. `chat`, `completions` (including
embeddings), `responses`, `messages` and `ollama` turn bodies into a `Generation` and its answers
into bytes, independent of sockets, sessions and the engine's thread. `tools` maps the tools of
OpenAI's clients to functions and back.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params,
engine.sandbox, engine.serve, engine.text.
"""
