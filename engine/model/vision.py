"""Image and audio input: preprocessing, embeddings from the vision tower, and token positions.

In a session's token list, an image is a span of ids that are larger than any vocabulary, derived
from a hash of its content. The prefix index, the ledger and cache files distinguish images by
these tokens. When a span is fed, the model gets placeholder ids and the image's embeddings. Some
architectures mix in ordinary tokens, e.g. at the end of each row of the image.

Positions depend only on the preceding tokens. They are passed to every forward pass, so they can't
leak from one chat to another. Images are preprocessed on worker threads (`ImagePreprocessor`), and
their embeddings are computed on the engine thread (`VisionModel`).
"""

from __future__ import annotations

import abc
import functools
import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from msgspec import Struct

from engine.errors import INVALID_REQUEST, EngineError
from engine.messages import Audio, Image
from engine.model import sliced_tower
from engine.sandbox import jobs
from engine.sandbox.lanes import MODELS, use_lane

FIRST_IMAGE_ID = 1 << 30  # smallest id of image tokens, larger than any vocabulary

MAX_REMEMBERED_IMAGES = 512
"""Number of images whose ids and sizes are kept for later prompts."""

MAX_WAITING_PIXEL_BYTES = 256 * 2**20
"""Maximum bytes of pixels that wait for the tower. If the prompt is already cached, they may never
be needed. Dropped pixels are computed again when needed.
"""


class TowerInput(Struct, frozen=True):
    pixels: Mapping[str, Any]  # keyword arguments for the tower
    # Token layout in a prompt: special tokens, and counts of image tokens.
    layout: Sequence[str | int]
    # Rows and columns of image tokens, if positions depend on them.
    grid: tuple[int, int] = (0, 0)


@dataclass(eq=False)
class ImageTokens:
    """Token representation of an image or recording, for a specific model."""

    digest: str
    ids: tuple[int, ...]  # ids of image tokens (from `FIRST_IMAGE_ID` on) and special tokens
    # Rows and columns of image tokens, if positions depend on them.
    grid: tuple[int, int] = (0, 0)
    # Keyword arguments for the tower. None once the image is encoded or dropped.
    pixels: Mapping[str, Any] | None = field(default=None, repr=False)
    # Attention is bidirectional, so all tokens must be processed in the same pass.
    whole: bool = False

    @functools.cached_property
    def image_indices(self) -> np.ndarray:
        return np.flatnonzero(np.array(self.ids) >= FIRST_IMAGE_ID)


PlacedImage = tuple[int, ImageTokens]  # index of the first token in the session, and the image


class InputSpan(Struct, frozen=True):
    images: Sequence[PlacedImage]  # all images of the session, in order
    start: int  # index of the first token in the chunk
    count: int = 1


class VisionFamily(abc.ABC):
    """Image preprocessing and embedding for a model architecture.

    Args:
        words: the tokenizer's added tokens, with their ids.

    Raises:
        Exception: if a file in the folder is invalid. The model is then loaded without vision.

    Attributes:
        placeholder: token that the chat template inserts for an image.
        sound: token that it inserts for a recording, or "" if audio isn't supported.
        whole: True if images use bidirectional attention.
    """

    placeholder: str
    sound = ""
    whole = False

    @abc.abstractmethod
    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None: ...

    @abc.abstractmethod
    def preprocess_image(self, rgb: np.ndarray) -> TowerInput:
        """Preprocess an image `[height, width, 3]`.

        Raises:
            ValueError: if the model doesn't support images of this shape.
        """

    def preprocess_sound(self, samples: np.ndarray) -> TowerInput:
        """Preprocess audio `[samples]` at 16 kHz, with values from -1 to 1."""
        raise NotImplementedError

    @abc.abstractmethod
    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        """Return the image tokens' embeddings, `[tokens, width]`.

        Further arrays in the list are features for later layers of the model.
        """

    def tower(self, net: Any) -> Any:
        return getattr(net, "vision_tower", None)

    def token_embeddings(self, net: Any, ids: mx.array) -> mx.array:
        embedded: mx.array = net.language_model.model.embed_tokens(ids)
        return embedded

    def model_arguments(
        self,
        net: Any,
        ids: mx.array,
        rows: mx.array,
        features: list[mx.array],
        parts: Sequence[InputSpan],
    ) -> dict[str, Any]:
        """Return the model's keyword arguments for a pass with image embeddings at `rows`."""
        embedded = self.token_embeddings(net, ids)
        return {"inputs_embeds": replace_rows(embedded, rows, features[0])}

    def places(self, images: Sequence[PlacedImage], start: int, count: int) -> np.ndarray | None:
        """Return positions `[axes, count]`, or None for ordinary token positions."""
        return None


