"""In the child: a model's or an adapter's folder, read with limits and judged before it is loaded.

Files are opened without waiting and only where they are ordinary ones; sizes, counts and nesting
are bounded before they are believed. MLX believes the headers of safetensors files, so what one
says is compared here with itself and with the file's size.
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
# What is read of a folder, by the ends of names, and how large it may be. The largest known: a
# tokenizer.json of 35 MB, an index of 10 MB, a header of 2 MB.
_SIZES = {
    "tokenizer.json": 256 * _MB,
    _INDEX: 64 * _MB,
    ".json": 16 * _MB,
    ".jinja": _MB,
    ".txt": 64 * _MB,
    ".tiktoken": 64 * _MB,
    ".model": 64 * _MB,
}
_MOST_FILES = 10_000
_MOST_CONFIG = 4 * _MB
_DEEPEST = 64
_MOST_LAYERS = 2_000  # the deepest model known has 126
_MANY_LAYERS = 200  # fewer are made in no time, whatever the weights hold
_MOST_EXPERTS = 16_384
_LAYERS = re.compile(r"(^|_)(n_?|num_?)?(layers?|blocks)$|^depth$")
_EXPERTS = re.compile(r"(^|_)experts$")
_EMBEDDING = re.compile(r"(^|\.)(embed_tokens|wte|tok_embeddings|word_embeddings)\.weight$")

_MOST_HEADER = 100 * _MB  # safetensors' own limit
_MOST_TENSORS = 1_000_000
BITS = {
    **dict.fromkeys(("F4",), 4),
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
}
"""How many bits a number takes, by safetensors' names of the types."""

# Adapters, in mlx-lm's own layout (`mlx_lm.tuner.utils.load_adapters`).
ADAPTER_CONFIG, ADAPTER_WEIGHTS = "adapter_config.json", "adapters.safetensors"
_MOST_ADAPTER_CONFIG = _MB
_MOST_ADAPTER_TENSORS = 100_000
_MOST_KEYS = 10_000
_LONGEST_KEY = 500
_MOST_RANK = 16_384
_ADAPTERS = {"lora": "LoRA", "dora": "DoRA"}
_ADAPTER_ARRAYS = {"lora": {"lora_a", "lora_b"}, "dora": {"lora_a", "lora_b", "m"}}
_ADAPTER_TYPES = ("F32", "F16", "BF16")


class Facts(Struct, frozen=True):
    """What a model's folder says, judged."""

    config: dict[str, Any]  # of `config.json`
    generation: dict[str, Any]  # of `generation_config.json`, {} without it
    files: list[str]  # the names of the weights' files
    size: int  # their bytes
    rows: int | None  # of the embedding, None where unknown
    wide: int = 0  # the weights' bytes with all floating-point numbers in float32


class AdapterFacts(Struct, frozen=True):
    """What an adapter's folder says, judged."""

    kind: str  # "lora" or "dora"
    layers: int  # how many of the last layers it changes; none or fewer means all
    parameters: dict[str, Any]  # "rank", "scale", "dropout" and "keys", as mlx-lm takes them
    size: int  # bytes of its arrays
    wide: int  # those with all numbers in float32
    # numbers of the largest layer whose weights a pass computes anew; 0 but for DoRA
    rebuilt: int = 0


def look(folder: Path, name: str) -> Facts:
    """What the engine needs to know before it loads a model's folder.

    Raises:
        RefusedError: the folder cannot be used.
    """
    entries = _entries(folder, name)
    config = _config(folder / "config.json", name)
    generation: Any = {}
    if "generation_config.json" in entries:
        try:
            generation = read_json(folder / "generation_config.json", _MOST_CONFIG)
        except ValueError:
            generation = {}  # the loader does without it, too
    weights = sorted(n for n in entries if n.startswith("model") and n.endswith(".safetensors"))
    if not weights:
        raise RefusedError(
            f"{name} has no safetensors weights. Only safetensors are loaded: other "
            "formats can run code."
        )
    rows: list[int] = []
    tensors = wide = 0
    for file in weights:
        entries_of = header(folder / file)[0]
        tensors += len(entries_of)
        for tensor, entry in entries_of.items():
            begin, end = entry["data_offsets"]
            wide += (end - begin) * (2 if entry["dtype"] in ("F16", "BF16") else 1)
            if _EMBEDDING.search(tensor) and len(entry["shape"]) == 2:
                rows.append(entry["shape"][0])
    _check_layers(config, tensors, name)
    _check_all_there(folder, name, entries)
    if config.get("model_file"):
        raise RefusedError(
            f"{name} wants to run code from its own folder ({str(config['model_file'])[:100]}). "
            "Stretto never does that."
        )
    if not entries & _TOKENIZERS:
        raise RefusedError(f"{name} has no tokenizer (tokenizer.json or tokenizer.model).")
    return Facts(
        config=config,
        generation=generation if isinstance(generation, dict) else {},
        files=weights,
        size=sum((folder / file).stat().st_size for file in weights),
        rows=max(rows, default=_vocabulary(config)),
        wide=wide,
    )


