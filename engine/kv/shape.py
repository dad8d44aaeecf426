"""A model's size in numbers: what its layers keep of a session, and how wide its passes are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """What one cache keeps of one session, in numbers.

    Attributes:
        keys, values: for each token.
        window: the most tokens that are kept; None for all.
        state: that does not grow.
        plain: it is mlx-lm's `KVCache`, not inside another cache: it can be kept in few bits.
        copied: it lies in one cache with a state, so that a snapshot holds its keys as well.
    """

    keys: int = 0
    values: int = 0
    window: int | None = None
    state: int = 0
    plain: bool = True
    copied: bool = False


@dataclass(frozen=True)
class Scan:
    """How a recurrent layer reads a chunk of a prompt.

    Attributes:
        wide: numbers of a token in it.
        heads: that compare each token of the chunk with each other (Mamba 2); 0 where none does.
        size: of a state that is kept for each token of the chunk while it is read (Jamba's); else
            0.
    """

    wide: int
    heads: int = 0
    size: int = 0


@dataclass(frozen=True)
class Shape:
    """What a config says of a model's size.

    Attributes:
        caches: in the order of the layers; some layers have none, some two.
        heads: of the queries.
        width: of a head's values.
        inner: the widest array of a feed-forward layer, in numbers a token.
        latent: keys are kept compressed.
        grouped: several heads of the queries share one of the keys.
        slots: chats that decode together can share a buffer (`engine.kv.slots`).
        scan: the families' recurrent layer, by the way in which it reads a chunk; None for ways
            that take no more than attention does.
    """

    caches: tuple[Layer, ...]
    hidden: int
    heads: int
    width: int
    inner: int
    vocabulary: int
    latent: bool
    grouped: bool = True
    slots: bool = True
    scan: Scan | None = None
