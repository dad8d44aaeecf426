"""The routes, a file for each shape of API.

`schema` has what several bodies share, as pydantic models, and the sentence for a body that does
not fit. `base` says what a route is, gathers an answer, and has what its writers share. `chat`,
`completions` (embeddings too), `responses`, `messages` and `ollama` turn bodies into a `Generation`
and its answers into bytes; they know nothing of sockets, sessions and the engine's thread. `tools`
makes functions of the tools that OpenAI's clients offer, and calls theirs again. `sessions`,
`models` and `status` (health, metrics, the OpenAPI document) are the rest.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params,
engine.sandbox, engine.serve, engine.text.
"""
