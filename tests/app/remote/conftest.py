"""A server that misbehaves on demand, and sessions that use it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.remote import client
from app.remote.address import Remote
from app.remote.remote_session import RemoteSession
from app.remote.remotes import Remotes
from engine import Event, Failed, Finished, SamplingParams, TextDelta
from tests.app.remote.scripted import Act, Scripted

QUESTION = [{"role": "user", "content": "Hello"}]


class Heard:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self._changed = threading.Condition()

    def __call__(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def until(self, condition: Callable[[], object]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: bool(condition()), 20), self.events

    @property
    def last(self) -> Finished | Failed:
        self.until(lambda: any(isinstance(e, Finished | Failed) for e in self.events))
        found = self.events[-1]
        assert isinstance(found, Finished | Failed)
        assert sum(isinstance(e, Finished | Failed) for e in self.events) == 1
        return found

    def text(self, kind: str = "answer") -> str:
        said = [e for e in self.events if isinstance(e, TextDelta)]
        return "".join(e.text for e in said if e.kind == kind)

    def of(self, kind: type) -> list[Any]:
        return [e for e in self.events if isinstance(e, kind)]


class Elsewhere:
    def __init__(self) -> None:
        self.remotes = Remotes()
        self.servers: list[Scripted] = []

    def serve(self, act: Act) -> Scripted:
        self.servers.append(Scripted(act))
        return self.servers[-1]

    def add(self, server: Scripted, model: str = "big", kind: str = "", key: str = "") -> Remote:
        remote = Remote(server.address, model, kind)
        self.remotes.add(remote, key)
        return remote

    def ask(
        self,
        remote: Remote,
        turns: Any = QUESTION,
        chosen: dict[str, Any] | None = None,
        **params: Any,
    ) -> tuple[Heard, Any]:
        heard = Heard()
        session = self.session(remote, chosen)
        return heard, session.send(turns, SamplingParams(**params), heard)

    def session(self, remote: Remote, chosen: dict[str, Any] | None = None) -> RemoteSession:
        return RemoteSession("chat", remote, self.remotes, chosen or {})

    def close(self) -> None:
        self.remotes.shut_down()
        for server in self.servers:
            server.close()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    monkeypatch.setattr(client, "QUIET_S", 20.0)
    made = Elsewhere()
    yield made
    made.close()
