"""Model loading: a worker checks the folder, and the engine thread loads it in pieces."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Container, Generator, Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.errors import OUT_OF_MEMORY, EngineError, describe_error
from engine.kernels import library as kernels
from engine.model import (
    backend,
    fingerprint,
    folder,
    packed_experts,
    packed_layers,
    plain_decoder,
    probe,
    towers,
    vlm,
    vocabulary,
)
from engine.model.folder import load_refused
from engine.model.info import Model
from engine.model.loaded_model import CheckedModel, LoadedModel, TextCodec
from engine.model.packed_experts import PackedSwitch
from engine.model.packed_layers import PackedEmbedding, PackedLinear
from engine.model.probe import SharingModes
from engine.model.sliced_pass import run_to_end
from engine.model.vision import ImagePreprocessor, VisionModel
from engine.text import recognition, rendering
from engine.text.known_tokenizer import KnownTokenizer

log = logging.getLogger(__name__)

Pieces = Generator[Any, None, LoadedModel]
"""Generator that loads a model and returns it. Each `next` does a small amount of work. The
generator yields the list of the model's arrays once (so that a cancelled load can free them), the
fraction loaded so far, or None.
"""

MAX_NAMES = 4  # number of weights listed in an error message

SLICE_S = 0.02  # reading time in seconds per iteration of the engine loop


def check_model(
    path: Path,
    name: str,
    config: dict[str, Any],
    nbytes: int,
    eos: list[int] | None,
    largest_id: int | None = None,
    tokenizer: KnownTokenizer | None = None,
    hashed: str = "",
) -> CheckedModel:
    """Hash a folder's contents and load its tokenizer.

    Args:
        eos: EOS token ids from the folder, or None if they aren't set.
        tokenizer: tokenizer to use instead of loading it.
        hashed: result of `hash_folder`, if it is known.
    """
    try:
        identity = fingerprint.folder_identity(path)
        loaded = load_tokenizer(path, eos) if tokenizer is None else tokenizer
        ends = recognition.of(loaded).ends
        loaded.eos_token_ids = vocabulary.collect_end_ids(loaded, eos or (), ends)
    except Exception as error:
        raise load_error(name, config, error) from None
    hashed = hashed or hash_folder(path, name, config)
    _import_module(config)
    if _has_kernels():
        kernels.load()  # may have to build the kernels, so don't call this on the engine thread
    preprocessor = _load_preprocessor(path, config, loaded)
    return CheckedModel(
        path, identity, name, config, nbytes, hashed, loaded, largest_id, preprocessor
    )


def hash_folder(path: Path, name: str, config: dict[str, Any]) -> str:
    """Hash a folder's contents. See `fingerprint.hash_contents`.

    Raises:
        EngineError: `model_load_failed`.
    """
    try:
        return fingerprint.hash_contents(path)
    except Exception as error:
        raise load_error(name, config, error) from None


def _load_preprocessor(
    path: Path, config: dict[str, Any], tokenizer: Any
) -> ImagePreprocessor | None:
    if not vlm.has_vision(config) or not vlm.has_tower(path):
        return None
    try:
        return towers.load_preprocessor(path, config, tokenizer)
    except Exception as error:  # mlx-vlm may raise any exception for an invalid file in the folder
        log.warning("%s loaded without images: %s", path.name, describe_error(error))
        return None


def load_tokenizer(path: Path, eos: list[int] | None) -> Any:
    """Load a folder's tokenizer with mlx-lm. See `check_model` for `eos`."""
    from mlx_lm.utils import load_tokenizer

    tokenizer = load_tokenizer(path, rendering.template_arguments(path), eos_token_ids=eos)
    rendering.add_default_template(tokenizer)
    return tokenizer


def _import_module(config: dict[str, Any]) -> None:
    from mlx_lm.utils import _get_classes

    with contextlib.suppress(BaseException):  # `load` will run into the same error and report it
        if vlm.should_load(config):
            vlm.import_package(config)
        else:
            _get_classes(dict(config))


def tokenizer_defaults(path: Path) -> dict[str, Any] | None:
    from mlx_lm.utils import _tokenizer_defaults

    try:
        defaults = _tokenizer_defaults(path)
    except Exception:  # loading will report the error
        return None
    return dict(defaults) if defaults else None


