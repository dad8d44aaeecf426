"""Trash and backups in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chats.actions import Action
from app.settings.paths import Paths
from app.store import ChatRecord, Store, backups_of
from app.ui.dialogs.recovery import BackupsDialog, TrashDialog
from app.ui.dialogs.store_dialogs import Recovery
from app.ui.workspace.docks import Arrangement
from tests.app.conftest import Run, Start
from tests.app.desk import edit
from tests.app.ui.sidebar.test_sidebar import talk, titles


def trash(run: Run) -> TrashDialog:
    run.window.sidebar.trash.click()
    return next(
        w for w in QApplication.topLevelWidgets() if isinstance(w, TrashDialog) and w.isVisible()
    )


def listed(dialog: TrashDialog) -> list[str]:
    return [dialog.list.item(n).text() for n in range(dialog.list.count())]


def settle(run: Run) -> None:
    store = run.app.store
    run.qtbot.waitUntil(lambda: store.is_settled, timeout=20_000)


def test_deleted_chat_is_restored_from_trash(start: Start, qtbot: QtBot) -> None:
    run = start()
    first, second = talk(run, "say one", "say two")
    run.window.chats.delete(first)
    run.end()
    again = start()
    assert "say one" not in titles(again)
    dialog = trash(again)
    assert listed(dialog) == ["say one"]
    again.window.chats.delete(second)
    assert listed(dialog) == ["say two", "say one"], "it follows what happens"
    dialog.list.setCurrentRow(1)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    assert "say one" in titles(again)
    assert listed(dialog) == ["say two"]
    dialog.close()


def test_emptying_trash_asks_once(start: Start, profile, qtbot: QtBot):
    run = start()
    (chat_id,) = talk(run, "say xylophonia")
    run.window.chats.delete(chat_id)
    dialog = trash(run)
    run.engine.forgotten.clear()
    dialog.empty_button.click()
    assert "“say xylophonia”" in dialog.question.text()
    dialog.keep_button.click()
    assert listed(dialog) == ["say xylophonia"]
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    assert dialog.sure_button.isVisible()
    dialog.sure_button.click()
    assert listed(dialog) == []
    dialog.close()
    assert chat_id in run.engine.forgotten, "its cache on disk goes too"
    run.window.commands["undo_close"].trigger()
    assert "say xylophonia" not in titles(run), "there is nothing left to bring back"
    settle(run)
    run.end()
    holding = [p for p in profile.rglob("*") if p.is_file() and b"xylophonia" in p.read_bytes()]
    assert holding == []


def test_erased_chat_ends_its_reply_silently(run: Run):
    run.say("hold")
    chat_id = run.pane.chat.id
    run.window.chats.delete(chat_id)
    run.app.library.erase([chat_id])
    run.until(lambda: run.app.library.find(chat_id) is None)
    settle(run)
    assert run.app.unsaved.notice.isHidden()
    assert run.app.store.chats(include_deleted=True) == []


def test_hit_opens_its_version(run: Run, qtbot: QtBot):
    run.ask("say albatross")
    chat = run.pane.chat
    question = chat.transcript.last("user")
    edit(chat, question.id, "say penguin")
    run.answered()
    assert "albatross" not in run.answer(run.pane)
    latest = chat.transcript.leaf_id
    run.window.commands["search"].trigger()
    qtbot.keyClicks(run.window.sidebar.search, "albatross")
    run.until(lambda: "Results" in titles(run))
    model = run.window.sidebar.model
    message = model.row(model.index(1)).message_id
    if message is None:  # the result is the chat, whose title has the same text
        message = question.id
        run.window.chats.open_at(chat.id, message)
    else:
        qtbot.keyClick(run.window.sidebar.search, Qt.Key.Key_Return)
    assert message in {m.id for m in chat.transcript.path}
    assert "albatross" in run.answer(run.pane)
    toast = run.window.toast
    older = chat.transcript.leaf_id
    toast.button.click()
    assert chat.transcript.leaf_id == latest
    assert toast.isHidden()
    run.window.chats.open_at(chat.id, latest)
    assert toast.isHidden(), "the chat shows this version already"
    chat.show_branch_of(older)
    run.window.chats.open_at(chat.id, latest)
    assert not toast.isHidden()
    run.say("hold 2")
    run.window.commands["undo_close"].trigger()  # has to wait for the reply
    assert older not in {m.id for m in chat.transcript.path}
    assert toast.text == chat.why_not(Action.GO_TO, older)
    run.engine.release()
    run.answered()
    run.window.commands["undo_close"].trigger()
    assert chat.transcript.leaf_id == older


def test_program_continues_with_restored_backup(start: Start, profile, qapp):
    with Store.open(profile / "chats.db") as store:
        store.save_chat(ChatRecord("old", title="Of yesterday"))
        store.flush()
        store.back_up()
    (backup,) = backups_of(profile / "chats.db")
    run = start()
    talk(run, "say since then")
    run.window.commands["backups"].trigger()
    dialog = next(w for w in run.window.findChildren(BackupsDialog) if w.isVisible())
    dialog.restore_button.click()
    assert run.app.restarts
    assert run.app.down
    again = start(before=run.app)
    assert [chat.title for chat in again.app.library.chats()] == ["Of yesterday"]
    assert backup.path.exists()


def test_backup_replaces_damaged_chats(start: Start, profile):
    file = profile / "chats.db"
    with Store.open(file) as store:
        store.save_chat(ChatRecord("old", title="Of yesterday"))
        store.flush()
        store.back_up()
    file.write_bytes(b"no database at all" * 100)
    run = start(ask=lambda error: Recovery.RESTORE, ask_backup=lambda backups: backups[0].path)
    assert [chat.title for chat in run.app.library.chats()] == ["Of yesterday"]


def test_profile_is_private(start: Start, profile):
    profile.mkdir(mode=0o755)
    (profile / "settings.json").write_text("{}")
    (profile / "settings.json").chmod(0o644)
    run = start()
    talk(run, "say secret")
    run.end()
    open_ones = [
        path
        for path in (profile, *profile.rglob("*"))
        if path.stat().st_mode & 0o077 and path.parent in (profile.parent, profile)
    ]
    assert open_ones == []


def test_shared_folder_keeps_its_permissions(tmp_path):
    (tmp_path / "holiday.jpg").write_text("")
    (tmp_path / "chats.db").write_text("")
    for path in (tmp_path, *tmp_path.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    Paths.for_profile(tmp_path).create()
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "chats.db").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "holiday.jpg").stat().st_mode & 0o777 == 0o644


def test_layout_of_100000_chats_is_limited():
    many = [f"{number:032x}" for number in range(100_000)]
    layout = Arrangement.from_json({"docks": "x" * 10_000, "open": many, "active": many[0]})
    assert layout.chats == tuple(many[: Arrangement.MOST])
    few = Arrangement.from_json({"docks": "x", "open": many[:3], "active": many[0]})
    assert few == Arrangement("x", tuple(many[:3]), many[0])
