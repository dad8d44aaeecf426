"""Enumerate faults by running each scene once, then inject them.

A process runs a part of the list and prints a JSON line per fault. `tests.torture` starts several
processes and restarts a process after a hang or crash.
"""

from __future__ import annotations

import faulthandler
import hashlib
import json
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.bench.random_models import write_model
from tests.engine.families import FAMILIES
from tests.torture.fault_scenes import SCENES
from tests.torture.fault_stage import PATIENCE, STATES, Outcome, Stage
from tests.torture.injection import KINDS, ChildFile, Switch

HANGS = 150.0
"""Seconds without progress until the run is considered hung."""


@dataclass(frozen=True)
class Fault:
    """A fault to inject.

    Attributes:
        call: number of the call that raises.
        state: reply state in which the call must happen; empty for any state.
        child: the function runs in a sandboxed child process.
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
"""Number of calls of each function, by scene and then by state and name."""


def every_fault(called: Called, in_children: dict[str, list[str]], whole: bool) -> list[Fault]:
    """Return the faults in an order in which every part is a fair sample.

    With `whole`, include each function in every reply state, alternating between an ordinary error
    and a panic, and once more in the first other scene that calls it. Functions called outside any
    state get both kinds, at their first call and, in the chat scene, at their third. Without
    `whole`, return one fault per function.
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
    def __init__(self, switch: Switch, child: ChildFile, folder: Path) -> None:
        model = write_model(folder / "model", FAMILIES["plain"])
        self.stage = Stage(switch, child, model, folder / "kv")

    def trace(self) -> tuple[Called, dict[str, list[str]]]:
        """Return the functions called in each scene, in this process and in children."""
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
        stage = self.stage
        outcome = stage.play(SCENES[fault.scene], self._armed(fault))
        if outcome.problems:
            stage.engine.stop(PATIENCE)
            stage.other_children()  # problems of this fault must not affect the next
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
    switch: Switch,
    child: ChildFile,
    whole: bool,
    only: str,
    seconds: float,
    part: str,
    skip: int,
    named: Sequence[str] = (),
) -> None:
    """Inject a part of the faults and print the results to stdout.

    Args:
        part: "K/N" for every N-th fault, starting from the K-th.
        skip: number of faults in this part that have already run.
        named: inject only these, as "scene function kind". The scenes aren't run without a fault.
    """
    began = time.monotonic()
    threading.excepthook = lambda _: None  # threads killed by a fault report it before they end
    first, of = (int(n) for n in part.split("/"))
    with tempfile.TemporaryDirectory() as place:
        faulthandler.dump_traceback_later(HANGS, exit=True)
        play = Play(switch, child, Path(place))
        if named:
            faults = [Fault(*words.split()) for words in named]
        else:
            faults = [f for f in every_fault(*play.trace(), whole) if only in str(f)]
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
