"""Resource-limited child processes for untrusted templates, tokenizers, folders and files.

`confined.Sandbox` has the tasks for models (prompts, tokenizers, output formats, model folders).
`jobs` has tasks that each get their own child (a document, an image, a GGUF file). `pool`
schedules children, `process` starts them and sends requests, and `child` is the main loop inside a
child. `bounds` rejects oversized input before it's sent to a child.

`engine/DECISIONS.md` has the reasons (E45, E209 to E211).

Imports: engine.errors, engine.hub.gguf, engine.cache, engine.messages, engine.params, engine.text.
"""
