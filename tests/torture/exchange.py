"""Export and import chats without loss, and a huge export of another program."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from app.chats.exporting import Export, ExportFormat
from app.chats.importing import Import
from app.store import Store
from tests.app import generated
from tests.app.chats import exports

MOST_MEMORY = 400_000_000
"""Bytes of memory that the import of a file of any size may need."""


def main(arguments: list[str]) -> int:
    """Export and import chats without loss, and import a huge file of another program."""
    parser = argparse.ArgumentParser(prog="tests.torture exchange", description=main.__doc__)
    parser.add_argument("--chats", type=int, default=1_000)
    parser.add_argument("--gigabytes", type=float, default=0.1, help="of the huge file; 0 for none")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="stretto-exchange-") as folder:
        round_trip(Path(folder), chosen.chats)
        if chosen.gigabytes:
            huge(Path(folder), int(chosen.gigabytes * 1e9))
    return 0


def round_trip(folder: Path, count: int) -> None:
    """Export all records, import them into an empty store, reopen it, and compare."""
    with Store.open(folder / "one.db") as one:
        generated.keep(one, generated.chats(count))
        before = generated.everything(one)
        begun = time.monotonic()
        path = Export(list(before), ExportFormat.JSON, folder / "all.json").run(
            one, threading.Event()
        )
        out = time.monotonic() - begun
    with Store.open(folder / "two.db") as two:
        begun = time.monotonic()
        report = Import([path]).run(two)
        within = time.monotonic() - begun
    assert not report.details(), report.details()
    with Store.open(folder / "two.db") as two:
        assert generated.everything(two) == before, "what came back is not what went out"
    messages = sum(len(messages) for _, messages in before.values())
    print(
        f"{count:,} chats with {messages:,} messages, {path.stat().st_size / 1e6:.1f} MB: "
        f"out in {out:.1f} s, in in {within:.1f} s, identical"
    )


def huge(folder: Path, nbytes: int) -> None:
    """Import a ChatGPT export of this size within a bounded amount of memory."""
    path = folder / "conversations.json"
    conversation = exports.chatgpt()[0]
    words = "Some words of an answer that goes on. " * 500
    for entry in conversation["mapping"].values():
        content = (entry["message"] or {}).get("content", {})
        if content.get("content_type") == "text" and content["parts"] != [""]:
            content["parts"].append(words)
    piece = json.dumps(conversation)
    count = max(1, nbytes // len(piece))
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number in range(count):
            named = piece.replace('"6f1c-11"', f'"{number}"')
            file.write((",\n" if number else "") + named)
        file.write("]")
    before = _peak()
    begun = time.monotonic()
    with Store.open(folder / "huge.db") as store:
        report = Import([path]).run(store)
        seconds = time.monotonic() - begun
        assert len(report.imported) == count, report.details()
        assert not report.faults, report.faults
    grown = _peak() - before
    print(
        f"{path.stat().st_size / 1e9:.2f} GB with {count:,} conversations: {seconds:.0f} s, "
        f"{grown / 1e6:.0f} MB more at most"
    )
    assert grown < MOST_MEMORY, f"{grown:,} bytes more"


def _peak() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
