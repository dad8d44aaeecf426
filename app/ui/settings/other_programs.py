"""Settings page for the local API."""

from __future__ import annotations

import shlex
import shutil
import sys
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSystemTrayIcon,
    QWidget,
)

from app import flows
from app.serving import ServerState, Serving
from app.settings.language import counted, mark, percent, tr
from app.settings.paths import resources
from app.settings.settings import Option
from app.ui.dialogs.name_dialogs import NameDialog
from app.ui.settings.form_page import FormPage, Special
from app.ui.settings.use_with import AGENT_NAMES, UseWith
from app.ui.style.figures import bytes_line, date_line
from app.ui.widgets.labels import make_label
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout
from app.ui.widgets.sheet import Sheet


class CachedContextRow(QObject):
    def __init__(self, page: FormPage, serving: Serving) -> None:
        super().__init__(page)
        self._serving = serving
        self._looking = flows.Latest(self)
        self.size = page.make_muted_label("")
        name = tr("Clear the cached context of clients")
        self.clear = page.button(tr("Clear"), lambda: self._looking.start(self._clear()), name)
        on = page.field("serve_keep")
        on.setAccessibleName(tr("Cached context of clients"))
        page.row("serve_keep", make_row_layout(self.size, self.clear, on))
        serving.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        self._looking.start(self._read_size())

    async def _read_size(self) -> None:
        size = await self._serving.stored_bytes()
        self.size.setText(bytes_line(size) if size else "")
        self.clear.setEnabled(bool(size))
        self.clear.setToolTip("" if size else tr("There is nothing to clear."))

    async def _clear(self) -> None:
        await self._serving.delete_conversations()
        await self._read_size()


class ClientShareRow(QObject):
    def __init__(self, page: FormPage, serving: Serving) -> None:
        super().__init__(page)
        self._settings, self._serving = page.settings, serving
        self.program = QComboBox(page)
        self.program.setAccessibleName(tr("Client"))
        self.share = page.number(0, Option(zero=mark("Equal"), within=(0, 99)))
        self.share.setSuffix(percent(1).removeprefix("100"))
        self.share.setAccessibleName(tr("Share per client"))
        page.row("serve_shares", make_row_layout(self.program, self.share))
        self.program.currentIndexChanged.connect(self._show)
        self.share.valueChanged.connect(self._on_share)
        serving.clients_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        current = [client.program for client in self._serving.clients.seen]
        names = list(dict.fromkeys([*AGENT_NAMES.values(), *self._settings.serve_shares, *current]))
        if names != [self.program.itemText(n) for n in range(self.program.count())]:
            program_name = self.program.currentText()
            with QSignalBlocker(self.program):
                self.program.clear()
                self.program.addItems(names)
                self.program.setCurrentIndex(max(0, self.program.findText(program_name)))
            self._show()

    @Slot()
    def _show(self) -> None:
        """Show the selected client's share, limited so that all shares add up to at most 100%."""
        name, shares = self.program.currentText(), self._settings.serve_shares
        other_shares = sum(share for program, share in shares.items() if program != name)
        with QSignalBlocker(self.share):
            self.share.setMaximum(min(99, 100 - other_shares))
            self.share.setValue(shares.get(name, 0))

    @Slot(float)
    def _on_share(self, share: float) -> None:
        name = self.program.currentText()
        other_shares = {n: s for n, s in self._settings.serve_shares.items() if n != name}
        shares = {**other_shares, name: int(share)} if share else other_shares
        self._settings.set(serve_shares=shares)


def add_tray(page: FormPage) -> None:
    has_tray = QSystemTrayIcon.isSystemTrayAvailable()
    tip = "" if has_tray else tr("This desktop has no tray.")
    tray = page.field("tray")
    tray.setEnabled(has_tray or page.settings.tray)  # an enabled setting can be turned off
    tray.setToolTip(tip)
    page.row("tray", tray, tip)
    if sys.platform == "darwin":
        shortcut = tr(
            "For a global shortcut to Quick Question, run this command from the Shortcuts app."
        )
    else:
        shortcut = tr(
            "For a global shortcut to Quick Question, add this command in your system’s keyboard "
            "settings."
        )
    copy = page.button(tr("Copy Command"), lambda: QApplication.clipboard().setText(ask_command()))
    page.row("", copy, shortcut)


