"""The models and adapters on this machine, found where they lie. Nothing is loaded or moved.

    from engine.hub.inventory import Inventory, places

    for model in Inventory().walk(places()):
        print(model.name, model.facts.nbytes)

Blocks on the disk: call it from a worker. Folders are looked at with limits (`folder_facts`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from pathlib import Path

from engine.hub import cache
from engine.hub.folder_facts import FolderFacts, bytes_in, facts_of, same_files
from engine.hub.gguf import kept
from engine.hub.names import MAIN, clean_name, is_revision, parse
from engine.model.folder import display_name
from engine.sandbox.folders import ADAPTER_CONFIG, ADAPTER_WEIGHTS, read, read_json

DEEPEST = 3
"""How many folders below a place models are looked for: LM Studio has OWNER/NAME."""
MOST_FOLDERS = 20_000
"""Folders that are looked into in all, and models that are listed."""

_MOST_REVISIONS = 50
_REPO = "models--"
# What FolderFacts come from, beside the folder's own entries.
_TOLD_BY = (
    "config.json",
    "tokenizer_config.json",
    "chat_template.jinja",
    "chat_template.json",
    "README.md",
)

_MOST_BESIDE = 200  # folders in a model's folder that are looked into
_MOST_CONFIG = 2**20
_ADAPTERS = {"lora": "LoRA", "dora": "DoRA"}

Stop = Callable[[], bool]


class Source(Enum):
    """Whose a place is; the value is what people read."""

    BUNDLED = "Stretto"
    HUB = "Hugging Face"
    LM_STUDIO = "LM Studio"
    MLX_LM = "mlx-lm"
    OWN = "Stretto's models"
    ADDED = "Added by hand"


@dataclass(frozen=True)
class Place:
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
        Place(Source.HUB, cache.root()),
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
        pointer = read(home / ".lmstudio-home-pointer", 4096).decode().strip()
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


@dataclass(frozen=True)
class Installed:
    """One model.

    Attributes:
        ref: how it is named to load it: a hub id (``owner/name``, ``owner/name@revision``) or a
            folder.
        name: to be shown; cleaned and short.
        folder: that holds its files.
        removes: the folder to be removed if the model is. In the hub's cache it is that of the
            repository, as revisions share files.
        shares: the refs of the other revisions that would go with it.
    """

    ref: str
    name: str
    folder: Path
    source: Source
    facts: FolderFacts
    removes: Path
    shares: tuple[str, ...] = ()


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
        return self._made(ref, _name(folder), folder, source, folder, stop)

    def _made(
        self, ref: str, name: str, folder: Path, source: Source, removes: Path, stop: Stop
    ) -> Installed:
        same = same_files(folder, _TOLD_BY)
        known = self._known.get(folder)
        if known is None or known[0] != same:
            known = (same, facts_of(folder, stop))
            if not stop():  # its size is not all of it
                self._known[folder] = known
        return Installed(ref, name, folder, source, known[1], removes)

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
            if "config.json" in names:
                if any(name.endswith(".safetensors") for name in names):
                    yield self._made(str(folder), _name(folder), folder, place.source, folder, stop)
                continue
            repos = [path for path in inner if path.name.startswith(_REPO)]
            for repo in repos:
                yield from self._in_repo(repo, place, stop)
            if depth < DEEPEST and not repos:
                waiting += [(path, depth + 1) for path in inner]

    def _in_repo(self, repo: Path, place: Place, stop: Stop) -> Iterator[Installed]:
        """The revisions of a repository in the hub's cache."""
        revisions = _revisions(repo)
        named = repo.name.removeprefix(_REPO).replace("--", "/")
        ours = repo.parent == cache.root()
        refs = {
            snapshot: _ref(named, revision, snapshot, ours)
            for snapshot, revision in revisions.items()
        }
        for snapshot, ref in refs.items():
            revision = revisions[snapshot]
            name = clean_name(named.rpartition("/")[2]) or "Model"
            if revision != MAIN and len(refs) > 1:
                name += f" @ {clean_name(revision, 12)}"
            if _is_model(snapshot):
                found = self._made(ref, name, snapshot, place.source, repo, stop)
                yield replace(found, shares=tuple(r for r in refs.values() if r != ref))


def _ref(repo: str, revision: str, snapshot: Path, ours: bool) -> str:
    """A hub id where the engine finds the snapshot by it, else its folder."""
    ref = repo if revision == MAIN else f"{repo}@{revision}"
    if ours and parse(ref) is not None and cache.find(repo, revision) == snapshot:
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
                commit = read(refs / revision, 100).decode().strip()
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


def _is_model(folder: Path) -> bool:
    try:
        names, _ = _entries(folder)
    except OSError:
        return False
    return "config.json" in names and any(name.endswith(".safetensors") for name in names)


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
        config = read_json(folder / ADAPTER_CONFIG, _MOST_CONFIG)
        kind = config.get("fine_tune_type", "lora") if isinstance(config, dict) else ""
    except (OSError, ValueError):
        return FolderFacts(nbytes, problem=f"Its {ADAPTER_CONFIG} cannot be read.")
    spelt = _ADAPTERS.get(kind) if isinstance(kind, str) else None
    if spelt is None:
        return FolderFacts(nbytes, problem="It is no LoRA or DoRA adapter.")
    return FolderFacts(nbytes, architecture=f"{spelt} adapter")
