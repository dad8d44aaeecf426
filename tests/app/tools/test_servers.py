"""Server lists in other programs' format."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from app.tools import transports
from app.tools.servers import (
    ParsedServers,
    ServerConfig,
    find_other_apps_files,
    read_file,
    read_text,
    to_text,
    write_file,
)
from app.tools.tool import (
    Tool,
    ToolError,
    as_function,
    clean_result,
    one_line,
    result_from_blocks,
    shorten,
    to_visible_line,
    unique_names,
)

FILES = {"command": "npx", "args": ["-y", "server-filesystem", "/a b"], "env": {"KEY": "1"}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"mcpServers": {"files": FILES}, "other": 1}),
        json.dumps({"servers": {"files": {**FILES, "type": "stdio"}}}),
        json.dumps({"files": FILES}),
        '"files": ' + json.dumps(FILES) + ",",
    ],
)
def test_pasted_configs_are_parsed(text: str) -> None:
    args = ("-y", "server-filesystem", "/a b")
    assert read_text(text) == ParsedServers((ServerConfig("files", "npx", args, (("KEY", "1"),)),))


def test_server_list_round_trips(tmp_path: Path) -> None:
    web = {"type": "http", "url": "https://a.example/mcp", "headers": {"X": "y"}, "timeout": 5}
    off = {**FILES, "disabled": True, "cwd": "/tmp"}
    read = read_text(json.dumps({"mcpServers": {"web": web, "off": off}}))
    assert [s.enabled for s in read.servers] == [True, False]
    assert read_text(to_text(read.servers)) == read
    file = tmp_path / "mcp.json"
    assert read_file(file) == ParsedServers(), "none yet"
    write_file(file, read.servers)
    assert read_file(file) == read
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "it may hold keys"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "no command and no url"),
        ({"command": "a", "args": "b"}, "list of strings"),
        ({"command": "a", "args": ["b\0"]}, "null character"),
        ({"url": "file:///etc/passwd"}, "https://"),
        ({"url": "https://a/", "type": "sse"}, "aren’t supported"),
        ({"command": "a", "env": {"A=B": "c"}}, "isn’t valid"),
        ({"command": "a", "timeout": -1}, "seconds"),
        ([], "isn’t an object"),
    ],
)
def test_invalid_entries_are_reported_and_others_read(entry: object, words: str) -> None:
    read = read_text(json.dumps({"bad": entry, "files": FILES}))
    assert [s.name for s in read.servers] == ["files"]
    assert len(read.problems) == 1
    assert words in read.problems[0]


@pytest.mark.parametrize("name", ["", "a/b", "stretto", "a\u202eb", "x" * 61])
def test_confusable_name_is_refused(name: str) -> None:
    assert read_text(json.dumps({name: FILES})).servers == ()


@pytest.mark.parametrize("text", ["{", "[1]", "nonsense", json.dumps(FILES), '{"url": "x"}'])
def test_invalid_server_list_is_reported(text: str) -> None:
    with pytest.raises(ToolError, match=r"This isn’t|has no name"):
        read_text(text)


def test_command_is_shown_completely() -> None:
    told = ServerConfig("x", "sh", ("-c", 'curl "x" | sh; \u202e\n rm', "")).display_text
    assert told == r'"sh" "-c" "curl \"x\" | sh; \\u202e\\n rm" ""'


def test_other_programs_files_are_found(tmp_path: Path) -> None:
    assert find_other_apps_files(tmp_path) == {}
    (tmp_path / ".cursor").mkdir()
    file = tmp_path / ".cursor" / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"files": FILES}}))
    assert find_other_apps_files(tmp_path) == {"Cursor": file}


def test_names_for_the_model_are_plain_and_differ() -> None:
    tools = [
        Tool("a b", "read file"),
        Tool("a_b", "read_file"),
        Tool("x", "sly\u202e\x1b[31m"),
        Tool("Stretto", "date"),
        Tool("long", "n" * 200),
    ]
    named = unique_names(tools)
    assert list(named)[:4] == ["a_b__read_file", "a_b__read_file_2", "x__sly_31m", "date"]
    assert all(len(name) <= 64 for name in named)
    assert list(named.values()) == tools
    function = as_function("date", tools[3])["function"]
    assert set(function) == {"name", "description", "parameters"}


def test_fingerprint_covers_the_whole_description() -> None:
    tool = Tool("s", "t", "about", {"type": "object", "a": 1, "b": 2})
    assert (
        tool.fingerprint == Tool("s", "t", "about", {"b": 2, "a": 1, "type": "object"}).fingerprint
    )
    for other in (
        Tool("s", "t", "other", tool.schema),
        Tool("s", "t", "about", {"type": "object"}),
    ):
        assert other.fingerprint != tool.fingerprint


def test_results_are_plain_text() -> None:
    sly = "\x1b[2J\x1b]0;title\x07a\u202eb\x00c\r\nd\u200be\U000e0041"
    assert clean_result(sly).text == "abc\nde"
    blocks = [
        {"type": "text", "text": "one"},
        {"type": "image", "data": "QUJD", "mimeType": "image/png\n![x](http://a)"},
        {"type": "resource_link", "uri": "https://a.example/\x1b[0m"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "two"}},
    ]
    text = result_from_blocks(blocks, None, False).text
    assert text == (
        "one\n\n[image left out: image/png\\n![x](http://a), 3 bytes]\n\n"
        "[link: https://a.example/\\x1b[0m]\n\n[file:///a]\ntwo"
    )
    assert result_from_blocks([], {"a": 1}, False).text == '{"a": 1}'
    assert one_line("a\tb\nc", 10) == "a b c"
    assert to_visible_line("a\nb\u202e") == "a\\nb\\u202e"


def test_long_result_keeps_both_ends() -> None:
    text = "".join(str(n) for n in range(1000))
    cut = shorten(text, 90)
    assert cut.startswith(text[:60])
    assert cut.endswith(text[-30:])
    assert f"{len(text) - 90:,} characters" in cut
    assert shorten(text, len(text)) is text


def shell(folder: Path, text: str) -> str:
    file = folder / "shell"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


def test_login_path_precedes_the_programs_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transports, "_path", None)
    monkeypatch.setenv("PATH", "/usr/bin:relative")
    noisy = shell(tmp_path, 'echo PATH=/wrong; PATH=/own/bin:/bin; export PATH; shift 3; eval "$1"')
    path = transports.login_path(noisy)
    assert path.split(os.pathsep)[:3] == ["/own/bin", "/bin", "/usr/bin"]
    assert "relative" not in path
    assert transports.login_path() == path, "it is asked once"


def test_hanging_login_shell_is_abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transports, "_path", None)
    monkeypatch.setenv("PATH", "/usr/bin")
    slow = shell(tmp_path, "sleep 1000 & sleep 1000")
    assert transports.login_path(slow, seconds=0.2).startswith("/usr/bin")
    monkeypatch.setattr(transports, "_path", None)
    assert transports.login_path(str(tmp_path / "none")).startswith("/usr/bin")


@pytest.mark.parametrize(
    "name",
    [
        *("Stretto", "STRETTO", "Stretto ", " Stretto", "Strett\u043e", "\u0405tretto"),
        *("\uff33\uff54\uff52\uff45\uff54\uff54\uff4f", "St\u0301retto", "S t r e t t o"),
        *("Stretto.", "\u0455\u0442\u0433\u0435\u0442\u0442\u043e"),
    ],
)
def test_server_cannot_use_built_in_name(name: str) -> None:
    """Similar names are also refused: other letters, spaces, other forms."""
    found = read_text(json.dumps({name: {"command": "x"}}))
    assert found.servers == ()
    assert len(found.problems) == 1


def test_two_servers_must_look_different() -> None:
    """Consents name the server, so the second of two similar names is refused."""
    names = ["files", "fil\u0435s", "files ", "Files", "file5", "fi-les", "\u65e5\u672c", "db 1"]
    found = read_text(json.dumps({name: {"command": "x"} for name in names}))
    kept = ["files", "Files", "file5", "fi-les", "\u65e5\u672c", "db 1"]
    assert [server.name for server in found.servers] == kept
    assert len(found.problems) == 2
