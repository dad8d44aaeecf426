from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot

from app.chats.actions import Action
from app.settings.language import mark, tr
from app.ui.pane.files import PaneFiles
from app.ui.pane.pane import ChatPane
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import NO_CHAT, TAB_MODIFIER, command, pane_command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.notices import DotAnimation
from app.ui.workspace.placement import (
    equalize_panes,
    grow_pane,
    move_pane,
    why_not_grow,
    why_not_move,
)


def _action(
    action: Action, name: str, text: str, *keys: str
) -> Callable[[PaneCommands, ChatPane], object]:
    """Return a command for an action of the active pane's chat."""

    @pane_command(name, text, *keys, why_not=lambda _, pane: pane.chat.why_not(action))
    def act(_: PaneCommands, pane: ChatPane) -> object:
        return pane.act(action)

    return act


def _why_empty(_: PaneCommands, pane: ChatPane) -> str:
    empty = pane.chat.transcript.leaf_id is None
    return tr("This chat is empty.") if empty else ""


def _make_why_not_move(step: int) -> Callable[[PaneCommands, ChatPane], str]:
    return lambda commands, pane: why_not_move(commands.workspace, pane, step)


def _why_not_grow(commands: PaneCommands, pane: ChatPane) -> str:
    return why_not_grow(commands.workspace, pane)


def _float_text(commands: PaneCommands, pane: ChatPane) -> str:
    alone = commands.workspace.is_alone(pane)
    return mark("Move to Main Window") if alone else mark("Move to New Window")


def _maximize_text(commands: PaneCommands, _: ChatPane) -> str:
    return mark("Restore Panes") if commands.workspace.is_maximized else mark("Maximize Pane")


def _why_not_maximize(commands: PaneCommands, pane: ChatPane) -> str:
    workspace = commands.workspace
    can = workspace.is_maximized or workspace.has_neighbors(pane)
    return "" if can else tr("This pane already fills its window")


def _no_other_tab(commands: PaneCommands, pane: ChatPane) -> str:
    alone = len(commands.workspace.tabs_beside(pane)) < 2
    return tr("This pane has no other tab") if alone else ""


def _no_tab_after(commands: PaneCommands, pane: ChatPane) -> str:
    last = commands.workspace.tabs_beside(pane)[-1:] == [pane]
    return tr("There’s no tab to the right") if last else ""


def _tree_text(_: PaneCommands, pane: ChatPane) -> str:
    return mark("Hide Branches") if pane.is_tree_shown else mark("Show Branches")


