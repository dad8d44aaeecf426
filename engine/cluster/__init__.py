"""One engine as several ranks: a model that is spread over processes, here or on other machines.

Rank 0 is a whole engine: mailbox, scheduler, clocks, memory figures, sampling. The others follow:
they hold their part of the weights and of every cache, and do what rank 0's records say.

- `relay` stands for the engine in the program itself, where no rank runs. `processes` starts the
  ranks, watches them from outside and kills them; `rank` is what such a process runs.
- `link` has a rank's connection to the relay, what goes over it, and how ranks find each other.
- `leader` is what rank 0's engine has more than any other: it announces each turn's plan, with all
  that was done to caches since the last one, as a record of `group`. `follower` replays records.
- `hosts` are the machines that a person has named; `machines` runs commands there, compares their
  versions, and copies models. `sharding` says which models can be spread. Collectives and the
  division of layers are MLX's and mlx-lm's.

What was decided, and measured, is in engine/DECISIONS.md.

Imports: engine.sandbox, engine.errors, engine.cache, engine.messages, engine.model,
engine.runtime.
"""
