"""What the engine has done for its models in children. All methods block; call them from workers.

confined = Confined()
confined.start()                                      # in the background
facts = confined.look(folder, name)                   # before anything else touches the folder
checked = confined.check_tokenizer(folder, name, facts.rows, eos)
prompt = build(tokenizer, messages, reasoning, ledger, confined.reader(checked))
"""

from __future__ import annotations

import atexit
import json
import signal
import threading
import uuid
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.errors import INVALID_REQUEST, MODEL_LOAD_FAILED, TEMPLATE_ERROR, EngineError
from engine.messages import Message
from engine.params import SamplingParams
from engine.sandbox import bounds, protocol
from engine.sandbox.folders import AdapterFacts, Facts
from engine.sandbox.pool import Pool
from engine.sandbox.process import Child
from engine.sandbox.protocol import Kind, Limits, RefusedError, Reply, TaskError
from engine.text import pieces
from engine.text.form_tokens import Told
from engine.text.rendering import Asked, TooLongError

_MOST_MODELS = 3  # whose tokenizers one child keeps; the largest take 300 MB each

_MOST_LISTED = 2**17
"""More tokens stay compact: to make or free a list of millions holds Python's lock for too long."""

_LONG = 2**16  # characters


@dataclass(frozen=True)
class CheckedTokenizer:
    """A tokenizer that was loaded and tried, with what a child needs to use it."""

    key: str  # names it among the children
    folder: str
    rows: int | None  # ids from here on are refused in prompts; None where unknown
    largest_id: int  # that it can produce, special tokens included
    longest_token: int  # in characters
    eos: list[int] | None
    defaults: Mapping[str, Any] | None = field(repr=False)
    # its template and special tokens; None where it needs Python code of its own
    known: dict[str, Any] | None = field(repr=False)
    packed: bytes = field(repr=False)  # the tokenizer itself
    # table, tokens: for `KnownTokenizer`; None where the tokenizer itself is needed
    table: dict[str, Any] | None = field(default=None, repr=False)
    tokens: bytes = field(default=b"", repr=False)


class _Work(Struct, frozen=True):
    """What a request may take, and how its failure is reported."""

    limits: Limits
    code: str  # of the error
    what: str  # the subject of the sentence
    refusal: str = ""  # what comes before the child's own sentence


