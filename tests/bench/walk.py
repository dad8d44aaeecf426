"""Files and functions of `app/` on the main path of three actions of the user.

A function counts if it is on the call stack at one of the path's effects: a write to the store, a
call of the engine, hub or tool, a change of a document, or the paint event of the row. Listeners,
layout and other widgets don't count, and neither do lambdas and comprehensions.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

import app
from app.chats.tool_call import CallState
from app.models.loading import LoadState
from app.tools.builtin import builtin_tool
from app.tools.tool import BUILT_IN
from app.tools.toolbox import BuiltinTools
from app.ui.models.get_model import GetModelDialog
from app.ui.transcript.tool_row import ToolRow
from tests.app.fake_engine import FakeEngine
from tests.bench.bars import Figure
from tests.bench.drive import program
from tests.driving import Driver
from tests.hub import connected

APP = Path(app.__file__).parent
STORED, ASKED, WRITTEN = "StoreWriter.add", "FakeSession.send", "QTextCursor.insertText"
ENTER = (STORED, ASKED, WRITTEN, "MarkdownView.paintEvent")
CALL = (STORED, "ToolRow.paintEvent", "Thread.start", "_echo", ASKED)
LOADED = "FakeEngine.load_later"
GET = ("run_in_thread", "look_up", "download", LOADED, "PaneHeader.paintEvent")
MODEL = "somebody/tiny-model"
FILES = {
    "config.json": b'{"model_type": "llama", "quantization": {"bits": 4, "group_size": 64}}',
    "tokenizer.json": b"{}",
    "model.safetensors": bytes(2000),
}


@contextmanager
def walking(*effects: str) -> Iterator[dict[str, set[CodeType]]]:
    """Collect the functions on the stack at each of these effects, until the last one happened."""
    found: dict[str, set[CodeType]] = {effect: set() for effect in effects}

    def note(frame: FrameType, event: str, arg: Any) -> None:
        name = frame.f_code.co_qualname if event == "call" else getattr(arg, "__qualname__", "")
        if event not in {"call", "c_call"} or name not in found or found[effects[-1]]:
            return
        if name == effects[-1] and not found[effects[-2]]:
            return  # a paint event with another cause
        at: FrameType | None = frame
        while at is not None:
            if APP in Path(at.f_code.co_filename).parents and at.f_code.co_name[0] != "<":
                found[name].add(at.f_code)
            at = at.f_back

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _ask(driver: Driver, text: str) -> None:
    driver.pane.composer.field.insertPlainText(text)
    _press_enter(driver.pane.composer.field)


def _press_enter(part: QWidget) -> None:
    part.setFocus()
    QTest.keyClick(part, Qt.Key.Key_Return)


def _answered(driver: Driver) -> None:
    driver.until(lambda: not driver.pane.chat.reply.is_active)


def enter_to_pixel(driver: Driver) -> dict[str, set[CodeType]]:
    _ask(driver, "say one")
    _answered(driver)
    field = driver.pane.composer.field
    field.insertPlainText("say two")
    with walking(*ENTER) as found:
        _press_enter(field)
        driver.until(lambda: bool(found[ENTER[-1]]))
    _answered(driver)
    return found


def _echo(arguments: dict[str, Any], _granted: object) -> str:
    return str(arguments["text"])


def tool_call(driver: Driver) -> dict[str, set[CodeType]]:
    library, chat = driver.application.library, driver.pane.chat
    library.toolbox.builtin = BuiltinTools(
        [builtin_tool("echo", "Says it.", _echo, text={"type": "string"})]
    )
    chat.set_options(replace(chat.options, tools=(f"{BUILT_IN}/echo",)), "")

    def card() -> ToolRow | None:
        row = driver.pane.transcript.places[-1].row
        return row if isinstance(row, ToolRow) and row.state is CallState.ASKING else None

    _ask(driver, 'call echo {"text": "hello"}')
    with walking(*CALL) as found:
        driver.until(lambda: card() is not None and bool(found[CALL[1]]))
        row = card()
        assert row is not None
        _press_enter(row)
        driver.until(lambda: bool(found[ASKED]))
    _answered(driver)
    return found


def get_model(driver: Driver) -> dict[str, set[CodeType]]:
    with walking(*GET) as found:
        driver.window.commands.run_or_explain("get_model")
        dialog = driver.window.findChild(GetModelDialog)
        assert dialog is not None
        driver.until(dialog.finding.memory_budget)
        dialog.field.setText(MODEL)
        driver.until(lambda: dialog.ok.isEnabled() and dialog.found.isVisible())
        dialog.ok.click()
        driver.until(lambda: MODEL in dialog.list.rows)
        item = dialog.list.rows[MODEL]
        driver.until(lambda: "Ready" in item.words.text())
        item.act.click()
        driver.until(lambda: bool(found[LOADED]))
        driver.until(lambda: driver.pane.chat.model.status.state is LoadState.READY)
        driver.until(lambda: bool(found[GET[-1]]))
    return found


WALKS = {  # with the most files and functions
    "Enter to pixel": (enter_to_pixel, 15, 37),
    "Get Model to loaded": (get_model, 7, 17),
    "tool call with card": (tool_call, 11, 29),
}


def measure(*, names: bool) -> list[Figure]:
    figures = []
    for title, (walk, most_files, most) in WALKS.items():
        with (
            pytest.MonkeyPatch.context() as patch,
            tempfile.TemporaryDirectory() as folder,
            connected(patch, Path(folder)) as hub,
            program(engine=FakeEngine) as driver,
        ):
            hub.add(MODEL, FILES)
            found: set[CodeType] = set()
            found.update(*walk(driver).values())
        files: dict[str, list[str]] = {}
        for code in found:
            file = str(Path(code.co_filename).relative_to(APP))
            files.setdefault(file, []).append(code.co_qualname)
        for file in sorted(files) if names else ():
            print(f"{len(files[file]):4}  {file}: {', '.join(sorted(files[file]))}")
        figures.append(Figure(f"{title}, files", len(files), "", most_files))
        figures.append(Figure(f"{title}, functions", len(found), "", most))
    return figures
