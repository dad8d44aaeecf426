"""Which models can be spread over ranks, what each rank holds of one, and how it finds that out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import mlx.core as mx

from engine.cache.config_shape import text_configs
from engine.cache.estimate import Weights
from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.model import loader, probe
from engine.model.info import Model
from engine.model.loaded import LoadedModel, TextCodec
from engine.model.probe import Abilities
from engine.model.quantised import KeptIn, kept_in
from engine.model.slices import at_once

BITS = (8, 4)  # in which a chat may keep its keys

_DIVIDED = (("num_attention_heads", "attention heads"), ("num_key_value_heads", "key heads"))


def check(name: str, config: Mapping[str, Any], ranks: int) -> None:
    """Refuse what cannot be spread over so many ranks, before anything of it is read.

    Raises:
        EngineError: `unsupported_session`.
    """
    from mlx_lm.utils import _get_classes

    try:
        model_class, _ = _get_classes(dict(config))
    except Exception:  # loading says what is wrong with it
        return
    if not hasattr(model_class, "shard"):
        raise EngineError(
            UNSUPPORTED_SESSION,
            f"{name} is of the type {config.get('model_type')!r}, which cannot be spread over "
            "several ranks. Load it in an engine of one.",
        )
    for field, what in _DIVIDED:
        found = [place.get(field) for place in text_configs(config)]
        count = next((number for number in found if type(number) is int), 0)
        if count % ranks:
            fits = [str(n) for n in range(2, count + 1) if count % n == 0]
            raise EngineError(
                UNSUPPORTED_SESSION,
                f"{name} has {count} {what}, which cannot be divided among {ranks} ranks. "
                f"Take {' or '.join(fits) or 'one'}.",
            )


def part(folder: Path, name: str, group: Any, wide: bool) -> tuple[Any, dict[str, Any]]:
    """This rank's part of a model, lazily: none of its weights has been read.

    Args:
        group: MLX's group of the ranks.
        wide: compute in float32, whatever the weights are kept in.

    Raises:
        EngineError: `unsupported_session`: mlx-lm cannot divide it so.
    """
    net, config = loader.load_net(folder, lazy=True, seeing=False)
    try:
        net.shard(group)
    except Exception as error:
        words = str(error).strip().split("\n")[0] or type(error).__name__
        raise EngineError(
            UNSUPPORTED_SESSION, f"{name} cannot be spread over {group.size()} ranks: {words}"
        ) from None
    if wide:
        net.set_dtype(mx.float32)
    return net, config


class Shares:
    """What each rank would hold of models. They are divided for that, and nothing of them is read.

    Args:
        group: MLX's group of the ranks.
    """

    def __init__(self, group: Any) -> None:
        self._group = group
        self._known: dict[tuple[object, ...], Weights] = {}  # by the folders' identities

    def of(
        self,
        folder: Path,
        name: str,
        config: Mapping[str, Any],
        identity: tuple[object, ...],
        adapted: bool,
    ) -> Weights:
        """One rank's part; that of the others is as large.

        Args:
            config: of the folder.
            identity: of the folder; what has one that is known is not divided again.
            adapted: with an adapter.

        Raises:
            EngineError: `unsupported_session`: it cannot be spread; `model_load_failed`.
        """
        if adapted:
            raise EngineError(
                UNSUPPORTED_SESSION,
                "A model with an adapter cannot be spread over several ranks.",
            )
        if identity not in self._known:
            check(name, config, self._group.size())
            try:
                net, _ = part(folder, name, self._group, wide=False)
            except EngineError:
                raise
            except Exception as error:
                raise loader.load_error(name, dict(config), error) from None
            floats = [a for a in loader.arrays(net) if mx.issubdtype(a.dtype, mx.floating)]
            widened = sum(a.size * mx.float32.size - a.nbytes for a in floats)
            nbytes = loader.weight_bytes(net)
            self._known[identity] = Weights(nbytes, nbytes + widened)
        return self._known[identity]


def try_out(
    net: Any, words: int, ranks: int, done: Callable[[], None], name: str = ""
) -> tuple[LoadedModel, Abilities]:
    """Find out what a spread model can do; all ranks do so at the same time.

    Whether chats can keep their keys in few bits is found out now, as all ranks must take part.

    Args:
        words: token ids below this are fed.
        done: called after each piece of it.

    Returns:
        The model as far as a follower needs it, without words of its own, and what was found.
    """
    found = at_once(probe.measure(net, words), done)
    info = Model("", name, "", 0, 0, "", found.ways.step, False)
    text = TextCodec(info, None, frozenset())
    model = LoadedModel(info, net, found, text, ranks=ranks, slots=found.slots())
    for bits in BITS:
        with contextlib.suppress(EngineError):  # a chat that asks for them gets the error
            kept_in(model, bits, words)
        done()
    return model, found


def plans(model: LoadedModel) -> int:
    """31 bits by which two ranks know that they will carry out a plan in the same way."""
    can = model.can.ways
    ways = (can.step, can.shares_prefix, can.mixes, model.can.token_by_token)
    slots = None if model.slots is None else type(model.slots.policy).__name__
    kinds = [type(cache).__name__ for cache in model.new_caches()]
    kept = [isinstance(model.kept_in.get(bits), KeptIn) for bits in BITS]
    return crc32(repr((ways, slots, kinds, kept)).encode()) & 0x7FFFFFFF
