"""The widths of code blocks whose lines are not broken."""

from PySide6.QtGui import QTextBlock

from app.markdown.row_writer import RowWriter


class Widths:
    """Remembers the widest line of each code block: a growing one is not measured from the top."""

    def __init__(self, writer: RowWriter) -> None:
        self._writer = writer
        # By name: the first block that is not counted yet, and the widest before it.
        self._kept: dict[tuple[int, int], tuple[int, float]] = {}

    def forget(self, place: int) -> None:
        """Measures again from this row on, which has changed."""
        number = self._writer.number(place)
        self._kept = {name: kept for name, kept in self._kept.items() if kept[0] <= number}

    def widest(self, name: tuple[int, int], first: QTextBlock, last: QTextBlock) -> float:
        """Pixels; of the blocks from `first` to `last`, which have been laid out."""
        number, widest = self._kept.get(name, (first.blockNumber(), 0.0))
        block = first.document().findBlockByNumber(number)
        while block.isValid() and block.blockNumber() <= last.blockNumber():
            if block == last:
                self._kept[name] = (last.blockNumber(), widest)  # it may still grow
            if block.blockFormat().nonBreakableLines() and block.layout().lineCount():
                widest = max(widest, block.layout().lineAt(0).naturalTextWidth())
            block = block.next()
        return widest
