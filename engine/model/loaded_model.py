"""A loaded model: its description, abilities, text codec and state."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from msgspec import Struct, field

from engine.cache.cache_objects import Caches
from engine.cache.session_kv import SessionKV
from engine.cache.slots import Slots
from engine.model.info import Model
from engine.model.probe import Abilities
from engine.model.vision import ImagePreprocessor, VisionModel
from engine.params import SamplingParams
from engine.text.form_tokens import Told
from engine.text.rendering import Reader

MAX_SHARED_FAULTS = 3
"""Failed shared steps after which a model's sessions are stepped one by one for some time."""

MIN_PAUSE_PASSES = 256  # passes that a failed feature is disabled for at first

MAX_PAUSE_PASSES = 1 << 16  # maximum; each failure doubles the number

RECOVERY_PASSES = 1024  # passes without failure that cancel out one failure


class CircuitBreaker:
    """Circuit breaker that disables a feature after repeated failures, measured in passes.

    After too many failures, the feature is disabled, then tried again; each further failure
    disables it for longer. The cause may have been a single reply or temporary, and a feature that
    always fails costs less and less.

    Args:
        allowed: number of counted failures that disables the feature.
    """

    def __init__(self, allowed: int) -> None:
        self.faults = 0  # all failures
        self._allowed = allowed
        self._counted = 0  # failures minus those cancelled out
        self._well = 0  # passes since the last failure or cancellation
        self._rest = MIN_PAUSE_PASSES
        self._left = 0

    @property
    def is_enabled(self) -> bool:
        """True if the feature is enabled."""
        return not self._left

    def record_failure(self) -> None:
        """Count a failure."""
        self.faults += 1
        self._counted += 1
        self._well = 0
        if self._counted >= self._allowed:
            self._left, self._rest = self._rest, min(2 * self._rest, MAX_PAUSE_PASSES)

    def record_success(self) -> None:
        """Count a successful pass of the model, with or without the feature."""
        if self._left:
            self._left -= 1
            if not self._left:
                self._counted = self._allowed - 1  # one more failure disables it again
        elif self._counted:
            self._well += 1
            if self._well >= RECOVERY_PASSES:
                self._well, self._counted = 0, self._counted - 1
                if not self._counted:
                    self._rest = MIN_PAUSE_PASSES


class TextCodec(Struct):
    """Tokenizer, templates and forms of a model: everything for text, and no MLX arrays.

    Workers get this instead of the model. A reference to the model would keep its weights in memory
    after it was unloaded, and free them on the worker's thread.
    """

    info: Model
    tokenizer: Any  # mlx-lm's `TokenizerWrapper`, or `KnownTokenizer`
    eos: frozenset[int]  # ids that end a turn
    rows: int | None = None  # number of ids the model has, or None if unknown
    reader: Reader | None = None  # renders and tokenizes prompts; None: in this process
    # returns the reason why a form cannot be used, or ""; runs in a sandbox
    form_refusal: Callable[[SamplingParams], str] | None = None
    # returns the parts of the tokenizer for `forms` (`text.form_tokens`), or None
    form_tokens: Callable[[], Told | None] = lambda: None
    # llguidance's tokenizer, created for the first reply with a form
    forms: Any = None
    forms_lock: threading.Lock = field(default_factory=threading.Lock)  # guards its creation
    # hashes of forms that were too slow; replies with one of these end with an error
    costly_forms: set[int] = field(default_factory=set)
    preprocessor: ImagePreprocessor | None = None  # None for models without vision


def _plain_kv(make: Callable[[], Caches], shares_prefix: bool, bits: int | None) -> SessionKV:
    return SessionKV(make, shares_prefix)


class LoadedModel(Struct, weakref=True):
    """A model and all its state on the engine thread."""

    info: Model
    net: Any  # an `mlx.nn.Module`
    can: Abilities
    text: TextCodec
    examined: Any = None  # the checked folder (`loader.Examined`)
    base: LoadedModel | None = None  # a variant's base model
    # number of ranks; each process has a part of a model with several
    ranks: int = 1
    # broadcasts the pending tokens of a pass to all ranks
    feed: Callable[[Sequence[mx.array], Sequence[SessionKV]], Sequence[mx.array]] | None = None
    # creates a session's caches from a function that returns empty caches, a flag for prefix
    # sharing, and the bits of keys (None for the model's own type)
    new_kv: Callable[[Callable[[], Caches], bool, int | None], SessionKV] = _plain_kv
    # buffers for the keys of sessions that decode together, if the model supports them
    slots: Slots | None = None
    # quantized caches of sessions, by bits: 8 or 4 (`quantized_kv`)
    kept_in: dict[int, Any] = field(default_factory=dict)
    # failures of shared steps: after a few, sessions step alone for some time
    sharing: CircuitBreaker = field(default_factory=lambda: CircuitBreaker(MAX_SHARED_FAULTS))
    vision: VisionModel | None = (
        None  # vision tower and its embeddings; None for models without vision
    )
    # drafts for a chat that runs alone (`drafting.Drafter`) or from the chats' own text
    # (`lookup.Lookup`); None without drafting
    drafter: Any = None
    # monotonic time of the last use
    used_at: float = field(default_factory=time.monotonic)
    asked_for: bool = False  # loaded by request, not only as a draft model

    @property
    def drafting_model(self) -> LoadedModel | None:
        """Its draft model, or None."""
        model: LoadedModel | None = getattr(self.drafter, "model", None)
        return model

    def new_caches(self) -> Caches:
        """Return empty caches for a session."""
        return list(self.can.make_cache())

    def record_success(self) -> None:
        """Record a successful pass in all circuit breakers."""
        self.sharing.record_success()
        if self.drafter is not None:
            self.drafter.breaker.record_success()
