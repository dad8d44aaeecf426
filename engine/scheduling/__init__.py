"""Every decision about order, size, fairness and memory, in pure Python without MLX or a clock.

Imports: engine.errors, engine.messages.
"""
