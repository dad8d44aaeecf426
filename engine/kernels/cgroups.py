"""CPU and memory limits of this process's cgroup (v2), e.g. of a container."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

_GROUPS, _ROOT = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def cpu_cores(groups: Path = _GROUPS, root: Path = _ROOT) -> float:
    return min(map(_core_limit, _group_folders(groups, root)), default=math.inf)


def free_memory(groups: Path = _GROUPS, root: Path = _ROOT) -> float:
    """Return the number of bytes left below the memory limit, or infinity if there is none.

    The page cache of files counts as free, as in MemAvailable of /proc/meminfo.
    """
    return min(map(_free_bytes, _group_folders(groups, root)), default=math.inf)


def _group_folders(groups: Path, root: Path) -> Iterator[Path]:
    """Yield the folders of a process's cgroup and its ancestors, whose limits also apply."""
    try:
        lines = groups.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        if line.startswith("0::"):
            folder = root / line.removeprefix("0::").lstrip("/")
            yield from (group for group in (folder, *folder.parents) if group.is_relative_to(root))


def _core_limit(group: Path) -> float:
    try:
        quota, period = (group / "cpu.max").read_text().split()
        return int(quota) / int(period)
    except (OSError, ValueError):  # no such file, or "max"
        return math.inf


def _free_bytes(group: Path) -> float:
    try:
        limit, used = (int((group / f"memory.{name}").read_text()) for name in ("max", "current"))
        lines = (group / "memory.stat").read_text().splitlines()
        sizes = {name: int(size) for name, size in map(str.split, lines)}
    except (OSError, ValueError):  # no such file, or "max"
        return math.inf
    return max(0, limit - used + sizes.get("active_file", 0) + sizes.get("inactive_file", 0))
