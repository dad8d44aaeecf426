"""The second source of architectures: mlx-vlm's models, where mlx-lm has no such type.

Only `mlx_vlm.models` and its loader are imported, and only when a model wants them. mlx-vlm's own
`__init__` imports a server and a trainer, so a bare module stands in its place. Its models are
given mlx-lm's caches and our attention before they are imported: slots, shared prefixes, mixed
steps and offload then work as with mlx-lm's models, and the probe finds out which of it a model can
take.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import logging
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import mlx.core as mx

from engine.model.folder import refuse
from engine.model.patches import mix_in
from engine.model.ragged import StateUpdates
from engine.model.towers import KINDS
from engine.sandbox.folders import read_header

log = logging.getLogger(__name__)

_NAME = "mlx_vlm"
_CACHES = (
    *("KVCache", "RotatingKVCache", "QuantizedKVCache", "ChunkedKVCache", "ConcatenateKVCache"),
    *("ArraysCache", "CacheList"),
)
_TYPE = re.compile(r"[a-z0-9_]{1,64}")
_TOWER = re.compile(r"visual|vision")
_lock = threading.Lock()


def takes(config: dict[str, Any], seeing: bool = True) -> bool:
    """Whether a model is taken from mlx-vlm: it has this type, and mlx-lm has not.

    Args:
        seeing: also where mlx-lm would leave out a tower that we can use.
    """
    kind = config.get("model_type")
    if not isinstance(kind, str) or (_in_mlx_lm(kind) and not (seeing and sees(config))):
        return False
    return model_type(config) is not None


def sees(config: dict[str, Any]) -> bool:
    """Whether a model's images are taken, if its weights have its tower."""
    return config.get("model_type") in KINDS and bool(config.get("vision_config")) and _there()


def has_tower(folder: Path) -> bool:
    """Whether a folder's weights have a tower; those that mlx-lm has converted have none."""
    files = folder.glob("*.safetensors")
    return any(_TOWER.search(name) for file in files for name in read_header(file)[0])


def model_type(config: dict[str, Any]) -> str | None:
    """What mlx-vlm calls a model's type; None where it has none such."""
    if not _there():
        return None
    kind = str(_utils().get_model_type(config))
    if not _TYPE.fullmatch(kind):
        return None  # it would be imported by that name
    return kind if importlib.util.find_spec(f"{_NAME}.models.{kind}") is not None else None


def package_of(config: dict[str, Any]) -> Any:
    """The module of a model's type; a worker imports it, so that the engine thread need not."""
    package = importlib.import_module(f"{_NAME}.models.{model_type(config)}")
    indexer: Any = sys.modules.get(f"{_NAME}.models.hy_v4.indexer")
    if indexer is not None:
        indexer._partition_scores = _partition_scores
    return package


def _partition_scores(top_k: int, masked: bool) -> Callable[..., mx.array]:
    """What Hy V4's tokens look at: the best by their scores, at the end.

    The model's own is compiled once for all shapes. From which place on the best stand counts from
    the end, and it would stay what it was for the first prompt.
    """

    def partition(q: mx.array, k: mx.array, weights: mx.array, mask: Any = None) -> mx.array:
        each = mx.maximum(q @ k.swapaxes(-1, -2), 0) * weights.swapaxes(-1, -2)[..., None]
        scores = each.sum(axis=1, keepdims=True)
        if masked:
            scores = mx.where(mask, scores, -float("inf"))
        return mx.argpartition(scores, kth=-top_k, axis=-1)

    return partition


def load_net(path: Path, config: dict[str, Any], lazy: bool) -> Any:
    """The model of a folder, to be called as mlx-lm's are.

    Raises:
        EngineError: it is no language model.
        Exception: whatever mlx-vlm's loader raises.
    """
    package = package_of(config)
    if not _speaks(getattr(package, "Model", None)):
        kind = config["model_type"]
        raise refuse(f"{path.name} is of the type {kind!r}, which is no language model.")
    net = _utils().load_model(path, lazy=lazy)
    as_language_model(net)
    return net


