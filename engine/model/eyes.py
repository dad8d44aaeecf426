"""Models that see: an image as numbers in a prompt, what a tower makes of it, where it stands.

In a session's tokens an image is a span of ids above every vocabulary, made from its content: all
that compares tokens (the prefix index, the ledger, files on disk) tells images apart by them. Where
they are fed the model gets its placeholder in their place, and the image's embeddings. Some
architectures write words of the vocabulary between them, such as the end of a row.

Positions follow from the tokens before and nothing else, and are given with each pass: two chats
never meet in them. A worker makes pixels (`Look`), the engine thread embeddings (`Eyes`).
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
from engine.model import piecewise
from engine.sandbox import jobs
from engine.sandbox.lanes import MODELS, in_lane

FIRST = 1 << 30  # ids from here on are an image's. No vocabulary has so many.

MOST_KNOWN = 512
"""So many images are remembered by their sizes, which is all that a later prompt needs of them."""

MOST_WAITING = 256 * 2**20
"""Bytes of pixels that wait for a tower. Those of a prompt whose cache is there are never asked
for. Others that are not there any more are made again."""


class Patches(Struct, frozen=True):
    """An image as a tower is given it."""

    pixels: Mapping[str, Any]  # what the tower is given, by name
    # what stands for the image in a prompt: words of the vocabulary, and between them how many
    # tokens of its own
    layout: Sequence[str | int]
    # rows and columns of its tokens, where positions follow from them
    grid: tuple[int, int] = (0, 0)


@dataclass(eq=False)
class Sight:
    """An image or a recording as one model takes it."""

    digest: str
    ids: tuple[int, ...]  # that stand for it; those from `FIRST` on for its own tokens
    # rows and columns of its tokens, where positions follow from them
    grid: tuple[int, int] = (0, 0)
    # what the tower is given, by name, until it is; None afterwards
    pixels: Mapping[str, Any] | None = field(default=None, repr=False)
    whole: bool = False  # they see those behind them, too: they are read in one pass

    @functools.cached_property
    def own(self) -> np.ndarray:
        """Where among its ids its own tokens are."""
        return np.flatnonzero(np.array(self.ids) >= FIRST)


Placed = tuple[int, Sight]  # where an image begins among a session's tokens


class Fed(Struct, frozen=True):
    """What of a session is fed in a pass."""

    images: Sequence[Placed]  # of its tokens, the first ones first
    start: int  # how many tokens come before
    count: int = 1  # tokens that are fed


class Kind(abc.ABC):
    """How the images of one architecture are taken.

    Args:
        folder: the model's.
        config: what its `config.json` says.
        words: the ids of its tokenizer's added words.

    Raises:
        Exception: something of it is not as it must be; it does not see then.

    Attributes:
        placeholder: the word that its chat template writes for an image.
        sound: that for a recording; "" where it hears none.
        whole: the tokens of an image see those behind them, too.
    """

    placeholder: str
    sound = ""
    whole = False

    @abc.abstractmethod
    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None: ...

    @abc.abstractmethod
    def look(self, rgb: np.ndarray) -> Patches:
        """What the tower is given for an image `[height, width, 3]`.

        Raises:
            ValueError: it is not of a shape that the model can see.
        """

    def hear(self, samples: np.ndarray) -> Patches:
        """The same for a recording, `[samples]` of 16 kHz between -1 and 1."""
        raise NotImplementedError

    @abc.abstractmethod
    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        """Of each of its tokens, `[tokens, width]`, and what else is added within the model."""

    def tower(self, net: Any) -> Any:
        """The part of a model that sees; None where it has none."""
        return getattr(net, "vision_tower", None)

    def words_of(self, net: Any, ids: mx.array) -> mx.array:
        """The embeddings of ids, as the model's first layer takes them."""
        embedded: mx.array = net.language_model.model.embed_tokens(ids)
        return embedded

    def given(
        self, net: Any, ids: mx.array, rows: mx.array, seen: list[mx.array], parts: Sequence[Fed]
    ) -> dict[str, Any]:
        """What the model is called with, where the tokens at `rows` are images' embeddings."""
        embedded = self.words_of(net, ids)
        return {"inputs_embeds": put(embedded, rows, seen[0])}

    def places(self, images: Sequence[Placed], start: int, count: int) -> np.ndarray | None:
        """Positions `[axes, count]`; None where they are those of the tokens."""
        return None


