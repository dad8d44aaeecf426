"""What waits for a tower, without one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engine.messages import Image
from engine.model import eyes
from engine.model.eyes import Look, Patches


class _Kind:
    placeholder = "<image>"

    def look(self, rgb: np.ndarray) -> Patches:
        return Patches({"pixels": np.zeros(1000, np.uint8)}, [4])


def test_pixels_that_nobody_asks_for_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = SimpleNamespace(size=(1, 1), rgb=b"\0\0\0")
    monkeypatch.setattr(eyes.jobs, "read_image", lambda data: picture)
    monkeypatch.setattr(eyes, "MOST_WAITING", 2500)
    look = Look(_Kind(), {"<image>": 7})  # type: ignore[arg-type]
    sights = [look.sight(Image(bytes([number]))) for number in range(5)]
    assert [sight.pixels is not None for sight in sights] == [False, False, False, True, True]
    assert look.sight(Image(bytes([0]))) is sights[0], "its ids and its grid are still known"
    assert look.pixels(Image(bytes([0])))["pixels"].nbytes == 1000
