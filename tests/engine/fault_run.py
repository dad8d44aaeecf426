"""The list of all faults, made by playing the scenes once, and their playing.

A process plays a part of them and tells of each in a line of JSON; `tests.torture` has several do
so, and begins a new one where a fault has made one hang or crash.
"""

from __future__ import annotations

import faulthandler
import hashlib
import json
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

HANGS = 150.0
"""Seconds after which a fault has made everything hang."""


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

    With `whole`: every function in every state of a reply, by turns an ordinary fault and a panic;
    in the first other scene that calls it once more; and both kinds of those that are called in no
    state, at their first call and where chats talk at their third. Else one for each function.
    """
    made, kinds = list[Fault](), list(KINDS)
    if whole:
        pairs = sorted(key for key in called["states"] if key[0])
        for number, (state, name) in enumerate(pairs):
            kind = kinds[(number + STATES.index(state)) % 2]
            made.append(Fault("states", name, kind, state=state))
    seen, in_states = set[str](), {name for state, name in called["states"] if state}
    for scene in [name for name in SCENES if name != "states"]:
        counts = Counter[str]()
        for (_, name), count in called[scene].items():
            counts[name] += count
        for name in sorted(set(counts) - seen):
            seen.add(name)
            rare = whole and name not in in_states
            calls = (1, 3) if rare and scene == "talk" and counts[name] >= 3 else (1,)
            some = kinds if rare else [kinds[len(seen) % 2]]
            made += [Fault(scene, name, kind, call) for call in calls for kind in some]
    for scene, names in in_children.items():
        for number, name in enumerate(sorted(set(names))):
            some = kinds if whole else [kinds[number % 2]]
            made += [Fault(scene, name, kind, child=True) for kind in some]
    return sorted(made, key=lambda fault: hashlib.sha256(str(fault).encode()).digest())


class Play:
    """All scenes on one stage."""

    def __init__(self, switch: Switch, child: ChildFile, folder: Path) -> None:
        model = write_model(folder / "model", FAMILIES["plain"])
        self.stage = Stage(switch, child, model, folder / "kv")

    def trace(self) -> tuple[Called, dict[str, list[str]]]:
        """The functions that are called in each scene, here and in children."""
        called: Called = {}
        in_children: dict[str, list[str]] = {}
        for name, scene in SCENES.items():
            faulthandler.dump_traceback_later(HANGS, exit=True)
            children = name in ("check", "start")
            before = set(self.stage.child.names)
            outcome = self.stage.play(scene, lambda noted=children: self._record(noted))
            if outcome.problems:
                raise RuntimeError(f"{name}, without a fault: {outcome.problems}")
            called[name] = dict(self.stage.switch.called)
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
            stage.other_children()  # what has gone wrong is no fault of the next
            stage.fresh()
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
    switch: Switch, child: ChildFile, whole: bool, only: str, seconds: float, part: str, skip: int
) -> None:
    """Put in a part of all faults, and tell of each on the standard output.

    Args:
        part: "K/N": each N-th fault, from the K-th on.
        skip: so many of them have been put in.
    """
    began = time.monotonic()
    threading.excepthook = lambda _: None  # a thread that ends by a fault tells it on its way
    first, of = (int(n) for n in part.split("/"))
    with tempfile.TemporaryDirectory() as place:
        faulthandler.dump_traceback_later(HANGS, exit=True)
        play = Play(switch, child, Path(place))
        called, in_children = play.trace()
        faults = [f for f in every_fault(called, in_children, whole) if only in str(f)]
        functions = len({(f.child, f.name) for f in faults})
        mine = faults[first - 1 :: of][skip:]
        tell(functions=functions, faults=len(faults), mine=len(mine))
        for number, fault in enumerate(mine):
            at = time.monotonic()
            if at - began > seconds:
                tell(left_out=len(mine) - number)
                break
            tell(begins=str(fault), place=fault.state or fault.scene)
            faulthandler.dump_traceback_later(HANGS, exit=True)
            outcome = play.one(fault)
            took = round(time.monotonic() - at, 2)
            tell(**vars(outcome), took=took)
        faulthandler.dump_traceback_later(HANGS, exit=True)
        play.stage.engine.stop(PATIENCE)
    alive = [t.name for t in threading.enumerate() if t.name == "stretto-engine"]
    tell(ends=True, engines_left=len(alive))


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)
