"""Sharding of models over ranks, and loading a rank's shard."""

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
from engine.model.loaded_model import LoadedModel, QuantizedCaches, TextCodec
from engine.model.probe import Abilities
from engine.model.quantized_kv import quantized_caches
from engine.model.sliced_pass import run_to_end

KV_BITS = (8, 4)  # quantizations of the KV cache that a chat can request

_DIVIDED_COUNTS = (("num_attention_heads", "attention heads"), ("num_key_value_heads", "key heads"))


def check_divisible(name: str, config: Mapping[str, Any], ranks: int) -> None:
    """Check that a model can be divided among `ranks`, before reading its weights.

    Raises:
        EngineError: `unsupported_session`.
    """
    from mlx_lm.utils import _get_classes

    try:
        model_class, _ = _get_classes(dict(config))
    except Exception:  # loading will report the error
        return
    if not hasattr(model_class, "shard"):
        raise EngineError(
            UNSUPPORTED_SESSION,
            f"{name} has type {config.get('model_type')!r}, which cannot be spread over "
            "several ranks. Load it without ranks.",
        )
    for field, label in _DIVIDED_COUNTS:
        counts = [part.get(field) for part in text_configs(config)]
        count = next((number for number in counts if type(number) is int), 0)
        if count % ranks:
            fits = [str(n) for n in range(2, count + 1) if count % n == 0]
            raise EngineError(
                UNSUPPORTED_SESSION,
                f"{name} has {count} {label}, which cannot be divided among {ranks} ranks. "
                f"Use {' or '.join(fits) or 'one'}.",
            )


def load_shard(folder: Path, name: str, group: Any, wide: bool) -> tuple[Any, dict[str, Any]]:
    """Load this rank's shard of a model, without reading its weights.

    Args:
        wide: compute in float32, whatever the type of the weights.

    Raises:
        EngineError: `unsupported_session` if mlx-lm can't shard this model.
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


class ShardSizes:
    """Sizes of each rank's shard of a model, computed without reading weights."""

    def __init__(self, group: Any) -> None:
        self._group = group
        self._cache: dict[tuple[object, ...], Weights] = {}  # weights by the identity of the folder

    def shard_weights(
        self,
        folder: Path,
        name: str,
        config: Mapping[str, Any],
        identity: tuple[object, ...],
        adapted: bool,
    ) -> Weights:
        """Return the size of one rank's shard. All shards have the same size.

        Raises:
            EngineError: `unsupported_session` if the model can't be sharded; `model_load_failed`.
        """
        if adapted:
            raise EngineError(
                UNSUPPORTED_SESSION,
                "A model with an adapter cannot be spread over several ranks.",
            )
        if identity not in self._cache:
            check_divisible(name, config, self._group.size())
            try:
                net, _ = load_shard(folder, name, self._group, wide=False)
            except EngineError:
                raise
            except Exception as error:
                raise loader.load_error(name, dict(config), error) from None
            floats = [
                a for a in loader.parameter_arrays(net) if mx.issubdtype(a.dtype, mx.floating)
            ]
            widened = sum(a.size * mx.float32.size - a.nbytes for a in floats)
            nbytes = loader.weight_bytes(net)
            self._cache[identity] = Weights(nbytes, nbytes + widened)
        return self._cache[identity]


def probe_shard(
    net: Any, words: int, ranks: int, on_done: Callable[[], None], name: str = ""
) -> tuple[LoadedModel, Abilities]:
    """Probe a sharded model on all ranks at the same time.

    KV cache quantization is probed as well, because it takes all ranks.

    Args:
        words: only token ids below this are used.
    """
    result = run_to_end(probe.measure(net, words), on_done)
    info = Model("", name, "", 0, 0, "", result.modes.step, False)
    text = TextCodec(info, None, frozenset())
    model = LoadedModel(info, net, result, text, ranks=ranks, slots=result.slots())
    for bits in KV_BITS:
        with contextlib.suppress(EngineError):  # raised again when a chat uses this quantization
            quantized_caches(model, bits, words)
        on_done()
    return model, result


def plan_checksum(model: LoadedModel) -> int:
    """Return a 31-bit checksum with which ranks verify that they execute plans in the same way."""
    can = model.abilities.modes
    ways = (can.step, can.shares_prefix, can.mixes, model.abilities.token_by_token)
    slots = None if model.slots is None else type(model.slots.policy).__name__
    kinds = [type(cache).__name__ for cache in model.new_caches()]
    can_pack = [isinstance(model.quantized_caches.get(bits), QuantizedCaches) for bits in KV_BITS]
    return crc32(repr((ways, slots, kinds, can_pack)).encode()) & 0x7FFFFFFF
