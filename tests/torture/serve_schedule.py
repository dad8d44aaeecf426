"""Random schedules of clients whose requests conflict.

A schedule is a list of `Step`s. `serve_race` runs them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

NAMES = ("a", "b", "c", "d", "e")
"""Session names. There are fewer session slots than names."""
TEXTS = ("hello", "what is a stretto", "tell me a story " * 12)


@dataclass(frozen=True)
class Step:
    """An action of a client or of the user.

    Attributes:
        act: "ask", "leave", "see", "fork", "make", "delete", "read", "load", "unload", "gone",
            "revoke", "pause", "stop one", "break", "wait", "end".
        number: index of the request to send, leave or wait for.
        name: session name or "".
        twin: name of the fork.
        model: 0 or 1; -1 to omit it.
        key: index of the client's key.
        text: index into `TEXTS`.
        door: "chat", "responses" or "messages".
        long: use a limit of 100 tokens instead of a few.
        stream: stream the reply.
        several: number of replies requested.
        kv_bits: requested cache precision, which these models refuse. 0 omits it.
        moment: milliseconds to "wait", or how long "see" waits for a first chunk.
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
"""Weights of the actions."""
RARE = {"break": 0.25, "revoke": 0.25, "end": 0.2}
"""Probability that a schedule includes one of these actions."""


def schedule(seed: int, length: int = 30) -> list[Step]:
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
        if act == "ask" and rng.random() < 0.25:  # a duplicate, as from several browser tabs
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