def ask_command() -> str:
    if getattr(sys, "frozen", False):
        program = [QCoreApplication.applicationFilePath()]
    elif shutil.which("stretto"):
        program = ["stretto"]
    else:  # the sources, which `make run` doesn't install
        program = ["env", f"PYTHONPATH={resources().parent}", sys.executable, "-m", "app"]
    return shlex.join([*program, "--ask"])


CURL = """\
curl {address}/v1/chat/completions -H "Content-Type: application/json"{header} \\
  -d '{{"messages": [{{"role": "user", "content": "Hello"}}]}}'"""
PYTHON = """\
from openai import OpenAI

client = OpenAI(base_url="{address}/v1", api_key="{key}")
answer = client.chat.completions.create(
    model="{model}", messages=[{{"role": "user", "content": "Hello"}}]
)
print(answer.choices[0].message.content)"""
EDITORS = """\
OPENAI_BASE_URL={address}/v1
OPENAI_API_KEY={key}
ANTHROPIC_BASE_URL={address}
ANTHROPIC_API_KEY={key}"""
PASTES = (
    ("curl", CURL, mark("Copy a terminal command")),
    ("Python", PYTHON, mark("Copy code for OpenAI’s library")),
    (mark("Editors"), EDITORS, mark("Copy environment variables for editors and agents")),
)
YOUR_KEY = "your-key"
ALIASES = "claude-*=Guide, gpt-*=Guide"


