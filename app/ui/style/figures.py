"""Numbers as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.chats.reply import Phase
from app.download import Download, DownloadState
from engine import PromptProgress


def seconds(value: float) -> str:
    """ "0.2 s", "12 s", "3 min 5 s"."""
    if value < 9.95:
        return f"{value:.1f} s"
    if value < 59.5:
        return f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def rate_line(rate: float) -> str:
    """ "48 tok/s", "3.2 tok/s"."""
    return f"{rate:.0f} tok/s" if rate >= 9.5 or rate == 0 else f"{rate:.1f} tok/s"


def bytes_line(count: int) -> str:
    """ "12 MB", "1.4 GB"; what is smaller than a tenth of a megabyte is "0 MB"."""
    if count >= 999_500_000:
        return f"{count / 1e9:.1f} GB"
    return f"{count / 1e6:.1f} MB" if 0 < count < 9_950_000 else f"{count / 1e6:.0f} MB"


_FORMS = {
    "json": "as JSON",
    "schema": "as JSON of a schema",
    "choices": "one of a list",
    "pattern": "of a pattern",
}


def figures_line(stats: Mapping[str, Any], *, short: bool = False) -> str:
    """`48 tok/s · first token 0.2 s · 312 tokens · reused 4,096`, of what is known.

    ``short`` keeps only the speed, for narrow panes.
    """
    parts: list[str] = []
    generated = int(stats.get("generated_tokens", 0))
    rate = float(stats.get("tokens_per_s", 0.0))
    if rate > 0:
        parts.append(rate_line(rate))
    if short:
        return parts[0] if parts else ""
    if generated:
        parts.append(f"first token {_first_token(float(stats.get('ttft_s', 0.0)))}")
        parts.append("1 token" if generated == 1 else f"{generated:,} tokens")
    if reused := int(stats.get("reused_tokens", 0)):
        parts.append(f"reused {reused:,}")
    options = stats.get("options")
    if isinstance(options, dict) and (words := _FORMS.get(str(options.get("answer_as")))):
        parts.append(words)
    if (same := stats.get("same")) is not None:
        parts.append("the same again" if same else "not the same")
    if stats.get("reason") == "length":
        parts.append("cut at its length limit")
    return " · ".join(parts)


def phase_line(phase: Phase, progress: PromptProgress | None, *, short: bool = False) -> str:
    """What a chat is doing, in a few words; empty when it rests."""
    if phase is Phase.LOADING:
        return "Loading…"
    if phase is Phase.ASKING:
        return "Asks you" if short else "Waiting for your answer"
    if phase is Phase.CALLING:
        return "Using a tool"
    if phase is Phase.PAUSED:
        return "Paused"
    if phase is Phase.QUEUED and progress is not None and progress.queued:
        return "Waiting for memory" if short else f"Waiting for memory, {_before(progress)}"
    if phase is Phase.QUEUED:
        ahead = progress.queue_position if progress is not None else 0
        return f"Queued, {ahead} before it" if ahead else "Queued"
    if phase is Phase.READING and progress is not None:
        if short:
            return f"Reading {progress.done / max(progress.total, 1):.0%}"
        return f"Reading {progress.done:,} of {progress.total:,} tokens"
    if phase is Phase.THINKING:
        return "Thinking"
    if phase is Phase.WRITING:
        return "Writing"
    return ""


def _before(progress: PromptProgress) -> str:
    count = progress.queue_position
    return "1 chat before it" if count == 1 else f"{count} chats before it"


def thought_line(thought_s: float | None) -> str:
    """The heading of a folded thought."""
    if thought_s is None:
        return "Thinking"
    return (
        f"Thought for {max(1, round(thought_s))} s"
        if thought_s < 60
        else (f"Thought for {seconds(thought_s)}")
    )


def _first_token(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 0.095 else seconds(value)


def download_line(download: Download) -> str:
    """ "312 MB of 1.2 GB · 35 MB/s · 24 s left", or what stands in the way of that."""
    state = download.state
    if state is DownloadState.DONE:
        return f"{bytes_line(download.total)} · Ready to be used"
    size = bytes_line(download.total) if download.total else ""
    amount = f"{bytes_line(download.done)} of {size}" if download.done and size else size
    parts = [amount] if amount else []
    if state is DownloadState.WAITING:
        parts.append("Waits for the one before it")
    elif state is DownloadState.PAUSED:
        parts.append("Paused")
    elif rate := download.rate:
        parts.append(f"{bytes_line(round(rate))}/s")
        parts.append(f"{_left((download.total - download.done) / rate)} left")
    elif download.can_pause:
        parts.append("Waiting for the hub…")
    else:
        parts.append("Converting…")
    return " · ".join(parts)


def _left(seconds: float) -> str:
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
