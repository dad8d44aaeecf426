"""Every place where a function of mlx-lm or MLX is replaced, each on its own.

Imports: engine.kv, engine.model, engine.model.cpu.
"""
