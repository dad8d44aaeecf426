"""Files that a person attaches to a message, read as text in children of their own."""

from __future__ import annotations

import threading
from pathlib import Path

from engine.core.confined import limits
from engine.core.confined.children import Children, Reply, what_happened
from engine.core.confined.limits import Limits
from engine.core.confined.process import Child, CrashError, OverrunError
from engine.core.confined.shared import Shared
from engine.errors import ENGINE_STOPPED, INVALID_REQUEST, EngineError
from engine.text.documents import Document

_AT_ONCE = 2


class DocumentReader:
    """Reads two files at once, and gives each a child that ends after it.

    So a file has no way to change how the next one is read, and the chats' prompts, whose children
    are others, never wait for one.

    Args:
        given: what reading one file may take.
    """

    def __init__(self, given: Limits = limits.DOCUMENT) -> None:
        self._limits = given
        self._children = Children(_AT_ONCE, once=True)
        self._reading: dict[threading.Event, Child] = {}

    def close(self) -> None:
        """End the children; whoever waits for one gets `engine_stopped`."""
        self._children.close()

    @property
    def pids(self) -> list[int]:
        """The process ids of the children."""
        return self._children.pids

    def cancel(self, stop: threading.Event) -> None:
        """End the reading that was given this event; from any thread."""
        stop.set()
        child = self._reading.get(stop)
        if child is not None:
            child.kill()

    def read(self, path: Path, stop: threading.Event | None = None) -> Document:
        """The file as text with page boundaries. Blocks, for a minute at most once it has begun.

        Args:
            stop: what `cancel` is told to end this reading.

        Raises:
            EngineError: `invalid_request`, it cannot be read: a sentence that begins with its name;
                `engine_stopped`, it was cancelled.
        """
        stop = stop or threading.Event()
        name = f"“{path.name}”"
        lane = f"document {threading.get_ident()}"
        arguments = {"path": str(path.absolute())}

        def use(child: Child) -> Reply:
            self._reading[stop] = child
            try:
                if stop.is_set():
                    child.kill()
                return child.ask("document", arguments, (), self._limits)
            finally:
                del self._reading[stop]

        try:
            reply, blobs = self._children.ask(lane, "", use)
        except (OverrunError, CrashError) as error:
            if stop.is_set():
                raise EngineError(ENGINE_STOPPED, f"{name} is not read any more.") from None
            told = f"{name} cannot be read: it {what_happened(self._limits, error)}."
            raise EngineError(INVALID_REQUEST, told) from None
        if "refused" in reply:
            raise EngineError(INVALID_REQUEST, f"{name} {reply['refused']}.")
        if reply.get("memory"):
            what = what_happened(self._limits, OverrunError("memory"))
            raise EngineError(INVALID_REQUEST, f"{name} cannot be read: it {what}.")
        result = reply.get("result")
        if not isinstance(result, dict) or len(blobs) != 1:
            raise EngineError(INVALID_REQUEST, f"{name} cannot be read: it may be damaged.")
        return Document(
            kind=str(result["kind"]),
            unit=str(result["unit"]),
            pages=tuple(blobs[0].decode(errors="replace").split("\f")),
            labels=tuple(map(str, result["labels"])),
        )


shared = Shared(DocumentReader)
"""The reader of this process. Its children end with it."""
