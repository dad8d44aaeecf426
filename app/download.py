"""One model on its way from the hub: how far it is, and the work that a thread does for it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from app import keychain
from app.language import tr
from engine import EngineError
from engine.errors import DOWNLOAD_FAILED

if TYPE_CHECKING:
    from engine.hub import HubModel

log = logging.getLogger(__name__)

_RATE_S = 5.0  # over how long the rate is taken


class DownloadState(Enum):
    """How far a download is."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    DONE = "done"


@dataclass
class Download:
    """One model on its way.

    Attributes:
        ref: how chats name it: ``owner/name``, with ``@revision`` for another than main.
        done, total: bytes.
        error: a plain sentence, once failed;  code: the engine's for it.
        stop: ends the thread that downloads it, once set.
        can_pause: it goes on later where it was stopped.
        came: (bytes, of bytes) as that thread left it.
    """

    ref: str
    done: int = 0
    total: int = 0
    state: DownloadState = DownloadState.WAITING
    error: str = ""
    code: str = ""
    model: HubModel | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    came: tuple[int, int] = (0, 0)
    can_pause: ClassVar[bool] = True
    samples: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=64))

    @property
    def name(self) -> str:
        return self.ref.rpartition("/")[2]

    @property
    def repo(self) -> str:
        """The repository: the files of all of a model's versions lie together."""
        return self.ref.partition("@")[0]

    @property
    def rate(self) -> float:
        """Bytes per second over the last few seconds; 0 where nothing came."""
        if len(self.samples) < 2:
            return 0.0
        (began, first), (ended, last) = self.samples[0], self.samples[-1]
        return max(0.0, (last - first) / (ended - began)) if ended > began else 0.0

    def take(self) -> None:
        """Note what has come by now."""
        self.done, self.total = self.came
        now = time.monotonic()
        self.samples.append((now, self.done))
        while now - self.samples[0][0] > _RATE_S:
            self.samples.popleft()


def ref_of(model: HubModel) -> str:
    """How chats name a model of the hub."""
    return model.repo if model.revision == "main" else f"{model.repo}@{model.revision}"


# On threads of their own.


def fetch(
    download: Download,
    token: str,
    stop: threading.Event,
    *,
    tidy: bool,
    before: threading.Event | None,
) -> None:
    """Download a model once what had its files before has ended. Raises EngineError.

    Args:
        token: that of this run, "" for none: where the hub wants one, the keychain's is taken.
        stop: set when this download is no longer wanted.
        tidy: whether what came of other versions may go: none of them waits to go on.
    """
    from engine import hub

    if before is not None:
        before.wait()
    model = download.model

    def progress(done: int, total: int) -> None:
        if not stop.is_set():
            download.came = (done, total)

    def get(token: str | None) -> None:
        found = model or hub.look_up(download.ref, token=token, cancelled=stop)
        hub.download(found, progress, stop, token, tidy=tidy)

    try:
        keychain.with_token(token, get)
    except EngineError:
        raise
    except Exception as error:
        raise fault(error) from error


def discard(ref: str, before: threading.Event | None) -> None:
    """Throw away what came of a model, once the thread that may write its files has stopped."""
    from engine import hub

    if before is not None:
        before.wait()
    wanted = hub.parse(ref)
    try:
        if wanted is not None:
            hub.discard(wanted.repo)
    except (EngineError, OSError) as error:
        log.warning("An unfinished download was not thrown away: %s", error)


def fault(error: Exception) -> EngineError:
    """An error of the program itself, in words for a person."""
    if isinstance(error, EngineError):
        return error
    log.error("A fault while downloading", exc_info=error)
    words = tr("It failed ({kind}). The log says how.", kind=type(error).__name__)
    return EngineError(DOWNLOAD_FAILED, words)
