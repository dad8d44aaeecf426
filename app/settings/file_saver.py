"""Small files, written atomically off the GUI thread."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from engine.files import replace_text

log = logging.getLogger(__name__)


class FileSaver:
    """Writes files in a thread that runs only while there's work. The latest text wins.

    With a slow or missing disk, only callers of `wait` block.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pending: dict[Path, str] = {}
        self._writing: Path | None = None
        self._thread: threading.Thread | None = None

    def save(self, file: Path, text: str) -> None:
        with self._changed:
            self._pending[file] = text
            if self._thread is None:
                # Use a daemon thread, because a hanging disk mustn't keep the app from quitting.
                self._thread = threading.Thread(target=self._run, name="settings", daemon=True)
                self._thread.start()

    def wait(self, file: Path, seconds: float) -> bool:
        """Wait until the file was written or writing failed. Return False on timeout."""
        with self._changed:
            return self._changed.wait_for(
                lambda: file not in self._pending and file != self._writing, seconds
            )

    def _run(self) -> None:
        while True:
            with self._changed:
                self._writing = None
                self._changed.notify_all()
                if not self._pending:
                    self._thread = None
                    return
                self._writing = file = next(iter(self._pending))
                text = self._pending.pop(file)
            started_at = time.monotonic()
            try:
                replace_text(file, text)
            except OSError as error:
                log.warning("settings not saved: %s", error.strerror or type(error).__name__)
            except BaseException:  # keep the thread alive for later writes
                log.exception("settings not saved")
            if (took := time.monotonic() - started_at) > 1:
                log.info("saving the settings took %.1f s", took)
