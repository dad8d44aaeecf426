"""Screenshots that take several steps: files, tool calls and branches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from app.settings.paths import Paths
from app.tools.consent import Decision
from app.tools.servers import ServerConfig
from app.tools.tool import BUILT_IN, Tool
from app.ui.models.remote import RemoteDialog
from app.ui.transcript.tool_row import ToolRow
from tests.bench.drip import Piece
from tests.bench.moving_picture import answering
from tests.driving import Driver

Shoot = Callable[..., None]

_REPORT = "The mill stands by the river. " * 200


def files(driver: Driver, shoot: Shoot, paths: Paths) -> None:
    driver.window.chats.new()
    pane, path = driver.pane, paths.log / "report.txt"
    path.write_text(_REPORT, encoding="utf-8")
    pane.composer.field.files_inserted.emit([path])
    pane.composer.field.setPlainText("Where does the mill stand?")
    driver.until(lambda: not pane.chat.attacher.reading)
    driver.wait(0.3)
    shoot("attached", driver.window)
    pane.composer.button.click()
    driver.until(lambda: not answering(pane))
    shoot("attached-and-sent", driver.window)


def tools(
    driver: Driver, shoot: Shoot, paths: Paths, texts: list[Callable[[], Iterator[Piece]]]
) -> None:
    driver.window.chats.new()
    pane, toolbox = driver.pane, driver.application.library.toolbox
    issues = "Finds issues of a project. Give words that occur in them, and how many are wanted."
    shape = {"type": "object", "properties": {"words": {"type": "string"}}}
    found = Tool("tracker", "find_issues", issues, shape, "Find Issues")
    toolbox.host.set_servers([ServerConfig("tracker", "tracker")])
    toolbox.pins.mark_seen([found])
    own = ("calculate", "date", "read_file", "write_file", "search_files")
    names = (*(f"{BUILT_IN}/{name}" for name in own), found.key)
    pane.chat.set_options(replace(pane.chat.options, tools=names), "")
    notes = paths.log / "notes"
    notes.mkdir()
    (notes / "plan.md").write_text(_PLAN, encoding="utf-8")
    toolbox.consents.grant(pane.chat.id, notes, False)

    def ask(words: str, *calls: Piece) -> None:
        texts[0] = lambda: iter(calls)
        pane.composer.field.setPlainText(words)
        pane.composer.button.click()
        driver.until(lambda: pane.chat.tools.waiting == len(calls))
        texts[0] = lambda: iter(["It is 391, ", "and it is a good day."])
        driver.wait(0.4)

    def decide(decision: Decision) -> None:
        pane.chat.tools.decide_all(decision)
        driver.until(lambda: not answering(pane) and not pane.chat.tools.waiting)
        driver.wait(0.3)

    ask(
        "What is 17 times 23, which day is it, and what is open about the mill?",
        ("calculate", '{"expression": "17 * 23"}'),
        ("date", "{}"),
        ("tracker__find_issues", '{"words": "mill wheel", "most": 5}'),
    )
    shoot("tool-card", driver.window)
    decide(Decision.DENY)
    change = json.dumps({"path": str(notes / "plan.md"), "text": _PLAN.replace(*_CHANGED)})
    ask("Put the wheel before the roof.", ("write_file", change))
    shoot("tool-read-only", driver.window)
    pane.chat.tools.allow_writing(pane.chat.tools.first_waiting)
    driver.wait(0.4)
    shoot("tool-difference", driver.window)
    row = pane.transcript.row(pane.chat.tools.first_waiting)
    if isinstance(row, ToolRow):
        row.edit()
        row.arguments.setPlainText('{"path": }')
        row.buttons[0].click()
        driver.wait(0.2)
        shoot("tool-edited", driver.window)
        row.arguments.setPlainText(change)
        row.buttons[0].click()
        driver.wait(0.4)
    decide(Decision.ONCE)
    ask("What does the list say?", ("read_file", json.dumps({"path": str(notes / "list.md")})))
    decide(Decision.ONCE)
    for place in pane.transcript.places[-6:]:
        if isinstance(place.row, ToolRow):
            place.row.fold()
    driver.wait(0.3)
    shoot("tool-result", driver.window)


_PLAN = """# The mill

1. Mend the roof
2. Paint the door
3. Turn the wheel

Everything before the winter.
"""
_CHANGED = (
    "1. Mend the roof\n2. Paint the door\n3. Turn the wheel\n",
    "1. Turn the wheel\n2. Mend the roof\n3. Paint the door, in green\n",
)


def remote(driver: Driver, shoot: Shoot) -> None:
    program = driver.application
    dialog = RemoteDialog(program.loader, program.bridge, driver.window)
    dialog.show()
    driver.wait(0.3)
    shoot("remote-model", dialog)
    dialog.close()
