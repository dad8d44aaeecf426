"""A loaded model with everything of it that lives on the engine thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx

from engine.kv.cache_objects import Caches
from engine.kv.config_estimate import MemoryEstimate
from engine.kv.session_kv import SessionKV
from engine.kv.shared_prefix import Least
from engine.kv.slots import Slots
from engine.model.choices import Choices
from engine.model.info import Model
from engine.model.kernel.program import Geometry
from engine.model.kernel.use import Kernels
from engine.model.trust import Trust
from engine.params import SamplingParams
from engine.text.form_tokens import Told
from engine.text.rendering import Reader

SHARED_FAULTS = 3
"""A model of which so many shared steps have failed is stepped session by session for a while."""


def _plain(make: Callable[[], Caches], shares_prefix: bool, bits: int | None) -> SessionKV:
    return SessionKV(make, shares_prefix)


class Forms:
    """llguidance's tokenizer of a model.

    Attributes:
        tokenizer: None before an answer of a given form was asked for.
        lock: held while it is made: workers ask for it.
    """

    def __init__(self) -> None:
        self.tokenizer: Any = None
        self.lock = threading.Lock()


@dataclass(frozen=True)
class TextSide:
    """What workers need of a model; attributes as there.

    A worker that held the model itself would keep its weights in memory after it was unloaded, and
    free them on its own thread.
    """

    info: Model
    tokenizer: Any
    eos: frozenset[int]
    rows: int | None
    reader: Reader | None
    form_refusal: Callable[[SamplingParams], str] | None
    form_tokens: Callable[[], Told | None]
    forms: Forms


@dataclass
class LoadedModel:
    """A model with everything that lives on the engine thread.

    Attributes:
        net: the model itself, an `mlx.nn.Module`.
        tokenizer: mlx-lm's `TokenizerWrapper`, or what is known of it (`KnownTokenizer`).
        eos: ids that end a turn.
        estimate: what a session's caches cost.
        make_cache: gives a session's empty caches.
        slots: where the keys of sessions that decode together lie, if the model can take that.
        shares_prefix: its sessions can go on from a beginning that they share.
        mixes: a prompt's chunk can be read in one pass with a step of others.
        token_by_token: its prompts cannot be read in chunks (`chunk_invariance`).
        leaves_out_rows: only rows whose logits are wanted go through its output layer.
        kept_in: by bits, how its sessions keep keys and values in 8 or 4 bits (`quantised`).
        body: the part of it that gives hidden states; None where none does (`hidden`).
        forms: what answers of a given form need.
        rows: how many ids the model knows; None where that cannot be found out.
        reader: who renders and tokenises its prompts; None for this process.
        form_refusal: why a form of an answer cannot be used, found out where it cannot do harm.
        form_tokens: the parts of its tokenizer for `forms` (`text.form_tokens`), None where it has
            none.
        examined: the folder as it was looked at before (`loader.Examined`).
        base: whose weights it shares where it is a variant.
        ranks: over how many it is spread; this process has a part of it where they are several.
        feed: hands the pending tokens of a pass's rows to all ranks, where it is spread.
        new_kv: makes a session's caches of what gives empty ones, of whether it shares a prefix,
            and of the bits that its keys are kept in (None for the model's own type).
        choices: the ways that were measured to be the fastest here; None for what is guessed.
        shares_from: of how many tokens a beginning must be for its sessions to share it.
        used_at: when it was asked for something last, on the monotonic clock.
        asked_for: somebody has loaded it for itself, not only to draft for another.
        drafter: drafts for its chats that run alone (`drafting.Drafter`); None where none does.
        sharing: shared steps, as far as they raise: after a few faults its sessions step alone
            for a while.
        asks: what its layers ask of attention, of which a GPU may have kernels.
        kernels: who takes that in a shared step; None before they have been found right.
        kernel_trust: these, as far as shared steps with them raise.
    """

    info: Model
    net: Any
    tokenizer: Any
    eos: frozenset[int]
    estimate: MemoryEstimate
    make_cache: Callable[[], Caches]
    slots: Slots | None = None
    shares_prefix: bool = False
    mixes: bool = False
    token_by_token: bool = False
    leaves_out_rows: bool = False
    kept_in: dict[int, Any] = field(default_factory=dict)
    body: Any = None
    forms: Forms = field(default_factory=Forms)
    sharing: Trust = field(default_factory=lambda: Trust(SHARED_FAULTS))
    used_at: float = field(default_factory=time.monotonic)
    rows: int | None = None
    reader: Reader | None = None
    form_refusal: Callable[[SamplingParams], str] | None = None
    form_tokens: Callable[[], Told | None] = lambda: None
    examined: Any = None
    base: LoadedModel | None = None
    ranks: int = 1
    feed: Callable[[Sequence[mx.array], Sequence[SessionKV]], Sequence[mx.array]] | None = None
    asks: frozenset[Geometry] = frozenset()
    kernels: Kernels | None = None
    kernel_trust: Trust = field(default_factory=lambda: Trust(1))
    new_kv: Callable[[Callable[[], Caches], bool, int | None], SessionKV] = _plain
    asked_for: bool = False
    drafter: Any = None
    choices: Choices | None = None
    shares_from: Least = field(default_factory=Least)

    @property
    def text_side(self) -> TextSide:
        """Its part that holds no array."""
        return TextSide(
            self.info,
            self.tokenizer,
            self.eos,
            self.rows,
            self.reader,
            self.form_refusal,
            self.form_tokens,
            self.forms,
        )

    def new_caches(self) -> Caches:
        """A session's caches, empty."""
        return list(self.make_cache())

    def kernels_for(self, chats: int) -> Kernels | None:
        """`kernels`, unless so many chats were measured to be slower by them, or they failed."""
        measured = self.choices is None or self.choices.kernels_for(chats)
        return self.kernels if measured and self.kernel_trust.works else None

    def pass_failed(self, chats: int) -> None:
        """A pass that so many chats shared has raised. Whose fault it was it does not tell."""
        blamed = self.sharing if self.kernels_for(chats) is None else self.kernel_trust
        blamed.failed()

    def passed(self) -> None:
        """A pass has gone well: what rests after faults comes nearer to being tried again."""
        self.sharing.passed()
        self.kernel_trust.passed()
        if self.drafter is not None:
            self.drafter.trust.passed()

    def take(self, choices: Choices) -> None:
        """Take ways from now on. Engine thread only, and while none of its sessions answers."""
        self.choices, slots = choices, self.slots
        self.shares_from.measured = choices.shared_for
        if slots is not None:
            guess = slots.policy.below
            slots.below = lambda chats: choices.slots_below(chats, guess)
