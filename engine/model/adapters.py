"""Variants: a loaded model plus a LoRA or DoRA adapter, sharing the base model's weights.

A variant copies the module tree but not its arrays, so it only needs memory for the adapter.
mlx-lm's own functions wrap the layers, so the results equal those of `load(..., adapter_path=...)`.
"""

from __future__ import annotations

import contextlib
import hashlib
import types
from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from msgspec import Struct
from msgspec.structs import replace

from engine.errors import EngineError, is_out_of_memory
from engine.model import fingerprint, loader, packed_experts, packed_layers, plain_decoder
from engine.model.folder import load_refused
from engine.model.loaded_model import CheckedModel, LoadedModel
from engine.model.loader import Pieces
from engine.sandbox.folders import AdapterFacts

CONFIG_FILE, WEIGHTS_FILE = "adapter_config.json", "adapters.safetensors"
ADAPTER_ARRAYS = {"lora_a", "lora_b", "m"}  # parameter names used by mlx-lm


class Adapter(Struct, frozen=True):
    folder: Path
    identity: tuple[object, ...]  # changes when a file in the folder changes
    name: str
    facts: AdapterFacts
    contents: str  # hash of the file contents


def check_adapter(path: Path, name: str, facts: AdapterFacts) -> Adapter:
    """Return an adapter that the sandbox has checked, with a hash of its contents."""
    files = [path / CONFIG_FILE, path / WEIGHTS_FILE]
    try:
        identity = fingerprint.adapter_identity(path, files)
        contents = fingerprint.hash_adapter(*files)
    except (OSError, ValueError) as error:
        raise load_refused(f"{name} could not be loaded: {error}") from None
    # Import the module off the engine thread; `adapt` reports errors.
    with contextlib.suppress(Exception):
        import mlx_lm.tuner.utils  # noqa: F401
    return Adapter(path, identity, name, facts, contents)


def load(checked_model: CheckedModel, adapter: Adapter, wide: bool) -> Pieces:
    base = yield from loader.load(checked_model, wide)
    yield
    return (yield from adapt(base, adapter))


def adapt(base: LoadedModel, adapter: Adapter) -> Pieces:
    """Create a variant of a loaded model, piece by piece. Engine thread only."""
    checked, net = base.checked_model, copy_sharing_arrays(base.net)
    assert checked is not None  # only models on other ranks have no `checked_model`
    yield
    try:
        reloads = needs_own_weights(base, adapter.facts.kind)
        if reloads:
            net, _ = loader.load_net(
                checked.folder, lazy=True, seeing=checked.preprocessor is not None
            )
            if base.info.dtype == "float32":
                net.set_dtype(mx.float32)
        _change_layers(net, adapter)
        plain_decoder.uninstall_changed(net)
        yield
        added = _set_arrays(net, adapter, base.info.dtype)
        yield
        net.eval()
        yield
        yield from loader.read_weights(net)
        checked_model = replace(checked, name=f"{base.info.name} + {adapter.name}")
        adapted = yield from loader.finish_loading(net, checked_model, checked_model.config)
    except EngineError:
        raise
    except Exception as error:  # some models access weights that a wrapped layer hides
        if is_out_of_memory(error):
            raise
        raise _mismatch_error(base, adapter, error) from None
    both = f"{base.info.id} {adapter.contents}"
    info = replace(
        adapted.info,
        id=hashlib.sha256(both.encode()).hexdigest()[:32],
        nbytes=loader.memory_bytes(net) if reloads else added,
        dtype=base.info.dtype,
        context_length=base.info.context_length,
        adapter=str(adapter.folder.resolve()),
        base=base.info.id,
    )
    return replace(adapted, info=info, text=replace(adapted.text, info=info), base=base)


def needs_own_weights(base: LoadedModel, kind: str) -> bool:
    """Return True if a variant has to load its own weights, because the base model's are packed.

    DoRA reads the weights of a layer, and adapters modify the inside of expert layers.
    """
    packed = kind == "dora" and packed_layers.is_packed(base.net)
    return packed or packed_experts.is_packed(base.net)


def copy_sharing_arrays(net: Any) -> Any:
    return _copy(net, {})


def _copy(value: Any, copies: dict[int, Any]) -> Any:
    """Copy modules and their containers. `copies` maps the `id()` of an original to its copy."""
    if isinstance(value, nn.Module):
        if id(value) not in copies:
            kind: Any = type(value)
            copied = copies[id(value)] = kind.__new__(kind)
            dict.update(copied, {key: _copy(part, copies) for key, part in value.items()})
            vars(copied).update({key: _copy(part, copies) for key, part in vars(value).items()})
        return copies[id(value)]
    if type(value) is dict:
        return {key: _copy(part, copies) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copy(part, copies) for part in value)
    if type(value) is set:
        return set(value)
    if isinstance(value, types.MethodType):  # rebind the method to the copy
        return types.MethodType(value.__func__, _copy(value.__self__, copies))
    if type(value) is partial:
        parts = (_copy(part, copies) for part in value.args)
        kwargs = {key: _copy(part, copies) for key, part in value.keywords.items()}
        return partial(_copy(value.func, copies), *parts, **kwargs)
    return value


def _change_layers(net: Any, adapter: Adapter) -> None:
    from mlx_lm.tuner.utils import linear_to_lora_layers

    facts = adapter.facts
    parameters = dict(facts.parameters)
    linear_to_lora_layers(net, facts.layers, parameters, use_dora=facts.kind == "dora")


def _set_arrays(net: Any, adapter: Adapter, dtype: str) -> int:
    """Load an adapter's arrays into the wrapped layers, and return their bytes."""
    loaded: Any = mx.load(str(adapter.folder / WEIGHTS_FILE))
    arrays: dict[str, mx.array] = dict(loaded)
    expected = {
        key: array
        for key, array in tree_flatten(net.parameters())
        if key.rpartition(".")[2] in ADAPTER_ARRAYS
    }
    stranger = min(arrays.keys() - expected.keys(), default=None)
    if stranger is not None:
        raise load_refused(
            f"{adapter.name} was not made for this model: it has {stranger[:100]!r}, and no layer "
            "that it changes is called that. Choose the model that it was trained on."
        )
    missing = min(expected.keys() - arrays.keys(), default=None)
    if missing is not None:
        raise load_refused(
            f"{adapter.name} is incomplete or was not made for this model: {missing[:100]!r} is "
            "missing. Choose the model that it was trained on, or get the adapter again."
        )
    for key, array in arrays.items():
        if array.shape != expected[key].shape:
            raise load_refused(
                f"{adapter.name} was not made for this model: {key[:100]!r} has the shape "
                f"{list(array.shape)}, and the model's layer needs {list(expected[key].shape)}. "
                "Choose the model that it was trained on."
            )
    if dtype == "float32":  # converting once is faster than in each step, and lossless
        arrays = {key: array.astype(mx.float32) for key, array in arrays.items()}
    net.load_weights(list(arrays.items()), strict=False)
    return sum(array.nbytes for array in arrays.values())


def _mismatch_error(base: LoadedModel, adapter: Adapter, error: Exception) -> EngineError:
    text = str(error).strip().splitlines()
    first = text[0] if text else type(error).__name__
    words = f"{adapter.name} cannot be used with {base.info.name} ({first[:200].rstrip('.')})."
    return load_refused(f"{words} Choose the model it was trained on.")
