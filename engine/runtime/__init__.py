"""The engine thread: handles commands, plans and executes steps, and delivers events. Start with
`loop`.

Imports: engine.cluster, engine.sandbox, engine.errors, engine.files, engine.hub, engine.hub.gguf,
engine.cache, engine.kernels, engine.messages, engine.model, engine.params, engine.text.
"""
