"""States of models in the loader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject

from app.bridge import Bridge
from app.models.loading import LoadState, ModelLoader
from app.remote.address import Remote
from app.remote.groups import MachineGroup, ModelUnavailable
from app.remote.remote_errors import GONE
from app.settings.paths import GUIDE

FAR = Remote("https://api.example.org/v1", "far")


@pytest.fixture
def loader(qapp) -> Iterator[ModelLoader]:
    root = QObject()
    yield ModelLoader(Bridge(root), root)
    root.deleteLater()


def test_remote_status_survives_repeated_request(
    loader: ModelLoader,
):
    loader.add_remote(FAR)
    before = loader.get(FAR.ref)
    assert [status.ref for status in loader.known_statuses()] == [FAR.ref]
    loader.remove_remote(FAR.ref)
    after = loader.get(FAR.ref)
    assert (before.state, before.code) == (LoadState.READY, "")
    assert (after.state, after.code) == (LoadState.FAILED, GONE)
    assert loader.known_statuses() == []


def test_starting_group_is_not_an_engine_load(loader: ModelLoader, monkeypatch: pytest.MonkeyPatch):
    loader.add_remote(FAR)
    loader.remotes.groups.known[FAR.ref] = MachineGroup(("local", "studio"), "/models/far")
    monkeypatch.setattr(
        loader.remotes.groups, "unavailable_reason", lambda ref: ModelUnavailable(True, "")
    )
    told: list[str] = []
    loader.changed.connect(told.append)
    assert loader.get(FAR.ref).state is LoadState.LOADING
    assert not loader.cancel(FAR.ref)
    loader.attach(object())  # type: ignore[arg-type]  # it is asked for nothing
    assert (loader._loads, told) == ({}, [])
    assert loader.get(GUIDE).state is LoadState.UNASKED
