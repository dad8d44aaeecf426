"""The engine behind OpenAI's chat completions, on this machine only: `python -m engine serve`.

`handler` speaks HTTP; `conversations` finds the session that has read most of a request's
messages already.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.openai, engine.params,
engine.reply.
"""
