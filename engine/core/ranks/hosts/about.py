"""What a machine tells of itself: versions, memory, disk, and how others reach it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

_IFCONFIG = re.compile(r"^(\S+?): |^\s+inet (\S+)", re.MULTILINE)
_THUNDERBOLT = re.compile(r"^bridge\d+$|thunderbolt", re.IGNORECASE)


def tell(models: str, folder: str = "") -> dict[str, Any]:
    """What `checking` asks for.

    Args:
        models: the folder for copies of models.
        folder: of a model, whose contents are told, too.

    Returns:
        "versions", by part; "system"; "memory" and "disk", bytes that are free; "device";
        "interfaces", IPv4 addresses by name; "thunderbolt", the names of those that are one;
        "jaccl", whether MLX has it here; "reached", by which address `ssh` came; "contents".
    """
    from engine.core.ranks.child import versions
    from engine.model import backend

    about = backend.start()
    import mlx.core as mx

    place = Path(models).expanduser()
    there = next(p for p in (place, *place.parents) if p.exists())
    told: dict[str, Any] = {
        "versions": {**versions(), "python": platform.python_version(), "stretto": _own()},
        "system": f"{_system()} {platform.machine()}",
        "device": about.device,
        "memory": about.memory,
        "disk": shutil.disk_usage(there).free,
        "interfaces": interfaces(),
        "jaccl": mx.distributed.is_available("jaccl"),
        "reached": ((os.environ.get("SSH_CONNECTION") or "").split() + [""] * 3)[2],
    }
    told["thunderbolt"] = [name for name in told["interfaces"] if _THUNDERBOLT.search(name)]
    if folder:
        told["contents"] = _contents(Path(folder).expanduser())
    return told


def _own() -> str:
    try:
        return importlib.metadata.version("stretto")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _system() -> str:
    mac = platform.mac_ver()[0]
    return f"macOS {mac}" if mac else f"{platform.system()} {platform.release()}"


def _contents(folder: Path) -> str:
    from engine.model import fingerprint

    try:
        return fingerprint.contents(folder)
    except (OSError, ValueError):  # a file is not whole yet
        return ""


def interfaces() -> dict[str, str]:
    """The IPv4 address of each interface that has one, by the system's own tool."""
    try:
        if sys.platform == "darwin":
            return from_ifconfig(_said("/sbin/ifconfig"))
        found = json.loads(_said("ip", "-json", "-4", "address"))
        return {one["ifname"]: one["addr_info"][0]["local"] for one in found if one["addr_info"]}
    except (OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError):
        return {}


def from_ifconfig(said: str) -> dict[str, str]:
    """The IPv4 addresses in what macOS's `ifconfig` says."""
    found: dict[str, str] = {}
    name = ""
    for interface, address in _IFCONFIG.findall(said):
        name = interface or name
        if address:
            found.setdefault(name, address)
    return found


def _said(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    return ran.stdout
