"""Imports from other programs: branches, reports, duplicates and size limits."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.chats.chat_organizer import ARCHIVE
from app.chats.exporting import Export, ExportFormat
from app.chats.importing import Import, Report
from app.chats.importing import import_reader as reading
from app.chats.importing.job import undo
from app.store import ChatRecord, Message, Store, new_id
from app.store.portable import FORMAT, VERSION, chat_to_json
from tests.app import generated
from tests.app.chats import exports
from tests.waiting import until


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "chats.db") as opened:
        yield opened


def take(store: Store, *paths: Path) -> Report:
    return Import(paths, "guide").run(store)


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def tree(store: Store, chat: ChatRecord) -> list[Any]:
    messages = store.messages(chat.id)

    def below(parent: str | None) -> list[Any]:
        return [(m.role, m.content, *below(m.id)) for m in messages if m.parent_id == parent]

    return below(None)


def test_export_and_import_are_lossless(store: Store, tmp_path: Path):
    made = generated.chats(60, seed=2)
    generated.keep(store, made)
    before = generated.everything(store)
    path = Export(list(before), ExportFormat.JSON, tmp_path / "a.json").run(
        store, threading.Event()
    )
    written = json.loads(path.read_text(encoding="utf-8"))
    assert (written["format"], written["version"]) == ("stretto-chats", 1)
    with Store.open(tmp_path / "other.db") as other:
        report = take(other, path)
        assert generated.everything(other) == before
        assert {*other.folders.list_all()} == {*generated.FOLDERS}
        assert undo(other, report.imported, threading.Event(), report.folders) == (60, 0)
        assert (other.chats(), other.folders.list_all()) == ([], [])
        report = take(other, path)
        assert not report.details()
        assert len(report.imported) == 60
        other.flush()
    with Store.open(tmp_path / "other.db") as again:
        assert generated.everything(again) == before


def test_repeated_import_adds_nothing(store: Store, tmp_path: Path):
    path = write(tmp_path / "conversations.json", exports.claude())
    assert len(take(store, path).imported) == 2
    before = generated.everything(store)
    chat = next(iter(before))
    store.trash.delete(chat)
    report = take(store, path)
    assert report.imported == []
    assert (report.known, len(report.details())) == (2, 1)
    store.trash.restore(chat)
    assert generated.everything(store) == before


RUN = "```python\n1+1\n```\n\n```\n2\n```\n\nTwo."


def test_chatgpt_branches_reasoning_and_results_are_kept(store: Store, tmp_path: Path):
    report = take(store, write(tmp_path / "x.json", exports.chatgpt()))
    (chat,) = store.chats()
    assert tree(store, chat) == [
        ("user", "How many roots?", ("assistant", "One.")),
        (
            "user",
            "See",
            ("assistant", RUN, ("user", "Sure?", ("assistant", "Yes."), ("assistant", "No."))),
        ),
    ]
    assert [m.content for m in store.path(chat.id)] == ["See", RUN, "Sure?", "Yes."]
    assert (chat.title, chat.model) == ("Roots of a polynomial", "guide")
    assert (chat.created_at, chat.updated_at) == (1700000000.25, 1700000011.0)
    answer = store.path(chat.id)[1]
    assert (answer.reasoning, answer.model) == ("Weighing\n\nTwo roots.", "gpt-5-thinking")
    assert dict(report.skipped) == {"pictures": 1}


def in_a_loop(*pairs: tuple[str, str | None], current: str) -> list[Any]:
    def node(key: str, parent: str | None) -> dict[str, Any]:
        said = {"content_type": "text", "parts": [f"says {key}"]}
        message = {"author": {"role": "user"}, "create_time": 1.0, "content": said}
        return {"id": key, "parent": parent, "children": [], "message": message}

    mapping = {key: node(key, parent) for key, parent in pairs}
    return [{"title": "loop", "create_time": 1.0, "mapping": mapping, "current_node": current}]


@pytest.mark.parametrize(
    ("pairs", "current", "shown"),
    [
        ([("a", "a")], "a", "a"),
        ([("a", "b"), ("b", "a")], "a", "ba"),
        ([("a", "c"), ("b", "a"), ("c", "b"), ("d", "b")], "d", "cabd"),
        ([("a", None), ("b", "a"), ("x", "y"), ("y", "x")], "b", "ab"),
    ],
)
def test_import_loses_no_message_of_a_loop(
    store: Store, tmp_path: Path, pairs: list[tuple[str, str | None]], current: str, shown: str
):
    report = take(store, write(tmp_path / "a.json", in_a_loop(*pairs, current=current)))
    (chat,) = report.imported
    said = {message.content for message in store.messages(chat.id)}
    assert said == {f"says {key}" for key, _ in pairs}
    assert [m.content for m in store.path(chat.id)] == [f"says {key}" for key in shown]


def gpt(*messages: dict[str, Any], **more: Any) -> list[Any]:
    mapping, parent = {}, None
    for number, message in enumerate(messages):
        key = f"m{number}"
        mapping[key] = {"id": key, "parent": parent, "children": [], "message": message}
        parent = key
    head = {"title": "t", "create_time": 1700000000.0, "current_node": parent}
    return [{**head, "mapping": mapping, **more}]


def said(words: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [words]}
    return {"author": {"role": role}, "create_time": 1.0, "content": content, **more}


ASKED = said("Go", "user")


def answers(store: Store, path: Path, export: list[Any]) -> tuple[list[str], Report]:
    report = take(store, write(path / "conversations.json", export))
    (chat,) = report.imported
    return [m.content for m in store.path(chat.id) if m.role == "assistant"], report


CITE = "\ue200cite\ue202turn3search1\ue202turn3news2\ue201"
PAGE = {"title": "A [real] page", "url": "https://a.test/x_(y)"}
MARKED = {
    "unknown source": (f"Snow falls {CITE}.", {}, "Snow falls.", 1),
    "source": (
        f"Snow {CITE} falls.",
        {"content_references": [{"matched_text": CITE, "type": "webpage", "items": [PAGE]}]},
        "Snow ([A \\[real\\] page](<https://a.test/x_(y)>)) falls.",
        0,
    ),
    "sources of one mark": (
        f"So{CITE}",
        {
            "content_references": [
                {"matched_text": " ", "type": "sources_footnote", "sources": [PAGE]},
                {
                    "matched_text": CITE,
                    "items": [{"title": "B", "url": "https://b.test"}, {"url": "https://c.test"}],
                },
            ]
        },
        "So([B](https://b.test)) ([https://c.test](https://c.test))",
        0,
    ),
    "unsafe address": (
        f"So{CITE}",
        {"content_references": [{"matched_text": CITE, "url": "javascript:alert(1)"}]},
        "So",
        1,
    ),
    "words": (
        'In \ue200entity\ue202["city","Oslo","x"]\ue201, \ue203dark\ue204\ue206 nights.',
        {},
        "In Oslo, dark nights.",
        0,
    ),
    "address": ("See \ue200url\ue202the page\ue202https://d.test\ue201.", {},
                "See ([the page](https://d.test)).", 0),
    "file": ("Read \ue200filecite\ue202turn0file2\ue202L1-L9\ue201 now", {}, "Read now", 1),
    "pictures": ("\ue200image_group\ue202{\"query\":[]}\ue201\nSee.", {}, "\nSee.", 0),
    "no end": ("Rain \ue200cite\ue202turn1view0\ue202turn1view2 now", {}, "Rain now", 0),
    "half a mark": ("One \ue200cite two\ue202", {}, "One cite two", 0),
    "old": ("As told【4:2†report.pdf】, yes【3†source】", {}, "As told, yes", 2),
    "old with its source": (
        "As told【3†L1-L2】.",
        {"citations": [{"start_ix": 7, "end_ix": 16, "metadata": {**PAGE, "url": "https://e.test"}}]},
        "As told([A \\[real\\] page](https://e.test)).",
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MARKED)
def test_chatgpt_citations_become_links_or_are_removed(store: Store, tmp_path: Path, name: str):
    words, about, shown, lost = MARKED[name]
    found, report = answers(store, tmp_path, gpt(ASKED, said(words, metadata=about)))
    assert found == [shown]
    assert report.skipped["citations without an address"] == lost
    assert len(report.details()) == bool(lost)


def test_chatgpt_users_own_words_keep_their_marks(store: Store, tmp_path: Path):
    asked = said("What is 【3†source】?", "user")
    take(store, write(tmp_path / "c.json", gpt(asked, said("A mark."))))
    (chat,) = store.chats()
    assert store.path(chat.id)[0].content == "What is 【3†source】?"


@pytest.mark.parametrize(
    ("about", "more", "model"),
    [
        ({}, {"default_model_slug": "gpt-5-2"}, "gpt-5-2"),
        ({"default_model_slug": "o3"}, {"default_model_slug": "auto"}, "o3"),
        ({"model_slug": "o4-mini"}, {"default_model_slug": "gpt-5"}, "o4-mini"),
        ({}, {"default_model_slug": 5}, ""),
    ],
)
def test_chatgpt_answers_have_their_models(
    store: Store, tmp_path: Path, about: dict[str, str], more: dict[str, Any], model: str
):
    take(store, write(tmp_path / "c.json", gpt(ASKED, said("Gone.", metadata=about), **more)))
    (chat,) = store.chats()
    assert [m.model for m in store.path(chat.id)] == ["", model]


def canvas(tool: str, **call: Any) -> dict[str, Any]:
    return said(json.dumps(call), recipient=f"canmore.{tool}_textdoc")


DONE = {**said("Done."), "author": {"role": "tool", "name": "canmore.create_textdoc"}}


def test_chatgpt_canvas_is_a_block_of_code(store: Store, tmp_path: Path):
    whole = [{"pattern": ".*", "multiple": False, "replacement": "print(2)"}]
    part = [{"pattern": "2", "multiple": False, "replacement": "3"}]
    export = gpt(
        ASKED,
        canvas("create", name="count.py", type="code/python", content="print(1)"),
        DONE,
        said("There."),
        said("Two!", "user"),
        canvas("update", updates=whole),
        said("More.", "user"),
        canvas("update", updates=part),
        said("Changed."),
        said("A letter?", "user"),
        canvas("create", name="Letter", type="document", content="# Dear"),
    )
    found, report = answers(store, tmp_path, export)
    assert found == [
        "count.py\n\n```python\nprint(1)\n```\n\nThere.",
        "```\nprint(2)\n```",
        "Changed.",
        "Letter\n\n```markdown\n# Dear\n```",
    ]
    assert sum(report.skipped.values()) == 1


def test_chatgpt_import_reports_omissions(store: Store, tmp_path: Path):
    profile = {"content_type": "user_editable_context", "user_instructions": "Be kind."}
    picture = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer"}, {"content_type": "hologram"}],
    }
    drawn = {**said(""), "author": {"role": "tool", "name": "dalle.text2im"}, "content": picture}
    recap = {"content_type": "reasoning_recap", "content": "Thought for 4 s"}
    found, report = answers(
        store,
        tmp_path,
        gpt(
            {
                **said("", "system"),
                "content": profile,
                "metadata": {"is_user_system_message": True},
            },
            ASKED,
            {**said(""), "content": recap},
            said('{"prompt": "a cat"}', recipient="dalle.text2im"),
            drawn,
            {**said(""), "content": {"content_type": "app_pairing_content", "x": 1}},
            said("A cat."),
        ),
    )
    assert found == ["A cat."]
    assert (sorted(report.skipped.values()), len(report.details())) == ([1, 1, 1, 1, 2], 5)


def claude_chat(*parts: Any, **more: Any) -> list[Any]:
    at = "2026-03-05T00:00:01Z"
    human = {"uuid": "q", "sender": "human", "text": "Go", "created_at": at}
    answer = {"uuid": "a", "sender": "assistant", "content": list(parts), "created_at": at, **more}
    return [{"uuid": "c", "name": "n", "created_at": at, "chat_messages": [human, answer]}]


def artifact(command: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": "artifacts", "input": {"command": command, **given}}


OK = {"type": "tool_result", "name": "artifacts", "content": [{"type": "text", "text": "OK"}]}


def test_claude_artifacts_are_blocks_of_code(store: Store, tmp_path: Path):
    kind = "application/vnd.ant.code"
    made = artifact("create", id="x", type=kind, language="python", title="One", content="a = 1")
    found, report = answers(
        store,
        tmp_path,
        claude_chat(
            {"type": "text", "text": "See:"},
            made,
            OK,
            artifact("update", id="x", old_str="1", new_str="2", language="python"),
            OK,
            artifact("update", id="x", old_str="nowhere", new_str="3"),
            {
                "type": "tool_use",
                "name": "create_file",
                "input": {"path": "/b.sh", "file_text": "ls"},
            },
            OK,
            {"type": "tool_use", "name": "web_search", "input": {}},
            {"type": "tool_result", "name": "web_search", "content": []},
        ),
    )
    assert found == [
        "See:\n\nOne\n\n```python\na = 1\n```\n\n```python\na = 2\n```\n\n/b.sh\n\n```sh\nls\n```"
    ]
    assert sorted(report.skipped.values()) == [1, 2]


def test_claude_older_artifacts_citations_and_model(store: Store, tmp_path: Path):
    old = (
        'So: <antArtifact identifier="d" type="text/html" title="Page">\n<b>x</b>\n</antArtifact>'
        " Good?"
    )
    cited = {
        "type": "text",
        "text": "It rains. It snows.",
        "citations": [
            {"end_index": 9, "details": {"url": "https://a.test", "title": "A"}},
            {"end_index": 900, "details": {"url": "https://b.test"}},
        ],
    }
    export = claude_chat({"type": "text", "text": old}, cited, model="claude-x")
    found, _ = answers(store, tmp_path, export)
    assert found == [
        "So: \n\nPage\n\n```html\n<b>x</b>\n```\n\n Good?\n\n"
        "It rains. ([A](https://a.test)) It snows."
    ]
    (chat,) = store.chats()
    assert store.path(chat.id)[1].model == "claude-x"


def test_claude_with_attachments_and_with_branches(store: Store, tmp_path: Path):
    report = take(store, write(tmp_path / "x.json", exports.claude()))
    second, first = store.chats()
    attached = "Read this\n\nboat.txt:\n\n````\nRow ``` row\n````"
    assert tree(store, first) == [("user", attached, ("assistant", "A boat."))]
    assert store.messages(first.id)[1].reasoning == "It is a boat."
    assert first.created_at == pytest.approx(1741064767.89)
    assert tree(store, second) == [
        ("user", "One?", ("assistant", "First."), ("assistant", "Second."))
    ]
    assert dict(report.skipped) == {"tool calls and results": 2, "attached files": 1}


def test_open_webui_with_two_models(store: Store, tmp_path: Path):
    take(store, write(tmp_path / "x.json", exports.webui()))
    (chat,) = store.chats()
    assert tree(store, chat) == [
        ("user", "Hello", ("assistant", "Hi."), ("assistant", "Hello there."))
    ]
    answer = store.path(chat.id)[-1]
    assert (answer.content, answer.model) == ("Hello there.", "Qwen 3")
    assert answer.reasoning == "It is a\ngreeting & more"
    assert chat.system == "Be kind."


def test_lm_studio_continues_from_shown_version(store: Store, tmp_path: Path):
    folder = tmp_path / "conversations" / "work"
    folder.mkdir(parents=True)
    write(folder / "1720000000000.conversation.json", exports.lmstudio())
    report = take(store, folder.parent)
    (chat,) = store.chats()
    assert tree(store, chat) == [
        ("user", "Sort it", ("assistant", "Old."), ("assistant", "New.", ("user", "And now?")))
    ]
    answer = store.path(chat.id)[1]
    assert (answer.reasoning, answer.model, answer.created_at) == ("Hm.", "qwen3-4b", 1720000001.0)
    assert (chat.system, chat.created_at) == ("Short.", 1720000000.0)
    assert report.skipped["attached files"] == 2


def test_import_reads_archive_without_unpacking(store: Store, tmp_path: Path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", json.dumps({"id": "u"}))
        archive.writestr("conversations-000.json", json.dumps(exports.chatgpt()))
        archive.writestr("conversations-001.json", json.dumps(exports.claude()))
        archive.writestr("__MACOSX/conversations.json", "x")
    report = take(store, path)
    assert (len(report.imported), report.faults) == (3, [])


def test_damaged_chats_are_reported_and_others_imported(store: Store, tmp_path: Path):
    good = json.dumps(exports.claude())
    (tmp_path / "cut.json").write_text(good[:-20] + "\x00")
    (tmp_path / "none.json").write_bytes(b"\xff\xfe not json")
    (tmp_path / "odd.json").write_text('[1, {"mapping": {}}, {"a": 1}, {"mapping": {"x": 5}}]')
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04 and no more")
    report = take(store, *sorted(tmp_path.glob("*.json")), tmp_path / "cut.zip", tmp_path / "gone")
    assert [chat.title for chat in report.imported] == ["A boat"]
    words = "\n".join(report.faults)
    for name in (
        "cut.json",
        "none.json",
        "odd.json, chat 1",
        "odd.json, chat 3",
        "cut.zip",
        "gone",
    ):
        assert name in words
    assert report.skipped["empty conversations"] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"create_time": "yesterday", "update_time": True, "title": ["x"], "current_node": 7},
        {"mapping": {"a": {"parent": "b", "message": None}, "b": {"parent": "a", "message": {}}}},
        {"mapping": {"a": {"parent": "a", "message": {"content": {"parts": 5}, "author": 1}}}},
        {
            "mapping": {
                "a": {"message": {"author": {"role": "user"}, "content": {"content_type": 3}}}
            }
        },
        {"create_time": 1e300, "mapping": {"\0": []}},
    ],
)
def test_unexpected_value_types_do_no_harm(store: Store, tmp_path: Path, change):
    odd = {**exports.chatgpt()[0], **change}
    fine = {**exports.chatgpt()[0], "conversation_id": "another"}
    report = take(store, write(tmp_path / "x.json", [odd, fine]))
    assert store.chat(report.imported[-1].id) is not None
    assert [m.content for m in store.path(report.imported[-1].id)][-1] == "Yes."


def test_newer_version_of_our_format_is_refused(store: Store, tmp_path: Path):
    later = {"format": "stretto-chats", "version": 2, "chats": [{"id": "a"}, {"id": "b"}]}
    report = take(store, write(tmp_path / "x.json", later))
    assert (report.imported, len(report.faults)) == ([], 1)
    wrong = {**later, "version": 1}
    report = take(store, write(tmp_path / "x.json", wrong))
    assert any("x.json, chat 1" in fault for fault in report.faults)


def test_messages_of_other_chats_are_not_written_over(store: Store, tmp_path: Path):
    chat = ChatRecord(new_id())
    mine = Message(new_id(), chat.id, None, "user", "mine")
    store.save_chat(chat)
    store.save_message(mine, as_leaf=True)
    theirs = {"id": mine.id, "role": "user", "content": "theirs"}
    made = {"id": "other", "messages": [theirs], "leaf_id": mine.id}
    again = {**made, "id": "third", "messages": [{**theirs, "id": "x"}]}
    file = {"format": "stretto-chats", "version": 1, "chats": [made, again, {**again, "id": "4"}]}
    take(store, write(tmp_path / "x.json", file))
    assert [m.content for m in store.path(chat.id)] == ["mine"]
    theirs_now = [c.id for c in store.chats() if c.id != chat.id]
    assert len(theirs_now) == 3
    for chat_id in theirs_now:
        assert [m.content for m in store.path(chat_id)] == ["theirs"]


def test_imported_ids_are_replaced(store: Store, tmp_path: Path):
    """Regression test: an imported chat kept its id, which could collide with an internal key of
    the engine, and a folder named "archive" became the sidebar's archive.
    """
    said = [
        {"id": "a", "role": "user", "content": "one"},
        {"id": "b", "parent_id": "a", "role": "assistant", "content": "two"},
        {"id": "c", "parent_id": "a", "role": "assistant", "content": "three"},
    ]
    folders = [
        {"id": ARCHIVE, "name": "Mine", "parent_id": None},
        {"id": "within", "name": "In it", "parent_id": ARCHIVE},
    ]
    own = new_id()
    chats = [
        {"id": name, "messages": said, "leaf_id": "b", "folder_id": "within", "edited_id": "a"}
        for name in ("prefix 1", "draft x", "../x", "A" * 32, own)
    ]
    file = {"format": "stretto-chats", "version": 1, "folders": folders, "chats": chats}
    path = write(tmp_path / "x.json", file)
    taken = take(store, path).imported
    assert len(taken) == 5
    assert taken[-1].id == own
    names = [*(c.id for c in taken), *(f.id for f in store.folders.list_all())]
    assert len({*names}) == 7
    for chat in taken:
        path_of = store.path(chat.id)
        assert [m.content for m in path_of] == ["one", "two"]
        assert chat.edited_id == path_of[0].id
        names += [m.id for m in store.messages(chat.id)]
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in names)
    (outer,) = [f for f in store.folders.list_all() if f.parent_id is None]
    (inner,) = [f for f in store.folders.list_all() if f.parent_id is not None]
    assert {c.folder_id for c in taken} == {inner.id}
    assert inner.parent_id == outer.id
    again = take(store, path)
    assert (again.known, again.imported, again.folders) == (5, [], [])


def test_undo_of_import_trashes_continued_chats(store: Store, tmp_path: Path):
    mine = ChatRecord(new_id(), "mine")
    store.save_chat(mine)
    path = write(tmp_path / "x.json", exports.claude())
    taken = take(store, path).imported
    message = Message(new_id(), taken[0].id, taken[0].leaf_id, "user", "and on")
    store.save_message(message, as_leaf=True)
    assert undo(store, taken, threading.Event()) == (1, 1)
    assert store.chats() == [mine]
    assert [chat.id for chat in store.trash.chats()] == [taken[0].id]
    assert store.search("boat") == []
    assert len(take(store, path).imported) == 1  # treated as a first import
    store.flush()
    assert len(store.chats()) == 2


def test_imported_text_is_searchable(store: Store, tmp_path: Path):
    take(store, write(tmp_path / "x.json", exports.claude()))
    until(lambda: store.is_settled)
    assert store.search("Second")
    assert store.search("row")


def test_too_long_conversation_is_skipped(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(reading, "ITEM_LIMIT", 200_000)
    long = exports.claude()[0] | {"uuid": "long", "summary": ["x" * 1000] * 300}
    picture = exports.claude()[0] | {
        "uuid": "picture",
        "summary": "data:image/png;" + "A" * 150_000,
    }
    report = take(store, write(tmp_path / "x.json", [long, picture, *exports.claude()]))
    assert len(report.imported) == 3
    assert len(report.faults) == 1
    endless = tmp_path / "endless.json"
    endless.write_text('["' + "x" * 1_000_000)
    assert len(take(store, endless).faults) == 1
    (tmp_path / "deep.json").write_text("[" * 100_000)
    assert len(take(store, tmp_path / "deep.json").faults) == 1


def test_queued_chats_count_as_imported(store: Store, tmp_path: Path):
    path = write(tmp_path / "x.json", exports.claude())
    store.flush()
    transactions = store.writer._transactions
    before = transactions.before

    def refuse() -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    transactions.before = refuse
    report = take(store, path)
    transactions.before = before
    assert len(report.faults) == 1
    assert sorted(chat.id for chat in report.imported) == sorted(chat.id for chat in store.chats())
    store.flush()
    assert len(store.chats()) == 2


def test_stopped_import_reports_imported_chats(store: Store, tmp_path: Path):
    work = Import([write(tmp_path / "x.json", exports.claude())])
    work.stop.set()
    report = work.run(store)
    assert (report.imported, report.stopped) == ([], True)


def imported_apart(tmp_path: Path, *data: bytes, name: str = "a.json") -> list[dict[str, Any]]:
    """Run imports in a child process, since they may hang or crash, and return their results."""
    files = []
    for number, content in enumerate(data):
        (folder := tmp_path / str(number)).mkdir(exist_ok=True)
        files.append(folder / name)
        if name.endswith(".zip"):
            with zipfile.ZipFile(files[-1], "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("conversations.json", content)
        else:
            files[-1].write_bytes(content)
    code = """
