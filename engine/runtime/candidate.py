"""Checks of a model before it is loaded, in sandboxed child processes."""

from __future__ import annotations

import logging
import threading
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from engine import hub
from engine.cache.config_shape import text_configs
from engine.cache.estimate import Weights
from engine.cluster.sharding import ShardSizes
from engine.errors import (
    FOLDER_GONE,
    MODEL_LOAD_FAILED,
    OUT_OF_MEMORY,
    EngineError,
    describe_error,
    is_out_of_memory,
)
from engine.hub.gguf import kept
from engine.hub.names import clean_name
from engine.model import adapters, folder, loader
from engine.model.adapters import Adapter, needs_own_weights
from engine.model.fingerprint import folder_identity
from engine.model.loaded_model import CheckedModel, LoadedModel
from engine.runtime.plan import LoadRequest
from engine.runtime.result_files import TokenizerCheckFile
from engine.sandbox.confined import CheckedTokenizer, Sandbox
from engine.sandbox.folders import AdapterFacts, ModelFacts
from engine.text.known_tokenizer import KnownTokenizer

log = logging.getLogger(__name__)


# Number of folders whose results are remembered until one of their files changes. Checking a
# tokenizer takes a second.
MAX_CHECKED_FOLDERS = 16
_checked: dict[tuple[object, ...], CheckedTokenizer] = {}
_lock = threading.Lock()  # workers, including those of other engines, examine folders concurrently


class Candidate(Struct, frozen=True):
    """Model that passed the checks and can be loaded."""

    checked_model: CheckedModel
    checked_tokenizer: CheckedTokenizer
    adapter: Adapter | None = None  # set if this is a variant
    wide: int = 0  # bytes of the weights if all floats are converted to float32
    share: Weights | None = None  # size on each rank, if the engine has several

    @property
    def identity(self) -> tuple[object, ...]:
        """Key that changes when a file in one of the folders changes."""
        base_identity = self.checked_model.identity
        return base_identity if self.adapter is None else (base_identity, self.adapter.identity)

    @property
    def name(self) -> str:
        base_name = self.checked_model.name
        return base_name if self.adapter is None else f"{base_name} + {self.adapter.name}"

    def spread(self, shares: ShardSizes) -> Candidate:
        checked, adapted = self.checked_model, self.adapter is not None
        share = shares.shard_weights(
            checked.folder, checked.name, checked.config, checked.identity, adapted
        )
        return replace(self, share=share)

    def request(self, key: str, base: LoadedModel | None, float32: bool) -> LoadRequest:
        """Return the load request for the scheduler.

        Args:
            base: loaded model that this model would share weights with.
        """
        adapter = None if self.adapter is None else self.adapter.facts
        if base is not None:  # a variant uses the dtype of its base
            float32 = base.info.dtype == "float32"
        weights = self.share or weights_of(
            self.checked_model.nbytes, self.wide, adapter, base, float32
        )
        preferred = weights.loading_bytes(float32)
        smallest = preferred if base is not None else weights.loading_bytes(False)
        return LoadRequest(key, self.name, smallest, preferred)


def check_candidate(
    reference: str, confined: Sandbox, adapter: str | None = None, kept_dir: Path | None = None
) -> Candidate:
    """Resolve and check a requested model.

    A sandboxed child first reads the files and loads the tokenizer.

    Args:
        kept_dir: folder for the results of earlier checks.

    Raises:
        EngineError: `model_load_failed`. The message says what to do.
    """
    path, name, facts = inspect_model(reference, confined)
    added = None
    if adapter is not None:
        added = adapters.check_adapter(*inspect_adapter(adapter, confined))
    configs = (facts.generation, *text_configs(facts.config))
    eos = _ends(*(config.get("eos_token_id") for config in configs))
    same = folder_identity(path)
    contents = loader.hash_folder(path, name, facts.config)
    with _lock:
        checked = _checked.get(same)
    if checked is None:
        defaults = loader.tokenizer_defaults(path)
        file = kept_dir and TokenizerCheckFile(kept_dir, contents, facts.rows, eos, defaults)
        checked = file.read(path) if file else None
        if checked is None:
            checked = confined.check_tokenizer(path, name, facts.rows, eos, defaults)
            if file and folder_identity(path) == same:
                file.write(checked)
        with _lock:
            _checked[same] = checked
            while len(_checked) > MAX_CHECKED_FOLDERS:
                _checked.pop(next(iter(_checked)))
    tokenizer = None
    if checked.table is not None:
        load = partial(loader.load_tokenizer, path, checked.eos)
        tokenizer = KnownTokenizer(checked.table, checked.tokens, checked.packed, load)
    details = path, name, facts.config, facts.size, eos, checked.largest_id, tokenizer, contents
    return Candidate(loader.check_model(*details), checked, added, facts.wide)


