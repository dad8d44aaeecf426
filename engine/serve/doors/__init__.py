"""What clients can ask, and how answers are shaped: a door for each shape of an API.

`door` says what a door is, `fields` reads the fields of a body, `choice` gathers an answer. `chat`,
`completions`, `responses` and `messages` are the doors to answers. `embeddings` gives vectors and
`listing` the models. A door knows nothing of sockets, sessions and the engine's thread: it turns a
body into an `Asked`, and what comes of that into bytes.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.openai, engine.params,
engine.serve, engine.text.
"""
