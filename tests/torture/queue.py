"""Queue, steer, edit, remove, stop and kill messages at random; each must be sent once, in order.

A child process uses a chat like its pane does, with the program's own store and engine and a small
random model. It prints each action before and after it, as a line with a JSON list, and is killed
at a random moment. Then the database is compared with the printed actions, and another child
continues. The last child processes the queue until it is empty.

- ["act", kind, message, sent, queued]: an action starts, with the messages sent and queued by then.
  "first" is sent in an idle chat, "enter" is queued.
- ["done", did]: the action has ended; `did` is true if it had an effect. - ["kept"]: all previous
actions are saved.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.bridge import Bridge
from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.chats.turn import Draft, Event, MessageEdit, QueueState
from app.models.loading import ModelLoader
from app.settings.paths import Paths
from app.store import Queued, Store, StoreError
from engine import Engine
from tests.torture.killing import run_child

CHAT = "0" * 32
TOKENS = 48
ACTIONS = ("enter", "steer", "edit", "remove", "undo", "stop", "go on")
WEIGHTS = (12, 5, 5, 3, 1, 3, 6)
SETTLE_S = 120.0  # limit for a busy machine, not a measurement


def key(text: str) -> str:
    """Return the part of a message that stays the same in edits."""
    return text.partition(" ")[0]


class Worker(QObject):
    """Performs random actions in sequence, like a pane."""

    def __init__(self, profile: Path, model: str, seed: int, first: int, actions: int) -> None:
        super().__init__()
        self._dice = random.Random(seed)
        self._next = first
        self._left = actions  # 0: only process the queue
        self._removed: list[tuple[Queued, int]] = []
        self._store = Store.open(Paths.for_profile(profile).chats)
        bridge = Bridge(self)
        loader = ModelLoader(bridge, self)
        self._library = ChatLibrary(self._store, bridge, loader, self)
        self._engine = Engine()
        loader.attach(self._engine)
        self.chat = self._library.open(CHAT, model)
        options = ChatOptions(max_tokens=TOKENS, temperature=1.0, slide=True)
        self.chat.set_options(options, "")
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._act if actions else self._drain)
        self._timer.start(0)

    @Slot()
    def _act(self) -> None:
        chat = self.chat
        (kind,) = self._dice.choices(ACTIONS, WEIGHTS)
        if kind == "steer" and chat.queue.state is QueueState.STEERING:
            kind = "stop"
        if kind == "steer" and not chat.reply.is_active:
            kind = "enter"
        if kind in {"enter", "steer"} and chat.compose == Draft():
            chat.turn.write(f"m{self._next} " + "word " * self._dice.choice((0, 3, 30)))
            self._next += 1
        if kind in {"enter", "steer"} and isinstance(chat.compose, MessageEdit):
            self._do("edited", chat.compose.text, self._enter)
        elif kind == "enter":
            self._do("enter" if chat.turn.is_at_work else "first", chat.compose.text, self._enter)
        elif kind == "steer":
            self._do("steer", chat.compose.text, lambda: chat.turn.handle(Event.STEER))
        elif kind == "stop":
            self._do("stop", "", lambda: chat.turn.handle(Event.STOP))
        # not during an edit, which this would end
        elif kind == "go on" and isinstance(chat.compose, Draft):
            self._do("go on", "", lambda: chat.turn.handle(Event.SEND_QUEUE))
        elif kind == "undo" and self._removed:
            gone, at = self._removed.pop()
            self._do("undo", gone.text, lambda: chat.queue.restore(gone, at) is None)
        elif kind in {"edit", "remove"} and chat.queue.messages:
            queued = self._dice.choice(chat.queue.messages)
            if kind == "edit":
                self._edit(queued)
            else:
                self._do("remove", queued.text, lambda: self._remove(queued))
        self._left -= 1
        if self._dice.random() < 0.3:
            self._store.flush(SETTLE_S)
            tell("kept")
        if self._left:
            self._timer.start(self._dice.choice((0, 0, 2, 10, 40, 150)))

    def _do(self, kind: str, text: str, act: Any) -> None:
        sent = [key(m.content) for m in self.chat.transcript.path if m.role == "user"]
        queued = [key(each.text) for each in self.chat.queue.messages]
        tell("act", kind, text, sent, queued)
        tell("done", bool(act()))

    def _enter(self) -> bool:
        return bool(self.chat.turn.handle(Event.ENTER))

    def _edit(self, queued: Queued) -> None:
        """Edit a message. Sometimes the edit is left open, and Enter ends it later."""
        chat = self.chat
        if chat.compose != Draft():
            return
        tell("act", "open", queued.text, [], [])
        tell("done", chat.turn.edit_queued(queued.id))
        chat.turn.write(f"{queued.text.strip()} e{self._dice.randrange(1000)}")
        if self._dice.random() < 0.7:
            self._do("edited", chat.compose.text, self._enter)

    def _remove(self, queued: Queued) -> bool:
        at = self.chat.queue.messages.index(queued)
        self._removed.append((queued, at))
        self.chat.turn.remove_queued(queued.id)
        return True

    @Slot()
    def _drain(self) -> None:
        chat = self.chat
        if not chat.turn.is_at_work:
            if isinstance(chat.compose, MessageEdit):
                self._do("edited", chat.compose.text, self._enter)
            elif chat.compose != Draft():
                self._do("first", chat.compose.text, self._enter)
            elif chat.queue.messages:
                self._do("go on", "", lambda: chat.turn.handle(Event.SEND_QUEUE))
            else:
                self._store.flush(SETTLE_S)
                tell("kept")
                self._timer.stop()
                QCoreApplication.quit()
                return
        self._timer.start(5)

    def close(self) -> None:
        self._library.cancel_for_close()
        self._engine.stop()
        self._library.close()
        self._store.close()


def tell(*said: object) -> None:
    print(json.dumps(said), flush=True)


def work(arguments: list[str]) -> NoReturn:
    profile, model, seed, first, actions = arguments
    qt = QCoreApplication([])
    worker = Worker(Path(profile), model, int(seed), int(first), int(actions))
    qt.exec()
    worker.close()
    sys.stdout.flush()
    os._exit(0)  # like a kill: skip the event loop's cleanup


@dataclass
class Said:
    """State of the chat in the database.

    Attributes:
        path, queue: texts of sent and queued messages, in order.
        draft: text in the composer.
        problems: violated invariants.
    """

    path: list[str] = field(default_factory=list)
    queue: list[str] = field(default_factory=list)
    draft: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def texts(self) -> dict[str, str]:
        return {key(text): text for text in (*self.path, *self.queue)}

    @property
    def keys(self) -> set[str]:
        return {*self.texts, *([key(self.draft)] if self.draft else [])}


def read(file: Path) -> Said:
    found = Said()
    if not file.exists():
        return found
    try:
        store = Store.open(file)
    except StoreError as error:
        return Said(problems=[f"the file does not open: {error.code}"])
    with store:
        chat = store.chat(CHAT)
        if chat is None:
            return found
        messages, path = store.messages(CHAT), store.path(CHAT)
        found.path = [m.content for m in path if m.role == "user"]
        found.queue = [each.text for each in chat.queued]
        found.draft = chat.draft
    if len(path) != len(messages):
        found.problems.append(f"{len(messages)} messages, of which {len(path)} are on the path")
    if [m.role for m in path] != ["user", "assistant"] * (len(path) // 2):
        found.problems.append("a message has not one answer")
    if any(m.status == "streaming" for m in path):
        found.problems.append("a reply is still being given")
    once = Counter(map(key, (*found.path, *found.queue, *([chat.draft] if chat.draft else []))))
    found.problems += [f"{each} is there {n} times" for each, n in once.items() if n > 1]
    return found


@dataclass
class Referee:
    before: Said = field(default_factory=Said)
    orders: dict[str, tuple[str, list[str], list[str]]] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)

    def faults(self, lines: Sequence[list[Any]], now: Said) -> list[str]:
        must = self.before.keys
        may = set(must)
        texts = {each: [text] for each, text in self.before.texts.items()}
        least = dict.fromkeys(texts, 0)
        acts = list(_acts(lines))
        for kind, text, sent, queued, did, kept in acts:
            each = key(text)
            self.done[kind] += did is True
            if kind in {"enter", "first", "steer", "undo"} and did is not False:
                may.add(each)
                must |= {each} if kept else set()
                texts.setdefault(each, []).append(text)
                if kind == "undo":
                    self.orders.pop(each, None)  # the position in the queue is no longer known
                else:
                    self.orders[each] = kind, sent, queued
            elif kind == "edited" and did is not False:
                texts.setdefault(each, []).append(text)
                if kept and each in must:
                    least[each] = len(texts[each]) - 1
            elif kind == "remove" and did is not False:
                must.discard(each)
                may -= {each} if kept else set()
        faults = [*now.problems]
        faults += [f"{each} is lost" for each in sorted(must - now.keys)]
        faults += [f"{each} is there again" for each in sorted(now.keys - may)]
        for each, text in now.texts.items():
            known = [t.strip() for t in texts.get(each, [text])][least.get(each, 0) :]
            if text.strip() not in known:
                faults.append(f"{each} reads {text!r}, not one of {known!r}")
        gone = set(map(key, self.before.path)) - set(map(key, now.path))
        faults += [f"{each} was sent and is not any more" for each in sorted(gone)]
        faults += self._order(now)
        self.before = now
        return faults

    def _order(self, now: Said) -> Iterator[str]:
        place = {each: n for n, each in enumerate(map(key, (*now.path, *now.queue)))}
        for each, (kind, sent, queued) in self.orders.items():
            if each not in place:
                continue
            front = [*sent, *(queued if kind == "enter" else [])]
            back = [] if kind == "enter" else queued
            for other in front:
                if other in self.orders and place.get(other, -1) > place[each]:
                    yield f"{each} comes before {other}"
            for other in back:
                if other in self.orders and place.get(other, len(place)) < place[each]:
                    yield f"{each} comes after {other}"


def _acts(lines: Sequence[list[Any]]) -> Iterator[tuple[str, str, list[str], list[str], Any, bool]]:
    """Yield each action with its success (None: cut off by the kill) and whether it is saved."""
    last = max((n for n, line in enumerate(lines) if line[0] == "kept"), default=-1)
    for n, line in enumerate(lines):
        if line[0] == "act":
            did = lines[n + 1][1] if n + 1 < len(lines) and lines[n + 1][0] == "done" else None
            yield (*line[1:], did, n < last)


@dataclass
class Report:
    kills: int = 0
    said: int = 0
    done: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def measure(actions: int, seed: int) -> Report:
    """Run random actions in children that are killed, then send the remaining queue."""
    from engine.bench.random_models import SHAPES, write_model

    dice, report, referee = random.Random(seed), Report(), Referee()
    with tempfile.TemporaryDirectory(prefix="stretto-queue-") as folder:
        profile, file = Path(folder), Paths.for_profile(Path(folder)).chats
        model = str(write_model(profile / "tiny", SHAPES["tiny"]))
        first, left = 1, actions
        while left > 0:
            count = min(left, dice.randint(3, 14))
            lines = _killed(profile, model, seed * 1000 + report.kills, first, count, dice)
            report.kills += 1
            left -= sum(line[0] == "act" for line in lines)
            first += len(lines)  # numbers of actions must be unique
            report.faults += [
                f"kill {report.kills}: {f}" for f in referee.faults(lines, read(file))
            ]
        settle_s = SETTLE_S + 2 * len(read(file).queue)  # the last child sends all of the queue
        lines = _child(profile, model, seed, first, 0, lambda process: process.wait(settle_s))
        now = read(file)
        report.faults += [f"at the end: {fault}" for fault in referee.faults(lines, now)]
        if now.queue or now.draft:
            report.faults.append(f"not said: {now.queue!r}, {now.draft!r}")
        report.said, report.done = len(now.path), referee.done
    return report


def _killed(
    profile: Path, model: str, seed: int, first: int, count: int, dice: random.Random
) -> list[list[Any]]:
    acted = threading.Semaphore(0)
    early = dice.random() < 0.05

    def wait(_: object) -> None:
        for _ in range(1 if early else count):
            if not acted.acquire(timeout=SETTLE_S):
                raise TimeoutError("The program that is to be killed does nothing.")
        time.sleep(dice.choice((0.0, 0.01, 0.1, 0.5)) * dice.random())

    return _child(profile, model, seed, first, 10**9, wait, acted.release)


def _child(
    profile: Path,
    model: str,
    seed: int,
    first: int,
    actions: int,
    wait: Any,
    on_done: Any = lambda: None,
) -> list[list[Any]]:
    asked = ["--child", str(profile), model, str(seed), str(first), str(actions)]
    lines: list[list[Any]] = []

    def on_line(line: list[Any]) -> None:
        lines.append(line)
        if line[0] == "done":
            on_done()

    run_child("tests.torture.queue", asked, on_line, wait)
    return lines


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--child"]:
        work(arguments[1:])
    parser = argparse.ArgumentParser(prog="tests.torture queue", description=__doc__)
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    report = measure(chosen.actions, chosen.seed)
    for fault in report.faults:
        print(fault)
    done = ", ".join(f"{n} {kind}" for kind, n in sorted(report.done.items()))
    print(f"{report.kills} kills; {done}; {report.said} messages said: {len(report.faults)} faults")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
