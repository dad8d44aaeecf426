"""Finding out, on a freshly loaded model, how its sessions can share a step and what they cost."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import mlx.core as mx

from engine import ragged
from engine.kv import Caches, Need, clone, leaves, measure

log = logging.getLogger(__name__)

SHARED, ROWS, ALONE = "shared", "rows", "alone"

# A garbled row differs by about the logits' own spread; rounding differs by a thousandth of it in
# float32 and by a few hundredths in bfloat16 or with quantized weights.
TOLERANCE = 0.1


def explore(net: Any, make_cache: Callable[[], Caches], tokenizer: Any) -> tuple[Need, float, str]:
    """What a session needs, the prefill rate in tokens/s, and how sessions can share a step.

    Two short sessions are stepped together and alone, by each way of sharing in turn; the first
    that gives the same logits is taken. Costs about ten forward passes.
    """
    vocab = max(2, len(tokenizer) - 1)
    prompts = [[(7 * i + 3) % vocab for i in range(n)] for n in (9, 16)]
    sessions = []
    rate = 0.0
    for prompt in prompts:
        caches = make_cache()
        started = time.perf_counter()
        net(mx.array([prompt]), cache=caches)
        mx.eval(list(leaves(caches)))
        rate = len(prompt) / (time.perf_counter() - started)
        sessions.append(caches)
    need = measure(sessions[0])
    return need, rate, _way(net, sessions, vocab)


def _way(net: Any, sessions: list[Caches], vocab: int) -> str:
    steps = [[5 % vocab, 11 % vocab], [13 % vocab, 2 % vocab]]
    alone = [clone(caches) for caches in sessions]
    expected = []
    for tokens in steps:
        rows = [net(mx.array([[t]]), cache=c)[:, -1] for t, c in zip(tokens, alone, strict=True)]
        expected.append(mx.concatenate(rows).astype(mx.float32))
    mx.eval(expected)
    for way in (SHARED, ROWS):
        if way == ROWS:
            ragged.share_rows(net)
        try:
            difference = _difference(net, sessions, steps, expected)
        except Exception as error:  # whatever a model does with caches it does not know
            log.debug("%s step: %s: %s", way, type(error).__name__, error)
            continue
        log.debug("%s step: off by %.2g of the logits' spread", way, difference)
        if difference < TOLERANCE:
            return way
    return ALONE


def _difference(
    net: Any, sessions: list[Caches], steps: list[list[int]], expected: list[mx.array]
) -> float:
    """Largest difference between sharing and stepping alone, in the logits' standard deviation."""
    together = [clone(caches) for caches in sessions]
    worst = 0.0
    for tokens, wanted in zip(steps, expected, strict=True):
        shared = ragged.share_caches(together)
        got = net(mx.array(tokens)[:, None], cache=shared)[:, -1].astype(mx.float32)
        spread = mx.maximum(mx.std(wanted), 1e-6)
        off: Any = (mx.abs(got - wanted).max() / spread).item()
        worst = max(worst, float(off))
    return worst if worst == worst else float("inf")  # NaN is no agreement
