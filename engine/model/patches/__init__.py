"""Every place where a function of mlx-lm, MLX or Python is replaced, one file each.

A patch that cannot be applied, because another version renamed or changed what it replaces, stays
off. The engine then runs without what the patch gains. `states()` tells which are on, and why the
others are off.

Imports: engine.kv, engine.model, engine.model.cpu.
"""

from __future__ import annotations

from engine.model.patches.registry import State, apply, is_on, skip, states

__all__ = ["State", "apply", "is_on", "skip", "states"]