def _speaks(model: Any) -> bool:
    """Whether a class of models has a language model in it. None of it is made."""
    inits = [vars(kind).get("__init__") for kind in getattr(model, "__mro__", ())]
    codes = [getattr(init, "__code__", None) for init in inits]
    return any("language_model" in code.co_names for code in codes if code is not None)


def build(config: dict[str, Any]) -> Any:
    """A model of a config, with random weights, to be called as mlx-lm's are."""
    package = package_of(config)
    whole = {name: {} for name in ("text_config", "vision_config", "audio_config")} | config
    settings = package.ModelConfig.from_dict(whole)
    parts = ["text", "vision", "perceiver", "projector", "audio"]
    net = package.Model(_utils().update_module_configs(settings, package, whole, parts))
    as_language_model(net)
    return net


def as_language_model(net: Any) -> None:
    """Let a model of mlx-vlm be called, and make its caches, as mlx-lm's do."""
    kind = KINDS.get(getattr(net.config, "model_type", ""))
    if net.get("audio_tower") is not None and not (kind and kind.sound):
        net.audio_tower = net.embed_audio = None  # nobody is heard, and its weights are not read
    if getattr(net.language_model, "model_type", None) in ("ministral3", "mistral4"):
        mix_in(_ScaledByRow, net.language_model.layers)
    mix_in(AsLanguageModel, [net])


class _ScaledByRow:
    """Mixed in before the class of a layer whose queries are scaled by their positions.

    The model's own takes the first row's for all of them.
    """

    def __call__(self, x: mx.array, scale: mx.array, mask: Any = None, cache: Any = None) -> Any:
        if cache is not None and _is_array(cache.offset):
            from mlx_lm.models.ministral3 import _get_llama_4_attn_scale

            layer: Any = self
            owner = layer if hasattr(layer, "config") else layer.self_attn
            rope = owner.config.rope_parameters
            scale = _get_llama_4_attn_scale(
                x.shape[1],
                cache.offset,
                rope["llama_4_scaling_beta"],
                rope["original_max_position_embeddings"],
            ).astype(x.dtype)
        return super().__call__(x, scale, mask, cache=cache)  # type: ignore[misc]


class AsLanguageModel:
    """Mixed in before the class of a model of mlx-vlm."""

    language_model: Any

    def __call__(self, ids: mx.array, cache: Any = None, **given: Any) -> mx.array:
        language = self.language_model
        if hasattr(language, "_rope_deltas"):
            # Positions are a row's own. What the model keeps of them would be another chat's.
            language._rope_deltas = language._position_ids = None
            given.setdefault("position_ids", _positions(cache, ids.shape))
        out = language(ids, cache=cache, **given)
        logits: mx.array = getattr(out, "logits", out)
        return logits

    @property
    def layers(self) -> Any:
        return self.language_model.layers

    def make_cache(self) -> Any:
        from mlx_lm.models.cache import make_prompt_cache

        return make_prompt_cache(self.language_model)


def _positions(caches: Sequence[Any] | None, shape: Sequence[int]) -> mx.array:
    """Where the tokens of a pass stand, as rows of three axes that are the same for text."""
    offset, (rows, tokens) = _offset(caches), shape
    places = mx.arange(tokens)[None] + (offset[:, None] if _is_array(offset) else offset)
    return mx.broadcast_to(places[None], (3, rows, tokens))


def _offset(caches: Sequence[Any] | None) -> Any:
    """How many tokens the caches hold; of several rows an array."""
    for cache in caches or ():
        for part in (cache, *getattr(cache, "caches", ())):
            if hasattr(part, "update_and_fetch"):
                return part.offset
    return 0


def _is_array(value: Any) -> bool:
    return isinstance(value, mx.array) and value.ndim > 0


# ---------------------------------------------------------------- how it is imported


def _in_mlx_lm(kind: str) -> bool:
    from mlx_lm.utils import MODEL_REMAPPING

    kind = MODEL_REMAPPING.get(kind, kind)
    try:
        return importlib.util.find_spec(f"mlx_lm.models.{kind}") is not None
    except (ImportError, ValueError):
        return False


def _there() -> bool:
    return _NAME in sys.modules or importlib.util.find_spec(_NAME) is not None


