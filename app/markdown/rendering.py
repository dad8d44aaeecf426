"""From Markdown that grows to the rows it makes: finished blocks once, the open one each time."""

from collections.abc import Sequence

from app.markdown.blocks import BlockSplitter
from app.markdown.codelines import GrowingCode
from app.markdown.colours import Colours
from app.markdown.inline import InlineParser
from app.markdown.layout import block_rows
from app.markdown.rawtext import raw_rows
from app.markdown.rows import CodeKey, Row


class Rendering:
    """The rows of one text.

    Attributes:
        codes: the source of each code block.
    """

    def __init__(self, colours: Colours) -> None:
        self.codes: dict[CodeKey, str] = {}
        self._colours = colours
        self._splitter = BlockSplitter()
        self._final_inline = InlineParser()
        self._open_inline = InlineParser()
        self._ends: list[int] = []  # rows up to the end of each finished block
        self._uses: dict[str, int] = {}  # bracketed label -> first finished block that has it
        self._known: set[str] = set()  # labels that finished blocks were rendered with
        self._open_parse = -1
        self._open_kept: list[Row] = []
        self._growing = GrowingCode()

    @property
    def finished_rows(self) -> int:
        """How many rows belong to finished blocks."""
        return self._ends[-1] if self._ends else 0

    def rows_of(self, number: int) -> tuple[int, int]:
        """First row and the one after the last of a finished block; none if it was taken back."""
        if number >= len(self._ends):
            return 0, 0
        return self._ends[number - 1] if number else 0, self._ends[number]

    def feed(self, text: str) -> None:
        """Adds text at the end, also after `finish`."""
        self._splitter.feed(text)
        self._take_back()

    def finish(self) -> None:
        """The text is complete."""
        self._splitter.finish()

    def forget(self) -> None:
        """Keeps nothing that only helps while the text grows."""
        self._final_inline.forget()

    def advance(self, shown: Sequence[Row]) -> tuple[int, list[Row]]:
        """Which rows the text makes now: how many of `shown` stay, and those after them."""
        splitter = self._splitter
        splitter.advance()
        done = self._first_to_render()
        begin = self._ends[done - 1] if done else 0
        above = shown[begin - 1] if begin else None
        del self._ends[done:]
        rows: list[Row] = []
        self._colours.begin()
        self._final_inline.begin(splitter.references, steady=True)
        for number in range(done, len(splitter.finished)):
            block = splitter.finished[number]
            previous = rows[-1] if rows else above
            rows += block_rows(
                block, number, self._final_inline, previous, self.codes, self._colours.lines
            )
            self._ends.append(begin + len(rows))
            for label in block.labels:
                self._uses.setdefault(label, number)
        kept, tail = self._open_rows(rows, begin, above)
        return begin + kept, [*rows, *tail]

    def _take_back(self) -> None:
        """The text goes on after `finish`: forget what was rendered of its last blocks."""
        count = len(self._splitter.finished)
        if len(self._ends) <= count:
            return
        for label in self._known - self._splitter.references.keys():
            count = min(count, self._uses.get(label, count))
        del self._ends[count:]
        self._known.intersection_update(self._splitter.references)
        self._uses = {label: number for label, number in self._uses.items() if number < count}

    def _first_to_render(self) -> int:
        """The first finished block whose rows are missing, or wrong since a definition came."""
        first = len(self._ends)
        references = self._splitter.references
        if len(references) > len(self._known):
            for label in references.keys() - self._known:
                first = min(first, self._uses.get(label, first))
            self._known.update(references)
        return first

    def _open_rows(
        self, finished: list[Row], begin: int, above: Row | None
    ) -> tuple[int, list[Row]]:
        """How many rows after `begin` stay as they are, and what follows them or `finished`."""
        splitter = self._splitter
        number = len(splitter.finished)
        previous = finished[-1] if finished else above
        if finished or splitter.open_fence is None:
            self._growing.clear()
        if fence := splitter.open_fence:
            place = begin + len(finished)
            return self._growing.rows(fence, number, previous, place, self.codes)
        if not splitter.tail:
            return 0, []
        if splitter.parses != self._open_parse:
            self._open_parse = splitter.parses
            self._open_kept = self._render_open(number, previous)
        rows = self._open_kept
        if splitter.unparsed:
            return 0, [
                *rows,
                *raw_rows(splitter.unparsed.strip("\n"), rows[-1] if rows else previous),
            ]
        return 0, rows

    def _render_open(self, number: int, previous: Row | None) -> list[Row]:
        splitter = self._splitter
        references = splitter.open_references
        self._open_inline.begin(references, steady=len(references) == len(splitter.references))
        block = splitter.open_block
        return block_rows(block, number, self._open_inline, previous, self.codes)
