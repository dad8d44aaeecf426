"""Text of one reply, split by kind while its tokens arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.messages import Kind, Message
from engine.text import recognition
from engine.text.splitter import Delta, TextSplitter
from engine.text.tool_calls import Calling, Told
from engine.text.tools import name_of

_MOST_SILENT = 64
"""Maximum number of tokens without text. A character has at most four bytes, so at most four
tokens."""


class ReplyText:
    """Text of one reply, built token by token with its detokenizer.

    Args:
        opened: text rendered by the template.
        opening: end of `opened` after the messages; None if unknown.
        tools: offered tools in OpenAI's shape.
        one_call: the reply ends after its first call.
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
        self._calling = Calling(self._dialect.tool_format, tools, opened, one_call)
        markers = self._dialect.markers
        self._splitter = TextSplitter(
            markers,
            stops,
            markers.opens_reasoning(opened, opening),
            bool(tools),
            markers.closes_reasoning(opened),
            self._dialect.tool_format,
            {name_of(tool) for tool in tools},
            self._calling.close,
            recognition.added_tokens(tokenizer),
        )
        self._pieces: dict[Kind, list[str]] = {"answer": [], "reasoning": [], "tool": []}
        self._breaks = ""  # line breaks at the end of the reasoning so far
        self._begun = 0  # characters of the beginning of a continued reply
        self._silent = 0  # tokens since the last text
        self._late: list[Delta] = []  # to be reported with the next deltas

    def take(self, text: str) -> None:
        """Process the text of an interrupted reply, without reporting it."""
        self._note(self._splitter.take(text) + self._splitter.finish(ended=False))

    def resume(self, tokens: Iterable[int], follow: Callable[[int], None] | None) -> None:
        """Continue after the tokens of a reply's beginning, which were reported before.

        Args:
            follow: called after each of these tokens.
        """
        for token in tokens:
            self.add(token)
            if follow is not None:
                follow(token)
        self._reported(self._splitter.release())
        self._begun = len(self._detokenizer.text)

    def after(self, tokens: Iterable[int]) -> None:
        """Continue after tokens that are not reported. Keeps leading spaces of the new text."""
        for token in tokens:
            self._detokenizer.add_token(token)
        self._begun = len(self._detokenizer.last_segment)

    @property
    def detokenizer(self) -> Any:
        """mlx-lm's detokenizer of this reply."""
        return self._detokenizer

    @property
    def raw(self) -> str:
        """Return all generated text so far, markers and reasoning included."""
        return str(self._detokenizer.text)[self._begun :]

    @property
    def parts(self) -> dict[Kind, str]:
        """Return all text so far, by kind."""
        return {kind: "".join(pieces) for kind, pieces in self._pieces.items()}

    def said(self) -> Message:
        """Return the reply as a message for the prompts of later turns."""
        parts = self.parts
        answer: Message = {"role": "assistant", "content": parts["answer"]}
        unshown = self._splitter.unshown
        if self.kind == "answer" and not unshown.endswith((">", "]")):
            # Usually it is not a marker, and with it the next prompt matches the cache.
            answer["content"] += unshown
        if parts["tool"]:
            made = self._calling.made
            whole = sum(map(len, self.calls)) == len(parts["tool"])
            if not made or not whole or self._calling.unreadable or not self._dialect.knows_calls:
                # Keep the call as the model wrote it.
                answer["content"] = self.without_reasoning
            else:
                answer["tool_calls"] = [call.as_message(name) for name, call in made]
        if thought := parts["reasoning"]:
            # the template writes the line break before the marker
            lines = self._dialect.row.begun is None
            answer["reasoning_content"] = thought.rstrip("\n") if lines else thought
        return answer

    @property
    def without_reasoning(self) -> str:
        """Raw text after the reasoning, including tool calls as written."""
        after = self._splitter.reasoned
        return self._written(after).lstrip("\n") if after else str(self._detokenizer.text)

    def _written(self, after: int) -> str:
        """Return the raw text from the character at index `after` on."""
        return str(self._detokenizer.text)[after:]

    @property
    def kind(self) -> Kind:
        """Kind of the next text."""
        return self._splitter.kind

    @property
    def in_header(self) -> bool:
        """True within a header, which is not shown."""
        return self._splitter.in_header

    @property
    def may_end(self) -> bool:
        """True if the reply can be interrupted here: not within a marker or a tool call."""
        return not (self.in_header or self.kind == "tool" or self._splitter.may_be_cut)

    def only_answer(self) -> str:
        """Treat further markers as text. Return the answer so far."""
        return self.parts["answer"] + self._splitter.only_answer()

    @property
    def call(self) -> str:
        """Text so far of the current tool call."""
        if self.kind != "tool":
            return ""
        start, _ = self._dialect.markers.call
        return self._written(self._splitter.opened) if start else "".join(self._splitter.call)

    @property
    def in_code(self) -> bool:
        """True if the next text is Markdown code."""
        return self._splitter.in_code

    def decide_early(self, pauses: bool = False) -> None:
        """From now on, decide about markers without waiting for the text after them.

        Args:
            pauses: hold back the text after the reasoning until `begin_answer`.
        """
        self._splitter.eager, self._splitter.pauses = True, pauses

    def begin_answer(self, fits: Callable[[str], bool]) -> str:
        """Return the beginning of the answer in the text of the token that ended the reasoning.

        Args:
            fits: returns True if an answer can begin with a text. Other text counts as reasoning.
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
    def stopped(self) -> bool:
        """True if a stop string has been found."""
        return self._splitter.stopped

    @property
    def stop(self) -> str | None:
        """Stop string that was found."""
        return self._splitter.stop

    def calls_told(self, over: bool = False) -> list[Told]:
        """Return new events of the tool calls.

        Args:
            over: no more text follows.
        """
        return self._calling.follow(self._splitter.call, over, self._splitter.call_start)

    @property
    def called_enough(self) -> bool:
        """True if the reply has the only call that is wanted."""
        return self._calling.enough

    @property
    def calls(self) -> list[str]:
        """Complete tool calls."""
        return self._splitter.calls

    def add(self, token: int) -> list[Delta]:
        """Return the deltas that a token makes certain."""
        self._detokenizer.add_token(token)
        segment = self._detokenizer.last_segment
        self._silent = 0 if segment else self._silent + 1
        if self._silent >= _MOST_SILENT:
            # With each token, all bytes that form no character are decoded again.
            self._flush()
            segment, self._silent = self._detokenizer.last_segment, 0
        return self._reported(self._splitter.add(token, segment))

    def _reported(self, deltas: list[Delta]) -> list[Delta]:
        late, self._late = self._late, []
        return late + self._note(deltas)

    def finish(self, ended: bool = True) -> list[Delta]:
        """Return the rest of the text, including an incomplete character.

        Args:
            ended: True if the model ended its turn, False if it was interrupted.
        """
        self._flush()
        rest = self._detokenizer.last_segment
        if not ended and self._splitter.may_be_cut and not rest.strip("\ufffd"):
            rest = ""  # incomplete character of a marker
        deltas = self._splitter.feed(rest)
        return self._reported(deltas + self._splitter.finish(ended))

    def _flush(self) -> None:
        """Decode pending bytes, including an incomplete character."""
        try:
            self._detokenizer.finalize()
        except KeyError:  # raised by mlx-lm for an incomplete character before a token of letters
            self._detokenizer._unflushed = ""

    def _note(self, deltas: list[Delta]) -> list[Delta]:
        """Record deltas. Return those to show, without line breaks at the end of the reasoning."""
        shown: list[Delta] = []
        for text, kind in deltas:
            self._pieces[kind].append(text)
            whole = self._breaks + text if kind == "reasoning" else text
            known = whole.rstrip("\n") if kind == "reasoning" else whole
            self._breaks = whole[len(known) :]
            if known:
                shown.append((known, kind))
        return shown
