"""Inventory of the models and adapters on this machine.

    from engine.hub.inventory import Inventory, model_places

    for model in Inventory().walk(model_places()):
        print(model.name, model.facts.nbytes)

This blocks on disk access. Folders aren't trusted: a config could be a pipe or a gigabyte large,
and weights could be missing.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from msgspec import Struct

from engine.cache.config_shape import text_configs
from engine.errors import EngineError
from engine.hub import downloads
from engine.hub.gguf import kept
from engine.hub.models import is_known_architecture, quantization
from engine.hub.names import (
    MAIN,
    clean_name,
    has_reasoning,
    has_tools,
    is_revision,
    licence_name,
    parse,
    template_text,
)
from engine.model.folder import context_length, display_name
from engine.sandbox.folders import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    ADAPTERS,
    open_regular,
    read_file,
    read_json,
)

MAX_DEPTH = 3  # levels of subfolders to search; LM Studio uses OWNER/NAME
MAX_FOLDERS = 20_000  # limits both the folders searched and the models listed

_MAX_REVISIONS = 50
_REPO = "models--"
# Besides the file names, `FolderFacts` depend on the contents of these files.
_FACT_FILES = (
    *("config.json", "tokenizer_config.json", "chat_template.jinja", "chat_template.json"),
    "README.md",
)
_MAX_SUBFOLDERS = 200  # number of subfolders searched for adapters

MAX_CONFIG_BYTES = 2**20
"""Maximum size of a config that is parsed to list a model. Parsing JSON holds the GIL for 10 ms per
megabyte, and the largest known config is 0.1 MB.
"""

REASONING, TOOLS, IMAGES = "reasoning", "tools", "images"

_MAX_TOKENIZER_CONFIG_BYTES = 8 * 2**20  # only the template in this file is found and parsed
_MAX_TEMPLATE_CHARACTERS = 2**20
_MAX_README_BYTES = 2**14
_MAX_FILES = 5_000
_MAX_WORD_CHARACTERS = 40  # maximum length of a name in a table column
_MAX_SHARDS = 10_000

_MAX_OTHERS = 4
# Names that model authors and other programs use. Hidden files are accepted, too.
_MODEL_FILE_NAMES = re.compile(
    r"^\.|\.(safetensors|json|jsonl|jinja|txt|model|tiktoken|md|py|bin|pt|pth|gguf|onnx|msgpack|h5"
    r"|yaml|yml|cfg|ipynb|npz|spm|vocab|bpe|pdf|png|jpe?g|svg|webp|gif)$|^(LICEN[CS]E|NOTICE|README"
    r"|USE_POLICY|USAGE_POLICY|MODEL_CARD|CITATION|CONTRIBUTING|Makefile|Modelfile)"
    r"|^(original|onnx|openvino|coreml|metal|assets|images|figures|fig|docs|examples|inference"
    r"|evaluation|additional_chat_templates|1_Pooling|2_Dense|2_Normalize|runs|logs|adapters)$",
    re.IGNORECASE,
)
_VISION_KEYS = (
    "vision_config",
    "vision_tower",
    "image_token_id",
    "image_token_index",
    "image_seq_length",
)
_LIMIT = re.compile(r'"model_max_length"\s*:\s*(\d{1,8})(?![\d.eE])')
_SHARD = re.compile(r"model-(\d{5})-of-(\d{5})\.safetensors")
_LICENCE = re.compile(r"^(license|license_name)\s*:\s*[\"']?([^\"'#\n]{1,100})", re.M)

Stop = Callable[[], bool]


class FolderFacts(Struct, frozen=True):
    """Facts about a folder. Unknown values are empty, 0 or None.

    Attributes:
        nbytes: total size of its files. Links are followed, and each file is counted once.
        bits: bits of quantized weights. If layers differ, the most common value.
        dtype: type of weights that aren't quantized, e.g. "bfloat16".
        context: context length in tokens, computed as in the engine.
        capabilities: subset of `REASONING`, `TOOLS` and `IMAGES`, based on template and config.
        problem: a sentence explaining why it can't be loaded. "" if there's no known problem.
        others: some names that don't belong in a model folder, sanitized.
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
    """Inspect a folder. Never raises an error.

    Args:
        stop: returns True to cancel. The result is then incomplete.
    """
    if kept.is_gguf(folder):
        return _gguf_facts(folder)
    try:
        names, _ = _entries(folder)
    except (FileNotFoundError, NotADirectoryError):
        return FolderFacts(problem="The folder no longer exists.", gone=True)
    except OSError as error:
        return FolderFacts(problem=f"The folder cannot be read: {_reason(error)}.")
    ends = {Path(name).suffix.lower() for name in names}
    if kept.ENDING in ends and ".safetensors" not in ends:
        return _gguf_facts(folder)
    nbytes = folder_bytes(folder, stop)
    config, problem = _config(folder)
    problem = problem or _load_problem(names, config)
    quantised = quantization(config)
    tokenizer = _text(folder / "tokenizer_config.json", _MAX_TOKENIZER_CONFIG_BYTES)
    template = _template(folder, names, tokenizer)
    capabilities = {
        REASONING: has_reasoning(template),
        TOOLS: has_tools(template),
        IMAGES: any(key in config for key in _VISION_KEYS),
    }
    return FolderFacts(
        nbytes=nbytes,
        architecture=clean_name(config.get("model_type"), _MAX_WORD_CHARACTERS),
        **quantised,
        dtype="" if quantised["bits"] else _dtype(config),
        context=_context(config, tokenizer),
        capabilities=frozenset(name for name, is_present in capabilities.items() if is_present),
        licence=_licence(folder, config),
        problem=problem,
        others=_foreign_names(names),
    )


