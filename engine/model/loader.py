"""Model loading: a worker checks the folder, then the engine thread loads it piece by piece."""

from __future__ import annotations

import contextlib
import itertools
import logging
import sys
import time
from collections.abc import Container, Generator
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from msgspec import Struct

from engine.errors import OUT_OF_MEMORY, EngineError, words_of
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
from engine.model.loaded_model import LoadedModel, TextCodec
from engine.model.probe import Ways
from engine.model.sliced_pass import batches, run_to_end
from engine.model.vision import ImagePreprocessor, VisionModel
from engine.text import recognition, rendering
from engine.text.known_tokenizer import KnownTokenizer

log = logging.getLogger(__name__)

Pieces = Generator[Any, None, LoadedModel]
"""Loading in progress. Each `next` does one piece of work; the model is the return value. It yields
the list of the model's arrays, so that a cancelled load can free them in pieces, then the loaded
share (0 to 1), otherwise None."""

BATCH_BYTES = 8 * 2**20  # bytes of weights per piece

MAX_NAMES = 4  # weights named in an error message

SLICE_S = 0.02  # seconds of reading per loop iteration


class Examined(Struct, frozen=True):
    """A model folder that was checked and can be loaded."""

    folder: Path
    identity: tuple[object, ...]  # equal for the same unchanged folder
    name: str
    config: dict[str, Any]
    nbytes: int  # of its weights on disk
    contents: str  # hash of the contents of its files
    tokenizer: Any  # mlx-lm's `TokenizerWrapper`, or `KnownTokenizer`
    largest_id: int | None = None  # of the tokenizer, or None if unknown
    preprocessor: ImagePreprocessor | None = (
        None  # image preprocessor; None for models without vision
    )


def examine(
    path: Path,
    name: str,
    config: dict[str, Any],
    nbytes: int,
    eos: list[int] | None,
    largest_id: int | None = None,
    tokenizer: KnownTokenizer | None = None,
) -> Examined:
    """Hash a folder's contents, and load its tokenizer unless given. Runs on a worker.

    Args:
        config: the checked config of the folder.
        nbytes: of its weights.
        eos: ids that end a turn, if the folder states them.

    Raises:
        EngineError: `model_load_failed` with the reason and what to do.
    """
    try:
        identity = fingerprint.identity(path)
        loaded = load_tokenizer(path, eos) if tokenizer is None else tokenizer
        ends = recognition.of(loaded).ends
        loaded.eos_token_ids = vocabulary.end_ids(loaded, eos or (), ends)
        contents = fingerprint.contents(path)
    except Exception as error:
        raise load_error(name, config, error) from None
    _import_module(config)
    if _has_kernels():
        kernels.load()  # build them here if necessary, not on the engine thread
    preprocessor = _load_preprocessor(path, config, loaded)
    return Examined(
        path, identity, name, config, nbytes, contents, loaded, largest_id, preprocessor
    )


def _load_preprocessor(
    path: Path, config: dict[str, Any], tokenizer: Any
) -> ImagePreprocessor | None:
    """Return a model's image preprocessor, or None for models without vision."""
    if not vlm.sees(config) or not vlm.has_tower(path):
        return None
    try:
        return towers.load_preprocessor(path, config, tokenizer)
    except Exception as error:  # from mlx-vlm, because of a file in the folder
        log.warning("%s is loaded for text alone: %s", path.name, words_of(error))
        return None


def load_tokenizer(path: Path, eos: list[int] | None) -> Any:
    """Load a folder's tokenizer with mlx-lm. For `eos`, see `examine`."""
    from mlx_lm.utils import load_tokenizer

    tokenizer = load_tokenizer(path, rendering.template_arguments(path), eos_token_ids=eos)
    rendering.settle_template(tokenizer)
    return tokenizer


def _import_module(config: dict[str, Any]) -> None:
    """Import the module of the model's architecture early, off the engine thread."""
    from mlx_lm.utils import _get_classes

    with contextlib.suppress(BaseException):  # `load` raises and reports it again
        if vlm.takes(config):
            vlm.package_of(config)
        else:
            _get_classes(dict(config))


