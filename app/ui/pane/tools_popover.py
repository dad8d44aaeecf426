from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import CancelledError, Future
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.chats.options import HELPER_BOUNDS, ChatOptions
from app.settings.language import counted, mark, tr
from app.settings.paths import short_path
from app.tools.builtin import HELPERS, describe_tool, title_of
from app.tools.consent import Grant, ToolChanges
from app.tools.servers import ServerConfig
from app.tools.tool import Tool, as_function, to_visible_line
from app.ui.pane import header
from app.ui.style import tokens as t
from app.ui.style.theme import set_scaled_font
from app.ui.widgets.labels import make_heading, make_label, make_link
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, nest
from app.ui.widgets.sheet import Popover
from app.ui.widgets.widget_behavior import WheelGuard
from engine.errors import EngineError

LONGEST = 600  # longest description to show, in characters; the tooltip has the full text


def _change_text(tool: Tool, previous: Tool) -> str:
    description = tool.description[:LONGEST]
    return description if tool.title == previous.title else f"{title_of(tool)}: {description}"


_LIMIT_NAMES = {
    "helper_tokens": mark("Tokens for each helper"),
    "helper_seconds": mark("Seconds for all helpers"),
    "helpers_at_once": mark("Helpers at once"),
}


class ToolsPopover(Popover):
    """Tools, folders and servers, with the prompt tokens they need.

    Changes apply immediately and affect the next message.
    """

    folder_requested = Signal()  # let the user grant access to a folder
    servers_requested = Signal()  # open the list of servers

    def __init__(self, chat: Chat, library: ChatLibrary, parent: QWidget) -> None:
        super().__init__(parent)
        self._chat, self._library = chat, library
        self._toolbox = library.toolbox
        self._changes: dict[str, ToolChanges | str] = {}
        self._usable = True  # False if the chat's model can't call tools
        self.boxes: dict[str, QCheckBox] = {}
        self._focus_targets: dict[str, QWidget] = {}  # by server: widget to focus after a rebuild
        self.cost = QLabel()
        self._count_run = 0
        self._fill()

    def open_at(self, corner: QPoint, room: int = 640) -> None:
        super().open_at(corner, room)
        first = next(iter(self.boxes.values()), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.PopupFocusReason)

    def _fill(self) -> None:
        page = QWidget(self)
        layout = make_column_layout(of=page, margins=(16, 12, 16, 14), spacing=6)
        self.boxes = {}
        layout.addWidget(make_heading(page, tr("Tools")))
        model = self._chat.model.status.model
        self._usable = model is None or bool(model.tool_format)
        if words := header.tools_note(self._chat):
            layout.addWidget(make_label(page, words))
        for tool in self._toolbox.builtin.tools:
            box = self._add_tool(tool, layout, page)
            if tool.key == HELPERS:
                self._add_limits(box, layout, page)
        for words in self._toolbox.builtin.unavailable_messages:
            layout.addWidget(make_label(page, words))
        self._fill_folders(layout, page)
        for config in self._toolbox.host.servers:
            if config.enabled:
                self._fill_server(config, layout, page)
        layout.addSpacing(8)
        self.cost = make_label(page)
        self.cost.hide()
        layout.addWidget(self.cost)
        if self._usable:
            layout.addWidget(make_label(page, self._permission_text()))
        servers = make_link(page, tr("Tool Servers (MCP)…"))
        servers.clicked.connect(self.servers_requested)
        layout.addWidget(servers, 0, Qt.AlignmentFlag.AlignLeft)
        self._area.takeWidget().deleteLater()
        self._area.setWidget(page)
        WheelGuard(page)
        self._fit()
        self._count()

    def _permission_text(self) -> str:
        consents = self._toolbox.consents.consents_of_chat(self._chat.id)
        names = []
        for consent in consents:
            tool = self._toolbox.tool(f"{consent.server}/{consent.tool}") if consent.tool else None
            name = (
                title_of(tool)
                if tool is not None
                else to_visible_line(consent.tool or consent.server)
            )
            names.append(name)
        if not names:
            return tr("Stretto asks before each call.")
        listed = ", ".join(sorted(names))
        return tr(
            "Always allowed in this chat: {tools}. Stretto asks before other calls.", tools=listed
        )

    def _fill_folders(self, layout: QVBoxLayout, page: QWidget) -> None:
        layout.addSpacing(8)
        layout.addWidget(make_heading(page, tr("Folders")))
        for grant in self._toolbox.consents.folders(self._chat.id):
            where = short_path(grant.path)
            if grant.writable:
                where = tr("{folder} · read and write", folder=where)
            else:
                where = tr("{folder} · read-only", folder=where)
            layout.addWidget(make_label(page, where))
            writing = make_link(
                page, tr("Make Read-Only") if grant.writable else tr("Allow Writing")
            )
            writing.clicked.connect(lambda _=False, g=grant: self._set_writable(g))
            away = make_link(page, tr("Remove"))
            away.clicked.connect(lambda _=False, g=grant: self._withdraw(g))
            nest(layout, make_row_layout(writing, away, SPRING))
        add = make_link(page, tr("Add Folder…"))
        add.setToolTip(tr("Tools in this chat can list, search, and read files in it"))
        add.clicked.connect(self.folder_requested)
        layout.addWidget(add, 0, Qt.AlignmentFlag.AlignLeft)

    def _fill_server(self, config: ServerConfig, layout: QVBoxLayout, page: QWidget) -> None:
        layout.addSpacing(8)
        layout.addWidget(make_heading(page, to_visible_line(config.name)))
        changes = self._changes.get(config.name)
        pinned = self._toolbox.pins.tools_of_server(config.name)
        if isinstance(changes, str):
            layout.addWidget(make_label(page, changes))
        if isinstance(changes, ToolChanges) and (changes.new or changes.other):
            self._focus_targets[config.name] = self._fill_change(config.name, changes, layout, page)
        else:
            switches = [self._add_tool(tool, layout, page) for tool in pinned]
            if not switches:
                layout.addWidget(self._switch_of(config.name, page))
            look = make_link(page, tr("Refresh Tools") if pinned else tr("Load Tools"))
            look.setToolTip(config.display_text)
            look.clicked.connect(lambda _=False, name=config.name: self._fetch_tools(name))
            layout.addWidget(look, 0, Qt.AlignmentFlag.AlignLeft)
            self._focus_targets[config.name] = switches[0] if switches else look

    def _fill_change(
        self, server: str, changes: ToolChanges, layout: QVBoxLayout, page: QWidget
    ) -> QPushButton:
        for tool in changes.new:
            tip = f"{title_of(tool)}: {tool.description[:LONGEST]}"
            label = make_label(page, tip)
            label.setToolTip(f"{to_visible_line(tool.name)}\n{tool.description}")
            layout.addWidget(label)
        for before, now in changes.other:
            words = tr(
                "{name} has changed. Before: {before}\nNow: {now}",
                name=title_of(before),
                before=_change_text(before, now),
                now=_change_text(now, before),
            )
            layout.addWidget(make_label(page, words))
        use = QPushButton(tr("Enable Tools"), page)
        use.setToolTip(tr("The model reads these descriptions"))
        tools = [*changes.new, *(now for _, now in changes.other)]
        use.clicked.connect(lambda: self._pin(server, tools))
        layout.addWidget(use, 0, Qt.AlignmentFlag.AlignLeft)
        return use

    def _fill_again(self, server: str) -> None:
        self._fill()
        if server in self._focus_targets:
            self._focus_targets[server].setFocus(Qt.FocusReason.OtherFocusReason)

    def _add_tool(self, tool: Tool, layout: QVBoxLayout, page: QWidget) -> QCheckBox:
        description = describe_tool(tool)
        box = QCheckBox(title_of(tool).replace("&", "&&"), page)
        tip = f"{to_visible_line(tool.name)}\n{tool.description[:LONGEST]}"
        box.setToolTip(tip if self._usable else header.tools_note(self._chat))
        box.setAccessibleDescription(description)
        box.setChecked(tool.key in self._chat.options.tools)
        box.setEnabled(self._usable)
        box.toggled.connect(lambda on, key=tool.key: self._switch(key, on))
        self.boxes[tool.key] = box
        column = make_column_layout(box, spacing=0)
        if description:
            words = make_label(page, description)
            words.setEnabled(self._usable)
            set_scaled_font(words, t.SMALL_PX)
            words.setIndent(0)
            words.setContentsMargins(24, 0, 0, 2)
            column.addWidget(words)
        nest(layout, column)
        return box

    def _add_limits(self, box: QCheckBox, layout: QVBoxLayout, page: QWidget) -> None:
        rows = QWidget(page)
        form = QFormLayout(rows)
        form.setContentsMargins(24, 0, 0, 4)
        for name, words in _LIMIT_NAMES.items():
            field = QSpinBox(rows)
            field.setRange(*HELPER_BOUNDS[name])
            field.setValue(getattr(self._chat.options, name))
            field.setAccessibleName(tr(words))
            field.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
            field.setGroupSeparatorShown(True)
            field.setKeyboardTracking(False)
            field.valueChanged.connect(lambda value, name=name: self._set_limit(name, value))
            label = make_label(rows, tr(words))
            label.setMinimumHeight(field.sizeHint().height())
            form.addRow(label, field)
        layout.addWidget(rows)
        rows.setVisible(box.isChecked())
        box.toggled.connect(rows.setVisible)
        box.toggled.connect(self._fit)

    def _set_limit(self, name: str, value: int) -> None:
        chat = self._chat
        params = {**chat.options.to_params(), name: value}
        chat.set_options(ChatOptions.from_params(params), chat.record.system)

    def _switch_of(self, server: str, page: QWidget) -> QCheckBox:
        box = QCheckBox(tr("Offer resources with @ and prompts with /"), page)
        key = f"{server}/"
        box.setChecked(key in self._chat.options.tools)
        box.toggled.connect(lambda on: self._switch(key, on))
        self.boxes[key] = box
        return box

    def _switch(self, key: str, on: bool) -> None:
        chat = self._chat
        other_keys = [tool_key for tool_key in chat.options.tools if tool_key != key]
        keys = tuple(sorted([*other_keys, key] if on else other_keys))
        chat.set_options(replace(chat.options, tools=keys), chat.record.system)
        self._count()

    def _fetch_tools(self, server: str) -> None:
        self._changes[server] = tr("Connecting…")
        self._fill_again(server)
        flows.start(self, self._receive_tools(server, self._toolbox.host.tools(server)))

    async def _receive_tools(self, server: str, future: Future[list[Tool]]) -> None:
        try:
            tools = await flows.wait_for_future(future)
        except CancelledError:  # app is quitting
            return
        except Exception as error:
            self._changes[server] = str(error)
        else:
            change = self._toolbox.pins.compare(server, tools)
            for tool in change.gone:
                self._toolbox.pins.forget(server, tool.name)
            self._changes[server] = change
        self._fill_again(server)

    def _pin(self, server: str, tools: Iterable[Tool]) -> None:
        self._toolbox.pins.mark_seen(tools)
        self._changes.pop(server, None)
        self._fill_again(server)

    def _set_writable(self, grant: Grant) -> None:
        self._toolbox.consents.grant(grant.chat_id, grant.path, not grant.writable)
        self._chat.tools.refresh_previews()
        self._fill()

    def _withdraw(self, grant: Grant) -> None:
        self._toolbox.consents.withdraw_grant(grant)
        self._chat.tools.refresh_previews()
        self._fill()

    def add_folder(self, folder: Path) -> None:
        self._toolbox.consents.grant(self._chat.id, folder.resolve(), False)
        self._chat.tools.refresh_previews()
        self._fill()

    def _count(self) -> None:
        engine = self._library.loader.engine if self._chat.model.remote is None else None
        model = self._chat.model.status.model
        tools = self._toolbox.enabled_tools(self._chat.options.tools)
        self._count_run += 1  # invalidates counts that are still running
        self.cost.hide()
        if not tools or engine is None or model is None or not model.tool_format:
            return
        try:
            functions = [as_function(name, tool) for name, tool in tools.items()]
            future = engine.count_tools_later(model, functions)
        except (EngineError, ValueError, AttributeError):
            return
        flows.start(self, self._show_cost(self._count_run, future))

    async def _show_cost(self, number: int, future: Future[int]) -> None:
        try:
            tokens = await flows.wait_for_future(future)
        except (EngineError, CancelledError, ValueError):
            return
        if number == self._count_run:
            self.cost.show()
            self.cost.setText(
                counted(
                    "These tools add %Ln token to each prompt.",
                    "These tools add %Ln tokens to each prompt.",
                    tokens,
                )
            )
            self._fit()