def load(
    checked_model: CheckedModel, wide: bool, known_modes: SharingModes | None = None
) -> Pieces:
    """Load a model in small pieces, so that chats can continue.

    Args:
        wide: convert the weights to float32, whatever their dtype.
        known_modes: results of an earlier probe; None to probe the model now.

    Raises:
        EngineError: `model_load_failed` or `out_of_memory`.
    """
    name, config = checked_model.name, checked_model.config
    try:
        net, config = load_net(
            checked_model.folder, lazy=True, seeing=checked_model.preprocessor is not None
        )
        share = yield from pack_weights(net, checked_model.folder, wide)
        yield parameter_arrays(net)
        yield from read_weights(net, share)
        return (yield from finish_loading(net, checked_model, config, known_modes))
    except SystemExit:  # raised by an mlx-lm module if an optional package is missing
        raise load_refused(
            f"{name} needs a package that is not installed: mlx-lm's module for the type "
            f"{config['model_type']!r} cannot be imported."
        ) from None
    except EngineError:
        raise
    except Exception as error:
        raise load_error(name, config, error) from None


def finish_loading(
    net: Any,
    checked_model: CheckedModel,
    config: dict[str, Any],
    known_modes: SharingModes | None = None,
) -> Pieces:
    can = yield from probe.measure(net, len(checked_model.tokenizer), known_modes)
    return assemble_model(net, checked_model, config, can)


def assemble_model(
    net: Any, checked_model: CheckedModel, config: dict[str, Any], can: probe.Abilities
) -> LoadedModel:
    """Return a `LoadedModel`.

    Raises:
        EngineError: `model_load_failed` if the tokenizer doesn't match the model.
    """
    name, tokenizer, rows = checked_model.name, checked_model.tokenizer, can.rows
    if rows is not None and (checked_model.largest_id is None or checked_model.largest_id >= rows):
        vocabulary.check_tokenizer(rows, tokenizer, name)
    dtype, dialect = compute_dtype(net), recognition.of(tokenizer)
    preprocessor = checked_model.preprocessor
    if preprocessor is not None and preprocessor.kind.tower(net) is None:
        preprocessor = None  # the vision tower wasn't loaded
    info = Model(
        id=fingerprint.fingerprint(checked_model.contents, dtype, vlm.version_of(net)),
        name=name,
        path=str(checked_model.folder.resolve()),
        context_length=folder.context_length(config, tokenizer),
        nbytes=memory_bytes(net),
        dtype=dtype,
        step=can.modes.step,
        exact=can.modes.exact,
        thinking=dialect.reasons,
        tool_format=dialect.tool_format,
        embeds=can.body is not None,
        dialect=dialect.row.name,
        efforts=tuple(dialect.switch.efforts),
        defaults=folder.sampling_defaults(checked_model.folder),
        sees=preprocessor is not None,
        hears=preprocessor is not None and bool(preprocessor.kind.sound),
    )
    text = TextCodec(
        info, tokenizer, frozenset(tokenizer.eos_token_ids), rows, preprocessor=preprocessor
    )
    vision = (
        VisionModel(net, preprocessor.kind, preprocessor.placeholder)
        if preprocessor is not None
        else None
    )
    decoder = plain_decoder.full_decoder(net) if vision is None else None
    return LoadedModel(
        info, net, can, text, checked_model, decoder=decoder, slots=can.slots(), vision=vision
    )


def load_net(path: Path, lazy: bool = False, seeing: bool = True) -> tuple[Any, dict[str, Any]]:
    """Load the network and its config with mlx-lm or mlx-vlm.

    Code in the folder is never run.
    """
    from mlx_lm.utils import load_config, load_model

    config = dict(load_config(path))
    if not config.get("model_file") and vlm.should_load(config, seeing):
        try:
            return vlm.load_net(path, config, lazy), config
        except Exception as error:
            if vlm.should_load(config, seeing=False):
                raise
            log.warning("%s loaded without images: %s", path.name, describe_error(error))
    net, config = load_model(path, lazy=lazy, trust_remote_code=False)
    return net, dict(config)


def load_blocking(path: Path, wide: bool) -> LoadedModel:
    """Check and load a folder on the calling thread, for tools without an engine."""
    from mlx_lm.utils import load_config

    name = folder.display_name(path)
    config = folder.check_folder(path, name)
    eos = load_config(path).get("eos_token_id")
    nbytes = sum(f.stat().st_size for f in path.glob("model*.safetensors"))
    ids = [eos] if isinstance(eos, int) else list(eos) if eos else None
    return run_to_end(load(check_model(path, name, config, nbytes, ids), wide))


def _has_kernels() -> bool:
    return backend.current_device() == "cpu" and sys.platform == "linux"


