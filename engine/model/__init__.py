"""The model: loaded, probed, run for many sessions at once, sampled from.

A load: `loader` reads the weights, `probe` finds out what the model can do, `loaded` is the result.
A pass: `runner` runs the model over `ragged` caches, `attention` takes each row to its own keys,
and `sampling` chooses the tokens, under a `constraint` where the answer has a form.

Imports: engine.errors, engine.cache, engine.kernels, engine.messages, engine.model.patches,
engine.params, engine.sandbox, engine.text.
"""
