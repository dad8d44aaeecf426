"""Loaded models: description, abilities, text codec and state."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
from msgspec import Struct, field

from engine.cache.cache_objects import Caches
from engine.cache.estimate import MemoryEstimate
from engine.cache.session_kv import SessionKV
from engine.cache.slots import Slots
from engine.model.circuit_breaker import CircuitBreaker
from engine.model.info import Model
from engine.model.plain_decoder import PlainDecoder
from engine.model.probe import Abilities
from engine.model.vision import ImagePreprocessor, VisionModel
from engine.params import SamplingParams
from engine.text.form_tokens import TokenizerData
from engine.text.rendering import Reader

log = logging.getLogger(__name__)

MAX_SHARED_FAULTS = 3
"""Number of failed shared steps after which sessions are stepped one by one for a while."""

MAX_DRAFT_FAULTS = 3  # number of failed passes that pause drafting


class DraftSource:
    """Source of drafts for a model. A source with caches overrides the empty methods.

    Attributes:
        drafted, accepted: number of tokens since drafting was turned on.
        breaker: pauses drafting after failed passes.
    """

    model: LoadedModel | None = None  # draft model, or None if there is none

    def __init__(self) -> None:
        self.drafted = self.accepted = 0
        self.breaker = CircuitBreaker(MAX_DRAFT_FAULTS)

    def roll_back(self, length: int) -> None:
        """Roll the caches back to `length` tokens."""

    def forget_answer(self, tokens: list[int]) -> None:
        """Drop the caches if they belong to the answer with this token list."""

    def drop(self) -> None: ...

    def fail(self, error: BaseException) -> None:
        """Record a failed pass and drop the caches, whose contents are now unknown."""
        self.breaker.record_failure()
        log.warning("drafting failed: %s", type(error).__name__)
        self.drop()


class TextCodec(Struct):
    """Converter between text and tokens, without MLX arrays.

    Worker threads use the codec instead of the model. A worker with a reference to the model might
    be the last to release it, and would free the weights on the wrong thread.
    """

    info: Model
    tokenizer: Any  # mlx-lm's `TokenizerWrapper`, or `KnownTokenizer`
    eos: frozenset[int]  # ids that end a turn
    rows: int | None = None  # size of the model's vocabulary, or None if unknown
    # Renders and tokenizes prompts; None to do this in the current process.
    reader: Reader | None = None
    # Checks a form in the sandbox. Returns the reason why it can't be used, or "".
    form_refusal: Callable[[SamplingParams], str] | None = None
    # Returns the data for creating `forms` (`text.form_tokens`), or None.
    form_tokens: Callable[[], TokenizerData | None] = lambda: None
    # llguidance's tokenizer, created for the first constrained reply.
    forms: Any = None
    # Held while creating `forms`.
    forms_lock: threading.Lock = field(default_factory=threading.Lock)
    # Hashes of forms that were too slow. Replies with such a form fail.
    costly_forms: set[int] = field(default_factory=set)
    preprocessor: ImagePreprocessor | None = None  # None for models without vision


class CheckedModel(Struct, frozen=True):
    folder: Path
    identity: tuple[object, ...]  # changes when a file in the folder changes
    name: str
    config: dict[str, Any]
    nbytes: int  # size of the weights on disk
    contents: str  # hash of the file contents
    tokenizer: Any  # mlx-lm's `TokenizerWrapper`, or `KnownTokenizer`
    largest_id: int | None = None  # largest token id of the tokenizer, or None if unknown
    # Image preprocessor, or None for models without vision.
    preprocessor: ImagePreprocessor | None = None


class QuantizedCaches(Struct, frozen=True):
    make: Callable[[], Caches]
    estimate: MemoryEstimate


def _plain_kv(make: Callable[[], Caches], shares_prefix: bool, bits: int | None) -> SessionKV:
    return SessionKV(make, shares_prefix)


class LoadedModel(Struct, weakref=True):
    """Model with its state. Only used on the engine thread."""

    info: Model
    net: Any  # `mlx.nn.Module`
    abilities: Abilities
    text: TextCodec
    checked_model: CheckedModel | None = None  # None on ranks other than the first
    base: LoadedModel | None = None  # base model if this is a variant
    # Number of ranks the model is split over.
    ranks: int = 1
    # Broadcasts the pending tokens of a pass to all ranks.
    broadcast_tokens: (
        Callable[[Sequence[mx.array], Sequence[SessionKV]], Sequence[mx.array]] | None
    ) = None
    # Factory for a session's caches. Takes a function that creates empty caches, whether prefixes
    # can be shared, and the number of bits (None for the model's own dtype).
    new_kv: Callable[[Callable[[], Caches], bool, int | None], SessionKV] = _plain_kv
    # Computes a whole pass in one call of the CPU kernels. None if the model isn't supported.
    decoder: PlainDecoder | None = None
    # Slots for sessions that decode together, if the model supports them.
    slots: Slots | None = None
    # Quantized caches by number of bits, or the code and message of the error.
    quantized_caches: dict[int, QuantizedCaches | tuple[str, str]] = field(default_factory=dict)
    # Makes sessions step alone for a while after shared steps have failed.
    shared_step_breaker: CircuitBreaker = field(
        default_factory=lambda: CircuitBreaker(MAX_SHARED_FAULTS)
    )
    # Vision tower and its embeddings, or None for models without vision.
    vision: VisionModel | None = None
    drafter: DraftSource | None = None  # None for no drafting
    is_requested: bool = False  # loaded by its own request and not only as a draft model

    @property
    def drafting_model(self) -> LoadedModel | None:
        return self.drafter.model if self.drafter is not None else None

    def new_caches(self) -> Caches:
        return list(self.abilities.make_cache())

    def record_success(self) -> None:
        self.shared_step_breaker.record_success()
        if self.drafter is not None:
            self.drafter.breaker.record_success()
