"""Models on their way from the hub: looked up and downloaded on threads, one after the other.

The hub is asked only after a person has asked for it: by naming a model, or by letting a download
go on. What is unfinished stays in the settings, and is offered at the next start.

An access token lives here and nowhere else, until the program ends. huggingface_hub would keep it
as plain text in a file that every program of this person can read; who wants that has done it by
its own command or by HF_TOKEN, and both are honoured.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot

from app.download import Download, DownloadState, ref_of
from app.settings import Settings
from engine import EngineError
from engine.errors import DOWNLOAD_FAILED

if TYPE_CHECKING:
    from engine.hub import HubModel

log = logging.getLogger(__name__)

_TELL_MS = 200  # progress is told so often


class Downloads(QObject):
    """The downloads of one run of the program.

    Signals:
        looked(number, model, error): an answer to `look_up`: a HubModel or None, an EngineError
            or None.
        changed(ref): that download is another, or is gone from the list.
        finished(ref): it is there and can be loaded.
    """

    END_S = 3.0

    looked = Signal(int, object, object)
    changed = Signal(str)
    finished = Signal(str)
    _ended = Signal(object, object)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.items: list[Download] = [
            Download(ref, total=total, state=DownloadState.PAUSED)
            for ref, total in settings.downloads.items()
        ]
        self.token = ""
        self._number = 0
        self._looking = threading.Event()
        self._threads: list[threading.Thread] = []
        self._writers: dict[str, threading.Thread] = {}  # by model: the last that touched its files
        self._over = False
        self._telling = QTimer(self, interval=_TELL_MS)
        self._telling.timeout.connect(self._tell)
        self._ended.connect(self._on_ended)

    def get(self, ref: str) -> Download | None:
        return next((d for d in self.items if d.ref == ref), None)

    @property
    def running(self) -> bool:
        """Whether one is being downloaded now."""
        return any(d.state is DownloadState.RUNNING for d in self.items)

    def unfinished(self) -> list[Download]:
        return [d for d in self.items if d.state is not DownloadState.DONE]

    def measure(self) -> None:
        """See on disk how much there is of what was unfinished at the last end."""
        from engine import hub

        for download in self.items:
            wanted = hub.parse(download.ref)
            if wanted is not None and download.state is DownloadState.PAUSED and not download.done:
                download.done = min(hub.come(wanted.repo), download.total)

    def _alone(self, download: Download) -> bool:
        """Whether no other version of the model waits to go on: their files lie together."""
        return all(d is download or d.repo != download.repo for d in self.unfinished())

    # Asking the hub about a model.

    def look_up(self, name: str) -> int:
        """Ask; the answer comes by ``looked`` with this number. An earlier question is let go."""
        self.look_no_more()
        self._looking = threading.Event()
        self._start(self._ask, self._number, name, self.token, self._looking)
        return self._number

    def look_no_more(self) -> None:
        """Let go of the question that is on its way."""
        self._number += 1
        self._looking.set()

    def _ask(self, number: int, name: str, token: str, stop: threading.Event) -> None:
        """On a thread of its own."""
        from engine import hub

        model, problem = None, None
        try:
            model = hub.look_up(name, token=token or None, cancelled=stop)
        except EngineError as error:
            problem = error
        except Exception as error:
            problem = _fault(error)
        if not stop.is_set():
            self._emit(self.looked, number, model, problem)

    # Downloading.

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
        if download is None or download.state not in {DownloadState.RUNNING, DownloadState.WAITING}:
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
        if not done and self._alone(download):
            self._write(download, _discard, ref)
        self._changed(download)
        self._next()

    def end(self) -> None:
        """The program ends: stop all, keeping what has come."""
        self._over = True
        self._telling.stop()
        self.look_no_more()
        for download in self.items:
            download.stop.set()
        self._keep()
        give_up = time.monotonic() + self.END_S
        for thread in self._threads:
            thread.join(max(0.0, give_up - time.monotonic()))

    def _next(self) -> None:
        """Start the first that waits, if none runs."""
        if self._over or self.running:
            return
        waiting = next((d for d in self.items if d.state is DownloadState.WAITING), None)
        if waiting is None:
            self._telling.stop()
            return
        waiting.state = DownloadState.RUNNING
        waiting.stop = threading.Event()
        waiting.samples.clear()
        self._telling.start()
        self._changed(waiting)
        self._write(waiting, self._run, waiting, self.token, waiting.stop)

    def _run(
        self,
        download: Download,
        token: str,
        stop: threading.Event,
        before: threading.Thread | None,
    ) -> None:
        """On a thread of its own, once the one before, which was told to stop, has."""
        from engine import hub

        if before is not None:
            before.join()
        model = download.model

        def progress(done: int, total: int) -> None:
            if not stop.is_set():
                download.came = (done, total)

        problem: EngineError | None = None
        try:
            if model is None:
                model = hub.look_up(download.ref, token=token or None, cancelled=stop)
            hub.download(model, progress, stop, token or None, tidy=self._alone(download))
        except EngineError as error:
            problem = error
        except Exception as error:
            problem = _fault(error)
        self._emit(self._ended, stop, (download, problem))

    @Slot()
    def _tell(self) -> None:
        """Also while nothing comes, so that the rate falls."""
        for download in self.items:
            if download.state is not DownloadState.RUNNING or not download.came[1]:
                continue
            download.take()
            self._changed(download)

    @Slot(object, object)
    def _on_ended(self, stop: threading.Event, end: tuple[Download, EngineError | None]) -> None:
        download, error = end
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

    def _write(self, download: Download, act: Callable[..., None], *arguments: object) -> None:
        """On a thread that is also told of the one before it with the files of that model."""
        before = self._writers.get(download.repo)
        self._writers[download.repo] = self._start(act, *arguments, before)

    def _start(self, act: Callable[..., None], *arguments: object) -> threading.Thread:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=act, args=arguments, name="downloads", daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _emit(self, signal: SignalInstance, *values: object) -> None:
        try:
            signal.emit(*values)
        except RuntimeError:
            log.debug("the program has ended meanwhile")


def _discard(ref: str, before: threading.Thread | None) -> None:
    """On a thread of its own, once the one that may write the files has stopped."""
    from engine import hub

    if before is not None:
        before.join()
    wanted = hub.parse(ref)
    try:
        if wanted is not None:
            hub.discard(wanted.repo)
    except (EngineError, OSError) as error:
        log.warning("An unfinished download was not thrown away: %s", error)


def _fault(error: Exception) -> EngineError:
    log.exception("A fault while downloading")
    return EngineError(DOWNLOAD_FAILED, f"It failed ({type(error).__name__}). The log says how.")
