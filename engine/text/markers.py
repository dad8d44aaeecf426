"""What frames the parts of a model's answer: data of `engine.text.dialects`, no code of a model."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages import Kind


@dataclass(frozen=True)
class Frame:
    """What one kind of text stands in.

    Attributes:
        end: "" where the turn's end is the frame's, too.
        or_end: other ways to end it.
        first: only at the beginning of an answer is the start a marker.
        kept: the start is a part of what it opens.
        offered: it is a marker only where tools were offered.
        plain: its end is ordinary text everywhere else.
    """

    kind: Kind
    start: str
    end: str = ""
    or_end: tuple[str, ...] = ()
    first: bool = False
    kept: bool = False
    offered: bool = False
    plain: bool = False

    @property
    def ends(self) -> tuple[str, ...]:
        """All ways to end it, none where only the turn's end does."""
        return tuple(end for end in (self.end, *self.or_end) if end)


@dataclass(frozen=True)
class Header:
    """Each part of an answer begins with a header, which says what it is and is not shown.

    Attributes:
        starts: what a header begins with.
        end: what ends it.
        reads: words in it and the kind of the text after it; the first that is found counts.
        closes: what ends the text after it.
        first: what a header may begin with at the beginning of an answer.
        names: what stands before the name of the tool that is called.
    """

    starts: tuple[str, ...]
    end: str
    reads: tuple[tuple[str, Kind], ...]
    closes: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    names: str = ""

    def kind(self, text: str) -> Kind:
        """Of the text after a header of these words."""
        return next((kind for word, kind in self.reads if word in text), "answer")

    def tool(self, text: str) -> str:
        """The name of the tool that a header calls."""
        words = text.partition(self.names)[2].split("<", 1)[0].split() if self.names else []
        return words[0] if words else ""


@dataclass(frozen=True)
class Markers:
    """The strings with which a model frames its reasoning and its tool calls; "" where unknown.

    Attributes:
        dropped: frame the answer or nothing at all, and are not shown.
        more: other frames, where a model knows several.
        header: where a model puts one before each part.
        calls_end_reasoning: a tool call may begin before the reasoning has been ended.
    """

    think_start: str = ""
    think_end: str = ""
    tool_start: str = ""
    tool_end: str = ""
    dropped: tuple[str, ...] = ()
    more: tuple[Frame, ...] = ()
    header: Header | None = None
    calls_end_reasoning: bool = False

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All frames."""
        pairs = (
            Frame("reasoning", self.think_start, self.think_end),
            Frame("tool", self.tool_start, self.tool_end),
        )
        return (*(pair for pair in pairs if pair.start), *self.more)

    @property
    def call(self) -> tuple[str, str]:
        """The strings around a call or several, as far as a model has any."""
        framed = (f for f in self.more if f.kind == "tool" and f.plain)
        first = next(framed, Frame("tool", ""))
        return (self.tool_start, self.tool_end) if self.tool_start else (first.start, first.end)

    @property
    def all(self) -> frozenset[str]:
        """All strings that nobody is to see."""
        found = {*self.dropped}
        for frame in self.frames:
            found |= {*(() if frame.kept else (frame.start,))}
            found |= {*(() if frame.plain else frame.ends)}
        if self.header is not None:
            found |= {*self.header.starts, self.header.end, *self.header.closes}
        return frozenset(found - {""})

    def opens_reasoning(self, prompt: str, opening: str | None = None) -> bool:
        """Whether a rendered prompt ends inside a reasoning block that its template opened.

        Args:
            opening: what the template put after the messages, where that is known.
        """
        starts = [f for f in self.frames if f.kind == "reasoning"]
        if opening is None:
            # Only its very end tells: a message may speak of the marker.
            return any(prompt.rstrip().endswith(f.start) for f in starts)
        return any(
            opening.rfind(f.start) > max((opening.rfind(end) for end in f.ends), default=-1)
            for f in starts
        )

    def closes_reasoning(self, prompt: str) -> bool:
        """Whether a rendered prompt ends with reasoning that its template closed."""
        ends = [end for f in self.frames if f.kind == "reasoning" for end in f.ends]
        return prompt.rstrip("\n").endswith(tuple(ends))
