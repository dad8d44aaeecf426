"""What a decode step costs by the length of its chats: `bench MODEL --parts lengths`.

Chats of `--short` and of `--long` tokens, all alike, decode together: in slots, from caches of
their own, and in `BatchGenerator`, in turns. Their caches are made up, so nothing has to be read:
how long a pass takes does not depend on what they hold. Attention is measured by itself, over all
layers: what is left is what length costs besides.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from engine.bench.graph_steps import answer, filled
from engine.bench.subject import subject

Say = Callable[[str], None]
_STEPS = 4  # of each contender in a round, after one that does not count


class Steps(Struct, frozen=True):
    """Seconds of a step of so many chats of one length, medians."""

    chats: int
    tokens: int
    slots: float  # all of them in slots, whatever their length
    own: float  # from caches of their own
    batch: float  # a turn of `BatchGenerator`
    attention: float  # of all layers, by itself; 0 where its shape is not known


def run(
    path: str, chats: Sequence[int], lengths: tuple[int, int], rounds: int, say: Say
) -> list[dict[str, float]]:
    """Measure, and print a table; returns the figures.

    Args:
        path: a model folder, a hub id that is downloaded, or `random:` and a shape.
        lengths: tokens of short chats and of long ones.
    """
    found: list[Steps] = []
    with subject(path) as it:
        it.engine.unload(it.model)
        from engine.model import loader

        model = loader.load_at_once(Path(it.model.path), it.model.dtype == "float32")
        say(f"\n{'chats':>5}  {'tokens':>6}  {'slots':>7}  {'own':>7}  {'batch':>7}  attention, ms")
        for count in chats:
            short, long = (measure(model, it.net, count, n, rounds) for n in lengths)
            for one in (short, long):
                say(_row(one))
            say(f"       the long ones: {_left(short, long)}")
            found += [short, long]
    return [to_builtins(one) for one in found]


def _row(one: Steps) -> str:
    times = (one.slots, one.own, one.batch, one.attention)
    return f"{one.chats:>5}  {one.tokens:>6}  " + "  ".join(f"{t * 1e3:7.1f}" for t in times)


def _left(short: Steps, long: Steps) -> str:
    """The rate of the long chats over that of the short ones."""
    whole = short.slots / long.slots
    but = short.slots / (long.slots - (long.attention - short.attention))
    return (
        f"{whole:.2f} of the short ones' rate, {but:.2f} but for attention's own arithmetic; "
        f"{long.batch / long.slots:.2f}x BatchGenerator"
    )


def measure(model: Any, bare: Any, chats: int, tokens: int, rounds: int) -> Steps:
    """One row of the table.

    Args:
        model: loaded by the engine's loader.
        bare: the same as mlx-lm loads it.
    """
    contenders: dict[str, Contender] = {
        "slots": _Stretto(model, chats, tokens, in_slots=True),
        "own": _Stretto(model, chats, tokens, in_slots=False),
        "batch": _Batch(bare, model.new_caches, chats, tokens),
        "attention": _Attention(model, chats, tokens),
    }
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    try:
        for _ in range(rounds):
            for name, contender in contenders.items():
                contender.step()
                for _ in range(_STEPS):
                    began = time.perf_counter()
                    contender.step()
                    taken[name].append(time.perf_counter() - began)
    finally:
        for contender in contenders.values():
            contender.drop()
    return Steps(chats, tokens, **{name: statistics.median(each) for name, each in taken.items()})


class Contender:
    """Chats that decode together in one of the ways."""

    def step(self) -> None:
        """One step, waited for."""
        raise NotImplementedError

    def drop(self) -> None:
        """Free what was made up."""


class _Stretto(Contender):
    def __init__(self, model: Any, chats: int, tokens: int, in_slots: bool) -> None:
        from msgspec.structs import replace

        from engine.cache.session_kv import SessionKV
        from engine.cache.slots import Slots

        slots = None
        if in_slots and model.slots is not None:
            slots = Slots(replace(model.slots.policy, below=None))
        self._model = replace(model, slots=slots)
        self._kvs = [SessionKV(model.new_caches) for _ in range(chats)]
        for kv in self._kvs:
            kv.set_caches(filled(model.net, model.new_caches(), tokens))
            kv.tokens = [0] * tokens
        self._rows = [answer(kv) for kv in self._kvs]

    def step(self) -> None:
        import mlx.core as mx

        from engine.model import runner

        mx.eval(runner.decode(self._model, self._rows, True))
        for kv in self._kvs:
            kv.note_fed(0)

    def drop(self) -> None:
        for kv in self._kvs:
            kv.drop()


class _Batch(Contender):
    def __init__(self, net: Any, make: Callable[[], Any], chats: int, tokens: int) -> None:
        from mlx_lm.generate import BatchGenerator

        # `next` reads prompts and decodes: the first turns take the caches in.
        self._generator: Any = BatchGenerator(net, max_tokens=10_000, prefill_batch_size=chats)
        held = [filled(net, make(), tokens - 2) for _ in range(chats)]
        self._generator.insert([[1, 2]] * chats, caches=held)
        for _ in range(4):
            self._generator.next()

    def step(self) -> None:
        self._generator.next()

    def drop(self) -> None:
        self._generator.close()


class _Attention(Contender):
    """The product of one query a chat with all of its keys, and of the weights with the values."""

    def __init__(self, model: Any, chats: int, tokens: int) -> None:
        import mlx.core as mx

        caches = filled(model.net, model.new_caches(), tokens)
        heads = getattr(getattr(model.net, "args", None), "num_attention_heads", 0)
        plain = [c for c in caches if getattr(c, "keys", None) is not None] if heads else []
        self._layers = [
            tuple(mx.concatenate([a[:, :, :tokens]] * chats) for a in (c.keys, c.values))
            for c in plain
        ]
        mx.eval(self._layers)
        self._queries = [mx.zeros((chats, heads, 1, k.shape[-1]), k.dtype) for k, _ in self._layers]

    def step(self) -> None:
        import mlx.core as mx

        from engine.model import cpu
        from engine.model.attention import attention

        with cpu.engaged():
            pairs = zip(self._queries, self._layers, strict=True)
            mx.eval([attention(q, k, v, None, 0.125) for q, (k, v) in pairs])
