"""Asks hosts whether they can take a rank, all at the same time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from engine.core.ranks.hosts import about, ssh
from engine.core.ranks.hosts.host import Host

SECONDS = 90.0
"""For one host. A program that was just built is looked at by macOS when it starts first."""

SAME = ("protocol", "mlx", "mlx-lm", "stretto")
"""The versions that must be the same on all hosts."""


@dataclass(frozen=True)
class Report:
    """What is known of a host.

    Attributes:
        told: as `about.tell` gives it; {} where the host did not answer.
        faults: what keeps it from taking a rank, in sentences.
        notes: what is good to know.
    """

    host: Host
    told: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether it can take a rank."""
        return not self.faults


def check(hosts: Sequence[Host]) -> list[Report]:
    """Ask all of them; takes as long as the slowest. Versions are compared with this machine's."""
    here = about.tell(hosts[0].models if hosts else "")
    with ThreadPoolExecutor(max(1, len(hosts))) as threads:
        return list(threads.map(lambda host: _check(host, here), hosts))


def _check(host: Host, here: Mapping[str, Any]) -> Report:
    told: Mapping[str, Any] = here
    if not host.here:
        answer = ask(host)
        if isinstance(answer, str):
            return Report(host, {}, (answer,))
        told = answer
    faults = differing(host.name, here["versions"], told["versions"])
    if host.backend == "jaccl" and not told.get("jaccl"):
        faults.append(f"{host.name} has no JACCL: that is macOS 26.2 and Thunderbolt 5.")
    return Report(host, told, tuple(faults), tuple(_notes(host, told)))


def ask(host: Host, folder: str = "") -> dict[str, Any] | str:
    """What another machine tells of itself, or in a sentence why it does not.

    Args:
        folder: of a model there, whose contents are wanted.
    """
    asked = ["cluster", "here", "--models", host.models, *(["--folder", folder] if folder else [])]
    try:
        ran = ssh.run(host, ssh.engine(host, *asked), SECONDS)
    except OSError as error:
        return f"ssh could not be started here: {error}."
    except subprocess.TimeoutExpired:
        return f"{host.name} has not answered within {SECONDS:.0f} seconds."
    if ran.returncode:
        return ssh.fault(host, ran.returncode, ran.stderr)
    try:
        # A shell there may have said something before.
        told = json.loads(ran.stdout.strip().splitlines()[-1])
        if isinstance(told, dict) and isinstance(told.get("versions"), dict):
            return told
    except (ValueError, IndexError):
        pass
    return f"{host.name} has a Stretto that does not know of clusters. Install the same version."


def differing(name: str, here: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    """A sentence for each part of which a host has another version."""
    return [
        f"{name} has {part} {there.get(part) or 'unknown'}, this machine has {here.get(part)}. "
        "Install the same version."
        for part in SAME
        if here.get(part) and here.get(part) != there.get(part)
    ]


def _notes(host: Host, told: Mapping[str, Any]) -> list[str]:
    bridges: Sequence[str] = told.get("thunderbolt") or ()
    addresses: Mapping[str, str] = told.get("interfaces") or {}
    used = host.ip or told.get("reached")
    if host.here or not bridges or used in {addresses[name] for name in bridges}:
        return []
    name = bridges[0]
    return [
        f"{host.name} has a Thunderbolt bridge ({name}, {addresses[name]}). To use it: "
        f"cluster add {host.name} {host.address} --ip {addresses[name]}, and --ip of this "
        "machine's bridge for local."
    ]


def lines(report: Report) -> list[str]:
    """A report for people, the first line with its name."""
    told = report.told
    head = report.host.name
    if told:
        head += (
            f": {told['system']}, {told['memory'] / 1e9:.1f} GB for models, "
            f"{told['disk'] / 1e9:.0f} GB of disk, {_link(report)}, "
            f"Python {told['versions'].get('python')}, mlx {told['versions'].get('mlx')}, "
            f"mlx-lm {told['versions'].get('mlx-lm')}"
        )
    return [head, *(f"  {said}" for said in (*report.faults, *report.notes))]


def _link(report: Report) -> str:
    """By which address, and over what, the other ranks reach it."""
    told = report.told
    address = report.host.ip or told.get("reached") or "127.0.0.1"
    interfaces = told.get("interfaces") or {}
    name = next((n for n, a in interfaces.items() if a == address), "")
    over = "Thunderbolt" if name in (told.get("thunderbolt") or ()) else name
    return address + (f" ({over})" if over else "")
