"""What has become of loading a model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from app.paths import model_fallback_name
from app.remote.address import named
from app.remote.errors import GONE, NOT_STARTED
from app.remote.remotes import Remotes
from app.remote.session import removed

if TYPE_CHECKING:
    from engine import Fit, Model


class LoadState(Enum):
    """How far a model is."""

    UNASKED = "unasked"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"
    UNLOADED = "unloaded"
    """A person had it unloaded, or its loading cancelled: a chat that sends loads it again."""


@dataclass
class ModelStatus:
    """One model.

    Attributes:
        ref: how chats name it (``paths.GUIDE``, a folder, or a hub id).
        state: how far loading is.
        model: the engine's own record, once ready.
        error: a plain sentence, once failed.
        code: the engine's code for it, or `DOES_NOT_FIT`.
        fit: what it would take, where that was more than is free.
        share: of its weights that has been read, while it is loading.
    """

    ref: str
    state: LoadState = LoadState.UNASKED
    model: Model | None = None
    error: str = ""
    code: str = ""
    fit: Fit | None = None
    share: float = 0.0

    @property
    def name(self) -> str:
        return self.model.name if self.model is not None else model_fallback_name(self.ref)

    def look_up(self, remotes: Remotes) -> None:
        """Whether a remote model is in the person's list: it needs no loading."""
        self.model = model = remotes.model(self.ref)
        self.state = LoadState.READY if model is not None else LoadState.FAILED
        gone = removed(named(self.ref), self.ref) if model is None else None
        self.error = gone.message if gone is not None else ""
        self.code = GONE if gone is not None else ""
        if model is not None and (not_there := remotes.groups.why_not(self.ref)):
            self.model = None
            self.state = LoadState.LOADING if not_there.starts else LoadState.FAILED
            self.error, self.code = not_there.words, NOT_STARTED
