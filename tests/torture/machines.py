"""A model on machines whose links slow down, break and recover: `tests.torture machines`.

Each machine, including this one, is a network namespace, the others with an `sshd`, so that the
real machine is not changed and packets are lost as between real machines. During replies a link is
slowed (`tc`), cut for a moment, or cut until all replies have ended. Every reply ends once, with
the tokens of a single machine or with a message. No process remains behind a cut link, and the next
reply after recovery is correct.

It needs root, `ip`, `tc` and `sshd` (Debian: iproute2, openssh-server), and reports what is
missing.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.bench.alone import END
from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.cluster import machines
from engine.cluster.hosts import LOCAL, Host, HostError
from engine.cluster.processes import ORPHAN_TIMEOUT_S
from engine.engine import Engine
from engine.errors import EngineError
from engine.messages import Failed, Finished, TextDelta
from engine.model.info import Model
from engine.params import SamplingParams
from engine.reply import Reply
from tests.torture import ROOT

KINDS = ("slow", "flap", "cut", "refuse", "sshd")
NUMBERS = {"a": 2, "b": 3}
SLOW = "1mbit"
WITHIN = 12.0
"""Seconds until every reply must have ended after a cut: about five on an idle machine, more on a
busy machine.
"""
GONE = ORPHAN_TIMEOUT_S + 15.0
"""Seconds until the processes on a disconnected machine must have ended on their own."""
PROMPTS = ("Count the stars.", "la " * 40, "Tell me of the sea and of the wind.")
INSIDE = "--inside"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture machines", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="(20)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="(all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(INSIDE, dest="inside", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    if chosen.inside:
        return _rounds(chosen, Path(chosen.inside))
    if why := _cannot():
        print(f"skipped: {why}")
        return 0
    with tempfile.TemporaryDirectory(prefix="stretto-machines-") as name, _machines(Path(name)):
        asked = [sys.executable, "-m", "tests.torture", "machines", *arguments, INSIDE, name]
        path = f"{name}{os.pathsep}{os.environ['PATH']}"
        return subprocess.call(
            ["ip", "netns", "exec", _named("local"), *asked],
            cwd=ROOT,
            env={**os.environ, "PATH": path},
        )


def _cannot() -> str:
    """Return why this machine cannot simulate several, or ""."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "several machines on one are network namespaces of Linux, which only root can make."
    missing = [
        program for program in ("ip", "tc", "ssh", "ssh-keygen") if not shutil.which(program)
    ]
    missing += [] if _sshd() else ["sshd"]
    if missing:
        return f"{' and '.join(missing)} are missing (Debian: iproute2, openssh-server)."
    adding = ["ip", "netns", "add", _named("tried")]
    tried = subprocess.run(adding, capture_output=True, text=True, check=False)
    if tried.returncode:
        return f"network namespaces cannot be had here: {tried.stderr.strip()}"
    _ip("netns", "del", _named("tried"))
    return ""


def _sshd() -> str:
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""


def _named(name: str) -> str:
    """Return a namespace unique to this run, with the process id of the parent process."""
    return f"stretto-{os.environ.setdefault('STRETTO_MACHINES', str(os.getpid()))}-{name}"


def _address(name: str, end: int = 2) -> str:
    """Return the address of an end of a machine's link. End 1 is this machine's."""
    return f"10.77.{NUMBERS[name]}.{end}"


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


# ---------------------------------------------------------------- the machines


@contextlib.contextmanager
def _machines(folder: Path) -> Iterator[None]:
    """Create this machine and two others with a link to each, until the end of the `with`."""
    names = ("local", *NUMBERS)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        for name in names:
            _ip("netns", "add", _named(name))
            _ip("-n", _named(name), "link", "set", "lo", "up")
        for name in NUMBERS:
            end = ("peer", "name", "eth", "netns", _named(name))
            _ip("-n", _named("local"), "link", "add", f"to-{name}", "type", "veth", *end)
            _ip(
                "-n", _named("local"), "addr", "add", f"{_address(name, 1)}/24", "dev", f"to-{name}"
            )
            _ip("-n", _named("local"), "link", "set", f"to-{name}", "up")
            _ip("-n", _named(name), "addr", "add", f"{_address(name)}/24", "dev", "eth")
            _ip("-n", _named(name), "link", "set", "eth", "up")
        _keys(folder)
        daemons = [_daemon(folder, name) for name in NUMBERS]
        yield
    finally:
        for daemon in daemons:
            daemon.kill()
            daemon.wait()
        for name in names:
            for pid in _running(name):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 9)
            subprocess.run(["ip", "netns", "del", _named(name)], capture_output=True, check=False)


