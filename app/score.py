"""Data for *Score*: each chat's activity over the last 30 s.

While the score is visible, engine stats are sampled five times a second. Chats with remote models
aren't in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

from msgspec import Struct, field
from PySide6.QtCore import QObject, Signal, Slot

from app.chats.library import ChatLibrary
from app.chats.tool_call import ToolActivity, activity_of

AGENT_PREFIX = "guest:"
"""Prefix for the lane IDs of API clients, followed by the agent's number."""
SHOWN_S = 30.0  # seconds on display


class ActivitySample(Struct, frozen=True):
    # Seconds on the caller's clock.
    start: float
    end: float
    # `queued`, `reading`, `writing`, `paused`, `calling` (running tools) or `asking` (waiting for
    # the user to answer a tool).
    state: str
    rate: float  # tokens per second, prompt or generated


class ScoreLane(Struct):
    chat_id: str
    title: str
    color: int  # color index, which never changes
    state: str = "idle"  # `idle` or a `ActivitySample.state`
    activity: ToolActivity | None = None  # tool activity while the engine is idle
    rate: float = 0.0  # current tokens per second
    kv_bytes: int = 0  # KV cache size
    kv_tokens: int = 0
    position: int = 0  # position in the queue for memory (from 1), or 0 if not queued
    samples: deque[ActivitySample] = field(default_factory=deque)
    _reply: tuple[int, int] = (0, 0)  # generated and cached tokens at the last sample


class Totals(Struct, frozen=True):
    writing: int = 0
    waiting: int = 0
    rate: float = 0.0
    kv_bytes: int = 0
    weights_bytes: int = 0
    budget: int = 0  # limit for weights plus KV caches
    # Memory of the process as reported by the system, including the values below. 0 if unknown.
    process_bytes: int = 0
    children_bytes: int = 0  # memory of child processes
    buffer_bytes: int = 0  # freed memory that MLX keeps for reuse

    @property
    def all_bytes(self) -> int:
        return self.process_bytes + self.children_bytes

    @property
    def program_bytes(self) -> int:
        """Return the memory not used for models and chats: UI, Python and libraries."""
        engine = self.weights_bytes + self.kv_bytes + self.buffer_bytes
        return max(0, self.process_bytes - engine)


