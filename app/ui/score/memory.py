"""What the score says of memory."""

from __future__ import annotations

from app.score.lanes import Totals
from app.ui.style.figures import bytes_line


def memory_line(totals: Totals) -> str:
    """ "640 MB in all · chats' KV 5.1 MB": what the program holds, and the chats' part of it."""
    kv = f"chats’ KV {bytes_line(totals.kv_bytes)}"
    if totals.process_bytes:
        return f"{bytes_line(totals.all_bytes)} in all · {kv}"
    return f"models {bytes_line(totals.weights_bytes)} · {kv}"


def memory_parts(totals: Totals) -> str:
    """Where the memory is, a line each, for a tooltip."""
    parts = [
        ("models", totals.weights_bytes),
        ("what the chats have read (KV caches)", totals.kv_bytes),
        ("free again, kept for what comes next", totals.buffer_bytes),
        ("the program itself", totals.program_bytes if totals.process_bytes else 0),
        ("helper processes", totals.children_bytes),
    ]
    lines = [f"{bytes_line(count)}  {words}" for words, count in parts if count]
    if totals.process_bytes:
        lines.insert(0, f"{bytes_line(totals.all_bytes)} of memory in all:")
    used = bytes_line(totals.weights_bytes + totals.kv_bytes)
    lines.append(f"Models and chats may take {bytes_line(totals.budget)} and take {used}.")
    return "\n".join(lines)
