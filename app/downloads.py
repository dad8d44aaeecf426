"""Models on their way from the hub: downloaded on threads, one after the other.

Conversions stand in the same list, one after the other beside the downloads.

The hub is asked only after a person has asked for it: by naming a model, or by letting a download
go on. What is unfinished stays in the settings, and is offered at the next start.

An access token lives here until the program ends, and in the system's keychain (`app.keychain`)
where there is one. huggingface_hub would keep it as plain text in a file that every program of
this person can read; who wants that has done it by its own command or by HF_TOKEN, and both are
honoured.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import conversion, flows
from app.conversion import Conversion
from app.download import Download, DownloadState, discard, fault, fetch, ref_of
from app.settings import Settings

if TYPE_CHECKING:
    from engine.hub import HubModel

log = logging.getLogger(__name__)

_TELL_MS = 200  # progress is told so often


class Downloads(QObject):
    """The downloads of one run of the program.

    Signals:
        changed(ref): that download is another, or is gone from the list.
        finished(ref): it is there and can be loaded.
    """

    changed = Signal(str)
    finished = Signal(str)

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
            act = partial(conversion.work, waiting, stop)
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
