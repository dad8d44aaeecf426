"""Resources ("@") and prompts ("/") of servers."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from app.tools.offers import Argument, Offers, Prompt, Resource, Template
from app.tools.servers import ServerConfig
from app.tools.tool import Tool, ToolError
from app.ui.palette.pickers import PromptPicker
from app.ui.window.prompt_commands import ArgumentsDialog, PaneOffers
from engine.messages import text_of
from tests.app.conftest import Run

NOTES = Resource("notes", "note:///one", "One note", "About the first")
PLAIN = Prompt("notes", "plain", "Plain prompt")
ASKS = Prompt("notes", "asks", "Asking prompt", "", (Argument("topic", "Topic", "", True),))
KINDS = Template(
    "notes", "note:///{which}", "Any note", "", (Argument("which", "which", "", True),)
)
KEY = Qt.Key


class Servers:
    def __init__(self, run: Run) -> None:
        host: Any = run.app.library.toolbox.host
        host.set_servers([ServerConfig("notes", "x"), ServerConfig("slow", "x")])
        host.offers, host.read, host.prompt = self.offers, self.read, self.prompt
        self.slow: Future[Offers] = Future()
        self.reads: list[Resource] = []
        self.asked: list[str] = []
        self.kinds: tuple[Template, ...] = ()

    def offers(self, server: str) -> Future[Offers]:
        self.asked.append(server)
        if server == "slow":
            return self.slow
        return done(Offers((NOTES,), (PLAIN, ASKS), self.kinds))

    def read(self, resource: Resource) -> Future[str]:
        self.reads.append(resource)
        return done("The note's text.") if resource.uri == NOTES.uri else failed("It is gone.")

    def prompt(self, prompt: Prompt, arguments: dict[str, str]) -> Future[str]:
        return done(f"say {prompt.name} {arguments.get('topic', '')} {{{{more}}}}")


def done(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def failed(words: str) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(ToolError(words))
    return future


@pytest.fixture
def run(run: Run) -> Run:
    run.app.settings.set(prompts={"Mine": "say mine"})
    run.pane.focus_composer()
    run.until(run.pane.composer.field.hasFocus)
    return run


def switch_on(run: Run, *servers: str) -> None:
    chat = run.pane.chat
    keys = tuple(Tool(name, "any").key for name in servers)
    chat.set_options(replace(chat.options, tools=keys), "")


def type_(run: Run, text: str) -> None:
    run.qtbot.keyClicks(run.pane.composer.field, text)


def picker(run: Run) -> Any:
    (offers,) = run.pane.findChildren(PaneOffers)
    return offers.picker


def test_at_sign_lists_and_attaches_resources(run: Run) -> None:
    Servers(run)
    switch_on(run, "notes")
    type_(run, "Read @")
    run.until(lambda: picker(run).names() == ["One note"])
    assert picker(run).isVisible()
    type_(run, "one")
    QTest.keyClick(run.pane.composer.field, KEY.Key_Return)
    assert run.pane.composer.text == "Read "
    assert not picker(run).isVisible()
    run.until(lambda: run.pane.chat.attacher.files)
    (file,) = run.pane.chat.attacher.files
    assert file.name == "One note"
    type_(run, "it")
    QTest.keyClick(run.pane.composer.field, KEY.Key_Return)
    run.answered()
    told = text_of(run.engine.sent[-1].turns[-1]["content"])
    assert told == '<file name="One note">\nThe note\'s text.\n</file>\n\nRead it'


def test_resource_template_asks_for_its_arguments(run: Run) -> None:
    servers = Servers(run)
    servers.kinds = (KINDS,)
    switch_on(run, "notes")
    type_(run, "Read @any")  # before the server has sent its list
    run.until(lambda: picker(run).isVisible() and picker(run).names() == ["Any note…"])
    QTest.keyClick(run.pane.composer.field, KEY.Key_Return)
    dialog = run.window.findChild(ArgumentsDialog)
    assert dialog.use.text() == "Attach"
    dialog.use.click()
    assert dialog.fault.isVisible()  # an argument is missing
    run.qtbot.keyClicks(dialog.findChild(QLineEdit), "one")
    dialog.use.click()
    run.until(lambda: run.pane.chat.attacher.files)
    assert [resource.uri for resource in servers.reads] == ["note:///one"]
    assert [file.name for file in run.pane.chat.attacher.files] == ["note:///one"]


def test_unresponsive_server_delays_nothing(run: Run) -> None:
    servers = Servers(run)
    switch_on(run, "notes", "slow")
    type_(run, "@")
    run.until(lambda: "One note" in picker(run).names())
    assert picker(run).names() == ["One note", "slow"]
    assert picker(run).rows.entry(picker(run).rows.index(1)).why_not == "Loading…"
    servers.slow.set_exception(ToolError("slow didn’t start within 30 s."))
    run.until(lambda: "30 s" in picker(run).rows.entry(picker(run).rows.index(1)).why_not)
    for _ in range(2):
        QTest.keyClick(run.pane.composer.field, KEY.Key_Down)
    QTest.keyClick(run.pane.composer.field, KEY.Key_Up)
    QTest.keyClick(run.pane.composer.field, KEY.Key_Return)
    assert servers.reads == [], "there is nothing to choose there"
    assert servers.asked == ["notes", "slow"], "each is asked once, however much is typed"


def test_only_servers_of_this_chat_are_queried(run: Run) -> None:
    servers = Servers(run)
    type_(run, "@")
    assert not picker(run).isVisible()
    type_(run, " mail@home /")
    assert not picker(run).isVisible()
    assert servers.asked == []
    switch_on(run, "notes")
    type_(run, " me@one")  # an e-mail address
    assert not picker(run).isVisible()


def test_unreadable_resource_is_reported(run: Run) -> None:
    Servers(run)
    switch_on(run, "notes")
    said: list[str] = []
    run.pane.notice_posted.connect(said.append)
    (offers,) = run.pane.findChildren(PaneOffers)
    offers._attach(replace(NOTES, uri="note:///gone"))
    run.until(lambda: said == ["It is gone."])
    assert run.pane.chat.attacher.files == ()


def test_slash_lists_server_prompts_and_own_prompts(run: Run) -> None:
    Servers(run)
    switch_on(run, "notes")
    prompts = run.pane.findChild(PromptPicker)
    type_(run, "/")
    run.until(lambda: "Plain prompt" in prompts.names())
    assert prompts.names() == ["Mine", "Plain prompt", "Asking prompt", "Edit Prompts…"]
    type_(run, "plain")
    QTest.keyClick(run.pane.composer.field, KEY.Key_Return)
    run.until(lambda: run.pane.composer.text == "say plain  {{more}}")
    assert run.pane.composer.field.textCursor().selectedText() == "{{more}}", "Tab walks it"


def test_prompt_arguments_are_requested(run: Run) -> None:
    Servers(run)
    switch_on(run, "notes")
    prompts = run.pane.findChild(PromptPicker)
    type_(run, "/")
    run.until(lambda: "Asking prompt" in prompts.names())
    type_(run, "asking")
    QTest.keyClick(run.pane.composer.field, KEY.Key_Return)
    run.until(lambda: run.window.findChildren(ArgumentsDialog))
    (dialog,) = run.window.findChildren(ArgumentsDialog)
    dialog.use.click()
    assert "Topic" in dialog.fault.text()
    (line,) = dialog.inputs[0].editors
    assert isinstance(line, QLineEdit)
    QTest.keyClicks(line, "rivers")
    dialog.use.click()
    run.until(lambda: run.pane.composer.text == "say asks rivers {{more}}")
