"""Text of one reply, split by kind, as its tokens arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.messages import Kind, Message
from engine.text import recognition
from engine.text.splitter import Delta, MarkTokens, TextSplitter
from engine.text.tool_calls import ToolCallTracker, ToolCallUpdate
from engine.text.tools import name_of, resolve_types

_MAX_SILENT_TOKENS = 64
"""Number of tokens without text after which pending bytes are decoded. A character has at most four
bytes.
"""


@recognition.cache_per_tokenizer
def _marks_of(tokenizer: Any) -> MarkTokens:
    return MarkTokens(recognition.of(tokenizer).markers, recognition.added_tokens(tokenizer))


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
        self.detokenizer = tokenizer.detokenizer
        self._dialect = recognition.of(tokenizer)
        resolved = [resolve_types(tool) for tool in tools]
        self.tracker = ToolCallTracker(self._dialect.tool_format, resolved, opened, one_call)
        markers = self._dialect.markers
        thought_ends = [end for f in markers.frames if f.kind == "reasoning" for end in f.ends]
        self.splitter = TextSplitter(
            _marks_of(tokenizer),
            stops,
            reasoning=recognition.opens_reasoning(markers, opened, opening),
            offered=bool(tools),
            after_reasoning=opened.rstrip("\n").endswith(tuple(thought_ends)),
            notation=self._dialect.tool_format,
            names={name_of(tool) for tool in tools},
            judge=self.tracker.close,
        )
        self._pieces: dict[Kind, list[str]] = {"answer": [], "reasoning": [], "tool": []}
        self._breaks = ""  # trailing line breaks of the reasoning
        self._reply_start = 0  # number of characters in the start of a continued reply
        self._silent_tokens = 0  # number of tokens since the last text
        self._late_deltas: list[Delta] = []  # deltas to report along with the next deltas

    def add_interrupted(self, text: str) -> None:
        self._record(self.splitter.feed_text(text) + self.splitter.finish(ended=False))

    def resume(self, tokens: Iterable[int], follow: Callable[[int], None] | None) -> None:
        """Process the tokens at the start of a reply, which have already been reported."""
        for token in tokens:
            self.add(token)
            if follow is not None:
                follow(token)
        self._record(self.splitter.release())
        self._reply_start = len(self.detokenizer.text)

    def skip(self, tokens: Iterable[int]) -> None:
        """Continue after tokens that aren't reported. Leading spaces of the new text are kept."""
        for token in tokens:
            self.detokenizer.add_token(token)
        self._reply_start = len(self.detokenizer.last_segment)

    @property
    def raw(self) -> str:
        return str(self.detokenizer.text)[self._reply_start :]

    @property
    def parts(self) -> dict[Kind, str]:
        return {kind: "".join(pieces) for kind, pieces in self._pieces.items()}

    def as_message(self) -> Message:
        parts = self.parts
        answer: Message = {"role": "assistant", "content": parts["answer"]}
        unshown = self.splitter.dropped_text
        if self.splitter.kind == "answer" and not unshown.endswith((">", "]")):
            # The text usually isn't a marker. Including it lets the next prompt match the cache.
            answer["content"] += unshown
        if parts["tool"]:
            calls = self.tracker.calls
            total = sum(map(len, self.splitter.calls)) == len(parts["tool"])
            if not calls or not total or self.tracker.unreadable or not self._dialect.knows_calls:
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
        after = self.splitter.reasoned
        text = str(self.detokenizer.text)
        return text[after:].lstrip("\n") if after else text

    @property
    def can_end(self) -> bool:
        """True if the reply can be interrupted, i.e. not inside a marker or tool call."""
        splitter = self.splitter
        return not (splitter.in_header or splitter.kind == "tool" or splitter.has_partial_marker())

    def disable_markers(self) -> str:
        """Treat markers as text from now on. Return the answer so far."""
        return self.parts["answer"] + self.splitter.disable_markers()

    @property
    def call(self) -> str:
        if self.splitter.kind != "tool":
            return ""
        start, _ = self._dialect.markers.call
        splitter = self.splitter
        return str(self.detokenizer.text)[splitter.opened :] if start else "".join(splitter.call)

    def decide_early(self, pauses: bool = False) -> None:
        """Decide about markers immediately from now on, without waiting for more text.

        Args:
            pauses: hold back the text after the reasoning until `begin_answer` is called.
        """
        self.splitter.eager, self.splitter.pauses = True, pauses

    def begin_answer(self, fits: Callable[[str], bool]) -> str:
        """Return the part of the answer that came in the same token as the end of the reasoning.

        Args:
            fits: checks if an answer can start with a text. If not, the text counts as reasoning.
        """
        after = self.splitter.after_reasoning
        stripped = after.lstrip("\n")
        start = next((text for text in (stripped, stripped.lstrip()) if fits(text)), "")
        dropped = after[: len(after) - len(start)]
        self.splitter.resume(len(dropped))
        if dropped.strip():
            self._late_deltas = self._record([(dropped, "reasoning")])
        return start

    def call_updates(self, over: bool = False) -> list[ToolCallUpdate]:
        return self.tracker.update(self.splitter.call, over, self.splitter.call_start)

    def add(self, token: int) -> list[Delta]:
        self.detokenizer.add_token(token)
        segment = self.detokenizer.last_segment
        self._silent_tokens = 0 if segment else self._silent_tokens + 1
        if self._silent_tokens >= _MAX_SILENT_TOKENS:
            # Each token decodes all pending bytes again, so don't let them accumulate.
            self._flush()
            segment, self._silent_tokens = self.detokenizer.last_segment, 0
        return self._record(self.splitter.add(token, segment))

    def finish(self, ended: bool = True) -> list[Delta]:
        """Return the remaining text, even if it ends in an incomplete character."""
        self._flush()
        rest = self.detokenizer.last_segment
        if not ended and self.splitter.has_partial_marker() and not rest.strip("\ufffd"):
            rest = ""  # incomplete character, probably from a marker
        deltas = self.splitter.feed(rest)
        return self._record(deltas + self.splitter.finish(ended))

    def _flush(self) -> None:
        try:
            self.detokenizer.finalize()
        # mlx-lm raises this for an incomplete character followed by a token with letters.
        except KeyError:
            self.detokenizer._unflushed = ""

    def _record(self, deltas: list[Delta]) -> list[Delta]:
        new_deltas, self._late_deltas = self._late_deltas, []
        for text, kind in deltas:
            self._pieces[kind].append(text)
            text_so_far = self._breaks + text if kind == "reasoning" else text
            complete_text = text_so_far.rstrip("\n") if kind == "reasoning" else text_so_far
            self._breaks = text_so_far[len(complete_text) :]
            if complete_text:
                new_deltas.append((complete_text, kind))
        return new_deltas
