"""Support for mlx-vlm's models, for architectures that mlx-lm doesn't have.

Only `mlx_vlm.models` and its loader are imported, on first use. mlx-vlm's `__init__` would import
a server and a trainer, so an empty module replaces it. Before any model is imported, mlx-lm's
caches and the engine's attention are installed, so that slots, shared prefixes, mixed steps and
offloading work as for mlx-lm's models.
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

from engine.model.folder import load_refused
from engine.model.patches import mix_in
from engine.model.ragged import StateUpdates
from engine.model.towers import FAMILIES
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


def should_load(config: dict[str, Any], seeing: bool = True) -> bool:
    """Return True if a model should be loaded with mlx-vlm instead of mlx-lm.

    Args:
        seeing: also prefer mlx-vlm if mlx-lm would drop a supported vision tower.
    """
    kind = config.get("model_type")
    if not isinstance(kind, str) or (_in_mlx_lm(kind) and not (seeing and has_vision(config))):
        return False
    return model_type(config) is not None


def has_vision(config: dict[str, Any]) -> bool:
    """Return True if images are supported for a model whose weights include the tower."""
    return (
        config.get("model_type") in FAMILIES
        and bool(config.get("vision_config"))
        and _is_installed()
    )


def has_tower(folder: Path) -> bool:
    """Return True if a folder's weights include a vision tower. mlx-lm's conversions drop it."""
    files = folder.glob("*.safetensors")
    return any(_TOWER.search(name) for file in files for name in read_header(file)[0])


def model_type(config: dict[str, Any]) -> str | None:
    """Return mlx-vlm's name for a model's type, or None if mlx-vlm doesn't support it."""
    if not _is_installed():
        return None
    kind = str(_loader_module().get_model_type(config))
    if not _TYPE.fullmatch(kind):
        return None  # avoid importing arbitrary names
    return kind if importlib.util.find_spec(f"{_NAME}.models.{kind}") is not None else None


def import_package(config: dict[str, Any]) -> Any:
    """Import the module for a model's type. This is slow, so a worker thread calls it first."""
    package = importlib.import_module(f"{_NAME}.models.{model_type(config)}")
    indexer: Any = sys.modules.get(f"{_NAME}.models.hy_v4.indexer")
    if indexer is not None:
        indexer._partition_scores = _partition_scores
    return package


def _partition_scores(top_k: int, masked: bool) -> Callable[..., mx.array]:
    """Return a replacement for Hy V4's selection of the best positions. They are put last.

    The original is compiled once for all shapes, but counts the partition index from the start. All
    prompts would therefore use the index of the first prompt.
    """

    def partition(q: mx.array, k: mx.array, weights: mx.array, mask: Any = None) -> mx.array:
        per_head = mx.maximum(q @ k.swapaxes(-1, -2), 0) * weights.swapaxes(-1, -2)[..., None]
        scores = per_head.sum(axis=1, keepdims=True)
        if masked:
            scores = mx.where(mask, scores, -float("inf"))
        return mx.argpartition(scores, kth=-top_k, axis=-1)

    return partition


def load_net(path: Path, config: dict[str, Any], lazy: bool) -> Any:
    """Load a folder's model with mlx-lm's calling convention.

    Raises:
        EngineError: if it isn't a language model.
        Exception: from mlx-vlm's loader.
    """
    package = import_package(config)
    if not _has_language_model(getattr(package, "Model", None)):
        kind = config["model_type"]
        raise load_refused(f"{path.name} has type {kind!r}, which is not a language model.")
    net = _loader_module().load_model(path, lazy=lazy)
    as_language_model(net)
    return net


def _has_language_model(model: Any) -> bool:
    inits = [vars(kind).get("__init__") for kind in getattr(model, "__mro__", ())]
    codes = [getattr(init, "__code__", None) for init in inits]
    return any("language_model" in code.co_names for code in codes if code is not None)


def build(config: dict[str, Any]) -> Any:
    """Return a model with random weights and mlx-lm's calling convention."""
    package = import_package(config)
    values = {name: {} for name in ("text_config", "vision_config", "audio_config")} | config
    settings = package.ModelConfig.from_dict(values)
    parts = ["text", "vision", "perceiver", "projector", "audio"]
    net = package.Model(_loader_module().update_module_configs(settings, package, values, parts))
    as_language_model(net)
    return net


def as_language_model(net: Any) -> None:
    kind = FAMILIES.get(getattr(net.config, "model_type", ""))
    if net.get("audio_tower") is not None and not (kind and kind.sound):
        net.audio_tower = net.embed_audio = None  # audio isn't supported, so skip these weights
    if getattr(net.language_model, "model_type", None) in ("ministral3", "mistral4"):
        mix_in(_ScaledByRow, net.language_model.layers)
    mix_in(AsLanguageModel, [net])


