"""The user's remote models, and the thread that runs their requests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from time import monotonic
from typing import Any, TypeVar

from app.remote import client, remote_errors
from app.remote.address import KINDS, ListedModel, Remote, parse_ref
from app.remote.discovery import Tell, look
from app.remote.groups import MachineGroup, MachineGroups
from app.remote.remote_session import RemoteModel
from app.settings import keychain
from app.settings.language import tr
from app.settings.settings import Settings
from app.tools.loop_thread import LoopThread

T = TypeVar("T")

_MOST_CONTEXT = 2**31


class Remotes:
    """Remote models. Thread-safe except for `open`, `add` and `remove`.

    The first request starts the thread.
    """

    STOP_S = 4.0

    def __init__(self) -> None:
        self._settings = Settings()
        self._models: dict[str, RemoteModel] = {}
        self._keys: dict[str, str] = {}  # keys used in this run, by address
        self.groups = MachineGroups()
        # Network interfaces to search, by address. Empty means all.
        self.interfaces: Sequence[str] = ()
        self._thread = LoopThread("remote")

    def open(self, settings: Settings) -> None:
        self._settings = settings
        remotes = (_parse_stored(ref, stored) for ref, stored in settings.remotes.items())
        self._models = {remote.ref: _model(remote) for remote in remotes if remote is not None}
        self.groups.load(settings.remotes)

    @property
    def refs(self) -> tuple[str, ...]:
        return tuple(self._models)

    def model(self, ref: str) -> RemoteModel | None:
        return self._models.get(ref)

    def is_known(self, ref: str) -> bool:
        return ref in self._models

    def add(
        self, remote: Remote, key: str | None = None, group: MachineGroup | None = None
    ) -> None:
        """Add a model to the list.

        ``key`` is the address's API key, which is kept for this run (`store_key` stores it).
        ``group`` lists the machines that run the model.
        """
        if group is not None:
            self.groups.known[remote.ref] = group
        models = dict(self._models)
        models[remote.ref] = _model(remote)
        self._models = models
        if key is not None:
            self._keys[remote.address] = key
        self._save()

    def remove(self, ref: str) -> bool:
        """Remove a model. Return True if it was the last one at its address.

        Its key is then no longer needed, so call `take_key` in a worker thread.
        """
        self.groups.forget(ref)
        models = dict(self._models)
        removed = models.pop(ref, None)
        self._models = models
        self._save()
        addresses = {model.remote.address for model in models.values()}
        return removed is not None and removed.remote.address not in addresses

    @property
    def is_discovery_on(self) -> bool:
        return self._settings.find_servers

    def set_discovery(self, on: bool) -> None:
        self._settings.set(find_servers=on)

    def find_servers(self, tell: Tell) -> Future[None]:
        return self.start(look(tell, self.interfaces))

    def _save(self) -> None:
        stored = {
            ref: {
                "kind": model.remote.kind,
                "context": model.remote.context,
                **({"sees": True} if model.remote.sees else {}),
                **self.groups.to_json(ref),
            }
            for ref, model in self._models.items()
        }
        self._settings.set(remotes=stored)

    # Keys. Don't call these on the GUI thread, because the system may prompt the user.

    def key(self, address: str) -> str:
        stored_key = self._keys.get(address)
        if stored_key is None:
            stored_key = self._keys[address] = keychain.read(_keychain_account(address))
        return stored_key

    def store_key(self, address: str, key: str) -> bool:
        self._keys[address] = key
        return keychain.store_secret(key, _keychain_account(address))

    def take_key(self, address: str) -> str:
        key = self.key(address)
        self._keys.pop(address, None)
        keychain.delete(_keychain_account(address))
        return key

    def models_at(self, address: str, key: str | None) -> Future[list[ListedModel]]:
        """Return a server's models, using the stored key by default. Errors are RemoteErrors."""

        async def ask() -> list[ListedModel]:
            used_key = key if key is not None else await asyncio.to_thread(self.key, address)
            return await client.fetch_models(address, used_key)

        return self.start(ask())

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        future = self._thread.start(work)
        if future is None:
            future = Future()
            words = tr("Stretto is quitting.")
            future.set_exception(remote_errors.RemoteError(remote_errors.UNREACHABLE, words))
        return future

    def shut_down(self, timeout_s: float = STOP_S) -> None:
        give_up = monotonic() + timeout_s
        self._thread.shut_down(timeout_s)
        self.groups.shut_down(max(0.0, give_up - monotonic()))


def _keychain_account(address: str) -> str:
    return f"Key for {address}"


def _parse_stored(ref: str, stored: Mapping[str, Any]) -> Remote | None:
    remote = parse_ref(ref)
    if remote is None:
        return None
    kind, context = stored.get("kind"), stored.get("context")
    if not isinstance(kind, str) or kind not in KINDS:
        kind = ""
    if not isinstance(context, int) or isinstance(context, bool):
        context = 0
    context, sees = max(0, min(context, _MOST_CONTEXT)), stored.get("sees") is True
    return Remote(remote.address, remote.model, kind, context, sees)


def _model(remote: Remote) -> RemoteModel:
    """Describe the model as the engine does. Its support for tools is unknown."""
    return RemoteModel(
        id=remote.ref,
        name=remote.name,
        path="",
        context_length=remote.context,
        nbytes=0,
        dtype="",
        step="remote",
        thinking=KINDS[remote.kind].thinking,
        tool_format="remote",
        sees=remote.sees,
        remote=remote,
    )
