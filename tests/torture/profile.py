"""Damaged chat files and profiles, opened in the window.

- `imports`: exports in all five formats, each damaged at random, are imported into the open window.
  The results are opened in a pane, exported and removed again.
- `profiles`: the program starts on a profile with a damaged file and must still show the chats.

Success means no exceptions, no hangs, and no changes to existing data.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from app import flows
from app.chats.exporting import Export, ExportFormat
from app.chats.importing import Import
from app.program.application import Application
from app.settings.paths import Paths
from app.store import AttachedText, Attachment, ChatRecord, Message, Store, StoreError, new_id
from app.store.portable import FORMAT, VERSION, chat_to_json
from app.ui.dialogs.store_dialogs import Recovery
from app.ui.style import theme
from app.ui.workspace.docks import configure_docking
from tests.app.chats import exports
from tests.app.fake_engine import FakeEngine
from tests.torture.damage import Raw, bent, damaged, hostile, to_json

HANG_S = 30.0
"""Timeout in seconds. Steps usually take less than one, but the machine may be busy."""


def ours() -> dict[str, Any]:
    """Return a chat file written by the program, with everything that a chat can contain."""
    text = AttachedText("page", ("One fox.", "Two owls."), ("a", "b"))
    file = Attachment("a.pdf", "PDF", text.hash, "page", 2, 17, "pages", ((1, 0, 8),))
    chat = ChatRecord(
        new_id(),
        "Trees",
        "/models/a",
        "Be brief.",
        {"temperature": 0.5, "seed": 3, "stop": ["x"], "tools": ["Stretto/time"], "kv_bits": 8},
        draft="later",
        pinned_at=5.0,
        tags=("one", "two"),
        folder_id="folder 1",
        draft_attachments=(file,),
    )
    question = Message(new_id(), chat.id, None, "user", "Why? " * 9, attachments=(file,))
    call = {"id": "c1", "type": "function", "function": {"name": "time", "arguments": {}}}
    answer = Message(
        new_id(), chat.id, question.id, "assistant", "", "Hm.", "complete", "", "A",
        {
            "reason": "tool_calls",
            "turn": {"role": "assistant", "content": "", "tool_calls": [call]},
        },
    )  # fmt: skip
    result = Message(
        new_id(), chat.id, answer.id, "tool", "12:00", stats={
            "call": "c1", "name": "time", "arguments": "{}", "server": "Stretto", "tool": "time",
            "decision": "once", "size": 5, "failed": False, "seconds": 0.5, "asked": [["q", "a"]],
        },
    )  # fmt: skip
    last = Message(
        new_id(), chat.id, result.id, "assistant", "At **noon**.\n\n- a\n- b", "", "complete", "",
        "A", {
            "reason": "length", "prompt_tokens": 9, "generated_tokens": 4, "reused_tokens": 3,
            "tokens_per_s": 5.5, "prefill_s": 0.2, "decode_s": 1.0, "thought_s": 1.5, "seed": 4,
            "options": {"slide": True}, "model": "/models/a", "same": True,
        },
    )  # fmt: skip
    failed = Message(
        new_id(), chat.id, question.id, "assistant", "", "", "error", "It did not fit.", "A",
        {"code": "context_overflow"},
    )  # fmt: skip
    messages = [question, answer, result, last, failed]
    written = chat_to_json(chat, messages, {text.hash: text})
    folders = [{"id": "folder 1", "name": "Work", "parent_id": None}]
    return {"format": FORMAT, "version": VERSION, "folders": folders, "chats": [written]}


FORMATS: dict[str, Callable[[], Any]] = {
    "Stretto": ours,
    "ChatGPT": exports.chatgpt,
    "Claude": exports.claude,
    "Open WebUI": exports.webui,
    "LM Studio": exports.lmstudio,
}


# The program.


@contextmanager
def watched(*, unreadable: bool = False) -> Iterator[list[str]]:
    """Yield a list to which the errors of all threads are added, as stacks.

    Args:
        unreadable: ignore errors about unreadable chats, which the window reports.
    """
    raised: list[str] = []

    def take(
        kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not (unreadable and isinstance(error, StoreError)):
            raised.append("".join(traceback.format_exception(kind, error, trace))[-3000:])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "excepthook", take)
        patch.setattr(
            threading, "excepthook", lambda e: take(e.exc_type, e.exc_value, e.exc_traceback)
        )
        yield raised


class Window:
    """The program on a profile, until it is closed.

    Attributes:
        asked: codes of the store errors shown to the user.
    """

    def __init__(self, profile: Path, way: Recovery = Recovery.QUIT) -> None:
        self.asked: list[str] = []

        def ask(error: Any) -> Recovery:
            self.asked.append(error.code)
            return way if len(self.asked) == 1 else Recovery.QUIT

        self.app = Application(
            application(),
            Paths.for_profile(profile),
            engine_factory=lambda _paths, _settings: FakeEngine(),  # type: ignore[arg-type,return-value]
            ask=ask,
            ask_unsaved=lambda _error: Recovery.QUIT,
        )
        self.started = self.app.start()

    def until(self, condition: Callable[[], object], what: str) -> None:
        end = time.monotonic() + HANG_S
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{what} hangs")
            QCoreApplication.processEvents()
            time.sleep(0.001)

    def rest(self) -> None:
        for _ in range(4):
            QCoreApplication.processEvents()

    def close(self) -> None:
        self.app.shut_down()
        self.app.deleteLater()
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QCoreApplication.processEvents()
        flows.end(HANG_S)


def application() -> QApplication:
    made = QApplication.instance()
    if not isinstance(made, QApplication):
        made = QApplication(["stretto"])
        made.setDesktopFileName("app.stretto.Stretto")
        made.setQuitOnLastWindowClosed(False)
        configure_docking()
        theme.install(made, "light")
    return made


def everything(store: Store) -> dict[str, Any]:
    chats = store.chats(include_deleted=True)
    return {chat.id: chat_to_json(chat, store.messages(chat.id)) for chat in chats}


# Hostile chat files.


def imports(folder: Path, rounds: int, seed: int, until: float) -> list[str]:
    """Import damaged exports, open the results and return the faults."""
    faults: list[str] = []
    done: Counter[str] = Counter()
    with watched() as raised:
        window = Window(folder / "profile")
        try:
            assert window.app.store is not None
            window.app.store.save_chat(ChatRecord("kept", "Mine"))
            window.app.store.save_message(Message("m", "kept", content="stays"), as_leaf=True)
            before = everything(window.app.store)["kept"]
            for number in range(rounds):
                if time.monotonic() > until:
                    rounds = number
                    break
                # ends the process if the window hangs
                faulthandler.dump_traceback_later(4 * HANG_S, exit=True)
                dice = random.Random(f"{seed} {number}")
                name = dice.choice(list(FORMATS))
                value = damaged(FORMATS[name](), dice)
                data = to_json(value).encode("utf-8", "surrogatepass")
                if dice.random() < 0.25:
                    data = bent(data, dice)
                file = folder / f"{number}.json"
                file.write_bytes(data)
                try:
                    done[name] += _one_import(window, file)
                except Exception:
                    raised.append(traceback.format_exc()[-3000:])
                if everything(window.app.store).get("kept") != before:
                    raised.append("the chat that was there is another")
                for stack in raised:
                    faults.append(f"import {number} ({name}): {stack}")
                if raised:
                    shutil.copy(
                        file, Path(tempfile.gettempdir()) / f"stretto-import-{seed}-{number}.json"
                    )
                raised.clear()
                file.unlink()
        finally:
            window.close()
            faulthandler.cancel_dump_traceback_later()
    faults += [f"at the end: {stack}" for stack in raised]
    told = ", ".join(f"{count:,} of {name}" for name, count in sorted(done.items()))
    print(f"{rounds:,} damaged files; chats that came of them: {told or 'none'}")
    return faults


def _one_import(window: Window, file: Path) -> int:
    library, store = window.app.library, window.app.store
    assert library is not None
    assert store is not None
    job, reports = Import([file], "guide"), list[Any]()
    thread = threading.Thread(target=lambda: reports.append(job.run(store)), name="import")
    thread.start()
    thread.join(HANG_S)
    if thread.is_alive():
        stack = "".join(traceback.format_stack(sys._current_frames()[thread.ident or 0])[-4:])
        job.stop.set()
        raise TimeoutError(f"the import hangs\n{stack}")
    if not reports:
        return 0  # the import raised an error, which the listener has recorded
    (report,) = reports
    assert report.imported or report.details(), "nothing came, and nobody is told why"
    library.add_imported(report.imported)
    library.order.refresh()
    window.rest()
    for chat in report.imported:
        assert window.app.window is not None
        window.app.window.chats.open(chat.id)
        pane = window.app.window.workspace.pane(chat.id)
        assert pane is not None
        window.rest()
        pane.header.options_button.click()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
        for kind in ExportFormat:
            Export([chat.id], kind, file.with_name(f"out{kind.value}")).run(
                store, threading.Event()
            )
        pane.grab()
        window.app.window.workspace.close_pane(pane)
        window.app.window.workspace.delete_closed(chat.id)
        window.rest()
    library.remove_imported([chat.id for chat in report.imported])
    store.exchange.remove_chats([chat.id for chat in report.imported])
    store.flush()
    return len(report.imported)


# Damaged profiles.


def profiles(folder: Path, rounds: int, seed: int, until: float) -> list[str]:
    good = folder / "good"
    _make_profile(good)
    faults: list[str] = []
    done: Counter[str] = Counter()
    for number in range(rounds):
        if time.monotonic() > until:
            rounds = number
            break
        dice = random.Random(f"{seed} {number}")
        profile = folder / f"{number}"
        shutil.copytree(good, profile)
        harm = dice.choice(HARMS)
        with watched(unreadable=harm in TO_CHATS) as raised:
            try:
                harm(profile, dice)
                done[harm.__name__] += 1
                _one_start(profile, chats_touched=harm in TO_CHATS)
            except Exception:
                raised.append(traceback.format_exc()[-3000:])
        faults += [f"profile {number} ({harm.__name__}): {stack}" for stack in raised]
        _open_again(profile)
        shutil.rmtree(profile)
    told = ", ".join(f"{count:,} {name.strip('_')}" for name, count in sorted(done.items()))
    print(f"{rounds:,} tampered profiles: {told}")
    return faults


def _make_profile(profile: Path) -> None:
    window = Window(profile)
    store, library = window.app.store, window.app.library
    assert store is not None
    assert library is not None
    assert window.app.window is not None
    file = profile / "taken.json"
    file.write_text(json.dumps(ours()))
    report = Import([file], "guide").run(store)
    library.add_imported(report.imported)
    window.app.window.chats.open(report.imported[0].id)
    settings: dict[str, Any] = {
        "models": ("/models/a",),
        "prompts": {"a": "text"},
        "presets": {"p": {"params": {"temperature": 1.0}, "system": "s"}},
        "used": {"/models/a": 5.0},
        "kept": {"a": [1, 2]},
        "shortcuts": {"score": ["F8"]},
        "new_chat": {"temperature": 0.5},
        "unfolded": ("folder 1",),
        "palette_recent": ("command:new",),
    }
    window.app.settings.set(**settings)
    window.app.window.layouts.save("Desk")
    (profile / "mcp.json").write_text(
        json.dumps({"mcpServers": {"s": {"command": "true", "args": ["x"], "env": {"A": "b"}}}})
    )
    window.rest()
    window.close()
    file.unlink()


def _one_start(profile: Path, *, chats_touched: bool) -> None:
    """Start, open everything, quit, and check that the chats are unchanged."""
    window = Window(profile, Recovery.SET_ASIDE)
    try:
        if not window.started:
            assert window.asked, "it does not start, and nobody is told why"
            return
        assert window.app.window is not None
        assert window.app.store is not None
        assert window.app.library is not None
        window.until(lambda: window.app.engine is not None, "the engine's start")
        window.rest()
        for chat in window.app.library.chats():
            try:
                window.app.window.chats.open(chat.id)
            except StoreError:
                assert chats_touched  # errors in slots are reported to the user
            window.rest()
        for name in ("layouts", "settings", "palette", "tool_servers", "prompts", "models"):
            if name in window.app.window.commands._actions:
                window.app.window.commands[name].trigger()
                window.rest()
                for widget in QApplication.topLevelWidgets():
                    if widget is not window.app.window and widget.isVisible():
                        widget.close()
        window.app.settings.set(zoom=110)
        window.app.window.grab()
        if not chats_touched and not window.asked:
            found = [chat.title for chat in window.app.library.chats()]
            assert "Trees" in found, f"the chat is gone: {found}"
    finally:
        window.close()


def _open_again(profile: Path) -> None:
    """Restore permissions that the damage has removed."""
    for path in [profile, *profile.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o700)


Harm = Callable[[Path, random.Random], None]


def _in_file(name: str) -> Harm:
    def damage_file(profile: Path, dice: random.Random) -> None:
        file = profile / name
        content = file.read_bytes()
        if dice.random() < 0.7:
            content = to_json(damaged(json.loads(content), dice)).encode()
        else:
            content = bent(content, dice)
        file.write_bytes(content)

    damage_file.__name__ = name
    return damage_file


def _layout(profile: Path, dice: random.Random) -> None:
    with closing(sqlite3.connect(profile / "chats.db", isolation_level=None)) as db:
        for name, data in db.execute("SELECT name, data FROM layouts").fetchall():
            text: str | bytes = to_json(damaged(json.loads(data), dice))
            if dice.random() < 0.3:
                text = bent(str(text).encode("utf-8", "surrogatepass"), dice)
            db.execute("UPDATE layouts SET data = ? WHERE name = ?", (text, name))


def _values(profile: Path, dice: random.Random) -> None:
    with closing(sqlite3.connect(profile / "chats.db", isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        for _ in range(dice.choice((1, 3))):
            table = dice.choice(("chats", "messages", "folders", "layouts", "attached"))
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            column, value = dice.choice(columns), hostile(dice)
            if isinstance(value, Raw):
                value = value.text
            elif isinstance(value, list | dict):
                value = json.dumps(value)
            elif isinstance(value, int) and abs(value) >= 2**63:
                value = float(value)
            elif isinstance(value, str):
                value = value.encode("utf-8", "surrogatepass")
                value = value if dice.random() < 0.3 else value.decode("utf-8", "replace")
            try:
                db.execute(f"UPDATE {table} SET {column} = ?", (value,))
            except sqlite3.Error:
                continue  # a trigger or a check rejects it


def _nested_values(profile: Path, dice: random.Random) -> None:
    with closing(sqlite3.connect(profile / "chats.db", isolation_level=None)) as db:
        pairs = (
            ("chats", "params"),
            ("messages", "stats"),
            ("messages", "attachments"),
            ("chats", "tags"),
        )
        table, column = dice.choice(pairs)
        for rowid, data in db.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            text = to_json(damaged(json.loads(data), dice))
            db.execute(
                f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                (text.encode("utf-8", "replace").decode(), rowid),
            )


def _chats_bytes(profile: Path, dice: random.Random) -> None:
    file = profile / "chats.db"
    file.write_bytes(bent(file.read_bytes(), dice))


def _foreign(profile: Path, dice: random.Random) -> None:
    """Replace the database with another program's, or with another file."""
    file = profile / "chats.db"
    file.unlink()
    if dice.random() < 0.5:
        with closing(sqlite3.connect(file)) as db:
            table = dice.choice(("chats", "messages", "bookmarks", "layouts"))
            db.execute(f"CREATE TABLE {table} (id, name)")
            db.execute(f"PRAGMA user_version = {dice.choice((0, 1, 3, 1000))}")
            db.commit()
    else:
        file.write_bytes(dice.choice((b"", b"SQLite format 3\0", b"\x89PNG", b"x" * 100_000)))


