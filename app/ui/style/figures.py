"""Numbers, dates and states for display."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QDate, QLocale

from app.chats.answer import Phase
from app.chats.tool_call import ToolActivity
from app.models.downloads import Download, DownloadState
from app.settings.language import counted, language_code, mark, number, percent, tr
from app.store import stored_number
from app.tools.tool import to_visible_line
from engine import PromptProgress


def date_line(when: float, form: str) -> str:
    """Return a date in the UI language. ``when`` is in seconds since 1970.

    ``form`` is a translated format for `QDate.toString`, e.g. "dddd d MMMM yyyy".
    """
    day = time.localtime(when)
    # The UI language can differ from the system locale.
    locale = QLocale(language_code())
    return locale.toString(QDate(day.tm_year, day.tm_mon, day.tm_mday), form)


_MAX_TOOL_CHARACTERS = 40


def activity_line(doing: ToolActivity, *, short: bool = False, timed: bool = False) -> str:
    """Return, e.g., "Running search · step 2 · 4,200 tokens". ``timed`` adds the elapsed time."""
    if doing.waiting:
        return tr("Needs approval") if short else tr("Waiting for your answer")
    if len(doing.running) == 1:
        tool = to_visible_line(doing.running[0])[:_MAX_TOOL_CHARACTERS]
        words = doing.words or tr("Running {tool}", tool=tool)
    else:
        words = counted("Running %n tool", "Running %n tools", len(doing.running))
    parts = [words]
    if timed and doing.seconds >= 1:
        parts.append(seconds(doing.seconds))
    if doing.step > 1 and not short:
        parts.append(tr("step {step}", step=number(doing.step)))
        if doing.tokens and not timed:
            parts.append(counted("%Ln token", "%Ln tokens", doing.tokens))
    return " · ".join(parts)


def seconds(value: float) -> str:
    if value < 9.95:
        return tr("{number} s", "seconds", number=number(value, 1))
    if value < 59.5:
        return tr("{number} s", "seconds", number=number(value))
    minutes, rest = divmod(round(value), 60)
    if minutes >= 60:
        return tr("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)
    return tr("{minutes} min {seconds} s", minutes=minutes, seconds=rest)


def context_line(count: int) -> str:
    """Return a context length, e.g. "128K", "1M", "4,000"."""
    if count % 2**20 == 0:
        return f"{count // 2**20}M"
    if count >= 1_000_000:
        return f"{number(count / 1e6, 1)}M"
    return f"{count // 1024}K" if count % 1024 == 0 else number(count)


def rate_line(rate: float) -> str:
    rate_text = f"{rate:.0f}" if rate >= 9.5 or rate == 0 else number(rate, 1)
    return tr("{number} tok/s", "tokens a second", number=rate_text)


def bytes_line(count: int) -> str:
    if count >= 999_500_000:
        return tr("{number} GB", number=number(count / 1e9, 1))
    decimals = 1 if 0 < count < 9_950_000 else 0
    return tr("{number} MB", number=number(count / 1e6, decimals))


_FORMS = {
    "json": mark("as JSON"),
    "schema": mark("as JSON by schema"),
    "choices": mark("from a list of choices"),
    "pattern": mark("by pattern"),
}


FIGURES_HELP = mark(
    "tok/s: tokens (parts of words) per second\n"
    "first token: time until the reply began\n"
    "cached: tokens kept from earlier replies, so the model reads only the rest"
)


def figures_line(stats: Mapping[str, Any], *, short: bool = False) -> str:
    """Return, e.g., "48 tok/s · first token 0.2 s · 312 tokens · 4,096 cached".

    Unknown values are left out. With ``short``, the text has only the speed.
    """
    parts: list[str] = []
    generated = int(stored_number(stats, "generated_tokens"))
    rate = stored_number(stats, "tokens_per_s")
    if rate > 0:
        parts.append(rate_line(rate))
    if short:
        return parts[0] if parts else ""
    if generated:
        first = _first_token(stored_number(stats, "ttft_s"))
        parts.append(tr("first token {time}", "after this time", time=first))
        parts.append(counted("%Ln token", "%Ln tokens", generated))
    if reused := int(stored_number(stats, "reused_tokens")):
        parts.append(tr("{count} cached", "tokens", count=number(reused)))
    options = stats.get("options")
    if isinstance(options, dict) and (words := _FORMS.get(str(options.get("answer_as")))):
        parts.append(tr(words))
    if (same := stats.get("same")) is not None:
        parts.append(tr("identical") if same else tr("not identical"))
    return " · ".join(parts)


_PHASES = {
    Phase.LOADING: mark("Loading…"),
    Phase.CALLING: mark("Using a tool"),
    Phase.PAUSED: mark("Paused"),
    Phase.THINKING: mark("Thinking"),
}


def phase_line(phase: Phase, progress: PromptProgress | None, *, short: bool = False) -> str:
    """Return the activity of a chat, or "" if it's idle."""
    if phase is Phase.ASKING:
        return tr("Needs approval") if short else tr("Waiting for your answer")
    if phase is Phase.QUEUED:
        ahead = progress.queue_position if progress is not None else 0
        if progress is None or not progress.queued:
            queued = counted("Queued, %n before it", "Queued, %n before it", ahead)
            return queued if ahead else tr("Starting…")
        if short:
            return tr("Waiting for memory")
        return counted(
            "Waiting for memory, %n chat before it", "Waiting for memory, %n chats before it", ahead
        )
    if phase is Phase.READING and progress is not None:
        if short:
            read = progress.done / max(progress.total, 1)
            return tr("Reading {percent}", percent=percent(read))
        read_tokens, total = number(progress.done), number(progress.total)
        return tr("Reading {done} of {total} tokens", done=read_tokens, total=total)
    if phase is Phase.WRITING:
        return tr("Writing", "a chat is writing its answer")
    words = _PHASES.get(phase)
    return tr(words) if words is not None else ""


def thought_line(thought_s: float | None) -> str:
    if thought_s is None:
        return tr("Thinking")
    short = tr("{number} s", "seconds", number=max(1, round(thought_s)))
    return tr("Thought for {time}", time=short if thought_s < 60 else seconds(thought_s))


def _first_token(value: float) -> str:
    if value < 0.095:
        return tr("{number} ms", "milliseconds", number=number(value * 1000))
    return seconds(value)


def download_line(download: Download) -> str:
    """Return, e.g., "312 MB of 1.2 GB · 35 MB/s · 24 s left", or the state of an inactive
    download.
    """
    state = download.state
    size = bytes_line(download.total)
    if state is DownloadState.DONE:
        return tr("{size} · Ready", size=size)
    parts = [size] if download.total else []
    if download.done and download.total:
        parts = [tr("{done} of {total}", "sizes", done=bytes_line(download.done), total=size)]
    if state is DownloadState.WAITING:
        parts.append(tr("Waiting for another download"))
    elif state is DownloadState.PAUSED:
        parts.append(tr("Paused"))
    elif rate := download.rate:
        parts.append(tr("{size}/s", "per second", size=bytes_line(round(rate))))
        remaining = seconds(max(1, round((download.total - download.done) / rate)))
        parts.append(tr("{time} left", "until it is downloaded", time=remaining))
    elif download.can_pause:
        parts.append(tr("Waiting for Hugging Face…"))
    else:
        parts.append(tr("Converting…"))
    return " · ".join(parts)