def _gguf_facts(path: Path) -> FolderFacts:
    try:
        file = kept.find_single_file(path) if path.is_dir() else path
        status = os.stat(file if file is not None else path)
    except EngineError as error:
        return FolderFacts(problem=error.message)
    except OSError as error:
        return FolderFacts(problem=f"The file cannot be read: {_reason(error)}.", gone=True)
    return FolderFacts(nbytes=status.st_size, architecture="GGUF")


def _foreign_names(names: set[str]) -> tuple[str, ...]:
    foreign_names = sorted(name for name in names if not _MODEL_FILE_NAMES.search(name))[
        :_MAX_OTHERS
    ]
    return tuple(
        clean_name(name, _MAX_WORD_CHARACTERS) or "a file without a name" for name in foreign_names
    )


def folder_bytes(folder: Path, stop: Stop) -> int:
    """Return the total bytes of a folder's files, counting each file once."""
    sizes: dict[tuple[int, int], int] = {}
    for number, (parent, _, names) in enumerate(os.walk(folder)):  # doesn't follow links to folders
        if number == _MAX_FILES or stop():
            break
        for name in names:
            try:
                status = os.stat(os.path.join(parent, name))
            except OSError:  # a broken link, or a file that was just deleted
                continue
            sizes[status.st_dev, status.st_ino] = status.st_size
            if len(sizes) == _MAX_FILES or stop():  # probably a whole disk rather than a model
                return sum(sizes.values())
    return sum(sizes.values())


def _config(folder: Path) -> tuple[dict[str, Any], str]:
    try:
        config = read_json(folder / "config.json", MAX_CONFIG_BYTES)
    except FileNotFoundError:
        return {}, "It has no config.json."
    except (OSError, ValueError) as error:
        return {}, f"Its config.json cannot be read: {_reason(error)}."
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        return {}, "Its config.json has no model type."
    return config, ""


def _load_problem(names: set[str], config: dict[str, Any]) -> str:
    weights = [n for n in names if n.startswith("model") and n.endswith(".safetensors")]
    if not weights:
        return "It has no weights."
    for name in weights:
        shard = _SHARD.fullmatch(name)
        if shard is not None and int(shard[2]) <= _MAX_SHARDS:
            expected_names = {
                f"model-{n:05}-of-{shard[2]}.safetensors" for n in range(1, int(shard[2]) + 1)
            }
            if missing := len(expected_names - names):
                return f"{missing} of its {len(expected_names)} weight files are missing."
            break
    if config.get("model_file"):
        return "It requires code of its own. Stretto never runs such code."
    if config and not _is_known_architecture(config):
        return "This version does not support its architecture. A newer one may."
    return ""


def _is_known_architecture(config: dict[str, Any]) -> bool:
    """Return True if mlx-lm supports the architecture or isn't imported yet."""
    # Importing mlx-lm takes a second, which is too slow for listing models.
    if "mlx_lm" not in sys.modules:
        return True
    try:
        return is_known_architecture(config)
    except (ImportError, TypeError, ValueError):  # the module name isn't valid
        return False


