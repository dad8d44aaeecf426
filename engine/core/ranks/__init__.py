"""One engine as several ranks: a model that is spread over processes, here or on other machines.

Rank 0 is a whole engine: mailbox, scheduler, clocks, memory figures, sampling. The others follow:
they hold their part of the weights and of every cache, and do what rank 0's records say.

- `relay` stands for the engine in the program itself, where no rank runs: it starts the ranks,
  hands them what callers ask and gives back what they tell. MLX's collectives wait for ever, and
  spin, once a rank is gone, so whoever is in one can only be killed. `processes` and `watch` see
  to that from outside; `agreeing` says whether those that were started can be one group.
- `child` is the beginning of each rank's process; `link` its connection to the relay.
- `leader` is what rank 0's engine has more than any other: it announces each turn's plan in a
  `record`, with everything that was done to caches since the last one (`journal`).
- `follower` replays records. It samples nothing and decides nothing.
- `hosts` are the machines on which ranks run. Of one elsewhere `remote` is the relay's end and
  `keeper` the other one; `trial` measures what the connection gives.
- `spreading` says which models can be spread, and what each rank would hold. Collectives and
  sharding are MLX's and mlx-lm's.

What was decided, and measured, is in engine/DECISIONS.md.

Imports: engine.core.confined, engine.core.ranks.hosts, engine.errors, engine.kv, engine.messages,
engine.model, engine.runtime.
"""