def tokenizer_defaults(path: Path) -> dict[str, Any] | None:
    """Return mlx-lm's tokenizer settings for this folder's model type."""
    from mlx_lm.utils import _tokenizer_defaults

    try:
        defaults = _tokenizer_defaults(path)
    except Exception:  # from mlx-lm; loading reports the error
        return None
    return dict(defaults) if defaults else None


def load(examined: Examined, wide: bool, known: Ways | None = None) -> Pieces:
    """Load a model piece by piece, while chats continue. Engine thread only.

    Args:
        wide: compute in float32 regardless of the weights' type.
        known: results of an earlier probe; None to probe now.

    Raises:
        EngineError: `model_load_failed` or `out_of_memory`.
    """
    name, config = examined.name, examined.config
    try:
        net, config = load_net(examined.folder, lazy=True, seeing=examined.preprocessor is not None)
        if wide:
            net.set_dtype(mx.float32)
        share = yield from pack_weights(net, examined.folder)
        yield arrays(net)
        yield from read_weights(net, share)
        return (yield from complete(net, examined, config, known))
    except SystemExit:  # a module of mlx-lm raises this if an optional package is missing
        raise load_refused(
            f"{name} needs a package that is not installed: mlx-lm's module for the type "
            f"{config['model_type']!r} gave up."
        ) from None
    except EngineError:
        raise
    except Exception as error:
        raise load_error(name, config, error) from None


def complete(
    net: Any, examined: Examined, config: dict[str, Any], known: Ways | None = None
) -> Pieces:
    """Probe the abilities of a model whose weights have been read. Engine thread only."""
    can = yield from probe.measure(net, vocabulary.words(examined.tokenizer), known)
    return loaded(net, examined, config, can)


