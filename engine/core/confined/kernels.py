"""Has a GPU's kernels tried in a child before the engine uses them. Blocks; for workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from engine.core.confined import limits
from engine.core.confined.children import what_happened
from engine.core.confined.limits import Limits
from engine.core.confined.process import Child, CrashError, OverrunError
from engine.model.kernel.program import Geometry

CASES = 16
"""Cases for each geometry; `trial.cases` has every kernel among them."""

_MAKER = "engine.model.kernel.attention:on_device"


def faults(
    geometries: Sequence[Geometry],
    device: str,
    given: Limits = limits.KERNELS,
    maker: str = _MAKER,
) -> list[str]:
    """What is wrong with the kernels of each geometry, in words; empty where they are right.

    They are compiled and run on random rows beside the plain way, in a child that is killed when
    its time is over: a kernel that does not end can take the device with it, but not the chats.

    Args:
        device: "metal" or "cuda".
        given: for each geometry.
        maker: "module:function", which makes what is tried (`attention.Attend`) from the device.
    """
    found: list[str] = []
    child: Child | None = None
    try:
        for geometry in geometries:
            if child is None:
                child = Child(device=True)
            asked = {
                "geometry": asdict(geometry),
                "device": device,
                "cases": CASES,
                "maker": maker,
            }
            try:
                reply, _ = child.ask("kernel", asked, (), given)
            except (OverrunError, CrashError) as error:
                found.append(f"it {what_happened(given, error)}")
                child.reap()
                child = None
                continue
            result = reply.get("result")
            why = reply.get("error") or reply.get("panic") or "no answer"
            found.append(result["fault"] if isinstance(result, dict) else f"it failed: {why}")
    finally:
        if child is not None:
            child.kill()
            child.reap()
    return found
