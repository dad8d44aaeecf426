"""What a model's folder says of itself without being loaded: read with limits, never run. No MLX.

A list of models meets folders that have not been judged: a pipe instead of a config, a config of a
gigabyte, weights that are not all there. Nothing here waits for one of those, reads more than
`MOST_CONFIG` of it, or raises because of it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from engine.errors import EngineError
from engine.hub.gguf import kept
from engine.hub.models import knows, quantisation
from engine.hub.names import clean_name, licence_name, reasons, takes_tools
from engine.kv.config_shape import text_configs
from engine.model.folder import context_length
from engine.sandbox.folders import ordinary, read, read_json

MOST_CONFIG = 2**20
"""Bytes of a config.json that a list is made from. Reading JSON holds Python's lock, ten
milliseconds for a megabyte; the largest known config has a tenth of one."""

REASONING, TOOLS, IMAGES = "reasoning", "tools", "images"

_MOST_TOKENIZER_CONFIG = 8 * 2**20  # in which a template is looked for; it alone is parsed
_MOST_TEMPLATE = 2**20
_MOST_README = 2**14
_MOST_FILES = 5_000
_MOST_WORD = 40  # characters of a name that is shown in a column
_MOST_SHARDS = 10_000

_MOST_OTHERS = 4
# What makers and programs put into a model's folder. A name that begins with a dot is theirs, too.
_OF_MODELS = re.compile(
    r"^\.|\.(safetensors|json|jsonl|jinja|txt|model|tiktoken|md|py|bin|pt|pth|gguf|onnx|msgpack|h5"
    r"|yaml|yml|cfg|ipynb|npz|spm|vocab|bpe|pdf|png|jpe?g|svg|webp|gif)$|^(LICEN[CS]E|NOTICE|README"
    r"|USE_POLICY|USAGE_POLICY|MODEL_CARD|CITATION|CONTRIBUTING|Makefile|Modelfile)"
    r"|^(original|onnx|openvino|coreml|metal|assets|images|figures|fig|docs|examples|inference"
    r"|evaluation|additional_chat_templates|1_Pooling|2_Dense|2_Normalize|runs|logs|adapters)$",
    re.IGNORECASE,
)
_SEES = ("vision_config", "vision_tower", "image_token_id", "image_token_index", "image_seq_length")
_LIMIT = re.compile(rb'"model_max_length"\s*:\s*(\d{1,8})(?![\d.eE])')
_SHARD = re.compile(r"model-(\d{5})-of-(\d{5})\.safetensors")
_LICENCE = re.compile(r"^(license|license_name)\s*:\s*[\"']?([^\"'#\n]{1,100})", re.M)
_DTYPE = re.compile(rb'"dtype"\s*:\s*"([A-Z0-9_]{1,10})"')
_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}

Stop = Callable[[], bool]


@dataclass(frozen=True)
class FolderFacts:
    """One folder. What it does not say is empty, 0 or None.

    Attributes:
        nbytes: of all files in it, links followed, each file once.
        architecture: the `model_type` of its config.
        bits: of its quantized weights; where layers differ, of most of them.
        group_size: how many weights share a scale.
        mixed: whether layers are quantized differently.
        dtype: of weights that are not quantized, as "bfloat16".
        context: tokens, as the engine would take it.
        capabilities: of `REASONING`, `TOOLS` and `IMAGES`, by its template and config.
        licence: as its README or config names it.
        problem: why it cannot be loaded, as a sentence; "" where nothing is known against it.
        gone: whether there is no such folder.
        others: names of things in it that no model has, a few of them, cleaned.
    """

    nbytes: int = 0
    architecture: str = ""
    bits: int | None = None
    group_size: int | None = None
    mixed: bool = False
    dtype: str = ""
    context: int = 0
    capabilities: frozenset[str] = frozenset()
    licence: str = ""
    problem: str = ""
    gone: bool = False
    others: tuple[str, ...] = ()


def facts_of(folder: Path, stop: Stop = lambda: False) -> FolderFacts:
    """Look at a folder now. Never raises.

    ``stop``: whether it was cancelled; what was found by then is returned.
    """
    if kept.is_gguf(folder):
        return _of_gguf(folder)
    try:
        names = _names(folder)
    except (FileNotFoundError, NotADirectoryError):
        return FolderFacts(problem="The folder is not there any more.", gone=True)
    except OSError as error:
        return FolderFacts(problem=f"The folder cannot be read: {_reason(error)}.")
    ends = {Path(name).suffix.lower() for name in names}
    if kept.ENDING in ends and ".safetensors" not in ends:
        return _of_gguf(folder)
    nbytes = bytes_in(folder, stop)
    config, problem = _config(folder)
    problem = problem or _why_not_loaded(names, config)
    quantised = quantisation(config)
    template = _template(folder, names)
    capabilities = {
        REASONING: reasons(template),
        TOOLS: takes_tools(template),
        IMAGES: any(key in config for key in _SEES),
    }
    return FolderFacts(
        nbytes=nbytes,
        architecture=clean_name(config.get("model_type"), _MOST_WORD),
        **quantised,
        dtype="" if quantised["bits"] else _dtype(folder, names, config),
        context=_context(folder, config),
        capabilities=frozenset(name for name, has in capabilities.items() if has),
        licence=_licence(folder, config),
        problem=problem,
        others=_others(names),
    )


def _of_gguf(place: Path) -> FolderFacts:
    """A GGUF file, or a folder of them: what there is to know of it without reading it."""
    try:
        file = kept.only_one(place) if place.is_dir() else place
        status = os.stat(file if file is not None else place)
    except EngineError as error:
        return FolderFacts(problem=error.message)
    except OSError as error:
        return FolderFacts(problem=f"The file cannot be read: {_reason(error)}.", gone=True)
    return FolderFacts(nbytes=status.st_size, architecture="GGUF")


def _names(folder: Path) -> set[str]:
    with os.scandir(folder) as entries:
        return {entry.name for _, entry in zip(range(_MOST_FILES), entries, strict=False)}


def _others(names: set[str]) -> tuple[str, ...]:
    found = sorted(name for name in names if not _OF_MODELS.search(name))[:_MOST_OTHERS]
    return tuple(clean_name(name, _MOST_WORD) or "a file without a name" for name in found)


def bytes_in(folder: Path, stop: Stop) -> int:
    """Of all files in a folder, links to files followed, each file once; as far as it is a model's.

    Args:
        stop: whether it was cancelled.
    """
    sizes: dict[tuple[int, int], int] = {}
    for number, (place, _, names) in enumerate(os.walk(folder)):  # no link to a folder is followed
        if number == _MOST_FILES or stop():
            break
        for name in names:
            try:
                status = os.stat(os.path.join(place, name))
            except OSError:  # a link to nothing, or gone meanwhile
                continue
            sizes[status.st_dev, status.st_ino] = status.st_size
            if len(sizes) == _MOST_FILES or stop():  # no model: a whole disk
                return sum(sizes.values())
    return sum(sizes.values())


def _config(folder: Path) -> tuple[dict[str, Any], str]:
    """Its config, {} where there is none to be had, and what is wrong with it."""
    try:
        config = read_json(folder / "config.json", MOST_CONFIG)
    except FileNotFoundError:
        return {}, "It has no config.json."
    except (OSError, ValueError) as error:
        return {}, f"Its config.json cannot be read: {_reason(error)}."
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        return {}, "Its config.json names no model type."
    return config, ""


def _why_not_loaded(names: set[str], config: dict[str, Any]) -> str:
    weights = [n for n in names if n.startswith("model") and n.endswith(".safetensors")]
    if not weights:
        return "It has no weights."
    for name in weights:
        shard = _SHARD.fullmatch(name)
        if shard is not None and int(shard[2]) <= _MOST_SHARDS:
            wanted = {
                f"model-{n:05}-of-{shard[2]}.safetensors" for n in range(1, int(shard[2]) + 1)
            }
            if missing := len(wanted - names):
                return f"{missing} of its {len(wanted)} files of weights are missing."
            break
    if config.get("model_file"):
        return "It wants to run code of its own. Stretto never does that."
    if config and not _known(config):
        return "This version does not know its architecture. A newer one may."
    return ""


def _known(config: dict[str, Any]) -> bool:
    """Whether mlx-lm has the architecture; true where it is not imported yet."""
    if "mlx_lm" not in sys.modules:  # importing it takes a second, for a list
        return True
    try:
        return knows(config)
    except (ImportError, TypeError, ValueError):  # names that no module can have
        return False


def _dtype(folder: Path, names: set[str], config: dict[str, Any]) -> str:
    for place in text_configs(config):
        for key in ("torch_dtype", "dtype"):
            if isinstance(place.get(key), str):
                return clean_name(place[key].removeprefix("torch."), 12)
    weights = min((n for n in names if n.endswith(".safetensors")), default="")
    try:  # of a header only what is needed: it may have a hundred megabytes
        head = _first_bytes(folder / weights, 2**12) if weights else b""
    except (OSError, ValueError):
        return ""
    named = _DTYPE.search(head)
    return _DTYPES.get(named[1].decode(), "") if named else ""


def _context(folder: Path, config: dict[str, Any]) -> int:
    if not config:
        return 0
    try:
        named = _LIMIT.search(read(folder / "tokenizer_config.json", _MOST_TOKENIZER_CONFIG))
    except (OSError, ValueError):
        named = None
    limit = int(named[1]) if named else None
    return min(context_length(config, SimpleNamespace(model_max_length=limit)), 2**40)


def _template(folder: Path, names: set[str]) -> str:
    """The chat template's text, from whichever of its three places."""
    if "chat_template.jinja" in names:
        try:
            return read(folder / "chat_template.jinja", _MOST_TEMPLATE).decode(errors="replace")
        except (OSError, ValueError):
            return ""
    for name in ("chat_template.json", "tokenizer_config.json"):
        if name in names and (text := _template_in(folder / name)):
            return text
    return ""


