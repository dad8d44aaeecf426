"""Raise an error in each engine function in each state of a reply, and check all other replies.

The faults are distributed over several processes. This one imports nothing of ours.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.torture import ROOT

MOST_MISSED = 0.1
"""Largest share of faults that may remain unreached, since some calls depend on thread timing."""


class Sum:
    """Running summary of faults, printed as results arrive.

    Args:
        each: print every fault, not only faults with problems.
    """

    def __init__(self, each: bool) -> None:
        self.counts: Counter[str] = Counter()
        self.places: Counter[str] = Counter()
        self.slowest = (0.0, "")
        self._each = each
        self._lock = threading.Lock()
        self._began = time.monotonic()

    def take(self, fault: str, place: str, told: dict[str, Any]) -> None:
        fired, failed, problems = told["fired_in"], told["failed"], told["problems"]
        with self._lock:
            self.counts["faults"] += 1
            self.counts["with problems"] += bool(problems)
            self.counts["not reached"] += not fired
            self.counts["ended replies"] += bool(failed)
            self.counts["ended the engine thread"] += told["restarted"]
            self.places[place] += 1
            self.slowest = max(self.slowest, (told["took"], fault))
        says = f"{failed} replies failed" if fired else "not reached"
        says = "; ".join(problems) or ("engine restarted" if told["restarted"] else says)
        if problems or self._each:
            print(f"  {fault} [{fired}] {told['took']:.2f} s: {says}", flush=True)

    def lost(self, fault: str, why: str) -> None:
        with self._lock:
            self.counts["faults"] += 1
            self.counts["with problems"] += 1
        print(f"  {fault}: {why}", flush=True)

    def close(self) -> int:
        counts, places = self.counts, self.places
        print("faults in each state and scene: ", end="")
        print(", ".join(f"{name} {places[name]}" for name in sorted(places)))
        of = ("with problems", "ended replies", "ended the engine thread", "not reached")
        told = ", ".join(f"{counts[name]} {name}" for name in (*of, "left out"))
        print(f"{counts['faults']} faults in {time.monotonic() - self._began:.0f} s: {told}")
        print(f"the longest took {self.slowest[0]:.1f} s: {self.slowest[1]}")
        missed = counts["not reached"] > counts["faults"] * MOST_MISSED + 5
        return 1 if counts["with problems"] or counts["engines left"] or missed else 0


def run(options: list[str], jobs: int, seconds: float, each: bool) -> int:
    total = Sum(each)
    threads = [
        threading.Thread(target=_part, args=(total, options, f"{k + 1}/{jobs}", seconds))
        for k in range(jobs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return total.close()


def _part(total: Sum, options: list[str], part: str, seconds: float) -> None:
    end, skip = time.monotonic() + seconds, 0
    while True:
        left = max(0.0, end - time.monotonic())
        asked = [*options, "--part", part, "--skip", str(skip), "--seconds", f"{left:.0f}"]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.faults", *asked],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        words: list[str] = []
        errors = threading.Thread(target=lambda p=process, w=words: w.extend(p.stderr), daemon=True)
        errors.start()
        fault, place, ended = "", "", False
        assert process.stdout is not None
        for line in process.stdout:
            told = json.loads(line)
            if "begins" in told:
                fault, place = told["begins"], told["place"]
                skip += 1
            elif "took" in told:
                total.take(fault, place, told)
                fault = ""
            elif "functions" in told and skip == 0 and part.startswith("1/"):
                print(f"{told['functions']} functions, {told['faults']} faults", flush=True)
            elif "left_out" in told:
                total.counts["left out"] += told["left_out"]
            elif "ends" in told:
                ended = True
                total.counts["engines left"] += told["engines_left"]
        status = process.wait()
        errors.join(10.0)
        if ended and not fault:
            return
        why = f"ended the process ({status})\n" + "".join(words[-60:])
        total.lost(fault or "before the first fault", why)
        if not fault:
            return


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture faults", description=__doc__)
    parser.add_argument("--once", action="store_true", help="one fault for each function")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    parser.add_argument("--jobs", type=int, default=2, help="processes that share the faults")
    parser.add_argument("--each", action="store_true", help="print a line for each fault")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--skip", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--inject", action="append", default=[], help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if not chosen.part:
        options = ["--once"] * chosen.once + ["--only", chosen.only]
        return run(options, chosen.jobs, chosen.seconds, chosen.each)
    from tests.torture.injection import for_children, install

    switch = install()  # before anything imports the engine
    logging.disable(logging.CRITICAL)
    from engine.model import backend

    backend.load_openblas()
    from tests.torture import fault_run

    with tempfile.TemporaryDirectory() as folder:
        child = for_children(Path(folder))
        whole, only, seconds = not chosen.once, chosen.only, chosen.seconds
        part, skip = chosen.part, chosen.skip
        fault_run.run(switch, child, whole, only, seconds, part, skip, chosen.inject)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
