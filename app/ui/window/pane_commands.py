"""What the keys and menus do with the active pane, and with its place among the others."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.ui.pane.pane import ChatPane
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import NO_CHAT, TAB_MODIFIER, Where, command
from app.ui.window.pane_placement import grow_pane, move_pane
from app.ui.window.workspace import Workspace

RUNNING = "The reply is still running. Stop it first."


def _running(_: PaneCommands, pane: ChatPane) -> str:
    return "" if pane.controller.answering else "No reply is running"


def _answered(_: PaneCommands, pane: ChatPane) -> str:
    last = pane.controller.transcript.last("assistant")
    return "" if last is not None else "There is no answer yet"


def _asked_and_still(_: PaneCommands, pane: ChatPane) -> str:
    if pane.controller.answering:
        return RUNNING
    return "" if pane.controller.transcript.last("user") is not None else "Nothing was asked yet"


def _answered_and_still(commands: PaneCommands, pane: ChatPane) -> str:
    return RUNNING if pane.controller.answering else _answered(commands, pane)


def _several_versions(_: PaneCommands, pane: ChatPane) -> str:
    if pane.controller.answering:
        return RUNNING
    transcript = pane.controller.transcript
    several = any(len(transcript.alternatives(m.id)) > 1 for m in transcript.path)
    return "" if several else "There is no other version"


def _compared(commands: PaneCommands, pane: ChatPane) -> str:
    return "" if commands.chats.comparisons.has(pane) else "This chat is not being compared"


class PaneCommands(QObject):
    """The commands that are for one pane, or that go from pane to pane."""

    def __init__(self, chats: ChatCommands, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.chats = chats
        self._workspace = workspace

    # What was said in it.

    @command("copy_answer", "Copy Last Answer", "Ctrl+Shift+C", where=Where.PANE, why_not=_answered)
    def copy_answer(self, pane: ChatPane) -> None:
        pane.copy_last()

    @command("regenerate", "Answer Again", "Ctrl+R", where=Where.PANE, why_not=_asked_and_still)
    def answer_again(self, pane: ChatPane) -> None:
        pane.controller.regenerate()

    @command(
        "same_again", "Same Again", "Ctrl+Shift+R", where=Where.PANE, why_not=_answered_and_still
    )
    def same_again(self, pane: ChatPane) -> None:
        pane.same_again()

    @command("edit_last", "Edit Last Message", where=Where.PANE, why_not=_asked_and_still)
    def edit_last(self, pane: ChatPane) -> None:
        pane.edit_last()

    @command("earlier", "Earlier Version", "Ctrl+[", where=Where.PANE, why_not=_several_versions)
    def earlier(self, pane: ChatPane) -> None:
        pane.controller.show_other_version(-1)

    @command("later", "Later Version", "Ctrl+]", where=Where.PANE, why_not=_several_versions)
    def later(self, pane: ChatPane) -> None:
        pane.controller.show_other_version(1)

    @command("stop", "Stop the Reply", where=Where.PANE, why_not=_running)
    def stop(self, pane: ChatPane) -> None:
        pane.controller.stop()

    @command("pause", "Pause or Resume the Reply", "Ctrl+Shift+P", where=Where.PANE)
    def pause(self, pane: ChatPane) -> None:
        self.chats.pause(pane)

    @command("find", "Find in This Chat", "Ctrl+F", where=Where.PANE)
    def find(self, pane: ChatPane) -> None:
        pane.find_bar.open_bar()

    # Where it is.

    @command("float", "Move to Its Own Window", "Ctrl+Alt+O", where=Where.PANE)
    def float_pane(self, pane: ChatPane) -> None:
        self._workspace.float_pane(pane)

    @command("move_before", "Move to the Pane Before", "Ctrl+Shift+PgUp", where=Where.PANE)
    def move_before(self, pane: ChatPane) -> None:
        move_pane(self._workspace, pane, -1)

    @command("move_after", "Move to the Pane After", "Ctrl+Shift+PgDown", where=Where.PANE)
    def move_after(self, pane: ChatPane) -> None:
        move_pane(self._workspace, pane, 1)

    @command("larger", "Larger Pane", "Ctrl+Alt+=", "Ctrl+Alt++", where=Where.PANE)
    def larger(self, pane: ChatPane) -> None:
        grow_pane(self._workspace, pane, 1)

    @command("smaller", "Smaller Pane", "Ctrl+Alt+-", where=Where.PANE)
    def smaller(self, pane: ChatPane) -> None:
        grow_pane(self._workspace, pane, -1)

    @command(
        "keep",
        "Keep This One of the Compared",
        "Ctrl+Alt+K",
        where=Where.PANE,
        why_not=_compared,
    )
    def keep(self, pane: ChatPane) -> None:
        self.chats.comparisons.keep(pane)

    # From pane to pane.

    def _any(self) -> str:
        return "" if self._workspace.panes() else NO_CHAT

    @command("next", "Next Chat", f"{TAB_MODIFIER}+Tab", why_not=_any)
    def next_chat(self) -> None:
        self._go(1)

    @command("previous", "Previous Chat", f"{TAB_MODIFIER}+Shift+Tab", why_not=_any)
    def previous_chat(self) -> None:
        self._go(-1)

    def _go(self, step: int) -> None:
        """Give the keys to the next pane (+1) or the previous one (-1)."""
        panes, active = self._workspace.panes(), self._workspace.active
        at = panes.index(active) if active in panes else -step
        self._workspace.activate(panes[(at + step) % len(panes)])

    @command("composer", "Go to the Message Field", "Ctrl+L", where=Where.PANE)
    def to_composer(self, pane: ChatPane) -> None:
        self._workspace.activate(pane)