class Lanes:
    """Lanes of all chats with an engine session, oldest first."""

    COLORS = 8

    def __init__(self) -> None:
        self._lanes: dict[str, ScoreLane] = {}
        self._last: float | None = None
        self.totals = Totals()

    def __iter__(self) -> Iterator[ScoreLane]:
        return iter(self._lanes.values())

    def __len__(self) -> int:
        return len(self._lanes)

    @property
    def now(self) -> float:
        return self._last or 0.0

    def update(
        self,
        now: float,
        stats: Mapping[str, Any],  # from `Engine.stats`
        # Maps a session ID to (chat ID, title). Other sessions are ignored.
        chats: Mapping[str, tuple[str, str]],
        tools: Mapping[str, ToolActivity] | None = None,  # tool activity by chat ID
    ) -> None:
        start = self._last if self._last is not None else now
        self._last = now
        queue: list[str] = stats["queue"]
        seen: dict[str, list[str]] = {}
        for session_id in filter(chats.__contains__, stats["sessions"]):
            seen.setdefault(chats[session_id][0], []).append(session_id)
        for chat_id, names in seen.items():
            title = chats[names[0]][1]
            figures = _merge_sessions([stats["sessions"][n] for n in names])
            lane = self._lanes.get(chat_id)
            if lane is None:
                lane = self._lanes[chat_id] = ScoreLane(chat_id, title, self._free_color())
            lane.title = title
            lane.position = min((queue.index(n) + 1 for n in names if n in queue), default=0)
            lane.activity = tools.get(chat_id) if tools is not None else None
            self._advance(lane, start, now, figures)
        for chat_id in [c for c, lane in self._lanes.items() if c not in seen]:
            lane = self._lanes[chat_id]
            lane.state, lane.rate, lane.kv_bytes, lane.activity = "idle", 0.0, 0, None
            self._forget(lane, now)
            if not lane.samples:
                del self._lanes[chat_id]
        states = [lane.state for lane in self._lanes.values()]
        self.totals = Totals(
            states.count("writing") + states.count("reading"),
            states.count("queued"),
            stats["tokens_per_s"],
            stats["kv_bytes"] + stats["prefix_bytes"],
            stats["weights_bytes"],
            stats["memory_budget"],
            stats["process_bytes"],
            stats["children_bytes"],
            stats["buffer_bytes"],
        )

    def _advance(
        self, lane: ScoreLane, start: float, now: float, figures: Mapping[str, Any]
    ) -> None:
        generated = figures.get("reply", {}).get("generated_tokens", 0)
        tokens = figures["kv_tokens"]
        before = lane._reply
        lane._reply = (generated, tokens)
        lane.kv_bytes, lane.kv_tokens = figures["kv_bytes"], tokens
        lane.state = _state(figures)
        if lane.state == "idle" and lane.activity is not None:
            at_work = "asking" if lane.activity.waiting else "calling"
            lane.state = "paused" if lane.activity.paused else at_work
        elapsed, lane.rate = now - start, 0.0
        if elapsed <= 0:
            pass  # first sample, so the duration is unknown
        elif lane.state == "writing":
            lane.rate = max(0, generated - before[0]) / elapsed
        elif lane.state == "reading":
            lane.rate = max(0, tokens - before[1]) / elapsed
        if lane.state != "idle" and now > start:
            lane.samples.append(ActivitySample(start, now, lane.state, lane.rate))
        self._forget(lane, now)

    def _forget(self, lane: ScoreLane, now: float) -> None:
        while lane.samples and lane.samples[0].end < now - SHOWN_S:
            lane.samples.popleft()

    def _free_color(self) -> int:
        used = [lane.color for lane in self._lanes.values()]
        return min(range(self.COLORS), key=used.count)


_STATES = ("writing", "reading", "queued", "paused", "idle")


def _merge_sessions(sessions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    first, *more = sorted(sessions, key=lambda figures: _STATES.index(_state(figures)))
    if not more:
        return first
    sums = {key: sum(session[key] for session in sessions) for key in ("kv_bytes", "kv_tokens")}
    written = sum(session.get("reply", {}).get("generated_tokens", 0) for session in sessions)
    return {**first, **sums, "reply": {"generated_tokens": written}}


def _state(figures: Mapping[str, Any]) -> str:
    if figures["paused"]:
        return "paused"
    names = {"queued": "queued", "prefilling": "reading", "decoding": "writing"}
    return names.get(figures["status"], "idle")


class ScoreFeed(QObject):
    """Updates the lanes between `start` and `stop`.

    ``agents`` returns the lanes of API clients, in the format of `ChatLibrary.sessions`.
    """

    INTERVAL_MS = 200

    lanes_updated = Signal()

    def __init__(
        self,
        library: ChatLibrary,
        agents: Callable[[], Mapping[str, tuple[str, str]]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._agents = agents
        self.lanes = Lanes()
        self._is_on = False
        library.loader.figures.stats_received.connect(self._update)

    def start(self) -> None:
        self.lanes, self._is_on = Lanes(), True
        self._library.loader.figures.show(self, self.INTERVAL_MS)

    def stop(self) -> None:
        self._is_on = False
        self._library.loader.figures.stop_polling(self)

    @Slot(object)
    def _update(self, stats: Mapping[str, Any]) -> None:
        if self._is_on:
            shown = {**self._library.sessions(), **self._agents()}
            self.lanes.update(monotonic(), stats, shown, self._tools())
            self.lanes_updated.emit()

    def _tools(self) -> dict[str, ToolActivity]:
        tools = {chat.id: chat.tools for chat in self._library.replying_chats()}
        found = {
            chat_id: activity_of(call.calls.values(), call.step, call.tokens, paused=call.paused)
            for chat_id, call in tools.items()
        }
        return {chat_id: call for chat_id, call in found.items() if call is not None}