def pack_weights(net: Any, folder: Path, wide: bool = False) -> Generator[float, None, float]:
    """Repack quantized layers for the CPU kernels, on Linux.

    Yields the fraction of the weights packed so far, and returns the final fraction.

    Args:
        wide: convert all other weights to float32.
    """
    library = None
    if _has_kernels() and any("scales" in layer for layer in net.modules()):
        library = kernels.load()
    if library is None:
        if wide:
            net.set_dtype(mx.float32)
        return 0.0
    started_at, packed_bytes = time.perf_counter(), 0
    total = max(1, weight_bytes(net))
    for nbytes in _pack(net, folder, library, wide):
        packed_bytes += nbytes
        if time.perf_counter() - started_at >= SLICE_S:
            yield packed_bytes / total
            started_at = time.perf_counter()
    yield packed_bytes / total
    plain_decoder.install(net, library)
    return packed_bytes / total


def _pack(net: Any, folder: Path, library: kernels.Library, wide: bool) -> Iterator[int]:
    # Pack before the conversion, since the kernels store scales in 16 bits.
    yield from packed_layers.pack_layers(net, library, wide)
    if wide:
        net.set_dtype(mx.float32)
    yield from packed_experts.pack_experts(net, folder, library)


def read_weights(net: Any, before: float = 0.0) -> Generator[float, None, None]:
    """Evaluate lazily loaded weights one by one. Yield the fraction read so far."""
    total, read = max(1, weight_bytes(net)), 0
    started_at = time.perf_counter()
    for array in parameter_arrays(net):
        mx.eval([array])
        read += array.nbytes
        if time.perf_counter() - started_at >= SLICE_S:
            yield min(1.0, max(before, read / total))
            started_at = time.perf_counter()
    yield 1.0


def load_error(name: str, config: dict[str, Any], error: Exception) -> EngineError:
    text = str(error).strip().splitlines()
    first = text[0] if text else type(error).__name__
    if first.rstrip().endswith(":") and len(text) > 1:  # MLX lists weights, one per line
        names = [line.strip(" ,.") for line in text[1:]]
        suffix = ", …" if len(names) > MAX_NAMES else ""
        first = f"{first.rstrip()} {', '.join(names[:MAX_NAMES])}{suffix}"
    if "not supported" in first and "odel type" in first:
        return load_refused(
            f"{name} has type {config['model_type']!r}, which this version does not support. A "
            "newer version of Stretto may."
        )
    if isinstance(error, MemoryError) or "allocate" in first.lower():
        return EngineError(
            OUT_OF_MEMORY,
            f"Not enough memory to load {name}. Unload another model or choose a smaller one.",
        )
    return load_refused(f"{name} could not be loaded: {first}")


def compute_dtype(net: Any) -> str:
    counts: dict[str, int] = {}
    for _, array in tree_flatten(net.parameters()):
        if mx.issubdtype(array.dtype, mx.floating):
            name = str(array.dtype).rsplit(".", 1)[-1]
            counts[name] = counts.get(name, 0) + array.size
    return max(counts, key=lambda n: counts[n]) if counts else "float32"


def parameter_arrays(net: Any) -> list[mx.array]:
    return [array for _, array in tree_flatten(net.parameters())]


def remove_arrays(net: Any, needed: Container[int]) -> list[mx.array]:
    """Remove and return the arrays of a model, except for arrays whose `id()` is in `needed`.

    Other references to an unloaded model then don't keep its weights alive.
    """
    arrays = []
    for module in net.modules():
        for name, value in list(module.items()):
            if isinstance(value, mx.array) and not name.startswith("_") and id(value) not in needed:
                arrays.append(value)
                del module[name]
    return arrays


def weight_bytes(net: Any) -> int:
    return sum(array.nbytes for array in parameter_arrays(net))


def memory_bytes(net: Any) -> int:
    """Return the bytes of a model's weights in memory. Packed matrices have other sizes on disk."""
    sizes = {id(array): array.nbytes for array in parameter_arrays(net)}
    for module in net.modules():
        if isinstance(module, (PackedLinear, PackedEmbedding)):
            replaced = packed_layers.placeholders(module)
            sizes[id(module.matrix)] = module.matrix.nbytes
        elif isinstance(module, PackedSwitch):
            replaced = module.placeholders
            sizes[id(module.experts)] = module.experts.nbytes
        else:
            continue
        for array in replaced:
            sizes.pop(id(array), None)
    return sum(sizes.values())