class _ScaledByRow:
    """Mixin for layers that scale queries by position.

    The original uses the position of the first row for all rows.
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
    """Mixin that gives an mlx-vlm model mlx-lm's interface."""

    language_model: Any

    def __call__(self, ids: mx.array, cache: Any = None, **arguments: Any) -> mx.array:
        language = self.language_model
        if hasattr(language, "_rope_deltas"):
            # Pass positions explicitly, because the model would reuse positions from another chat.
            language._rope_deltas = language._position_ids = None
            arguments.setdefault("position_ids", _positions(cache, ids.shape))
        out = language(ids, cache=cache, **arguments)
        logits: mx.array = getattr(out, "logits", out)
        return logits

    @property
    def layers(self) -> Any:
        return self.language_model.layers

    def make_cache(self) -> Any:
        from mlx_lm.models.cache import make_prompt_cache

        return make_prompt_cache(self.language_model)


def _positions(caches: Sequence[Any] | None, shape: Sequence[int]) -> mx.array:
    offset, (rows, tokens) = _offset(caches), shape
    places = mx.arange(tokens)[None] + (offset[:, None] if _is_array(offset) else offset)
    return mx.broadcast_to(places[None], (3, rows, tokens))


def _offset(caches: Sequence[Any] | None) -> Any:
    for cache in caches or ():
        for part in (cache, *getattr(cache, "caches", ())):
            if hasattr(part, "update_and_fetch"):
                return part.offset
    return 0


def _is_array(value: Any) -> bool:
    return isinstance(value, mx.array) and value.ndim > 0


# ---------------------------------------------------------------- importing mlx-vlm


def _in_mlx_lm(kind: str) -> bool:
    from mlx_lm.utils import MODEL_REMAPPING

    kind = MODEL_REMAPPING.get(kind, kind)
    try:
        return importlib.util.find_spec(f"mlx_lm.models.{kind}") is not None
    except (ImportError, ValueError):
        return False


def _is_installed() -> bool:
    return _NAME in sys.modules or importlib.util.find_spec(_NAME) is not None


def version_of(net: Any) -> str:
    """Return mlx-vlm's version if it implements the model, else ""."""
    return metadata.version("mlx-vlm") if isinstance(net, AsLanguageModel) else ""


def architectures() -> list[str]:
    """Return all model types in mlx-vlm, including those that aren't language models."""
    import pkgutil

    if not _is_installed():
        return []
    _loader_module()
    places = importlib.import_module(f"{_NAME}.models").__path__
    return sorted(m.name for m in pkgutil.iter_modules(places) if m.ispkg)


def language_models() -> list[str]:
    """Return mlx-vlm's language models that aren't in mlx-lm, including any that fail to import."""
    names = []
    for name in architectures():
        if not _in_mlx_lm(name):
            try:
                package: Any = importlib.import_module(f"{_NAME}.models.{name}")
            except Exception as error:
                log.debug("%s: %s", name, error)
                names.append(name)
            else:
                names += [name] if _has_language_model(getattr(package, "Model", None)) else []
    return names


def _loader_module() -> Any:
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
        _replace_caches()
        _replace_attention()
        with _stubbed_modules():
            utils: Any = importlib.import_module(f"{_NAME}.utils")
    except BaseException:
        for name in [n for n in sys.modules if n.partition(".")[0] == _NAME]:
            del sys.modules[name]
        raise
    utils._load_safetensors = mx.load  # the original function modifies the model files


def _replace_caches() -> None:
    vlm_module = importlib.import_module(f"{_NAME}.models.cache")
    lm_module = importlib.import_module("mlx_lm.models.cache")
    for name in _CACHES:
        if hasattr(vlm_module, name) and hasattr(lm_module, name):
            setattr(vlm_module, name, getattr(lm_module, name))
    for name in ("update_recurrent", "update_window"):
        if not hasattr(lm_module.ArraysCache, name):
            setattr(lm_module.ArraysCache, name, getattr(StateUpdates, name))


def _replace_attention() -> None:
    """Replace mlx-vlm's attention with mlx-lm's, which is patched."""
    vlm_module: Any = importlib.import_module(f"{_NAME}.models.base")
    lm_module: Any = importlib.import_module("mlx_lm.models.base")
    vlm_module.scaled_dot_product_attention = lm_module.scaled_dot_product_attention
    own_length = vlm_module.kv_sequence_length
    vlm_module.kv_sequence_length = lambda keys: (
        own_length(keys) if isinstance(keys, (mx.array, tuple, list)) else sys.maxsize
    )
    vlm_module.cache_position_offset = _known_offset
    # This patch would run code from model folders whenever transformers is used.
    vlm_module.install_auto_processor_patch = lambda *_, **__: None


def _known_offset(cache: Any) -> int:
    """Return a cache's length if it's available without waiting for the device, else 0."""
    offset = getattr(cache, "offset", 0)
    return offset if isinstance(offset, int) else 0


_STUBBED: dict[str, tuple[str, ...]] = {
    "requests": (),
    f"{_NAME}.trainer": (),
    f"{_NAME}.trainer.peft": (),
    f"{_NAME}.trainer.peft.utils": ("apply_lora_layers",),
}
"""Modules that mlx-vlm's loader imports but doesn't need, and the names imported from them."""


@contextlib.contextmanager
def _stubbed_modules() -> Iterator[None]:
    stubs = [name for name in _STUBBED if name not in sys.modules]
    for name in stubs:
        sys.modules[name] = bare = ModuleType(name)
        vars(bare).update(dict.fromkeys(_STUBBED[name]))
    try:
        yield
    finally:
        for name in stubs:
            del sys.modules[name]
