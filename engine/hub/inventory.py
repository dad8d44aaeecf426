"""The models and adapters on this machine, found where they lie. Nothing is loaded or moved.

    from engine.hub.inventory import Inventory, places

    for model in Inventory().walk(places()):
        print(model.name, model.facts.nbytes)

Blocks on the disk: call it from a worker. A list of models meets folders that have not been judged:
a pipe instead of a config, a config of a gigabyte, weights that are not all there. Nothing here
waits for one of those, reads more than `MOST_CONFIG` of it, or raises because of it. No MLX.
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
from engine.hub.models import knows, quantisation
from engine.hub.names import (
    MAIN,
    clean_name,
    is_revision,
    licence_name,
    parse,
    reasons,
    takes_tools,
    template_text,
)
from engine.model.folder import context_length, display_name
from engine.model.info import PREDICTION_HEAD
from engine.sandbox.folders import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    open_regular,
    read_file,
    read_json,
)

DEEPEST = 3  # how many folders below a place models are looked for: LM Studio has OWNER/NAME
MOST_FOLDERS = 20_000  # folders that are looked into in all, and models that are listed

_MOST_REVISIONS = 50
_REPO = "models--"
# What `FolderFacts` come from, with the names in the folder.
_READ = (
    *("config.json", "tokenizer_config.json", "chat_template.jinja", "chat_template.json"),
    "README.md",
)
_MOST_BESIDE = 200  # folders in a model's folder that are looked into
_ADAPTERS = {"lora": "LoRA", "dora": "DoRA"}

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
_LIMIT = re.compile(r'"model_max_length"\s*:\s*(\d{1,8})(?![\d.eE])')
_SHARD = re.compile(r"model-(\d{5})-of-(\d{5})\.safetensors")
_LICENCE = re.compile(r"^(license|license_name)\s*:\s*[\"']?([^\"'#\n]{1,100})", re.M)
_DTYPE = re.compile(rb'"dtype"\s*:\s*"([A-Z0-9_]{1,10})"')
_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}

Stop = Callable[[], bool]


# One folder.


class FolderFacts(Struct, frozen=True):
    """One folder. What it does not say is empty, 0 or None."""

    nbytes: int = 0  # of all files in it, links followed, each file once
    architecture: str = ""  # the `model_type` of its config
    bits: int | None = None  # of its quantized weights; where layers differ, of most of them
    group_size: int | None = None  # how many weights share a scale
    mixed: bool = False  # whether layers are quantized differently
    dtype: str = ""  # of weights that are not quantized, as "bfloat16"
    context: int = 0  # tokens, as the engine would take it
    # of `REASONING`, `TOOLS` and `IMAGES`, by its template and config
    capabilities: frozenset[str] = frozenset()
    licence: str = ""  # as its README or config names it
    # why it cannot be loaded, as a sentence; "" where nothing is known against it
    problem: str = ""
    gone: bool = False  # whether there is no such folder
    others: tuple[str, ...] = ()  # names of things in it that no model has, a few of them, cleaned


def facts_of(folder: Path, stop: Stop = lambda: False) -> FolderFacts:
    """Look at a folder now. Never raises.

    ``stop``: whether it was cancelled; what was found by then is returned.
    """
    if kept.is_gguf(folder):
        return _of_gguf(folder)
    try:
        names, _ = _entries(folder)
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
    tokenizer = _text(folder / "tokenizer_config.json", _MOST_TOKENIZER_CONFIG)
    template = _template(folder, names, tokenizer)
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
        context=_context(config, tokenizer),
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
    if config.get("model_type") == PREDICTION_HEAD:
        return "Prediction heads (MTP) are no longer supported."
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


def _context(config: dict[str, Any], tokenizer: str) -> int:
    if not config:
        return 0
    named = _LIMIT.search(tokenizer)
    limit = int(named[1]) if named else None
    return min(context_length(config, SimpleNamespace(model_max_length=limit)), 2**40)


def _template(folder: Path, names: set[str], tokenizer: str) -> str:
    """The chat template's text, from whichever of its three places."""
    if "chat_template.jinja" in names:
        return _text(folder / "chat_template.jinja", _MOST_TEMPLATE)
    own = _text(folder / "chat_template.json", _MOST_TOKENIZER_CONFIG)
    return _template_in(own) or _template_in(tokenizer)


