"""PDF pages as images for vision models, and as text for others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.chats import images, pdf_pages
from app.chats.actions import Action
from app.chats.attachment_texts import page_numbers
from app.chats.exporting import Export, ExportFormat
from app.chats.importing import Import
from app.store import Store
from app.ui.pane.files import PagesDialog
from app.ui.pane.pane import ChatPane
from engine import Engine, EngineError
from engine.bench.seeing import write_seeing
from engine.errors import ENGINE_STOPPED
from engine.messages import Image, text_of
from engine.sandbox import jobs, ocr
from engine.sandbox.images import DecodedImage
from engine.sandbox.jobs import draw_pages, hold_lock
from engine.text.documents import DrawnPage
from tests.app.chats.test_file_attacher import read
from tests.app.chats.test_images import give, png, see, sent, shown
from tests.app.conftest import Run, Start
from tests.engine import document_samples as samples

Drawn = list[tuple[int, ...]]


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    asked: Drawn = []

    def noted(path: Path, numbers: Sequence[int], *others: object) -> list[DrawnPage]:
        asked.append(tuple(numbers))
        return draw_pages(path, numbers, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(pdf_pages, "draw_pages", noted)
    monkeypatch.setattr(images, "held", images.MediaCache())
    monkeypatch.setattr(pdf_pages, "held", images.held)
    monkeypatch.setattr(pdf_pages, "PIXELS", 60_000)  # faster to render and read
    return asked


@pytest.fixture
def run(run: Run) -> Run:
    see(run, run.pane)
    return run


def scan(tmp_path: Path, count: int, name: str = "scan.pdf") -> Path:
    return samples.scan(tmp_path / name, count)


def numbers(pane: ChatPane) -> list[int]:
    return [each.spans[0][0] for each in pane.chat.attacher.files if each.is_image]


def entries(run: Run) -> list[QAction]:
    chip = run.pane.composer.chips.chips[0]
    QTest.keyClick(chip, Qt.Key.Key_Return)
    menu = run.pane.findChild(QMenu, "file-menu")
    found = menu.actions()
    menu.close()
    return found


def chosen(run: Run, words: str) -> None:
    (action,) = [each for each in entries(run) if each.text() == words]
    action.trigger()


def test_scan_is_sent_as_images_with_page_numbers(run: Run, tmp_path: Path) -> None:
    pane = give(run, scan(tmp_path, 2))
    assert numbers(pane) == [1, 2]
    run.say("say what")
    parts = sent(run)
    assert [part["text"] for part in parts if part["type"] == "text"] == [  # type: ignore[index]
        "scan.pdf, page 1:\n",
        "scan.pdf, page 2:\n",
        "say what",
    ]
    assert isinstance(parts[1]["image"], Image)  # type: ignore[index]
    assert len(shown(pane).pictures) == 2


def test_scan_in_four_chats_is_rendered_and_encoded_once(
    start: Start, tmp_path: Path, drawn: Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, reads = jobs.read_image, list[bytes]()

    def read_image(data: bytes, stop: threading.Event | None = None) -> DecodedImage:
        reads.append(data)
        return real(data, stop=stop)

    monkeypatch.setattr(jobs, "read_image", read_image)
    engine = Engine()
    run = start(engine_factory=lambda *_: engine)
    for _ in range(3):
        run.window.commands["split_right"].trigger()
    run.until(lambda: len(run.panes) == 4)
    chats, eyes_of = [pane.chat for pane in run.panes], str(write_seeing(tmp_path / "qwen"))
    for chat in chats:
        chat.model.set(eyes_of)
    read(run, lambda: all(chat.model.status.model is not None for chat in chats))
    for pane in run.panes:
        pane.chat.set_options(replace(pane.chat.options, max_tokens=2), "")
        pane.composer.field.files_inserted.emit([scan(tmp_path, 2)])
    read(run, lambda: all(numbers(pane) == [1, 2] for pane in run.panes))
    for chat in chats:
        assert chat.turn.send("What is it?", chat.attacher.files)
    read(run, lambda: not any(chat.reply.is_active for chat in chats))
    assert [chat.transcript.path[-1].status for chat in chats] == ["complete"] * 4
    attached = [chat.transcript.path[0].attachments for chat in chats]
    assert attached == attached[:1] * 4
    assert drawn == [(1,), (2,)]
    assert len(reads) == 2
    model = chats[0].model.status.model
    assert engine.stats()["images"][model.id]["encoded"] == 2


def test_long_scan_sends_fitting_pages(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attacher = run.pane.chat.attacher
    monkeypatch.setattr(type(attacher.counter), "free_tokens", 350)

    async def hundred(_: object) -> int:
        return 100

    monkeypatch.setattr(attacher.counter, "tokens_of_image", hundred)
    pane = give(run, scan(tmp_path, 30))
    assert numbers(pane) == [1, 2, 3]
    assert "“scan.pdf”" in run.window.toast.text
    chosen(run, "Chosen Pages…")
    dialog = pane.findChild(PagesDialog)
    assert dialog.field.text() == "1–3"
    dialog.field.setText("7, 29")
    dialog._on_ok()
    read(run, lambda: not attacher.reading)
    assert numbers(pane) == [7, 29]
    chosen(run, "Remove Attachment")
    assert attacher.files == ()
    run.window.commands["undo"].trigger()
    run.until(lambda: numbers(pane) == [7, 29])


def test_pages_can_be_chosen_after_restart(start: Start, tmp_path: Path) -> None:
    run, path = start().ready(), scan(tmp_path, 9)
    see(run, run.pane)
    pane = give(run, path)
    pane.chat.attacher.draw_pages(pane.chat.attacher.files[0], [2, 3])
    read(run, lambda: numbers(pane) == [2, 3])
    run.end()
    run = start().ready()
    run.until(lambda: numbers(run.pane) == [2, 3])
    chosen(run, "Chosen Pages…")
    dialog = run.pane.findChild(PagesDialog)
    dialog.field.setText("7")
    dialog._on_ok()
    read(run, lambda: numbers(run.pane) == [7])
    path.unlink()
    run.pane.chat.attacher.draw_pages(run.pane.chat.attacher.files[0], [8])
    read(run, lambda: not run.pane.chat.attacher.reading)
    assert "“scan.pdf”" in run.window.toast.text
    assert numbers(run.pane) == [7]


def test_waiting_for_rendered_pages_can_be_stopped(tmp_path: Path) -> None:
    stop, path = threading.Event(), scan(tmp_path, 1)
    stop.set()
    with hold_lock(pdf_pages._digest(path), path.name), pytest.raises(EngineError) as error:
        pdf_pages.render_pages(path, "scan.pdf", 1, [1], stop)
    assert error.value.code == ENGINE_STOPPED


def test_page_limit_equals_attachment_limit(run: Run, tmp_path: Path) -> None:
    pane = give(run, scan(tmp_path, 25))
    assert len(numbers(pane)) == 20
    run.window.resize(640, 600)
    composer = pane.composer
    run.until(lambda: composer.field.height() >= composer.field.fontMetrics().lineSpacing())


def test_text_pdf_can_be_sent_as_images(start: Start, tmp_path: Path) -> None:
    run = start().ready()
    pane = give(run, samples.pdf(tmp_path / "report.pdf", ["One", "Two", "Three"]))
    (file,) = pane.chat.attacher.files
    assert not pane.chat.attacher.can_draw(file)
    see(run, pane)
    assert pane.chat.attacher.can_draw(file)
    pane.chat.attacher.set_used_part(file, "pages", [2])
    run.until(lambda: pane.chat.attacher.files[0].use == "pages")
    chosen(run, "Pages as Images")
    read(run, lambda: not pane.chat.attacher.reading)
    assert numbers(pane) == [2]
    assert not [each for each in pane.chat.attacher.files if not each.is_image]


def test_page_limit_matches_the_models_own_count(start: Start, tmp_path: Path) -> None:
    engine = Engine()
    run = start(engine_factory=lambda *_: engine)
    chat = run.pane.chat
    chat.model.set(str(write_seeing(tmp_path / "qwen")))
    read(run, lambda: chat.model.status.model is not None)
    chat.set_options(replace(chat.options, context=512), "")
    give(run, scan(tmp_path, 9))
    few = len(numbers(run.pane))
    assert 1 < few < 9
    model = chat.model.status.model
    assert model is not None
    seen = [
        {"type": "image", "image": Image(page)}
        for page in run.app.store.images.get_all([chat.attacher.files]).values()
    ]
    count = engine.count_later(model, [{"role": "user", "content": seen}], None).result(60)
    assert count <= 384
    assert count * (few + 1) / few > 384 - count / few


# A PDF in which only some pages are scans.

MIXED = ["Cover", None, "", "The end", None]


def test_partly_scanned_pdf_offers_its_scans(run: Run, tmp_path: Path) -> None:
    pane = give(run, samples.pdf(tmp_path / "report.pdf", MIXED))
    chosen(run, "Scanned Pages as Images")
    read(run, lambda: not pane.chat.attacher.reading)
    assert numbers(pane) == [2, 5]
    assert [each.is_image for each in pane.chat.attacher.files] == [False, True, True]


@pytest.mark.usefixtures("reader")
def test_recognized_pages_are_in_page_order(start: Start, tmp_path: Path) -> None:
    run = start().ready()
    attacher, told = run.pane.chat.attacher, list[tuple[int, int]]()
    attacher.changed.connect(lambda: told.append(attacher.scan_progress))
    pane = give(run, samples.pdf(tmp_path / "report.pdf", MIXED))
    attacher.set_used_part(attacher.files[0], "pages", [1, 2])
    run.until(lambda: attacher.files[0].use == "pages")
    chosen(run, "Extract Text of Scanned Pages")
    read(run, lambda: not attacher.reading)
    (file,) = pane.chat.attacher.files
    assert (file.scans, page_numbers(file.spans)) == ((), [1, 2])
    text = run.app.store.texts.get(file.hash)
    read_here = r"read b'\xff\xd8'"
    assert text.pages == ("Cover", read_here, "", "The end", read_here)
    assert list(dict.fromkeys(told)) == [(0, 0), (1, 2), (2, 2)]
    assert not any("Scanned" in each.text() for each in entries(run))


@pytest.mark.parametrize("pages", [MIXED, 25])
def test_message_waits_for_scanned_pages(run: Run, tmp_path: Path, pages: Any) -> None:
    pane, path = run.pane, tmp_path / "report.pdf"
    made = samples.scan(path, pages) if pages == 25 else samples.pdf(path, pages)
    pane.composer.field.files_inserted.emit([made])
    pane.composer.set_text("say what")
    assert pane.act(Action.SEND)
    read(run, lambda: not pane.chat.attacher.reading)
    assert "“report.pdf”" in pane.chat.turn.unsent
    assert pane.chat.transcript.path == []


# A text-only model.


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "tesseract"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nprint('read', open(sys.argv[1], 'rb').read(2))\n"
    )
    path.chmod(0o755)
    monkeypatch.setattr(ocr, "_find_program", lambda: str(path))
    monkeypatch.setattr(ocr, "_cache", {})
    return path


@pytest.mark.usefixtures("reader")
def test_recognized_text_replaces_scan_for_text_models(start: Start, tmp_path: Path) -> None:
    run = start().ready()
    pane = give(run, scan(tmp_path, 2))
    assert pane.chat.why_not(Action.SEND)
    assert pane.notice.ocr.isVisible()
    pane.notice.ocr.click()
    read(run, lambda: not pane.chat.attacher.reading)
    (file,) = pane.chat.attacher.files
    assert (file.name, file.unit, file.pages, file.use) == ("scan.pdf", "page", 2, "all")
    text = run.app.store.texts.get(file.hash)
    assert text.pages == (r"read b'\xff\xd8'",) * 2
    assert not pane.notice.isVisible()


@pytest.mark.usefixtures("reader")
def test_chosen_pages_of_long_scan_are_sent_as_text(start: Start, tmp_path: Path) -> None:
    run = start().ready()
    pane = give(run, scan(tmp_path, 25))
    attacher = pane.chat.attacher
    chosen(run, "Chosen Pages…")
    dialog = pane.findChild(PagesDialog)
    dialog.field.setText("3, 24")
    dialog._on_ok()
    read(run, lambda: numbers(pane) == [3, 24] and not attacher.reading)
    pane.notice.ocr.click()
    read(run, lambda: not attacher.reading)
    (file,) = attacher.files
    assert (file.pages, file.use, [page for page, _, _ in file.spans]) == (25, "pages", [3, 24])


@pytest.mark.usefixtures("reader")
def test_image_text_is_sent_to_model(start: Start, tmp_path: Path) -> None:
    (tmp_path / "lake.png").write_bytes(png())
    run = start().ready()
    pane = give(run, tmp_path / "lake.png")
    pane.notice.ocr.click()
    read(run, lambda: not pane.chat.attacher.reading)
    run.ask("say what")
    said = text_of(run.engine.sent[-1].turns[-1]["content"])
    assert said == "<file name=\"lake.png\">\nread b'\\xff\\xd8'\n</file>\n\nsay what"


def test_pages_are_exported_and_imported_with_their_numbers(run: Run, tmp_path: Path) -> None:
    pane = give(run, scan(tmp_path, 2))
    run.say("say what")
    sent(run)
    assert run.app.store is not None
    path = Export([pane.chat.id], ExportFormat.JSON, tmp_path / "out.json").run(
        run.app.store, threading.Event()
    )
    assert str(tmp_path) not in path.read_text(encoding="utf-8"), (
        "where it lay is nobody's business"
    )
    with Store.open(tmp_path / "other.db") as store:
        assert len(Import([path]).run(store).imported) == 1
        (said, _) = store.messages(pane.chat.id)
        assert said.attachments == pane.chat.transcript.path[0].attachments
    plain = Export([pane.chat.id], ExportFormat.TEXT, tmp_path / "out.txt").run(
        run.app.store, threading.Event()
    )
    assert "scan.pdf (PDF, page 2, 216 × 279)" in plain.read_text(encoding="utf-8")


def test_image_without_text_stays_with_a_message(
    start: Start, tmp_path: Path, reader: Path
) -> None:
    reader.write_text(f"#!{sys.executable}\n")
    run = start().ready()
    pane = give(run, scan(tmp_path, 1))
    pane.notice.ocr.click()
    read(run, lambda: not pane.chat.attacher.reading)
    assert numbers(pane) == [1]


def test_without_ocr_none_is_offered(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr, "_find_program", str)
    run = start().ready()
    pane = give(run, scan(tmp_path, 1))
    assert pane.notice.isVisible()
    assert not pane.notice.ocr.isVisible()
