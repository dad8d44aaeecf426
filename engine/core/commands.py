"""What callers ask of the engine thread. `engine.messages` has the commands that bring messages."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Load:
    path: str
    answer: Future[Any]  # of engine.model.info.Model; it may be cancelled
    told: Callable[[float], None] | None = None  # called with the share of the weights that is read
    adapter: str | None = None  # a folder: a variant of the model is wanted
    draft: str | None = None  # a folder: a model that drafts for it; empty for none
    outer: Future[Any] | None = None  # the answer of the command that it is read for

    @property
    def dropped(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.answer.cancelled() or (self.outer is not None and self.outer.cancelled())


@dataclass(frozen=True)
class Estimate:
    path: str
    context: int | None
    chats: int
    kv_bits: int | None
    answer: Future[Any]  # of engine.kv.fitting.Fit
    adapter: str | None = None


@dataclass(frozen=True)
class Unload:
    model_id: str
    answer: Future[None]


@dataclass(frozen=True)
class UnloadIdle:
    after: float | None  # seconds; None for never
    told: Callable[[str], None] | None  # called with the model's id


@dataclass(frozen=True)
class Pin:
    model_id: str
    pinned: bool


@dataclass(frozen=True)
class Relieve:
    answer: Future[int]  # bytes that were given back


@dataclass(frozen=True)
class Cancel:
    session_id: str
    reply_id: str


@dataclass(frozen=True)
class Pause:
    session_id: str
    reply_id: str
    paused: bool  # or to be resumed


@dataclass(frozen=True)
class Prioritise:
    session_id: str
    priority: int


@dataclass(frozen=True)
class Fork:
    session_id: str
    twin_id: str
    named: bool = False


@dataclass(frozen=True)
class CloseSession:
    session_id: str
    forget: bool = False


@dataclass(frozen=True)
class Forget:
    session_id: str


@dataclass(frozen=True)
class Embed:
    model_id: str
    texts: tuple[str | tuple[int, ...], ...]
    answer: Future[Embeddings]


@dataclass(frozen=True)
class Embeddings:
    """A vector of length 1 for each text, as little-endian float32, and the tokens of all."""

    vectors: tuple[bytes, ...]
    tokens: int


@dataclass(frozen=True)
class GetStats:
    answer: Future[dict[str, Any]]


@dataclass(frozen=True)
class WorkDone:
    """A worker has finished: `deliver` hands over what came of it, and `failed` that it could not.

    For the engine thread.
    """

    deliver: Callable[[], None]
    failed: Callable[[BaseException], None]


@dataclass(frozen=True)
class Stop:
    pass
