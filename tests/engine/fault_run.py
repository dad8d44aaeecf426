"""The list of all faults, made by playing the scenes once, and their playing."""

from __future__ import annotations

import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.bench.random_models import write_model
from tests.engine.families import FAMILIES
from tests.engine.fault_scenes import SCENES
from tests.engine.fault_stage import PATIENCE, STATES, Outcome, Stage
from tests.engine.injection import KINDS, ChildFile, Switch

MOST_MISSED = 0.1
"""Of the faults may not be reached: what is called when depends on the threads' order."""


@dataclass(frozen=True)
class Fault:
    """A fault to be put in.

    Attributes:
        call: which of the function's calls raises.
        state: of the subject's reply, in which it must be called; empty for any.
        child: the function is a confined child's.
    """

    scene: str
    name: str
    kind: str
    call: int = 1
    state: str = ""
    child: bool = False

    def __str__(self) -> str:
        where = f" while {self.state}" if self.state else ""
        return f"{self.scene} {'child: ' * self.child}{self.name} #{self.call} {self.kind}{where}"


Called = dict[str, dict[tuple[str, str], int]]
"""By scene: how often each function is called, by state and name."""


def every_fault(called: Called, in_children: dict[str, list[str]], whole: bool) -> list[Fault]:
    """All faults, in an order of which every part is a fair choice.

    With `whole`: every function in every state of a reply; in every other scene those that have
    not been in one before, both kinds; and at their third call, too, where chats talk. Else one
    for each function, by turns an ordinary one and a panic.
    """
    made, kinds = list[Fault](), list(KINDS)
    if whole:
        pairs = sorted(key for key in called["states"] if key[0])
        for number, (state, name) in enumerate(pairs):
            kind = kinds[(number + STATES.index(state)) % 2]
            made.append(Fault("states", name, kind, state=state))
    seen = set[str]()
    for scene in [name for name in SCENES if name != "states"]:
        counts = Counter[str]()
        for (_, name), count in called[scene].items():
            counts[name] += count
        for name in sorted(set(counts) - seen):
            seen.add(name)
            calls = (1, 3) if whole and scene == "talk" and counts[name] >= 3 else (1,)
            some = kinds if whole else [kinds[len(seen) % 2]]
            made += [Fault(scene, name, kind, call) for call in calls for kind in some]
    for scene, names in in_children.items():
        for number, name in enumerate(sorted(set(names))):
            some = kinds if whole else [kinds[number % 2]]
            made += [Fault(scene, name, kind, child=True) for kind in some]
    random.Random(1).shuffle(made)
    return made


class Play:
    """All scenes on one stage, and what came of the faults."""

    def __init__(self, switch: Switch, child: ChildFile, folder: Path) -> None:
        model = write_model(folder / "model", FAMILIES["plain"])
        self.stage = Stage(switch, child, model, folder / "kv")
        self.counts: Counter[str] = Counter()
        self.by_place: Counter[str] = Counter()
        self.problems: list[str] = []

    def trace(self) -> tuple[Called, dict[str, list[str]]]:
        """The functions that are called in each scene, here and in children."""
        called: Called = {}
        in_children: dict[str, list[str]] = {}
        for name, scene in SCENES.items():
            children = name in ("check", "start")
            before, at = set(self.stage.child.names), time.monotonic()
            outcome = self.stage.play(scene, lambda noted=children: self._record(noted))
            if outcome.problems:
                raise RuntimeError(f"{name}, without a fault: {outcome.problems}")
            called[name] = dict(self.stage.switch.called)
            told = f"{name}: {len({n for _, n in called[name]})} functions"
            print(f"{told}, {time.monotonic() - at:.1f} s", flush=True)
            in_children[name] = sorted(set(self.stage.child.names) - before)
        return called, in_children

    def _record(self, children: bool) -> None:
        self.stage.switch.record(True)
        if children:
            self.stage.child.set("*")

    def one(self, fault: Fault) -> Outcome:
        """Put one fault in."""
        stage = self.stage
        outcome = stage.play(SCENES[fault.scene], self._armed(fault))
        if outcome.problems:
            stage.engine.stop(PATIENCE)
            stage.fresh()
        self.counts["faults"] += 1
        self.counts["not reached"] += not outcome.fired_in
        self.counts["ended the engine thread"] += outcome.restarted
        self.counts["ended replies"] += bool(outcome.failed)
        self.counts["with problems"] += bool(outcome.problems)
        self.by_place[fault.state or fault.scene] += 1
        if outcome.problems:
            self.problems.append(f"{fault} [{outcome.fired_in}]: {'; '.join(outcome.problems)}")
        return outcome

    def _armed(self, fault: Fault) -> Callable[[], None]:
        stage = self.stage

        def arm() -> None:
            if fault.child:
                stage.child.set(fault.name, fault.kind)
            else:
                kind = KINDS[fault.kind]
                stage.switch.arm(fault.name, fault.call, kind, fault.state or None)

        return arm


def run(
    switch: Switch,
    child: ChildFile,
    whole: bool,
    only: str = "",
    seconds: float = 1e9,
    part: tuple[int, int] = (0, 1),
    each: bool = False,
) -> int:
    """Put in all faults (or each so many-th of them), print what came of them; the exit status."""
    began = time.monotonic()
    threading.excepthook = lambda _: None  # a thread that ends by a fault tells it on its way
    with tempfile.TemporaryDirectory() as place:
        play = Play(switch, child, Path(place))
        called, in_children = play.trace()
        faults = [f for f in every_fault(called, in_children, whole) if only in str(f)]
        functions = len({(f.child, f.name) for f in faults})
        mine = faults[part[0] :: part[1]]
        print(f"{functions} functions, {len(faults)} faults, {len(mine)} of them here", flush=True)
        for fault in mine:
            at = time.monotonic()
            if at - began > seconds:
                play.counts["left out"] += 1
                continue
            outcome = play.one(fault)
            if outcome.problems:
                print(f"  {play.problems[-1]}", flush=True)
            elif each:
                told = f"{outcome.failed} failed" if outcome.fired_in else "not reached"
                told = "engine restarted" if outcome.restarted else told
                took = time.monotonic() - at
                print(f"  {fault} [{outcome.fired_in}] {took:.2f} s: {told}", flush=True)
        play.stage.engine.stop(PATIENCE)
    counts = {**play.counts, "seconds": round(time.monotonic() - began)}
    print(json.dumps({"counts": counts, "by place": dict(play.by_place)}))
    alive = [t.name for t in threading.enumerate() if t.name == "stretto-engine"]
    if alive:
        print("an engine thread is left")
    missed = play.counts["not reached"] > play.counts["faults"] * MOST_MISSED + 5
    if missed:
        print("too many were not reached")
    return 1 if play.problems or alive or missed else 0
