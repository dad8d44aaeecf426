"""Photographs of what takes several steps: files, calls of tools, tables of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from app.program.driving import Driver
from app.settings.paths import Paths
from app.tools.consent import Decision
from app.tools.tool import BUILT_IN
from app.ui.compare.compare_dialog import BY_TEMPERATURE, LINES, CompareDialog
from app.ui.compare.table_window import TableWindow
from app.ui.models.remote import RemoteDialog
from tests.bench.drip import Piece
from tests.bench.moving_picture import answering

Shoot = Callable[..., None]

_REPORT = "The mill stands by the river. " * 200


def take(
    driver: Driver, shoot: Shoot, paths: Paths, texts: list[Callable[[], Iterator[Piece]]]
) -> None:
    """Photograph them all.

    Args:
        texts: its first makes what the stand-in for the engine says.
    """
    before = texts[0]
    texts[0] = lambda: iter(["It stands ", "by the river."])
    _files(driver, shoot, paths)
    _tools(driver, shoot, texts)
    texts[0] = lambda: iter(["The river ", "is long. ", "It goes ", "to the sea."])
    _table(driver, shoot)
    texts[0] = before
    program = driver.application
    _shown(
        driver, shoot, "remote-model", RemoteDialog(program.loader, program.bridge, driver.window)
    )


def _files(driver: Driver, shoot: Shoot, paths: Paths) -> None:
    """A file in the message, and under the message that was sent."""
    driver.window.chats.new()
    pane, path = driver.pane, paths.log / "report.txt"
    path.write_text(_REPORT, encoding="utf-8")
    pane.composer.field.files_given.emit([path])
    pane.composer.field.setPlainText("Where does the mill stand?")
    driver.until(lambda: not pane.chat.attaching.reading)
    driver.wait(0.3)
    shoot("attached", driver.window)
    pane.composer.button.click()
    driver.until(lambda: not answering(pane))
    shoot("attached-and-sent", driver.window)


def _tools(driver: Driver, shoot: Shoot, texts: list[Callable[[], Iterator[Piece]]]) -> None:
    """A call that waits for the person, and two that are over."""
    driver.window.chats.new()
    pane = driver.pane
    names = (f"{BUILT_IN}/calculate", f"{BUILT_IN}/date")
    pane.chat.set_options(replace(pane.chat.options, tools=names), "")
    asked: tuple[Piece, ...] = (("calculate", '{"expression": "17 * 23"}'), ("date", "{}"))
    texts[0] = lambda: iter(asked)
    pane.composer.field.setPlainText("What is 17 times 23, and which day is it?")
    pane.composer.button.click()
    driver.until(lambda: pane.chat.tools.waiting > 0)
    texts[0] = lambda: iter(["It is 391, ", "and it is a good day."])
    driver.wait(0.3)
    shoot("tool-card", driver.window)
    for decision in (Decision.ONCE, Decision.DENY):
        pane.chat.tools.decide(pane.chat.tools.first_waiting, decision)
    driver.until(lambda: not answering(pane) and not pane.chat.tools.waiting)
    shoot("tool-result", driver.window)


def _table(driver: Driver, shoot: Shoot) -> None:
    """Three messages to two columns."""
    driver.window.commands["compare"].trigger()
    dialog = driver.window.findChild(CompareDialog)
    if dialog is None:
        raise RuntimeError("There is no dialog to compare with.")
    dialog.asked.kind.setCurrentIndex(dialog.asked.kind.findData(LINES))
    dialog.prompt.setPlainText("A river\nA tree\nA long road through the hills")
    dialog.kinds[BY_TEMPERATURE].setChecked(True)
    dialog.count.setValue(2)
    driver.wait(0.2)
    shoot("compare-lines", dialog)
    dialog.go.click()
    table = driver.window.comforts.compare.table
    if table is None:
        raise RuntimeError("There is no table.")
    driver.until(lambda: table.done() == 6)
    driver.wait(0.3)
    shown = driver.window.findChild(TableWindow)
    if shown is None:
        raise RuntimeError("The table is not shown.")
    _shown(driver, shoot, "answers-table", shown)


def _shown(driver: Driver, shoot: Shoot, name: str, widget: QWidget) -> None:
    widget.show()
    driver.wait(0.3)
    shoot(name, widget)
    widget.close()
