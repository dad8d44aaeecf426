"""Requests waiting for a vision tower, without a real tower."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.messages import Image
from engine.model import vision
from engine.model.vision import ImagePreprocessor, TowerInput
from engine.sandbox import jobs


class _Kind:
    placeholder = "<image>"
    sound = ""
    whole = False

    def preprocess_image(self, rgb: np.ndarray) -> TowerInput:
        return TowerInput({"pixels": np.zeros(1000, np.uint8)}, [4])


def test_same_new_image_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, waiting, go = list[bytes](), threading.Semaphore(0), threading.Event()
    wait = jobs._acquire

    def noted(*given: Any) -> None:
        waiting.release()
        wait(*given)

    def read(data: bytes, stop: object = None) -> SimpleNamespace:
        reads.append(data)
        assert go.wait(60)
        return SimpleNamespace(size=(1, 1), rgb=b"\0\0\0")

    monkeypatch.setattr(jobs, "_acquire", noted)
    monkeypatch.setattr(jobs, "read_image", read)
    look = ImagePreprocessor(_Kind(), {"<image>": 7})  # type: ignore[arg-type]
    with ThreadPoolExecutor(5) as pool:
        some = [pool.submit(look.preprocess, Image(b"lake")) for _ in range(4)]
        other = pool.submit(look.preprocess, Image(b"pond"))
        arrived = all(waiting.acquire(timeout=30) for _ in range(5))
        go.set()
    assert arrived
    assert sorted(reads) == [b"lake", b"pond"]
    assert len({id(one.result()) for one in some}) == 1
    assert other.result() is not some[0].result()


def test_unused_pixels_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = SimpleNamespace(size=(1, 1), rgb=b"\0\0\0")
    monkeypatch.setattr(jobs, "read_image", lambda data, stop=None: picture)
    monkeypatch.setattr(vision, "MAX_WAITING_PIXEL_BYTES", 2500)
    look = ImagePreprocessor(_Kind(), {"<image>": 7})  # type: ignore[arg-type]
    sights = [look.preprocess(Image(bytes([number]))) for number in range(5)]
    assert [sight.pixels is not None for sight in sights] == [False, False, False, True, True]
    assert look.preprocess(Image(bytes([0]))) is sights[0], "its ids and its grid are still known"
    assert look.read_pixels(Image(bytes([0])))["pixels"].nbytes == 1000
