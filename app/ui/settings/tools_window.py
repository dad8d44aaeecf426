"""The tools' servers and the folders that chats may use: added, changed, switched off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.chats.library import ChatLibrary
from app.settings.language import counted, mark, tr
from app.settings.paths import short_path
from app.tools import servers as files
from app.tools.connection import State
from app.tools.servers import Read, ServerConfig
from app.tools.tool import ToolError, visible
from app.ui.style import tokens as t
from app.ui.style.theme import code_font, keep_font
from app.ui.widgets.sheet import Sheet

_EXAMPLE = '{"mcpServers": {"name": {"command": "npx", "args": []}}}'
_STATES = {
    State.OFF: mark("Starts when it is needed"),
    State.CONNECTING: mark("Starting…"),
    State.READY: mark("Running"),
    State.ENDED: mark("Ended"),
}


class ToolsWindow(Sheet):
    """The file of servers as text, what each starts, its log, and the consents.

    What is new or changed in the text is shown whole, and saved once the person has seen it.
    """

    LOOK_MS = 700

    def __init__(self, library: ChatLibrary, parent: QWidget) -> None:
        super().__init__("tools-window", tr("Tools"), parent, spacing=10)
        self.resize(680, 620)
        self._library, self._toolbox = library, library.toolbox
        self._pending: Read | None = None
        self._shown: object = None
        self._log_of = ""
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("field")
        self.text.setFont(code_font())
        self.text.setAccessibleName(tr("Servers as JSON"))
        self.text.setPlaceholderText(_EXAMPLE)
        self.text.setPlainText(files.to_text(self._toolbox.host.servers))
        self.text.setFixedHeight(190)
        self.text.setTabChangesFocus(True)
        self.note = self.label()
        self.save = QPushButton(tr("Save"), self)
        self.save.clicked.connect(self._on_save)
        self.import_ = QPushButton(tr("Import From…"), self)
        self.import_.clicked.connect(self._on_import)
        buttons = QHBoxLayout()
        buttons.addWidget(self.save)
        buttons.addWidget(self.import_)
        buttons.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.log = QPlainTextEdit(self)
        self.log.setObjectName("field")
        self.log.setReadOnly(True)
        self.log.setFont(code_font())
        self.log.setAccessibleName(tr("Log"))
        self.log.setFixedHeight(140)
        self.log.hide()
        about = tr("Programs and addresses that offer tools by MCP, as other programs write them.")
        self.put(_heading(tr("Servers"), self), self.label(about), self.text, self.note, buttons)
        self.rows.addWidget(self._area, 1)
        self.put(self.log)
        if self._toolbox.host.problems:
            self.note.setText("\n".join(self._toolbox.host.problems))
        # The servers' states change on another thread; this window looks while it is open.
        self._looking = QTimer(self, interval=self.LOOK_MS)
        self._looking.timeout.connect(self._refresh)
        self._looking.start()
        self._refresh()

    # The servers.

    @Slot()
    def _on_save(self) -> None:
        """Show what the text would start; the second press saves it."""
        try:
            found = files.read_text(self.text.toPlainText())
        except ToolError as error:
            self._tell(str(error))
            return
        known = {server.name: server for server in self._toolbox.host.servers}
        fresh = [each for each in found.servers if known.get(each.name) != each]
        if found.problems:
            self._tell("\n".join(found.problems))
        elif fresh and self._pending != found:
            shown = "\n".join(f"{visible(each.name)}:  {_whole(each)}" for each in fresh)
            new = tr("This is new. A chat starts it when it needs it:")
            self._tell(f"{new}\n{shown}")
            self._pending = found
            self.save.setText(tr("Save These"))
        else:
            self._take(found, [each.name for each in fresh])

    def _take(self, found: Read, changed: list[str]) -> None:
        gone = {each.name for each in self._toolbox.host.servers} - {s.name for s in found.servers}
        try:
            self._toolbox.host.set_servers(found.servers)
        except ToolError as error:
            self._tell(str(error))
            return
        for name in [*gone, *changed]:  # what was said of it was said of another
            self._toolbox.consents.forget_server(name)
            self._toolbox.pins.forget(name)
        self._tell(tr("Saved."))
        self._refresh()

    def _tell(self, words: str) -> None:
        self.note.setText(words)
        self._pending = None
        self.save.setText(tr("Save"))

    @Slot()
    def _on_import(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, path in files.known_places().items():
            menu.addAction(name, partial(self.import_from, path))
        if menu.isEmpty():
            menu.addAction(tr("No other program with servers was found")).setEnabled(False)
        menu.popup(self.import_.mapToGlobal(self.import_.rect().bottomLeft()))

    def import_from(self, path: Path) -> None:
        """Put another program's servers into the text; nothing is saved by it."""
        try:
            found = files.read_file(path)
            own = files.read_text(self.text.toPlainText())
        except ToolError as error:
            self._tell(str(error))
            return
        names = {each.name for each in own.servers}
        more = [each for each in found.servers if each.name not in names]
        self.text.setPlainText(files.to_text([*own.servers, *more]))
        self._tell(
            counted(
                "%n server from {place}. Look at them, then save.",
                "%n servers from {place}. Look at them, then save.",
                len(more),
                place=short_path(path),
            )
        )

    # What is shown below.

    @Slot()
    def _refresh(self) -> None:
        host, consents = self._toolbox.host, self._toolbox.consents
        lines = [(s, host.status(s.name)) for s in host.servers]
        shown = (lines, consents.consents(), consents.grants())
        if self._log_of:
            text = host.log(self._log_of) or tr("Nothing was written yet.")
            if text != self.log.toPlainText():
                self.log.setPlainText(text)
        if shown == self._shown:
            return
        self._shown = shown
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        for server, status in lines:
            words = status.words or tr(_STATES[status.state])
            state = words if server.enabled else tr("Switched off")
            self._row(
                layout,
                page,
                f"{visible(server.name)}: {state}",
                (tr("Show Log"), partial(self._show_log, server.name)),
                (tr("End", "a server"), partial(host.end, server.name)),
            )
        layout.addWidget(_heading(tr("Allowed without asking"), page))
        if not shown[1] and not shown[2]:
            layout.addWidget(_words(tr("Nothing. Every call waits for you."), page))
        for consent in shown[1]:
            words = tr(
                "{tool} of {server} in “{chat}”",
                tool=visible(consent.tool) if consent.tool else tr("all tools"),
                server=visible(consent.server),
                chat=self._title(consent.chat_id),
            )
            self._row(layout, page, words, (tr("Revoke"), partial(consents.revoke, consent)))
        for grant in shown[2]:
            path, chat = short_path(grant.path), self._title(grant.chat_id)
            words = tr("{path} for reading in “{chat}”", path=path, chat=chat)
            if grant.writable:
                words = tr("{path} for reading and writing in “{chat}”", path=path, chat=chat)
            self._row(layout, page, words, (tr("Revoke"), partial(consents.withdraw, grant)))
        layout.addStretch(1)
        old = self._area.takeWidget()
        if old is not None:
            old.deleteLater()
        self._area.setWidget(page)

    def _row(
        self,
        layout: QVBoxLayout,
        page: QWidget,
        words: str,
        *actions: tuple[str, Callable[[], object]],
    ) -> None:
        row = QHBoxLayout()
        row.addWidget(_words(words, page), 1)
        for name, work in actions:
            button = QPushButton(name, page)
            button.setObjectName("link")
            button.setAccessibleName(f"{name}: {words}")
            button.clicked.connect(lambda _=False, w=work: self._do(w))
            row.addWidget(button)
        layout.addLayout(row)

    def _do(self, work: Callable[[], object]) -> None:
        work()
        self._refresh()

    def _show_log(self, name: str) -> None:
        self._log_of = "" if self._log_of == name else name
        self.log.setVisible(bool(self._log_of))
        self.log.clear()

    def _title(self, chat_id: str) -> str:
        chat = self._library.chat(chat_id)
        return (chat.title or tr("New chat")) if chat is not None else tr("a deleted chat")


def _whole(server: ServerConfig) -> str:
    """All that is started or asked, and all that it is given."""
    given = [f"{name}={value}" for name, value in (*server.env, *server.headers)]
    where = [tr("in {folder}", folder=server.cwd)] if server.cwd else []
    return "  ".join([server.shown, *map(visible, [*given, *where])])


def _heading(words: str, parent: QWidget) -> QLabel:
    label = QLabel(words, parent)
    keep_font(label, t.UI_PX + 2, QFont.Weight.DemiBold)
    return label


def _words(words: str, parent: QWidget) -> QLabel:
    label = QLabel(words, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
