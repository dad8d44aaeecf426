"""Random schedules of clients that get in each other's way at a server.

A schedule is a list of `Step`s that can be printed, played again and shrunk: every part of it is a
schedule, too. `serve_race` plays them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

NAMES = ("a", "b", "c", "d", "e")
"""Of sessions. There are fewer places than names."""
TEXTS = ("hello", "what is a stretto", "tell me a story " * 12)


@dataclass(frozen=True)
class Step:
    """Something that a client, or the person at the machine, does.

    Attributes:
        act: "ask", "leave", "see", "fork", "make", "delete", "read", "load", "unload", "gone",
            "revoke", "pause", "stop one", "break", "wait", "end".
        number: of the request that is asked, left or waited for.
        name: of a session, or "".
        twin: the fork's name.
        model: 0 for the first, 1 for the other; -1 names none.
        key: which key the client has.
        text: which of `TEXTS` is asked.
        door: "chat", "responses" or "messages".
        long: the answer ends after a hundred tokens; else after a few.
        stream: the answer comes piece by piece.
        several: how many answers are wanted.
        kv_bits: what the session shall keep; the models cannot, so it is refused. 0 names none.
        moment: in milliseconds, for "wait"; and how long "see" waits for a first piece.
    """

    act: str
    number: int = 0
    name: str = ""
    twin: str = ""
    model: int = -1
    key: int = 0
    text: int = 0
    door: str = "chat"
    long: bool = False
    stream: bool = False
    several: int = 1
    kv_bits: int = 0
    moment: int = 0

    def __repr__(self) -> str:
        """Only what is not as usual."""
        usual = Step(self.act)
        told = [
            f"{name}={value!r}"
            for name, value in vars(self).items()
            if name != "act" and value != getattr(usual, name)
        ]
        return f"Step({', '.join([repr(self.act), *told])})"


USUAL = {
    "ask": 40,
    "leave": 12,
    "see": 10,
    "wait": 8,
    "fork": 8,
    "delete": 7,
    "make": 4,
    "read": 3,
    "load": 2,
    "unload": 4,
    "gone": 1,
    "pause": 2,
    "stop one": 1,
}
"""How often each act comes."""
RARE = {"break": 0.25, "revoke": 0.25, "end": 0.2}
"""Which share of the schedules has one of these."""


def schedule(seed: int, length: int = 30) -> list[Step]:
    """A schedule. The same seed gives the same one."""
    rng = random.Random(seed)
    steps: list[Step] = []
    asked = 0
    for _ in range(length):
        act = rng.choices(list(USUAL), list(USUAL.values()))[0]
        if act in ("leave", "see", "pause", "stop one") and not asked:
            act = "ask"
        step = _step(rng, act, asked)
        asked += act == "ask"
        steps.append(step)
        if act == "ask" and rng.random() < 0.25:  # the same at once, as several tabs may
            for _ in range(rng.randint(1, 3)):
                steps.append(replace(step, number=asked, stream=rng.random() < 0.5))
                asked += 1
    for act, share in RARE.items():
        if rng.random() < share:
            place = len(steps) if act == "end" else rng.randrange(len(steps))
            steps.insert(place, Step(act, key=rng.randrange(2)))
    return steps


def _step(rng: random.Random, act: str, asked: int) -> Step:
    name, key = rng.choice(NAMES), int(rng.random() < 0.2)
    if act == "ask":
        door = rng.choices(["chat", "responses", "messages"], [8, 2, 1])[0]
        return Step(
            act,
            number=asked,
            name="" if rng.random() < 0.25 else name,
            model=rng.choices([-1, 0, 1], [3, 1, 1])[0],
            key=key,
            text=rng.randrange(len(TEXTS)),
            door=door,
            long=rng.random() < 0.4,
            stream=rng.random() < 0.6,
            several=2 if door == "chat" and rng.random() < 0.1 else 1,
            kv_bits=8 if door == "chat" and rng.random() < 0.05 else 0,
        )
    if act in ("leave", "see", "pause", "stop one"):
        late = rng.random() < 0.6
        number = asked - 1 if late else rng.randrange(asked)
        return Step(act, number=number, moment=rng.choice([50, 500]) if act == "see" else 0)
    if act == "wait":
        return Step(act, moment=rng.choice([0, 1, 5, 20, 60]))
    if act in ("load", "unload", "gone"):
        return Step(act, model=int(rng.random() < 0.7), key=key)
    return Step(act, name=name, key=key, twin=rng.choice(NAMES) if act == "fork" else "")


def shrunk(steps: Sequence[Step], fails: Callable[[list[Step]], bool]) -> list[Step]:
    """A part of a schedule that still fails, as short as leaving out steps makes it."""
    kept, size = list(steps), max(1, len(steps) // 2)
    while size:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if fewer and fails(fewer):
                kept = fewer
            else:
                at += size
        size //= 2
    return kept
