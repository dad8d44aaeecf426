"""One engine as several ranks: a model sharded over processes on this or other machines.

Rank 0 is a complete engine with mailbox, scheduler, clocks, memory figures and sampling. The other
ranks hold their shards of the weights and of every cache, and follow rank 0's records.

- `relay` replaces the engine in the main program, where no rank runs. `processes` starts, watches
  and kills the ranks; `rank` is the main program of each.
- `link` is a rank's connection to the relay, with its messages and the rank discovery.
- `leader` extends rank 0's engine: it announces each turn's plan, with all changes to caches since
  the last one, as a record over `group`. `follower` replays the records.
- `hosts` is the user's list of machines; `machines` runs commands there, compares versions, and
  copies models. `sharding` decides which models can be sharded. MLX and mlx-lm provide the
  collectives and the sharding of layers.

Decisions and measurements: engine/DECISIONS.md.

Imports: engine.sandbox, engine.errors, engine.cache, engine.messages, engine.model, engine.runtime.
"""
