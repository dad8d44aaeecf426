"""Layout of lists and quotes."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QImage,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCursor,
)
from PySide6.QtWidgets import QApplication, QWidget

from app.markdown import MarkdownDocument
from app.markdown.rows import TextRow
from app.markdown.style import LIGHT
from app.markdown.underlay import marker_area
from app.settings.paths import resources

WIDTH = 600
SIZES = (11, 28)
ARABIC = "\u0646\u0635"
HEBREW = "\u05d8\u05e7\u05e1\u05d8"


def rendered(text: str, px: int = 15) -> MarkdownDocument:
    document = MarkdownDocument(replace(LIGHT, font_px=px))
    document.document.setTextWidth(WIDTH)
    document.set_text(text)
    document.settle()
    return document


def painted(document: MarkdownDocument, *, text: bool = False) -> QImage:
    size = document.document.size().toSize()
    image = QImage(WIDTH, size.height() + 4, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    document.paint_under(painter)
    if text:
        document.document.drawContents(painter)
    painter.end()
    return image


def ink(image: QImage, area: QRectF) -> tuple[int, int] | None:
    box = area.toAlignedRect().intersected(image.rect())
    columns = [
        x
        for x in range(box.left(), box.right() + 1)
        if any(image.pixel(x, y) != 0xFFFFFFFF for y in range(box.top(), box.bottom() + 1))
    ]
    return (columns[0], columns[-1]) if columns else None


def first_blocks(document: MarkdownDocument) -> list[tuple[TextRow, QTextBlock]]:
    rows = enumerate(document._writer.rows)
    return [(row, document._writer.blocks(n)[0]) for n, row in rows if getattr(row, "item", None)]


def line_box(document: MarkdownDocument, block: QTextBlock) -> QRectF:
    document.document.documentLayout().blockBoundingRect(block)
    top = block.layout().position().y()
    return QRectF(0, top, WIDTH, block.blockFormat().lineHeight())


def marker_of(document: MarkdownDocument, row: TextRow) -> QRectF:
    formats = document._formats
    indent = formats.indent(row.levels)
    edge = WIDTH - indent if row.rtl else indent
    return marker_area(formats, row.item, QPointF(edge, 100), row.rtl)


@pytest.mark.parametrize("px", SIZES)
@pytest.mark.parametrize("start", [1, 9, 98, 88_888, 999_999_999])
def test_list_numbers_are_not_cut_off(px: int, start: int) -> None:
    document = rendered("".join(f"{start + n}. item\n" for n in range(3)), px)
    image = painted(document)
    for row, block in first_blocks(document):
        area = marker_of(document, row)
        assert area.left() >= 0, "cut off at the edge"
        assert area.right() < document._formats.indent(row.levels) - 2, "too close to the text"
        seen = ink(image, line_box(document, block))
        assert seen is not None, "no number at all"
        # Glyphs have side bearings, but must be complete.
        assert area.left() - 1 <= seen[0] <= area.left() + 0.3 * px
        assert area.right() - 0.3 * px <= seen[1] <= area.right() + 1


@pytest.mark.parametrize("px", SIZES)
@pytest.mark.parametrize(
    ("marker", "script"),
    [("1.", ARABIC), ("12345)", HEBREW), ("-", HEBREW), ("- [x]", ARABIC)],
)
def test_rtl_list_markers_are_on_the_right(px: int, script: str, marker: str) -> None:
    document = rendered(f"{marker} {script}\n", px)
    mirrored = rendered(f"{marker} item\n", px)
    (row, block), (other, _) = first_blocks(document)[0], first_blocks(mirrored)[0]
    area, mirror = marker_of(document, row), marker_of(mirrored, other)
    assert row.rtl
    assert not other.rtl
    assert area.left() == pytest.approx(WIDTH - mirror.right())
    assert area.right() == pytest.approx(WIDTH - mirror.left())
    seen = ink(painted(document), line_box(document, block))
    assert area.left() - 2 <= seen[0]
    assert seen[1] <= area.right() + 2
    # The text ends at the marker's area.
    line = block.layout().lineAt(0)
    right = block.layout().position().x() + line.naturalTextRect().right()
    assert right == pytest.approx(WIDTH - document._formats.indent(row.levels), abs=1)


def test_nested_lists_are_indented_by_their_markers() -> None:
    document = rendered("8. a\n9. b\n10. c\n    - d\n      1. e\n         > f\n")
    indents = [document._formats.indent(row.levels) for row in document._writer.rows]
    assert indents == sorted(indents)
    assert len(set(indents)) == 4
    for row, block in first_blocks(document):
        area = marker_of(document, row)
        assert area.left() >= document._formats.indent(row.levels[:-1])
        assert block.blockFormat().leftMargin() == document._formats.indent(row.levels)


@pytest.mark.parametrize("px", SIZES)
def test_rtl_nested_lists_are_mirrored(px: int) -> None:
    text = "1. {0}\n   - {0}\n     - [x] {0}\n\n   > {0}\n\n   ---\n\n   ```\n   code\n   ```\n"
    left, right = rendered(text.format("item"), px), rendered(text.format(ARABIC), px)
    for one, other in zip(left._writer.rows, right._writer.rows, strict=True):
        assert (one.levels, one.bars) == (other.levels, other.bars)
        assert other.rtl
    for number in range(len(left._writer.rows)):
        one, other = (d._writer.blocks(number)[0].blockFormat() for d in (left, right))
        assert one.leftMargin() == other.rightMargin()
        assert one.rightMargin() == other.leftMargin()
    code, mirrored = (d.code_area(d.code_blocks()[0]) for d in (left, right))
    assert code.left() == pytest.approx(WIDTH - mirrored.right())
    assert code.right() == pytest.approx(WIDTH - mirrored.left())


@pytest.mark.parametrize(("script", "columns"), [("text", (0, 3)), (ARABIC, (597, 600))])
def test_quote_bar_is_at_line_start(script: str, columns: tuple[int, int]) -> None:
    document = rendered(f"> {script}\n")
    seen = ink(painted(document), QRectF(0, 0, WIDTH, document.document.size().height()))
    assert columns[0] - 1 <= seen[0] <= seen[1] <= columns[1] + 1


def test_rtl_item_stays_in_its_list() -> None:
    document = rendered(f"1. item\n2. {ARABIC}\n3. item\n")
    assert {row.rtl for row, _ in first_blocks(document)} == {False}
    starts = {
        block.layout().position().x() + block.layout().lineAt(0).naturalTextRect().left()
        for _, block in first_blocks(document)
        if document.document.documentLayout().blockBoundingRect(block)
    }
    assert len({round(start) for start in starts}) == 1


def test_code_in_rtl_text_runs_left_to_right() -> None:
    document = rendered(f"- {ARABIC}\n\n  ```\n  # {ARABIC}\n  ```\n")
    place = next(n for n, row in enumerate(document._writer.rows) if row.kind == "code")
    block = document._writer.blocks(place)[0]
    document.document.documentLayout().blockBoundingRect(block)
    assert block.layout().lineAt(0).naturalTextRect().left() < WIDTH / 4


def test_direction_follows_first_letter() -> None:
    for text, rtl in (
        (f"1. 2024 {ARABIC} item", True),
        (f"1. item {ARABIC}", False),
        (f"- [x] {HEBREW}", True),
        (f"- **{HEBREW}**", True),
        (f"-\n- {ARABIC}", True),
        ("- 123\n- ...", False),
    ):
        assert {row.rtl for row in rendered(text)._writer.rows} == {rtl}, text


@pytest.mark.parametrize(
    ("above", "rtl"),
    [
        (f"{ARABIC}:", True),
        (f"# {HEBREW}", True),
        (f"- {ARABIC}", True),
        (f"| {ARABIC} |\n|---|\n| 1 |", True),
        (f"{ARABIC}:\n\n$$\ny\n$$", True),
        ("Text:", False),
        (f"Text {ARABIC}:", False),
        ("", False),
    ],
)
def test_formula_alone_is_at_the_side_of_the_text_above(above: str, rtl: bool) -> None:
    document = rendered(f"{above}\n\n$$x^2$$\n\n{ARABIC} text")
    place = next(
        n for n, row in reversed([*enumerate(document._writer.rows)]) if row.spans[0].ink.math
    )
    block = document._writer.blocks(place)[0]
    document.document.documentLayout().blockBoundingRect(block)
    line = block.layout().lineAt(0).naturalTextRect()
    assert (line.left() > WIDTH / 2, line.right() < WIDTH / 2) == (rtl, not rtl)


@pytest.mark.parametrize(("text", "italic"), [("word", True), (HEBREW, True), (ARABIC, False)])
def test_arabic_is_not_slanted(text: str, italic: bool) -> None:
    document = rendered(f"a *{text}* b")
    cursor = QTextCursor(document.document)
    cursor.setPosition(3)
    assert cursor.charFormat().fontItalic() == italic


def test_tenth_item_moves_nothing() -> None:
    nine, ten = (rendered("".join(f"{n}. x\n" for n in range(1, last))) for last in (10, 11))
    assert nine._writer.rows[0].levels == ten._writer.rows[0].levels


def test_markers_grow_with_the_text() -> None:
    for text in ("- item", "- [x] item", "1. item"):
        small, large = rendered(text, 14), rendered(text, 28)
        areas = [marker_of(d, d._writer.rows[0]) for d in (small, large)]
        assert areas[1].width() == pytest.approx(2 * areas[0].width(), rel=0.1)


def test_text_size_change_moves_list() -> None:
    document = rendered("- a\n  1. b\n\n> c\n", 15)
    document.set_style(replace(LIGHT, font_px=30))
    again = rendered("- a\n  1. b\n\n> c\n", 30)
    for number in range(len(again._writer.rows)):
        one, other = (d._writer.blocks(number)[0].blockFormat() for d in (document, again))
        assert one == other


def test_rtl_table_starts_on_the_right() -> None:
    document = rendered(f"| {ARABIC} | b |\n|---|---|\n| {HEBREW} | 2 |\n")
    table = document.document.rootFrame().childFrames()[0]
    layout = document.document.documentLayout()
    last = table.lastCursorPosition().block()
    assert layout.blockBoundingRect(last).right() == pytest.approx(WIDTH, abs=4)
    places = {
        block.text(): layout.blockBoundingRect(block).left()
        for block in (document.document.findBlockByNumber(n) for n in range(1, 5))
    }
    assert places[ARABIC] > places["b"]
    assert places[HEBREW] > places["2"]
    assert document.plain_text() == f"{ARABIC}\tb\n{HEBREW}\t2"


def test_list_numbers_keep_distance_with_tabular_figures(
    qapp: QApplication,
) -> None:
    """A painter inherits unset font attributes, such as tabular figures, from its widget."""
    faces = [str(file) for file in (resources() / "fonts").glob("*.ttf")]
    added = [QFontDatabase.addApplicationFont(face) for face in faces]
    try:
        document = MarkdownDocument(replace(LIGHT, font_px=16, font_family="Inter"))
        document.document.setTextWidth(WIDTH)
        document.set_text("16. item\n17. item\n18. item\n")
        document.settle()
        page = Page(document)
        ends = set()
        for row, block in first_blocks(document):
            box, edge = line_box(document, block), document._formats.indent(row.levels)
            found = ink(page.grab().toImage().convertToFormat(QImage.Format.Format_RGB32), box)
            assert found[1] <= marker_of(document, row).right() < edge
            ends.add(found[1])
        assert len(ends) == 1
    finally:
        for face in added:
            QFontDatabase.removeApplicationFont(face)


class Page(QWidget):
    def __init__(self, document: MarkdownDocument) -> None:
        super().__init__()
        self._document = document
        self.resize(WIDTH, document.document.size().toSize().height() + 4)
        self.setStyleSheet("background: white")
        font = QFont("Inter")
        font.setFeature(QFont.Tag("tnum"), 1)
        self.setFont(font)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._document.paint_under(QPainter(self))


@pytest.mark.parametrize("script", ["a", ARABIC])
def test_quote_bar_covers_leading_table(script: str) -> None:
    document = rendered(f"{script}\n\n{script}\n\n> | {script} | b |\n> |---|---|\n> | 1 | 2 |\n")
    above = document._writer.blocks(1)[0]
    foot = line_box(document, above).bottom()
    assert ink(painted(document), QRectF(0, 0, WIDTH, foot)) is None
    assert ink(painted(document), QRectF(0, foot, WIDTH, 200)) is not None


@pytest.mark.parametrize("px", SIZES)
@pytest.mark.parametrize("words", ["item", "$\\frac{\\sum_{i=0}^n x_i^2}{2}$ item"])
def test_number_is_on_the_baseline_of_its_text(px: int, words: str) -> None:
    """A tall formula moves the line's baseline down."""
    document = rendered(f"7. 7 {words}\n", px)
    ((row, block),) = first_blocks(document)
    line = block.layout().lineAt(0)
    left = block.layout().position().x() + line.cursorToX(0)[0]
    image = painted(document, text=True)
    digit = document._formats.marker_width("7")
    number = feet(image, marker_of(document, row).left(), digit)
    assert number == feet(image, left, digit)


def feet(image: QImage, left: float, width: float) -> int:
    columns = range(round(left), round(left + width))
    rows = range(image.height())
    return max(y for y in rows if any(image.pixel(x, y) != 0xFFFFFFFF for x in columns))


@pytest.mark.parametrize("text", ["مع `code`", "`code` مع", "مع `code` نص", "with `code`"])
def test_code_background_fits_in_both_directions(text: str) -> None:
    document = rendered(text)
    ground, image = QColor(document.style.inline_code_background), painted(document)
    tinted = [x for x in range(WIDTH) if image.pixelColor(x, image.height() // 2) == ground]
    letters = QFontMetricsF(document._formats.code_font()).horizontalAdvance("code")
    assert max(tinted) - min(tinted) == pytest.approx(letters + 4, abs=4)