def _template_in(text: str) -> str:
    """The value of "chat_template" in a text in JSON, of which nothing else is parsed."""
    key = re.search(r'"chat_template"\s*:\s*', text)
    if key is None or text[key.end() : key.end() + 1] not in ('"', "["):
        return ""
    try:
        value, _ = json.JSONDecoder().raw_decode(text[: key.end() + _MOST_TEMPLATE], key.end())
    except (ValueError, RecursionError):
        return ""
    return template_text(value)


def _text(file: Path, most: int) -> str:
    """An ordinary file's text; "" where there is none, or more than so many bytes of it."""
    try:
        return read_file(file, most).decode(errors="replace")
    except (OSError, ValueError):
        return ""


def _licence(folder: Path, config: dict[str, Any]) -> str:
    """As the first lines of its README have it for the hub, or its config."""
    try:
        text = _first_bytes(folder / "README.md", _MOST_README).decode(errors="replace")
    except (OSError, ValueError):
        text = ""
    front = text.split("\n---", 1)[0] if text.startswith("---") else ""
    named = {key: value.strip() for key, value in _LICENCE.findall(front)}
    return licence_name(named.get("license") or config.get("license"), named.get("license_name"))


def _first_bytes(file: Path, most: int) -> bytes:
    """The first bytes of an ordinary file."""
    with open_regular(file) as stream:
        return stream.read(most)