def _check_layers(config: dict[str, Any], tensors: int, name: str) -> None:
    """Refuse far more layers than there are tensors: each has one at least, and making thousands
    for nothing would take the engine's thread a second."""
    for key, value in _numbers(config):
        if _LAYERS.search(key) and value > max(_MANY_LAYERS, tensors):
            raise RefusedError(
                f"{name} claims {value:,} layers ({key}), and its weights have {tensors:,} "
                "tensors. Download the model again."
            )


def _check_all_there(folder: Path, name: str, entries: set[str]) -> None:
    """Refuse a folder that lacks files of weights which its index names: a broken download.

    An index of which nothing is there is another model's, left over from a conversion.
    """
    if _INDEX not in entries:
        return
    try:
        index = read_json(folder / _INDEX, _SIZES[_INDEX])
        named = {str(file) for file in index["weight_map"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # the loader needs none
    missing = sorted(named - entries)
    if 0 < len(missing) < len(named):
        raise RefusedError(
            f"{name} is incomplete: {len(missing)} of its {len(named)} files of weights are "
            f"missing ({missing[0][:100]}). Download the model again."
        )


def _entries(folder: Path, name: str) -> set[str]:
    """The names in a folder; refuses those that are read and are no ordinary files."""
    found = set()
    places = [folder, *([folder / TEMPLATE_FOLDER] if (folder / TEMPLATE_FOLDER).is_dir() else [])]
    for number, entry in enumerate(chain.from_iterable(map(os.scandir, places))):
        if number >= _MOST_FILES:
            raise RefusedError(
                f"{name} is no model folder: it holds more than {_MOST_FILES:,} files."
            )
        if Path(entry.path).parent == folder:
            found.add(entry.name)
        ends = [size for end, size in _SIZES.items() if entry.name.endswith(end)]
        if not ends and not entry.name.endswith(".safetensors"):
            continue
        file = entry.name.encode(errors="replace").decode()[:100]
        try:
            status = entry.stat()  # of what a link leads to, as in the hub's cache
        except OSError:
            raise RefusedError(f"{file} cannot be read: it is a link to nothing.") from None
        if not stat.S_ISREG(status.st_mode):
            raise RefusedError(f"{file} is no ordinary file, so {name} is not loaded.")
        if ends and status.st_size > ends[0]:
            raise RefusedError(f"{file} is too large: {status.st_size / 1e6:,.0f} MB.")
        check_holes(file, status)
    return found


def _config(path: Path, name: str) -> dict[str, Any]:
    config = _object(
        path,
        name,
        _MOST_CONFIG,
        f"{name} is not a model folder: config.json is missing. Choose a folder that "
        "holds config.json, safetensors weights and a tokenizer.",
    )
    if not isinstance(config.get("model_type"), str):
        raise RefusedError(f"The config.json of {name} does not name a model type.")
    for key, value in _numbers(config):
        for what, pattern, most in (
            ("layers", _LAYERS, _MOST_LAYERS),
            ("experts", _EXPERTS, _MOST_EXPERTS),
        ):
            if pattern.search(key) and value > most:
                raise RefusedError(
                    f"{name} claims {value:,} {what} ({key}); more than {most:,} are not loaded."
                )
    return config


def _object(path: Path, name: str, most: int, missing: str) -> dict[str, Any]:
    """A folder's JSON file, which must be an object.

    Args:
        missing: the sentence for a folder without it.
    """
    try:
        content = read_json(path, most)
    except FileNotFoundError:
        raise RefusedError(missing) from None
    except (OSError, ValueError) as error:
        raise RefusedError(f"The {path.name} of {name} cannot be read: {error}.") from None
    if not isinstance(content, dict):
        raise RefusedError(f"The {path.name} of {name} is not an object.")
    return content


def _numbers(content: Any) -> Iterator[tuple[str, float]]:
    """All numbers that have a name, at any depth."""
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


def _vocabulary(config: dict[str, Any]) -> int | None:
    sizes = (place.get("vocab_size") for place in text_configs(config))
    return next((size for size in sizes if type(size) is int), None)


# Adapters.


def look_at_adapter(folder: Path, name: str) -> AdapterFacts:
    """What the engine needs to know before it loads an adapter.

    Raises:
        RefusedError: the folder cannot be used.
    """
    config = _adapter_config(folder, name)
    kind = config.get("fine_tune_type", "lora")
    if kind == "full":
        raise RefusedError(
            f"{name} holds fully trained layers, not a LoRA or DoRA adapter. Fuse it with its "
            "model (python -m mlx_lm fuse) and load the result as a model of its own."
        )
    if not isinstance(kind, str) or kind not in _ADAPTERS:
        raise RefusedError(f"{name} is no LoRA or DoRA adapter: its fine_tune_type is unknown.")
    layers = config.get("num_layers")
    if type(layers) is not int or layers > _MOST_LAYERS:
        raise RefusedError(
            f"The {ADAPTER_CONFIG} of {name} does not say how many layers (num_layers)."
        )
    parameters = _adapter_parameters(config.get("lora_parameters"), name)
    return AdapterFacts(
        kind, layers, parameters, *_adapter_sizes(folder, name, kind, parameters["rank"])
    )


def _adapter_config(folder: Path, name: str) -> dict[str, Any]:
    config = _object(
        folder / ADAPTER_CONFIG,
        name,
        _MOST_ADAPTER_CONFIG,
        f"{name} is no adapter: {ADAPTER_CONFIG} is missing. Choose a folder that holds "
        f"{ADAPTER_CONFIG} and {ADAPTER_WEIGHTS}, as mlx-lm writes them.",
    )
    if "peft_type" in config:
        raise RefusedError(
            f"{name} is an adapter in the layout of the PEFT library. Only mlx-lm's own layout "
            f"({ADAPTER_CONFIG} and {ADAPTER_WEIGHTS}) can be used."
        )
    return config


def _adapter_parameters(given: Any, name: str) -> dict[str, Any]:
    """`lora_parameters`, judged; the names that mlx-lm does not use are left out."""
    file = f"{ADAPTER_CONFIG} of {name}"
    if not isinstance(given, dict):
        raise RefusedError(f"The {file} has no lora_parameters.")
    rank, keys = given.get("rank"), given.get("keys")
    scale: Any = given.get("scale")
    dropout: Any = given.get("dropout", 0.0)
    if type(rank) is not int or not 1 <= rank <= _MOST_RANK:
        raise RefusedError(f"The {file} names no rank from 1 to {_MOST_RANK:,}.")
    if not _is_number(scale):
        hint = " It names alpha, which mlx-lm does not use." if "alpha" in given else ""
        raise RefusedError(f"The {file} names no scale.{hint}")
    if not _is_number(dropout) or not 0 <= dropout < 1:
        raise RefusedError(f"The dropout in the {file} is not a share of 1.")
    if keys is not None and not _are_names(keys):
        raise RefusedError(f"The keys in the {file} are no list of layers' names.")
    return {"rank": rank, "scale": float(scale), "dropout": 0.0, "keys": keys}


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e9 and math.isfinite(value)


def _are_names(keys: Any) -> bool:
    return (
        isinstance(keys, list)
        and len(keys) <= _MOST_KEYS
        and all(isinstance(key, str) and 0 < len(key) <= _LONGEST_KEY for key in keys)
    )


def _adapter_sizes(folder: Path, name: str, kind: str, rank: int) -> tuple[int, int, int]:
    """`size`, `wide` and `rebuilt`, as of `AdapterFacts`."""
    file = folder / ADAPTER_WEIGHTS
    try:
        status = file.stat()
    except OSError:
        raise RefusedError(f"{name} is no adapter: {file.name} is missing.") from None
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(f"{file.name} is no ordinary file, so {name} is not loaded.")
    check_holes(file.name, status)
    tensors, _ = header(file, "adapter")
    if not tensors or len(tensors) > _MOST_ADAPTER_TENSORS:
        raise RefusedError(f"{name} is no adapter: {file.name} holds {len(tensors):,} arrays.")
    size = wide = 0
    numbers: dict[str, int] = {}  # by layer: inputs times outputs
    for tensor, entry in tensors.items():
        layer, _, part = tensor.rpartition(".")
        if part not in _ADAPTER_ARRAYS[kind]:
            raise RefusedError(
                f"{name} holds an array that is not part of a {_ADAPTERS[kind]} adapter: "
                f"{tensor[:100]!r}."
            )
        if entry["dtype"] not in _ADAPTER_TYPES:
            raise RefusedError(
                f"{name} keeps {tensor[:100]!r} in a type that adapters are not kept in."
            )
        if part != "m" and rank not in entry["shape"]:
            raise RefusedError(
                f"The {ADAPTER_CONFIG} of {name} says rank {rank}, and {tensor[:100]!r} has the "
                f"shape {entry['shape'][:4]}. The two files are not of the same training."
            )
        begin, end = entry["data_offsets"]
        size += end - begin
        wide += (end - begin) * 32 // BITS[entry["dtype"]]
        if part != "m":
            numbers[layer] = numbers.get(layer, 1) * (math.prod(entry["shape"]) // rank)
    return size, wide, max(numbers.values()) if kind == "dora" else 0


# Single files.


def header(file: Path, what: str = "model") -> tuple[dict[str, dict[str, Any]], bytes]:
    """The tensors of a safetensors file, each with "dtype", "shape" and "data_offsets".

    Returned with them are the bytes of the file before those of the tensors.

    Args:
        what: is to be downloaded again where it is damaged.

    Raises:
        RefusedError: it is damaged, or the file is incomplete.
    """
    damaged = RefusedError(f"{file.name} is damaged. Download the {what} again.")
    size = file.stat().st_size
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        head = stream.read(8)
        length = int.from_bytes(head, "little") if len(head) == 8 else -1
        if not 0 < length <= size - 8:
            raise RefusedError(f"{file.name} is damaged or incomplete. Download the {what} again.")
        if length > _MOST_HEADER:
            raise RefusedError(
                f"{file.name} has a header of {length / 1e6:,.0f} MB; safetensors allows 100."
            )
        try:
            raw = stream.read(length)
            content = json.loads(raw)
        except (ValueError, RecursionError):
            raise damaged from None
    if not isinstance(content, dict) or len(content) > _MOST_TENSORS:
        raise damaged
    content.pop("__metadata__", None)
    end = max((_end(entry, damaged) for entry in content.values()), default=0)
    if 8 + length + end > size:
        raise RefusedError(
            f"{file.name} is incomplete: {8 + length + end - size:,} bytes are missing. "
            f"Download the {what} again."
        )
    return content, head + raw


def _end(entry: Any, damaged: RefusedError) -> int:
    """Where a tensor's bytes end, having looked whether its numbers agree."""
    if not isinstance(entry, dict):
        raise damaged
    shape, offsets = _whole(entry.get("shape")), _whole(entry.get("data_offsets"))
    if shape is None or offsets is None or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise damaged
    bits = BITS.get(str(entry.get("dtype")))
    if bits is not None and math.prod(shape) * bits != 8 * (offsets[1] - offsets[0]):
        raise damaged
    return offsets[1]


def _whole(numbers: Any) -> list[int] | None:
    good = isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)
    return numbers if good else None


def check_holes(file: str, status: os.stat_result) -> None:
    """Refuse a file that claims far more bytes than the disk holds of it.

    A file system that compresses makes weights a little smaller, not sixteen times; one that does
    not know gives 0.
    """
    if 0 < status.st_blocks * 512 < status.st_size // 16 and status.st_size > 64 * _MB:
        raise RefusedError(
            f"{file} is mostly holes: it was not downloaded whole. Download it again."
        )


def ordinary(path: Path) -> BinaryIO:
    """An ordinary file, opened; `ValueError` where it is none (a FIFO, a folder), `OSError`."""
    # Without the flag opening a FIFO would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)  # `open` would leave that of a folder open
        raise ValueError("it is no ordinary file")
    return open(descriptor, "rb")


def read(path: Path, most: int) -> bytes:
    """An ordinary file's bytes, at most so many; `ValueError` where it is none or has more."""
    with ordinary(path) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return data


def read_json(path: Path, most: int) -> Any:
    """A JSON file's content; `ValueError` where it is too large, too deep or no JSON."""
    try:
        content = json.loads(read(path, most).decode())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError("it is not valid JSON") from None
    if depth(content) > _DEEPEST:
        raise ValueError("it is nested too deeply")
    return content


def depth(content: Any) -> int:
    """How many lists and objects stand inside each other."""
    deepest, waiting = 0, [(content, 0)]
    while waiting:
        part, level = waiting.pop()
        deepest = max(deepest, level)
        if isinstance(part, (dict, list)):
            inner = part.values() if isinstance(part, dict) else part
            waiting += [(value, level + 1) for value in inner]
    return deepest