def _links(profile: Path, dice: random.Random) -> None:
    """Replace a file with a link to itself, to nothing, to a folder or to a device."""
    name = dice.choice(("settings.json", "mcp.json", "log"))
    file = profile / name
    if file.is_dir():
        shutil.rmtree(file)
    file.unlink(missing_ok=True)
    file.symlink_to(dice.choice((name, "nowhere", ".", "/dev/null", "chats.db-wal")))


def _folders(profile: Path, dice: random.Random) -> None:
    file = profile / dice.choice(("settings.json", "mcp.json"))
    file.unlink(missing_ok=True)
    (file / "inner").mkdir(parents=True)


HARMS: list[Harm] = [
    *(_in_file("settings.json"), _in_file("mcp.json"), _layout, _values, _nested_values) * 2,
    *(_chats_bytes, _foreign, _links, _folders),
]
TO_CHATS = [_values, _nested_values, _chats_bytes, _foreign]

PARTS = {"imports": imports, "profiles": profiles}


def main(arguments: list[str]) -> int:
    """Open damaged chat files and profiles in the window."""
    parser = argparse.ArgumentParser(prog="tests.torture profile", description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=300, help="of each part")
    parser.add_argument("--seconds", type=float, default=120.0, help="of each; then none is begun")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", choices=PARTS, help="only this one")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    failed = 0
    for name in PARTS:
        if chosen.part not in (None, name):
            continue
        until = time.monotonic() + chosen.seconds
        with tempfile.TemporaryDirectory(prefix="stretto-profile-") as folder:
            faults = PARTS[name](Path(folder), chosen.rounds, chosen.seed, until)
        kinds: dict[str, list[str]] = {}
        for fault in faults:
            kinds.setdefault(fault.strip().splitlines()[-1][:100], []).append(fault)
        for same in kinds.values():
            print(f"\n{len(same)} times; the first:\n{same[0]}", file=sys.stderr)
        print(f"{name}: {len(faults)} faults of {len(kinds)} kinds")
        failed += len(faults)
    return 1 if failed else 0
