"""CPU and memory limits of this process's cgroups, v2 or v1, e.g. of a container."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

_GROUPS, _ROOT = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def cpu_cores(groups: Path = _GROUPS, root: Path = _ROOT) -> float:
    return min(map(_core_limit, _group_folders("cpu", groups, root)), default=math.inf)


def free_memory(groups: Path = _GROUPS, root: Path = _ROOT) -> float:
    """Return the number of bytes left below the memory limit, or infinity without a limit.

    The page cache of files counts as free, as in MemAvailable of /proc/meminfo.
    """
    return min(map(_free_bytes, _group_folders("memory", groups, root)), default=math.inf)


def _group_folders(controller: str, groups: Path, root: Path) -> Iterator[Path]:
    """Yield the folders of a process's cgroups and their ancestors, whose limits also apply."""
    try:
        lines = groups.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        home = root / controller if controllers else root
        folder = home / path.lstrip("/")
        for group in (folder, *folder.parents):
            yield group
            if group == home:
                break


def _core_limit(group: Path) -> float:
    try:
        quota, period = (group / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (group / "cpu.cfs_quota_us").read_text()
            period = (group / "cpu.cfs_period_us").read_text()
        except OSError:
            return math.inf
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):  # "max"
        return math.inf
    return cores if cores > 0 else math.inf  # -1 means no limit in v1


def _free_bytes(group: Path) -> float:
    for limit, usage, prefix in (
        ("memory.max", "memory.current", ""),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
    ):
        try:
            limit_bytes, used = (int((group / name).read_text()) for name in (limit, usage))
            lines = (group / "memory.stat").read_text().splitlines()
            sizes = {name: int(size) for name, size in map(str.split, lines)}
        except (OSError, ValueError):  # no such file, or "max"
            continue
        cached = (sizes.get(f"{prefix}{kind}_file", 0) for kind in ("active", "inactive"))
        return max(0, limit_bytes - used + sum(cached))
    return math.inf
