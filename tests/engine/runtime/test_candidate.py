"""Concurrent examination of model folders by several workers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.model import folder, loader
from engine.runtime import candidate


class Leisurely(dict[Any, Any]):
    """Dictionary that yields to other threads between finding its oldest key and returning it."""

    def __iter__(self) -> Iterator[Any]:
        oldest = next(super().__iter__())
        time.sleep(0.001)
        yield oldest


def test_more_folders_than_remembered_can_be_examined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Regression test: evicting the oldest entry raised if another thread changed the
    dictionary.
    """
    facts = SimpleNamespace(config={}, generation={}, rows=9, size=1, wide=1)
    checked = SimpleNamespace(largest_id=1, table=None)
    confined: Any = SimpleNamespace(
        inspect_model=lambda *_: facts,
        check_tokenizer=lambda *_: checked,
        inspect_adapter=None,
    )
    monkeypatch.setattr(candidate, "resolve", Path)
    monkeypatch.setattr(candidate, "folder_identity", lambda path: (path.name,))
    monkeypatch.setattr(folder, "display_name", lambda path: path.name)
    monkeypatch.setattr(loader, "tokenizer_defaults", lambda path: None)
    monkeypatch.setattr(loader, "check_model", lambda *_: None)
    monkeypatch.setattr(candidate, "_checked", Leisurely())
    errors: list[BaseException] = []

    def work(worker: int) -> None:
        try:
            for number in range(40):
                candidate.check_candidate(f"m{worker}-{number}", confined)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(candidate._checked) == candidate.MAX_CHECKED_FOLDERS