def replace_rows(embedded: mx.array, rows: mx.array, features: mx.array) -> mx.array:
    """Replace some rows of embeddings `[..., width]` with image embeddings."""
    flat = embedded.reshape(-1, embedded.shape[-1])
    flat[rows] = features.astype(flat.dtype)
    return flat.reshape(embedded.shape)


def image_ids(digest: str, count: int) -> tuple[int, ...]:
    raw = hashlib.shake_256(digest.encode()).digest(4 * count)
    return tuple((np.frombuffer(raw, "<u4") & (FIRST_IMAGE_ID - 1) | FIRST_IMAGE_ID).tolist())


def prompt_ids(
    digest: str, layout: Sequence[str | int], words: Mapping[str, int]
) -> tuple[int, ...]:
    image_tokens = iter(image_ids(digest, sum(part for part in layout if isinstance(part, int))))
    ids: list[int] = []
    for part in layout:
        if isinstance(part, int):
            ids += islice(image_tokens, part)
        elif part in words:
            ids.append(words[part])
    return tuple(ids)


def place_images(tokens: Sequence[int], sights: Sequence[ImageTokens]) -> list[PlacedImage]:
    placed, at = [], 0
    for sight in sights:
        lead = int(sight.image_indices[0])
        at = tokens.index(sight.ids[lead], at + lead) - lead
        placed.append((at, sight))
        at += len(sight.ids)
    return placed


class ImagePreprocessor:
    """Image preprocessor of a model, for worker threads. Has no MLX arrays.

    Args:
        words: the tokenizer's added tokens, with their ids.
    """

    def __init__(self, kind: VisionFamily, words: Mapping[str, int]) -> None:
        self.kind = kind
        # Id of the token that the chat template inserts for an image.
        self.placeholder = words[kind.placeholder]
        # Tokens that the chat template inserts for images and recordings, with their ids.
        self.template_tokens = {w: words[w] for w in (kind.placeholder, kind.sound) if w}
        self._added_tokens = words
        self._remembered: OrderedDict[str, ImageTokens] = OrderedDict()
        self._lock = threading.Lock()

    def placeholder_of(self, medium: Image | Audio) -> str:
        """Return the token that the chat template inserts for a medium, or "" if unsupported."""
        return self.kind.sound if isinstance(medium, Audio) else self.kind.placeholder

    def preprocess(self, image: Image | Audio, stop: threading.Event | None = None) -> ImageTokens:
        """Preprocess an image or a recording.

        Args:
            stop: set this event on any thread to cancel.

        Raises:
            EngineError: `invalid_request` if the file can't be decoded; `engine_stopped` if
                cancelled.
            FileNotFoundError: if the file was deleted.
        """
        if (cached := self._cached(image.digest)) is not None:
            return cached
        with jobs.hold_lock((id(self), image.digest), "The file", stop):
            return self._cached(image.digest) or self._preprocess(image, stop)

    def _cached(self, digest: str) -> ImageTokens | None:
        with self._lock:
            cached = self._remembered.get(digest)
            if cached is not None:
                self._remembered.move_to_end(digest)
            return cached

    def _preprocess(self, image: Image | Audio, stop: threading.Event | None) -> ImageTokens:
        read = self._read(image, stop)
        ids = prompt_ids(image.digest, read.layout, self._added_tokens)
        is_single = self.kind.whole and isinstance(image, Image)
        tokens = ImageTokens(image.digest, ids, read.grid, read.pixels, is_single)
        with self._lock:
            self._remembered[image.digest] = tokens
            while len(self._remembered) > MAX_REMEMBERED_IMAGES:
                self._remembered.popitem(last=False)
            waiting = 0
            for sight in reversed(self._remembered.values()):
                waiting += _nbytes(sight.pixels)
                if waiting > MAX_WAITING_PIXEL_BYTES and sight is not tokens:
                    sight.pixels = None
        return tokens

    def read_pixels(self, image: Image | Audio) -> Mapping[str, Any]:
        return self._read(image).pixels

    def _read(self, image: Image | Audio, stop: threading.Event | None = None) -> TowerInput:
        data = image.data
        if not data and not isinstance(image.file, bytes):
            raise FileNotFoundError("The file no longer exists.")
        if isinstance(image, Audio):
            with use_lane(MODELS):
                return self.kind.preprocess_sound(
                    np.frombuffer(jobs.read_sound(data, stop=stop), "<f4")
                )
        with use_lane(MODELS):
            picture = jobs.read_image(data, stop=stop)
        width, height = picture.size
        rgb = np.frombuffer(picture.rgb, np.uint8).reshape(height, width, 3)
        try:
            return self.kind.preprocess_image(rgb)
        except ValueError as error:
            raise EngineError(
                INVALID_REQUEST,
                f"The model does not support images of {width:,} x {height:,} pixels: {error}.",
            ) from None


def _nbytes(pixels: Mapping[str, Any] | None) -> int:
    return sum(getattr(value, "nbytes", 0) for value in (pixels or {}).values())


