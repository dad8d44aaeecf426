"""One-time export of the comparison table that earlier versions stored in a profile.

The columns of a table are ordinary chats and stay as they are. Everything else (questions, column
names, checks and verdicts) was saved as JSON with the layouts. Verdicts are keyed by digests of
their inputs.
"""

from __future__ import annotations

import csv
import hashlib
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
    heads = [part for name in columns.values() for part in (name, f"{name} passes")]
    lines = [["id", "prompt", *heads]]
    for row in rows:
        cells = [part for cell in row["answers"] for part in _answer_and_verdict(cell)]
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
        trial = {"prompts": saved.get("messages"), "checks": [saved.get("check")]}
    trial, saved_cell = _dict(trial), _dict(saved.get("kept"))
    prompts = [p if isinstance(p, dict) else {"prompt": p} for p in _list(trial.get("prompts"))]
    rows: list[dict[str, Any]] = [
        {"id": str(prompt.get("id", number)), "prompt": _parse_prompt(prompt), "answers": []}
        for number, prompt in enumerate(prompts, 1)
    ]
    questions = [_questions(row["prompt"]) for row in rows]
    for chat_id, name in columns.items():
        answers = _find_answers(Transcript(store.messages(chat_id)), questions)
        for row, prompt, answer in zip(rows, prompts, answers, strict=True):
            cell: dict[str, Any] = {"column": name, "chat": chat_id}
            if answer is not None:
                checks = [*_list(trial.get("checks")), *_list(prompt.get("checks"))]
                checks = [c for c in map(_dict, checks) if c and c.get("against") != name]
                cell |= {"text": answer.content, "status": answer.status, "error": answer.error}
                cell["passed"] = _has_passed(saved_cell, checks, prompt, answer)
            row["answers"].append(cell)
    return rows


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _parse_prompt(prompt: Mapping[str, Any]) -> Any:
    return prompt.get("prompt", prompt.get("messages"))


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


def _has_passed(
    saved_cell: Mapping[str, Any],
    checks: Sequence[Mapping[str, Any]],
    prompt: Mapping[str, Any],
    answer: Message,
) -> bool | None:
    """Return True if the answer passes all checks, or None if that's unknown."""
    if answer.status != "complete":
        return False if checks and answer.status == "error" else None
    verdicts = [_verdict(saved_cell, check, prompt, answer.content) for check in checks]
    return False if False in verdicts else None if None in verdicts or not verdicts else True


def _verdict(
    saved_cell: Mapping[str, Any], check: Mapping[str, Any], prompt: Mapping[str, Any], answer: str
) -> bool | None:
    """Run a check on a text, or look up the saved verdict of the user or of Python.

    Returns None for other checks. Patterns and schemas weren't saved, and verdicts by a judge are
    keyed by its model's fingerprint.
    """
    question, expected = _parse_prompt(prompt), str(prompt.get("expected") or "")
    turned = check.get("not") is True
    kind = next((k for k in ("contains", "equals", "eye", "python") if k in check), "")
    if kind in ("contains", "equals"):
        texts = check[kind] if isinstance(check[kind], list) else [check[kind]]
        texts = [str(text).replace("{expected}", expected) for text in texts]
        if check.get("ignore_case") is True:
            answer, texts = answer.casefold(), [text.casefold() for text in texts]
        if kind == "equals":
            return ([answer.strip()] == [text.strip() for text in texts]) is not turned
        return all(text in answer for text in texts) is not turned
    if kind == "eye":
        key = _digest("eye", question, answer)
    elif kind == "python":
        last = (
            question
            if isinstance(question, str)
            else _dict([None, *_list(question)][-1]).get("content")
        )
        key = _digest(_digest("python", check[kind], turned, last, expected), answer)
    else:
        return None
    passed = _dict(saved_cell.get(key)).get("passed")
    return passed if isinstance(passed, bool) else None


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:24]


def _answer_and_verdict(cell: Mapping[str, Any]) -> tuple[str, str]:
    """Return an answer and its verdict for CSV. Unfinished answers have a note in brackets."""
    text, note = cell.get("text", ""), cell.get("error") or cell.get("status") or "not started"
    if cell.get("status") != "complete":
        text = f"{text} [{note}]".lstrip()
    return text, {True: "passes", False: "fails", None: ""}[cell.get("passed")]


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
