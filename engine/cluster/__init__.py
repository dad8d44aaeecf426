"""Engines with several ranks: models are sharded over processes on this or other machines.

Rank 0 is a complete engine with mailbox, scheduler, clocks, memory statistics and sampling. The
other ranks have their shards of the weights and of every cache, and follow rank 0's records.

- `relay` replaces the engine in the main program, where no rank runs. `processes` starts, watches
  and kills the ranks, and `rank` is the main program of each rank.
- `leader` extends rank 0's engine. It announces each turn's plan, with all cache changes since the
  previous turn, as a record sent over `group`. `follower` replays the records.
- `hosts` has the user's list of machines. `machines` runs commands there, compares versions, and
  copies models.

Imports: engine.sandbox, engine.errors, engine.files, engine.cache, engine.messages, engine.model,
engine.runtime.
"""