class _StoredEmbeddings(Struct):
    features: list[mx.array]
    nbytes: int
    used_at: float


class VisionModel:
    def __init__(self, net: Any, kind: VisionFamily, placeholder: int) -> None:
        self.kind = kind
        self.encoded = 0  # number of images encoded so far
        self.cached: dict[str, _StoredEmbeddings] = {}  # cached embeddings, by digest
        self._net = net
        self._placeholder = placeholder
        self._token_bytes = 0  # size of an embedding in bytes, or 0 if unknown

    def expected_bytes(self, sight: ImageTokens) -> int:
        if not self._token_bytes:
            word = self.kind.token_embeddings(self._net, mx.array([[0]]))  # not evaluated
            self._token_bytes = word.shape[-1] * word.dtype.size
        return len(sight.image_indices) * self._token_bytes

    @property
    def nbytes(self) -> int:
        return sum(entry.nbytes for entry in self.cached.values())

    def encode(self, sight: ImageTokens, pixels: Mapping[str, Any]) -> Generator[None, None, None]:
        """Compute and cache an image's embeddings. Yields between slices of work."""
        spoken = {id(module) for module in self._net.language_model.modules()}
        modules = [m for m in self._net.modules() if id(m) not in spoken]
        embed = functools.partial(self.kind.embeddings, self._net, pixels)
        features = yield from sliced_tower.evaluate_in_pieces(modules, embed)
        if features[0].shape[0] != len(sight.image_indices):
            raise EngineError(
                INVALID_REQUEST,
                f"The model makes {features[0].shape[0]:,} embeddings of an image that should "
                f"have {len(sight.image_indices):,}.",
            )
        nbytes = sum(array.nbytes for array in features)
        self._token_bytes = max(self._token_bytes, nbytes // max(1, len(sight.image_indices)))
        self.cached[sight.digest] = _StoredEmbeddings(features, nbytes, time.monotonic())
        self.encoded += 1

    def drop(self, digest: str) -> None:
        self.cached.pop(digest, None)

    def replace_image_tokens(self, tokens: list[int]) -> list[int]:
        if max(tokens, default=0) < FIRST_IMAGE_ID:
            return tokens
        return [self._placeholder if token >= FIRST_IMAGE_ID else token for token in tokens]

    def model_arguments(self, ids: mx.array, parts: Sequence[InputSpan]) -> dict[str, Any]:
        """Return the model's keyword arguments for a pass over `parts`.

        Raises:
            LookupError: if the embeddings of an image are missing.
        """
        if not any(part.images for part in parts):
            return {}
        arguments: dict[str, Any] = {}
        places = [self.kind.places(part.images, part.start, part.count) for part in parts]
        known_positions = [position for position in places if position is not None]
        if known_positions:
            joined = np.concatenate(known_positions, axis=1)
            arguments["position_ids"] = mx.array(joined).reshape(-1, *ids.shape)
        rows, features = self._embedding_rows(parts)
        if rows:
            image_features = [mx.concatenate(list(same)) for same in zip(*features, strict=True)]
            arguments |= self.kind.model_arguments(
                self._net, ids, mx.array(rows), image_features, parts
            )
        return arguments

    def _embedding_rows(self, parts: Sequence[InputSpan]) -> tuple[list[int], list[list[mx.array]]]:
        rows: list[int] = []
        features: list[list[mx.array]] = []
        before = 0
        for part in parts:
            end = part.start + part.count
            for at, sight in part.images:
                first, last = max(at, part.start), min(at + len(sight.ids), end)
                low, high = np.searchsorted(sight.image_indices, (first - at, last - at)).tolist()
                if low >= high:
                    continue
                entry = self.cached[sight.digest]
                entry.used_at = time.monotonic()
                features.append([array[low:high] for array in entry.features])
                rows += (sight.image_indices[low:high] + (before + at - part.start)).tolist()
            before += part.count
        return rows, features


# ---------------------------------------------------------------- three-axis positions


def grid_positions(images: Sequence[PlacedImage], start: int, count: int) -> np.ndarray:
    """Return three-axis positions (time, row, column) for Qwen's models.

    All tokens of an image have the same time position. The text after the image continues at the
    larger of its height and width.
    """
    positions = np.tile(np.arange(start, start + count, dtype=np.int32), (3, 1))
    shift = 0
    for at, sight in images:
        (high, wide), end = sight.grid, at + len(sight.ids)
        first, last = max(at, start), min(end, start + count)
        if first < last:
            tokens = np.arange(first - at, last - at)
            inside = np.stack([np.zeros_like(tokens), tokens // wide, tokens % wide])
            positions[:, first - start : last - start] = at + shift + inside
        shift += max(high, wide) - len(sight.ids)
        if end < start + count:
            positions[:, max(0, end - start) :] = (
                np.arange(max(end, start), start + count, dtype=np.int32) + shift
            )
    return positions
