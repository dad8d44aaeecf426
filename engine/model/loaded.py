"""A loaded model: what it is, what it can do, its text side, and what changes while it is used."""

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
from engine.model.eyes import Eyes, Look
from engine.model.info import Model
from engine.model.probe import Abilities
from engine.params import SamplingParams
from engine.text.form_tokens import Told
from engine.text.rendering import Reader

SHARED_FAULTS = 3
"""A model of which so many shared steps have failed is stepped session by session for a while."""

REST = 256  # passes of a model for which what has failed is left alone the first time

LONGEST_REST = 1 << 16  # it is twice as long after each failure, at most so long

FORGIVEN = 1024  # passes after which one failure counts no more


class Trust:
    """Whether something that has failed is used again. Counts passes, not seconds.

    What has failed too often rests, and is tried again: for longer after each failure.

    A fault may have been one reply's, or the moment's; what fails whenever it is tried costs less
    and less.

    Args:
        allowed: so many failures that have not been forgiven make it rest.
    """

    def __init__(self, allowed: int) -> None:
        self.faults = 0  # how often it has failed
        self._allowed = allowed
        self._counted = 0  # that have not been forgiven
        self._well = 0  # passes since the last failure, or since one was forgiven
        self._rest = REST
        self._left = 0

    @property
    def works(self) -> bool:
        """Whether it may be used."""
        return not self._left

    def failed(self) -> None:
        """It has raised."""
        self.faults += 1
        self._counted += 1
        self._well = 0
        if self._counted >= self._allowed:
            self._left, self._rest = self._rest, min(2 * self._rest, LONGEST_REST)

    def passed(self) -> None:
        """A pass of its model has gone well, with it or, where it rests, without."""
        if self._left:
            self._left -= 1
            if not self._left:
                self._counted = self._allowed - 1  # the next failure is one too many again
        elif self._counted:
            self._well += 1
            if self._well >= FORGIVEN:
                self._well, self._counted = 0, self._counted - 1
                if not self._counted:
                    self._rest = REST


class TextCodec(Struct):
    """What turns messages into a model's tokens, and tokens into text. Holds no array.

    It is what workers are given of a model: one that held the model itself would keep its weights
    in memory after it was unloaded, and free them on its own thread.
    """

    info: Model
    tokenizer: Any  # mlx-lm's `TokenizerWrapper`, or what is known of it (`KnownTokenizer`)
    eos: frozenset[int]  # ids that end a turn
    rows: int | None = None  # how many ids the model knows; None where that cannot be found out
    reader: Reader | None = None  # who renders and tokenises prompts; None for this process
    # why a form of an answer cannot be used, found out where it cannot do harm
    form_refusal: Callable[[SamplingParams], str] | None = None
    # the parts of the tokenizer for `forms` (`text.form_tokens`), None where it has none
    form_tokens: Callable[[], Told | None] = lambda: None
    # llguidance's tokenizer, made when an answer of a given form is first asked for
    forms: Any = None
    forms_lock: threading.Lock = field(default_factory=threading.Lock)  # held while it is made
    # hashes of forms that took too long to follow; replies with one of these end with an error
    costly_forms: set[int] = field(default_factory=set)
    look: Look | None = None  # makes images into what the model takes; None where it does not see


def _plain(make: Callable[[], Caches], shares_prefix: bool, bits: int | None) -> SessionKV:
    return SessionKV(make, shares_prefix)


class LoadedModel(Struct, weakref=True):
    """A model with everything of it that lives on the engine thread."""

    info: Model  # what everybody else sees of it
    net: Any  # the model itself, an `mlx.nn.Module`
    can: Abilities  # what it was found to be able to do
    text: TextCodec  # its tokenizer and what belongs to it
    examined: Any = None  # the folder as it was looked at before (`loader.Examined`)
    base: LoadedModel | None = None  # whose weights it shares where it is a variant
    # over how many it is spread; this process has a part of it where they are several
    ranks: int = 1
    # hands the pending tokens of a pass's rows to all ranks, where it is spread
    feed: Callable[[Sequence[mx.array], Sequence[SessionKV]], Sequence[mx.array]] | None = None
    # makes a session's caches of what gives empty ones, of whether it shares a prefix, and of the
    # bits that its keys are kept in (None for the model's own type)
    new_kv: Callable[[Callable[[], Caches], bool, int | None], SessionKV] = _plain
    # where the keys of sessions that decode together lie, if the model can take that
    slots: Slots | None = None
    # by bits, how its sessions keep keys and values in 8 or 4 bits (`quantised`)
    kept_in: dict[int, Any] = field(default_factory=dict)
    # shared steps, as far as they raise: after a few faults its sessions step alone for a while
    sharing: Trust = field(default_factory=lambda: Trust(SHARED_FAULTS))
    eyes: Eyes | None = None  # its tower and the embeddings of images; None where it does not see
    # drafts for a chat that runs alone (`drafting.Drafter`), or from what chats hold
    # (`lookup.Lookup`); None where nothing does
    drafter: Any = None
    # when it was asked for something last, on the monotonic clock
    used_at: float = field(default_factory=time.monotonic)
    asked_for: bool = False  # somebody has loaded it for itself, not only to draft for another

    @property
    def drafting_model(self) -> LoadedModel | None:
        """The small model that drafts for it, if one does."""
        model: LoadedModel | None = getattr(self.drafter, "model", None)
        return model

    def new_caches(self) -> Caches:
        """A session's caches, empty."""
        return list(self.can.make_cache())

    def passed(self) -> None:
        """A pass has gone well: what rests after faults comes nearer to being tried again."""
        self.sharing.passed()
        if self.drafter is not None:
            self.drafter.trust.passed()
