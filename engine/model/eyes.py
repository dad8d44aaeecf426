"""Models that see: an image as numbers in a prompt, what a tower makes of it, where it stands.

In a session's tokens an image is a span of ids above every vocabulary, made from its content: all
that compares tokens (the prefix index, the ledger, files on disk) tells images apart by them. Where
they are fed the model gets its placeholder in their place, and the image's embeddings.

Positions follow from the tokens before and nothing else, and are given with each pass: two chats
never meet in them. A worker makes pixels (`Look`), the engine thread embeddings (`Eyes`).
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
import numpy as np

from engine.errors import INVALID_REQUEST, EngineError
from engine.messages import Image
from engine.model.patches import mix_in
from engine.sandbox import jobs

FIRST = 1 << 30
"""Ids from here on are an image's. No vocabulary has so many."""

MOST_KNOWN = 512
"""So many images are remembered by their sizes, which is all that a later prompt needs of them."""

MOST_WAITING = 256 * 2**20
"""Bytes of pixels that wait for a tower. Those of a prompt whose cache is there are never asked
for. Others that are not there any more are made again."""

MOST_PIXELS = 2_000_000
"""Of an image as a tower is given it. The makers of models allow 16 million, of which a tower's
attention takes sixty times as long, and 16,000 tokens of the context; a page of text is read well
in two."""

_SLICE = 0.01  # seconds of a tower that are computed at a time, as far as blocks take no longer


@dataclass(eq=False)
class Sight:
    """An image as one model takes it.

    Attributes:
        ids: that stand for its tokens.
        grid: rows and columns of its tokens.
        pixels: what the tower is given, by name, until it is; None afterwards.
    """

    digest: str
    ids: tuple[int, ...]
    grid: tuple[int, int]
    pixels: Mapping[str, Any] | None = field(default=None, repr=False)


Placed = tuple[int, Sight]
"""Where an image begins among a session's tokens."""


@dataclass(frozen=True)
class Fed:
    """What of a session is fed in a pass.

    Attributes:
        images: of its tokens, the first ones first.
        start: how many tokens come before.
        count: tokens that are fed.
    """

    images: Sequence[Placed]
    start: int
    count: int = 1


class Kind(Protocol):
    """How the images of one architecture are taken.

    Attributes:
        placeholder: the token that its chat template writes for an image.
    """

    placeholder: str

    def look(self, rgb: np.ndarray) -> tuple[Mapping[str, Any], tuple[int, int]]:
        """What the tower is given for an image `[height, width, 3]`, and the grid of its tokens."""

    def tower(self, net: Any) -> Any:
        """The part of a model that sees; None where it has none."""

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        """Of each of its tokens, `[tokens, width]`, and what else is added within the model."""

    def given(
        self, net: Any, ids: mx.array, rows: mx.array, seen: list[mx.array]
    ) -> dict[str, Any]:
        """What the model is called with, where the tokens at `rows` are images' embeddings."""

    def places(self, images: Sequence[Placed], start: int, count: int) -> np.ndarray | None:
        """Positions `[axes, count]`; None where they are those of the tokens."""


def numbers(digest: str, count: int) -> tuple[int, ...]:
    """The ids that stand for an image of so many tokens."""
    raw = hashlib.shake_256(digest.encode()).digest(4 * count)
    return tuple((np.frombuffer(raw, "<u4") & (FIRST - 1) | FIRST).tolist())


def placed(tokens: Sequence[int], sights: Sequence[Sight]) -> list[Placed]:
    """Where the images of a prompt stand in its tokens."""
    found, at = [], 0
    for sight in sights:
        at = tokens.index(sight.ids[0], at)
        found.append((at, sight))
        at += len(sight.ids)
    return found


class Look:
    """Images made into what one model takes. For workers; holds no array of MLX's.

    Args:
        placeholder: the id of the token that a template writes for an image.
    """

    def __init__(self, kind: Kind, placeholder: int) -> None:
        self.kind = kind
        self.placeholder = placeholder
        self._known: OrderedDict[str, Sight] = OrderedDict()
        self._lock = threading.Lock()

    def sight(self, image: Image) -> Sight:
        """An image as the model takes it.

        Raises:
            EngineError: `invalid_request`, it cannot be read.
        """
        with self._lock:
            known = self._known.get(image.digest)
            if known is not None:
                self._known.move_to_end(image.digest)
                return known
        pixels, grid = self._read(image)
        made = Sight(image.digest, numbers(image.digest, grid[0] * grid[1]), grid, pixels)
        with self._lock:
            made = self._known.setdefault(image.digest, made)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
            waiting = 0
            for sight in reversed(self._known.values()):
                waiting += _nbytes(sight.pixels)
                if waiting > MOST_WAITING and sight is not made:
                    sight.pixels = None
        return made

    def pixels(self, image: Image) -> Mapping[str, Any]:
        """What the tower is given, once more."""
        return self._read(image)[0]

    def _read(self, image: Image) -> tuple[Mapping[str, Any], tuple[int, int]]:
        picture = jobs.read_image(image.data)
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


@dataclass
class _Held:
    features: list[mx.array]
    nbytes: int
    used_at: float


