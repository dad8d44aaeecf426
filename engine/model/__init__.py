"""Models: loading, probing, forward passes for many sessions, and sampling.

Loading: `loader` reads the weights, and `probe` finds out what the model supports. The result is a
`loaded_model`. Forward passes: `runner` runs the model over `ragged` caches, `attention` lets each
row attend to its own keys, and `sampling` chooses the tokens, under a `constraint` for structured
answers.

Imports: engine.errors, engine.cache, engine.kernels, engine.messages, engine.model.patches,
engine.params, engine.sandbox, engine.text.
"""
