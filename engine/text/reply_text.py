"""Text of one reply, split by kind, as its tokens arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.messages import Kind, Message
from engine.text import recognition
from engine.text.splitter import Delta, MarkTokens, TextSplitter
from engine.text.tool_calls import ToolCallTracker, ToolCallUpdate
from engine.text.tools import name_of

_MAX_SILENT_TOKENS = 64
"""Number of tokens without text after which pending bytes are decoded. A character has at most four
bytes.
"""


def _mark_tokens(tokenizer: Any) -> MarkTokens:
    return MarkTokens(recognition.of(tokenizer).markers, recognition.added_tokens(tokenizer))


_marks_of = recognition.cache_per_tokenizer(_mark_tokens)


class ReplyText:
    """Text of a reply.

    Args:
        opened: text that the template rendered.
        opening: part of `opened` after the messages, if known.
        one_call: True if the reply ends after the first call.
    """

    def __init__(
        self,
        tokenizer: Any,
        opened: str,
        stops: Iterable[str] = (),
        opening: str | None = None,
        tools: Sequence[dict[str, Any]] = (),
        one_call: bool = False,
    ) -> None:
        self._detokenizer = tokenizer.detokenizer
        self._dialect = recognition.of(tokenizer)
        self._calling = ToolCallTracker(self._dialect.tool_format, tools, opened, one_call)
        markers = self._dialect.markers
        self._splitter = TextSplitter(
            _marks_of(tokenizer),
            stops,
            markers.opens_reasoning(opened, opening),
            bool(tools),
            markers.closes_reasoning(opened),
            self._dialect.tool_format,
            {name_of(tool) for tool in tools},
            self._calling.close,
        )
        self._pieces: dict[Kind, list[str]] = {"answer": [], "reasoning": [], "tool": []}
        self._breaks = ""  # trailing line breaks of the reasoning
        self._reply_start = 0  # number of characters in the start of a continued reply
        self._silent_tokens = 0  # number of tokens since the last text
        self._late_deltas: list[Delta] = []  # deltas to report along with the next deltas

    def add_interrupted(self, text: str) -> None:
        self._record(self._splitter.feed_text(text) + self._splitter.finish(ended=False))

    def resume(self, tokens: Iterable[int], follow: Callable[[int], None] | None) -> None:
        """Process the tokens at the start of a reply, which have already been reported."""
        for token in tokens:
            self.add(token)
            if follow is not None:
                follow(token)
        self._add_late(self._splitter.release())
        self._reply_start = len(self._detokenizer.text)

    def skip(self, tokens: Iterable[int]) -> None:
        """Continue after tokens that aren't reported. Leading spaces of the new text are kept."""
        for token in tokens:
            self._detokenizer.add_token(token)
        self._reply_start = len(self._detokenizer.last_segment)

    @property
    def detokenizer(self) -> Any:
        return self._detokenizer

    @property
    def raw(self) -> str:
        """Generated text with markers and reasoning."""
        return str(self._detokenizer.text)[self._reply_start :]

    @property
    def parts(self) -> dict[Kind, str]:
        return {kind: "".join(pieces) for kind, pieces in self._pieces.items()}

    def as_message(self) -> Message:
        parts = self.parts
        answer: Message = {"role": "assistant", "content": parts["answer"]}
        unshown = self._splitter.dropped_text
        if self.kind == "answer" and not unshown.endswith((">", "]")):
            # The text usually isn't a marker. Including it lets the next prompt match the cache.
            answer["content"] += unshown
        if parts["tool"]:
            calls = self._calling.calls
            total = sum(map(len, self.calls)) == len(parts["tool"])
            if not calls or not total or self._calling.unreadable or not self._dialect.knows_calls:
                # Keep the call exactly as the model wrote it.
                answer["content"] = self.raw_after_reasoning
            else:
                answer["tool_calls"] = [call.as_message(name) for name, call in calls]
        if thought := parts["reasoning"]:
            # The template adds the line break before the marker.
            lines = self._dialect.row.opening_texts is None
            answer["reasoning_content"] = thought.rstrip("\n") if lines else thought
        return answer

    @property
    def raw_after_reasoning(self) -> str:
        after = self._splitter.reasoned
        return self._raw_from(after).lstrip("\n") if after else str(self._detokenizer.text)

    def _raw_from(self, after: int) -> str:
        return str(self._detokenizer.text)[after:]

    @property
    def kind(self) -> Kind:
        return self._splitter.kind

    @property
    def in_header(self) -> bool:
        return self._splitter.in_header

    @property
    def can_end(self) -> bool:
        """True if the reply can be interrupted, i.e. not inside a marker or tool call."""
        return not (self.in_header or self.kind == "tool" or self._splitter.may_be_partial)

    def disable_markers(self) -> str:
        """Treat markers as text from now on. Return the answer so far."""
        return self.parts["answer"] + self._splitter.disable_markers()

    @property
    def call(self) -> str:
        if self.kind != "tool":
            return ""
        start, _ = self._dialect.markers.call
        return self._raw_from(self._splitter.opened) if start else "".join(self._splitter.call)

    @property
    def in_code(self) -> bool:
        return self._splitter.in_code

    def decide_early(self, pauses: bool = False) -> None:
        """Decide about markers immediately from now on, without waiting for more text.

        Args:
            pauses: hold back the text after the reasoning until `begin_answer` is called.
        """
        self._splitter.eager, self._splitter.pauses = True, pauses

    def begin_answer(self, fits: Callable[[str], bool]) -> str:
        """Return the part of the answer that came in the same token as the end of the reasoning.

        Args:
            fits: checks if an answer can start with a text. If not, the text counts as reasoning.
        """
        after = self._splitter.after_reasoning
        stripped = after.lstrip("\n")
        start = next((text for text in (stripped, stripped.lstrip()) if fits(text)), "")
        dropped = after[: len(after) - len(start)]
        self._splitter.resume(len(dropped))
        if dropped.strip():
            self._late_deltas += self._record([(dropped, "reasoning")])
        return start

    @property
    def stop(self) -> str | None:
        return self._splitter.stop

    def call_updates(self, over: bool = False) -> list[ToolCallUpdate]:
        return self._calling.update(self._splitter.call, over, self._splitter.call_start)

    @property
    def has_enough_calls(self) -> bool:
        return self._calling.has_enough

    @property
    def calls(self) -> list[str]:
        return self._splitter.calls

    def add(self, token: int) -> list[Delta]:
        self._detokenizer.add_token(token)
        segment = self._detokenizer.last_segment
        self._silent_tokens = 0 if segment else self._silent_tokens + 1
        if self._silent_tokens >= _MAX_SILENT_TOKENS:
            # Each token decodes all pending bytes again, so don't let them accumulate.
            self._flush()
            segment, self._silent_tokens = self._detokenizer.last_segment, 0
        return self._add_late(self._splitter.add(token, segment))

    def _add_late(self, deltas: list[Delta]) -> list[Delta]:
        late, self._late_deltas = self._late_deltas, []
        return late + self._record(deltas)

    def finish(self, ended: bool = True) -> list[Delta]:
        """Return the remaining text, even if it ends in an incomplete character."""
        self._flush()
        rest = self._detokenizer.last_segment
        if not ended and self._splitter.may_be_partial and not rest.strip("\ufffd"):
            rest = ""  # incomplete character, probably from a marker
        deltas = self._splitter.feed(rest)
        return self._add_late(deltas + self._splitter.finish(ended))

    def _flush(self) -> None:
        try:
            self._detokenizer.finalize()
        # mlx-lm raises this for an incomplete character followed by a token with letters.
        except KeyError:
            self._detokenizer._unflushed = ""

    def _record(self, deltas: list[Delta]) -> list[Delta]:
        shown: list[Delta] = []
        for text, kind in deltas:
            self._pieces[kind].append(text)
            text_so_far = self._breaks + text if kind == "reasoning" else text
            known = text_so_far.rstrip("\n") if kind == "reasoning" else text_so_far
            self._breaks = text_so_far[len(known) :]
            if known:
                shown.append((known, kind))
        return shown
