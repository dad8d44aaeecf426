"""Compare the reports of a killed program with its database."""

from __future__ import annotations

import json
import sqlite3
import time
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from app.settings.settings import Settings
from app.store import ChatRecord, Message, Store, StoreError, backups_of

_SETTLE_S = 20.0  # seconds that erasing may take on a busy machine

LOST_MS = 1000
"""Age limit of changes that a kill may lose, in ms."""

Tree = dict[str, Any]


def tree(title: str, deleted: bool, leaf: str | None, messages: Iterable[Message]) -> Tree:
    shape = {
        m.id: [m.parent_id, m.role, m.content if m.role == "user" else ""]
        for m in messages
        if m.deleted_at is None
    }
    return {"title": title, "deleted": deleted, "leaf": leaf, "messages": shape}


@dataclass(frozen=True)
class Found:
    chats: dict[str, ChatRecord] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    trees: dict[str, Tree] = field(default_factory=dict)
    setting: str = ""


@dataclass
class Verdict:
    faults: list[str] = field(default_factory=list)
    lost_ms: float = 0.0
    changes: int = 0


class Ledger:
    def __init__(self, before: Found) -> None:
        self._before = before
        self._trees: dict[str, list[tuple[float, Tree | None]]] = {
            chat: [(0.0, shape)] for chat, shape in before.trees.items()
        }
        self._drafts = {chat.id: [(0.0, chat.draft)] for chat in before.chats.values()}
        self._texts = {m.id: [(0.0, m.content)] for m in before.messages.values()}
        self._statuses = {m.id: [(0.0, m.status)] for m in before.messages.values()}
        self._open: tuple[str, int, set[str]] | None = None
        self.ready = False
        self._changes = 0

        self._erased: set[str] = set()
        self._swept = False
        self._settings: set[str] = set()

    def take(self, line: list[Any]) -> None:
        kind, at, *what = line
        self._changes += kind in {"done", "draft", "text", "status"}
        if kind == "ready":
            self.ready = True
        elif kind == "do":
            self._open = (what[0], what[1], set(what[2]))
        elif kind == "done":
            self._open = None
            self._trees.setdefault(what[0], []).append((at, what[1]))
        elif kind == "erase":
            self._erased.add(what[0])
            self._trees.setdefault(what[0], []).append((at, None))
        elif kind == "sweep":
            self._swept = True
            for chat in self._blank_since_before():
                self._erased.add(chat)
                self._trees[chat].append((at, None))
        elif kind == "setting":
            self._settings.add(what[0])
        elif kind == "draft":
            self._drafts.setdefault(what[0], [(0.0, "")]).append((at, what[1]))
        elif kind == "text":
            self._texts.setdefault(what[0], [(0.0, "")]).append((at, what[1]))
        elif kind == "status":
            self._statuses.setdefault(what[0], []).append((at, what[1]))

    def _blank_since_before(self) -> list[str]:
        """Return chats that an earlier run put into the trash and that contain nothing to restore.

        A sweep erases these immediately: the trash doesn't list them, and messages removed from
        them can only be restored during the run that removed them.
        """
        return [
            chat
            for chat in self._before.trees
            if all(
                state is not None and state["deleted"] and state["leaf"] is None
                for _, state in self._trees[chat]
            )
            and not self._drafts[chat][-1][1].strip()
        ]

    def verdict(self, file: Path, killed: float) -> tuple[Verdict, Found]:
        """Open the file like the program would, and compare.

        ``killed``: time of the kill, in monotonic seconds.
        """
        verdict = Verdict(changes=self._changes)
        try:
            found = read(file)
        except StoreError as error:
            verdict.faults.append(f"does not open: {error.code}")
            return verdict, Found()
        verdict.faults += damage(file) + loose_ends(found) + bad_copies(file)
        gone = self._erased - found.chats.keys()
        verdict.faults += [f"erased chat {each} is in {name}" for each, name in traces(file, gone)]
        verdict.faults += self._settings_faults(file.with_name("settings.json"))
        self._compare_trees(found, killed, verdict)
        for chat, drafts in self._drafts.items():
            if chat in found.chats:
                _compare(drafts, found.chats[chat].draft, f"draft of {chat}", killed, verdict)
        for message, pieces in self._texts.items():
            if message in found.messages:
                content = found.messages[message].content
                _compare_text(pieces, content, message, killed, verdict)
        for message, statuses in self._statuses.items():
            if message in found.messages:
                status = found.messages[message].status
                # The reply may have ended and been saved just before the program could report it.
                ahead = statuses[-1][1] == "interrupted" and status in {"complete", "cancelled"}
                if not ahead:
                    _compare(statuses, status, f"status of {message}", killed, verdict)
        for message in self._before.messages.keys() - found.messages.keys():
            lost = self._before.messages[message]
            if lost.chat_id in self._erased or (self._swept and lost.deleted_at is not None):
                continue
            verdict.faults.append(f"message {message} of an earlier run is gone")
        return verdict, found

    def _settings_faults(self, file: Path) -> list[str]:
        try:
            text = json.loads(file.read_text("utf-8"))["system"]
        except FileNotFoundError:
            return []
        except (ValueError, KeyError, TypeError):
            return ["the settings cannot be read"]
        known = self._settings | {self._before.setting}
        return [] if text in known else [f"the settings say {text!r}, which was never said"]

    def _compare_trees(self, found: Found, killed: float, verdict: Verdict) -> None:
        for chat, told in self._trees.items():
            shape = found.trees.get(chat)
            if shape is not None and self._under_way(chat, told[-1][1], shape):
                continue
            erased = any(state is None for _, state in told)
            if shape is None and told[0][0] > 0 and not erased:
                _lost(verdict, killed - told[0][0], f"chat {chat}")
            else:
                _compare(told, shape, f"tree of {chat}", killed, verdict)
        for chat in found.trees.keys() - self._trees.keys():
            if not self._under_way("", EMPTY, found.trees[chat]) and not self._under_way(
                chat, EMPTY, found.trees[chat]
            ):
                verdict.faults.append(f"chat {chat} is half there")

    def _under_way(self, chat: str, last: Tree | None, shape: Tree) -> bool:
        """Return True if completing the interrupted action turned ``last`` into ``shape``."""
        if self._open is None or self._open[0] != chat or last is None:
            return False
        _, added, gone = self._open
        before, after = last["messages"].keys(), shape["messages"].keys()
        fresh = after - before
        # New messages are added at the end of the shown branch.
        shown = not fresh or shape["leaf"] in fresh
        return len(fresh) == added and before - after == gone and shown