import json, sys
from pathlib import Path
from app.chats.importing import Import
from app.store import Store
for file in map(Path, sys.argv[1:]):
    with Store.open(file.with_suffix(".db")) as store:
        report = Import([file], "guide").run(store)
        told = {"titles": [c.title for c in report.imported], "told": report.details()}
        told["times"] = [c.created_at for c in report.imported]
        told["texts"] = [m.content for c in report.imported for m in store.messages(c.id)]
    print(json.dumps(told), flush=True)
"""
    command = [sys.executable, "-c", code, *map(str, files)]
    done = subprocess.run(command, capture_output=True, timeout=300, text=True, check=False)
    told: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"after {len(told)}: {done.stderr[-2000:]}"
    assert len(told) == len(data)
    return told


@pytest.mark.parametrize(("before", "name"), [(0, "a.json"), (64_000, "a.zip")])
def test_endless_number_does_not_crash_import(tmp_path: Path, before: int, name: str):
    """The compiled parser crashes on integers that Python refuses, so it must never see them.

    Chats before the number are imported, and the rest is reported.
    """
    first, second = (dict(exports.claude()[0], uuid=f"{n}", name=f"chat {n}") for n in (1, 2))
    first["summary"] = "x" * before
    text = json.dumps([first, second | {"weight": "HERE"}, first | {"uuid": "3"}])
    nines = ["9" * 700, "9" * 5000, "-" + "9" * 5000, "9" * 70_000, "1e99999999999999999999"]
    data = [text.replace('"HERE"', number).encode() for number in nines]
    readable, *others = imported_apart(tmp_path, *data, name=name)
    assert readable["titles"] == ["chat 1", "chat 2", "chat 1"]
    for told, number in zip(others, nines[1:], strict=True):
        assert told["titles"] == ["chat 1"], number[:30]
        assert ["damaged after chat 1" in words for words in told["told"]][-1:] == [True]


def test_digits_in_text_stay_text(store: Store, tmp_path: Path):
    """Input that the fast parser can't handle is parsed once, completely, by the careful parser."""
    chats = [dict(exports.claude()[0], uuid=f"{n}", name=f"chat {n}") for n in range(5)]
    chats[3] = json.loads(json.dumps(chats[3]).replace("Sort", "3" * 90_000))
    chats[3]["chat_messages"][0]["content"] = [{"type": "text", "text": "1" * 90_000}]
    report = take(store, write(tmp_path / "a.json", chats))
    assert [chat.title for chat in report.imported] == [f"chat {n}" for n in range(5)]
    texts = [m.content for chat in report.imported for m in store.messages(chat.id)]
    assert any("1" * 90_000 in text for text in texts)


