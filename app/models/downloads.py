"""Models on their way from the hub, downloaded on threads, and smaller copies that are made.

Downloads stand in one list, one after the other; conversions beside them. What a download is lies
in `Download`, what a conversion is in `Conversion`; `Downloads` runs them.

The hub is asked only after a person has asked for it: by naming a model, or by letting a download
go on. What is unfinished stays in the settings, and is offered at the next start.

An access token lives here until the program ends, and in the system's keychain
(`app.settings.keychain`) where there is one. huggingface_hub would keep it as plain text in a
file that every program of this person can read; who wants that has done it by its own command or
by HF_TOKEN, and both are honoured.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct, field
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.models.engine_errors import problem
from app.settings import keychain
from app.settings.language import mark, tr
from app.settings.settings import Settings
from engine import EngineError
from engine.errors import DOWNLOAD_FAILED
from engine.hub.inventory import InstalledModel

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


class Download(Struct):
    """One model on its way."""

    ref: str  # how chats name it: ``owner/name``, with ``@revision`` for another than main
    # done, total: bytes
    done: int = 0
    total: int = 0
    state: DownloadState = DownloadState.WAITING
    error: str = ""  # a plain sentence, once failed;  code: the engine's for it
    code: str = ""
    model: HubModel | None = None
    # ends the thread that downloads it, once set
    stop: threading.Event = field(default_factory=threading.Event)
    came: tuple[int, int] = (0, 0)  # (bytes, of bytes) as that thread left it
    can_pause: ClassVar[bool] = True  # it goes on later where it was stopped
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
    token: str,  # that of this run, "" for none: where the hub wants one, the keychain's is taken
    stop: threading.Event,  # set when this download is no longer wanted
    *,
    tidy: bool,  # whether what came of other versions may go: none of them waits to go on
    before: threading.Event | None,
) -> None:
    """Download a model once what had its files before has ended. Raises EngineError."""
    from engine import hub

    if before is not None:
        before.wait()
    model = download.model

    def progress(done: int, total: int) -> None:
        if not stop.is_set():
            download.came = (done, total)

    def get(token: str | None) -> None:
        found = model or hub.look_up(
            download.ref, token=token, cancelled=stop, most_wait_s=hub.MAX_WAIT_S
        )
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
    words = tr("Failed ({kind}). See the log.", kind=type(error).__name__)
    return EngineError(DOWNLOAD_FAILED, words)


class Recipe(Struct, frozen=True):
    """How weights are to be kept."""

    name: str  # as it ends the new folder's name
    words: str  # what a person chooses it by, in English; `tr` of it is shown
    bits: int = 4  # of all weights;  mixed: one of mlx-lm's recipes instead, or ""
    mixed: str = ""

    def size(self, model: InstalledModel) -> int:
        """Bytes that the new model will take, about."""
        from engine.hub import conversion

        each = 4 if model.facts.dtype == "float32" else 2
        return conversion.expected_bytes(model.facts.nbytes // each, self.bits, self.mixed or None)


RECIPES = (
    Recipe("4bit", mark("4 bits: the usual choice"), 4),
    Recipe("6bit", mark("6 bits: closer to the original"), 6),
    Recipe("8bit", mark("8 bits: practically identical to the original"), 8),
    Recipe("mixed-4-6bit", mark("4 and 6 bits: more where it matters"), mixed="mixed_4_6"),
    Recipe(
        "mixed-3-6bit",
        mark("3 and 6 bits: as small as 4, more where it matters"),
        mixed="mixed_3_6",
    ),
    Recipe("mixed-3-4bit", mark("3 and 4 bits: the smallest"), mixed="mixed_3_4"),
    Recipe("mixed-2-6bit", mark("2 and 6 bits: small, not for every model"), mixed="mixed_2_6"),
)


class Conversion(Download):
    """One job. Its ``ref`` is the folder that it makes."""

    source: Path = Path()  # the folder of the model that is converted
    recipe: Recipe = RECIPES[0]

    can_pause: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return Path(self.ref).name

    @property
    def repo(self) -> str:
        return self.ref


def why_not_convert(model: InstalledModel) -> str:
    """Why a model cannot be converted, as a sentence; "" where nothing is known against it."""
    if why := problem(model.facts):
        return why
    if model.facts.bits:
        return tr("Already quantized. Convert the original model instead.")
    return ""


def conversion_of(model: InstalledModel, recipe: Recipe, into: Path) -> Conversion:
    """Return a job that makes ``model`` smaller, in a new folder in ``into``. Reads the disk."""
    name = f"{model.name.replace('/', '-')}-{recipe.name}"
    out, number = into / name, 1
    while out.exists():
        number += 1
        out = into / f"{name}-{number}"
    return Conversion(str(out), total=recipe.size(model), source=model.folder, recipe=recipe)


def convert_model(
    job: Conversion, stop: threading.Event, *, before: threading.Event | None
) -> None:
    """On a thread: convert, in a child that ends with ``stop``. Raises EngineError."""
    from engine.hub import conversion

    if before is not None:
        before.wait()

    def progress(done: int, total: int) -> None:
        if not stop.is_set():
            job.came = (done, total)

    try:
        recipe, out = job.recipe, Path(job.ref)
        conversion.convert(job.source, out, recipe.bits, recipe.mixed or None, progress, stop)
    except EngineError:
        raise
    except Exception as error:
        raise fault(error) from error


_TELL_MS = 200  # progress is told so often


class Downloads(QObject):
    """The downloads of one run of the program."""

    changed = Signal(str)  # (ref): that download is another, or is gone from the list
    finished = Signal(str)  # (ref): it is there and can be loaded

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.items: list[Download] = [
            Download(ref, total=total, state=DownloadState.PAUSED)
            for ref, total in settings.downloads.items()
        ]
        self.token = ""
        self._written: dict[str, threading.Event] = {}  # by model: set when its files are free
        self._over = False
        self._telling = QTimer(self, interval=_TELL_MS)
        self._telling.timeout.connect(self._tell)

    def get(self, ref: str) -> Download | None:
        return next((d for d in self.items if d.ref == ref), None)

    @property
    def running(self) -> bool:
        """Whether one is being downloaded now."""
        return any(d.state is DownloadState.RUNNING for d in self.items)

    def unfinished(self) -> list[Download]:
        """What the hub has not wholly given yet."""
        return [d for d in self.items if d.state is not DownloadState.DONE and d.can_pause]

    def converting(self, folder: Path) -> bool:
        """Whether a model is being made smaller, or waits for that."""
        ours = (d for d in self.items if isinstance(d, Conversion) and d.source == folder)
        return any(d.state in {DownloadState.RUNNING, DownloadState.WAITING} for d in ours)

    def measure(self) -> None:
        """See on disk how much there is of what was unfinished at the last end."""
        from engine import hub

        for download in self.items:
            wanted = hub.parse(download.ref)
            if wanted is not None and download.state is DownloadState.PAUSED and not download.done:
                download.done = min(hub.bytes_unfinished(wanted.repo), download.total)

    def _alone(self, download: Download) -> bool:
        """Whether no other version of the model waits to go on: their files lie together."""
        return all(d is download or d.repo != download.repo for d in self.unfinished())

    def add(self, model: HubModel) -> Download:
        """Download it, after those that wait already."""
        ref = ref_of(model)
        known = self.get(ref)
        if known is not None and known.state in {DownloadState.RUNNING, DownloadState.WAITING}:
            return known
        if known is not None:
            self.items.remove(known)
        made = Download(ref, total=model.size, model=model)
        self.items.append(made)
        self._changed(made)
        self._next()
        return made

    def convert(self, job: Conversion) -> None:
        """Make a model smaller, after those that wait already."""
        if self.get(job.ref) is None:
            self.items.append(job)
            self._changed(job)
            self._next()

    def resume(self, ref: str) -> None:
        """Go on with a paused or failed one; asks the hub anew."""
        download = self.get(ref)
        if download is not None and download.state in {DownloadState.PAUSED, DownloadState.FAILED}:
            download.state, download.error, download.code = DownloadState.WAITING, "", ""
            self._changed(download)
            self._next()

    def pause(self, ref: str) -> None:
        """Stop it, to go on later. Takes effect within a fraction of a second."""
        download = self.get(ref)
        if download is None or not download.can_pause:
            return
        if download.state not in {DownloadState.RUNNING, DownloadState.WAITING}:
            return
        download.state = DownloadState.PAUSED
        download.stop.set()
        self._changed(download)
        self._next()

    def cancel(self, ref: str) -> None:
        """Stop it and throw away what has come; a finished one only leaves the list."""
        download = self.get(ref)
        if download is None:
            return
        done = download.state is DownloadState.DONE
        self.items.remove(download)
        download.stop.set()
        download.state = DownloadState.PAUSED
        if not done and download.can_pause and self._alone(download):
            flows.start(self, self._discard(self._write(download, partial(discard, ref))))
        self._changed(download)
        self._next()

    def end(self) -> None:
        """The program ends: stop all, keeping what has come."""
        self._over = True
        self._telling.stop()
        for download in self.items:
            download.stop.set()
        self._keep()

    def _next(self) -> None:
        """Start the first download that waits and the first conversion, if none of these runs."""
        if self._over:
            return
        for kind in (True, False):
            own = [d for d in self.items if d.can_pause is kind]
            busy = any(d.state is DownloadState.RUNNING for d in own)
            waiting = next((d for d in own if d.state is DownloadState.WAITING), None)
            if not busy and waiting is not None:
                self._start(waiting)
        if not self.running:
            self._telling.stop()

    def _start(self, waiting: Download) -> None:
        waiting.state = DownloadState.RUNNING
        waiting.stop = threading.Event()
        waiting.samples.clear()
        self._telling.start()
        self._changed(waiting)
        stop, alone = waiting.stop, self._alone(waiting)
        act: Callable[..., None] = partial(fetch, waiting, self.token, stop, tidy=alone)
        if isinstance(waiting, Conversion):
            act = partial(convert_model, waiting, stop)
        flows.start(self, self._run(waiting, self._write(waiting, act)))

    @Slot()
    def _tell(self) -> None:
        """Also while nothing comes, so that the rate falls."""
        for download in self.items:
            if download.state is not DownloadState.RUNNING or not download.came[1]:
                continue
            download.take()
            self._changed(download)

    async def _discard(self, discarding: Coroutine[Any, Any, None]) -> None:
        try:
            await discarding
        except Exception as problem:
            fault(problem)

    async def _run(self, download: Download, working: Coroutine[Any, Any, None]) -> None:
        stop, error = download.stop, None
        try:
            await working
        except Exception as problem:
            error = fault(problem)
        running = stop is download.stop and download.state is DownloadState.RUNNING
        if not running or self._over:
            return  # paused or thrown away meanwhile
        download.model = None  # the next time the hub is asked anew
        if error is None:
            download.state, (download.done, download.total) = DownloadState.DONE, download.came
            self._settings.remember_model(download.ref)
        else:
            log.info("A download failed: %s", error.code)
            download.state = DownloadState.FAILED
            download.error, download.code = error.message, error.code
        self._changed(download)
        if error is None:
            self.finished.emit(download.ref)
        self._next()

    def _changed(self, download: Download) -> None:
        self._keep()
        self.changed.emit(download.ref)

    def _keep(self) -> None:
        now = {d.ref: d.total for d in self.unfinished()}
        if now != self._settings.downloads:
            self._settings.set(downloads=now)

    def _write(self, download: Download, act: Callable[..., None]) -> Coroutine[Any, Any, None]:
        """Work on a thread that also gets what has that model's files before it."""
        written, before = threading.Event(), self._written.get(download.repo)
        self._written[download.repo] = written

        def work(_: threading.Event) -> None:
            try:
                act(before=before)
            finally:
                written.set()

        return flows.aside(work, download.stop)
