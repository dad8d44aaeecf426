"""Downloads of models from the hub and conversions, in worker threads.

One download and one conversion can run at the same time. The hub is only contacted if the user
names a model or resumes a download. Unfinished downloads are saved in the settings and offered
again at the next start.

Access tokens are kept until the app quits, and in the system's keychain if there is one
(`app.settings.keychain`). huggingface_hub would store them as plain text that any program of the
user can read. A token that it has stored, or that is set in HF_TOKEN, is used.
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
from app.models.engine_errors import describe_problem, explain_hub
from app.settings import keychain
from app.settings.language import mark, tr
from app.settings.settings import Settings
from engine import EngineError
from engine.errors import DOWNLOAD_FAILED
from engine.hub.inventory import InstalledModel

if TYPE_CHECKING:
    from engine.hub import HubModel


log = logging.getLogger(__name__)

_RATE_S = 5.0  # window for averaging the rate


class DownloadState(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    DONE = "done"


class Download(Struct):
    ref: str  # ``owner/name``, plus ``@revision`` if not main
    # in bytes
    done: int = 0
    total: int = 0
    state: DownloadState = DownloadState.WAITING
    error: str = ""  # error message and (in code) the engine's error code, if the download failed
    code: str = ""
    model: HubModel | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    came: tuple[int, int] = (0, 0)  # (bytes done, total bytes), set by the worker thread
    can_pause: ClassVar[bool] = True  # a canceled download can be resumed later
    samples: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=64))

    @property
    def name(self) -> str:
        return self.ref.rpartition("/")[2]

    @property
    def repo(self) -> str:
        """Return the repository, whose folder has the files of all downloaded revisions."""
        return self.ref.partition("@")[0]

    @property
    def rate(self) -> float:
        if len(self.samples) < 2:
            return 0.0
        (started_at, first), (ended_at, last) = self.samples[0], self.samples[-1]
        return max(0.0, (last - first) / (ended_at - started_at)) if ended_at > started_at else 0.0

    def update_progress(self) -> None:
        self.done, self.total = self.came
        now = time.monotonic()
        self.samples.append((now, self.done))
        while now - self.samples[0][0] > _RATE_S:
            self.samples.popleft()


def ref_of(model: HubModel) -> str:
    return model.repo if model.revision == "main" else f"{model.repo}@{model.revision}"


# These functions run in worker threads.


def run_download(
    download: Download,
    token: str,  # token entered in this run, or "" to use the keychain if the hub asks for a token
    stop: threading.Event,  # set when the download is canceled
    *,
    tidy: bool,  # No download uses files of other revisions, so they may be deleted.
    before: threading.Event | None,
) -> None:
    """Download a model once the previous job on its files is done."""
    from engine import hub

    if before is not None:
        before.wait()
    model = download.model

    def progress(done_bytes: int, total: int) -> None:
        if not stop.is_set():
            download.came = (done_bytes, total)

    def get(token: str | None) -> None:
        hub_model = model or hub.look_up(
            download.ref, token=token, cancelled=stop, most_wait_s=hub.MAX_WAIT_S
        )
        hub.download(hub_model, progress, stop, token, tidy=tidy)

    keychain.call_with_token(token, get)


def discard_files(ref: str, before: threading.Event | None) -> None:
    """Delete a model's files once the thread writing them is done."""
    from engine import hub

    if before is not None:
        before.wait()
    location = hub.parse(ref)
    try:
        if location is not None:
            hub.discard(location.repo)
    except (EngineError, OSError) as error:
        log.warning("unfinished download not deleted: %s", error)


def to_engine_error(error: Exception) -> EngineError:
    """Return an error of a search, download, or conversion with a message for the user."""
    if isinstance(error, EngineError):
        return EngineError(error.code, explain_hub(error.code, error.message), error.reason)
    log.error("unexpected error in a download", exc_info=error)
    words = tr("Failed ({kind}). See the log.", kind=type(error).__name__)
    return EngineError(DOWNLOAD_FAILED, words)


