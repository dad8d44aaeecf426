"""`python -m engine serve`: the engine behind OpenAI's chat completions, on this machine only.

`command` starts it, `handler` speaks HTTP, `conversations` finds the session that has read most of
a request's messages already, `wire` puts answers into OpenAI's shapes.
"""
