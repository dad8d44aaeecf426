"""Models: loading, probing, forward passes for many sessions, and sampling.

`loader` reads the weights, and `probe` finds out what the model supports. `runner` runs the model
over `ragged` caches, `attention` lets each row attend to its own keys, and `sampling` chooses the
tokens.

Imports: engine.errors, engine.cache, engine.kernels, engine.messages, engine.model.patches,
engine.params, engine.sandbox, engine.text.
"""
