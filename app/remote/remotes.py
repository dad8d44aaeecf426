"""The remote models that the person has added, and the thread on which they are asked."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakSet

from app.remote import client, remote_errors
from app.remote.address import KINDS, Listed, Remote, has_sessions, named
from app.remote.elsewhere import Elsewhere, Figures, FiguresElsewhere
from app.remote.finding import Tell, look
from app.remote.groups import Group, Groups
from app.remote.remote_session import RemoteModel, RemoteSession
from app.settings import keychain
from app.settings.language import tr
from app.settings.settings import Settings
from app.tools.loop_thread import LoopThread

T = TypeVar("T")

_MOST_CONTEXT = 2**31


class Remotes:
    """Methods may be called on any thread but for `open`, `add` and `remove`.

    Making one starts nothing: the thread begins with the first thing that is asked.
    """

    STOP_S = 4.0
    LEAVE_S = 1.0

    def __init__(self) -> None:
        self._settings = Settings()
        self._models: dict[str, RemoteModel] = {}
        self._keys: dict[str, str] = {}  # by address; as far as they are known in this run
        self.groups = Groups()
        # addresses of those by which networks are searched; all where there are none
        self.interfaces: Sequence[str] = ()
        self._thread = LoopThread("remote")
        self._made: WeakSet[RemoteSession] = WeakSet()
        self._with_sessions: dict[str, bool] = {}  # by address, in this run
        self._figures = FiguresElsewhere()
        self._leaving: set[Future[None]] = set()

    # The list.

    def open(self, settings: Settings) -> None:
        """Take the models of the settings. What makes no sense there is left out."""
        self._settings = settings
        found = (_remote(ref, told) for ref, told in settings.remotes.items())
        self._models = {one.ref: _model(one) for one in found if one is not None}
        self.groups.take(settings.remotes)

    @property
    def refs(self) -> tuple[str, ...]:
        """All of them, in the order in which they were added."""
        return tuple(self._models)

    def model(self, ref: str) -> RemoteModel | None:
        """The model of that reference; None where the person has not added it, or removed it."""
        return self._models.get(ref)

    def known(self, ref: str) -> bool:
        return ref in self._models

    def add(self, remote: Remote, key: str | None = None, group: Group | None = None) -> None:
        """List a model; ``key`` is that of its address in this run, where it is given.

        `keep_key` keeps it for the next one. ``group`` is what this program starts to answer it.
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
        """List it no longer; whether it was the last one of its address.

        Then the address's key is of no more use: `take_key`, in the background.
        """
        for session in list(self._made):
            if session.remote.ref == ref and session.elsewhere is not None:
                session.elsewhere.close()
        self.groups.forget(ref)
        models = dict(self._models)
        gone = models.pop(ref, None)
        self._models = models
        self._save()
        addresses = {model.remote.address for model in models.values()}
        return gone is not None and gone.remote.address not in addresses

    @property
    def finds(self) -> bool:
        """Whether the person wants Strettos on this network to be looked for."""
        return self._settings.find_servers

    def set_finds(self, on: bool) -> None:
        self._settings.set(find_servers=on)

    def look(self, tell: Tell) -> Future[None]:
        """Look for Strettos on this network until the future is cancelled: see `finding.look`."""
        return self.start(look(tell, self.interfaces))

    def _save(self) -> None:
        told = {
            ref: {
                "kind": model.remote.kind,
                "context": model.remote.context,
                **({"sees": True} if model.remote.sees else {}),
                **self.groups.told(ref),
            }
            for ref, model in self._models.items()
        }
        self._settings.set(remotes=told)

    # Keys. Never on the GUI thread: the system may ask the person.

    def key(self, address: str) -> str:
        """The key for an address; "" for none."""
        known = self._keys.get(address)
        if known is None:
            known = self._keys[address] = keychain.read(_account(address))
        return known

    def keep_key(self, address: str, key: str) -> bool:
        """Use a key for an address, and keep it in the keychain; whether that was possible."""
        self._keys[address] = key
        return keychain.keep(key, _account(address))

    def take_key(self, address: str) -> str:
        """Take the address's key out of the keychain; returns it, "" for none."""
        key = self.key(address)
        self._keys.pop(address, None)
        keychain.forget(_account(address))
        return key

    # What is asked.

    def session(self, model: RemoteModel, chat_id: str, chosen: Mapping[str, Any]) -> RemoteSession:
        """A chat's conversation with a model."""
        return self.session_of(chat_id, model.remote, chosen, None)

    def session_of(
        self, chat_id: str, remote: Remote, chosen: Mapping[str, Any], elsewhere: Elsewhere | None
    ) -> RemoteSession:
        """As `session`, with what a Stretto elsewhere keeps for the chat already."""
        made = RemoteSession(chat_id, remote, self, chosen, elsewhere)
        self._made.add(made)
        return made

    def figures(self) -> Future[dict[str, Figures]] | None:
        """What Strettos elsewhere say of the chats' sessions there, by the chats' ids.

        None where no session is there to be asked about.
        """
        found: dict[str, dict[str, Elsewhere]] = {}
        for session in list(self._made):
            if session.elsewhere is not None and session.elsewhere.there:
                found.setdefault(session.remote.address, {})[session.id] = session.elsewhere

        async def ask() -> dict[str, Figures]:
            told: dict[str, Figures] = {}
            for address, chats in found.items():
                key = await asyncio.to_thread(self.key, address)
                told |= await self._figures.ask(address, key, chats)
            return told

        return self.start(ask()) if found else None

    async def has_sessions(self, address: str, key: str) -> bool:
        """Whether a Stretto answers there that keeps sessions, by what it says of itself.

        Raises:
            RemoteError: nobody is there.
        """
        known = self._with_sessions.get(address)
        if known is None:
            try:
                told = await client.document(address, "/models", key)
            except remote_errors.RemoteError as error:
                if error.code == remote_errors.UNREACHABLE:
                    raise
                return False  # the answer's own error says what is wrong
            known = self._with_sessions[address] = has_sessions(told)
        return known

    def no_sessions(self, address: str) -> None:
        """That server is not to be trusted with sessions in this run."""
        self._with_sessions[address] = False

    def models_at(self, address: str, key: str | None) -> Future[list[Listed]]:
        """What a server has; fails with RemoteError. Without a key it is shown the kept one."""

        async def ask() -> list[Listed]:
            shown = key if key is not None else await asyncio.to_thread(self.key, address)
            return await client.models_at(address, shown)

        return self.start(ask())

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run this on the thread."""
        future = self._thread.start(work)
        if future is None:
            future = Future()
            words = tr("Stretto is quitting.")
            future.set_exception(remote_errors.RemoteError(remote_errors.UNREACHABLE, words))
        return future

    def last(self, work: Coroutine[Any, Any, None]) -> None:
        """As `start`; the program's end waits for it, ``LEAVE_S`` at most."""
        future = self._thread.start(work)
        if future is not None:
            self._leaving.add(future)
            future.add_done_callback(self._leaving.discard)

    def shut_down(self, timeout_s: float = STOP_S) -> None:
        """End all answers and groups. Waits at most ``timeout_s``."""
        give_up = monotonic() + timeout_s
        self._thread.shut_down(timeout_s, self._let_go)
        self.groups.shut_down(max(0.0, give_up - monotonic()))

    async def _let_go(self) -> None:
        leaving = [asyncio.wrap_future(future) for future in list(self._leaving)]
        if leaving:
            await asyncio.wait(leaving, timeout=self.LEAVE_S)


def _account(address: str) -> str:
    return f"Key for {address}"


def _remote(ref: str, told: Mapping[str, Any]) -> Remote | None:
    """A model as the settings have it."""
    one = named(ref)
    if one is None:
        return None
    kind, context = told.get("kind"), told.get("context")
    if not isinstance(kind, str) or kind not in KINDS:
        kind = ""
    if not isinstance(context, int) or isinstance(context, bool):
        context = 0
    context, sees = max(0, min(context, _MOST_CONTEXT)), told.get("sees") is True
    return Remote(one.address, one.model, kind, context, sees)


def _model(remote: Remote) -> RemoteModel:
    """A model as the window knows models. It is told of tools: whether it calls them it shows."""
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
