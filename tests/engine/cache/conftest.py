"""Fixtures that detect a model's capabilities once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine import Engine


@pytest.fixture(autouse=True, scope="package")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("ways")
    with pytest.MonkeyPatch.context() as patch:
        usual = Engine.__init__.__defaults__ or ()
        patch.setattr(Engine.__init__, "__defaults__", (*usual[:-2], folder, usual[-1]))
        yield


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Engine.__init__.__defaults__ or ()
    monkeypatch.setattr(Engine.__init__, "__defaults__", (*usual[:-2], None, usual[-1]))