def _template_in(file: Path) -> str:
    """The value of "chat_template" in a JSON file of which nothing else is parsed."""
    try:
        text = read(file, _MOST_TOKENIZER_CONFIG).decode(errors="replace")
    except (OSError, ValueError):
        return ""
    key = re.search(r'"chat_template"\s*:\s*', text)
    if key is None or text[key.end() : key.end() + 1] not in ('"', "["):
        return ""
    try:
        value, _ = json.JSONDecoder().raw_decode(text[: key.end() + _MOST_TEMPLATE], key.end())
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, list):  # several by name
        parts = [part.get("template") for part in value if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _licence(folder: Path, config: dict[str, Any]) -> str:
    """As the first lines of its README have it for the hub, or its config."""
    try:
        text = _first_bytes(folder / "README.md", _MOST_README).decode(errors="replace")
    except (OSError, ValueError):
        text = ""
    front = text.split("\n---", 1)[0] if text.startswith("---") else ""
    named = {key: value.strip() for key, value in _LICENCE.findall(front)}
    name = named.get("license", "")
    if name in ("", "other"):
        name = named.get("license_name", name)
    return licence_name(name or config.get("license"))


def _first_bytes(file: Path, most: int) -> bytes:
    """The first bytes of an ordinary file."""
    with ordinary(file) as stream:
        return stream.read(most)


def _reason(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return clean_name(words, 100) or type(error).__name__


def same_files(folder: Path, names: Iterable[str]) -> tuple[object, ...]:
    """What changes when one of these files does, or when something comes into the folder."""
    seen: list[object] = []
    for name in ("", *names):
        try:
            status = os.stat(folder / name)
        except OSError:
            seen.append(None)
        else:
            seen.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(seen)