def inspect_model(reference: str, confined: Sandbox) -> tuple[Path, str, ModelFacts]:
    path = resolve(reference)
    name = clean_name(folder.display_name(path)) or clean_name(path.name) or "The model"
    return path, name, confined.inspect_model(path, name)


def inspect_adapter(reference: str, confined: Sandbox) -> tuple[Path, str, AdapterFacts]:
    path = resolve_adapter(reference)
    name = clean_name(path.name) or "The adapter"
    return path, name, confined.inspect_adapter(path, name)


def _ends(*places: object) -> list[int] | None:
    eos_ids: list[int] = []
    for eos in places:
        eos_ids += [i for i in (eos if isinstance(eos, list) else [eos]) if type(i) is int]
    return list(dict.fromkeys(eos_ids)) or None


def as_load_error(error: BaseException) -> EngineError:
    if isinstance(error, EngineError):
        return error
    if is_out_of_memory(error):
        words = "The device ran out of memory while the model was loaded. Unload another one."
        return EngineError(OUT_OF_MEMORY, words)
    log.error("loading failed", exc_info=error)
    return EngineError(MODEL_LOAD_FAILED, describe_error(error))


def weights_of(
    nbytes: int,
    wide: int,
    adapter: AdapterFacts | None,
    base: LoadedModel | None,
    float32: bool,
) -> Weights:
    weights = Weights(nbytes, max(wide, nbytes))
    if adapter is not None:
        adapter_size = adapter.wide if float32 else adapter.size
        weights = replace(weights, adapter=adapter_size, rebuilt=adapter.rebuilt)
    if base is None or (adapter is not None and needs_own_weights(base, adapter.kind)):
        return weights
    return replace(weights, shared=base.info.nbytes)


def resolve(path_or_id: str) -> Path:
    """Return the folder of a model, given a path or a downloaded hub id (``@revision``).

    A GGUF file is converted the first time, which may take a minute.

    Raises:
        EngineError: `model_load_failed`. The message says what to do.
    """
    if not path_or_id.strip():
        raise folder.load_refused("No model given. Pass a folder or the id of a downloaded model.")
    local_folder = Path(path_or_id).expanduser()
    if local_folder.is_dir():
        file = kept.find_single_file(local_folder)
        return local_folder if file is None else kept.convert_if_needed(file)
    if kept.is_gguf(local_folder):
        return kept.convert_if_needed(local_folder)
    if local_folder.exists():
        raise folder.load_refused(
            f"{path_or_id} is a file. Choose a folder with a config.json, or a GGUF file."
        )
    ref = hub.parse(path_or_id)
    if ref is None:
        raise folder.load_refused(f"Folder {path_or_id} does not exist.", FOLDER_GONE)
    downloaded = hub.find(ref.repo, ref.revision)
    if downloaded is None:
        raise folder.load_refused(
            f"{path_or_id} is neither a folder nor a downloaded model. Download it first."
        )
    return downloaded


def resolve_adapter(reference: str) -> Path:
    """Return the folder of an adapter.

    Raises:
        EngineError: `model_load_failed`. The message says what to do.
    """
    local_folder = Path(reference).expanduser()
    if not reference.strip() or not local_folder.is_dir():
        raise folder.load_refused(
            f"Adapter folder {reference[:500]!r} does not exist. Choose a folder with an "
            "adapter_config.json, or use the model without an adapter."
        )
    return local_folder
