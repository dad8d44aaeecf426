"""Routes, with one module per API.

`schema` defines fields that several APIs share (as pydantic models) and their error messages.
`base` has the description of a route, collects an answer, and has what writers share. `chat`,
`completions` (including embeddings), `responses`, `messages` and `ollama` turn bodies into a
`Generation` and its answers into bytes, independent of sockets, sessions and the engine's thread.
`tools` maps the tools of OpenAI's clients to functions and back. `sessions`, `models` and `status`
(health, metrics, OpenAPI) have the remaining routes.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params, engine.sandbox,
engine.serve, engine.text.
"""