def _reason(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return clean_name(words, 100) or type(error).__name__


# Where folders lie.


class Source(Enum):
    """Whose a place is; the value is what people read."""

    BUNDLED = "Stretto"
    HUB = "Hugging Face"
    LM_STUDIO = "LM Studio"
    MLX_LM = "mlx-lm"
    OWN = "Stretto's models"
    ADDED = "Added by hand"


class Place(Struct, frozen=True):
    """A folder that holds models, or is one."""

    source: Source
    path: Path


def places(
    own: Path | None = None,
    added: Iterable[str] = (),
    home: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> list[Place]:
    """Every place where models may be, whether it is there or not; each path once.

    Args:
        own: the program's own folder of models.
        added: folders that the person named.
        home: whose other programs are meant; by default the person's own.
    """
    home = home or Path.home()
    found = [
        Place(Source.HUB, downloads.root()),
        *(Place(Source.LM_STUDIO, path) for path in _of_lm_studio(home)),
        *(Place(Source.MLX_LM, path) for path in _of_mlx_lm(home, environment)),
    ]
    if own is not None:
        found.append(Place(Source.OWN, own))
    found.append(Place(Source.OWN, kept.root()))
    found += [Place(Source.ADDED, Path(path)) for path in added]
    return list({place.path: place for place in reversed(found)}.values())[::-1]


def _of_lm_studio(home: Path) -> list[Path]:
    """LM Studio's home is where its pointer file says; its settings may name another folder."""
    homes = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    try:
        pointer = read_file(home / ".lmstudio-home-pointer", 4096).decode().strip()
        homes.insert(0, Path(pointer.splitlines()[0]))
    except (OSError, ValueError, IndexError):
        pass
    found = []
    for folder in homes:
        if not folder.is_absolute():
            continue
        found.append(folder / "models")
        try:
            named = read_json(folder / "settings.json", 2**20)
        except (OSError, ValueError):
            continue
        chosen = named.get("downloadsFolder") if isinstance(named, dict) else None
        if isinstance(chosen, str) and "\0" not in chosen and Path(chosen).is_absolute():
            found.append(Path(chosen))
    return found


def _of_mlx_lm(home: Path, environment: Mapping[str, str]) -> list[Path]:
    """mlx-lm downloads into the hub's cache or ModelScope's; `convert` and `fuse` write these."""
    scope = environment.get("MODELSCOPE_CACHE", "")
    root = Path(scope).expanduser() if scope else home / ".cache" / "modelscope"
    return [root / "hub" / "models", root / "models", home / "mlx_model", home / "fused_model"]


class Installed(Struct, frozen=True):
    """One model."""

    # how it is named to load it: a hub id (``owner/name``, ``owner/name@revision``) or a folder
    ref: str
    name: str  # to be shown; cleaned and short
    folder: Path  # that holds its files
    source: Source
    facts: FolderFacts
    # the folder to be removed if the model is. In the hub's cache it is that of the repository, as
    # revisions share files.
    removes: Path
    shares: tuple[str, ...] = ()  # the refs of the other revisions that would go with it


class Inventory:
    """Looks for models; what it has read of one is remembered until its files change."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[object, ...], FolderFacts]] = {}

    def walk(
        self, places: Iterable[Place], refs: Iterable[str] = (), stop: Stop = lambda: False
    ) -> Iterator[Installed]:
        """The models of these places, each folder once, as they are found.

        Args:
            refs: further models by their names, such as folders that were opened before. A folder
                among them is listed even if it is no model or is not there.
            stop: whether it was cancelled.
        """
        seen: set[str] = set()
        folders: set[tuple[int, int]] = set()
        for place in places:
            for found in self._in(place, folders, stop):
                real = os.path.realpath(found.folder)
                if real not in seen and len(seen) < MOST_FOLDERS:
                    seen.add(real)
                    yield found
                if stop():
                    return
        for ref in refs:
            if stop():
                return
            folder = Path(ref)
            if folder.is_absolute() and kept.is_gguf(folder):
                folder = kept.known(folder) or folder  # what was made of it is in a place of ours
            if folder.is_absolute() and (real := os.path.realpath(folder)) not in seen:
                seen.add(real)
                yield self.look(ref, folder, Source.ADDED, stop)

    def look(self, ref: str, folder: Path, source: Source, stop: Stop = lambda: False) -> Installed:
        """One folder, whatever is in it."""
        return Installed(ref, _name(folder), folder, source, self._facts(folder, stop), folder)

    def _facts(self, folder: Path, stop: Stop) -> FolderFacts:
        same = tuple(_status(folder / name) for name in ("", *_READ))
        known = self._known.get(folder)
        if known is None or known[0] != same:
            known = (same, facts_of(folder, stop))
            if not stop():  # its size is not all of it
                self._known[folder] = known
        return known[1]

    def _in(self, place: Place, folders: set[tuple[int, int]], stop: Stop) -> Iterator[Installed]:
        """The models below a place. ``folders``: those that were looked into by now."""
        waiting = [(place.path, 0)]
        while waiting and len(folders) < MOST_FOLDERS and not stop():
            folder, depth = waiting.pop()
            try:
                status = os.stat(folder)
                if (status.st_dev, status.st_ino) in folders:
                    continue  # by another link, or a link into itself
                folders.add((status.st_dev, status.st_ino))
                names, inner = _entries(folder)
            except OSError:
                continue
            if _is_model(names):
                yield self.look(str(folder), folder, place.source, stop)
            if "config.json" in names:
                continue
            repos = [path for path in inner if path.name.startswith(_REPO)]
            for repo in repos:
                yield from self._in_repo(repo, place, stop)
            if depth < DEEPEST and not repos:
                waiting += [(path, depth + 1) for path in inner]

    def _in_repo(self, repo: Path, place: Place, stop: Stop) -> Iterator[Installed]:
        """The revisions of a repository in the hub's downloads."""
        revisions = _revisions(repo)
        named = repo.name.removeprefix(_REPO).replace("--", "/")
        ours = repo.parent == downloads.root()
        refs = {
            snapshot: _ref(named, revision, snapshot, ours)
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
                yield Installed(ref, name, snapshot, place.source, facts, repo, shares)


def _ref(repo: str, revision: str, snapshot: Path, ours: bool) -> str:
    """A hub id where the engine finds the snapshot by it, else its folder."""
    ref = repo if revision == MAIN else f"{repo}@{revision}"
    if ours and parse(ref) is not None and downloads.find(repo, revision) == snapshot:
        return ref
    return str(snapshot)


def _revisions(repo: Path) -> dict[Path, str]:
    """The snapshots of a repository, each with one name; that of `MAIN` first."""
    commits: dict[str, str] = {}
    refs = repo / "refs"
    for place, _, names in os.walk(refs):
        for name in sorted(names):
            revision = os.path.relpath(os.path.join(place, name), refs)
            if len(commits) >= _MOST_REVISIONS:
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
    found = {path: commits.get(path.name, path.name) for path in snapshots[:_MOST_REVISIONS]}
    order = sorted(found.items(), key=lambda one: (one[1] != MAIN, one[1]))
    return dict(order)


def _entries(folder: Path) -> tuple[set[str], list[Path]]:
    """The names in a folder, and the folders among them, links to folders too, hidden ones not.

    Raises OSError.
    """
    names: set[str] = set()
    inner: list[Path] = []
    with os.scandir(folder) as entries:
        for _, entry in zip(range(MOST_FOLDERS), entries, strict=False):
            names.add(entry.name)
            try:
                if not entry.name.startswith(".") and entry.is_dir():
                    inner.append(Path(entry.path))
            except OSError:  # a link into itself
                continue
    return names, sorted(inner)


def _is_model(names: set[str]) -> bool:
    return "config.json" in names and any(name.endswith(".safetensors") for name in names)


def _status(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does, or when something comes into a folder."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _name(folder: Path) -> str:
    try:
        return clean_name(display_name(folder.resolve())) or clean_name(folder.name) or "Model"
    except (OSError, ValueError, RuntimeError):  # a link into itself
        return clean_name(folder.name) or "Model"


# Adapters: variants of their bases.


def adapters_beside(folder: Path) -> list[Path]:
    """The adapters in a model's own folder, or in a folder `adapters` there."""
    found = []
    for place in (folder, folder / "adapters"):
        try:
            with os.scandir(place) as entries:
                found += [Path(e.path) for e in islice(entries, _MOST_BESIDE) if _is_adapter(e)]
        except OSError:
            continue
    return sorted(found)


def _is_adapter(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and is_adapter(Path(entry.path))


def is_adapter(folder: Path) -> bool:
    """Whether a folder has the two files of an adapter."""
    return all(os.path.isfile(folder / name) for name in (ADAPTER_CONFIG, ADAPTER_WEIGHTS))


def variant(ref: str, base: str, folder: Path) -> Installed:
    """A model with an adapter, as the list shows it.

    Args:
        ref: how it is named to load it.
        base: the model's name.
        folder: the adapter's.
    """
    name = f"{base} + {clean_name(folder.name) or 'adapter'}"
    return Installed(ref, name, folder, Source.ADDED, _adapter_facts(folder), folder)


def _adapter_facts(folder: Path) -> FolderFacts:
    if not os.path.isdir(folder):
        return FolderFacts(problem="The adapter's folder is not there any more.", gone=True)
    nbytes = bytes_in(folder, lambda: False)
    if not is_adapter(folder):
        return FolderFacts(
            nbytes, problem=f"No adapter: {ADAPTER_CONFIG} or {ADAPTER_WEIGHTS} is missing."
        )
    try:
        config = read_json(folder / ADAPTER_CONFIG, MOST_CONFIG)
        kind = config.get("fine_tune_type", "lora") if isinstance(config, dict) else ""
    except (OSError, ValueError):
        return FolderFacts(nbytes, problem=f"Its {ADAPTER_CONFIG} cannot be read.")
    spelt = _ADAPTERS.get(kind) if isinstance(kind, str) else None
    if spelt is None:
        return FolderFacts(nbytes, problem="It is no LoRA or DoRA adapter.")
    return FolderFacts(nbytes, architecture=f"{spelt} adapter")
