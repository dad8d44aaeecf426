"""Model-related tasks of the engine in child processes. Every method blocks.

sandbox = Sandbox()
sandbox.start()                                        # in the background
facts = sandbox.inspect_model(folder, name)            # before anything else reads the folder
checked = sandbox.check_tokenizer(folder, name, facts.rows, eos)
prompt = build(tokenizer, messages, reasoning, ledger, sandbox.reader(checked))
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
from engine.sandbox.folders import AdapterFacts, ModelFacts
from engine.sandbox.pool import ChildPool
from engine.sandbox.process import Child
from engine.sandbox.protocol import ChildKind, RefusedError, TaskError, TaskLimits, TaskReply
from engine.text import pieces
from engine.text.form_tokens import TokenizerData
from engine.text.rendering import RenderRequest, TooLongError

_MAX_LOADED_TOKENIZERS = 3  # limit per child, since the largest tokenizers take 300 MB each

_MAX_LISTED_TOKENS = 2**17
"""Length above which prompts are arrays. Creating or freeing a list with millions of items holds
the GIL for too long.
"""

_LONG_CHARACTERS = 2**16  # length from which texts are sent as blobs


@dataclass(frozen=True)
class CheckedTokenizer:
    """Tokenizer that passed its check, with the data for loading it in a child.

    Attributes:
        key: id of the tokenizer in the children.
        rows: rows of the model's embedding, or None if unknown. Prompts with larger ids are
            rejected.
        largest_id: largest id the tokenizer can produce, including special tokens.
        known: chat template and special tokens. None if the tokenizer needs its own Python code.
        table: together with `tokens`, the data for a `KnownTokenizer`, or None if it isn't
            supported.
    """

    key: str
    folder: str
    rows: int | None
    largest_id: int
    longest_token: int
    eos: list[int] | None
    defaults: Mapping[str, Any] | None = field(repr=False)
    known: dict[str, Any] | None = field(repr=False)
    packed: bytes = field(repr=False)
    table: dict[str, Any] | None = field(default=None, repr=False)
    tokens: bytes = field(default=b"", repr=False)


class TaskPolicy(Struct, frozen=True):
    """Limits of a task, and texts for its errors.

    Attributes:
        subject: start of the error message, continued by `TaskError`.
        refusal_prefix: text before the child's message.
    """

    limits: TaskLimits
    error_code: str
    subject: str
    refusal_prefix: str = ""


class Sandbox:
    """Runner of untrusted work in child processes: two for prompts and output formats, and one for
    checking tokenizers.

    Args:
        encoding: returns the limits for tokenizing a given number of characters.
    """

    def __init__(
        self,
        template: TaskLimits = protocol.TEMPLATE_LIMITS,
        form: TaskLimits = protocol.FORM_LIMITS,
        tokenizer: TaskLimits = protocol.TOKENIZER_LIMITS,
        files: TaskLimits = protocol.FILES_LIMITS,
        encoding: Callable[[int], TaskLimits] = protocol.encoding_limits,
    ) -> None:
        self.template, self._form, self._tokenizer = template, form, tokenizer
        self._files, self.encoding = files, encoding
        self.children = ChildPool(2)
        # Checks import transformers (70 MB), so the child exits afterwards.
        self._loads = ChildPool(1, ChildKind.TOKENIZERS, single_use=True)

    def start(self) -> None:
        """Start a child for prompts, without waiting for it."""
        self.children.start()

    def close(self) -> None:
        """Kill the children. Requests in progress raise `engine_stopped`."""
        self.children.close()
        self._loads.close()

    @property
    def pids(self) -> list[int]:
        return self.children.pids + self._loads.pids

    def inspect_model(self, folder: Path, name: str) -> ModelFacts:
        """Check the config and weight headers of a model folder.

        Raises:
            EngineError: `model_load_failed`.
        """
        return ModelFacts(**self._inspect("folder", folder, name))

    def inspect_adapter(self, folder: Path, name: str) -> AdapterFacts:
        """Check the config and weight header of an adapter folder.

        Raises:
            EngineError: `model_load_failed`.
        """
        return AdapterFacts(**self._inspect("adapter", folder, name))

    def _inspect(self, do: str, folder: Path, name: str) -> dict[str, Any]:
        subject = f"{name} could not be loaded: reading its config and headers"
        policy = TaskPolicy(self._files, MODEL_LOAD_FAILED, subject)
        arguments = {"folder": str(folder), "name": name}
        return self.run_task(self.children, do, "folder", arguments, policy)[0]

    def check_tokenizer(
        self,
        folder: Path,
        name: str,
        rows: int | None,
        eos: Iterable[int] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> CheckedTokenizer:
        """Load a tokenizer as the engine does, in a new child, and test it.

        Args:
            defaults: mlx-lm's `TOKENIZER_DEFAULTS` for the model type.

        Raises:
            EngineError: `model_load_failed`.
        """
        ids, default_settings = (
            None if eos is None else list(eos),
            None if defaults is None else {**defaults},
        )
        arguments = {"folder": str(folder), "rows": rows, "eos": ids, "defaults": default_settings}
        failed = f"{name} could not be loaded"
        work = TaskPolicy(
            self._tokenizer,
            MODEL_LOAD_FAILED,
            f"{failed}: its tokenizer",
            refusal_prefix=f"{failed}. ",
        )
        result, blobs = self.run_task(self._loads, "tokenizer", "tokenizer", arguments, work)
        return CheckedTokenizer(
            key=uuid.uuid4().hex,
            folder=str(folder),
            rows=rows,
            largest_id=int(result["largest_id"]),
            longest_token=int(result["longest_token"]),
            eos=ids,
            defaults=default_settings,
            known=result["known"],
            packed=blobs[0] if blobs else b"",
            table=result["table"],
            tokens=blobs[1] if len(blobs) > 1 else b"",
        )

    def reader(self, checked: CheckedTokenizer) -> SandboxReader:
        return SandboxReader(self, checked)

    def form_refusal(
        self,
        params: SamplingParams,
        checked: CheckedTokenizer | None = None,
        eos: Iterable[int] = (),
    ) -> str:
        """Return the reason why the output format in `params` can't be used, or "".

        Args:
            checked: tokenizer of the model that will reply. If None, only the syntax is checked.
        """
        if not params.is_constrained:
            return ""
        if reason := bounds.form_refusal(params):
            return reason
        # For tool calls, the engine has already combined everything into a single grammar.
        names = ("grammar",) if params.grammar else ("json_schema", "regex", "choices")
        form = {name: getattr(params, name) for name in names if getattr(params, name)}
        arguments = {"form": form, "eos": sorted(eos)}
        work = TaskPolicy(self._form, INVALID_REQUEST, "Compiling it")
        try:
            self.run_task(self.children, "form", "form", arguments, work, checked=checked)
        except EngineError as error:
            if error.code != INVALID_REQUEST:
                raise
            return error.message
        return ""

    def form_tokens(self, checked: CheckedTokenizer, eos: Iterable[int]) -> TokenizerData | None:
        """Return the parts of llguidance's tokenizer for `form_tokens.assemble`, or None if
        unsupported.

        Raises:
            EngineError: `invalid_request` if the child fails.
        """
        work = TaskPolicy(
            protocol.FORM_TOKENS_LIMITS, INVALID_REQUEST, "Reading the model's tokenizer"
        )
        arguments = {"eos": sorted(eos)}
        result, out = self.run_task(
            self.children, "form_tokens", "form", arguments, work, checked=checked
        )
        return None if result["parts"] is None else (result["parts"], tuple(out))

    def run_task(
        self,
        children: ChildPool,
        do: str,
        lane: str,
        arguments: dict[str, Any],
        work: TaskPolicy,
        blobs: tuple[bytes, ...] = (),
        checked: CheckedTokenizer | None = None,
    ) -> TaskReply:
        key, has_retried = "" if checked is None else checked.key, False
        try:
            while True:
                try:
                    with children.lend_child(lane, key) as child:
                        if checked is not None:
                            _ensure_loaded(child, checked)
                            arguments = {**arguments, "key": key}
                        return child.run_task(do, arguments, blobs, work.limits)
                except TaskError as error:
                    # Libraries never raise these signals. Either the system ran out of memory, or
                    # another program killed the child, possibly while it was idle.
                    if has_retried or error.signal not in (signal.SIGKILL, signal.SIGTERM):
                        raise
                    has_retried = True
        except RefusedError as refusal:
            raise EngineError(work.error_code, f"{work.refusal_prefix}{refusal}") from None
        except TaskError as error:
            raise EngineError(work.error_code, f"{work.subject} {error}.") from None


def _ensure_loaded(child: Child, checked: CheckedTokenizer) -> None:
    key = checked.key
    if key not in child.loaded:
        keys = list(child.loaded)[1 - _MAX_LOADED_TOKENIZERS :]
        arguments = {
            "key": key,
            "keep": keys,
            "known": checked.known,
            "folder": checked.folder,
            "eos": checked.eos,
            "defaults": checked.defaults,
        }
        # Use a separate request, because loading can take longer than the limit for rendering.
        child.run_task("load", arguments, (checked.packed,), protocol.TOKENIZER_LIMITS)
        child.loaded = OrderedDict.fromkeys([*keys, key])
    child.loaded.move_to_end(key)


class SandboxReader:
    """Reader for `engine.text.prompt.build_prompt` that renders and tokenizes in a child."""

    def __init__(self, sandbox: Sandbox, checked: CheckedTokenizer) -> None:
        self._sandbox, self._checked = sandbox, checked

    def render(
        self,
        requests: list[RenderRequest],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        lists: dict[int, int] = {}
        sent: list[bytes] = []
        texts: list[bytes] = []
        long: list[tuple[int, int, str]] = []
        for messages, _ in requests:
            if id(messages) not in lists:
                lists[id(messages)] = number = len(lists)
                sent.append(_encode_messages(messages, number, long, texts))
        arguments = {
            "asked": [(lists[id(messages)], opening) for messages, opening in requests],
            "long": long,
            "reasoning": reasoning,
            "template": dict(template or {}),
        }
        box, checked = self._sandbox, self._checked
        work = TaskPolicy(box.template, TEMPLATE_ERROR, "The model's chat template")
        result, blobs = box.run_task(
            box.children, "render", checked.key, arguments, work, (*sent, *texts), checked
        )
        errors = result["errors"]
        return [
            pieces.decode_utf8(blob) if error is None else EngineError(str(error[0]), str(error[1]))
            for blob, error in zip(blobs, errors, strict=True)
        ]

    def encode(self, texts: list[str], max_tokens: int | None = None) -> list[Sequence[int]]:
        """Tokenize each text. Long results are arrays instead of lists.

        Raises:
            TooLongError: if the first text has more than `max_tokens` tokens.
            EngineError: `invalid_request` if a token id is outside the model's embedding.
        """
        blobs = tuple(pieces.encode_utf8(text) for text in texts)
        box, checked = self._sandbox, self._checked
        limits = box.encoding(sum(map(len, blobs)))
        work = TaskPolicy(limits, INVALID_REQUEST, "The model's tokenizer")
        arguments = {"most": max_tokens}
        result, out = box.run_task(
            box.children, "encode", checked.key, arguments, work, blobs, checked
        )
        if "too_long" in result:
            raise TooLongError(int(result["too_long"]))
        import numpy as np  # imported here because it would delay the window's start

        id_lists: list[Sequence[int]] = []
        for blob in out:
            ids = np.frombuffer(blob, np.uint32)
            largest, rows = int(ids.max(initial=0)), checked.rows
            if rows is not None and largest >= rows:
                raise EngineError(
                    INVALID_REQUEST,
                    f"The text contains a special token ({largest:,}) beyond the model's "
                    f"vocabulary ({rows:,}). Remove it.",
                )
            id_lists.append(ids.tolist() if len(ids) <= _MAX_LISTED_TOKENS else array("I", blob))
        return id_lists


def _encode_messages(
    messages: list[Message], number: int, long: list[tuple[int, int, str]], texts: list[bytes]
) -> bytes:
    """Return messages as JSON, with empty strings instead of long texts.

    Args:
        long, texts: long texts are added here, with their positions (list, message, key).
    """
    packed = []
    for message_index, message in enumerate(messages):
        remaining = message
        for key, value in message.items():
            if isinstance(value, str) and len(value) > _LONG_CHARACTERS:
                long.append((number, message_index, key))
                texts.append(pieces.encode_utf8(value))
                remaining = {**remaining, key: ""}
        packed.append(json.dumps(remaining, default=protocol.json_fallback).encode())
    return b"[" + b",".join(packed) + b"]"


class SharedSandbox:
    def __init__(self) -> None:
        self.sandbox: Sandbox | None = None  # created on first use
        self._lock = threading.Lock()

    def __call__(self) -> Sandbox:
        with self._lock:
            if self.sandbox is None:
                self.sandbox = Sandbox()
                atexit.register(self.sandbox.close)
            return self.sandbox


shared = SharedSandbox()