def version_of(net: Any) -> str:
    """mlx-vlm's version, where a model is from there; else empty."""
    return metadata.version("mlx-vlm") if isinstance(net, AsLanguageModel) else ""


def architectures() -> list[str]:
    """All types that mlx-vlm has a module for, be they language models or not."""
    import pkgutil

    if not _there():
        return []
    _utils()
    places = importlib.import_module(f"{_NAME}.models").__path__
    return sorted(m.name for m in pkgutil.iter_modules(places) if m.ispkg)


def language_models() -> list[str]:
    """The types of language models that mlx-lm lacks; with those that cannot be imported."""
    found = []
    for name in architectures():
        if not _in_mlx_lm(name):
            try:
                package: Any = importlib.import_module(f"{_NAME}.models.{name}")
            except Exception as error:
                log.debug("%s: %s", name, error)
                found.append(name)
            else:
                found += [name] if _speaks(getattr(package, "Model", None)) else []
    return found


def _utils() -> Any:
    """mlx-vlm's loader, imported as this module says."""
    with _lock:
        if f"{_NAME}.utils" not in sys.modules:
            _import()
    return sys.modules[f"{_NAME}.utils"]


def _import() -> None:
    spec = importlib.util.find_spec(_NAME)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("mlx-vlm is not installed")
    bare = ModuleType(_NAME)
    bare.__path__ = list(spec.submodule_search_locations)
    bare.__spec__ = importlib.machinery.ModuleSpec(_NAME, None, is_package=True)
    sys.modules[_NAME] = bare
    try:
        _give_caches()
        _give_attention()
        with _stand_ins():
            utils: Any = importlib.import_module(f"{_NAME}.utils")
    except BaseException:
        for name in [n for n in sys.modules if n.partition(".")[0] == _NAME]:
            del sys.modules[name]
        raise
    utils._load_safetensors = mx.load  # its own writes into the folder's files


def _give_caches() -> None:
    """Let its models keep mlx-lm's caches."""
    theirs = importlib.import_module(f"{_NAME}.models.cache")
    ours = importlib.import_module("mlx_lm.models.cache")
    for name in _CACHES:
        if hasattr(theirs, name) and hasattr(ours, name):
            setattr(theirs, name, getattr(ours, name))
    for name in ("update_recurrent", "update_window"):
        if not hasattr(ours.ArraysCache, name):
            setattr(ours.ArraysCache, name, getattr(StateUpdates, name))


def _give_attention() -> None:
    """Let its models attend as mlx-lm's do: by our function, where that patch is on."""
    theirs: Any = importlib.import_module(f"{_NAME}.models.base")
    ours: Any = importlib.import_module("mlx_lm.models.base")
    theirs.scaled_dot_product_attention = ours.scaled_dot_product_attention
    own_length = theirs.kv_sequence_length
    theirs.kv_sequence_length = lambda keys: (
        own_length(keys) if isinstance(keys, (mx.array, tuple, list)) else sys.maxsize
    )
    theirs.cache_position_offset = _known_offset
    # It would let a folder's own code run, in whatever else uses transformers.
    theirs.install_auto_processor_patch = lambda *_, **__: None


def _known_offset(cache: Any) -> int:
    """A cache's length, where it is known without waiting for the device."""
    offset = getattr(cache, "offset", 0)
    return offset if isinstance(offset, int) else 0


_UNUSED: dict[str, tuple[str, ...]] = {
    "requests": (),
    f"{_NAME}.trainer": (),
    f"{_NAME}.trainer.peft": (),
    f"{_NAME}.trainer.peft.utils": ("apply_lora_layers",),
}
"""What mlx-vlm's loader imports and does not use here, with the names that it takes of it."""


@contextlib.contextmanager
def _stand_ins() -> Iterator[None]:
    """Have bare modules in the place of what is not used, for as long as this lasts."""
    made = [name for name in _UNUSED if name not in sys.modules]
    for name in made:
        sys.modules[name] = bare = ModuleType(name)
        vars(bare).update(dict.fromkeys(_UNUSED[name]))
    try:
        yield
    finally:
        for name in made:
            del sys.modules[name]
