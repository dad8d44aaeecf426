"""Commands that compare replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Slot

from app.chats import panel
from app.chats.actions import Action
from app.chats.chat import Chat
from app.chats.panel import Member
from app.chats.turn import Draft
from app.settings.language import mark, tr
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from app.store import Message
from app.ui.pane.comparison_view import ComparisonRequest
from app.ui.pane.pane import ChatPane
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import pane_command
from app.ui.window.context import WindowController, WindowParts

_BEGINNING = 120


def _cannot_ask(_: CompareCommands, pane: ChatPane) -> str:
    return pane.chat.comparison.why_not_ask()


def _cannot_see_four(_: CompareCommands, pane: ChatPane) -> str:
    return "" if pane.chat.is_blank else pane.chat.comparison.why_not_ask()


def _cannot_show(_: CompareCommands, pane: ChatPane) -> str:
    return "" if pane.is_comparison_shown else pane.chat.why_not(Action.SHOW_COMPARISON)


def _cannot_keep(_: CompareCommands, pane: ChatPane) -> str:
    focused = pane.is_comparison_shown and pane.comparison.current
    return "" if focused else tr("Go to one of the columns first.")


def _cannot_make(kind: str) -> Callable[[CompareCommands, ChatPane], str]:
    return lambda commands, pane: (
        _cannot_show(commands, pane) or pane.chat.comparison.why_not(kind, _shown(pane))
    )


def _cannot_open(commands: CompareCommands, pane: ChatPane) -> str:
    return _cannot_show(commands, pane) or next(
        filter(None, (pane.chat.why_not(Action.BRANCH, m.id) for m in _columns(pane))), ""
    )


def _shown(pane: ChatPane) -> str:
    """Return the ID of a message in the visible comparison, or else of the chat's last message."""
    return (
        pane.comparison.first_message_id
        if pane.is_comparison_shown
        else pane.chat.transcript.leaf_id or ""
    )


def _columns(pane: ChatPane) -> Sequence[Message]:
    return pane.chat.panel_runner.columns(_shown(pane))


