"""What the engine has done for it in confined children. All methods block; call them from workers.

confined = Confined()
confined.start()                                      # in the background
facts = confined.look(folder, name)                   # before anything else touches the folder
checked = confined.check_tokenizer(folder, name, facts.rows, eos)
prompt = build(tokenizer, messages, reasoning, ledger, confined.reader(checked))
"""

from __future__ import annotations

import signal
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.core.confined import bounds, limits
from engine.core.confined.checked import AdapterFacts, CheckedTokenizer, Facts
from engine.core.confined.children import Children, Reply, what_happened
from engine.core.confined.limits import Limits
from engine.core.confined.process import Child, CrashError, OverrunError
from engine.core.confined.reader import ConfinedReader
from engine.core.confined.shared import Shared
from engine.errors import INVALID_REQUEST, MODEL_LOAD_FAILED, TEMPLATE_ERROR, EngineError
from engine.params import SamplingParams
from engine.text.form_tokens import Told

_MOST_MODELS = 3  # whose tokenizers one child keeps; the largest take 300 MB each


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
        template: Limits = limits.TEMPLATE,
        form: Limits = limits.FORM,
        tokenizer: Limits = limits.TOKENIZER,
        files: Limits = limits.FILES,
        encoding: Callable[[int], Limits] = limits.encoding,
    ) -> None:
        self._template, self._form, self._tokenizer = template, form, tokenizer
        self._files, self._encoding = files, encoding
        self._children = Children(2)
        # Checking leaves transformers behind, 70 MB that nobody needs after it.
        self._loads = Children(1, once=True)

    def start(self) -> None:
        """Have the first children started in the background; returns at once."""
        self._children.start()
        self._loads.start()

    def close(self) -> None:
        """Kill the children; whoever waits for one gets `engine_stopped`."""
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
        asked = {"folder": str(folder), "name": name}
        words = f"{name} could not be loaded: reading its config and headers"
        work = _Work(self._files, MODEL_LOAD_FAILED, words)
        return Facts(**self._do(self._children, "folder", "folder", asked, work)[0])

    def look_at_adapter(self, folder: Path, name: str) -> AdapterFacts:
        """Read and judge an adapter's config and the header of its arrays.

        Raises:
            EngineError: `model_load_failed`.
        """
        asked = {"folder": str(folder), "name": name}
        words = f"{name} could not be loaded: reading its config and header"
        work = _Work(self._files, MODEL_LOAD_FAILED, words)
        return AdapterFacts(**self._do(self._children, "adapter", "folder", asked, work)[0])

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
        words = f"{name} could not be loaded: its tokenizer"
        work = _Work(self._tokenizer, MODEL_LOAD_FAILED, words)
        try:
            result, blobs = self._do(self._loads, "tokenizer", "tokenizer", asked, work)
        except RefusalError as refusal:
            reason = f"{name} could not be loaded. {refusal.message}"
            raise EngineError(MODEL_LOAD_FAILED, reason) from None
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
        """Who renders and tokenises for `engine.text.prompt.build`."""
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
        form = {
            name: getattr(params, name)
            for name in ("json_schema", "regex", "choices", "grammar")
            if getattr(params, name)
        }
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
        work = _Work(limits.FORM_TOKENS, INVALID_REQUEST, "Reading the model's tokenizer")
        asked = {"eos": sorted(eos)}
        result, out = self._do(self._children, "form_tokens", "form", asked, work, checked=checked)
        return None if result["told"] is None else (result["told"], tuple(out))

    def use(
        self,
        do: str,
        checked: CheckedTokenizer,
        arguments: dict[str, Any],
        blobs: tuple[bytes, ...] = (),
    ) -> Reply:
        """Have a prompt's text rendered ("render") or tokenised ("encode") by a child."""
        if do == "render":
            work = _Work(self._template, TEMPLATE_ERROR, "The model's chat template")
        else:
            given = self._encoding(sum(map(len, blobs)))
            work = _Work(given, INVALID_REQUEST, "The model's tokenizer")
        return self._do(self._children, do, checked.key, arguments, work, blobs, checked)

    def _do(
        self,
        children: Children,
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
            return _with_model(child, checked, do, arguments, blobs, work.limits)

        try:
            reply, out = self._ask(children, lane, checked, use)
        except (OverrunError, CrashError) as error:
            raise work.error(what_happened(work.limits, error)) from None
        if "refused" in reply:
            raise RefusalError(work.code, str(reply["refused"]))
        if reply.get("memory"):
            raise work.error(what_happened(work.limits, OverrunError("memory")))
        result = reply.get("result")
        if not isinstance(result, dict):
            raise work.error(f"failed: {reply.get('error') or reply.get('panic') or 'no answer'}")
        return result, out

    def _ask(
        self,
        children: Children,
        lane: str,
        checked: CheckedTokenizer | None,
        use: Callable[[Child], Reply],
    ) -> Reply:
        key = "" if checked is None else checked.key
        try:
            return children.ask(lane, key, use)
        except CrashError as error:
            # No library does that: the system was short of memory, or somebody ended the child,
            # perhaps while it had nothing to do.
            if error.signal not in (signal.SIGKILL, signal.SIGTERM):
                raise
            return children.ask(lane, key, use)


shared = Shared(Confined)
"""The children of this process, which all of its engines share. They end with it."""


class RefusalError(EngineError):
    """The work was done, and the answer is a sentence that says no."""


@dataclass(frozen=True)
class _Work:
    """What a request may take, and how its failure is told.

    Attributes:
        code: of the error.
        what: the beginning of the sentence.
    """

    limits: Limits
    code: str
    what: str

    def error(self, what_happened: str) -> EngineError:
        return EngineError(self.code, f"{self.what} {what_happened}.")


def _with_model(
    child: Child,
    checked: CheckedTokenizer,
    do: str,
    arguments: dict[str, Any],
    blobs: tuple[bytes, ...],
    given: Limits,
) -> Reply:
    """Ask a child, giving it the model first where it has not got it."""
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
        held = child.ask("hold", asked, (checked.packed,), limits.TOKENIZER)
        if "result" not in held[0]:
            return held
        child.known = OrderedDict.fromkeys([*kept, key])
    child.known.move_to_end(key)
    return child.ask(do, {**arguments, "key": key}, blobs, given)
