"""What the score says of memory."""

from __future__ import annotations

from app.language import tr
from app.score.lanes import Totals
from app.ui.style.figures import bytes_line


def memory_line(totals: Totals) -> str:
    """ "640 MB in all · chats' KV 5.1 MB": what the program holds, and the chats' part of it."""
    kv = bytes_line(totals.kv_bytes)
    if totals.process_bytes:
        return tr("{all} in all · chats’ KV {kv}", all=bytes_line(totals.all_bytes), kv=kv)
    models = bytes_line(totals.weights_bytes)
    return tr("models {models} · chats’ KV {kv}", models=models, kv=kv)


def memory_parts(totals: Totals) -> str:
    """Where the memory is, a line each, for a tooltip."""
    parts = [
        (tr("models"), totals.weights_bytes),
        (tr("what the chats have read (KV caches)"), totals.kv_bytes),
        (tr("free again, kept for what comes next"), totals.buffer_bytes),
        (tr("the program itself"), totals.program_bytes if totals.process_bytes else 0),
        (tr("helper processes"), totals.children_bytes),
    ]
    lines = [f"{bytes_line(count)}  {words}" for words, count in parts if count]
    if totals.process_bytes:
        lines.insert(0, tr("{size} of memory in all:", size=bytes_line(totals.all_bytes)))
    used = bytes_line(totals.weights_bytes + totals.kv_bytes)
    most = bytes_line(totals.budget)
    lines.append(tr("Models and chats may take {most} and take {used}.", most=most, used=used))
    return "\n".join(lines)