class CompareCommands(WindowController):
    """Commands on comparisons, and requests of a pane's columns.

    `ComparisonController` asks members and generates answers from their replies. `PanelRunner` runs
    the columns.
    """

    def __init__(self, parts: WindowParts, chats: ChatCommands) -> None:
        super().__init__(parts)
        self._chats = chats
        self._workspace.pane_made.connect(self._on_pane_made)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.composer.compare.clicked.connect(partial(self._compare_here, pane))
        pane.four_replies_requested.connect(partial(self._ask_four, pane))
        pane.comparison_requested.connect(self._on_requested)

    @Slot(object, object, str)
    def _on_requested(self, pane: ChatPane, request: ComparisonRequest, message_id: str) -> None:
        """Handle a request. Only ASK and KEEP use the message. The others are about all columns."""
        if request is ComparisonRequest.ASK:
            self._open(pane, message_id)
        elif request is ComparisonRequest.KEEP:
            self._keep(pane, message_id)
        elif request is ComparisonRequest.OPEN_AS_CHATS:
            self.open_as_chats(pane)
        else:
            self._make(pane, request.value)

    def _compare_here(self, pane: ChatPane) -> None:
        self._workspace.activate(pane)
        if reason := pane.chat.comparison.why_not_ask():
            self._toast.show_text(reason)
        else:
            self._open(pane, "")

    def _ask_four(self, pane: ChatPane, ref: str, text: str) -> None:
        """Compare four replies to the composer's message or, if it's empty, to ``text``."""
        if pane.chat.compose == Draft():
            pane.chat.model.set(ref)
            pane.chat.turn.set_compose(Draft(text))
        members = panel.members_by_letter(4)
        stored = [member.to_json() for member in members]
        self._settings.set(panels={**self._settings.panels, "": stored}, panel="")
        self._ask(pane, members, "")

    @pane_command("compare", mark("Compare…"), "Ctrl+Alt+C", "Ctrl+Shift+E", why_not=_cannot_ask)
    def compare(self, pane: ChatPane) -> None:
        self._open(pane, "")

    @pane_command("four", mark("See Four Replies"), why_not=_cannot_see_four)
    def see_four(self, pane: ChatPane) -> None:
        if pane.chat.is_blank:
            pane.empty.ask_four()
        else:
            self._ask_four(pane, pane.chat.record.model, "")

    @pane_command(
        "panel_again", mark("Compare with Same Members"), "Ctrl+Alt+E", why_not=_cannot_ask
    )
    def compare_again(self, pane: ChatPane) -> None:
        from app.ui.compare.compare_dialog import members_of

        self._ask(pane, members_of(self._settings), "")

    @pane_command("panel_show", mark("Show/Hide Comparison"), "Ctrl+Alt+U", why_not=_cannot_show)
    def show(self, pane: ChatPane) -> None:
        if pane.is_comparison_shown:
            pane.hide_comparison()
        else:
            pane.show_comparison("")

    @pane_command("keep", mark("Keep This Reply"), "Ctrl+Alt+K", why_not=_cannot_keep)
    def keep(self, pane: ChatPane) -> None:
        self._keep(pane, pane.comparison.current)

    @pane_command("tie_scrolling", mark("Scroll Compared Replies Together"), why_not=_cannot_show)
    def tie_scrolling(self, pane: ChatPane) -> None:
        if not pane.is_comparison_shown:
            pane.show_comparison("")
        pane.comparison.sync.toggle()

    @pane_command("open_as_chats", mark("Open as Chats"), why_not=_cannot_open)
    def open_as_chats(self, pane: ChatPane) -> None:
        if reason := _cannot_open(self, pane):
            self._toast.show_text(reason)
            return
        columns = _columns(pane)
        chats_made = [self._branch(pane.chat, column).id for column in columns]
        chats = dict(zip(chats_made, panel.titles(columns), strict=True))
        self._library.order.group(chats)
        self._chats.open_together(list(chats))

    def _branch(self, chat: Chat, column: Message) -> Chat:
        """Return a new chat that continues from a column, with the settings of its member."""
        branch, member = (
            self._library.branch(chat, column.id),
            Member.from_json(panel.data_of(column)),
        )
        branch.model.set(member.model or chat.record.model)
        options = panel.options_of_column(column, chat.options)
        options = replace(options, tools=chat.options.tools)
        branch.set_options(options, "\n\n".join(filter(None, (chat.record.system, member.system))))
        return branch

    @pane_command("panel_judge", mark("Judge Compared Replies"), why_not=_cannot_make(panel.JUDGE))
    def judge(self, pane: ChatPane) -> None:
        self._make(pane, panel.JUDGE)

    @pane_command("panel_merge", mark("Merge Compared Replies"), why_not=_cannot_make(panel.MERGE))
    def merge(self, pane: ChatPane) -> None:
        self._make(pane, panel.MERGE)

    @pane_command(
        "panel_vote", mark("Count Votes of Compared Replies"), why_not=_cannot_make(panel.VOTE)
    )
    def vote(self, pane: ChatPane) -> None:
        self._make(pane, panel.VOTE)

    def _open(self, pane: ChatPane, message_id: str) -> None:
        from app.ui.compare.compare_dialog import CompareDialog

        chat = pane.chat
        text = chat.compose.text if isinstance(chat.compose, Draft) and not message_id else ""
        leaf = message_id or chat.transcript.leaf_id
        if not text.strip() and leaf is not None:
            question = panel.question(chat.transcript, leaf)
            text = question.content if question is not None else ""
        names = self._model_names(chat.record.model)
        names.setdefault(GUIDE, self._library.loader.get(GUIDE).name)
        excerpt = " ".join(text[: 2 * _BEGINNING].split())
        excerpt = excerpt if len(excerpt) <= _BEGINNING else excerpt[:_BEGINNING] + "…"
        dialog = CompareDialog(self._settings, names, excerpt, self._window)
        dialog.get_model_requested.connect(partial(self._run, "get_model"))
        dialog.accepted.connect(lambda: self._ask(pane, dialog.members_to_ask(), message_id))
        dialog.open()

    def _ask(self, pane: ChatPane, members: list[Member], message_id: str) -> None:
        if reason := pane.chat.comparison.why_not_ask(message_id):
            self._toast.show_text(reason)
        else:
            pane.show_comparison(pane.chat.comparison.ask(members, message_id))

    def _make(self, pane: ChatPane, kind: str) -> None:
        if reason := pane.chat.comparison.why_not(kind, _shown(pane)):
            self._toast.show_text(reason)
        elif pane.chat.comparison.resolve(kind, _shown(pane)):
            pane.hide_comparison()

    def _keep(self, pane: ChatPane, message_id: str) -> None:
        """Continue with a reply, and show which member wrote it or how often its model was kept."""
        chat = pane.chat
        columns = {m.id: m for m in chat.panel_runner.columns(message_id)}
        hidden = chat.message_to_display(message_id).model
        if not chat.panel_runner.keep_column(message_id):
            return
        pane.hide_comparison()
        column = columns[message_id]
        # The stats only have the model once the reply has ended.
        refs = {
            m.id: str(m.stats.get("model") or panel.data_of(m).get("model") or chat.record.model)
            for m in columns.values()
        }
        name = panel.name_of(column) or column.model
        words = count_kept(self._settings, refs[message_id], list(refs.values()), column.model)
        words = words or tr("{name} kept", name=name)
        if hidden != column.model:
            reveal = tr("{reply} was {what}", "Reply A was Seed 1", reply=hidden, what=name)
            words = f"{reveal}. {words}"
        # To undo this, the user keeps another column.
        show = partial(self._show_comparison, chat.id, message_id)
        self._undos.offer_undo(words, show, label=tr("Show Comparison"))

    def _show_comparison(self, chat_id: str, message_id: str) -> None:
        """Show a comparison again, in a new pane if the chat's pane has been closed."""
        if self._library.chat(chat_id) is None:
            return
        if not self._workspace.reopen(chat_id):
            self._workspace.show_chat(self._library.open(chat_id, ""))
        if (pane := self._workspace.pane(chat_id)) is not None:
            pane.show_comparison(message_id)


def count_kept(settings: Settings, model: str, compared: Sequence[str], name: str) -> str:
    """Count a comparison in which a reply of ``model`` was kept, and return a sentence about it.

    Returns "" for the model's first comparison, or if there was only one model.
    """
    if len(set(compared)) < 2:
        return ""
    kept_counts = {ref: list(counts) for ref, counts in settings.kept.items()}
    for ref in set(compared):
        wins, times = kept_counts.get(ref, [0, 0])
        kept_counts[ref] = [wins + (ref == model), times + 1]
    settings.set(kept=kept_counts)
    wins, times = kept_counts[model]
    words = mark("{name} kept, {kept} of {times} times so far")
    return tr(words, name=name, kept=wins, times=times) if times > 1 else ""
