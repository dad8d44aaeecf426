"""Export of comparison tables of an earlier version."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.program import saved_table
from app.program.saved_table import TABLE, as_csv, export_table
from app.settings.paths import TABLES, Paths
from app.store import ChatRecord, Message, Store
from engine.files import replace_text
from tests.app.conftest import Start

CREATED = 1_790_000_000.0
PROMPTS = ["say one", "hold 2", "say one"]
# Derived from question and reply by the earlier version.
BY_EYE, BY_PYTHON = "d585308c56a35106fdb0b1de", "e09b300eeef7e1ed9b253bf3"
HEAD = ["id", "prompt", "Seed 1", "Seed 1 passes", "Seed 2", "Seed 2 passes"]


def answered(store: Store, chat: str, name: str, answers: list[tuple[str, str, str]]) -> None:
    """Save a column. Each question starts a separate conversation in a single chat."""
    group = {"group_id": "a" * 32, "variant": name}
    store.save_chat(ChatRecord(chat, "say one", "guide", created_at=CREATED, **group))
    for number, (question, text, status) in enumerate(answers):
        asked = Message(f"{chat[0]}{number:030x}a", chat, None, "user", question)
        store.save_message(asked, as_leaf=True)
        reply = Message(f"{chat[0]}{number:030x}b", chat, asked.id, "assistant", text, "", status)
        if status == "error":
            reply = replace(reply, error="Not enough memory.")
        store.save_message(reply, as_leaf=True)


def saved(checks: list[dict[str, Any]], blind: bool = False) -> dict[str, Any]:
    variants = [{"name": f"Seed {n}", "model": "/guide", "seed": n} for n in (1, 2)]
    prompts = [{"id": str(n), "prompt": text} for n, text in enumerate(PROMPTS, 1)]
    trial = {"name": "", "judge": "/guide", "prompts": prompts, "variants": variants}
    kept = {key: {"passed": True, "why": "", "code": ""} for key in (BY_EYE, BY_PYTHON)}
    return {
        "trial": {**trial, "checks": checks, "reproducible": True},
        "columns": {"b" * 32: "Seed 1", "c" * 32: "Seed 2"},
        "blind": blind,
        "kept": kept,
    }


def fill(store: Store, *, blind: bool = False, checks: list[dict[str, Any]] | None = None) -> None:
    names = ["Reply A", "Reply B"] if blind else ["Seed 1", "Seed 2"]
    first = [("say one", "one ", "complete"), ("hold 2", "1 2 ", "interrupted")]
    answered(store, "b" * 32, names[0], [*first, ("say one", "=two", "complete")])
    answered(store, "c" * 32, names[1], [("say one", "So far ", "error")])
    store.save_layout(TABLE, saved([{"contains": ["one"]}] if checks is None else checks, blind))


def rows(file: Path) -> list[list[str]]:
    text = file.read_bytes().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.fixture
def store(profile: Path) -> Store:
    with Store.open(Paths.for_profile(profile).chats) as opened:
        yield opened


@pytest.fixture
def folder(profile: Path) -> Path:
    return profile / TABLES


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_table_is_exported_once_and_chats_stay(start: Start, store: Store, folder: Path) -> None:
    fill(store)
    chats, messages = store.chats(), store.messages("b" * 32)
    store.close()

    run = start()
    assert str(folder) in run.window.toast.text
    made = files(folder)
    assert {Path(name).suffix for name in made} == {".csv", ".json"}
    assert run.app.store.layout(TABLE) is None
    assert run.app.library.chat("b" * 32).title == "say one"
    run.end()

    run = start()
    assert run.window.toast.isHidden()
    run.end()
    assert files(folder) == made
    with Store.open(Paths.for_profile(folder.parent).chats) as again:
        assert {chat.id for chat in chats} <= {chat.id for chat in again.chats()}
        assert again.messages("b" * 32) == messages


def test_files_hold_questions_replies_and_verdicts(store: Store, folder: Path) -> None:
    fill(store)
    assert export_table(store, folder)
    (file,) = folder.glob("*.csv")
    assert rows(file) == [
        HEAD,
        ["1", "say one", "one ", "passes", "So far  [Not enough memory.]", "fails"],
        ["2", "hold 2", "1 2  [interrupted]", "", "[not started]", ""],
        ["3", "say one", "'=two", "fails", "[not started]", ""],
    ]
    told = json.loads(file.with_suffix(".json").read_bytes())
    assert told["saved"] == store.layout(TABLE)
    assert told["rows"][0]["answers"][0] == {
        "column": "Seed 1",
        "chat": "b" * 32,
        "text": "one ",
        "status": "complete",
        "error": "",
        "passed": True,
    }
    assert folder.stat().st_mode & 0o077 == 0
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        ({"contains": ["ONE"]}, False),
        ({"contains": ["ONE"], "ignore_case": True}, True),
        ({"equals": "one"}, True),
        ({"equals": "one", "not": True}, False),
        ({"eye": True}, True),
        ({"python": "len(answer) < 9"}, True),
        ({"python": "answer"}, None),
        ({"regex": "one"}, None),
        ({"judge": "It is polite.", "against": "Seed 1"}, None),
    ],
)
def test_verdicts_come_from_the_text_or_were_saved(
    store: Store, folder: Path, check: dict[str, Any], passed: bool | None
) -> None:
    fill(store, checks=[check])
    export_table(store, folder)
    (file,) = folder.glob("*.json")
    assert json.loads(file.read_bytes())["rows"][0]["answers"][0]["passed"] is passed


def test_killed_export_starts_again(
    start: Start, store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)

    def full(file: Path, text: str) -> None:
        if file.suffix == ".csv":
            raise OSError("No space left on device")
        replace_text(file, text)

    monkeypatch.setattr(saved_table, "replace_text", full)
    store.close()
    run = start()
    assert run.window.toast.isHidden()
    assert run.app.store.layout(TABLE) is not None
    run.end()
    monkeypatch.undo()

    run = start()
    assert str(folder) in run.window.toast.text
    run.end()
    assert len(files(folder)) == 2


def test_export_killed_before_the_user_was_told_is_not_repeated(
    start: Start, store: Store, folder: Path
) -> None:
    fill(store)
    assert export_table(store, folder)
    made = files(folder)
    store.close()
    run = start()
    assert str(folder) in run.window.toast.text
    run.end()
    assert files(folder) == made


def test_files_of_another_table_are_not_replaced(store: Store, folder: Path) -> None:
    fill(store)
    assert export_table(store, folder)
    made = files(folder)
    store.save_layout(TABLE, saved([]))
    assert export_table(store, folder)
    assert export_table(store, folder)
    assert len(files(folder)) == 4
    assert made.items() <= files(folder).items()


def test_hidden_names_are_shown(start: Start, store: Store, folder: Path) -> None:
    fill(store, blind=True)
    store.close()
    run = start()
    assert run.app.library.chat("b" * 32).variant == "Seed 1"
    assert rows(next(folder.glob("*.csv")))[0] == HEAD


def test_older_form_is_exported(store: Store, folder: Path) -> None:
    fill(store)
    columns = saved([])["columns"]
    store.save_layout(TABLE, {"columns": columns, "messages": PROMPTS, "check": {"eye": True}})
    assert export_table(store, folder)
    (file,) = folder.glob("*.csv")
    assert rows(file)[1][:4] == ["1", "say one", "one ", ""]


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": ["b"], "trial": "?"},
        {"columns": {"b" * 32: 1, "none": ""}, "trial": {"prompts": [1, {}, {"messages": []}]}},
        {
            "trial": {
                "prompts": [{"messages": [1, {"content": None}]}],
                "checks": [1, {"equals": []}],
            }
        },
        {"trial": {"prompts": ["say one", "\ud800"], "checks": [{"python": [], "not": 3}]}},
        {"kept": [1], "trial": {"prompts": [None], "checks": {"eye": True}}},
    ],
)
def test_damaged_tables_are_exported_as_far_as_readable(
    store: Store, folder: Path, damage: dict[str, Any]
) -> None:
    fill(store)
    store.save_layout(TABLE, saved([]) | damage)
    assert export_table(store, folder)
    assert len(files(folder)) == 2


def test_profile_without_a_table_gets_no_folder(store: Store, folder: Path) -> None:
    assert not export_table(store, folder)
    assert not folder.exists()


def test_csv_has_no_formulas() -> None:
    lines = [["Message", "one"], ['He said "a, b".\nTwice.', "a\\b"], ["=1+1", "-x"]]
    text = as_csv(lines)
    assert text.startswith("\ufeff")
    read = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert read == [*lines[:2], ["'=1+1", "'-x"]]


FORMULAS = ["\n=1+1", " =1+1", "\u200b=1", "\u00a0@SUM(1)", "＝1+1", "＋1", "－1", "\u22121", "＠A"]


def test_csv_quotes_formulas_behind_invisible_characters() -> None:
    read = list(csv.reader(io.StringIO(as_csv([FORMULAS]).removeprefix("\ufeff"), newline="")))
    assert read == [[f"'{cell}" for cell in FORMULAS]]
