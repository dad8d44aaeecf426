"""What clients can ask, and how answers are shaped: a door for each shape of an API.

`door` says what a door is, `kinds` what the fields of its bodies can have, `fields` reads them by
that table, `tools` reads what is offered, and `choice` gathers an answer. `chat`, `completions`,
`responses` and `messages` are the doors to answers. `embeddings` gives vectors, and `counting` the
lengths of prompts. A door knows nothing of sockets, sessions and the engine's thread: it turns a
body into an `Asked`, and what comes of that into bytes.

Imports: engine.errors, engine.messages, engine.model, engine.openai, engine.params, engine.serve,
engine.text.
"""