def _dtype(config: dict[str, Any]) -> str:
    for part in text_configs(config):
        for key in ("torch_dtype", "dtype"):
            if isinstance(part.get(key), str):
                return clean_name(part[key].removeprefix("torch."), 12)
    return ""


def _context(config: dict[str, Any], tokenizer: str) -> int:
    if not config:
        return 0
    named = _LIMIT.search(tokenizer)
    limit = int(named[1]) if named else None
    return min(context_length(config, SimpleNamespace(model_max_length=limit)), 2**40)


def _template(folder: Path, names: set[str], tokenizer: str) -> str:
    if "chat_template.jinja" in names:
        return _text(folder / "chat_template.jinja", _MAX_TEMPLATE_CHARACTERS)
    separate = _text(folder / "chat_template.json", _MAX_TOKENIZER_CONFIG_BYTES)
    return _extract_template(separate) or _extract_template(tokenizer)


def _extract_template(text: str) -> str:
    """Return "chat_template" in JSON text without parsing everything else."""
    key = re.search(r'"chat_template"\s*:\s*', text)
    if key is None or text[key.end() : key.end() + 1] not in ('"', "["):
        return ""
    try:
        value, _ = json.JSONDecoder().raw_decode(
            text[: key.end() + _MAX_TEMPLATE_CHARACTERS], key.end()
        )
    except (ValueError, RecursionError):
        return ""
    return template_text(value)


def _text(file: Path, max_bytes: int) -> str:
    try:
        return read_file(file, max_bytes).decode(errors="replace")
    except (OSError, ValueError):
        return ""


def _licence(folder: Path, config: dict[str, Any]) -> str:
    try:
        text = _first_bytes(folder / "README.md", _MAX_README_BYTES).decode(errors="replace")
    except (OSError, ValueError):
        text = ""
    front = text.split("\n---", 1)[0] if text.startswith("---") else ""
    named = {key: value.strip() for key, value in _LICENCE.findall(front)}
    return licence_name(named.get("license") or config.get("license"), named.get("license_name"))


def _first_bytes(file: Path, max_bytes: int) -> bytes:
    with open_regular(file) as stream:
        return stream.read(max_bytes)


