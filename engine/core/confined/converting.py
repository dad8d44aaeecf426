"""Has a GGUF file read and converted in a child that may write, and ends after it. For workers."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine.core.confined import limits
from engine.core.confined.children import what_happened
from engine.core.confined.limits import Limits
from engine.core.confined.process import Child, CrashError, OverrunError
from engine.errors import DOWNLOAD_CANCELLED, MODEL_LOAD_FAILED, EngineError

_LOOK_S = 0.1


class Converting:
    """What converting one file may take, by its size.

    Args:
        given: the limits for a file of so many bytes.
    """

    def __init__(self, given: Callable[[int], Limits] = limits.converting) -> None:
        self._given = given

    @contextlib.contextmanager
    def child(self, stop: threading.Event) -> Iterator[ConvertingChild]:
        """A child for one file; it is ended at the end, and when `stop` is set."""
        process = Child(long=True, writes=True)
        over = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process, stop, over), daemon=True)
        watcher.start()
        try:
            yield ConvertingChild(process, stop, self._given)
        finally:
            over.set()
            process.kill()
            process.reap()
            watcher.join()


class ConvertingChild:
    """A child that reads one file."""

    def __init__(
        self, process: Child, stop: threading.Event, given: Callable[[int], Limits]
    ) -> None:
        self._process, self._stop, self._given = process, stop, given

    def ask(self, do: str, path: Path, called: str, **more: Any) -> dict[str, Any]:
        """What the child answers.

        Raises:
            EngineError: `model_load_failed` with what the child says or what befell it;
                `download_cancelled`.
            OSError: the file is gone.
        """
        given = self._given(os.stat(path).st_size)
        asked = {"path": str(path), "called": called, **more}
        try:
            reply, _ = self._process.ask(do, asked, (), given)
        except (OverrunError, CrashError) as error:
            if self._stop.is_set():
                words = f"Converting {called} was cancelled."
                raise EngineError(DOWNLOAD_CANCELLED, words) from None
            what = what_happened(given, error)
            raise _failed(f"{called} cannot be converted: reading it {what}.") from None
        if "refused" in reply:
            raise _failed(str(reply["refused"]))
        if reply.get("memory"):
            what = what_happened(given, OverrunError("memory"))
            raise _failed(f"{called} cannot be converted: reading it {what}.")
        result = reply.get("result")
        if not isinstance(result, dict):
            why = reply.get("error") or reply.get("panic") or "no answer"
            raise _failed(f"{called} cannot be converted: {why}")
        return result


def _watch(process: Child, stop: threading.Event, over: threading.Event) -> None:
    while not over.is_set():
        if stop.wait(_LOOK_S):
            process.kill()
            return


def _failed(message: str) -> EngineError:
    return EngineError(MODEL_LOAD_FAILED, message)
