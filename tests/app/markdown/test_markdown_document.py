"""Links, code, colors, copying, and appending after the end."""

import itertools
import math
import random
import time
import weakref

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTextCursor
from pytestqt.qtbot import QtBot

from app.markdown import CodeBlock, MarkdownDocument
from app.markdown.document import APART_S, RefreshPace
from app.markdown.highlight import COLORS, CodeHighlighter
from app.markdown.style import LIGHT
from app.markdown.syntax import parser
from tests.app.markdown.markdown_dump import dump, rendered
from tests.app.markdown.markdown_samples import DARK, SAMPLES
from tests.bench.samples import mixed


def links(document: MarkdownDocument) -> dict[str, str]:
    found = {}
    block = document.document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            if fragment.charFormat().isAnchor():
                found[fragment.text()] = fragment.charFormat().anchorHref()
            iterator += 1
        block = block.next()
    return found


def image_of(document: MarkdownDocument, width: int = 400) -> QImage:
    document.document.setTextWidth(width)
    image = QImage(width, int(document.document.size().height()) + 40, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    document.paint_under(painter)
    document.document.drawContents(painter)
    painter.end()
    return image


def test_only_web_and_mail_addresses_are_links() -> None:
    found = links(rendered(SAMPLES["links"] + "\n\n" + SAMPLES["refused links"]))
    assert found == {
        "a": "http://a.b",
        "b": "http://a%20b",
        "c": "https://x.y/z_(q)",
        "d": "mailto:a@b.c",
    }
    text = rendered(SAMPLES["refused links"]).document.toPlainText()
    assert text == "a b c d e"


def test_letters_link_to_parts_only_in_merged_text() -> None:
    text = "One [A]. Two **[B, D]** [A](http://a.b) `[A]` [A B].\n\n[AB] A [C"
    document = MarkdownDocument(LIGHT, parts="AB")
    for piece in text:
        document.append(piece)
    document.finish()
    assert links(document) == {
        "[A]": "#A",
        "[B": "#B",
        "A": "http://a.b",
        "[A": "#A",
        "B]": "#B",
    }
    assert document.markdown_text() == text
    assert links(rendered(text)) == {"A": "http://a.b"}


def test_bare_links_exclude_trailing_punctuation() -> None:
    assert links(rendered(SAMPLES["bare links"])) == {
        "https://a.b/c?d=e_f": "https://a.b/c?d=e_f",
        "http://x.y/(z)": "http://x.y/(z)",
        "http://b": "http://b",
    }


def test_images_show_descriptions_without_loading() -> None:
    document = rendered(SAMPLES["images"])
    text = document.document.toPlainText()
    assert text == "alt text http://x/z.png in"
    assert "\ufffc" not in text
    assert links(document) == {
        "alt text": "http://x/y.png",
        "http://x/z.png": "http://x/z.png",
        "in": "http://l",
    }


def test_html_is_text() -> None:
    text = rendered(SAMPLES["html"]).document.toPlainText()
    assert "<script>alert(1)</script>" in text
    assert "a b <!-- c --> d" in text


def test_deeply_nested_text_is_shown() -> None:
    assert "deep" in rendered(SAMPLES["deep quotation"]).document.toPlainText()
    text = rendered(SAMPLES["deep list"]).document.toPlainText()
    assert all(f"level {number}" in text for number in range(30))


def test_no_control_character_reaches_the_document() -> None:
    document = rendered(SAMPLES["control characters"])
    text = document.document.toPlainText()
    assert not [c for c in text if (ord(c) < 32 and c != "\n") or "\ufdd0" <= c <= "\ufdef"]
    assert rendered(SAMPLES["bidi"]).document.toPlainText().count("\u202e") == 1, "only in prose"


def test_code_blocks_report_source_language_and_position() -> None:
    text = "a\n\n```py t\nx = 1\n\ty = '\u202e'\n```\n\n- b\n\n  ```\n  z\n  ```\n\n      \n    c\n"
    document = rendered(text)
    blocks = document.code_blocks()
    assert [(b.source, b.language) for b in blocks][:2] == [
        ("x = 1\n\ty = '\u202e'\n", "py"),
        ("z\n", ""),
    ]
    cursor = QTextCursor(document.document)
    cursor.setPosition(blocks[0].first_position)
    cursor.setPosition(blocks[0].last_position, QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText() == "x = 1\u2029\ty = '\ufffd'"


def test_the_source_of_an_open_code_block_grows() -> None:
    document = MarkdownDocument()
    document.append("Look:\n\n```py\nx = 1\n")
    document.refresh()
    document.append("y = ")
    document.refresh()
    (block,) = document.code_blocks()
    assert (block.source, block.language) == ("x = 1\ny = ", "py")
    document.append("2\n``")
    document.refresh()
    assert document.document.toPlainText() == "Look:\nx = 1\ny = 2\n", "half a closing fence"
    document.append("`\nafter")
    document.finish()
    (block,) = document.code_blocks()
    assert block.source == "x = 1\ny = 2\n"


def colors(document: MarkdownDocument) -> set[str]:
    found = set()
    block = document.document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            found.add(iterator.fragment().charFormat().foreground().color().name())
            iterator += 1
        block = block.next()
    return found


def test_code_is_highlighted_when_its_fence_closes() -> None:
    CodeHighlighter("1", "py").work(math.inf)
    document = MarkdownDocument()
    document.append("```py\nreturn 1\n")
    document.refresh()
    assert colors(document) == {LIGHT.text}
    document.append("```\n")
    document.refresh()
    assert colors(document) >= {COLORS["keyword"][0], COLORS["number"][0]}
    document.set_style(DARK)
    assert colors(document) >= {COLORS["keyword"][1], COLORS["number"][1]}


def test_colors_of_last_64_code_blocks_are_cached() -> None:
    codes = [f"return {n}" for n in range(65)]
    for code in codes:
        CodeHighlighter(code, "py").work(math.inf)
    spans = [len(CodeHighlighter(code, "py").lines[0]) for code in codes]
    assert spans == [1] + [3] * 64  # one span is plain text


def test_lexer_is_loaded_after_its_text_is_shown(qtbot: QtBot) -> None:
    document = MarkdownDocument()
    document.set_text("```modula2\nRETURN 1\n```")
    assert colors(document) == {LIGHT.text}
    qtbot.waitUntil(lambda: colors(document) >= {COLORS["number"][0]})
    document.set_text("```modula2\nRETURN 2\n```")
    assert COLORS["number"][0] in colors(document)


def test_long_code_is_colored_in_slices(qtbot: QtBot) -> None:
    code = "".join(f"value_{n} = compute({n}, 'text')  # note\n" for n in range(400))
    text = f"before\n\n```py\n{code}```\n\n- in a list\n\n  ```js\n  let x = 1;\n  ```\n\nafter"
    document = MarkdownDocument()
    plain = MarkdownDocument()
    plain.set_text(text.replace("```py", "```nosuch"))
    document.set_text(text)
    assert document.document.toPlainText() == plain.document.toPlainText()
    document.append(" and on")  # continues while colors are still pending
    document.finish()
    expected = dump(rendered(text + " and on").document)
    qtbot.waitUntil(lambda: dump(document.document) == expected)


def test_tint_covers_only_the_code() -> None:
    document = rendered("text\n\n```\ncode\n```\n\ntext")
    image = image_of(document)
    (block,) = document.code_blocks()
    area = document.code_area(block)
    tint = LIGHT.code_background
    assert image.pixelColor(390, int(area.center().y())).name() == tint
    assert image.pixelColor(390, int(area.top()) + 3).name() == tint
    assert image.pixelColor(390, int(area.bottom()) - 3).name() == tint
    assert image.pixelColor(390, int(area.top()) - 2).name() == "#ffffff"
    assert image.pixelColor(390, int(area.bottom()) + 2).name() == "#ffffff"
    assert image.pixelColor(0, int(area.top())).name() == "#ffffff", "the corner is round"


def test_last_code_block_has_its_padding() -> None:
    document = rendered("```\ncode\n```")
    document.document.setTextWidth(400)
    area = document.code_area(document.code_blocks()[0])
    assert area.top() >= 0
    assert area.bottom() <= document.document.size().height() + 0.5


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.turns(5)
def test_everything_can_be_painted_in_both_styles(name: str) -> None:
    document = rendered(SAMPLES[name])
    image_of(document)
    document.set_style(DARK)
    assert dump(document.document) == dump(rendered(SAMPLES[name], DARK).document)
    image_of(document, 200)


def test_backgrounds_follow_growing_text() -> None:
    dice = random.Random(1)
    document = MarkdownDocument()
    text = "\n\n".join([mixed(1_500), *SAMPLES.values()])
    place, width = 0, 400
    while place < min(len(text), 3_000):
        step = dice.randint(1, 60)
        document.append(text[place : place + step])
        place += step
        document.refresh()
        width = dice.choice([width] * 9 + [250, 400])
        if dice.random() < 0.03:
            for code in document.code_blocks():
                document.set_wrapped(code.name, not code.wrapped)
        kept = image_of(document, width)
        if dice.random() < 0.2:
            document._underlay.drop_areas_from(0)
            assert kept == image_of(document, width)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.turns(5)
def test_text_can_continue_after_its_end(name: str) -> None:
    text = SAMPLES[name]
    dice = random.Random(name)
    document = MarkdownDocument()
    place = 0
    while place < len(text):
        size = dice.randrange(1, 30)
        document.append(text[place : place + size])
        place += size
        if dice.random() < 0.5:
            document.finish()
    document.finish()
    document.finish()
    document.settle()
    assert dump(document.document) == dump(rendered(text).document)
    assert document.source == text


def test_set_text_replaces_everything() -> None:
    document = rendered(SAMPLES["answer"])
    document.set_text(SAMPLES["table"])
    document.settle()
    assert dump(document.document) == dump(rendered(SAMPLES["table"]).document)
    document.set_text("")
    assert dump(document.document) == dump(rendered("").document)
    assert document.code_blocks() == []
    assert document.end_position == 0


def test_selection_above_open_end_survives() -> None:
    document = MarkdownDocument()
    document.append("# Title\n\nFirst paragraph.\n\nSecond")
    document.refresh()
    cursor = QTextCursor(document.document)
    cursor.setPosition(0)
    cursor.setPosition(16, QTextCursor.MoveMode.KeepAnchor)
    selected = cursor.selectedText()
    for piece in (" paragraph\n\n", "```py\n", "x = 1\n", "```\n", "- a\n", "- b\n", "\nend"):
        document.append(piece)
        document.refresh()
        assert cursor.selectedText() == selected
    document.finish()
    assert cursor.selectedText() == selected


def test_selection_survives_highlighting() -> None:
    document = MarkdownDocument()
    document.append("Before.\n\n```python\nwhile True:\n    pass")
    document.refresh()
    cursor = QTextCursor(document.document.find("while"))
    cursor.setPosition(cursor.selectionStart())
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText() == "while True:"
    document.append("\n```\n\nAfter.\n")
    document.settle()
    assert cursor.selectedText() == "while True:"
    expected = rendered("Before.\n\n```python\nwhile True:\n    pass\n```\n\nAfter.\n")
    assert dump(document.document) == dump(expected.document)


def test_copying_gives_plain_text_with_markers() -> None:
    text = (
        "# Title\n\nOne  \ntwo\n\n3. a\n4. b\n   - c\n   - [x] d\n\n```py\nx = 1\n\ny\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n> q"
    )
    document = rendered(text)
    assert document.plain_text() == (
        "Title\n\nOne\ntwo\n\n3. a\n4. b\n  - c\n  - [x] d\n\nx = 1\n\ny\n\n"
        "a\tb\n1\t2\n\n---\n\n> q"
    )


def test_numbers_of_long_list_continue() -> None:
    document = rendered("".join(f"{n}. item\n" for n in range(3, 603)))
    numbers = [row.item.number for row in document._writer.rows if row.item]
    assert numbers == list(range(3, 603))
    assert document.plain_text().endswith("\n602. item")


def test_end_position_follows_appended_text() -> None:
    document = MarkdownDocument()
    for piece in ("a", "b\n\n", "- c", "\n\n```\nd", "e"):
        document.append(piece)
        document.refresh()
        text = document.document.toPlainText().removesuffix("\n")
        assert document.end_position == len(text)


def test_appending_often_renders_seldom(qtbot: QtBot) -> None:
    document = MarkdownDocument()
    changes: list[int] = []
    document.document.contentsChanged.connect(lambda: changes.append(1))
    for _ in range(500):
        document.append("word ")
    assert len(changes) <= 5
    qtbot.waitUntil(lambda: len(document.document.toPlainText()) == 500 * 5 - 1)


@pytest.mark.parametrize(
    ("cost", "others", "rest"),
    [
        (0.0001, 0, 0.016),
        (0.003, 0, 0.030),
        (0.003, 8, 0.120),
        (0.0001, 8, 0.016),
        (0.020, 8, 0.25),
        (0.100, 8, 1.0),
    ],
)
def test_many_streaming_documents_share_the_time(
    cost: float, others: int, rest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    streaming = dict.fromkeys(range(others), now) | {-1: now - 2.0}
    monkeypatch.setattr(RefreshPace, "refreshed", streaming)
    document = MarkdownDocument()
    document._pace.cost = cost
    assert document._pace.pause_s() == pytest.approx(rest)
    assert -1 not in streaming, "it ended a while ago"


def test_streaming_documents_refresh_one_after_the_other(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[tuple[float, float]] = []
    show = MarkdownDocument.refresh

    def noted(document: MarkdownDocument, sliced: bool = False) -> None:
        begun = time.monotonic()
        show(document, sliced)
        turns.append((begun, time.monotonic()))

    monkeypatch.setattr(MarkdownDocument, "refresh", noted)
    documents = [MarkdownDocument() for _ in range(8)]
    for document in documents:
        document.append("a")
    qtbot.waitUntil(lambda: all(d.document.toPlainText() == "a" for d in documents))
    assert len(turns) == 8
    assert all(after[0] >= before[1] for before, after in itertools.pairwise(turns))
    assert all(after[0] - before[0] >= APART_S for before, after in itertools.pairwise(turns))


def test_view_repaints_changes_and_surroundings(qtbot: QtBot) -> None:
    document = MarkdownDocument()
    document.document.setTextWidth(400)
    areas: list[QRectF] = []
    document.append("before\n\n")
    document.refresh()
    document.document.documentLayout().update[QRectF].connect(areas.append)
    document.append("```py\nx")
    document.refresh()
    area = document.code_area(CodeBlock("", "", 7, 8))
    assert any(painted.contains(area) for painted in areas)


def test_unreferenced_document_is_freed() -> None:
    document = rendered(SAMPLES["answer"])
    inner = weakref.ref(document.document)
    outer = weakref.ref(document)
    del document
    assert outer() is None, "a cycle keeps it"
    assert inner() is None


_NOT_THE_SAME = {"atx closing", "bullet markers", "deep quotation", "deep list", "brackets"}
"""Samples whose appearance can't be written as Markdown, or whose depth is limited."""


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - _NOT_THE_SAME))
@pytest.mark.turns(5)
def test_markdown_copy_renders_the_same(name: str) -> None:
    if len(SAMPLES[name]) < 20_000:
        document = rendered(SAMPLES[name])
        again = rendered(document.markdown_text())
        assert again.plain_text() == document.plain_text()


def test_partial_markdown_copy_keeps_markup() -> None:
    document = rendered("One **bold *both* word** and `code`.\n\n- [x](https://a.b)\n- two\n")
    text = document.document.toPlainText()
    first, last = text.index("old"), text.index("ode")
    assert document.markdown_text(first, last) == "**old *both* word** and `c`"
    item = text.index("two")
    assert document.markdown_text(item, item + 3) == "- two"
    assert document.markdown_text(item + 1, item + 3).strip() == "wo"
    assert "[x](https://a.b)" in document.markdown_text()
    code = rendered("```py\na = '```'\nb\n```")
    assert code.markdown_text() == "````py\na = '```'\nb\n````"
    table = rendered("| a | b |\n|--|--|\n| *1* | 2 |\n| 3 | 4 |")
    assert table.markdown_text() == "| a | b |\n|---|---|\n| *1* | 2 |\n| 3 | 4 |"
    # Qt selects whole cells as soon as the selection spans more than one.
    shown = table.document.toPlainText()
    rows = table.markdown_text(shown.index("2"), shown.index("3"))
    assert rows == "| *1* | 2 |\n|---|---|\n| 3 | 4 |"
    assert table.markdown_text(shown.index("2"), shown.index("2") + 1) == "2"


def test_finished_documents_do_not_slow_down_others(qtbot: QtBot) -> None:
    document = MarkdownDocument()
    document._pace.cost = 0.003
    alone = document._pace.pause_s()
    finished = [MarkdownDocument() for _ in range(8)]
    for other in finished:
        other.set_text("text")
    assert document._pace.pause_s() == alone


def test_single_line_breaks_are_shown_and_copied() -> None:
    text = "Roses are red\nViolets are **blue**\n\n- one\n  two"
    document = MarkdownDocument()
    for piece in text:
        document.append(piece)
    document.refresh()
    assert document.plain_text().startswith("Roses are red\nViolets are blue\n")
    document.finish()
    assert document.document.toPlainText().startswith("Roses are red\nViolets are blue\n")
    assert document.plain_text().startswith("Roses are red\nViolets are blue\n")
    assert document.markdown_text().startswith("Roses are red  \nViolets are **blue**\n")


@pytest.mark.parametrize(
    "text",
    [
        "word **bold** word\n\n" * 2_000,
        "```python\n" + "x = f(a)\n" * 6_000 + "```\n\nafter",
        "~~~\n" + "[a]: b\n\n" * 5_000,
        "- item\n" * 3_000,
    ],
    ids=["paragraphs", "code", "open code", "list"],
)
def test_long_text_is_rendered_in_slices(qtbot: QtBot, text: str) -> None:
    at_once = MarkdownDocument()
    at_once.set_text(text)
    at_once.settle()
    sliced = MarkdownDocument()
    sliced.append(text)
    sliced.finish()
    assert sliced.document.blockCount() < at_once.document.blockCount() / 2
    qtbot.waitUntil(lambda: not sliced._pending and not sliced._finishing)
    sliced.settle()
    assert list(sliced._writer.rows) == list(at_once._writer.rows)
    assert sliced.document.toPlainText() == at_once.document.toPlainText()
    assert sliced.code_blocks() == at_once.code_blocks()


@pytest.mark.parametrize("end", ["```\n", "```", "", "```  \n\n"])
def test_long_fence_matches_parser(end: str) -> None:
    text = "```py\n" + "x = f(a)\n" * 3_000 + end
    document = MarkdownDocument()
    document.set_text(text)
    (block,) = document.code_blocks()
    assert block.source == parser().parse(text)[0].content
