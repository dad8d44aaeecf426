"""Checks that the screen, the store and the engine agree after any user action."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins
from PySide6.QtWidgets import QApplication

from app.chats.actions import Action
from app.chats.answer import Phase
from app.chats.chat import Chat
from app.chats.reply_generator import ReplyGenerator
from app.chats.tool_call import CallState
from app.chats.turn import MessageEdit, Stage
from app.models.loading import LoadState
from app.program.application import Application
from app.settings.language import tr
from app.store import Message
from app.ui.pane.pane import ChatPane
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import MOST_LAID_OUT, truncate_text
from app.ui.transcript.user_row import UserRow
from app.ui.window.main_window import MainWindow
from app.ui.workspace.docks import Docks
from tests.app.fake_engine import FakeEngine

KEPT = ("title", "model", "system", "params", "draft", "edited_id", "edited_text", "updated_at")
KEPT += ("folder_id", "pinned_at", "archived_at", "tags", "titled_by", "group_id", "variant")
KEPT += ("draft_attachments", "edited_attachments", "queued")
"""Fields of a chat's record that are in the store as soon as they are on screen."""


def disagreements(app: Application) -> Iterator[str]:
    window = app.window
    assert window is not None
    yield from sidebar(app, window)
    yield from in_use(app)
    ids = [pane.chat.id for pane in window.workspace.panes()]
    if len(ids) != len(set(ids)):
        yield "one chat stands in two panes"
    for pane in window.workspace.panes():
        for problem in on_screen(app, window, pane):
            yield f"{problem} (in the pane of {pane.chat.title!r})"
    active = window.workspace.active
    # No pane is active in a main window whose panes all float in windows of their own.
    here = [p for p in window.workspace.panes() if not window.workspace.is_alone(p)]
    if (active is None and here) or (active is not None and not ids):
        yield f"{len(ids)} panes are open and the active one is {active}"
    yield from bounds(app, window)
    if isinstance(app.engine, FakeEngine):
        yield from engine(app, app.engine)


def sidebar(app: Application, window: MainWindow) -> Iterator[str]:
    chats = app.store.chats()
    model = window.sidebar.model
    rows = list(map(model.row, map(model.index, range(model.rowCount()))))
    listed = [(row.chat_id, row.text) for row in rows if row.chat_id]
    known = {chat.id: chat.display_title for chat in chats}
    if not model.query:
        wanted = list(_in_order(chats, app.store.folders.list_all(), model.unfolded))
        folders = [(row.folder_id, row.text) for row in rows if row.kind == "folder"]
        for folder in app.store.folders.list_all():
            shown = folder.parent_id is None or folder.parent_id in model.unfolded
            if ((folder.id, folder.name) in folders) != shown:
                yield f"the folder {folder.name!r} is listed: {not shown}"
        if listed != wanted:
            yield f"the sidebar lists {_short(listed)}, the store {_short(wanted)}"
    elif not model.is_searching:
        for chat_id, title in listed:
            if known.get(chat_id) != title:
                yield f"the search lists {title!r}, which the store has as {known.get(chat_id)!r}"
    if {chat.id for chat in app.library.chats()} != set(known):
        yield "the library has other chats than the store"


def _in_order(chats: list, folders: list, unfolded: set[str]) -> Iterator[tuple[str, str]]:
    ids = {folder.id for folder in folders}
    above = {folder.id: folder.parent_id for folder in folders}

    def place(chat: Any) -> tuple[int, Any]:
        if chat.archived_at is not None:
            return 3, 0
        if chat.pinned_at is not None:
            return 0, (chat.pinned_at, chat.id)
        return (1, 0) if chat.folder_id in ids else (2, 0)

    placed = [(place(chat), chat) for chat in chats]
    pinned = sorted((p for p in placed if p[0][0] == 0), key=lambda p: p[0][1])
    yield from _listed([chat for _, chat in pinned], "pinned", unfolded)
    for top in [f for f in folders if f.parent_id is None]:
        inner = [f for f in folders if f.parent_id == top.id]
        for folder in [*inner, top]:
            if folder.id in unfolded and (above[folder.id] or top.id) in unfolded:
                here = [c for where, c in placed if where[0] == 1 and c.folder_id == folder.id]
                yield from _listed(here, folder.id, unfolded)
    for section, shown, name in ((2, True, ""), (3, "archive" in unfolded, "archive")):
        if shown:
            here = [chat for where, chat in placed if where[0] == section]
            yield from _listed(here, name, unfolded)


