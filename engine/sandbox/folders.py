"""Checks of model and adapter folders, run in a child before anything is loaded.

Only regular files are opened, without blocking, and sizes, counts and nesting are limited. MLX
trusts safetensors headers, so their consistency with the file size is checked.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from engine.cache.config_shape import text_configs
from engine.sandbox.protocol import RefusedError
from engine.text.rendering import TEMPLATE_FOLDER

_MB = 2**20
_INDEX = "model.safetensors.index.json"
_TOKENIZERS = {"tokenizer.json", "tokenizer.model", "tiktoken.model", "vocab.json"}
# Size limits by file name suffix. The largest files known are a tokenizer.json with 35 MB, an index
# with 10 MB and a header with 2 MB.
_MAX_FILE_BYTES = {
    "tokenizer.json": 256 * _MB,
    _INDEX: 64 * _MB,
    ".json": 16 * _MB,
    ".jinja": _MB,
    ".txt": 64 * _MB,
    ".tiktoken": 64 * _MB,
    ".model": 64 * _MB,
}
_MAX_FILES = 10_000
_MAX_CONFIG_BYTES = 4 * _MB
_MAX_DEPTH = 64
_MAX_LAYERS = 2_000  # the deepest known model has 126
_MIN_CHECKED_LAYERS = 200  # fewer layers load quickly, even if there are no weights for them
_MAX_EXPERTS = 16_384
_LAYERS = re.compile(r"(^|_)(n_?|num_?)?(layers?|blocks)$|^depth$")
_EXPERTS = re.compile(r"(^|_)experts$")
_EMBEDDING = re.compile(r"(^|\.)(embed_tokens|wte|tok_embeddings|word_embeddings)\.weight$")

_MAX_HEADER_BYTES = 100 * _MB  # safetensors' own limit
_MAX_TENSORS = 1_000_000
DTYPE_BITS = {
    **dict.fromkeys(("F4",), 4),
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
}
"""Bits per value for each safetensors type."""

# Adapters use mlx-lm's layout (`mlx_lm.tuner.utils.load_adapters`).
ADAPTER_CONFIG, ADAPTER_WEIGHTS = "adapter_config.json", "adapters.safetensors"
_MAX_ADAPTER_CONFIG_BYTES = _MB
_MAX_ADAPTER_TENSORS = 100_000
_MAX_KEYS = 10_000
_MAX_KEY_CHARACTERS = 500
_MAX_RANK = 16_384
ADAPTERS = {"lora": "LoRA", "dora": "DoRA"}
_ADAPTER_ARRAYS = {"lora": {"lora_a", "lora_b"}, "dora": {"lora_a", "lora_b", "m"}}
_ADAPTER_TYPES = ("F32", "F16", "BF16")


class ModelFacts(Struct, frozen=True):
    """Checked contents of a model folder.

    Attributes:
        rows: rows of the embedding, or None if unknown.
        wide: bytes the weights would take if floating-point values were float32, and quantized
            values had the 4 or 8 bits that the CPU kernels support.
    """

    config: dict[str, Any]
    generation: dict[str, Any]
    files: list[str]
    size: int
    rows: int | None
    wide: int = 0


class AdapterFacts(Struct, frozen=True):
    """Checked contents of an adapter folder.

    Attributes:
        kind: "lora" or "dora".
        layers: number of layers it changes, counted from the end. All layers if not positive.
        parameters: "rank", "scale", "dropout" and "keys", as passed to mlx-lm.
        wide: bytes the weights would take in float32.
        rebuilt: number of values in the largest layer that DoRA recomputes in every pass. 0 for
            LoRA.
    """

    kind: str
    layers: int
    parameters: dict[str, Any]
    size: int
    wide: int
    rebuilt: int = 0


def inspect_model(folder: Path, name: str) -> ModelFacts:
    """Check a model folder and return the facts for loading it.

    Raises:
        RefusedError: if the folder can't be used.
    """
    entries = _check_names(folder, name)
    config = _read_config(folder / "config.json", name)
    generation: Any = {}
    if "generation_config.json" in entries:
        try:
            generation = read_json(folder / "generation_config.json", _MAX_CONFIG_BYTES)
        except ValueError:
            generation = {}  # the loader ignores the invalid file, too
    weights = sorted(n for n in entries if n.startswith("model") and n.endswith(".safetensors"))
    if not weights:
        raise RefusedError(
            f"{name} has no safetensors weights. Only safetensors are loaded: other "
            "formats can run code."
        )
    rows: list[int] = []
    tensors = wide = 0
    for file in weights:
        entries_of = read_header(folder / file)[0]
        tensors += len(entries_of)
        for tensor, entry in entries_of.items():
            begin, end = entry["data_offsets"]
            wide += int((end - begin) * _growth_factor(config, tensor, entry["dtype"]))
            if _EMBEDDING.search(tensor) and len(entry["shape"]) == 2:
                rows.append(entry["shape"][0])
    _check_layers(config, tensors, name)
    _check_complete(folder, name, entries)
    if config.get("model_file"):
        raise RefusedError(
            f"{name} requires code from its own folder ({str(config['model_file'])[:100]}). "
            "Stretto never runs such code."
        )
    if not entries & _TOKENIZERS:
        raise RefusedError(f"{name} has no tokenizer (tokenizer.json or tokenizer.model).")
    return ModelFacts(
        config=config,
        generation=generation if isinstance(generation, dict) else {},
        files=weights,
        size=sum((folder / file).stat().st_size for file in weights),
        rows=max(rows, default=_vocabulary_size(config)),
        wide=wide,
    )


def _growth_factor(config: dict[str, Any], tensor: str, dtype: str) -> float:
    """Return the factor by which a tensor grows when converted to a type for computing on CPUs."""
    if dtype in ("F16", "BF16"):
        return 2
    form = config.get("quantization")
    if dtype == "U32" and isinstance(form, dict):
        settings = form.get(tensor.removesuffix(".weight"))
        bits = (settings if isinstance(settings, dict) else form).get("bits")
        if type(bits) is int and bits in (1, 2, 3, 5, 6):
            return (4 if bits < 4 else 8) / bits
    return 1


def _check_layers(config: dict[str, Any], tensors: int, name: str) -> None:
    """Reject a config with more layers than tensors.

    Creating thousands of empty layers would block the engine thread for a second.
    """
    for key, value in _named_numbers(config):
        if _LAYERS.search(key) and value > max(_MIN_CHECKED_LAYERS, tensors):
            raise RefusedError(
                f"{name} claims {value:,} layers ({key}), but its weights have only {tensors:,} "
                "tensors. Download the model again."
            )


def _check_complete(folder: Path, name: str, entries: set[str]) -> None:
    """Reject folders where some of the weight files listed in the index are missing.

    An interrupted download looks like this. If all are missing, the index is left over from a
    conversion.
    """
    if _INDEX not in entries:
        return
    try:
        index = read_json(folder / _INDEX, _MAX_FILE_BYTES[_INDEX])
        weight_files = {str(file) for file in index["weight_map"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # the file isn't needed for loading
    missing = sorted(weight_files - entries)
    if 0 < len(missing) < len(weight_files):
        raise RefusedError(
            f"{name} is incomplete: {len(missing)} of its {len(weight_files)} weight files are "
            f"missing ({missing[0][:100]}). Download the model again."
        )


def _check_names(folder: Path, name: str) -> set[str]:
    file_names = set()
    places = [folder, *([folder / TEMPLATE_FOLDER] if (folder / TEMPLATE_FOLDER).is_dir() else [])]
    for number, entry in enumerate(chain.from_iterable(map(os.scandir, places))):
        if number >= _MAX_FILES:
            raise RefusedError(
                f"{name} is not a model folder: it has more than {_MAX_FILES:,} files."
            )
        if Path(entry.path).parent == folder:
            file_names.add(entry.name)
        ends = [size for end, size in _MAX_FILE_BYTES.items() if entry.name.endswith(end)]
        if not ends and not entry.name.endswith(".safetensors"):
            continue
        file = entry.name.encode(errors="replace").decode()[:100]
        try:
            status = entry.stat()  # follows links, which the hub's cache uses
        except OSError:
            raise RefusedError(f"{file} cannot be read: it is a broken link.") from None
        if not stat.S_ISREG(status.st_mode):
            raise RefusedError(f"{name} cannot be loaded: {file} is not a regular file.")
        if ends and status.st_size > ends[0]:
            raise RefusedError(f"{file} is too large: {status.st_size / 1e6:,.0f} MB.")
        check_not_sparse(file, status)
    return file_names


def _read_config(path: Path, name: str) -> dict[str, Any]:
    config = _read_object(
        path,
        name,
        _MAX_CONFIG_BYTES,
        f"{name} is not a model folder: config.json is missing. Choose a folder that "
        "holds config.json, safetensors weights and a tokenizer.",
    )
    if not isinstance(config.get("model_type"), str):
        raise RefusedError(f"The config.json of {name} does not name a model type.")
    for key, value in _named_numbers(config):
        for label, pattern, limit in (
            ("layers", _LAYERS, _MAX_LAYERS),
            ("experts", _EXPERTS, _MAX_EXPERTS),
        ):
            if pattern.search(key) and value > limit:
                raise RefusedError(f"{name} claims {value:,} {label} ({key}, limit {limit:,}).")
    return config


def _read_object(path: Path, name: str, max_bytes: int, missing: str) -> dict[str, Any]:
    """Read a JSON file whose content must be an object."""
    try:
        content = read_json(path, max_bytes)
    except FileNotFoundError:
        raise RefusedError(missing) from None
    except (OSError, ValueError) as error:
        raise RefusedError(f"The {path.name} of {name} cannot be read: {error}.") from None
    if not isinstance(content, dict):
        raise RefusedError(f"The {path.name} of {name} is not an object.")
    return content


def _named_numbers(content: Any) -> Iterator[tuple[str, float]]:
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
            for key, value in part.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield key, value


def _vocabulary_size(config: dict[str, Any]) -> int | None:
    sizes = (part.get("vocab_size") for part in text_configs(config))
    return next((size for size in sizes if type(size) is int), None)


# Adapters.


def inspect_adapter(folder: Path, name: str) -> AdapterFacts:
    """Check an adapter folder and return the facts for loading it.

    Raises:
        RefusedError: if the folder can't be used.
    """
    config = _read_adapter_config(folder, name)
    kind = config.get("fine_tune_type", "lora")
    if kind == "full":
        raise RefusedError(
            f"{name} holds fully trained layers, not a LoRA or DoRA adapter. Fuse it with its "
            "model (python -m mlx_lm fuse) and load the result as a model of its own."
        )
    if not isinstance(kind, str) or kind not in ADAPTERS:
        raise RefusedError(f"{name} is not a LoRA or DoRA adapter: unknown fine_tune_type.")
    layers = config.get("num_layers")
    if type(layers) is not int or layers > _MAX_LAYERS:
        raise RefusedError(f"The {ADAPTER_CONFIG} of {name} has no number of layers (num_layers).")
    parameters = _adapter_parameters(config.get("lora_parameters"), name)
    return AdapterFacts(
        kind, layers, parameters, *_adapter_sizes(folder, name, kind, parameters["rank"])
    )


def _read_adapter_config(folder: Path, name: str) -> dict[str, Any]:
    config = _read_object(
        folder / ADAPTER_CONFIG,
        name,
        _MAX_ADAPTER_CONFIG_BYTES,
        f"{name} is not an adapter: {ADAPTER_CONFIG} is missing. Choose a folder that holds "
        f"{ADAPTER_CONFIG} and {ADAPTER_WEIGHTS}, as mlx-lm writes them.",
    )
    if "peft_type" in config:
        raise RefusedError(
            f"{name} is an adapter in the layout of the PEFT library. Only mlx-lm's own layout "
            f"({ADAPTER_CONFIG} and {ADAPTER_WEIGHTS}) can be used."
        )
    return config


def _adapter_parameters(settings: Any, name: str) -> dict[str, Any]:
    file = f"{ADAPTER_CONFIG} of {name}"
    if not isinstance(settings, dict):
        raise RefusedError(f"The {file} has no lora_parameters.")
    rank, keys = settings.get("rank"), settings.get("keys")
    scale: Any = settings.get("scale")
    dropout: Any = settings.get("dropout", 0.0)
    if type(rank) is not int or not 1 <= rank <= _MAX_RANK:
        raise RefusedError(f"The {file} has no rank from 1 to {_MAX_RANK:,}.")
    if not _is_number(scale):
        hint = " It has alpha, which mlx-lm does not use." if "alpha" in settings else ""
        raise RefusedError(f"The {file} has no scale.{hint}")
    if not _is_number(dropout) or not 0 <= dropout < 1:
        raise RefusedError(f"The dropout in the {file} is not between 0 and 1.")
    if keys is not None and not _are_names(keys):
        raise RefusedError(f"The keys in the {file} are not a list of layer names.")
    return {"rank": rank, "scale": float(scale), "dropout": 0.0, "keys": keys}


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e9 and math.isfinite(value)


def _are_names(keys: Any) -> bool:
    return (
        isinstance(keys, list)
        and len(keys) <= _MAX_KEYS
        and all(isinstance(key, str) and 0 < len(key) <= _MAX_KEY_CHARACTERS for key in keys)
    )


def _adapter_sizes(folder: Path, name: str, kind: str, rank: int) -> tuple[int, int, int]:
    file = folder / ADAPTER_WEIGHTS
    try:
        status = file.stat()
    except OSError:
        raise RefusedError(f"{name} is not an adapter: {file.name} is missing.") from None
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(f"{name} cannot be loaded: {file.name} is not a regular file.")
    check_not_sparse(file.name, status)
    tensors, _ = read_header(file, "adapter")
    if not tensors or len(tensors) > _MAX_ADAPTER_TENSORS:
        raise RefusedError(f"{name} is not an adapter: {file.name} has {len(tensors):,} arrays.")
    size = wide = 0
    numbers: dict[str, int] = {}  # product of input and output size by layer
    for tensor, entry in tensors.items():
        layer, _, part = tensor.rpartition(".")
        if part not in _ADAPTER_ARRAYS[kind]:
            raise RefusedError(
                f"{name} has an array that is not part of a {ADAPTERS[kind]} adapter: "
                f"{tensor[:100]!r}."
            )
        if entry["dtype"] not in _ADAPTER_TYPES:
            raise RefusedError(
                f"{name} has {tensor[:100]!r} in an unsupported type ({entry['dtype'][:20]})."
            )
        if part != "m" and rank not in entry["shape"]:
            raise RefusedError(
                f"The {ADAPTER_CONFIG} of {name} has rank {rank}, but {tensor[:100]!r} has "
                f"shape {entry['shape'][:4]}. The two files do not match."
            )
        begin, end = entry["data_offsets"]
        size += end - begin
        wide += (end - begin) * 32 // DTYPE_BITS[entry["dtype"]]
        if part != "m":
            numbers[layer] = numbers.get(layer, 1) * (math.prod(entry["shape"]) // rank)
    return size, wide, max(numbers.values()) if kind == "dora" else 0


# Single files.


def read_header(file: Path, kind: str = "model") -> tuple[dict[str, dict[str, Any]], bytes]:
    """Parse a safetensors header. Return the tensors, and the bytes before their data.

    Each tensor has "dtype", "shape" and "data_offsets".

    Args:
        kind: word for the download in the error message.

    Raises:
        RefusedError: if the file is damaged or incomplete.
    """
    damaged = RefusedError(f"{file.name} is damaged. Download the {kind} again.")
    size = file.stat().st_size
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        head = stream.read(8)
        length = int.from_bytes(head, "little") if len(head) == 8 else -1
        if not 0 < length <= size - 8:
            raise RefusedError(f"{file.name} is damaged or incomplete. Download the {kind} again.")
        if length > _MAX_HEADER_BYTES:
            raise RefusedError(
                f"{file.name} has a header of {length / 1e6:,.0f} MB; safetensors allows 100."
            )
        try:
            raw = stream.read(length)
            content = json.loads(raw)
        except (ValueError, RecursionError):
            raise damaged from None
    if not isinstance(content, dict) or len(content) > _MAX_TENSORS:
        raise damaged
    content.pop("__metadata__", None)
    end = max((_tensor_end(entry, damaged) for entry in content.values()), default=0)
    if 8 + length + end > size:
        raise RefusedError(
            f"{file.name} is incomplete: {8 + length + end - size:,} bytes are missing. "
            f"Download the {kind} again."
        )
    return content, head + raw


def _tensor_end(entry: Any, damaged: RefusedError) -> int:
    """Return the end of a tensor's data. Raises `damaged` if its fields are inconsistent."""
    if not isinstance(entry, dict):
        raise damaged
    shape, offsets = (
        _natural_numbers(entry.get("shape")),
        _natural_numbers(entry.get("data_offsets")),
    )
    if shape is None or offsets is None or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise damaged
    bits = DTYPE_BITS.get(str(entry.get("dtype")))
    if bits is not None and math.prod(shape) * bits != 8 * (offsets[1] - offsets[0]):
        raise damaged
    return offsets[1]


