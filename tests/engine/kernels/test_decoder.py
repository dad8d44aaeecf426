"""Decoder steps in the kernels are equal on every level and in every batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engine.kernels.decoder import Decoder, LayerParts, Rotation
from engine.kernels.library import LEVELS, Library
from engine.kernels.matrices import Array, Format
from engine.kernels.structs import SEGMENT, SPAN
from tests.engine.kernels.random_matrices import RandomMatrix

WIDTH, MLP_WIDTH, VOCABULARY, LAYERS = 96, 160, 75, 2

KINDS: dict[str, dict[str, Any]] = {
    "llama": {},
    "bias and wide heads": {"heads": 2, "key_heads": 1, "head_width": 80, "bias": True},
    "heads of 64": {"heads": 4, "key_heads": 2, "head_width": 64},
    "heads of 128": {"heads": 2, "key_heads": 1, "head_width": 128},
    "norms of heads": {"head_norms": True, "heads": 6, "key_heads": 3},
    "norms after": {"post_norms": True, "is_gelu": True, "score_cap": 5.0},
    "part of a head, interleaved": {"rotated": 12, "is_interleaved": True},
    "odd heads": {"heads": 4, "key_heads": 4, "head_width": 24, "rotated": 10},
    "no rotation": {"rotated": 0},
    "no norms before": {"post_norms": True, "pre_norms": False},
    "tokens": {"table_scale": 1.5},
}


def rotations(first: int, count: int, half: int) -> tuple[Array, Array]:
    angles = np.arange(first, first + count)[:, None] * 10000.0 ** -(np.arange(half) / max(half, 1))
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


class RandomDecoder:
    def __init__(
        self,
        library: Library,
        heads: int = 4,
        key_heads: int = 2,
        head_width: int = 16,
        rotated: int | None = None,
        is_interleaved: bool = False,
        bias: bool = False,
        head_norms: bool = False,
        pre_norms: bool = True,
        post_norms: bool = False,
        table_scale: float = 0.0,
        **more: Any,
    ) -> None:
        random = np.random.default_rng(7)
        seeds = iter(range(1000))
        self.heads, self.key_heads, self.head_width = heads, key_heads, head_width
        self.rotated = head_width if rotated is None else rotated
        half = self.rotated // 2

        def matrix(outputs: int, inputs: int, bits: int = 4) -> RandomMatrix:
            form = Format("affine", bits, 32)
            return RandomMatrix(library, form, outputs, inputs, next(seeds), bias=bias)

        def norm(width: int) -> Array:
            return random.uniform(0.5, 1.5, width).astype(np.float32)

        self.layers: list[tuple[LayerParts, dict[str, RandomMatrix]]] = []
        rotation = Rotation(lambda a, n: rotations(a, n, half), self.rotated, is_interleaved)
        for _ in range(LAYERS):
            sizes = [heads * head_width, key_heads * head_width, key_heads * head_width]
            own = {
                **{name: matrix(n, WIDTH) for name, n in zip("qkv", sizes, strict=True)},
                "out": matrix(WIDTH, heads * head_width, 8),
                "gate": matrix(MLP_WIDTH, WIDTH),
                "up": matrix(MLP_WIDTH, WIDTH),
                "down": matrix(WIDTH, MLP_WIDTH, 6),
            }
            parts = LayerParts(
                *(heads, key_heads, head_width, rotation, head_width**-0.5, 1e-5),
                norm(WIDTH) if pre_norms else None,
                norm(WIDTH) if pre_norms else None,
                [own[name].packed for name in "qkv"],
                own["out"].packed,
                [own["gate"].packed, own["up"].packed],
                own["down"].packed,
                attention_post_norm=norm(WIDTH) if post_norms else None,
                mlp_post_norm=norm(WIDTH) if post_norms else None,
                query_norm=norm(head_width) if head_norms else None,
                key_norm=norm(head_width) if head_norms else None,
                head_epsilon=1e-6,
                **more,
            )
            self.layers.append((parts, own))
        self.final_norm, self.head = norm(WIDTH), matrix(VOCABULARY, WIDTH, 8)
        layers = [parts for parts, _ in self.layers]
        tokens = matrix(VOCABULARY, WIDTH, 8) if table_scale else None
        self.has_table = tokens is not None
        self.decoder = Decoder(
            *(library, layers, self.final_norm, 1e-5, self.head.packed),
            *((tokens.packed, table_scale) if tokens is not None else ()),
        )
        self.table = random.standard_normal((VOCABULARY, WIDTH)).astype(np.float32)
        if tokens is not None:
            self.table = (tokens.weights * table_scale).astype(np.float32)

    def logits(self, tokens: Sequence[int]) -> Array:
        x = self.table[list(tokens)].astype(np.float64)
        cosines, sines = (a.astype(np.float64) for a in rotations(0, len(x), self.rotated // 2))
        for parts, own in self.layers:
            normed = x
            if parts.attention_norm is not None:
                normed = normalize(x, parts.attention_norm, parts.epsilon)
            q, k, v = (self._by_head(own[name].wanted(normed)) for name in "qkv")
            if parts.query_norm is not None and parts.key_norm is not None:
                q = normalize(q, parts.query_norm, parts.head_epsilon)
                k = normalize(k, parts.key_norm, parts.head_epsilon)
            q, k = (self._rotate(a, cosines, sines, parts) for a in (q, k))
            k, v = (a.astype(np.float16).astype(np.float64) for a in (k, v))  # as in the cache
            k, v = (np.repeat(a, self.heads // self.key_heads, axis=0) for a in (k, v))
            attended = self._attend(q, k, v, parts).swapaxes(0, 1).reshape(len(x), -1)
            part = own["out"].wanted(attended)
            if parts.attention_post_norm is not None:
                part = normalize(part, parts.attention_post_norm, parts.epsilon)
            x = x + part
            normed = x
            if parts.mlp_norm is not None:
                normed = normalize(x, parts.mlp_norm, parts.epsilon)
            gate = own["gate"].wanted(normed)
            if parts.is_gelu:
                inner = 0.7978845608 * (gate + 0.044715 * gate**3)
                gate = 0.5 * gate * (1 + np.tanh(inner))
            else:
                gate = gate / (1 + np.exp(-gate))
            part = own["down"].wanted(gate * own["up"].wanted(normed))
            if parts.mlp_post_norm is not None:
                part = normalize(part, parts.mlp_post_norm, parts.epsilon)
            x = x + part
        return self.head.wanted(normalize(x, self.final_norm, 1e-5))

    def _by_head(self, rows: Array) -> Array:
        return rows.reshape(len(rows), -1, self.head_width).swapaxes(0, 1)

    def _rotate(self, heads: Array, cosines: Array, sines: Array, parts: LayerParts) -> Array:
        half, out = self.rotated // 2, heads.copy()
        left, right = slice(0, half), slice(half, 2 * half)
        if parts.rotation.is_interleaved:
            left, right = slice(0, 2 * half, 2), slice(1, 2 * half, 2)
        a, b = heads[..., left], heads[..., right]
        out[..., left], out[..., right] = a * cosines - b * sines, a * sines + b * cosines
        return out

    def _attend(self, q: Array, k: Array, v: Array, parts: LayerParts) -> Array:
        scores = q @ k.swapaxes(1, 2) * parts.score_scale
        if parts.score_cap:
            scores = parts.score_cap * np.tanh(scores / parts.score_cap)
        count = q.shape[1]
        hidden = np.arange(count)[:, None] < np.arange(count)
        scores = np.where(hidden, -np.inf, scores)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        return weights @ v


def normalize(x: Array, weight: Array, epsilon: float) -> Array:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + epsilon) * weight


class Chat:
    def __init__(self, model: RandomDecoder, room: int = 80, cuts: Sequence[int] = ()) -> None:
        shape = LAYERS, 2, model.key_heads, room, model.head_width
        self._places = [0, *cuts]
        self.arrays = [np.full(shape, np.nan, np.float16) for _ in self._places]
        self.length = 0

    def segments(self, more: int) -> Array:
        self.length += more
        begun = [place for place in self._places if place < self.length]
        found = np.zeros((LAYERS, len(begun)), SEGMENT)
        for index, (place, arrays) in enumerate(zip(begun, self.arrays, strict=False)):
            end = begun[index + 1] if index + 1 < len(begun) else self.length
            for layer in range(LAYERS):
                keys, values = arrays[layer]
                strides = (stride // keys.itemsize for stride in keys.strides[:2])
                found[layer, index] = (
                    *(keys.ctypes.data, values.ctypes.data, *strides),
                    *(place, end - place),
                )
        return found

    def until_cut(self) -> int:
        return next((place for place in self._places if place > self.length), 10**9) - self.length


def run(
    model: RandomDecoder, fed: Sequence[tuple[Chat, Sequence[int]]], wanted: Sequence[int]
) -> Array:
    tokens = np.array([token for _, tokens in fed for token in tokens])
    given = tokens if model.has_table else model.table[tokens]
    spans, segments = np.zeros(len(fed), SPAN), []
    row = first = 0
    for span, (chat, tokens) in zip(spans, fed, strict=True):
        position = chat.length
        own = chat.segments(len(tokens))
        for name, value in zip(
            SPAN.names, (row, len(tokens), position, first, own.shape[1]), strict=True
        ):
            span[name] = value
        segments.append(own)
        row, first = row + len(tokens), first + own.shape[1]
    joined = np.ascontiguousarray(np.concatenate(segments, axis=1))
    _, logits = model.decoder.step(given, spans, joined, wanted)
    assert logits is not None
    return logits.copy()


def text_of(count: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(0, VOCABULARY, count).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_step_agrees_with_float64(library: Library, kind: str) -> None:
    model, tokens = RandomDecoder(library, **KINDS[kind]), text_of(37, 1)
    found = run(model, [(Chat(model), tokens)], range(len(tokens)))
    wanted = model.logits(tokens)
    assert np.linalg.norm(found - wanted) < 1e-3 * np.linalg.norm(wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_levels_agree_with_reference(library: Library, kind: str) -> None:
    model, tokens = RandomDecoder(library, **KINDS[kind]), text_of(37, 2)
    found = {}
    for level in library.levels:
        library.use_level(level)
        chats = Chat(model), Chat(model)
        logits = run(model, [(chats[0], tokens), (chats[1], tokens[:5])], range(42))
        found[level] = logits.tobytes(), chats[0].arrays[0].tobytes()
    for level in library.levels[1:]:
        assert found[level] == found[0], LEVELS[level]


@pytest.mark.turns(11)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_chat_does_not_depend_on_company(library: Library, kind: str, seed: int) -> None:
    """Logits are bitwise equal alone, in any chunks, next to other chats, and with segments."""
    model, random = RandomDecoder(library, **KINDS[kind]), np.random.default_rng(seed)
    texts = [text_of(int(random.integers(1, 60)), 100 * seed + n) for n in range(4)]
    alone = [run(model, [(Chat(model), text)], range(len(text))) for text in texts]
    cuts = [sorted(random.choice(np.arange(1, 60), int(random.integers(0, 3)), False).tolist())]
    chats = [Chat(model, cuts=cuts[0] if n == 0 else ()) for n in range(4)]
    while any(chat.length < len(text) for chat, text in zip(chats, texts, strict=True)):
        fed = []
        for n in random.permutation(4):
            chat, text = chats[n], texts[n]
            left = min(len(text) - chat.length, chat.until_cut())
            count = min(left, int(random.choice([0, 1, 1, 3, 20])))
            if count:
                fed.append((chat, text[chat.length : chat.length + count], n))
        if fed:
            rows = sum(len(tokens) for _, tokens, _ in fed)
            starts = [chat.length for chat, _, _ in fed]
            found = run(model, [(chat, tokens) for chat, tokens, _ in fed], range(rows))
            row = 0
            for start, (_, tokens, n) in zip(starts, fed, strict=True):
                own = found[row : row + len(tokens)]
                assert own.tobytes() == alone[n][start : start + len(tokens)].tobytes()
                row += len(tokens)


def test_wanted_rows_are_returned_in_order(library: Library) -> None:
    model, tokens = RandomDecoder(library), text_of(9, 3)
    whole = run(model, [(Chat(model), tokens)], range(9))
    some = run(model, [(Chat(model), tokens)], [8, 2, 2])
    assert np.array_equal(some, whole[[8, 2, 2]])
    assert run(model, [(Chat(model), tokens)], []).shape == (0, VOCABULARY)


def test_long_text_extends_rotations(library: Library) -> None:
    model, tokens = RandomDecoder(library), text_of(700, 4)
    chat = Chat(model, room=700)
    run(model, [(chat, tokens[:300])], [])
    found = run(model, [(chat, tokens[300:])], [399])
    wanted = model.logits(tokens)[-1:]
    assert np.linalg.norm(found - wanted) < 1e-3 * np.linalg.norm(wanted)


def test_non_finite_neighbor_changes_nothing(library: Library) -> None:
    model, tokens = RandomDecoder(library), text_of(12, 5)
    alone = run(model, [(Chat(model), tokens)], range(12))
    model.table[3] = np.nan
    tokens = [token if token != 3 else 4 for token in tokens]
    alone = run(model, [(Chat(model), tokens)], range(12))
    found = run(model, [(Chat(model), [3, 5]), (Chat(model), tokens)], range(14))
    assert np.isnan(found[:2]).all()
    assert found[2:].tobytes() == alone.tobytes()


def test_shapes_that_do_not_fit_are_refused(library: Library) -> None:
    model = RandomDecoder(library, table_scale=1.0)
    chat = Chat(model)
    segments = chat.segments(3)
    spans = np.array([(0, 3, 0, 0, 1)], SPAN)
    x = model.table[:3].copy()
    step = model.decoder.step
    step(x, spans, segments, [2])
    for change in (
        {"rows": 2},
        {"rows": 0},
        {"first_row": 1},
        {"first_segment": 1},
        {"first_segment": -1},
        {"segments": 2},
        {"segments": 0},
        {"position": 1},
    ):
        wrong = spans.copy()
        for name, value in change.items():
            wrong[name] = value
        with pytest.raises(ValueError, match="do not match"):
            step(x, wrong, segments, [2])
    for wanted in ([3], [-1]):
        with pytest.raises(ValueError, match="do not match"):
            step(x, spans, segments, wanted)
    for given in (x[:, :64], x.astype(np.float64), np.zeros(3, np.int32)):
        with pytest.raises(ValueError, match="neither tokens"):
            step(given, spans, segments, [2])
    for tokens in ([0, 1, VOCABULARY], [0, -1, 1]):
        with pytest.raises(ValueError, match="do not match"):
            step(np.array(tokens), spans, segments, [2])
    with pytest.raises(ValueError, match="Segments"):
        step(x, spans, segments[:1], [2])


def test_mismatched_layers_are_refused(library: Library) -> None:
    model = RandomDecoder(library)
    parts = model.layers[0][0]
    other = RandomDecoder(library, heads=8).layers[0][0]
    for changed in (
        {"out": other.out},
        {"query_key_value": other.query_key_value},
        {"down": parts.out},
        {"mlp_norm": np.ones(WIDTH + 1, np.float32)},
        {"key_heads": 3},
    ):
        fields = {name: getattr(parts, name) for name in parts.__struct_fields__}
        with pytest.raises(ValueError, match=r"\d"):
            Decoder(library, [LayerParts(**{**fields, **changed})], model.final_norm, 1e-5)