EMPTY = tree("", False, None, ())


def read(file: Path) -> Found:
    with Store.open(file) as store:
        end = time.monotonic() + _SETTLE_S
        while not store.is_settled and time.monotonic() < end:
            time.sleep(0.01)
        chats = {chat.id: chat for chat in store.chats(include_deleted=True)}
        messages = {chat: store.messages(chat) for chat in chats}
    trees = {
        chat.id: tree(chat.title, chat.deleted_at is not None, chat.leaf_id, messages[chat.id])
        for chat in chats.values()
    }
    every = {m.id: m for some in messages.values() for m in some}
    setting = Settings.load(file.with_name("settings.json")).system
    return Found(chats, every, trees, setting)


def bad_copies(file: Path) -> list[str]:
    faults = []
    for backup in backups_of(file):
        with closing(sqlite3.connect(backup.path)) as db:
            if db.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                faults.append(f"backup {backup.path.name} is damaged")
        if backup.path.stat().st_mode & 0o077:
            faults.append(f"backup {backup.path.name} is open to others")
    return faults


def traces(file: Path, ids: Iterable[str]) -> list[tuple[str, str]]:
    wanted = list(ids)
    kept = [f for f in file.parent.rglob("*") if f.is_file()] if wanted else []
    contents = [(f.name, f.read_bytes()) for f in kept]
    return [(i, name) for i in wanted for name, content in contents if i.encode() in content]


def damage(file: Path) -> list[str]:
    faults = []
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        verdict = db.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            faults.append(f"integrity: {verdict}")
        if db.execute("SELECT 1 FROM erased").fetchone() is not None:
            faults.append("what was erased is not gone from everywhere")
        faults += [f"reference: {row}" for row in db.execute("PRAGMA foreign_key_check")]
        for table in ("chats_fts", "messages_fts"):
            try:
                # With rank 1, the check compares the index with the texts, too.
                db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                faults.append(f"search index {table}: {error}")
    return faults


def loose_ends(found: Found) -> list[str]:
    faults = []
    for chat, shape in found.trees.items():
        live: Mapping[str, list[Any]] = shape["messages"]
        if shape["leaf"] is not None and shape["leaf"] not in live:
            faults.append(f"chat {chat} shows message {shape['leaf']}, which is not in it")
        if shape["leaf"] is None and live:
            faults.append(f"chat {chat} has messages and shows none")
        for message, (parent, role, text) in live.items():
            if parent is not None and parent not in live:
                faults.append(f"message {message} follows {parent}, which is not in its chat")
            if role == "assistant" and found.messages[message].status == "streaming":
                faults.append(f"message {message} still streams")
            if role == "user" and text.strip() == found.chats[chat].draft.strip():
                faults.append(f"message {message} is sent and still in the composer")
    return faults


def _compare(
    told: list[tuple[float, Any]], found: Any, what: str, killed: float, verdict: Verdict
) -> None:
    """Record the age of the first change after the found state. An unreported state is a fault."""
    at = next((i for i in reversed(range(len(told))) if told[i][1] == found), None)
    if at is None:
        verdict.faults.append(f"{what} is as it never was: {found!r}, last {told[-1][1]!r}")
    elif at + 1 < len(told):
        _lost(verdict, killed - told[at + 1][0], what)


def _compare_text(
    pieces: list[tuple[float, str]], found: str, message: str, killed: float, verdict: Verdict
) -> None:
    whole = "".join(text for _, text in pieces)
    if not whole.startswith(found):
        verdict.faults.append(f"text of {message} is none that was written")
    elif len(found) < len(whole):
        ends = list(accumulate(len(text) for _, text in pieces))
        first_missing = pieces[bisect_right(ends, len(found))][0]
        _lost(verdict, killed - first_missing, f"text of {message}")


def _lost(verdict: Verdict, seconds: float, what: str) -> None:
    verdict.lost_ms = max(verdict.lost_ms, seconds * 1000)
    if seconds * 1000 > LOST_MS:
        verdict.faults.append(f"{what}: a change {seconds * 1000:,.0f} ms old is lost")
