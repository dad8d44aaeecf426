"""Statistics for `Engine.stats`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from engine.model import backend
from engine.model.drafting import Drafter
from engine.model.info import LOOKUP
from engine.model.loaded_model import DraftSource, LoadedModel
from engine.model.vision import VisionModel
from engine.runtime.admission import queue_key
from engine.runtime.plan import Status
from engine.runtime.request import SessionState
from engine.runtime.state import State
from engine.sandbox import confined, process


def report(state: State, step_seconds: Mapping[str, float]) -> dict[str, Any]:
    """Return the statistics as plain Python values, see `Engine.stats`."""
    decoding, reading = state.meter.rates()
    return {
        "backend": to_builtins(state.backend),
        "memory_budget": state.memory.budget,
        "memory_in_use": backend.active_memory_bytes(),
        "process_bytes": process.own_memory_bytes(),
        "buffer_bytes": backend.buffer_cache_bytes(),
        "children_bytes": sum(map(process.resident_bytes, confined.shared().pids)),
        "weights_bytes": state.memory.weight_bytes,
        "kv_bytes": state.memory.kv_bytes,
        "writing_bytes": state.memory.writing_bytes,
        "prefix_bytes": state.memory.prefixes.nbytes,
        "step_seconds": max((step_seconds.get(i, 0.0) for i in state.models), default=0.0),
        "tokens_per_s": decoding,
        "read_tokens_per_s": reading,
        "queue": _queue(state),
        "models": [m.info for m in state.models.values()],
        "drafts": {i: _draft(m.drafter) for i, m in state.models.items() if m.drafter is not None},
        "faults": {i: _faults(m) for i, m in state.models.items()},
        "images": {i: _images(m.vision) for i, m in state.models.items() if m.vision is not None},
        "sessions": {key: _session(session) for key, session in state.sessions.items()},
    }


def _faults(model: LoadedModel) -> dict[str, Any]:
    return {
        "shared": model.shared_step_breaker.faults,
        "unshared": not model.shared_step_breaker.is_enabled,
        "drafts": model.drafter.breaker.faults if model.drafter is not None else 0,
    }


def _draft(drafter: DraftSource) -> dict[str, Any]:
    small = drafter.model.info if isinstance(drafter, Drafter) else None
    return {
        "model": small.id if small is not None else LOOKUP,
        "name": small.name if small is not None else LOOKUP,
        "nbytes": small.nbytes if small is not None else 0,
        "drafted_tokens": drafter.drafted,
        "accepted_tokens": drafter.accepted,
        "kv_bytes": drafter.kv.attributed_bytes if isinstance(drafter, Drafter) else 0,
    }


def _images(vision: VisionModel) -> dict[str, int]:
    return {"encoded": vision.encoded, "held": len(vision.cached), "bytes": vision.nbytes}


def _queue(state: State) -> list[str]:
    waiting = [r for r in state.requests.values() if r.status == Status.QUEUED]
    key = {r: queue_key(r.session.one_shot, r.session.priority, r.waiting_since) for r in waiting}
    return [r.session.id for r in sorted(waiting, key=key.__getitem__)]


def _session(session: SessionState) -> dict[str, Any]:
    kv, request = session.kv, session.request
    figures = {
        "model": session.model.info.id,
        "kv_tokens": kv.length,
        "kv_bytes": kv.attributed_bytes,
        "kv_sharers": kv.sharer_count,
        "kv_bits": session.kv_bits,
        "kv_bits_known": session.kv_bits in (None, *session.model.quantized_caches),
        "dropped_messages": len(session.omitted),
        "priority": session.priority,
        "status": "idle",
        "paused": request is not None and request.paused,
    }
    if request is not None:
        figures["status"] = request.status.name.lower()
        figures["reply"] = to_builtins(request.stats())
    return figures