def test_invalid_time_does_not_block_import(tmp_path: Path):
    """Regression test: infinity divided by 1,000 is still infinity, so the import never ended."""
    chat = exports.chatgpt()[0] | {"create_time": "HERE", "update_time": "HERE"}
    moments = ["1e400", "-1e400", "9" * 400, "1e300", "-5", "1e-400", "NaN"]
    data = [json.dumps([chat]).replace('"HERE"', moment).encode() for moment in moments]
    *none, no_json = imported_apart(tmp_path, *data)
    for told, moment in zip(none, moments, strict=False):
        assert len(told["titles"]) == 1, moment[:30]
        assert told["times"] == [0.0], moment[:30]
    assert no_json["titles"] == []
    assert no_json["told"]


def test_own_file_without_chats_is_reported(store: Store, tmp_path: Path):
    told = {"format": FORMAT, "version": VERSION, "stahc": []}
    report = take(store, write(tmp_path / "a.json", told))
    assert len(report.faults) == 1


def test_names_of_a_million_characters_are_shortened(store: Store, tmp_path: Path):
    """The list lays out whole titles when painting: two million characters took three seconds."""
    long = "word " * 200_000
    chat = ChatRecord(new_id(), long, model=f"/{long}", tags=(long, *map(str, range(10_000))))
    message = Message(new_id(), chat.id, None, "assistant", "x", model=long)
    ours = {
        "format": FORMAT,
        "version": VERSION,
        "folders": [{"id": "f", "name": long, "parent_id": None}],
        "chats": [chat_to_json(replace(chat, folder_id="f"), [message])],
    }
    files = [write(tmp_path / "ours.json", ours)]
    for name, export in (("chatgpt", exports.chatgpt()), ("claude", exports.claude())):
        title = "title" if name == "chatgpt" else "name"
        files.append(write(tmp_path / f"{name}.json", [export[0] | {title: long}]))
    report = take(store, *files)
    assert len(report.imported) == 3
    for kept in store.chats():
        assert 0 < len(kept.title) <= 1_000
        assert len(kept.model) <= 10_000
        assert len(kept.tags) <= 50
        assert max(map(len, kept.tags), default=0) <= 1_000
        assert all(len(m.model) <= 1_000 for m in store.messages(kept.id))
    assert [len(folder.name) for folder in store.folders.list_all()] == [1_000]
    with closing(sqlite3.connect(store.file)) as db:  # as written by another program
        db.execute("UPDATE chats SET title = ?", (long,))
        db.commit()
    assert {len(kept.title) for kept in store.chats()} == {1_000}


def test_too_long_draft_becomes_a_file(store: Store, tmp_path: Path):
    """A text field lays out its whole content immediately. No text is lost."""
    long = "word " * 300_000
    chat = ChatRecord(new_id(), "t", draft=long, edited_id="q", edited_text=long + "2")
    message = Message("q", chat.id, None, "user", "why")
    ours = {"format": FORMAT, "version": VERSION, "chats": [chat_to_json(chat, [message])]}
    report = take(store, write(tmp_path / "a.json", ours))
    assert report.details() == []
    (kept,) = store.chats()
    assert (kept.draft, kept.edited_text) == ("", "")
    for files, text in ((kept.draft_attachments, long), (kept.edited_attachments, long + "2")):
        (file,) = files
        assert file.characters == len(text)
        found = store.texts.get(file.hash)
        assert found.pages == (text,)