def put(embedded: mx.array, rows: mx.array, seen: mx.array) -> mx.array:
    """Embeddings `[..., width]` with those of images at some of their rows."""
    flat = embedded.reshape(-1, embedded.shape[-1])
    flat[rows] = seen.astype(flat.dtype)
    return flat.reshape(embedded.shape)


def numbers(digest: str, count: int) -> tuple[int, ...]:
    """The ids that stand for so many tokens of an image."""
    raw = hashlib.shake_256(digest.encode()).digest(4 * count)
    return tuple((np.frombuffer(raw, "<u4") & (FIRST - 1) | FIRST).tolist())


def span(digest: str, layout: Sequence[str | int], words: Mapping[str, int]) -> tuple[int, ...]:
    """The ids that stand for an image in a prompt. Words that nobody knows are left out."""
    own = iter(numbers(digest, sum(part for part in layout if isinstance(part, int))))
    ids: list[int] = []
    for part in layout:
        if isinstance(part, int):
            ids += islice(own, part)
        elif part in words:
            ids.append(words[part])
    return tuple(ids)


def placed(tokens: Sequence[int], sights: Sequence[Sight]) -> list[Placed]:
    """Where the images of a prompt stand in its tokens."""
    found, at = [], 0
    for sight in sights:
        lead = int(sight.own[0])
        at = tokens.index(sight.ids[lead], at + lead) - lead
        found.append((at, sight))
        at += len(sight.ids)
    return found


class Look:
    """Images made into what one model takes. For workers; holds no array of MLX's.

    Args:
        words: the ids of the tokenizer's added words.
    """

    def __init__(self, kind: Kind, words: Mapping[str, int]) -> None:
        self.kind = kind
        # the id of the token that a template writes for an image
        self.placeholder = words[kind.placeholder]
        # by the words that it writes for images and recordings, their ids
        self.written = {w: words[w] for w in (kind.placeholder, kind.sound) if w}
        self._words = words
        self._known: OrderedDict[str, Sight] = OrderedDict()
        self._lock = threading.Lock()

    def word_of(self, medium: Image | Audio) -> str:
        """What a template writes for one like it; "" where the model does not hear."""
        return self.kind.sound if isinstance(medium, Audio) else self.kind.placeholder

    def sight(self, image: Image | Audio, stop: threading.Event | None = None) -> Sight:
        """An image or a recording as the model takes it.

        Args:
            stop: set it from any thread to end the reading.

        Raises:
            EngineError: `invalid_request`, it cannot be read; `engine_stopped`, it was stopped.
            FileNotFoundError: its file is not there any more.
        """
        if (known := self._seen(image.digest)) is not None:
            return known
        with jobs.exclusive((id(self), image.digest), "The file", stop):
            return self._seen(image.digest) or self._look(image, stop)

    def _seen(self, digest: str) -> Sight | None:
        with self._lock:
            known = self._known.get(digest)
            if known is not None:
                self._known.move_to_end(digest)
            return known

    def _look(self, image: Image | Audio, stop: threading.Event | None) -> Sight:
        read = self._read(image, stop)
        ids = span(image.digest, read.layout, self._words)
        whole = self.kind.whole and isinstance(image, Image)
        made = Sight(image.digest, ids, read.grid, read.pixels, whole)
        with self._lock:
            self._known[image.digest] = made
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
            waiting = 0
            for sight in reversed(self._known.values()):
                waiting += _nbytes(sight.pixels)
                if waiting > MOST_WAITING and sight is not made:
                    sight.pixels = None
        return made

    def pixels(
        self, image: Image | Audio, stop: threading.Event | None = None
    ) -> Mapping[str, Any]:
        """What the tower is given, once more."""
        return self._read(image, stop).pixels

    def _read(self, image: Image | Audio, stop: threading.Event | None) -> Patches:
        data = image.data
        if not data and not isinstance(image.file, bytes):
            raise FileNotFoundError("The file is not there any more.")
        if isinstance(image, Audio):
            with in_lane(MODELS):
                return self.kind.hear(np.frombuffer(jobs.read_sound(data, stop=stop), "<f4"))
        with in_lane(MODELS):
            picture = jobs.read_image(data, stop=stop)
        width, height = picture.size
        rgb = np.frombuffer(picture.rgb, np.uint8).reshape(height, width, 3)
        try:
            return self.kind.look(rgb)
        except ValueError as error:
            raise EngineError(
                INVALID_REQUEST,
                f"The image ({width:,} x {height:,} pixels) is not of a shape that the model can "
                f"see: {error}.",
            ) from None


