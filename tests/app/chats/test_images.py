"""Images in messages: dropped, pasted, sent, shown, stored and exported."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QBuffer, QIODevice, QMimeData, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest

from app.chats import images
from app.chats.actions import Action
from app.chats.attachment_texts import describe_file
from app.chats.exporting import Export, ExportFormat
from app.chats.importing import Import
from app.chats.turn import Event
from app.store import Store
from app.store.attachment_store import Images, Texts
from app.ui.pane.pane import ChatPane
from app.ui.transcript.message_row import AttachedFiles, FileLine, SmallPicture
from app.ui.transcript.user_row import UserRow
from app.ui.widgets.picture_sheet import PictureSheet, decode_thumbnail
from engine import Engine, Image
from engine.bench.seeing import write_seeing
from engine.messages import LOST
from engine.sandbox.jobs import read_sound
from tests.app.chats.test_file_attacher import chip, copied, drop, names, read
from tests.app.conftest import Run, Start
from tests.engine.hostile_images import PICTURES
from tests.engine.model.seeing import tone

EYES = "/models/eyes"


def png(color: str = "red", width: int = 40, height: int = 20) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(color))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, "PNG")
    return bytes(buffer.data().data())


Read = tuple[type[Images | Texts], bool]
"""Store that was read, and True if it was read on the GUI thread."""


@pytest.fixture(autouse=True)
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Read]]:
    found: list[Read] = []

    def note(kind: type[Images | Texts], name: str) -> None:
        get: Any = getattr(kind, name)

        def noted(kept: Images | Texts, *what: str) -> Any:
            found.append((kind, threading.current_thread() is threading.main_thread()))
            return get(kept, *what)

        monkeypatch.setattr(kind, name, noted)

    note(Images, "_get_column")  # thumbnails too, unless they are in memory
    note(Texts, "get")
    yield found
    assert not any(by_gui for _, by_gui in found)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    path = tmp_path / "lake.png"
    path.write_bytes(png())
    return path


@pytest.fixture
def run(run: Run) -> Run:
    see(run, run.pane)
    return run


def see(run: Run, pane: ChatPane) -> None:
    pane.chat.model.set(EYES)
    run.until(lambda: pane.chat.model.status.model is not None)


def give(run: Run, *paths: Path, pane: ChatPane | None = None) -> ChatPane:
    pane = pane or run.pane
    pane.composer.field.files_inserted.emit(list(paths))
    read(run, lambda: not pane.chat.attacher.reading)
    return pane


def paste(run: Run, data: QMimeData) -> None:
    run.pane.composer.field.insertFromMimeData(data)
    read(run, lambda: not run.pane.chat.attacher.reading)


def shown(pane: ChatPane) -> AttachedFiles:
    row = pane.transcript.row(pane.chat.transcript.path[0].id)
    assert isinstance(row, UserRow)
    assert row.files is not None
    return row.files


def sent(run: Run, pane: ChatPane | None = None) -> list[object]:
    run.answered(pane or run.pane)
    content = run.engine.sent[-1].turns[-1]["content"]
    assert isinstance(content, list)
    return content


@pytest.mark.usefixtures("in_children")
def test_image_is_sent_before_text_and_kept(run: Run, lake: Path) -> None:
    pane = give(run, lake)
    assert chip(pane).words.is_image
    assert not decode_thumbnail(chip(pane).words.thumbnail).isNull()
    run.say("say what")
    image = Image(lake.read_bytes())
    assert sent(run) == [{"type": "image", "image": image}, {"type": "text", "text": "say what"}]
    assert names(pane) == []
    assert len(shown(pane).pictures) == 1
    pane.act(Action.REGENERATE)
    assert sent(run)[0] == {"type": "image", "image": image}


def test_copied_image_alone_is_a_message(run: Run, lake: Path) -> None:
    paste(run, copied(lake))
    assert chip(run.pane).words.is_image
    assert not run.pane.chat.why_not(Action.SEND)
    assert run.pane.act(Action.SEND)
    assert sent(run) == [{"type": "image", "image": Image(lake.read_bytes())}]
    assert run.pane.chat.title == "lake.png"
    chat = run.pane.chat
    run.until(lambda: not chat.reply.is_active)
    assert chat.start_edit(chat.transcript.path[0].id)
    assert chat.turn.handle(Event.ENTER)
    assert chat.title == "lake.png"


def test_pasted_images_keep_their_format(run: Run, reads: list[Read]) -> None:
    as_file, as_pixels = QMimeData(), QMimeData()
    as_file.setData("image/png", png("green"))
    as_pixels.setImageData(QImage(3, 2, QImage.Format.Format_RGB32))
    assert run.pane.composer.field.canInsertFromMimeData(as_file)
    paste(run, as_file)
    paste(run, as_pixels)
    assert names(run.pane) == ["Pasted image", "Pasted image 2"]
    green, _ = run.pane.chat.attacher.files
    found = run.app.store.images.get_all([(green,)])
    assert found == {green.hash: png("green")}
    reads.clear()  # reads of the test itself
    both = QMimeData()
    both.setText("a cell")
    both.setData("image/png", png("blue"))
    run.pane.composer.field.insertFromMimeData(both)
    assert run.pane.composer.text == "a cell", "of a table that was copied its text is meant"
    assert len(names(run.pane)) == 2


def test_images_are_dropped_on_a_pane_and_shown_whole_by_keys(run: Run, lake: Path) -> None:
    pane = run.pane
    drop(pane, lake)
    read(run, lambda: not pane.chat.attacher.reading)
    chip(pane).setFocus()
    QTest.keyClick(chip(pane), Qt.Key.Key_Return)
    sheet = run.window.findChild(PictureSheet)
    read(run, lambda: not sheet.image_view._image.isNull())
    assert sheet.image_view._image.size().toTuple() == (40, 20)
    assert sheet.image_view._image.pixelColor(5, 5) == QColor("red")
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    run.until(lambda: run.window.findChild(PictureSheet) is None)
    QTest.keyClick(chip(pane), Qt.Key.Key_Delete)
    assert names(pane) == []
    run.window.commands["undo"].trigger()
    run.until(lambda: names(pane) == ["lake.png"])


def test_model_without_vision_refuses_images_before_sending(start: Start, lake: Path) -> None:
    run = start().ready()
    pane = give(run, lake)
    pane.composer.set_text("say what")
    why = pane.chat.why_not(Action.SEND)
    assert not pane.composer.button.isEnabled()
    assert pane.composer.button.toolTip() == why
    assert pane.notice.isVisible()
    assert pane.notice.text == why
    assert pane.notice.get.isVisible()
    see(run, pane)
    run.until(lambda: not pane.notice.isVisible())
    assert not pane.chat.why_not(Action.SEND)
    pane.chat.model.set("guide")
    run.until(lambda: pane.notice.isVisible())
    assert (pane.notice.other.text(), pane.notice.get.isVisible()) == ("Use eyes", False)
    pane.notice.other.click()
    assert pane.chat.record.model == EYES
    run.until(lambda: not pane.chat.why_not(Action.SEND))


def test_vision_of_unloaded_model_is_read_from_its_folder(
    start: Start, lake: Path, tmp_path: Path
) -> None:
    run = start().ready()
    (blind := tmp_path / "Blind").mkdir()
    (blind / "config.json").write_text('{"model_type": "llama"}')
    eyes = write_seeing(tmp_path / "Eyes")
    run.app.settings.set(models=(str(eyes),))
    run.engine.loading.clear()
    pane = give(run, lake)
    pane.composer.set_text("say what")
    pane.chat.model.set(str(blind))
    read(run, lambda: pane.notice.isVisible() and pane.notice.other.isVisible())
    assert pane.chat.model.status.model is None
    assert pane.chat.why_not(Action.SEND) == pane.notice.text
    assert pane.notice.other.text() == "Use Eyes"
    pane.notice.other.click()
    run.until(lambda: not pane.notice.isVisible())
    assert not pane.chat.why_not(Action.SEND)
    run.engine.loading.set()
    run.until(lambda: pane.chat.model.status.model is not None)


def test_model_without_vision_gets_notes_about_images(run: Run, lake: Path) -> None:
    pane = give(run, lake)
    run.say("say what")
    sent(run)
    pane.chat.model.set("guide")
    run.until(lambda: pane.chat.model.status.name == "Guide" and pane.chat.model.status.model)
    run.ask("say more")
    first = run.engine.sent[-1].turns[0]["content"]
    assert first == "[Here was the image “lake.png”, which you cannot see.]\n\nsay what"
    assert pane.chat.start_edit(pane.chat.transcript.path[0].id)
    assert pane.chat.why_not(Action.SEND)


def test_an_edited_message_and_a_branch_keep_their_images(run: Run, lake: Path) -> None:
    pane = give(run, lake)
    run.say("say what")
    sent(run)
    assert pane.act(Action.EDIT)
    assert names(pane) == ["lake.png"]
    pane.composer.set_text("say how")
    assert pane.act(Action.SEND)
    assert sent(run)[1] == {"type": "text", "text": "say how"}
    pane.act(Action.BRANCH, pane.chat.transcript.path[0].id)
    run.until(lambda: names(run.pane) == ["lake.png"])


def test_broadcast_includes_images(run: Run, lake: Path) -> None:
    run.window.commands["split_right"].trigger()
    run.until(lambda: len(run.panes) == 2)
    for pane in run.panes:
        see(run, pane)
    run.window.commands["broadcast"].trigger()
    give(run, lake)
    run.say("say both")
    for pane in run.panes:
        run.answered(pane)
    image = {"type": "image", "image": Image(lake.read_bytes())}
    assert [reply.turns[-1]["content"][0] for reply in run.engine.sent] == [image] * 2

    # A chat whose model has no vision keeps the message.
    blind, sees = run.panes
    blind.chat.model.set("guide")
    run.until(lambda: blind.chat.model.status.name == "Guide" and blind.chat.model.status.model)
    run.window.commands["broadcast"].trigger()
    give(run, lake, pane=sees)
    run.say("say both", sees)
    run.answered(sees)
    assert len(run.engine.sent) == 3
    assert (blind.composer.text, names(blind)) == ("say both", ["lake.png"])
    assert blind.notice.isVisible()


def test_pictures_of_old_chats_and_drafts_are_read_in_a_worker(
    start: Start, lake: Path, reads: list[Read]
) -> None:
    run = start().ready()
    see(run, run.pane)
    give(run, lake)
    run.say("say it")
    run.answered(run.pane)
    give(run, lake)
    run.end()
    reads.clear()
    run = start().ready()
    run.until(lambda: names(run.pane) == ["lake.png"])
    run.until(lambda: not decode_thumbnail(chip(run.pane).words.thumbnail).isNull())
    run.until(lambda: bool(run.pane.findChildren(SmallPicture)))
    (picture,) = run.pane.findChildren(SmallPicture)
    run.until(lambda: not decode_thumbnail(picture._thumbnail).isNull())
    assert (Images, False) in reads


def test_hostile_images_are_attached_or_refused_in_a_sentence(run: Run, tmp_path: Path) -> None:
    attacher, told = run.pane.chat.attacher, list[str]()
    attacher.file_rejected.connect(told.append)
    for picture in PICTURES:
        if picture.file == "most.png":
            continue  # takes five seconds to read
        path = tmp_path / picture.file
        path.write_bytes(picture.make())
        give(run, path)
        if picture.seen:
            assert names(run.pane) == [picture.file], (picture.name, told)
            assert not decode_thumbnail(chip(run.pane).words.thumbnail).isNull(), picture.name
            attacher.remove(attacher.files[0])
        elif picture.file.endswith(".svg"):
            assert chip(run.pane).words.about.startswith("code"), "what is written in it"
            attacher.remove(attacher.files[0])
        else:
            assert told.pop().startswith(f"“{picture.file}” "), picture.name
        assert not told, picture.name


def test_engine_sees_images_in_old_chats(
    start: Start, lake: Path, tmp_path: Path, reads: list[Read]
) -> None:
    folder = write_seeing(tmp_path / "qwen")
    engine = Engine()
    run = start(engine_factory=lambda *_: engine)
    chat = run.pane.chat
    chat.model.set(str(folder))
    read(run, lambda: chat.model.status.model is not None)
    chat.set_options(replace(chat.options, max_tokens=4), "")
    (notes := tmp_path / "notes.txt").write_text("A lake in autumn.")
    give(run, lake, notes)
    run.say("What is it?")
    read(run, lambda: len(chat.transcript.path) == 2 and not chat.reply.is_active)
    _, answer = chat.transcript.path
    assert (answer.status, answer.error) == ("complete", "")
    model, words = chat.model.status.model, [{"role": "user", "content": "What is it?"}]
    assert model is not None
    assert answer.stats["prompt_tokens"] > engine.count_later(model, words, None).result(60) + 4
    (more := tmp_path / "more.txt").write_text("Boats.\n" * 9)
    give(run, more)
    run.end()
    reads.clear()
    run = start(engine_factory=lambda *_: Engine())
    chat = run.pane.chat
    read(run, lambda: chat.model.status.model is not None)
    (line,) = shown(run.pane).lines
    line.click()
    read(run, lambda: "in autumn" in shown(run.pane)._view(line).toPlainText())
    chat.attacher.set_used_part(chat.attacher.files[0], "beginning")
    read(run, lambda: chat.attacher.files[0].use == "beginning")
    run.say("And now?")
    read(run, lambda: len(chat.transcript.path) == 4 and not chat.reply.is_active)
    *_, again = chat.transcript.path
    assert (again.status, again.error) == ("complete", "")
    assert again.stats["prompt_tokens"] > answer.stats["prompt_tokens"]
    assert {kind for kind, _ in reads} == {Images, Texts}, "both were read once more"


def test_missing_image_is_reported_to_model(start: Start, lake: Path, tmp_path: Path) -> None:
    folder = write_seeing(tmp_path / "qwen")
    engine = Engine()
    run = start(engine_factory=lambda *_: engine)
    chat = run.pane.chat
    chat.model.set(str(folder))
    read(run, lambda: chat.model.status.model is not None)
    chat.set_options(replace(chat.options, max_tokens=4), "")
    give(run, lake)
    lost = dataclasses.replace(chat.attacher.files[0], hash="0" * 64)
    chat.attacher._replace_files((lost,))
    run.say("What is it?")
    read(run, lambda: len(chat.transcript.path) == 2 and not chat.reply.is_active)
    answer, model = chat.transcript.path[-1], chat.model.status.model
    assert (answer.status, answer.error) == ("complete", "")
    told = [{"role": "user", "content": f"{LOST['image']}What is it?"}]
    assert model is not None
    assert answer.stats["prompt_tokens"] == engine.count_later(model, told, None).result(60)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "other.db") as opened:
        yield opened


def test_images_are_exported_and_imported_with_their_chats(
    run: Run, lake: Path, store: Store, tmp_path: Path, reads: list[Read]
) -> None:
    pane = give(run, lake)
    run.say("say what")
    sent(run)
    own, target = run.app.store, tmp_path / "out.json"
    assert own is not None
    path = Export([pane.chat.id], ExportFormat.JSON, target).run(own, threading.Event())
    report = Import([path]).run(store)
    assert (len(report.imported), report.faults) == (1, [])
    (image,) = store.messages(pane.chat.id)[0].attachments
    assert (image.width, image.height) == (40, 20)
    assert store.images.get_all([(image,)]) == {image.hash: lake.read_bytes()}
    assert not decode_thumbnail(store.images.thumbnail(image.hash) or b"").isNull()
    written = json.loads(path.read_text(encoding="utf-8"))
    written["chats"][0]["id"] = "0" * 31 + "1"
    written["chats"][0]["images"] = {image.hash: "bm90IHRoYXQ="}
    path.write_text(json.dumps(written), encoding="utf-8")
    with Store.open(tmp_path / "third.db") as third:
        assert len(Import([path]).run(third).imported) == 1
        assert third.images.get_all([(image,)]) == {}, "another image under that name is left out"
    reads.clear()  # reads of the test itself


# Recordings


@pytest.mark.parametrize("hears", [True, False])
def test_recording_is_sent_shown_stored_and_exported(
    start: Start, tmp_path: Path, hears: bool, store: Store, reads: list[Read]
) -> None:
    run = start(engine_factory=lambda *_: Engine())
    chat = run.pane.chat
    chat.model.set(str(write_seeing(tmp_path / "model", "gemma4" if hears else "qwen3_vl")))
    read(run, lambda: chat.model.status.model is not None)
    chat.set_options(replace(chat.options, max_tokens=4), "")
    place = tmp_path / "note.wav"
    place.write_bytes(tone(2).data)
    give(run, place)
    (file,) = chat.attacher.files
    assert (file.is_sound, describe_file(file)) == (True, "WAV, 0:02")
    run.say("What is said?")
    if not hears:
        assert "can’t hear" in chat.why_not(Action.SEND)
        assert (chat.compose.text, chat.transcript.path) == ("What is said?", [])
        assert chat.turn.send("What is said?", (file,))  # like a broadcast, which shows no dialogs
    read(run, lambda: len(chat.transcript.path) == 2 and not chat.reply.is_active)
    answer = chat.transcript.path[-1]
    if not hears:
        assert (answer.status, "can’t hear" in answer.error) == ("error", True)
        return
    assert (answer.status, answer.error) == ("complete", "")
    assert answer.stats["prompt_tokens"] > 50  # 25 tokens per second
    (shown,) = run.pane.findChildren(FileLine)
    said = {shown.fit_description(room) for room in range(5, 300)}
    assert {"WAV", "WAV, 0:02"} <= said
    assert not [words for words in said if words.startswith("WAV, ") and "…" in words]
    QTest.mouseClick(shown, Qt.MouseButton.LeftButton)
    assert not shown.isChecked()
    own = run.app.store
    assert own is not None
    path = Export([chat.id], ExportFormat.JSON, tmp_path / "out.json").run(own, threading.Event())
    assert Import([path]).run(store).faults == []
    (again,) = store.messages(chat.id)[0].attachments
    assert (again, again.seconds) == (file, 2)
    assert store.images.get_all([(again,)]) == {file.hash: place.read_bytes()}
    reads.clear()  # reads of the test itself


def test_large_recording_is_stored_as_models_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_KEPT", 50_000)
    kept, said = images.read_medium(tone(1, rate=48_000).data, "a.wav")
    assert (said.kind, said.seconds, len(kept.data)) == ("WAV", 1, 32_044)
    samples = np.frombuffer(read_sound(kept.data), "<f4")
    assert 0.23 < np.abs(samples).max() < 0.26
