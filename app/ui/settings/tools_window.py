"""Tool servers with logs, permissions and folders."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.chats.library import ChatLibrary
from app.settings.language import counted, mark, tr
from app.settings.paths import short_path
from app.tools import servers as files
from app.tools.builtin import title_of
from app.tools.connection import ConnectionState, find_program
from app.tools.servers import ParsedServers, ServerConfig
from app.tools.tool import ToolError, to_visible_line
from app.ui.style import tokens as t
from app.ui.style.theme import code_font
from app.ui.widgets.fields import make_code_field, make_text_field
from app.ui.widgets.labels import make_heading, make_label, make_link
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, nest
from app.ui.widgets.menus import make_menu, pop_below
from app.ui.widgets.sheet import Sheet

_COMMAND_EXAMPLE = "npx -y @modelcontextprotocol/server-memory"
_EXAMPLE = '{"mcpServers": {"name": {"command": "npx", "args": []}}}'
_STATES = {
    ConnectionState.OFF: mark("Not started", "a server"),
    ConnectionState.CONNECTING: mark("Starting…", "a server"),
    ConnectionState.READY: mark("Running", "a server"),
    ConnectionState.ENDED: mark("Stopped", "a server"),
}


class AddServerDialog(Sheet):
    """Form for a server that needs only a command or an address."""

    server_added = Signal(object)  # (ServerConfig)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("add-server", tr("Add Server"), parent, spacing=8)
        self.name, self.command = QLineEdit(self), QLineEdit(self)
        self.command.setPlaceholderText(_COMMAND_EXAMPLE)
        for words, field in ((tr("Name"), self.name), (tr("Command or address"), self.command)):
            field.setAccessibleName(words)
            field.textChanged.connect(self._refresh)
            self.add_rows(QLabel(words, self), field)
        self.ok = self.button(tr("Add"), self._on_ok)
        self.add_buttons(self.ok)
        self.set_scaled_width(480)
        self._refresh()

    def _config(self) -> ServerConfig | None:
        name, text = self.name.text().strip(), self.command.text().strip()
        if name and text.startswith(("http://", "https://")):
            return ServerConfig(name, url=text)
        try:
            command, *args = shlex.split(text)
        except ValueError:  # empty, or with an unclosed quote
            return None
        return ServerConfig(name, command, tuple(args)) if name else None

    @Slot()
    def _refresh(self) -> None:
        ready = self._config() is not None
        self.ok.setEnabled(ready)
        self.ok.setToolTip("" if ready else tr("Enter a name, and a command or an address."))

    def _on_ok(self) -> None:
        if (config := self._config()) is not None:
            self.accept()
            self.server_added.emit(config)


class ToolsWindow(Sheet):
    """Editor for the JSON configuration of tool servers, with states, logs and permissions.

    While the user types, a note lists in full what new or changed entries would run. Nothing is
    applied until the user presses Save.
    """

    LOOK_MS = 700
    NOTE = 88  # height in pixels; fixed so that nothing jumps while typing

    def __init__(self, library: ChatLibrary, parent: QWidget) -> None:
        super().__init__("tools-window", tr("Tool Servers"), parent, spacing=10)
        self.resize(680, 660)
        self._library, self._toolbox = library, library.toolbox
        self._found: ParsedServers | None = None  # None while the JSON is invalid
        self._saved = files.to_text(self._toolbox.host.servers)
        self._shown_state: object = None
        self._asking_to_save = False
        self._log_of = ""
        self.text = make_text_field(
            self, tr("Tool servers as JSON"), self._saved, hint=_EXAMPLE, height=190
        )
        self.text.setFont(code_font())
        self.note = self.make_label()
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        area = _scrolling(self)
        area.setWidget(self.note)
        area.setFixedHeight(self.NOTE)
        self.save = self.button(tr("Save"), self._on_save)
        self.save.setDefault(True)
        self.import_ = self.button(tr("Import…"), self._on_import)
        self.add = self.button(tr("Add Server…"), self._on_add)
        buttons = make_row_layout(self.add, self.import_, SPRING, self.save)
        self._area = _scrolling(self)
        self.log = make_code_field(self, tr("Log"), height=140)
        self.log.hide()
        description = tr("MCP servers, in the JSON format that Claude and LM Studio use.")
        self.add_rows(
            make_heading(self, tr("Tool Servers"), t.HEADING_PX),
            self.make_label(description),
            self.text,
            area,
            buttons,
        )
        self.rows.addWidget(self._area, 1)
        self.add_rows(self.log)
        self.text.textChanged.connect(self._on_text)
        self._on_text()
        if self._toolbox.host.problems:
            self.note.setText("\n".join(self._toolbox.host.problems))
        # servers change state on other threads, so poll
        self._looking = QTimer(self, interval=self.LOOK_MS)
        self._looking.timeout.connect(self._refresh)
        self._looking.start()
        self._refresh()

    @property
    def has_unsaved_changes(self) -> bool:
        if self._found is None:
            return self.text.toPlainText() != self._saved
        return self._found.servers != self._toolbox.host.servers

    def reject(self) -> None:
        """Close the window. If there are unsaved changes, first ask what to do with them."""
        if not self.has_unsaved_changes:
            super().reject()
        elif not self._asking_to_save:
            self._asking_to_save = True
            flows.start(self, self._close_without_saving())

    async def _close_without_saving(self) -> None:
        box = QMessageBox(self)
        box.setWindowTitle(tr("Tool Servers"))
        can = self._found is not None
        ask = (
            mark("Save your changes to the tool servers?") if can else mark("Discard your changes?")
        )
        box.setText(tr(ask))
        box.setInformativeText("" if can else self.note.text())
        discard = box.addButton(tr("Discard"), QMessageBox.ButtonRole.DestructiveRole)
        stay = tr("Cancel") if can else tr("Keep Editing")
        keep = box.addButton(stay, QMessageBox.ButtonRole.RejectRole)
        save = box.addButton(tr("Save"), QMessageBox.ButtonRole.AcceptRole) if can else None
        box.setEscapeButton(keep)
        box.setDefaultButton(save or keep)
        try:
            await flows.open_and_wait(box)
            clicked = box.clickedButton()
        finally:
            self._asking_to_save = False
        if clicked is not None and clicked is save:
            self._on_save()
        elif clicked is discard:
            self.text.setPlainText(self._saved)
        else:
            return
        if not self.has_unsaved_changes:  # if saving failed, the note shows the error
            super().reject()

    @Slot()
    def _on_text(self) -> None:
        self._found = None
        try:
            result = files.read_text(self.text.toPlainText())
        except ToolError as error:
            self._show_note(str(error))
            return
        if result.problems:
            self._show_note("\n".join(result.problems))
            return
        self._found = result
        lines = []
        if fresh := self._changed(result):
            lines.append(tr("New or changed. Starts when a chat needs it:"))
            lines += [f"{to_visible_line(entry.name)}: {_full_command(entry)}" for entry in fresh]
        if removed := self._removed(result):
            lines.append(
                tr("Removed: {servers}", servers=", ".join(map(to_visible_line, sorted(removed))))
            )
        self._show_note("\n".join(lines))

    def _changed(self, result: ParsedServers) -> list[ServerConfig]:
        current = {server.name: server for server in self._toolbox.host.servers}
        return [entry for entry in result.servers if current.get(entry.name) != entry]

    def _removed(self, result: ParsedServers) -> set[str]:
        return {old.name for old in self._toolbox.host.servers} - {s.name for s in result.servers}

    @Slot()
    def _on_save(self) -> None:
        result = self._found
        if result is None:
            return
        # The user granted permissions to the old command, not to the new command.
        changed = self._changed(result)
        changed_names = [*self._removed(result), *(entry.name for entry in changed)]
        try:
            self._toolbox.host.set_servers(result.servers)
        except ToolError as error:
            self._show_note(str(error))
            return
        for name in changed_names:
            self._toolbox.consents.forget_server(name)
            self._toolbox.pins.forget(name)
        self._saved = self.text.toPlainText()
        # Disabling this button would move the focus to the next button.
        self.text.setFocus()
        self._show_note(tr("Saved"))
        self._refresh()
        flows.start(self, self._check_programs(changed))

    async def _check_programs(self, saved: list[ServerConfig]) -> None:
        result = self._found
        missing = await flows.run_in_thread(lambda _: _missing_programs(saved))
        if missing and self._found is result:
            self._show_note("\n".join([tr("Saved"), *missing]))

    def _show_note(self, words: str) -> None:
        self.note.setText(words)
        wrong = self._found is None
        self.save.setEnabled(self.has_unsaved_changes and not wrong)
        reason = tr("There is nothing to save.") if not wrong else words
        self.save.setToolTip("" if self.save.isEnabled() else reason)

    @Slot()
    def _on_add(self) -> None:
        dialog = AddServerDialog(self)
        dialog.server_added.connect(self._add_server)
        dialog.open()

    @Slot(object)
    def _add_server(self, config: ServerConfig) -> None:
        try:
            listed = files.read_text(self.text.toPlainText())
        except ToolError as error:
            self._show_note(str(error))
            return
        other_servers = [server for server in listed.servers if server.name != config.name]
        self.text.setPlainText(files.to_text([*other_servers, config]))

    @Slot()
    def _on_import(self) -> None:
        menu = make_menu(self)
        for name, path in files.find_other_apps_files().items():
            menu.addAction(name, partial(self.import_from, path))
        if menu.isEmpty():
            menu.addAction(tr("No other programs with tool servers")).setEnabled(False)
        pop_below(menu, self.import_, 0)

    def import_from(self, path: Path) -> None:
        """Add another app's servers to the text, which the user still has to save."""
        try:
            result = files.read_file(path)
            listed = files.read_text(self.text.toPlainText())
        except ToolError as error:
            self._show_note(str(error))
            return
        names = {server.name for server in listed.servers}
        new_servers = [server for server in result.servers if server.name not in names]
        self.text.setPlainText(files.to_text([*listed.servers, *new_servers]))
        words = counted(
            "%n server added from {place}",
            "%n servers added from {place}",
            len(new_servers),
            place=short_path(path),
        )
        self._show_note("\n".join(filter(None, (words, self.note.text()))))

    @Slot()
    def _refresh(self) -> None:
        host, consents = self._toolbox.host, self._toolbox.consents
        lines = [(s, host.status(s.name)) for s in host.servers]
        contents = (lines, consents.consents(), consents.grants())
        if self._log_of:
            text = host.log(self._log_of) or tr("The log is empty.")
            if text != self.log.toPlainText():
                self.log.setPlainText(text)
        if contents == self._shown_state:
            return
        self._shown_state = contents
        page = QWidget(self)
        layout = make_column_layout(of=page, spacing=None)
        for server, status in lines:
            words = status.words or tr(_STATES[status.state], "a server")
            state = words if server.enabled else tr("Off")
            actions: list[tuple[str, Callable[[], object]]] = [
                (tr("Show Log"), partial(self._show_log, server.name))
            ]
            if status.state in (ConnectionState.CONNECTING, ConnectionState.READY):
                actions.append((tr("Stop"), partial(host.end, server.name)))
            elif server.enabled:
                actions.append((tr("Start"), partial(host.tools, server.name)))
            self._row(layout, page, f"{to_visible_line(server.name)}: {state}", *actions)
        if lines:
            layout.addSpacing(12)
        layout.addWidget(make_heading(page, tr("Always Allowed"), t.HEADING_PX))
        if not contents[1]:
            layout.addWidget(_make_label(tr("None. Stretto asks before each call."), page))
        for consent in contents[1]:
            tool = self._toolbox.tool(f"{consent.server}/{consent.tool}") if consent.tool else None
            name = title_of(tool) if tool is not None else to_visible_line(consent.tool)
            words = tr(
                "{tool} of {server} in “{chat}”",
                tool=name or tr("All tools"),
                server=to_visible_line(consent.server),
                chat=self._title(consent.chat_id),
            )
            self._row(layout, page, words, (tr("Revoke"), partial(consents.revoke, consent)))
        if contents[2]:
            layout.addSpacing(12)
            layout.addWidget(make_heading(page, tr("Folders"), t.HEADING_PX))
        for grant in contents[2]:
            path, chat = short_path(grant.path), self._title(grant.chat_id)
            words = tr("{path}: read-only in “{chat}”", path=path, chat=chat)
            if grant.writable:
                words = tr("{path}: read and write in “{chat}”", path=path, chat=chat)
            self._row(layout, page, words, (tr("Revoke"), partial(consents.withdraw_grant, grant)))
        if any(grant.writable for grant in contents[2]):
            layout.addWidget(
                _make_label(tr("You see each change to a file before it is made."), page)
            )
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
        row = make_row_layout((_make_label(words, page), 1), spacing=None)
        for name, work in actions:
            button = make_link(page, name)
            button.setAccessibleName(f"{name}: {words}")
            button.clicked.connect(lambda _=False, w=work: self._do(w))
            row.addWidget(button)
        nest(layout, row)

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


def _missing_programs(servers: list[ServerConfig]) -> list[str]:
    problems = []
    for server in servers:
        try:
            if server.command and server.enabled:
                find_program(server.command)
        except ToolError as error:
            problems.append(f"{to_visible_line(server.name)}: {error}")
    return problems


def _full_command(server: ServerConfig) -> str:
    values = [f"{name}={value}" for name, value in (*server.env, *server.headers)]
    where = [tr("in {folder}", folder=server.cwd)] if server.cwd else []
    return "  ".join([server.display_text, *map(to_visible_line, [*values, *where])])


def _scrolling(parent: QWidget) -> QScrollArea:
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    return area


def _make_label(words: str, parent: QWidget) -> QLabel:
    label = make_label(parent, words, muted=False)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
