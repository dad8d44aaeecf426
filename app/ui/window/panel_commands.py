"""Commands for panels."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot

from app.chats import panel
from app.chats.actions import Action
from app.chats.panel import Member
from app.chats.turn import Writing
from app.settings.language import mark, tr
from app.ui.pane.pane import ChatPane
from app.ui.window.commands import pane_command
from app.ui.window.compare_commands import tally
from app.ui.window.context import WindowController, WindowParts

_BEGINNING = 120


def _cannot_ask(_: PanelCommands, pane: ChatPane) -> str:
    chat = pane.chat
    has_text = isinstance(chat.compose, Writing) and chat.compose.text.strip()
    return chat.refusal(Action.SEND if has_text else Action.PANEL) or ""


def _cannot_show(_: PanelCommands, pane: ChatPane) -> str:
    return "" if pane.unfolded else pane.chat.refusal(Action.UNFOLD) or ""


def _cannot_make(kind: str) -> Callable[[PanelCommands, ChatPane], str]:
    def why(commands: PanelCommands, pane: ChatPane) -> str:
        shown = pane.panel.shown if pane.unfolded else pane.chat.transcript.leaf_id or ""
        return _cannot_show(commands, pane) or pane.chat.why_not(kind, shown)

    return why


class PanelCommands(WindowController):
    """Commands for asking a panel and acting on its replies."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        self._workspace.pane_made.connect(self._on_pane_made)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.panel_asked.connect(self._open)
        pane.column_kept.connect(self._keep)
        pane.made.connect(self._make)

    @pane_command("panel", mark("Ask a Panel…"), "Ctrl+Shift+E", why_not=_cannot_ask)
    def choose(self, pane: ChatPane) -> None:
        """Open the panel dialog for the draft or, if there's none, for the last message."""
        self._open(pane, "")

    @pane_command("panel_again", mark("Ask Same Panel Again"), "Ctrl+Alt+E", why_not=_cannot_ask)
    def again(self, pane: ChatPane) -> None:
        """Ask the same panel as last time, skipping the dialog."""
        from app.ui.compare.panel_dialog import members_of

        self._ask(pane, members_of(self._settings), "")

    @pane_command("panel_show", mark("Show/Hide Panel"), "Ctrl+Alt+U", why_not=_cannot_show)
    def show(self, pane: ChatPane) -> None:
        pane.fold() if pane.unfolded else pane.unfold("")

    @pane_command("panel_judge", mark("Judge Panel"), why_not=_cannot_make(panel.JUDGE))
    def judge(self, pane: ChatPane) -> None:
        self._make(pane, panel.JUDGE)

    @pane_command("panel_merge", mark("Merge Panel"), why_not=_cannot_make(panel.MERGE))
    def merge(self, pane: ChatPane) -> None:
        self._make(pane, panel.MERGE)

    @pane_command("panel_vote", mark("Count Panel Votes"), why_not=_cannot_make(panel.VOTE))
    def vote(self, pane: ChatPane) -> None:
        self._make(pane, panel.VOTE)

    @Slot(object, str)
    def _open(self, pane: ChatPane, message_id: str) -> None:
        from app.ui.compare.panel_dialog import PanelDialog

        chat = pane.chat
        text = chat.compose.text if isinstance(chat.compose, Writing) and not message_id else ""
        leaf = message_id or chat.transcript.leaf_id
        if not text.strip() and leaf is not None:
            question = panel.question(chat.transcript, leaf)
            text = question.content if question is not None else ""
        names = self._model_names(chat.record.model)
        about = " ".join(text[: 2 * _BEGINNING].split())
        about = about if len(about) <= _BEGINNING else about[:_BEGINNING] + "…"
        dialog = PanelDialog(self._settings, names, about, self._window)
        dialog.accepted.connect(lambda: self._ask(pane, dialog.chosen(), message_id))
        dialog.open()

    def _ask(self, pane: ChatPane, members: list[Member], message_id: str) -> None:
        if first := pane.chat.ask_panel(members, message_id):
            pane.unfold(first)

    @Slot(object, str)
    def _make(self, pane: ChatPane, kind: str) -> None:
        shown = pane.panel.shown if pane.unfolded else pane.chat.transcript.leaf_id or ""
        if why := pane.chat.why_not(kind, shown):
            self._undos.say(why)
        elif pane.chat.resolve(kind, shown):
            pane.fold()

    @Slot(object, str)
    def _keep(self, pane: ChatPane, message_id: str) -> None:
        """Continue with a reply. If the models differ, also show how often each was kept."""
        chat = pane.chat
        columns = {m.id: m for m in chat.panel.columns(message_id)}
        if not chat.panel.keep(message_id):
            return
        pane.fold()
        kept = columns[message_id]
        refs = [str(m.stats.get("model") or "") for m in columns.values()]
        words = tally(self._settings, str(kept.stats.get("model") or ""), refs, kept.model)
        name = panel.name_of(kept) or kept.model
        self._undos.offer(
            words or tr("{name} kept", name=name), lambda: self._unfold(chat.id, message_id)
        )

    def _unfold(self, chat_id: str, message_id: str) -> None:
        """Show a panel again, in a new pane if the chat's pane has been closed."""
        if self._library.chat(chat_id) is None:  # the chat has been deleted
            return
        if not self._workspace.reopen(chat_id):
            self._workspace.show_chat(self._library.open(chat_id, ""))
        if (pane := self._workspace.pane(chat_id)) is not None:
            pane.unfold(message_id)
