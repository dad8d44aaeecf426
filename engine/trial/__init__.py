"""Evaluation on one's own prompts: `python -m engine trial FILE`, and the window's tables.

A trial is prompts x variants (a model, an adapter, KV bits, instructions, sampling) with checks of
what was answered. `plan` reads its file, whose format stands there. `checks` judges an answer;
`figures` are the shares, their intervals, and how a variant differs from the first one. `run` has
everything answered by `engine.batch`, keeps each answer as it comes and goes on after an
interruption. `report` is the table, for people and as CSV, JSON and a page.

Imports: engine.batch, engine.engine, engine.errors, engine.model, engine.params, engine.sandbox,
engine.serve.
"""