class PaneCommands(WindowController):
    def __init__(self, parts: WindowParts, chats: ChatCommands, pulse: DotAnimation) -> None:
        super().__init__(parts)
        self.chats = chats
        self.workspace = parts.workspace
        pulse.opacity_changed.connect(self._on_dot_opacity)
        self.workspace.pane_made.connect(self._on_pane_made)

    copy = _action(Action.COPY, "copy_answer", mark("Copy Last Reply"), "Ctrl+Shift+C")
    regenerate = _action(Action.REGENERATE, "regenerate", mark("Regenerate"), "Ctrl+R")
    same_again = _action(
        Action.SAME_AGAIN, "same_again", mark("Regenerate with Same Seed"), "Ctrl+Shift+R"
    )
    edit = _action(Action.EDIT, "edit_last", mark("Edit Last Message"))
    branch = _action(Action.BRANCH, "branch", mark("Branch in New Chat"))
    earlier = _action(Action.EARLIER, "earlier", mark("Previous Version"), "Ctrl+[")
    later = _action(Action.LATER, "later", mark("Next Version"), "Ctrl+]")
    stop = _action(Action.STOP, "stop", mark("Stop Reply"))
    pause = _action(Action.PAUSE, "pause", mark("Pause/Resume Reply"), "Ctrl+Shift+P")

    @pane_command("attach", mark("Attach Files…"), "Ctrl+Shift+A")
    def attach(self, pane: ChatPane) -> None:
        pane.composer.attach.click()

    @pane_command("find", mark("Find in Chat"), "Ctrl+F", why_not=_why_empty)
    def find(self, pane: ChatPane) -> None:
        pane.find_bar.open_bar()

    @pane_command(
        "tree", mark("Show Branches"), "Ctrl+Shift+G", why_not=_why_empty, words=_tree_text
    )
    def toggle_tree(self, pane: ChatPane) -> None:
        pane.show_tree(not pane.is_tree_shown)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        PaneFiles(pane).undo_offered.connect(self._undos.offer_undo)
        pane.compare_branches_requested.connect(self._compare_branches)

    @Slot(object, str, str)
    def _compare_branches(self, pane: ChatPane, first: str, second: str) -> None:
        from app.ui.compare.branch_compare import BranchCompare

        window = BranchCompare(pane.chat, first, second, pane.window())
        window.branch_chosen.connect(pane.tree.branch_chosen)
        window.open()

    @Slot(int)
    def _on_dot_opacity(self, alpha: int) -> None:
        for pane in self.workspace.panes():
            if pane.is_tree_shown:
                pane.tree.set_dot_opacity(alpha)

    @pane_command("float", mark("Move to New Window"), "Ctrl+Alt+O", words=_float_text)
    def float_pane(self, pane: ChatPane) -> None:
        self.workspace.float_pane(pane)

    @pane_command(
        "move_before",
        mark("Move to Previous Pane"),
        "Ctrl+Shift+PgUp",
        why_not=_make_why_not_move(-1),
    )
    def move_before(self, pane: ChatPane) -> None:
        move_pane(self.workspace, pane, -1)

    @pane_command(
        "move_after", mark("Move to Next Pane"), "Ctrl+Shift+PgDown", why_not=_make_why_not_move(1)
    )
    def move_after(self, pane: ChatPane) -> None:
        move_pane(self.workspace, pane, 1)

    @pane_command(
        "larger", mark("Make Pane Larger"), "Ctrl+Alt+=", "Ctrl+Alt++", why_not=_why_not_grow
    )
    def grow(self, pane: ChatPane) -> None:
        grow_pane(self.workspace, pane, 1)

    @pane_command("smaller", mark("Make Pane Smaller"), "Ctrl+Alt+-", why_not=_why_not_grow)
    def shrink(self, pane: ChatPane) -> None:
        grow_pane(self.workspace, pane, -1)

    @pane_command("even_out", mark("Make Panes Equal"), why_not=_why_not_grow)
    def equalize(self, pane: ChatPane) -> None:
        equalize_panes(self.workspace)

    @pane_command(
        "maximise",
        mark("Maximize Pane"),
        "Shift+Esc",
        why_not=_why_not_maximize,
        words=_maximize_text,
    )
    def maximize(self, pane: ChatPane) -> None:
        self.workspace.maximize(pane)

    @pane_command("close_others", mark("Close Other Tabs"), why_not=_no_other_tab)
    def close_others(self, pane: ChatPane) -> None:
        tabs = self.workspace.tabs_beside(pane)
        self.chats.close_several([sibling for sibling in tabs if sibling is not pane])

    @pane_command("close_right", mark("Close Tabs to the Right"), why_not=_no_tab_after)
    def close_right(self, pane: ChatPane) -> None:
        tabs = self.workspace.tabs_beside(pane)
        self.chats.close_several(tabs[tabs.index(pane) + 1 :])

    def _why_no_pane(self) -> str:
        return "" if self.workspace.panes() else tr(NO_CHAT)

    @command("next", mark("Next Chat"), f"{TAB_MODIFIER}+Tab", why_not=_why_no_pane)
    def next_chat(self) -> None:
        self._activate_neighbor(1)

    @command("previous", mark("Previous Chat"), f"{TAB_MODIFIER}+Shift+Tab", why_not=_why_no_pane)
    def previous_chat(self) -> None:
        self._activate_neighbor(-1)

    def _activate_neighbor(self, step: int) -> None:
        panes, active = self.workspace.panes(), self.workspace.active
        at = panes.index(active) if active in panes else -step
        self.workspace.activate(panes[(at + step) % len(panes)])

    @pane_command("composer", mark("Focus Message Field"), "Ctrl+L")
    def to_composer(self, pane: ChatPane) -> None:
        self.workspace.activate(pane)
