"""Collect the text of one reply, split by kind, as its tokens arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.messages import Kind, Message
from engine.text import recognition
from engine.text.splitter import Delta, MarkTokens, TextSplitter
from engine.text.tool_calls import ToolCallTracker, ToolCallUpdate
from engine.text.tools import name_of

_MOST_SILENT = 64
"""Flush after this many tokens without text. A character has at most four bytes, so normally four
tokens are enough."""


def _mark_tokens(tokenizer: Any) -> MarkTokens:
    return MarkTokens(recognition.of(tokenizer).markers, recognition.added_tokens(tokenizer))


_marks_of = recognition.once_for_each(_mark_tokens)


class ReplyText:
    """Builds a reply's text from its tokens.

    Args:
        opened: text that the template rendered.
        opening: the part of `opened` after the messages, if known.
        tools: offered tools in OpenAI's format.
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
        self._begun = 0  # number of characters in the start of a continued reply
        self._silent = 0  # number of tokens since the last text
        self._late: list[Delta] = []  # deltas to report along with the next deltas

    def add_interrupted(self, text: str) -> None:
        """Process text of an interrupted reply. Nothing is reported."""
        self._note(self._splitter.feed_text(text) + self._splitter.finish(ended=False))

    def resume(self, tokens: Iterable[int], follow: Callable[[int], None] | None) -> None:
        """Process the tokens at the start of a reply. They have already been reported.

        Args:
            follow: called after each token.
        """
        for token in tokens:
            self.add(token)
            if follow is not None:
                follow(token)
        self._reported(self._splitter.release())
        self._begun = len(self._detokenizer.text)

    def after(self, tokens: Iterable[int]) -> None:
        """Continue after tokens that aren't reported. Leading spaces of the new text are kept."""
        for token in tokens:
            self._detokenizer.add_token(token)
        self._begun = len(self._detokenizer.last_segment)

    @property
    def detokenizer(self) -> Any:
        return self._detokenizer

    @property
    def raw(self) -> str:
        """Everything generated so far, with markers and reasoning."""
        return str(self._detokenizer.text)[self._begun :]

    @property
    def parts(self) -> dict[Kind, str]:
        return {kind: "".join(pieces) for kind, pieces in self._pieces.items()}

    def as_message(self) -> Message:
        """Convert the reply to a message for later prompts."""
        parts = self.parts
        answer: Message = {"role": "assistant", "content": parts["answer"]}
        unshown = self._splitter.unshown
        if self.kind == "answer" and not unshown.endswith((">", "]")):
            # The text usually isn't a marker. Including it lets the next prompt match the cache.
            answer["content"] += unshown
        if parts["tool"]:
            made = self._calling.made
            whole = sum(map(len, self.calls)) == len(parts["tool"])
            if not made or not whole or self._calling.unreadable or not self._dialect.knows_calls:
                # Keep the call exactly as the model wrote it.
                answer["content"] = self.without_reasoning
            else:
                answer["tool_calls"] = [call.as_message(name) for name, call in made]
        if thought := parts["reasoning"]:
            # The template adds the line break before the marker.
            lines = self._dialect.row.begun is None
            answer["reasoning_content"] = thought.rstrip("\n") if lines else thought
        return answer

    @property
    def without_reasoning(self) -> str:
        """Raw text after the reasoning. Tool calls are included as written."""
        after = self._splitter.reasoned
        return self._written(after).lstrip("\n") if after else str(self._detokenizer.text)

    def _written(self, after: int) -> str:
        """Return the raw text from character `after` onwards."""
        return str(self._detokenizer.text)[after:]

    @property
    def kind(self) -> Kind:
        return self._splitter.kind

    @property
    def in_header(self) -> bool:
        return self._splitter.in_header

    @property
    def may_end(self) -> bool:
        """True if the reply can be interrupted, i.e. we aren't in a marker or tool call."""
        return not (self.in_header or self.kind == "tool" or self._splitter.may_be_cut)

    def only_answer(self) -> str:
        """From now on, treat markers as text. Returns the answer so far."""
        return self.parts["answer"] + self._splitter.only_answer()

    @property
    def call(self) -> str:
        """The current tool call, as far as it's written."""
        if self.kind != "tool":
            return ""
        start, _ = self._dialect.markers.call
        return self._written(self._splitter.opened) if start else "".join(self._splitter.call)

    @property
    def in_code(self) -> bool:
        return self._splitter.in_code

    def decide_early(self, pauses: bool = False) -> None:
        """Decide about markers right away from now on, without waiting for more text.

        Args:
            pauses: hold back what comes after the reasoning until `begin_answer`.
        """
        self._splitter.eager, self._splitter.pauses = True, pauses

    def begin_answer(self, fits: Callable[[str], bool]) -> str:
        """Return the part of the answer that came in the same token as the end of the reasoning.

        Args:
            fits: checks whether an answer can start with a text. If not, the text counts as
                reasoning.
        """
        held = self._splitter.after_reasoning
        stripped = held.lstrip("\n")
        begun = next((text for text in (stripped, stripped.lstrip()) if fits(text)), "")
        dropped = held[: len(held) - len(begun)]
        self._splitter.go_on(len(dropped))
        if dropped.strip():
            self._late += self._note([(dropped, "reasoning")])
        return begun

    @property
    def stop(self) -> str | None:
        return self._splitter.stop

    def call_updates(self, over: bool = False) -> list[ToolCallUpdate]:
        """Return new tool-call events.

        Args:
            over: True if no more text will come.
        """
        return self._calling.follow(self._splitter.call, over, self._splitter.call_start)

    @property
    def called_enough(self) -> bool:
        """True once the reply has the single call we want."""
        return self._calling.enough

    @property
    def calls(self) -> list[str]:
        return self._splitter.calls

    def add(self, token: int) -> list[Delta]:
        """Add a token. Returns the deltas that are certain now."""
        self._detokenizer.add_token(token)
        segment = self._detokenizer.last_segment
        self._silent = 0 if segment else self._silent + 1
        if self._silent >= _MOST_SILENT:
            # Each token decodes all pending bytes again, so don't let them accumulate.
            self._flush()
            segment, self._silent = self._detokenizer.last_segment, 0
        return self._reported(self._splitter.add(token, segment))

    def _reported(self, deltas: list[Delta]) -> list[Delta]:
        late, self._late = self._late, []
        return late + self._note(deltas)

    def finish(self, ended: bool = True) -> list[Delta]:
        """Return the remaining text, even if it ends in an incomplete character.

        Args:
            ended: True if the model ended its turn, False if it was interrupted.
        """
        self._flush()
        rest = self._detokenizer.last_segment
        if not ended and self._splitter.may_be_cut and not rest.strip("\ufffd"):
            rest = ""  # incomplete character, probably from a marker
        deltas = self._splitter.feed(rest)
        return self._reported(deltas + self._splitter.finish(ended))

    def _flush(self) -> None:
        """Decode pending bytes, even if they are an incomplete character."""
        try:
            self._detokenizer.finalize()
        # mlx-lm raises this for an incomplete character followed by a token with letters.
        except KeyError:
            self._detokenizer._unflushed = ""

    def _note(self, deltas: list[Delta]) -> list[Delta]:
        """Record deltas. Returns what to show, i.e. without line breaks that end the reasoning."""
        shown: list[Delta] = []
        for text, kind in deltas:
            self._pieces[kind].append(text)
            whole = self._breaks + text if kind == "reasoning" else text
            known = whole.rstrip("\n") if kind == "reasoning" else whole
            self._breaks = whole[len(known) :]
            if known:
                shown.append((known, kind))
        return shown