def _listed(chats: list, place: str, unfolded: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the chats of one place. An unfolded group is listed at its first chat."""
    told: set[str] = set()
    for chat in chats:
        members = [c for c in chats if c.group_id == chat.group_id is not None]
        if len(members) < 2:
            yield chat.id, chat.display_title
        elif chat.group_id not in told:
            told.add(chat.group_id)
            if f"group {chat.group_id} {place}" in unfolded:
                for each in sorted(members, key=lambda c: (c.created_at, c.id)):
                    yield each.id, each.variant or each.display_title


def in_use(app: Application) -> Iterator[str]:
    for chat in list(app.library._in_use.values()):
        stored = app.store.chat(chat.id)
        if stored is None:
            if chat.is_stored and chat.id not in app.store.trash.erased:
                yield f"{chat.title!r} is not in the store"
            continue
        for name in KEPT:
            here, there = getattr(chat.record, name), getattr(stored, name)
            if _json(here) != _json(there):
                yield f"{name} of {chat.title!r} is {here!r} in memory, {there!r} in the store"
        if chat.transcript.leaf_id != stored.leaf_id:
            yield f"{chat.title!r} shows another branch than the store has"
        there = {m.id: m for m in app.store.messages(chat.id) if m.deleted_at is None}
        here = chat.transcript._messages
        if here.keys() != there.keys():
            yield f"{chat.title!r} has {len(here)} messages in memory, {len(there)} in the store"
            continue
        for message_id, kept in there.items():
            if problem := _differs(chat, here[message_id], kept):
                yield f"{problem} (in {chat.title!r})"
        yield from _one_reply(chat)


def _one_reply(chat: Chat) -> Iterator[str]:
    streaming = [m.id for m in chat.transcript._messages.values() if m.status == "streaming"]
    panel: list[str | None] = [
        i for i, lane in chat.panel_runner.generators.items() if lane.stage is not Stage.IDLE
    ]
    calls = [key for key, call in chat.tools.calls.items() if call.state is not CallState.OVER]
    wanted = panel or calls or ([chat.reply.message_id] if chat.reply.is_active else [])
    if sorted(streaming) != sorted(map(str, wanted)):
        yield f"{chat.title!r} is answering {wanted}, and streaming are {streaming}"


def _differs(chat: Chat, here: Message, there: Message) -> str:
    if here.status == "streaming" and there.status == "streaming":
        shown = chat.reply.message(here.id)
        fits = shown.content.startswith(there.content)
        return "" if fits else "the store has other text of a reply than the screen"
    for name in ("role", "parent_id", "content", "reasoning", "status", "error", "model", "stats"):
        if _json(getattr(here, name)) != _json(getattr(there, name)):
            return f"{name} of a message: {getattr(here, name)!r} and {getattr(there, name)!r}"
    return ""


def on_screen(app: Application, window: MainWindow, pane: ChatPane) -> Iterator[str]:
    chat = pane.chat
    if app.library.find(chat.id) is not chat:
        yield "the pane's chat is not the one in use"
    if app.library.is_deleted(chat.id):
        yield "the pane shows a deleted chat"
    path = [message.id for message in chat.transcript.path]
    if [message.id for message in app.store.path(chat.id)] != path:
        yield "the branch in memory is not the store's"
    transcript = pane.transcript
    if [place.message_id for place in transcript.places] != path:
        yield "the transcript does not show the chosen branch"
    shown = pane.pages.currentWidget()
    over = (pane.is_tree_shown or pane.is_comparison_shown) and bool(path)
    if not over and shown is not (pane.transcript if path else pane.empty):
        yield "the wrong page is shown"
    if pane.is_comparison_shown:
        yield from _panel(chat, pane)
    if pane.isVisible():
        for place in transcript.places:
            if place.row is not None:
                yield from _row(chat, place.row)
    yield from _composer(chat, pane)
    yield from _header(window, chat, pane)


def _panel(chat: Chat, pane: ChatPane) -> Iterator[str]:
    shown = [column.message_id for column in pane.comparison.columns]
    if shown != [message.id for message in chat.panel_runner.columns(pane.comparison.about)]:
        yield "the panel shows other columns than the chat has"
        return
    for column in pane.comparison.columns:
        yield from _row(chat, column.row)


def _row(chat: Chat, row: Any) -> Iterator[str]:
    message = chat.reply.message(row.message.id)
    if isinstance(row, UserRow):
        laid_out = truncate_text(message.content, MOST_LAID_OUT)
        if row._has_rest:
            laid_out = laid_out[: len(row._laid_out)]
        if row._document.toPlainText() != _plain(laid_out):
            yield f"a question reads {row._document.toPlainText()!r}, not {message.content!r}"
    if isinstance(row, AnswerRow):
        # Streamed text is always shown completely, but a new row may show a truncated text.
        if row.text not in (message.content, truncate_text(message.content, MOST_LAID_OUT, "\n\n")):
            yield f"an answer reads {row.text!r}, not {message.content!r}"
        if row.is_streaming != (message.status == "streaming"):
            yield "an answer seems to stream, or not to"
    versions = chat.transcript.alternatives(message.id)
    # a column has the other versions next to it
    apart = isinstance(row, AnswerRow) and row._in_column
    if not apart and row._alternative != (versions.index(message.id) + 1, len(versions)):
        yield f"a message says it is version {row._alternative} of {len(versions)}"
    for button, action in row._buttons.items():
        why = chat.why_not(action, message.id)
        if button.isEnabled() == bool(why):
            yield f"the button for {action.name} is enabled: {button.isEnabled()}; {why}"
        elif why and button.toolTip() != why:
            yield f"the button for {action.name} says {button.toolTip()!r}, not {why!r}"


def _plain(text: str) -> str:
    """Return the text as Qt keeps it, with every line ending as a line break."""
    for end in ("\r\n", "\r", "\u2028", "\u2029", "\ufdd0", "\ufdd1"):
        text = text.replace(end, "\n")
    return text.replace("\xa0", " ")


def _composer(chat: Chat, pane: ChatPane) -> Iterator[str]:
    composer, compose = pane.composer, chat.compose
    if composer.text != _plain(compose.text):
        yield f"the composer holds {composer.text[:80]!r}, the chat {compose.text[:80]!r}"
    if composer.editing != isinstance(compose, MessageEdit):
        yield f"the composer is editing: {composer.editing}, the chat: {compose}"
    if composer.button.stops != chat.reply.is_active:
        yield f"the round button stops: {composer.button.stops}, answering: {chat.reply.is_active}"
    why = chat.why_not(Action.STOP if chat.reply.is_active else Action.SEND)
    if composer.button.isEnabled() == bool(why):
        yield f"the round button is enabled: {composer.button.isEnabled()}, refused: {why}"


def _header(window: MainWindow, chat: Chat, pane: ChatPane) -> Iterator[str]:
    status = chat.model.status
    if pane.header.model_button.text() != status.name:
        yield f"the header names {pane.header.model_button.text()!r}, not {status.name!r}"
    words = {LoadState.READY: ("Ready",), LoadState.FAILED: ("Not loaded",)}
    words[LoadState.LOADING] = ("", "Loading…")
    words[LoadState.UNLOADED] = ("Unloaded", "Unloaded, loads when you send")
    shown = [tr(each) if each else "" for each in words.get(status.state, ("",))]
    if chat.reply.phase is Phase.IDLE and pane.header.state not in shown:
        yield f"the header says {pane.header.state!r} of a model that is {status.state}"
    dock = window.workspace.dock(chat.id)
    if dock.windowTitle() != chat.title.replace("&", "&&"):
        yield f"the tab is called {dock.windowTitle()!r}"
    if pane.active != (window.workspace.active is pane):
        yield "the ring of a composer is not where the focus is"
    if pane.composer.tinted != (window.broadcast.on and pane in window.broadcast.group):
        yield "a composer is tinted and will not receive, or the other way round"


def engine(app: Application, running: FakeEngine) -> Iterator[str]:
    yield from running.wrongs
    asked, used = {}, set(app.library._in_use)
    for chat in app.library._in_use.values():
        lanes = [*chat.panel_runner.generators.values(), *helpers(chat)]
        used |= {lane.session._chat_id for lane in lanes}
        for session, each in [
            (chat.id, chat._generator),
            *((lane.session._chat_id, lane) for lane in lanes),
        ]:
            if each.stage in {Stage.RUNNING, Stage.STOPPING, Stage.PAUSED}:
                asked[session] = each.stage is Stage.PAUSED
            elif each.stage is Stage.LOADING:
                state = app.loader.get(each.model).state
                if state is not LoadState.LOADING:
                    yield f"{chat.title!r} waits for a model that is {state}"
    for status in app.loader.known_statuses():
        loads = status.state is LoadState.LOADING
        if loads and not any(each.path.endswith(status.ref) for each in running.pending):
            yield f"{status.name} is loading in the window only"
    replies = {reply.session.id: reply for reply in running.running()}
    at_work = {key: reply.paused for key, reply in replies.items() if not reply.session.closed}
    for key, reply in replies.items():
        # replies of closed sessions end once the engine handles the close
        if reply.session.closed:
            asked.pop(key, None)
    if at_work != asked:
        yield f"the engine answers {at_work}, the window shows {asked}"
    idle = {s.id for s in running.sessions.values() if not s.closed} - used
    if idle:
        yield f"sessions of chats that are not in use are left: {idle}"


def helpers(chat: Chat) -> list[ReplyGenerator]:
    return [
        each for group in chat.helper_runner._groups.values() for each in group.generators.values()
    ]


def bounds(app: Application, window: MainWindow) -> Iterator[str]:
    docks = window.workspace._docks
    closed = [dock for dock in docks.all_docks() if dock.closed]
    if len(closed) > Docks.KEPT_CLOSED:
        yield f"{len(closed)} closed panes are kept"
    held = {dock.pane.chat.id for dock in docks.all_docks()}
    for chat in app.library._in_use.values():
        if chat.id not in held and not chat.reply.is_active:
            yield f"{chat.title!r} is in use, in no pane and not answering"
    running = app.library.replying_chats()
    answering = sum((len(c.panel_runner.running) or 1) + len(helpers(c)) for c in running)
    loading = sum(m.state is LoadState.LOADING for m in app.loader.known_statuses())
    channels = len(app.bridge._handlers) - answering - loading
    if channels > CHANNELS:
        yield f"{channels} channels are open at the bridge"
    windows = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
    if len(windows) > len(held) + 12:
        yield f"{len(windows)} windows are open"


CHANNELS = 8
"""Channels of the store, the search, the score and errors."""


def _json(value: object) -> object:
    return json.loads(json.dumps(value, default=to_builtins))


def _short(rows: list[tuple[str, str]]) -> str:
    return str([f"{chat_id[-4:]} {title[:24]}" for chat_id, title in rows])
