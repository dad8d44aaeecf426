"""Which models can be spread over ranks, and reading a rank's part of one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import mlx.core as mx

from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.kv.fitting import Weights
from engine.model import loader, measuring
from engine.model.info import Model
from engine.model.loaded import LoadedModel
from engine.model.measuring import Measured
from engine.model.quantised import KeptIn, kept_in
from engine.model.slices import at_once

BITS = (8, 4)
"""In which a chat may keep its keys."""

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
        raise _refusal(
            f"{name} is of the type {config.get('model_type')!r}, which cannot be spread over "
            "several ranks. Load it in an engine of one."
        )
    for field, what in _DIVIDED:
        count = _field(config, field)
        if count and count % ranks:
            fits = [str(n) for n in range(2, count + 1) if count % n == 0]
            raise _refusal(
                f"{name} has {count} {what}, which cannot be divided among {ranks} ranks. "
                f"Take {' or '.join(fits) or 'one'}."
            )


def _field(config: Mapping[str, Any], field: str) -> int:
    inner = config.get("text_config")
    for place in (config, inner if isinstance(inner, dict) else {}):
        if type(place.get(field)) is int:
            return int(place[field])
    return 0


def _refusal(message: str) -> EngineError:
    return EngineError(UNSUPPORTED_SESSION, message)


def part(folder: Path, name: str, group: Any, wide: bool) -> tuple[Any, dict[str, Any]]:
    """This rank's part of a model, lazily: none of its weights has been read.

    Args:
        group: MLX's group of the ranks.
        wide: compute in float32, whatever the weights are kept in.

    Raises:
        EngineError: `unsupported_session`: mlx-lm cannot divide it so.
    """
    net, config = loader.load_net(folder, lazy=True)
    try:
        net.shard(group)
    except Exception as error:
        words = str(error).strip().split("\n")[0]
        raise _refusal(
            f"{name} cannot be spread over {group.size()} ranks: {words or type(error).__name__}"
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
            raise _refusal("A model with an adapter cannot be spread over several ranks.")
        if identity not in self._known:
            check(name, config, self._group.size())
            try:
                net, _ = part(folder, name, self._group, wide=False)
            except EngineError:
                raise
            except Exception as error:
                raise loader.load_error(name, dict(config), error) from None
            self._known[identity] = _weights(net)
        return self._known[identity]


def _weights(net: Any) -> Weights:
    arrays = loader.arrays(net)
    floats = [a for a in arrays if mx.issubdtype(a.dtype, mx.floating)]
    widened = sum(a.size * mx.float32.size - a.nbytes for a in floats)
    nbytes = loader.weight_bytes(net)
    return Weights(nbytes, nbytes + widened)


def read(net: Any) -> Generator[float, None, None]:
    """Read a part's weights; yields the share that has been read."""
    yield from loader.read_weights(net)


def measured(net: Any, words: int, done: Callable[[], None]) -> Measured:
    """Find out what the spread model can do, all ranks at the same time.

    Args:
        done: called after each piece of it.
    """
    return at_once(measuring.measure(net, words), done)


def try_bits(model: LoadedModel, words: int, done: Callable[[], None]) -> None:
    """Find out whether chats can keep their keys in few bits: now, as all ranks must take part.

    Args:
        words, done: as of `measured`.
    """
    for bits in BITS:
        with contextlib.suppress(EngineError):  # it is kept, and told to who asks for it
            kept_in(model, bits, words)
        done()


def plans(model: LoadedModel) -> int:
    """31 bits that tell whether two ranks will carry out a plan in the same way."""
    told = (model.info.step, model.shares_prefix, model.mixes, model.token_by_token)
    slots = None if model.slots is None else type(model.slots.policy).__name__
    kinds = [type(cache).__name__ for cache in model.new_caches()]
    kept = [isinstance(model.kept_in.get(bits), KeptIn) for bits in BITS]
    return crc32(repr((told, slots, kinds, kept)).encode()) & 0x7FFFFFFF


def model_of(net: Any, found: Measured, ranks: int, name: str = "") -> LoadedModel:
    """A model as far as a follower needs it: it has no words."""
    info = Model("", name, "", 0, 0, "", found.ways.step, False)
    return LoadedModel(
        info=info,
        net=net,
        tokenizer=None,
        eos=frozenset(),
        estimate=found.estimate,
        make_cache=found.make_cache,
        slots=found.slots(),
        shares_prefix=found.ways.shares_prefix,
        mixes=found.ways.mixes,
        token_by_token=found.token_by_token,
        ranks=ranks,
    )
