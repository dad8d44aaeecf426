"""Memory benchmark: compare a model's memory estimate with the actual peak while chats run.

Each family runs in a child process, because peak memory is counted per process. The prefill chunk
size is fixed to `CHUNK` tokens, so that the size of activations doesn't depend on the machine's
speed.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from engine.bench import small_configs
from engine.bench.random_models import write_model
from engine.bench.subject import measure_in_child
from engine.cache import estimate
from engine.engine import Engine, Session
from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.messages import Event, Failed, Finished
from engine.model.info import Model
from engine.params import SamplingParams
from engine.reply import Reply
from engine.runtime import pacing

CHUNK = 64
CONTEXTS = (256, 768, 1536)
BITS = (None, 8, 4)
CHATS = (1, 8)
ANSWER = 24  # answer length in tokens; long enough for all chats to decode at the same time

FAMILIES = (
    *("llama", "qwen2", "qwen3", "qwen3_moe", "olmo2", "phi3", "starcoder2", "gpt_neox", "mixtral"),
    *("glm4_moe", "gemma2", "gemma3_text", "cohere2", "gpt_oss", "exaone4", "olmo3"),
    *("deepseek_v3", "minicpm3", "qwen3_next", "lfm2", "granitemoehybrid", "falcon_h1"),
    *("kimi_linear", "mamba2", "jamba", "recurrent_gemma"),
)
"""Families that cover all kinds of caches: plain, windows, MLA, states, and combinations."""

SIZES: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "hidden_dim", "n_embd", "d_model"), 256),
    **dict.fromkeys(("sliding_window", "window_size", "attention_window_size"), 256),
    "intermediate_size": 512,
    "moe_intermediate_size": 128,
    "head_dim": 64,
    "rotary_dim": 32,
    "query_pre_attn_scalar": 64,
    "kv_lora_rank": 128,
    "q_lora_rank": 96,
    "qk_rope_head_dim": 32,
    "qk_nope_head_dim": 64,
    "v_head_dim": 64,
    "mamba_d_head": 64,
}
"""Larger sizes than in tests, so that weights and caches dominate the memory."""

FITTING = {"block_dim": 256, "mamba_d_ssm": 256}
"""Settings of some families that must match `SIZES`."""


class Peak(Struct, frozen=True):
    family: str
    context: int
    kv_bits: int | None
    chats: int
    estimated: int = 0  # estimate before the model was loaded
    measured: int = 0  # peak of MLX's memory
    why: str = ""  # reason why there is no measurement, or ""

    @property
    def error_share(self) -> float:
        """Relative error of the estimate. Positive if the estimate is too high."""
        return self.estimated / self.measured - 1 if self.measured else 0.0


def measure(
    folder: Path,
    family: str,
    contexts: Sequence[int] = CONTEXTS,
    bits: Sequence[int | None] = BITS,
    chats: Sequence[int] = CHATS,
) -> Iterator[Peak]:
    pacing.MAX_CHUNK = estimate.CHUNK = CHUNK
    setattr(pacing.PrefillPacer, "should_gather", lambda *_: True)  # noqa: B010 - also on a slow machine
    with Engine() as engine:
        before = {
            case: engine.estimate(folder, case[0], case[1], case[2])
            for case in itertools.product(contexts, chats, bits)
        }
        model = engine.load(folder)
        for kv_bits in bits:
            for context in contexts:
                for count in chats:
                    result = before[context, count, kv_bits]
                    try:
                        peak = _peak(engine, model, context, count, kv_bits)
                    except EngineError as error:
                        if error.code != UNSUPPORTED_SESSION:
                            raise
                        yield Peak(family, context, kv_bits, count, why="keeps no keys in few bits")
                        continue
                    yield Peak(family, context, kv_bits, count, result.total, peak)


def _peak(engine: Engine, model: Model, context: int, chats: int, kv_bits: int | None) -> int:
    import mlx.core as mx

    # Warm up, because opening a session tries out quantized caches.
    probe = engine.open_session(model, kv_bits=kv_bits)
    used = probe.send("a", SamplingParams(max_tokens=1, temperature=0.0))
    used.tokens()
    rest = used.stats.prompt_tokens - 1
    probe.close()
    engine.stats()
    mx.reset_peak_memory()
    sessions = [engine.open_session(model, kv_bits=kv_bits) for _ in range(chats)]
    text = context - 2 * rest - ANSWER - 8  # every letter is a token
    once = SamplingParams(max_tokens=1, temperature=0.0)
    for number, session in enumerate(sessions):
        session.send(chr(97 + number) * text, once).tokens()
    # Suppress EOS (id 2), so that no answer ends before the last one has started.
    params = SamplingParams(max_tokens=ANSWER, temperature=0.0, logit_bias={2: -1e9})
    if chats == 1:
        replies = [sessions[0].send("b", params)]
    else:
        replies = _at_once(engine, engine.open_session(model, kv_bits=kv_bits), sessions, params)
    for reply in replies:
        reply.tokens()
    engine.stats()
    peak = int(mx.get_peak_memory())
    for session in sessions:
        session.close()
    return peak


def _at_once(
    engine: Engine, neighbor: Session, sessions: Sequence[Session], params: SamplingParams
) -> list[Reply]:
    """Start replies in all chats in the same turn of the engine loop.

    Prompts are rendered one by one, so the replies are paused until all are ready.

    Args:
        neighbor: session with which the engine thread is blocked. It's closed afterwards.
    """
    with _hold_engine_thread(neighbor):
        replies = [session.send("b", params) for session in sessions]
        for reply in replies:
            reply.pause()
    while any(s["status"] == "preparing" for s in engine.stats()["sessions"].values()):
        time.sleep(0.01)
    with _hold_engine_thread(neighbor):
        neighbor.close()
        for reply in replies:
            reply.resume()
    return replies


@contextlib.contextmanager
def _hold_engine_thread(session: Session) -> Iterator[None]:
    """Block the engine thread while the body runs, so that posted commands run in the same turn."""
    reached, release = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        if isinstance(event, Finished | Failed):
            reached.set()
            release.wait()

    session.send("a", SamplingParams(max_tokens=1, temperature=0.0), on_event=hold)
    reached.wait()
    try:
        yield
    finally:
        release.set()


def config_of(family: str) -> dict[str, Any]:
    before = dict(small_configs.SIZES)
    small_configs.SIZES.update(SIZES)
    try:
        config = small_configs.small_config(family)
        return config | {name: size for name, size in FITTING.items() if name in config}
    finally:
        small_configs.SIZES.clear()
        small_configs.SIZES.update(before)


def measure_family(family: str, contexts: Sequence[int] = CONTEXTS) -> Iterator[Peak]:
    from engine.model import backend

    backend.start()  # must run before `write_model` imports MLX
    with tempfile.TemporaryDirectory() as scratch:
        folder = write_model(Path(scratch) / family, config_of(family), scale=1.5)
        yield from measure(folder, family, contexts)


def measure_in_children(
    families: Sequence[str], contexts: Sequence[int] = CONTEXTS
) -> Iterator[Peak]:
    for family in families:
        try:
            for fields in measure_in_child("memory", family, "--length", *map(str, contexts)):
                yield Peak(**fields)
        except RuntimeError as error:
            yield Peak(family, 0, None, 0, why=str(error))


def run(model: str, contexts: Sequence[int], say: Callable[[str], None]) -> list[dict[str, Any]]:
    if model == "families":
        peaks = measure_in_children(FAMILIES, contexts)
    elif model.startswith("family:"):
        peaks = measure_family(model.removeprefix("family:"), contexts)
    else:
        peaks = measure(Path(model).expanduser(), Path(model).name, contexts)
    measured_peaks, started_at = [], time.monotonic()
    say(f"{'memory':<20} {'context':>8} {'KV':>4} {'chats':>6} {'estimated':>10} {'measured':>10}")
    for peak in peaks:
        measured_peaks.append(peak)
        say(_line(peak))
    say(_summary(measured_peaks, time.monotonic() - started_at))
    return [to_builtins(p) for p in measured_peaks]


def _summary(peaks: Sequence[Peak], seconds: float) -> str:
    measured = sorted(
        (p for p in peaks if p.measured), key=lambda p: abs(p.error_share), reverse=True
    )
    families = len({p.family for p in measured})
    took = f"{families} families, {len(measured)} cells in {seconds / 60:.0f} minutes"
    if not measured:
        return f"{took}."
    close_count = sum(abs(p.error_share) <= 0.1 for p in measured)
    median = abs(measured[len(measured) // 2].error_share)
    return (
        f"{took}: {close_count} estimates within 10 % of the measured peak, half of them at most "
        f"{median:.1%} off. The worst cell:\n{_line(measured[0])}"
    )


def _line(p: Peak) -> str:
    head = f"{p.family:<20} {p.context:>8} {p.kv_bits or '-':>4} {p.chats:>6}"
    if not p.measured:
        return f"{head} {p.why}"
    mega = f"{p.estimated / 1e6:>7.2f} MB {p.measured / 1e6:>7.2f} MB"
    return f"{head} {mega} {p.error_share:>+7.1%}{'  FAR OFF' if abs(p.error_share) > 0.1 else ''}"