def _reason(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return clean_name(words, 100) or type(error).__name__


class ModelSource(Enum):
    """Program that a folder belongs to. Values are shown to the user."""

    BUNDLED = "Stretto"
    HUB = "Hugging Face"
    LM_STUDIO = "LM Studio"
    MLX_LM = "mlx-lm"
    OWN = "Stretto's models"
    ADDED = "Added by hand"


class ModelPlace(Struct, frozen=True):
    source: ModelSource
    path: Path


def model_places(
    own_folder: Path | None = None,
    added: Iterable[str] = (),
    home: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> list[ModelPlace]:
    """Return all places where models could be, including missing folders.

    Args:
        home: home folder of the other programs (default: the user's home).
    """
    home = home or Path.home()
    places = [
        ModelPlace(ModelSource.HUB, downloads.cache_root()),
        *(ModelPlace(ModelSource.LM_STUDIO, path) for path in _lm_studio_folders(home)),
        *(ModelPlace(ModelSource.MLX_LM, path) for path in _mlx_lm_folders(home, environment)),
    ]
    if own_folder is not None:
        places.append(ModelPlace(ModelSource.OWN, own_folder))
    places.append(ModelPlace(ModelSource.OWN, kept.models_folder()))
    places += [ModelPlace(ModelSource.ADDED, Path(path)) for path in added]
    return list({location.path: location for location in reversed(places)}.values())[::-1]


def _lm_studio_folders(home: Path) -> list[Path]:
    homes = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    try:
        pointer = read_file(home / ".lmstudio-home-pointer", 4096).decode().strip()
        homes.insert(0, Path(pointer.splitlines()[0]))
    except (OSError, ValueError, IndexError):
        pass
    folders = []
    for folder in homes:
        if not folder.is_absolute():
            continue
        folders.append(folder / "models")
        try:
            named = read_json(folder / "settings.json", 2**20)
        except (OSError, ValueError):
            continue
        downloads_folder = named.get("downloadsFolder") if isinstance(named, dict) else None
        if (
            isinstance(downloads_folder, str)
            and "\0" not in downloads_folder
            and Path(downloads_folder).is_absolute()
        ):
            folders.append(Path(downloads_folder))
    return folders


def _mlx_lm_folders(home: Path, environment: Mapping[str, str]) -> list[Path]:
    scope = environment.get("MODELSCOPE_CACHE", "")
    root = Path(scope).expanduser() if scope else home / ".cache" / "modelscope"
    return [root / "hub" / "models", root / "models", home / "mlx_model", home / "fused_model"]


class InstalledModel(Struct, frozen=True):
    """Model on this machine.

    Attributes:
        ref: a hub id (``owner/name``, ``owner/name@revision``) or a folder to load.
        name: short, sanitized name for display.
        removes: folder to delete with the model. In the hub's cache that's the whole repository,
            since revisions share files.
        shares: refs of other revisions that would be deleted along with it.
    """

    ref: str
    name: str
    folder: Path
    source: ModelSource
    facts: FolderFacts
    removes: Path
    shares: tuple[str, ...] = ()


class Inventory:
    """Finder of models. Facts about a folder are cached until its files change."""

    def __init__(self) -> None:
        self._cache: dict[Path, tuple[tuple[object, ...], FolderFacts]] = {}

    def walk(
        self, places: Iterable[ModelPlace], refs: Iterable[str] = (), stop: Stop = lambda: False
    ) -> Iterator[InstalledModel]:
        """Yield models as they are found.

        Args:
            refs: additional models, which are listed even if they no longer exist.
        """
        seen_paths: set[str] = set()
        folders: set[tuple[int, int]] = set()
        for place in places:
            for model in self._walk_place(place, folders, stop):
                real = os.path.realpath(model.folder)
                if real not in seen_paths and len(seen_paths) < MAX_FOLDERS:
                    seen_paths.add(real)
                    yield model
                if stop():
                    return
        for ref in refs:
            if stop():
                return
            folder = Path(ref)
            if folder.is_absolute() and kept.is_gguf(folder):
                folder = kept.find_converted(folder) or folder  # use the converted folder
            if folder.is_absolute() and (real := os.path.realpath(folder)) not in seen_paths:
                seen_paths.add(real)
                yield self.inspect(ref, folder, ModelSource.ADDED, stop)

    def inspect(
        self, ref: str, folder: Path, source: ModelSource, stop: Stop = lambda: False
    ) -> InstalledModel:
        return InstalledModel(ref, _name(folder), folder, source, self._facts(folder, stop), folder)

    def _facts(self, folder: Path, stop: Stop) -> FolderFacts:
        statuses = tuple(_status(folder / name) for name in ("", *_FACT_FILES))
        cached = self._cache.get(folder)
        if cached is None or cached[0] != statuses:
            cached = (statuses, facts_of(folder, stop))
            if not stop():  # after a stop, the size is incomplete
                self._cache[folder] = cached
        return cached[1]

    def _walk_place(
        self, location: ModelPlace, folders: set[tuple[int, int]], stop: Stop
    ) -> Iterator[InstalledModel]:
        waiting = [(location.path, 0)]
        while waiting and len(folders) < MAX_FOLDERS and not stop():
            folder, depth = waiting.pop()
            try:
                status = os.stat(folder)
                if (status.st_dev, status.st_ino) in folders:
                    continue  # already visited through another link
                folders.add((status.st_dev, status.st_ino))
                names, inner = _entries(folder)
            except OSError:
                continue
            if _is_model(names):
                yield self.inspect(str(folder), folder, location.source, stop)
            if "config.json" in names:
                continue
            repos = [path for path in inner if path.name.startswith(_REPO)]
            for repo in repos:
                yield from self._walk_repo(repo, location, stop)
            if depth < MAX_DEPTH and not repos:
                waiting += [(path, depth + 1) for path in inner]

    def _walk_repo(self, repo: Path, location: ModelPlace, stop: Stop) -> Iterator[InstalledModel]:
        revisions = _revisions(repo)
        named = repo.name.removeprefix(_REPO).replace("--", "/")
        is_own_cache = repo.parent == downloads.cache_root()
        refs = {
            snapshot: _ref(named, revision, snapshot, is_own_cache)
            for snapshot, revision in revisions.items()
        }
        for snapshot, ref in refs.items():
            revision = revisions[snapshot]
            name = clean_name(named.rpartition("/")[2]) or "Model"
            if revision != MAIN and len(refs) > 1:
                name += f" @ {clean_name(revision, 12)}"
            try:
                names, _ = _entries(snapshot)
            except OSError:
                continue
            if _is_model(names):
                facts = self._facts(snapshot, stop)
                shares = tuple(r for r in refs.values() if r != ref)
                yield InstalledModel(ref, name, snapshot, location.source, facts, repo, shares)


def _ref(repo: str, revision: str, snapshot: Path, is_own_cache: bool) -> str:
    """Return the hub id if the engine can resolve it to this snapshot, else the folder."""
    ref = repo if revision == MAIN else f"{repo}@{revision}"
    if is_own_cache and parse(ref) is not None and downloads.find(repo, revision) == snapshot:
        return ref
    return str(snapshot)


def _revisions(repo: Path) -> dict[Path, str]:
    commits: dict[str, str] = {}
    refs = repo / "refs"
    for parent, _, names in os.walk(refs):
        for name in sorted(names):
            revision = os.path.relpath(os.path.join(parent, name), refs)
            if len(commits) >= _MAX_REVISIONS:
                break
            if not is_revision(revision):
                continue
            try:
                commit = read_file(refs / revision, 100).decode().strip()
            except (OSError, ValueError):
                continue
            if commit and (commit not in commits or revision == MAIN):
                commits[commit] = revision
    try:
        _, snapshots = _entries(repo / "snapshots")
    except OSError:
        return {}
    revisions = {path: commits.get(path.name, path.name) for path in snapshots[:_MAX_REVISIONS]}
    order = sorted(revisions.items(), key=lambda item: (item[1] != MAIN, item[1]))
    return dict(order)


def _entries(folder: Path) -> tuple[set[str], list[Path]]:
    """Return all names in a folder, and the subfolders that aren't hidden. Raises `OSError`."""
    names: set[str] = set()
    inner: list[Path] = []
    with os.scandir(folder) as entries:
        for _, entry in zip(range(MAX_FOLDERS), entries, strict=False):
            names.add(entry.name)
            try:
                if not entry.name.startswith(".") and entry.is_dir():
                    inner.append(Path(entry.path))
            except OSError:  # circular link
                continue
    return names, sorted(inner)


def _is_model(names: set[str]) -> bool:
    return "config.json" in names and any(name.endswith(".safetensors") for name in names)


def _status(path: Path) -> tuple[int, int, int] | None:
    """Return values that change with the content of a file or folder."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _name(folder: Path) -> str:
    try:
        return clean_name(display_name(folder.resolve())) or clean_name(folder.name) or "Model"
    except (OSError, ValueError, RuntimeError):  # circular link
        return clean_name(folder.name) or "Model"


def find_adapters(folder: Path) -> list[Path]:
    adapters = []
    for candidate in (folder, folder / "adapters"):
        try:
            with os.scandir(candidate) as entries:
                adapters += [
                    Path(e.path) for e in islice(entries, _MAX_SUBFOLDERS) if _is_adapter(e)
                ]
        except OSError:
            continue
    return sorted(adapters)


def _is_adapter(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and is_adapter(Path(entry.path))


def is_adapter(folder: Path) -> bool:
    return all(os.path.isfile(folder / name) for name in (ADAPTER_CONFIG, ADAPTER_WEIGHTS))


def adapter_entry(ref: str, base: str, folder: Path) -> InstalledModel:
    name = f"{base} + {clean_name(folder.name) or 'adapter'}"
    return InstalledModel(ref, name, folder, ModelSource.ADDED, _adapter_facts(folder), folder)


def _adapter_facts(folder: Path) -> FolderFacts:
    if not os.path.isdir(folder):
        return FolderFacts(problem="The adapter's folder no longer exists.", gone=True)
    nbytes = folder_bytes(folder, lambda: False)
    if not is_adapter(folder):
        return FolderFacts(
            nbytes, problem=f"Not an adapter: {ADAPTER_CONFIG} or {ADAPTER_WEIGHTS} is missing."
        )
    try:
        config = read_json(folder / ADAPTER_CONFIG, MAX_CONFIG_BYTES)
        kind = config.get("fine_tune_type", "lora") if isinstance(config, dict) else ""
    except (OSError, ValueError):
        return FolderFacts(nbytes, problem=f"Its {ADAPTER_CONFIG} cannot be read.")
    spelt = ADAPTERS.get(kind) if isinstance(kind, str) else None
    if spelt is None:
        return FolderFacts(nbytes, problem="It is not a LoRA or DoRA adapter.")
    return FolderFacts(nbytes, architecture=f"{spelt} adapter")
