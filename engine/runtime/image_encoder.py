"""Image encoding between the steps of chats."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Generator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from engine.messages import media_in
from engine.model import backend
from engine.model.vision import ImageTokens
from engine.runtime.pacing import GAP_BUDGET
from engine.runtime.request import Request
from engine.runtime.state import State
from engine.runtime.workers import Task, Work, Workers

log = logging.getLogger(__name__)

ALONE = 0.05  # time per iteration in seconds for encoding images while no chat is streaming

Key = tuple[str, str]  # model id and image digest


class _Image(Struct, eq=False):
    key: Key
    sight: ImageTokens
    pixels: Mapping[str, Any]
    pieces: Generator[None, None, None] | None = None


class ImageEncoder:
    """Queue of images, and of the replies that wait for them."""

    def __init__(self, state: State, workers: Workers) -> None:
        self._state = state
        self._workers = workers
        self._pending: set[Key] = set()  # images whose pixels are being computed by a worker
        # Preprocessed images, the first of which is being encoded.
        self.images: deque[_Image] = deque()

    def start(self, request: Request) -> None:
        model = request.session.model
        vision, length = model.vision, request.kv.length
        if vision is None:
            return
        unread = [sight for at, sight in request.images if at + len(sight.ids) > length]
        uncached = {sight.digest: sight for sight in unread if sight.digest not in vision.cached}
        request.awaited_images = set(uncached)
        known_keys = {*self._pending, *(image.key for image in self.images)}
        for digest, sight in uncached.items():
            if (model.info.id, digest) not in known_keys:
                self._queue(request, sight)

    def _queue(self, request: Request, sight: ImageTokens) -> None:
        model = request.session.model
        key = (model.info.id, sight.digest)
        pixels, sight.pixels = sight.pixels, None
        if pixels is not None:
            self.images.append(_Image(key, sight, pixels))
            return
        preprocessor = model.text.preprocessor
        image = next(i for i in media_in(request.messages) if i.digest == sight.digest)
        assert preprocessor is not None
        work = Work(request.session.image_lane, partial(preprocessor.read_pixels, image))
        self._pending.add(key)
        self._workers.start(self._compute_pixels(key, sight, work), partial(self._fail, key))

    def _compute_pixels(self, key: Key, sight: ImageTokens, work: Work) -> Task:
        pixels = yield work
        self._pending.discard(key)
        self.images.append(_Image(key, sight, pixels))

    def step(self, decoding: float = 0.0) -> None:
        if not self.images:
            return
        image = self.images[0]
        if not self._waiting(image.key):  # all requests with this image have ended
            self.images.popleft()
            return
        try:
            if self._encode(image, ALONE if not decoding else GAP_BUDGET / 2):
                self.images.popleft()
                for request in self._waiting(image.key):
                    request.awaited_images.discard(image.key[1])
                backend.release_memory()
        except BaseException as error:  # includes panics in native libraries
            self.images.popleft()
            self._fail(image.key, error)

    def _encode(self, image: _Image, allowed_s: float) -> bool:
        """Encode for `allowed_s` seconds. Return True if the image is complete."""
        vision = self._state.models[image.key[0]].vision
        assert vision is not None
        if image.pieces is None:
            image.pieces = vision.encode(image.sight, image.pixels)
        started_at = time.perf_counter()
        return all(time.perf_counter() - started_at < allowed_s for _ in image.pieces)

    def _waiting(self, key: Key) -> list[Request]:
        model, digest = key
        requests = list(self._state.requests.values())
        return [
            r for r in requests if digest in r.awaited_images and r.session.model.info.id == model
        ]

    def _fail(self, key: Key, error: BaseException) -> None:
        self._pending.discard(key)
        for request in self._waiting(key):
            self._state.fail_reply(request, error, keep_cache=True)

    def clear(self) -> None:
        self.images.clear()
        self._pending.clear()