class Recipe(Struct, frozen=True):
    name: str  # suffix for the name of the new folder
    words: str  # English label for `tr`
    bits: int = 4  # bits per weight; with `mixed`, this mlx-lm recipe is used instead
    mixed: str = ""

    def size(self, model: InstalledModel) -> int:
        from engine.hub import conversion

        width = 4 if model.facts.dtype == "float32" else 2
        return conversion.expected_bytes(model.facts.nbytes // width, self.bits, self.mixed or None)


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
    source: Path = Path()  # folder of the original model
    recipe: Recipe = RECIPES[0]

    can_pause: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return Path(self.ref).name

    @property
    def repo(self) -> str:
        return self.ref


def why_not_convert(model: InstalledModel) -> str:
    if reason := describe_problem(model.facts):
        return reason
    if model.facts.bits:
        return tr("Already quantized. Convert the original model instead.")
    return ""


def conversion_of(model: InstalledModel, recipe: Recipe, into: Path) -> Conversion:
    """Return a job that converts ``model`` to a new folder in ``into``. Reads the disk."""
    name = f"{model.name.replace('/', '-')}-{recipe.name}"
    out, number = into / name, 1
    while out.exists():
        number += 1
        out = into / f"{name}-{number}"
    return Conversion(str(out), total=recipe.size(model), source=model.folder, recipe=recipe)


def convert_model(
    job: Conversion, stop: threading.Event, *, before: threading.Event | None
) -> None:
    """Convert in a child process that ``stop`` terminates. Blocks."""
    from engine.hub import conversion

    if before is not None:
        before.wait()

    def progress(done_bytes: int, total: int) -> None:
        if not stop.is_set():
            job.came = (done_bytes, total)

    recipe, out = job.recipe, Path(job.ref)
    conversion.convert(job.source, out, recipe.bits, recipe.mixed or None, progress, stop)


_TELL_MS = 200  # interval of progress updates


class Downloads(QObject):
    changed = Signal(str)  # (ref): changed or removed
    download_finished = Signal(str)  # (ref): the model can be loaded

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.items: list[Download] = [
            Download(ref, total=total, state=DownloadState.PAUSED)
            for ref, total in settings.downloads.items()
        ]
        self.token = ""
        # By model: an event that is cleared while a thread is writing the files.
        self._written: dict[str, threading.Event] = {}
        self._over = False
        self._telling = QTimer(self, interval=_TELL_MS)
        self._telling.timeout.connect(self._emit_progress)

    def get(self, ref: str) -> Download | None:
        return next((d for d in self.items if d.ref == ref), None)

    @property
    def is_running(self) -> bool:
        return any(d.state is DownloadState.RUNNING for d in self.items)

    def unfinished_downloads(self) -> list[Download]:
        return [d for d in self.items if d.state is not DownloadState.DONE and d.can_pause]

    def is_converting(self, folder: Path) -> bool:
        conversions = (d for d in self.items if isinstance(d, Conversion) and d.source == folder)
        return any(d.state in {DownloadState.RUNNING, DownloadState.WAITING} for d in conversions)

    def measure(self) -> None:
        from engine import hub

        for download in self.items:
            location = hub.parse(download.ref)
            if (
                location is not None
                and download.state is DownloadState.PAUSED
                and not download.done
            ):
                download.done = min(hub.bytes_unfinished(location.repo), download.total)

    def _is_only_revision(self, download: Download) -> bool:
        """Return True if no other revision of the model is unfinished. Revisions share files."""
        return all(d is download or d.repo != download.repo for d in self.unfinished_downloads())

    def add(self, model: HubModel) -> Download:
        ref = ref_of(model)
        existing = self.get(ref)
        if existing is not None and existing.state in {
            DownloadState.RUNNING,
            DownloadState.WAITING,
        }:
            return existing
        if existing is not None:
            self.items.remove(existing)
        download = Download(ref, total=model.size, model=model)
        self.items.append(download)
        self._on_download_changed(download)
        self._next()
        return download

    def convert(self, job: Conversion) -> None:
        if self.get(job.ref) is None:
            self.items.append(job)
            self._on_download_changed(job)
            self._next()

    def resume(self, ref: str) -> None:
        download = self.get(ref)
        if download is not None and download.state in {DownloadState.PAUSED, DownloadState.FAILED}:
            download.state, download.error, download.code = DownloadState.WAITING, "", ""
            self._on_download_changed(download)
            self._next()

    def pause(self, ref: str) -> None:
        download = self.get(ref)
        if download is None or not download.can_pause:
            return
        if download.state not in {DownloadState.RUNNING, DownloadState.WAITING}:
            return
        download.state = DownloadState.PAUSED
        download.stop.set()
        self._on_download_changed(download)
        self._next()

    def cancel(self, ref: str) -> None:
        """Stop a download and delete its files, or remove a complete download from the list."""
        download = self.get(ref)
        if download is None:
            return
        is_done = download.state is DownloadState.DONE
        self.items.remove(download)
        download.stop.set()
        download.state = DownloadState.PAUSED
        if not is_done and download.can_pause and self._is_only_revision(download):
            flows.start(
                self, self._discard(self._run_exclusively(download, partial(discard_files, ref)))
            )
        self._on_download_changed(download)
        self._next()

    def end(self) -> None:
        self._over = True
        self._telling.stop()
        for download in self.items:
            download.stop.set()
        self._save_unfinished()

    def _next(self) -> None:
        if self._over:
            return
        for kind in (True, False):
            downloads = [d for d in self.items if d.can_pause is kind]
            busy = any(d.state is DownloadState.RUNNING for d in downloads)
            waiting = next((d for d in downloads if d.state is DownloadState.WAITING), None)
            if not busy and waiting is not None:
                self._start(waiting)
        if not self.is_running:
            self._telling.stop()

    def _start(self, waiting: Download) -> None:
        waiting.state = DownloadState.RUNNING
        waiting.stop = threading.Event()
        waiting.samples.clear()
        self._telling.start()
        self._on_download_changed(waiting)
        stop, alone = waiting.stop, self._is_only_revision(waiting)
        act: Callable[..., None] = partial(run_download, waiting, self.token, stop, tidy=alone)
        if isinstance(waiting, Conversion):
            act = partial(convert_model, waiting, stop)
        flows.start(self, self._run(waiting, self._run_exclusively(waiting, act)))

    @Slot()
    def _emit_progress(self) -> None:
        """Emit the progress even if nothing has arrived, so that the displayed rate drops."""
        for download in self.items:
            if download.state is not DownloadState.RUNNING or not download.came[1]:
                continue
            download.update_progress()
            self._on_download_changed(download)

    async def _discard(self, discarding: Coroutine[Any, Any, None]) -> None:
        try:
            await discarding
        except Exception as problem:
            to_engine_error(problem)

    async def _run(self, download: Download, working: Coroutine[Any, Any, None]) -> None:
        stop, error = download.stop, None
        try:
            await working
        except Exception as problem:
            error = to_engine_error(problem)
        running = stop is download.stop and download.state is DownloadState.RUNNING
        if not running or self._over:
            return  # the download was paused or canceled
        download.model = None  # the next attempt queries the hub again
        if error is None:
            download.state, (download.done, download.total) = DownloadState.DONE, download.came
            self._settings.remember_model(download.ref)
        else:
            log.info("download failed: %s", error.code)
            download.state = DownloadState.FAILED
            download.error, download.code = error.message, error.code
        self._on_download_changed(download)
        if error is None:
            self.download_finished.emit(download.ref)
        self._next()

    def _on_download_changed(self, download: Download) -> None:
        self._save_unfinished()
        self.changed.emit(download.ref)

    def _save_unfinished(self) -> None:
        now = {d.ref: d.total for d in self.unfinished_downloads()}
        if now != self._settings.downloads:
            self._settings.set(downloads=now)

    def _run_exclusively(
        self, download: Download, act: Callable[..., None]
    ) -> Coroutine[Any, Any, None]:
        written, before = threading.Event(), self._written.get(download.repo)
        self._written[download.repo] = written

        def work(_: threading.Event) -> None:
            try:
                act(before=before)
            finally:
                written.set()

        return flows.run_in_thread(work, download.stop)
