"""In the child: what a model's folder holds, read with limits and judged before it is loaded."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from engine.core.confined.headers import header
from engine.core.confined.refusing import RefusedError
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


def look(folder: Path, name: str) -> dict[str, Any]:
    """What the engine needs to know before it loads a folder.

    Returns:
        "config" and "generation" (of `generation_config.json`, {} without it), the "files" of
        weights, their "size" in bytes, that size with all floating-point numbers in float32
        ("wide"), the bytes of the "largest" tensor, and the "rows" of the embedding, None where
        unknown.

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
    tensors = wide = largest = 0
    for file in weights:
        entries_of = header(folder / file)
        tensors += len(entries_of)
        for tensor, entry in entries_of.items():
            begin, end = entry["data_offsets"]
            wide += (end - begin) * (2 if entry["dtype"] in ("F16", "BF16") else 1)
            largest = max(largest, end - begin)
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
    return {
        "config": config,
        "generation": generation if isinstance(generation, dict) else {},
        "files": weights,
        "size": sum((folder / file).stat().st_size for file in weights),
        "wide": wide,
        "largest": largest,
        "rows": max(rows, default=_vocabulary(config)),
    }


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


def check_holes(file: str, status: os.stat_result) -> None:
    """Refuse a file that claims far more bytes than the disk holds of it.

    A file system that compresses makes weights a little smaller, not sixteen times; one that does
    not tell gives 0.
    """
    if 0 < status.st_blocks * 512 < status.st_size // 16 and status.st_size > 64 * _MB:
        raise RefusedError(
            f"{file} is mostly holes: it was not downloaded whole. Download it again."
        )


def ordinary(path: Path) -> BinaryIO:
    """An ordinary file, opened; `ValueError` where it is none (a FIFO, a folder), `OSError`."""
    # Without the flag opening a FIFO would wait for somebody to write.
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


def _config(path: Path, name: str) -> dict[str, Any]:
    try:
        config = read_json(path, _MOST_CONFIG)
    except FileNotFoundError:
        raise RefusedError(
            f"{name} is not a model folder: config.json is missing. Choose a folder that "
            "holds config.json, safetensors weights and a tokenizer."
        ) from None
    except (OSError, ValueError) as error:
        raise RefusedError(f"The config.json of {name} cannot be read: {error}.") from None
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise RefusedError(f"The config.json of {name} does not name a model type.")
    for key, value in _numbers(config):
        if _LAYERS.search(key) and value > _MOST_LAYERS:
            raise RefusedError(
                f"{name} claims {value:,} layers ({key}); more than {_MOST_LAYERS:,} are not "
                "loaded."
            )
        if _EXPERTS.search(key) and value > _MOST_EXPERTS:
            raise RefusedError(
                f"{name} claims {value:,} experts ({key}); more than {_MOST_EXPERTS:,} are not "
                "loaded."
            )
    return config


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
    for place in (config, config.get("text_config")):
        if isinstance(place, dict) and type(place.get("vocab_size")) is int:
            return int(place["vocab_size"])
    return None