class Confined:
    """Two children for prompts and forms, and one for each model that is being loaded.

    Args:
        template: the limits for rendering.
        form: for compiling a form.
        tokenizer: for checking one.
        files: for reading a folder's small files.
        encoding: for tokenising so many characters.
    """

    def __init__(
        self,
        template: Limits = protocol.TEMPLATE,
        form: Limits = protocol.FORM,
        tokenizer: Limits = protocol.TOKENIZER,
        files: Limits = protocol.FILES,
        encoding: Callable[[int], Limits] = protocol.encoding,
    ) -> None:
        self._template, self._form, self._tokenizer = template, form, tokenizer
        self._files, self._encoding = files, encoding
        self._children = Pool(2)
        # Checking leaves transformers behind: 70 MB that are not needed after it.
        self._loads = Pool(1, Kind.TOKENIZERS, once=True)

    def start(self) -> None:
        """Have the first children started in the background; returns at once."""
        self._children.start()
        self._loads.start()

    def close(self) -> None:
        """Kill the children; requests that wait for one get `engine_stopped`."""
        self._children.close()
        self._loads.close()

    @property
    def pids(self) -> list[int]:
        """The process ids of the children."""
        return self._children.pids + self._loads.pids

    def look(self, folder: Path, name: str) -> Facts:
        """Read and judge a folder's config and the headers of its weights.

        Raises:
            EngineError: `model_load_failed`.
        """
        return Facts(**self._look("folder", folder, name))

    def look_at_adapter(self, folder: Path, name: str) -> AdapterFacts:
        """Read and judge an adapter's config and the header of its arrays.

        Raises:
            EngineError: `model_load_failed`.
        """
        return AdapterFacts(**self._look("adapter", folder, name))

    def _look(self, do: str, folder: Path, name: str) -> dict[str, Any]:
        words = f"{name} could not be loaded: reading its config and headers"
        work = _Work(self._files, MODEL_LOAD_FAILED, words)
        asked = {"folder": str(folder), "name": name}
        return self._do(self._children, do, "folder", asked, work)[0]

    def check_tokenizer(
        self,
        folder: Path,
        name: str,
        rows: int | None,
        eos: Iterable[int] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> CheckedTokenizer:
        """Load a folder's tokenizer as the engine would, and try it.

        Args:
            rows: of the model's embedding.
            eos: the ids that end a turn, where the config names them.
            defaults: mlx-lm's `TOKENIZER_DEFAULTS` of the model's type.

        Raises:
            EngineError: `model_load_failed`.
        """
        ids, given = None if eos is None else list(eos), None if defaults is None else {**defaults}
        asked = {"folder": str(folder), "rows": rows, "eos": ids, "defaults": given}
        failed = f"{name} could not be loaded"
        work = _Work(
            self._tokenizer, MODEL_LOAD_FAILED, f"{failed}: its tokenizer", refusal=f"{failed}. "
        )
        result, blobs = self._do(self._loads, "tokenizer", "tokenizer", asked, work)
        return CheckedTokenizer(
            key=uuid.uuid4().hex,
            folder=str(folder),
            rows=rows,
            largest_id=int(result["largest_id"]),
            longest_token=int(result["longest_token"]),
            eos=ids,
            defaults=given,
            known=result["known"],
            packed=blobs[0] if blobs else b"",
            table=result["table"],
            tokens=blobs[1] if len(blobs) > 1 else b"",
        )

    def reader(self, checked: CheckedTokenizer) -> ConfinedReader:
        """What renders and tokenises for `engine.text.prompt.build`."""
        return ConfinedReader(self, checked)

    def form_refusal(
        self,
        params: SamplingParams,
        checked: CheckedTokenizer | None = None,
        eos: Iterable[int] = (),
    ) -> str:
        """Why the form that `params` ask for cannot be used; empty when it can.

        Args:
            checked: the model that would answer; None to look at the form alone.
            eos: the ids that end its turn.
        """
        if not params.constrained:
            return ""
        if reason := bounds.form_refusal(params):
            return reason
        # The engine's own grammar has all that binds calls.
        names = ("grammar",) if params.grammar else ("json_schema", "regex", "choices")
        form = {name: getattr(params, name) for name in names if getattr(params, name)}
        asked = {"form": form, "eos": sorted(eos)}
        work = _Work(self._form, INVALID_REQUEST, "Compiling it")
        try:
            self._do(self._children, "form", "form", asked, work, checked=checked)
        except EngineError as error:
            if error.code != INVALID_REQUEST:
                raise
            return error.message
        return ""

    def form_tokens(self, checked: CheckedTokenizer, eos: Iterable[int]) -> Told | None:
        """The parts of llguidance's tokenizer, for `form_tokens.make`; None where it has none.

        Args:
            eos: the ids that end a turn.

        Raises:
            EngineError: `invalid_request`, the child failed.
        """
        work = _Work(protocol.FORM_TOKENS, INVALID_REQUEST, "Reading the model's tokenizer")
        asked = {"eos": sorted(eos)}
        result, out = self._do(self._children, "form_tokens", "form", asked, work, checked=checked)
        return None if result["parts"] is None else (result["parts"], tuple(out))

    def render(
        self, checked: CheckedTokenizer, arguments: dict[str, Any], blobs: tuple[bytes, ...]
    ) -> Reply:
        """Have the texts of prompts made by a model's template."""
        work = _Work(self._template, TEMPLATE_ERROR, "The model's chat template")
        return self._do(self._children, "render", checked.key, arguments, work, blobs, checked)

    def encode(
        self, checked: CheckedTokenizer, most: int | None, texts: tuple[bytes, ...]
    ) -> Reply:
        """Have texts tokenised."""
        given = self._encoding(sum(map(len, texts)))
        work = _Work(given, INVALID_REQUEST, "The model's tokenizer")
        asked = {"most": most}
        return self._do(self._children, "encode", checked.key, asked, work, texts, checked)

    def _do(
        self,
        children: Pool,
        do: str,
        lane: str,
        arguments: dict[str, Any],
        work: _Work,
        blobs: tuple[bytes, ...] = (),
        checked: CheckedTokenizer | None = None,
    ) -> Reply:
        def use(child: Child) -> Reply:
            if checked is None:
                return child.ask(do, arguments, blobs, work.limits)
            _hold(child, checked)
            return child.ask(do, {**arguments, "key": checked.key}, blobs, work.limits)

        key = "" if checked is None else checked.key
        try:
            try:
                return children.ask(lane, key, use)
            except TaskError as error:
                # No library does that: the system was short of memory, or the child was ended from
                # outside, perhaps while it was idle.
                if error.signal not in (signal.SIGKILL, signal.SIGTERM):
                    raise
                return children.ask(lane, key, use)
        except RefusedError as refusal:
            raise EngineError(work.code, f"{work.refusal}{refusal}") from None
        except TaskError as error:
            raise EngineError(work.code, f"{work.what} {error}.") from None


def _hold(child: Child, checked: CheckedTokenizer) -> None:
    """Give a child a model's tokenizer where it has not got it."""
    key = checked.key
    if key not in child.known:
        kept = list(child.known)[1 - _MOST_MODELS :]
        asked = {
            "key": key,
            "keep": kept,
            "known": checked.known,
            "folder": checked.folder,
            "eos": checked.eos,
            "defaults": checked.defaults,
        }
        # In a request of its own, since it takes longer than rendering is allowed to.
        child.ask("hold", asked, (checked.packed,), protocol.TOKENIZER)
        child.known = OrderedDict.fromkeys([*kept, key])
    child.known.move_to_end(key)


class ConfinedReader:
    """A model's template and tokenizer in a child, for `engine.text.prompt.build`."""

    def __init__(self, confined: Confined, checked: CheckedTokenizer) -> None:
        self._confined, self._checked = confined, checked

    def render(
        self,
        asked: list[Asked],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        """The text of each, or why there is none."""
        lists: dict[int, int] = {}
        sent: list[bytes] = []
        texts: list[bytes] = []
        long: list[tuple[int, int, str]] = []
        for messages, _ in asked:
            if id(messages) not in lists:
                lists[id(messages)] = number = len(lists)
                sent.append(_packed(messages, number, long, texts))
        arguments = {
            "asked": [(lists[id(messages)], opening) for messages, opening in asked],
            "long": long,
            "reasoning": reasoning,
            "template": dict(template or {}),
        }
        result, blobs = self._confined.render(self._checked, arguments, (*sent, *texts))
        errors = result["errors"]
        return [
            pieces.decoded(blob) if error is None else EngineError(str(error[0]), str(error[1]))
            for blob, error in zip(blobs, errors, strict=True)
        ]

    def encode(self, texts: list[str], most: int | None = None) -> list[Sequence[int]]:
        """The tokens of each: a list, or an array where they are many.

        Raises:
            TooLongError: the first has more than `most`.
            EngineError: `invalid_request`, there is one that the model does not know.
        """
        blobs = tuple(pieces.encoded(text) for text in texts)
        result, out = self._confined.encode(self._checked, most, blobs)
        if "too_long" in result:
            raise TooLongError(int(result["too_long"]))
        import numpy as np  # not with this module, which a window waits for

        found: list[Sequence[int]] = []
        for blob in out:
            ids = np.frombuffer(blob, np.uint32)
            self._check(int(ids.max(initial=0)))
            found.append(ids.tolist() if len(ids) <= _MOST_LISTED else array("I", blob))
        return found

    def _check(self, largest: int) -> None:
        rows = self._checked.rows
        if rows is not None and largest >= rows:
            raise EngineError(
                INVALID_REQUEST,
                "The text holds a special token of the tokenizer that the model does not know "
                f"({largest:,}; it knows {rows:,}). Leave it out.",
            )


def _packed(
    messages: list[Message], number: int, long: list[tuple[int, int, str]], texts: list[bytes]
) -> bytes:
    """Messages as JSON, but for their long texts: JSON escapes each of them in a single call.

    Args:
        number: of this list.
        long, texts: get what was left out: the list's number, the message's and the key, and the
            text itself.
    """
    packed = []
    for place, message in enumerate(messages):
        kept = message
        for key, value in message.items():
            if isinstance(value, str) and len(value) > _LONG:
                long.append((number, place, key))
                texts.append(pieces.encoded(value))
                kept = {**kept, key: ""}
        packed.append(json.dumps(kept, default=protocol.plain).encode())
    return b"[" + b",".join(packed) + b"]"


class Shared:
    """The children that all engines of this process share. They end with it."""

    def __init__(self) -> None:
        self.made: Confined | None = None  # None until they are asked for
        self._lock = threading.Lock()

    def __call__(self) -> Confined:
        with self._lock:
            if self.made is None:
                self.made = Confined()
                atexit.register(self.made.close)
            return self.made


shared = Shared()