class LocalApiRows(QObject):
    def __init__(self, serving: Serving, parent: QObject) -> None:
        super().__init__(parent)
        self._serving = serving
        self._listing = flows.Latest(self)
        self.rows: Special = {
            "serve": self._add_switch,
            "copy_setup": self._add_pastes,
            "agent": self._add_agents,
            "keys": self._add_keys,
            "serve_shares": self._add_shares,
            "serve_aliases": partial(self._add_text, "serve_aliases", ALIASES),
            "serve_keep": self._add_kept,
            "serve_origins": partial(self._add_text, "serve_origins", tr("None", "no web page")),
            "serve_sessions": self._add_sessions,
        }

    def _add_switch(self, page: FormPage) -> None:
        self._page, self._settings = page, page.settings
        page.row("serve", page.field("serve"))
        self.state = page.make_muted_label("")
        self.state.setWordWrap(True)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        page.row("", self.state, below=True)

    def _add_pastes(self, page: FormPage) -> None:
        pastes = make_row_layout()
        self.pastes: dict[str, QPushButton] = {}
        for name, _, description in PASTES:
            accessible_name = tr("Copy for {name}", name=tr(name))
            button = self.pastes[name] = page.button(
                tr(name), partial(self._copy, name), accessible_name
            )
            button.setToolTip(tr(description))
            pastes.addWidget(button)
        page.row("copy_setup", pastes)

    def _add_agents(self, page: FormPage) -> None:
        self.use_with = page.button(
            tr("Open Terminal…"),
            lambda: UseWith(self._serving, self._settings, page.window()).open(),
        )
        names = ", ".join(list(AGENT_NAMES.values())[:3])
        page.row("agent", self.use_with, tr("{names} and others", names=names))
        self._serving.changed.connect(self.show_state)
        self._serving.clients_changed.connect(self.show_state)
        self.show_state()

    def _add_keys(self, page: FormPage) -> None:
        self._keys = make_column_layout()
        page.row("keys", self._keys, below=True)
        self._serving.changed.connect(self.show_keys)
        self.show_keys()

    def _add_shares(self, page: FormPage) -> None:
        self.shares = ClientShareRow(page, self._serving)

    def _add_text(self, name: str, placeholder: str, page: FormPage) -> None:
        field = page.field(name)
        field.setPlaceholderText(placeholder)
        page.row(name, field)

    def _add_kept(self, page: FormPage) -> None:
        self.cached_contexts = CachedContextRow(page, self._serving)

    def _add_sessions(self, page: FormPage) -> None:
        sessions = page.field("serve_sessions")
        sessions.setSpecialValueText(tr("None", "no session"))
        page.row("serve_sessions", sessions)

    @Slot()
    def show_state(self) -> None:
        serving, connections = self._serving, self._serving.clients.connections
        address = f"{serving.address}/v1"
        text = counted(
            "Running at {address}, %n client",
            "Running at {address}, %n clients",
            connections,
            address=address,
        )
        if not connections:
            text = tr("Running at {address}, no clients", address=address)
        words = {
            ServerState.OFF: tr("Stopped", "a server"),
            ServerState.STARTING: tr("Starting…"),
            ServerState.FAILED: serving.why,
            ServerState.OPEN: text,
        }
        self.state.setText(words[serving.door])
        for button in (*self.pastes.values(), self.use_with):
            button.setEnabled(serving.door is ServerState.OPEN)
        tip = "" if serving.door is ServerState.OPEN else tr("Turn on the local API first.")
        self.use_with.setToolTip(tip)

    @Slot()
    def show_keys(self) -> None:
        self._listing.start(self._show_keys())

    async def _show_keys(self) -> None:
        keys, words = [], ""
        try:
            keys = await self._serving.keys()
        except (OSError, ValueError) as error:
            words = tr("The keys can’t be read: {error}.", error=error)
        while (item := self._keys.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if words:
            self._keys.addWidget(self._page.make_muted_label(words))
            return
        for key in keys:
            self._keys.addWidget(self._key_row(key.id, key.name, key.made))
        new = self._page.button(tr("New Key…"), self._on_new)
        self._keys.addWidget(new, 0, Qt.AlignmentFlag.AlignLeft)

    def _key_row(self, key_id: str, name: str, created: float) -> QWidget:
        row = QWidget(self._page)
        line = make_row_layout(of=row, spacing=10)
        label = make_label(row, name, muted=False, wrap=False)
        date = date_line(created, tr("dd MMMM yyyy", "Qt's form of a date"))
        day = self._page.make_muted_label(tr("created {date}", date=date))
        revoke = self._page.button(
            tr("Revoke"), partial(self.revoke, key_id), tr("Revoke the key {name}", name=name)
        )
        revoke.setToolTip(tr("Clients that use it lose access. This can’t be undone."))
        line.addWidget(label)
        line.addWidget(day)
        line.addStretch(1)
        line.addWidget(revoke)
        return row

    @Slot()
    def _on_new(self) -> None:
        dialog = NameDialog(tr("New Key"), tr("Create"), (), self._page.window())
        dialog.name_confirmed.connect(self.make)
        dialog.open()

    def make(self, name: str) -> None:
        flows.start(self, self._make(name))

    async def _make(self, name: str) -> None:
        try:
            key = await self._serving.make_key(name)
        except (OSError, ValueError) as error:
            self.state.setText(tr("The key couldn’t be changed: {error}.", error=error))
        else:
            NewKey(name, key, self._page.window()).open()

    def revoke(self, key_id: str) -> None:
        flows.start(self, self._revoke(key_id))

    async def _revoke(self, key_id: str) -> None:
        try:
            await self._serving.revoke(key_id)
        except (OSError, ValueError) as error:
            self.state.setText(tr("The key couldn’t be changed: {error}.", error=error))

    def _copy(self, name: str) -> None:
        words = next(paste for title, paste, _ in PASTES if title == name)
        guarded = self._settings.serve_others or self._settings.serve_with_key
        header = f' \\\n  -H "Authorization: Bearer {YOUR_KEY}"' if guarded else ""
        filled = words.format(
            address=self._serving.address,
            header=header,
            key=YOUR_KEY if guarded else "none",
            model=next(iter(self._serving.models), ""),
        )
        QApplication.clipboard().setText(filled)
        self.state.setText(
            tr("Copied") if not guarded else tr("Copied. Replace “your-key” with your key.")
        )


class NewKey(Sheet):
    def __init__(self, name: str, key: str, parent: QWidget) -> None:
        super().__init__("new-key", tr("New Key"), parent)
        words = tr("Copy the key for “{name}” now. You won’t see it again.", name=name)
        self.key = QLineEdit(key, self)
        self.key.setReadOnly(True)
        self.key.setAccessibleName(tr("New key"))
        self.key.selectAll()
        self.copy = self.button(tr("Copy"), lambda: QApplication.clipboard().setText(key))
        self.add_rows(self.make_label(words, muted=False), self.key)
        self.add_buttons(self.copy, cancel_text=tr("Close"))
        self.set_scaled_width(480)
        self.fit_height()
