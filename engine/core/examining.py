"""A model folder looked at before anything of it is loaded: by workers, in confined children."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from engine.core.confined.checked import CheckedTokenizer
from engine.core.confined.confined import Confined
from engine.core.ranks.spreading import Shares
from engine.core.resolving import resolve, resolve_adapter
from engine.errors import (
    MODEL_LOAD_FAILED,
    OUT_OF_MEMORY,
    EngineError,
    is_out_of_memory,
    words_of,
)
from engine.hub.names import clean_name
from engine.kv.fitting import Weights
from engine.model import adapting, folder, loader
from engine.model.adapting import Adapter, reads_again
from engine.model.fingerprint import identity
from engine.model.loaded import LoadedModel
from engine.model.loader import Examined
from engine.scheduling.view import LoadRequest
from engine.text.known_tokenizer import KnownTokenizer

log = logging.getLogger(__name__)

MOST_CHECKED = 16
"""So many folders that have passed are remembered, for as long as nothing in them changes. Checking
a tokenizer takes a second, which a model that comes back need not cost again."""

_checked: dict[tuple[object, ...], CheckedTokenizer] = {}
_lock = threading.Lock()  # workers of several engines, and several of one, examine at once


@dataclass(frozen=True)
class Candidate:
    """A model that can be loaded, with what the children have found out about its tokenizer.

    Attributes:
        adapter: makes it a variant.
        wide: bytes of its weights with all floating-point numbers in float32.
        share: what each rank would hold, where it is to be spread over several.
    """

    examined: Examined
    checked: CheckedTokenizer
    adapter: Adapter | None = None
    wide: int = 0
    share: Weights | None = None

    @property
    def identity(self) -> tuple[object, ...]:
        """The same for the same unchanged folders."""
        own = self.examined.identity
        return own if self.adapter is None else (own, self.adapter.identity)

    @property
    def name(self) -> str:
        """What to call it where a person reads it."""
        own = self.examined.name
        return own if self.adapter is None else f"{own} + {self.adapter.name}"

    def spread(self, shares: Shares) -> Candidate:
        """The same for an engine of several ranks.

        Raises:
            EngineError: as of `Shares.of`.
        """
        of, adapted = self.examined, self.adapter is not None
        share = shares.of(of.folder, of.name, of.config, of.identity, adapted)
        return replace(self, share=share)

    def request(self, key: str, base: LoadedModel | None, float32: bool) -> LoadRequest:
        """What it asks for, for the scheduler.

        Args:
            base: the model in memory whose weights it would share.
            float32: this machine computes fastest in that type.
        """
        if self.share is not None:
            nbytes = self.share.nbytes
            return LoadRequest(key, self.name, nbytes, self.share.wide if float32 else nbytes)
        nbytes = 0 if base is not None else self.examined.nbytes
        wide = max(nbytes, self.wide) if float32 and base is None else nbytes
        if base is not None and self.adapter is not None and reads_again(base, self.adapter.kind):
            own = max(self.wide, self.examined.nbytes)
            nbytes = wide = own if base.info.dtype == "float32" else self.examined.nbytes
        if self.adapter is not None:
            # On a base that has been read it has no choice of its own.
            alike = base is None or base.info.dtype != "float32"
            nbytes += self.adapter.nbytes if alike else self.adapter.wide
            wide += self.adapter.wide if float32 else self.adapter.nbytes
        return LoadRequest(key, self.name, nbytes, max(nbytes, wide))


def examine(asked: str, confined: Confined, adapter: str | None = None) -> Candidate:
    """Resolve, judge and check what a caller asked for.

    A child reads the folder's files and loads its tokenizer first. Only what has passed there is
    opened in this process.

    Raises:
        EngineError: `model_load_failed`, saying what is wrong and what to do.
    """
    path = resolve(asked)
    added = None if adapter is None else _adapter(adapter, confined)
    name = clean_name(folder.display_name(path)) or clean_name(path.name) or "The model"
    facts = confined.look(path, name)
    inner = facts.config.get("text_config")
    configs = (facts.generation, facts.config, inner if isinstance(inner, dict) else {})
    eos = _ends(*(config.get("eos_token_id") for config in configs))
    same = identity(path)
    with _lock:
        checked = _checked.get(same)
    if checked is None:
        defaults = loader.tokenizer_defaults(path)
        checked = confined.check_tokenizer(path, name, facts.rows, eos, defaults)
        with _lock:
            _checked[same] = checked
            while len(_checked) > MOST_CHECKED:
                _checked.pop(next(iter(_checked)))
    examined = loader.examine(
        path, name, facts.config, facts.size, eos, checked.largest_id, _known(path, checked)
    )
    return Candidate(examined, checked, added, facts.wide)


def _adapter(asked: str, confined: Confined) -> Adapter:
    path = resolve_adapter(asked)
    name = clean_name(path.name) or "The adapter"
    facts = confined.look_at_adapter(path, name)
    sizes = [facts.size, facts.wide]
    return adapting.examine(path, name, facts.kind, facts.layers, facts.parameters, sizes)


def _known(path: Path, checked: CheckedTokenizer) -> KnownTokenizer | None:
    if checked.table is None:
        return None
    load = partial(loader.load_tokenizer, path, checked.eos)
    return KnownTokenizer(checked.table, checked.tokens, checked.packed, load)


def _ends(*places: object) -> list[int] | None:
    """The ids that a model's files name as ends of a turn; None where none does."""
    found: list[int] = []
    for eos in places:
        found += [i for i in (eos if isinstance(eos, list) else [eos]) if type(i) is int]
    return list(dict.fromkeys(found)) or None


def as_engine_error(error: BaseException) -> EngineError:
    """What those who wait for a model are told."""
    if isinstance(error, EngineError):
        return error
    if is_out_of_memory(error):
        words = "The device ran out of memory while the model was loaded. Unload another one."
        return EngineError(OUT_OF_MEMORY, words)
    log.error("loading failed", exc_info=error)
    return EngineError(MODEL_LOAD_FAILED, words_of(error))