def loaded(
    net: Any, examined: Examined, config: dict[str, Any], can: probe.Abilities
) -> LoadedModel:
    """Assemble a loaded model.

    Raises:
        EngineError: `model_load_failed` if the tokenizer belongs to another model.
    """
    name, tokenizer, rows = examined.name, examined.tokenizer, can.rows
    if rows is not None and (examined.largest_id is None or examined.largest_id >= rows):
        vocabulary.check_tokenizer(rows, tokenizer, name)
    dtype, dialect = compute_dtype(net), recognition.of(tokenizer)
    preprocessor = examined.preprocessor
    if preprocessor is not None and preprocessor.kind.tower(net) is None:
        preprocessor = None  # loaded without its tower
    info = Model(
        id=fingerprint.fingerprint(examined.contents, dtype, vlm.version_of(net)),
        name=name,
        path=str(examined.folder.resolve()),
        context_length=folder.context_length(config, tokenizer),
        nbytes=weight_bytes(net),
        dtype=dtype,
        step=can.ways.step,
        exact=can.ways.exact,
        thinking=dialect.reasons,
        tool_format=dialect.tool_format,
        embeds=can.body is not None,
        dialect=dialect.row.name,
        efforts=tuple(dialect.switch.efforts),
        defaults=folder.defaults(examined.folder),
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
    return LoadedModel(info, net, can, text, examined, slots=can.slots(), vision=vision)


def load_net(path: Path, lazy: bool = False, seeing: bool = True) -> tuple[Any, dict[str, Any]]:
    """Load a bare model and its config with mlx-lm or mlx-vlm.

    Code in the folder is never run. Folders whose config has `model_file` are also rejected by the
    check before.

    Args:
        seeing: load the vision tower, if there is one.
    """
    from mlx_lm.utils import load_config, load_model

    config = dict(load_config(path))
    if not config.get("model_file") and vlm.takes(config, seeing):
        try:
            return vlm.load_net(path, config, lazy), config
        except Exception as error:
            if vlm.takes(config, seeing=False):
                raise
            log.warning("%s is loaded for text alone: %s", path.name, words_of(error))
    net, config = load_model(path, lazy=lazy, trust_remote_code=False)
    return net, dict(config)


def load_blocking(path: Path, wide: bool) -> LoadedModel:
    """Check and load a folder on the calling thread, for tools without an engine."""
    from mlx_lm.utils import load_config

    name = folder.display_name(path)
    config = folder.check(path, name)
    eos = load_config(path).get("eos_token_id")
    nbytes = sum(f.stat().st_size for f in path.glob("model*.safetensors"))
    ids = [eos] if isinstance(eos, int) else list(eos) if eos else None
    return run_to_end(load(examine(path, name, config, nbytes, ids), wide))


def _has_kernels() -> bool:
    return backend.current_device() == "cpu" and sys.platform == "linux"


def pack_weights(net: Any, folder: Path) -> Generator[float, None, float]:
    """Pack the quantized layers for the CPU kernels, which are faster on a Linux CPU.

    Yield the share of the weights packed so far, and return it.
    """
    if not _has_kernels() or not any("scales" in layer for layer in net.modules()):
        return 0.0
    library = kernels.load()
    if library is None:
        return 0.0
    began, done = time.perf_counter(), 0
    whole = max(1, weight_bytes(net))
    ways = (
        packed_experts.pack_experts(net, folder, library),
        packed_layers.pack_layers(net, library),
    )
    for nbytes in itertools.chain(*ways):
        done += nbytes
        if time.perf_counter() - began >= SLICE_S:
            yield done / whole
            began = time.perf_counter()
    yield done / whole
    plain_decoder.install(net, library)
    return done / whole


def read_weights(net: Any, before: float = 0.0) -> Generator[float, None, None]:
    """Evaluate the lazily loaded weights in batches, and yield the share that has been read.

    A batch that would exceed `SLICE_S`, at the rate of the previous one, waits for the next
    iteration. A large array gets an iteration of its own.

    Args:
        before: share that was already loaded.
    """
    whole = max(1, weight_bytes(net))
    read, pace = 0, 0.0
    began: float | None = None
    for batch in batches(arrays(net), BATCH_BYTES):
        nbytes = sum(array.nbytes for array in batch)
        now = time.perf_counter()
        if began is not None and now - began + pace * nbytes >= SLICE_S:
            yield min(1.0, max(before, read / whole))
            began, now = None, time.perf_counter()
        began = now if began is None else began
        mx.eval(batch)
        read += nbytes
        pace = (time.perf_counter() - now) / max(1, nbytes)
    yield 1.0


def load_error(name: str, config: dict[str, Any], error: Exception) -> EngineError:
    """Return the error for a model that could not be read."""
    text = str(error).strip().splitlines()
    first = text[0] if text else type(error).__name__
    if first.rstrip().endswith(":") and len(text) > 1:  # MLX lists the names of weights
        names = [line.strip(" ,.") for line in text[1:]]
        more = ", …" if len(names) > MAX_NAMES else ""
        first = f"{first.rstrip()} {', '.join(names[:MAX_NAMES])}{more}"
    if "not supported" in first and "odel type" in first:
        return load_refused(
            f"{name} is of the type {config['model_type']!r}, which this version does not "
            "know. A newer version of Stretto may."
        )
    if isinstance(error, MemoryError) or "allocate" in first.lower():
        return EngineError(OUT_OF_MEMORY, f"There is not enough memory to load {name}.")
    return load_refused(f"{name} could not be loaded: {first}")


def compute_dtype(net: Any) -> str:
    counts: dict[str, int] = {}
    for _, array in tree_flatten(net.parameters()):
        if mx.issubdtype(array.dtype, mx.floating):
            name = str(array.dtype).rsplit(".", 1)[-1]
            counts[name] = counts.get(name, 0) + array.size
    return max(counts, key=lambda n: counts[n]) if counts else "float32"


def arrays(net: Any) -> list[mx.array]:
    """Return all arrays of a model or module."""
    return [array for _, array in tree_flatten(net.parameters())]


def remove_arrays(net: Any, needed: Container[int]) -> list[mx.array]:
    """Remove and return the arrays of an unloaded model, except those whose ids are in `needed`.

    Remaining references to the model then hold no memory.
    """
    taken = []
    for module in net.modules():
        for name, value in list(module.items()):
            if isinstance(value, mx.array) and not name.startswith("_") and id(value) not in needed:
                taken.append(value)
                del module[name]
    return taken


def weight_bytes(net: Any) -> int:
    """Return the bytes of all arrays of a model or module."""
    return sum(array.nbytes for array in arrays(net))
