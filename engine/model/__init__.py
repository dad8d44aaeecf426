"""Models: loading, probing, forward passes for many sessions, and sampling.

Loading: `loader` reads the weights, `probe` finds out what the model can do, and `loaded` is the
result. A forward pass: `runner` runs the model over `ragged` caches, `attention` lets each row
attend to its own keys, and `sampling` chooses the tokens, under a `constraint` if the answer has a
form.

Imports: engine.errors, engine.cache, engine.kernels, engine.messages, engine.model.patches,
engine.params, engine.sandbox, engine.text.
"""
