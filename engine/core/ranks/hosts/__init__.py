"""The machines over which a model is spread: how they are named, asked and given what they need.

- `host` is one of them; `listed` keeps them by name in a file.
- `ssh` is the way to those that are not this machine: the system's own `ssh`, which keeps the keys.
- `about` is what a machine tells of itself, `checking` asks all of them.
- `copies` says where a machine has a model, `copying` brings it there.
- `joining` is what each rank has to know to find the others. MLX reads it from its environment.

Imports: engine.core.ranks, engine.model.
"""