def _keys(folder: Path) -> None:
    """Create keys, and an `ssh` that uses them and ignores this account's configuration."""
    for name in ("host", "own"):
        making = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(making, check=True)
    shutil.copy(folder / "own.pub", folder / "authorized")
    (folder / "config").write_text(
        f"Host *\n IdentityFile {folder}/own\n IdentitiesOnly yes\n"
        f" UserKnownHostsFile {folder}/known\n StrictHostKeyChecking accept-new\n"
    )
    program = folder / "ssh"
    program.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/config "$@"\n')
    program.chmod(0o755)
    (folder / "sshd_config").write_text(
        f"HostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\nPidFile none\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        "PermitRootLogin prohibit-password\nUseDNS no\n"
    )


def _daemon(folder: Path, name: str) -> subprocess.Popen[bytes]:
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    asked = [_sshd(), "-D", "-f", str(folder / "sshd_config")]
    return subprocess.Popen(
        ["ip", "netns", "exec", _named(name), *asked],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _running(name: str, what: bytes = b"") -> list[int]:
    """Return the processes on a machine whose command line contains the text."""
    said = subprocess.run(["ip", "netns", "pids", _named(name)], capture_output=True, check=False)
    found = []
    for pid in map(int, said.stdout.split()):
        with contextlib.suppress(OSError):
            if what in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def _silent(host: Host) -> str:
    """Return why a machine does not respond, or ""."""
    try:
        machines.ask_host(host)
    except HostError as error:
        return str(error)
    return ""


def _ranks(name: str) -> list[int]:
    return _running(name, b"engine.cluster")


# ---------------------------------------------------------------- links


def _link(name: str, up: bool) -> None:
    _ip("link", "set", f"to-{name}", "up" if up else "down")


def _slowed(name: str, on: bool) -> None:
    """Shape both directions of a link. Its queue holds a quarter of a second of packets."""
    ends = ((), f"to-{name}"), (("-n", _named(name)), "eth")
    for where, device in ends:
        rule = (
            ["root", "tbf", "rate", SLOW, "burst", "16kb", "latency", "250ms"] if on else ["root"]
        )
        subprocess.run(
            ["tc", *where, "qdisc", "replace" if on else "del", "dev", device, *rule],
            check=on,
            capture_output=True,
        )


def _refused(name: str, on: bool) -> None:
    """Refuse packets to a machine immediately, whereas a cut link drops them silently."""
    _ip("route", "add" if on else "del", "unreachable", f"{_address(name)}/32")


# ---------------------------------------------------------------- rounds


def _rounds(chosen: argparse.Namespace, folder: Path) -> int:
    """Play the rounds from this machine and print the faults."""
    hosts = {
        name: Host(*(name, f"root@{_address(name)}", sys.executable, str(ROOT)), ip=_address(name))
        for name in NUMBERS
    }
    wrong = 0
    deadline = time.monotonic() + 30
    while silent := [why for host in hosts.values() if (why := _silent(host))]:
        if time.monotonic() > deadline:
            print(f"no machine answers: {silent}")
            return 1
    faults = [
        fault
        for one in machines.check_hosts([Host(LOCAL), *hosts.values()])
        for fault in one.problems
    ]
    print(f"two machines answer; {faults or 'both are good'}", flush=True)
    rng, longest = random.Random(chosen.seed), Counter[str]()
    config = {**small_config("llama"), "max_position_embeddings": 65536}
    model_folder = write_model(folder / "llama", config, scale=3.0)
    with Engine() as judge:
        model = judge.load(model_folder)
        right = [_answer(judge, model, prompt) for prompt in PROMPTS]
    for name, host in hosts.items():
        here = Host(LOCAL, ip=_address(name, 1))
        with Engine(ranks=(here, host)) as engine:
            for number in range(chosen.rounds // 2):
                kind = chosen.kinds[number % len(chosen.kinds)]
                said = _round(engine, model_folder, right, name, kind, rng, longest)
                wrong += bool(said)
                print(f"{name}, round {number}, {kind}: {said or 'well'}", flush=True)
        if not _until(lambda name=name: not _ranks(name)):  # type: ignore[misc]
            print(f"{name}: ranks are left: {_ranks(name)}")
            wrong += 1
    print(f"longest seconds until all had ended: {dict(longest)}; {wrong} rounds failed")
    return 1 if wrong else 0


def _answer(engine: Engine, model: Model, prompt: str, tokens: int = 24) -> list[int]:
    params = SamplingParams(tokens, temperature=0.0, logit_bias={END: -1e9})
    reply = engine.open_session(model).send(prompt, params)
    reply.text(timeout=120)
    return reply.tokens()


def _round(
    engine: Engine,
    folder: Path,
    right: list[list[int]],
    name: str,
    kind: str,
    rng: random.Random,
    longest: Counter[str],
) -> str:
    """Return the faults of one round."""
    model = engine.load(folder)
    if [_answer(engine, model, prompt) for prompt in PROMPTS] != right:
        return "the tokens are not those of one machine"
    ends: list[list[tuple[str, float, str]]] = [[] for _ in range(rng.randint(1, 4))]
    seen, replies = [0] * len(ends), list[Reply]()
    for number, mine in enumerate(ends):

        def note(event: Any, mine: Any = mine, number: int = number) -> None:
            if isinstance(event, TextDelta):
                seen[number] += 1
            if isinstance(event, Failed):
                mine.append((event.code, time.monotonic(), event.message))
            elif isinstance(event, Finished):
                mine.append((str(event.reason), time.monotonic(), ""))

        params = SamplingParams(60000, temperature=0.0, logit_bias={END: -1e9})
        session = engine.open_session(model)
        replies.append(session.send(rng.choice(PROMPTS), params, note))
    if not _until(lambda: all(seen)):
        return f"answers did not begin: {seen}"
    time.sleep(rng.random())
    try:
        began = _harm(kind, name, replies, seen)
        for reply in replies:
            with contextlib.suppress(EngineError, TimeoutError):
                reply.tokens(timeout=4 * WITHIN)
        if any(len(each) != 1 for each in ends):
            return f"answers ended {[len(each) for each in ends]} times"
        took = max(at for each in ends for _, at, _ in each) - began
        longest[kind] = max(longest[kind], round(took, 1))  # type: ignore[call-overload]
        codes = {code for each in ends for code, _, _ in each}
        if codes - {"engine_stopped", "cancelled"}:
            return f"answers ended with {sorted(codes)}"
        if kind in ("slow",) and codes != {"cancelled"}:
            return f"a slow link is no fault, and answers ended: {ends}"
        if kind in ("cut", "refuse", "sshd") and codes != {"engine_stopped"}:
            return f"answers went on without {name}: {sorted(codes)}"
        if any(code == "engine_stopped" and not said for each in ends for code, _, said in each):
            return "an answer ended without a sentence"
        if took > WITHIN:
            return f"it took {took:.1f} s until all had ended"
        if kind in ("cut", "refuse") and not _until(lambda: not _ranks(name), GONE):
            return f"{name} is cut off, and goes on running {_ranks(name)}"
    finally:
        _heal(kind, name)
    return ""


def _harm(kind: str, name: str, replies: list[Reply], seen: list[int]) -> float:
    """Apply a fault and return the time from which replies may end."""
    if kind == "slow":
        _slowed(name, True)
        before = sum(seen)
        if not _until(lambda: sum(seen) > before + 3, 30):
            return float("-inf")
    elif kind == "flap":
        _link(name, False)
        time.sleep(1.0)
        _link(name, True)
        time.sleep(5.0)  # longer than the silence after which a rank ends
    else:
        if kind == "sshd":  # like a logout of the owner there
            for pid in _running(name, b"sshd: "):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 9)
        else:
            _link(name, False) if kind == "cut" else _refused(name, True)
        return time.monotonic()
    began = time.monotonic()
    for reply in replies:
        reply.cancel()
    return began


def _heal(kind: str, name: str) -> None:
    if kind == "slow":
        _slowed(name, False)
    elif kind == "refuse":
        _refused(name, False)
    else:
        _link(name, True)


def _until(condition: Any, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
