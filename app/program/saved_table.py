"""One-time export of the comparison table that earlier versions stored in a profile.

The columns of a table are ordinary chats and stay as they are. Everything else (questions, column
names, checks and verdicts) was saved as JSON with the layouts. The exported JSON contains it as it
was saved, next to the questions and answers.
"""

from __future__ import annotations

import csv
import io
import json
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from app.chats.library import ChatLibrary
from app.chats.transcript import Transcript
from app.store import Message, Store
from app.store.records import storable_text
from engine.files import replace_text

TABLE = "table"  # name under which the layout is stored


def export_table(store: Store, folder: Path) -> bool:
    """Write the saved table to ``folder`` as JSON and CSV. Return False if there's no table.

    The table stays in the store until `forget_table`. If the app is killed before that, the same
    files are written again.
    """
    saved = store.layout(TABLE)
    if saved is None:
        return False
    columns = {chat: str(name) for chat, name in _dict(saved.get("columns")).items()}
    rows = _rows(store, saved, columns)
    lines = [["id", "prompt", *columns.values()]]
    for row in rows:
        cells = map(_answer_text, row["answers"])
        lines.append([row["id"], "\n".join(_questions(row["prompt"])[-1:]), *cells])
    created = [chat.created_at for chat in map(store.chat, columns) if chat is not None]
    day = time.strftime(" %Y-%m-%d", time.localtime(min(created))) if created else ""
    text = json.dumps({"rows": rows, "saved": saved}, indent=1, ensure_ascii=False) + "\n"
    texts = {".json": storable_text(text), ".csv": storable_text(as_csv(lines))}
    _write(folder, f"Comparison{day}", texts)
    return True


def forget_table(store: Store, library: ChatLibrary) -> None:
    """Delete the table from the store. If its chats' names were hidden, show them."""
    saved = store.layout(TABLE) or {}
    with store.transaction():
        if saved.get("blind") is True:
            columns = _dict(saved.get("columns"))
            library.change({chat: {"variant": str(name)} for chat, name in columns.items()})
        store.delete_layout(TABLE)


def _rows(
    store: Store, saved: Mapping[str, Any], columns: Mapping[str, str]
) -> list[dict[str, Any]]:
    trial = saved.get("trial")
    if trial is None:  # earlier versions saved the messages themselves
        trial = {"prompts": saved.get("messages")}
    prompts = _list(_dict(trial).get("prompts"))
    prompts = [p if isinstance(p, dict) else {"prompt": p} for p in prompts]
    rows: list[dict[str, Any]] = [
        {
            "id": str(prompt.get("id", number)),
            "prompt": prompt.get("prompt", prompt.get("messages")),
            "answers": [],
        }
        for number, prompt in enumerate(prompts, 1)
    ]
    questions = [_questions(row["prompt"]) for row in rows]
    for chat_id, name in columns.items():
        answers = _find_answers(Transcript(store.messages(chat_id)), questions)
        for row, answer in zip(rows, answers, strict=True):
            cell: dict[str, Any] = {"column": name, "chat": chat_id}
            if answer is not None:
                cell |= {"text": answer.content, "status": answer.status, "error": answer.error}
            row["answers"].append(cell)
    return rows


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _questions(prompt: Any) -> list[str]:
    turns = [_dict(turn) for turn in _list(prompt) or [{"content": prompt}]]
    return [str(turn.get("content")).strip("\n") for turn in turns if turn.get("role") != "system"]


def _find_answers(chat: Transcript, questions: Sequence[Sequence[str]]) -> Iterator[Message | None]:
    """Yield the answer to each question. Duplicate questions are matched in order."""
    by_question: dict[str, list[Message]] = {}
    for first in reversed(chat.children(None)):
        by_question.setdefault(first.content, []).append(first)
    for texts in questions:
        messages = by_question.get(texts[0]) if texts else None
        message = messages.pop() if messages else None
        for text in texts[1:]:
            after = chat.children(message.id) if message is not None else []
            message = next((later for later in after if later.content == text), None)
        answers = chat.children(message.id) if message is not None else []
        yield answers[-1] if answers else None


def _answer_text(cell: Mapping[str, Any]) -> str:
    """Return an answer for CSV. Unfinished answers have a note in brackets."""
    text: str = cell.get("text", "")
    if cell.get("status") == "complete":
        return text
    note = cell.get("error") or cell.get("status") or "not started"
    return f"{text} [{note}]".lstrip()


def as_csv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV (RFC 4180) with a byte order mark, which Excel needs to detect UTF-8.

    Cells that a spreadsheet might read as a formula get an apostrophe in front, as recommended by
    OWASP ("CSV Injection"), because they contain model output.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    for row in rows:
        writer.writerow([f"'{cell}" if _is_formula(cell) else cell for cell in row])
    return "\ufeff" + text.getvalue()


def _is_formula(cell: str) -> bool:
    """Return True if a spreadsheet might read the cell as a formula.

    Some skip leading blanks, line breaks and invisible characters, or treat full-width characters
    like ASCII.
    """
    text = unicodedata.normalize("NFKC", cell).replace("\N{MINUS SIGN}", "-")
    first = next((c for c in text if not c.isspace() and unicodedata.category(c)[0] != "C"), "")
    return first in set("=+-@") or cell[:1] in set("\t\r\n")


def _write(folder: Path, name: str, texts: Mapping[str, str]) -> None:
    """Write a file for each extension. Files with other content are never overwritten."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in count(1):
        stem = f"{name} ({number})" if number > 1 else name
        files = {folder / f"{stem}{ending}": text for ending, text in texts.items()}
        existing = {file: text for file, text in files.items() if file.exists()}
        if all(file.read_bytes() == text.encode() for file, text in existing.items()):
            break
    for file, text in files.items():
        if file not in existing:
            replace_text(file, text)