def _nbytes(pixels: Mapping[str, Any] | None) -> int:
    return sum(getattr(value, "nbytes", 0) for value in (pixels or {}).values())


class _Held(Struct):
    features: list[mx.array]
    nbytes: int
    used_at: float


class Eyes:
    """The tower of a loaded model, and the embeddings that it has made. Engine thread only."""

    def __init__(self, net: Any, kind: Kind, placeholder: int) -> None:
        self.kind = kind
        self.encoded = 0  # how many images the tower has seen
        self.held: dict[str, _Held] = {}  # by their digests, the embeddings that are kept
        self._net = net
        self._placeholder = placeholder

    @property
    def nbytes(self) -> int:
        """Bytes of all embeddings that are kept."""
        return sum(held.nbytes for held in self.held.values())

    def encode(self, sight: Sight, pixels: Mapping[str, Any]) -> Generator[None, None, None]:
        """Make an image's embeddings, in pieces, and keep them."""
        spoken = {id(module) for module in self._net.language_model.modules()}
        modules = [m for m in self._net.modules() if id(m) not in spoken]
        embed = functools.partial(self.kind.embeddings, self._net, pixels)
        features = yield from piecewise.in_pieces(modules, embed)
        if features[0].shape[0] != len(sight.own):
            raise EngineError(
                INVALID_REQUEST,
                f"The model makes {features[0].shape[0]:,} embeddings of an image that should "
                f"have {len(sight.own):,}.",
            )
        nbytes = sum(array.nbytes for array in features)
        self.held[sight.digest] = _Held(features, nbytes, time.monotonic())
        self.encoded += 1

    def drop(self, digest: str) -> None:
        """Keep an image's embeddings no longer."""
        self.held.pop(digest, None)

    def plain(self, tokens: list[int]) -> list[int]:
        """Tokens as the model knows them: the placeholder for those of images."""
        if max(tokens, default=0) < FIRST:
            return tokens
        return [self._placeholder if token >= FIRST else token for token in tokens]

    def given(self, ids: mx.array, parts: Sequence[Fed]) -> dict[str, Any]:
        """What the model is called with beside `ids`, the tokens of all `parts` in order.

        Raises:
            LookupError: an image's embeddings are not there.
        """
        if not any(part.images for part in parts):
            return {}
        given: dict[str, Any] = {}
        places = [self.kind.places(part.images, part.start, part.count) for part in parts]
        known = [place for place in places if place is not None]
        if known:
            joined = np.concatenate(known, axis=1)
            given["position_ids"] = mx.array(joined).reshape(-1, *ids.shape)
        rows, features = self._seen(parts)
        if rows:
            seen = [mx.concatenate(list(same)) for same in zip(*features, strict=True)]
            given |= self.kind.given(self._net, ids, mx.array(rows), seen, parts)
        return given

    def _seen(self, parts: Sequence[Fed]) -> tuple[list[int], list[list[mx.array]]]:
        """The places of images' tokens among all that are fed, and their embeddings."""
        rows: list[int] = []
        features: list[list[mx.array]] = []
        before = 0
        for part in parts:
            end = part.start + part.count
            for at, sight in part.images:
                first, last = max(at, part.start), min(at + len(sight.ids), end)
                low, high = np.searchsorted(sight.own, (first - at, last - at)).tolist()
                if low >= high:
                    continue
                held = self.held[sight.digest]
                held.used_at = time.monotonic()
                features.append([array[low:high] for array in held.features])
                rows += (sight.own[low:high] + (before + at - part.start)).tolist()
            before += part.count
        return rows, features


# ---------------------------------------------------------------- positions on three axes


def grid_places(images: Sequence[Placed], start: int, count: int) -> np.ndarray:
    """Positions as Qwen's models count them: an image is one moment, with rows and columns.

    After it the text goes on behind the larger of both.
    """
    found = np.tile(np.arange(start, start + count, dtype=np.int32), (3, 1))
    shift = 0
    for at, sight in images:
        (high, wide), end = sight.grid, at + len(sight.ids)
        first, last = max(at, start), min(end, start + count)
        if first < last:
            tokens = np.arange(first - at, last - at)
            inside = np.stack([np.zeros_like(tokens), tokens // wide, tokens % wide])
            found[:, first - start : last - start] = at + shift + inside
        shift += max(high, wide) - len(sight.ids)
        if end < start + count:
            found[:, max(0, end - start) :] = (
                np.arange(max(end, start), start + count, dtype=np.int32) + shift
            )
    return found