class Eyes:
    """The tower of a loaded model, and the embeddings that it has made. Engine thread only.

    Attributes:
        encoded: how many images the tower has seen.
        held: by their digests, the embeddings that are kept.
    """

    def __init__(self, net: Any, kind: Kind, placeholder: int) -> None:
        self.kind = kind
        self.encoded = 0
        self.held: dict[str, _Held] = {}
        self._net = net
        self._placeholder = placeholder

    @property
    def nbytes(self) -> int:
        """Bytes of all embeddings that are kept."""
        return sum(held.nbytes for held in self.held.values())

    def encode(self, sight: Sight, pixels: Mapping[str, Any]) -> Generator[None, None, None]:
        """Make an image's embeddings, in pieces, and keep them."""
        features = yield from _in_pieces(self.kind, self._net, pixels)
        if features[0].shape[0] != len(sight.ids):
            raise EngineError(
                INVALID_REQUEST,
                f"The model makes {features[0].shape[0]:,} embeddings of an image that should "
                f"have {len(sight.ids):,}.",
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
            given |= self.kind.given(self._net, ids, mx.array(rows), seen)
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
                if first >= last:
                    continue
                held = self.held[sight.digest]
                held.used_at = time.monotonic()
                features.append([array[first - at : last - at] for array in held.features])
                rows += range(before + first - part.start, before + last - part.start)
            before += part.count
        return rows, features


def _in_pieces(
    kind: Kind, net: Any, pixels: Mapping[str, Any]
) -> Generator[None, None, list[mx.array]]:
    """A tower's embeddings, evaluated some blocks at a time.

    The pass only builds a graph. What each block gives is noted, and evaluated in turn.
    """
    noted: list[mx.array] = []
    blocks = _blocks(kind.tower(net))
    undo = mix_in(_Noted, blocks)
    _noting.outputs = noted
    try:
        features = kind.embeddings(net, pixels)
    finally:
        undo()
        _noting.outputs = None
    noted.reverse()
    began = time.perf_counter()
    while noted:
        mx.eval(noted.pop())
        if time.perf_counter() - began >= _SLICE:
            yield
            began = time.perf_counter()
    mx.eval(features)
    return features


_noting = threading.local()


class _Noted:
    """Mixed in before the class of a tower's block."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        out = super().__call__(*args, **kwargs)  # type: ignore[misc]
        first = out[0] if isinstance(out, tuple) else out
        if isinstance(first, mx.array):
            _noting.outputs.append(first)
        return out


def _blocks(tower: Any) -> list[Any]:
    """The longest list of modules in a tower: its blocks."""
    lists = [
        value
        for module in tower.modules()
        for value in module.values()
        if isinstance(value, list) and value and all(callable(part) for part in value)
    ]
    return max(lists, key=len, default=[])


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


# ---------------------------------------------------------------- architectures


class Qwen3VL:
    """Qwen 3 VL and 3.5: three axes of positions; the former adds more in its first layers."""

    placeholder = "<|image_pad|>"

    def __init__(self, folder: Path) -> None:
        from mlx_vlm.models.qwen3_vl import processing_qwen3_vl as processing

        settings = processing._qwen_vl_image_kwargs(str(folder.resolve()), default_patch_size=16)
        settings["max_pixels"] = min(settings.get("max_pixels", MOST_PIXELS), MOST_PIXELS)
        self._processor: Any = processing.Qwen3VLImageProcessor(**settings)

    def look(self, rgb: np.ndarray) -> tuple[Mapping[str, Any], tuple[int, int]]:
        made = self._processor([rgb.transpose(2, 0, 1)])
        merge = self._processor.merge_size
        _, high, wide = (int(n) for n in np.array(made["image_grid_thw"])[0])
        return made, (high // merge, wide // merge)

    def tower(self, net: Any) -> Any:
        return getattr(net, "vision_tower", None)

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        tower = net.vision_tower
        dtype = tower.patch_embed.proj.weight.dtype
        given = mx.array(pixels["pixel_values"]).astype(dtype)
        found, deep = tower(given, mx.array(pixels["image_grid_thw"]))
        return [found, *deep]

    def given(
        self, net: Any, ids: mx.array, rows: mx.array, seen: list[mx.array]
    ) -> dict[str, Any]:
        model = net.language_model.model
        if len(seen) > 1:
            mix_in(_AddsAll, [model])
        embedded = model.embed_tokens(ids)
        flat = embedded.reshape(-1, embedded.shape[-1])
        flat[rows] = seen[0].astype(flat.dtype)
        added = []
        for deep in seen[1:]:
            whole = mx.zeros(flat.shape, flat.dtype)
            whole[rows] = deep.astype(flat.dtype)
            added.append(whole.reshape(embedded.shape))
        given: dict[str, Any] = {"inputs_embeds": flat.reshape(embedded.shape)}
        return given | ({"deepstack_visual_embeds": added} if added else {})

    def places(self, images: Sequence[Placed], start: int, count: int) -> np.ndarray | None:
        return grid_places(images, start, count)


class _AddsAll:
    """Mixed in before the class of Qwen's text model: what is added stands at its place already.

    The model's own would look at each row of a pass, and wait for the device.
    """

    def _deepstack_process(self, hidden: mx.array, _mask: Any, added: mx.array) -> mx.array:
        return hidden + added


def look(folder: Path, model_type: str, tokenizer: Any) -> Look | None:
    """What makes images into what a model of this folder takes. For a worker."""
    kind: Any = KINDS[model_type]
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    token = inner.get_added_vocab().get(kind.placeholder)
    return None if token is None else Look(kind(folder), token)


KINDS: dict[str, type[Kind]] = {
    "qwen3_5": Qwen3VL,
    "qwen3_5_moe": Qwen3VL,
    "qwen3_vl": Qwen3VL,
    "qwen3_vl_moe": Qwen3VL,
}
"""By the model's type, the architectures whose images are taken."""
