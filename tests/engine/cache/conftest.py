"""Which ways a model can take is tried out once: most tests here compare with fresh engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine import Engine


@pytest.fixture(autouse=True, scope="package")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The first engine that loads a model tries them out, and keeps them for the others."""
    folder = tmp_path_factory.mktemp("ways")
    with pytest.MonkeyPatch.context() as patch:
        usual = Engine.__init__.__defaults__ or ()
        patch.setattr(Engine.__init__, "__defaults__", (*usual[:-2], folder, usual[-1]))
        yield


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines try out all ways that a model could take."""
    usual = Engine.__init__.__defaults__ or ()
    monkeypatch.setattr(Engine.__init__, "__defaults__", (*usual[:-2], None, usual[-1]))
