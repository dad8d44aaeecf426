"""One model that a server can answer for, whether it is loaded or not."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from engine.hub.names import clean_name
from engine.model.folder import display_name
from engine.model.info import Model
from engine.runtime.examining import resolve, resolve_adapter


class Entry:
    """A folder, and its model while that is loaded.

    Attributes:
        name: what clients call it.
        folder: where it lies.
        adapter: the folder of the adapter that makes it a variant; else empty.
        draft: the folder of the model that drafts for it; else empty.
        model: None while it is not loaded.
        loading: done when it has been loaded, or could not be. None while nobody loads it.
        used: when it was used last, of `time.monotonic`.
        users: how many requests use it now.
        guests: the keys that have used it since it was loaded, by their ids.
        given: whether it was loaded before the server was: it is not the server's to unload at
            its end.
    """

    def __init__(
        self, name: str, folder: str, model: Model | None = None, adapter: str = ""
    ) -> None:
        self.name = name
        self.folder = folder
        self.adapter = adapter
        self.draft = model.draft if model is not None else ""
        self.model = model
        self.loading: asyncio.Task[Model] | None = None
        self.used = time.monotonic()
        self.users = 0
        self.guests: set[str] = set()
        self.given = model is not None
        self._began = 0.0
        self._before = 0  # bytes in use when its loading began

    @classmethod
    def of_folder(cls, path_or_id: str, adapter: str = "") -> Entry:
        """A model that is not loaded. Its folder is only looked for.

        With an adapter it is called `NAME+ADAPTER`.

        Raises:
            EngineError: there is no such folder.
        """
        folder = resolve(path_or_id)
        name = clean_name(display_name(folder)) or clean_name(folder.name) or "The model"
        if not adapter:
            return cls(name, str(folder))
        added = resolve_adapter(adapter)
        return cls(f"{name}+{clean_name(added.name) or 'adapter'}", str(folder), None, str(added))

    @classmethod
    def of_model(cls, model: Model) -> Entry:
        """A model that is loaded."""
        name = model.name.replace(" + ", "+") if model.adapter else model.name
        return cls(name, model.path, model, model.adapter)

    @property
    def state(self) -> str:
        """`loaded`, `loading` or `unloaded`."""
        if self.model is not None:
            return "loaded"
        return "loading" if self.loading is not None else "unloaded"

    def is_called(self, name: object) -> bool:
        """Whether a client means this model."""
        ids = () if self.model is None else (self.model.id, self.model.name)
        if self.adapter:  # its folder is its base's name
            return name in (self.name, *ids)
        path = () if self.model is None else (self.model.path,)
        return name in (self.name, self.folder, *ids, *path)

    def use(self) -> Use:
        """Take note of a request that uses it, until that says so."""
        return Use(self)

    def begin(self, stats: dict[str, Any] | None) -> None:
        """Take note that its loading begins, and of the engine's figures before it."""
        self._began = time.monotonic()
        self._before = stats["memory_in_use"] if stats else 0

    def told(self, stats: dict[str, Any] | None = None) -> dict[str, Any]:
        """How it stands, as clients see it. The engine's figures tell how far its loading is."""
        told: dict[str, Any] = {"id": self.name, "state": self.state}
        if self.state == "loading":
            total = sum(f.stat().st_size for f in Path(self.folder).glob("*.safetensors"))
            come = stats["memory_in_use"] - self._before if stats else 0
            told["progress"] = round(min(0.99, max(0.0, come / total)), 2) if total else 0.0
            told["seconds"] = round(time.monotonic() - self._began, 2)
        return told


class Use:
    """A request's use of a model, which is not unloaded meanwhile: from before it is loaded.

    Attributes:
        entry: the model.
    """

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._left = False
        entry.users += 1

    def __enter__(self) -> Use:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """The request needs it no more. May be called more than once."""
        if not self._left:
            self._left = True
            self.entry.users -= 1
            self.entry.used = time.monotonic()