def _natural_numbers(numbers: Any) -> list[int] | None:
    good = isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)
    return numbers if good else None


def check_not_sparse(file: str, status: os.stat_result) -> None:
    """Reject files with far fewer bytes on disk than their size.

    File system compression shrinks weights only a little, never by a factor of 16. Files with 0
    blocks are accepted, because some file systems always report 0.
    """
    if 0 < status.st_blocks * 512 < status.st_size // 16 and status.st_size > 64 * _MB:
        raise RefusedError(
            f"{file} is mostly empty: its download did not finish. Download it again."
        )


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file without blocking.

    Raises:
        ValueError: if it isn't a regular file (e.g. a FIFO or folder).
    """
    # Without O_NONBLOCK, opening a FIFO would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)  # needed for a folder, which `open` doesn't close
        raise ValueError("it is not a regular file")
    return open(descriptor, "rb")


def read_file(path: Path, max_bytes: int) -> bytes:
    """Read a regular file. Raises `ValueError` if it's too large or not a regular file."""
    with open_regular(path) as stream:
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"it has more than {max_bytes:,} bytes")
    return data


def read_json(path: Path, max_bytes: int) -> Any:
    """Read a JSON file. Raises `ValueError` if it's too large or not valid."""
    try:
        content = json.loads(read_file(path, max_bytes).decode())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError("it is not valid JSON") from None
    if nesting_depth(content) > _MAX_DEPTH:
        raise ValueError("it is nested too deeply")
    return content


def nesting_depth(content: Any) -> int:
    deepest, waiting = 0, [(content, 0)]
    while waiting:
        part, level = waiting.pop()
        deepest = max(deepest, level)
        if isinstance(part, (dict, list)):
            inner = part.values() if isinstance(part, dict) else part
            waiting += [(value, level + 1) for value in inner]
    return deepest
