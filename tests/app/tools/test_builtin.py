"""Built-in tools, and attacks on them."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.settings import language
from app.settings.paths import short_path
from app.tools import granted_folders
from app.tools.builtin import (
    DATE,
    HELPERS,
    PYTHON,
    STANDARD,
    CallContext,
    Obstacle,
    builtin_tool,
    calculate,
)
from app.tools.consent import Grant
from app.tools.granted_folders import Matcher
from app.tools.tool import Outcome, OutcomeKind, ToolError, to_readable_json
from app.tools.toolbox import BuiltinTools


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("(1 + 2) ** 10 / 3", "19683"),
        ("2^0.5 * sqrt(2)", "2.0000000000000004"),
        ("-7 // 2", "-4"),
        ("round(pi, 4)", "3.1416"),
        ("max(1, 2, 3) - gcd(12, 18)", "-3"),
    ],
)
def test_arithmetic(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "().__class__",
        "9 ** 9 ** 9",
        "10 ** 100000",
        "1 / 0",
        "[1] * 10",
        "'a' * 1000",
        "lambda: 1",
        "(" * 500 + "1" + ")" * 500,
        "",
        "1 if True else 2",
        "2 ** -0.5 ** 1000 + x",
        "round(1.5, ndigits=1)",
    ],
)
def test_calculator_refuses_anything_but_arithmetic(expression: str) -> None:
    with pytest.raises(ToolError):
        calculate(expression)


def test_calculator_functions_have_bounded_cost() -> None:
    """Rounding holds the GIL, so rounding to a huge number of digits must be fast.

    The child may use ten seconds of CPU time. One of these cases took hours.
    """
    cases = {
        "round(7, -10**9)": "0",
        "round(2**2000, -10**1000)": "0",
        "round(15, -1)": "20",
        "round(7, 10**1000)": "7",
        "round(2.675, 10**9)": "2.675",
        "round(1234.5, -10**9)": "0",
    }
    code = (
        "import json, resource, sys; resource.setrlimit(resource.RLIMIT_CPU, (10, 10));"
        "from app.tools.builtin import calculate;"
        "print(json.dumps([calculate(each) for each in json.loads(sys.argv[1])]))"
    )
    command = [sys.executable, "-c", code, json.dumps(list(cases))]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-500:]
    assert json.loads(ran.stdout) == list(cases.values())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret")
    root = tmp_path / "granted"
    (root / "inner").mkdir(parents=True)
    (root / "a.txt").write_text("one\nTwo words\n")
    (root / "inner" / "b.md").write_text("words again\n")
    (root / "out").symlink_to(tmp_path)
    (root / "link").symlink_to(tmp_path / "secret")
    return root


def grant(folder: Path, writable: bool = False) -> list[Grant]:
    return [Grant("chat", folder.resolve(), writable, 0.0)]


def test_files_are_listed_read_and_searched(tree: Path) -> None:
    grants = grant(tree)
    assert str(tree) in str(granted_folders.list_folder("", grants))
    assert granted_folders.list_folder(str(tree), grants) == "a.txt  14 bytes\ninner/"
    assert granted_folders.read_file("inner/b.md", grants) == "words again\n"
    assert granted_folders.read_file(f"{tree}/a.txt", grants) == "one\nTwo words\n"
    found = granted_folders.search_files("*", "WORDS", "", grants)
    assert found == f"{tree}/a.txt:2: Two words\n{tree}/inner/b.md:1: words again"
    assert granted_folders.search_files("*.md", "", "", grants) == f"{tree}/inner/b.md"
    nothing = Outcome(OutcomeKind.NOTHING_FOUND, "Nothing was found.")
    assert granted_folders.search_files("*.pdf", "", "", grants) == nothing
    (tree / "empty").mkdir()
    empty = Outcome(OutcomeKind.EMPTY_FOLDER, "(empty)")
    assert granted_folders.list_folder("empty", grants) == empty


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "inner/../../secret",
        "link",
        "out/secret",
        "{tree}/../secret",
        "{tree}/link",
        "/etc/passwd",
        "{tree}x/secret",
        "inner",
        "none",
        "a\0b",
        "file:///etc/passwd",
        "",
    ],
)
def test_files_outside_granted_folder_are_not_read(tree: Path, path: str) -> None:
    Path(f"{tree}x").mkdir()
    (Path(f"{tree}x") / "secret").write_text("secret")
    with pytest.raises(ToolError):
        granted_folders.read_file(path.format(tree=tree), grant(tree))


def test_reading_needs_a_grant(tree: Path) -> None:
    with pytest.raises(ToolError, match="isn’t in a folder"):
        granted_folders.read_file(f"{tree}/a.txt", [])
    assert granted_folders.list_folder("", []) == Outcome(
        OutcomeKind.NO_FOLDERS, "No folder has been granted in this chat."
    )


def test_search_follows_no_link(tree: Path) -> None:
    assert "secret" not in str(granted_folders.search_files("*", "secret", "", grant(tree)))


def test_binary_file_is_not_read(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    (tree / "binary").write_bytes(b"\0\1\2")
    for name in ("pipe", "binary"):
        with pytest.raises(ToolError, match="isn’t a text file"):
            granted_folders.read_file(name, grant(tree))


def test_folder_swapped_with_link_is_not_followed(tree: Path) -> None:
    """Swap a folder with a link while files are read. The outside file must never be returned."""
    (tree / "inner" / "secret").write_text("inside")
    stop = threading.Event()

    def exchange() -> None:
        while not stop.is_set():
            os.rename(tree / "inner", tree / "aside")
            os.symlink(tree.parent, tree / "inner")
            os.unlink(tree / "inner")
            os.rename(tree / "aside", tree / "inner")

    thread = threading.Thread(target=exchange)
    thread.start()
    seen = set()
    try:
        for _ in range(2000):
            try:
                seen.add(granted_folders.read_file("inner/secret", grant(tree)))
            except ToolError:
                seen.add("refused")
    finally:
        stop.set()
        thread.join()
    assert "secret" not in seen


def test_file_is_written_after_its_diff_was_shown(tree: Path) -> None:
    grants = grant(tree, writable=True)
    shown = granted_folders.difference("a.txt", "one\nthree\n", grants)
    assert "-Two words" in shown.text
    assert "+three" in shown.text
    granted_folders.write_file("a.txt", "one\nthree\n", shown.digest, grants)
    assert (tree / "a.txt").read_text() == "one\nthree\n"
    fresh = granted_folders.difference("inner/new.txt", "x\n", grants)
    assert fresh.text == "New file inner/new.txt\n+x"
    written = granted_folders.write_file("inner/new.txt", "x\n", fresh.digest, grants)
    assert (written.size, written.path) == (2, "inner/new.txt")
    assert written.text == "2 bytes were written to inner/new.txt."
    assert (tree / "inner" / "new.txt").read_text() == "x\n"


def test_changed_file_is_not_overwritten(tree: Path) -> None:
    grants = grant(tree, writable=True)
    shown = granted_folders.difference("a.txt", "mine", grants)
    (tree / "a.txt").write_text("theirs")
    with pytest.raises(ToolError, match="has changed"):
        granted_folders.write_file("a.txt", "mine", shown.digest, grants)
    assert (tree / "a.txt").read_text() == "theirs"
    assert sorted(p.name for p in tree.iterdir()) == ["a.txt", "inner", "link", "out"]


@pytest.mark.parametrize("path", ["link", "out/secret", "../secret", "inner", "", "out/new"])
def test_files_outside_granted_folder_are_not_written(tree: Path, path: str) -> None:
    grants = grant(tree, writable=True)
    for work in (
        granted_folders.difference,
        lambda p, t, g: granted_folders.write_file(p, t, "", g),
    ):
        with pytest.raises(ToolError):
            work(path, "x", grants)
    assert (tree.parent / "secret").read_text() == "secret"
    assert not (tree.parent / "new").exists()


def test_read_only_folder_is_not_written(tree: Path) -> None:
    with pytest.raises(ToolError, match="read-only"):
        granted_folders.write_file("a.txt", "x", "", grant(tree))


ODD = {
    "the last line's end": ("a\nb\n", "a\nb"),
    "a line's end becomes CR LF": ("a\nb\n", "a\r\nb\n"),
    "a lone CR": ("# a comment\n", "# a\rcomment\n"),
    "a vertical tab": ("# no\x0bcode()\n", "# no\ncode()\n"),
    "next line": ("# no\x85code()\n", "# no\ncode()\n"),
    "a line separator": ("# no\u2028code()\n", "# no\ncode()\n"),
    "a paragraph separator": ("# a\n", "# a\u2029\n"),
    "file separators": ("a\x1cb\x1db\x1e\n", "a\nb\nb\n"),
    "a form feed": ("a\x0cb\n", "a\nb\n"),
    "a byte order mark": ("\ufeffa\n", "a\n"),
    "nothing": ("", "\n"),
    "a hidden joiner": ("name = 1\n", "na\u200dme = 1\n"),
    "the other direction": ("a\n", "a\u202e\n"),
    "a blank": ("a b\n", "a\xa0b\n"),
}


@pytest.mark.parametrize("what", ODD)
def test_diff_shows_every_changed_byte(tree: Path, what: str) -> None:
    """Diffs compare bytes: only LF ends a line, and invisible characters are escaped."""
    old, new = ODD[what]
    grants = grant(tree, writable=True)
    (tree / "a.txt").write_bytes(old.encode())
    shown = granted_folders.difference("a.txt", new, grants)
    changed = [line for line in shown.text.split("\n")[3:] if line[:1] in ("+", "-")]
    assert changed, shown.text
    assert shown.text.replace("\n", "").isprintable(), "what is shown hides nothing"
    granted_folders.write_file("a.txt", new, shown.digest, grants)
    assert (tree / "a.txt").read_bytes() == new.encode()
    same = granted_folders.difference("a.txt", new, grants)
    assert same.text == "No changes"


def test_diff_determines_both_files() -> None:
    """Both files can be reconstructed byte for byte from the diff of random texts."""
    chance = random.Random(4)
    pieces = ["a", "b", "\n", "\n", "\r\n", "\t", "é", "\\"]
    for _ in range(200):
        old, new = ("".join(chance.choices(pieces, k=chance.randint(1, 12))) for _ in range(2))
        if old == new:
            continue
        told = granted_folders._unified_diff(
            "a.txt", granted_folders.FileChange(old.encode(), new.encode(), 0)
        )
        lines = told.replace("\n\\ No newline at end of file", "\0").split("\n")[2:]
        both = granted_folders._uses_crlf(old.encode()) and granted_folders._uses_crlf(new.encode())
        for sign, whole in ((" -", old), (" +", new)):
            kept = [x[1:] for x in lines if x[:1] in sign and not x.startswith("@@")]
            back = "".join(x[:-1] if x.endswith("\0") else x + "\n" for x in kept)
            back = back.replace("\\r", "\r") if not both else back.replace("\n", "\r\n")
            assert back == whole, (old, new, told)


def test_edit_keeps_line_endings_and_permissions(tree: Path) -> None:
    """CR LF is kept if the model omits it, and private files stay private."""
    grants, file = grant(tree, writable=True), tree / "a.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    file.chmod(0o600)
    assert granted_folders.difference("a.txt", "one\ntwo\n", grants).text == "No changes"
    shown = granted_folders.difference("a.txt", "one\nthree\n", grants)
    assert shown.text.split("\n")[-3:] == [" one", "-two", "+three"]
    granted_folders.write_file("a.txt", "one\nthree\n", shown.digest, grants)
    assert file.read_bytes() == b"one\r\nthree\r\n"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o755)
    shown = granted_folders.difference("a.txt", "x", grants)
    granted_folders.write_file("a.txt", "x", shown.digest, grants)
    assert file.stat().st_mode & 0o777 == 0o755


def test_non_utf_8_file_is_not_overwritten(tree: Path) -> None:
    """Such bytes can't be displayed as text, so overwriting them would change the file unseen."""
    grants = grant(tree, writable=True)
    (tree / "a.txt").write_bytes("Grüße\n".encode("latin-1"))
    with pytest.raises(ToolError, match="isn’t UTF-8"):
        granted_folders.difference("a.txt", "Gr\ufffd\ufffde\n", grants)
    with pytest.raises(ToolError, match="isn’t UTF-8"):
        granted_folders.write_file("a.txt", "x", "", grants)
    with pytest.raises(ToolError, match="a file can’t hold"):
        granted_folders.difference("b.txt", "\ud800", grants)


def test_diff_takes_bounded_steps(tree: Path) -> None:
    """`difflib` would take hours for 100,000 lines with two different contents."""
    grants, chance = grant(tree, writable=True), random.Random(1)
    old, new = ("".join(chance.choices(("a\n", "b\n"), k=90_000)) for _ in range(2))
    (tree / "a.txt").write_text(old)
    shown = granted_folders.difference("a.txt", new, grants).text.split("\n")[2:]
    for sign, whole in ((" -", old), (" +", new)):
        assert "".join(f"{x[1:]}\n" for x in shown if x[:1] in sign) in whole
    matcher = Matcher(old.split("\n"), new.split("\n"), 100_000)
    assert matcher.steps <= 100_000
    some = [f"{number}\n" for number in range(50_000)]
    other = [*some[:100], "more\n", *some[100:40_000], *some[40_001:]]
    opcodes = Matcher(some, other, 100_000).opcodes
    assert [kind for kind, *_ in opcodes] == ["equal", "insert", "equal", "delete", "equal"]


def test_only_the_shown_change_is_made(tree: Path) -> None:
    """The digest covers the path, the old bytes and the new bytes, also for new files."""
    grants = grant(tree, writable=True)
    shown = granted_folders.difference("new.txt", "harmless\n", grants)
    for path, text in (("new.txt", "harmful\n"), ("other.txt", "harmless\n")):
        with pytest.raises(ToolError, match="has changed"):
            granted_folders.write_file(path, text, shown.digest, grants)
        with pytest.raises(ToolError, match="has changed"):
            granted_folders.write_file(path, text, "", grants)
    assert not (tree / "new.txt").exists()
    (tree / "new.txt").write_text("")
    with pytest.raises(ToolError, match="has changed"):
        granted_folders.write_file("new.txt", "harmless\n", shown.digest, grants)
    shown = granted_folders.difference("a.txt", "harmless\n", grants)
    with pytest.raises(ToolError, match="has changed"):
        granted_folders.write_file("a.txt", "harmful\n", shown.digest, grants)
    assert (tree / "a.txt").read_text() == "one\nTwo words\n"


def test_edit_keeps_concurrent_changes(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is compared again right before it is replaced, and new files never replace existing
    files.
    """
    grants = grant(tree, writable=True)
    shown = granted_folders.difference("a.txt", "mine\n", grants)
    real = granted_folders._write

    def meanwhile(folder: int, name: str, *rest: Any) -> None:
        (tree / aim).write_text("theirs")
        real(folder, name, *rest)

    monkeypatch.setattr(granted_folders, "_write", meanwhile)
    for aim in ("a.txt", "new.txt"):
        if aim == "new.txt":
            shown = granted_folders.difference(aim, "mine\n", grants)
        with pytest.raises(ToolError, match="has changed"):
            granted_folders.write_file(aim, "mine\n", shown.digest, grants)
        assert (tree / aim).read_text() == "theirs"
    names = sorted(p.name for p in tree.iterdir())
    assert names == ["a.txt", "inner", "link", "new.txt", "out"]


def test_python_tool_needs_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    tools = BuiltinTools()
    assert "python" not in [tool.name for tool in tools.tools]
    assert "safely" in tools.unavailable_messages[0]


def test_every_call_ends_in_a_result() -> None:
    tools = BuiltinTools()
    assert tools.run("date", {}, CallContext()).result(20).error is False
    assert tools.run("calculate", {"expression": 3}, CallContext()).result(20).error
    assert tools.run("read_file", {}, CallContext()).result(20).error
    preview = tools.preview("write_file", {"path": "/x", "text": "y"}, CallContext())
    found = preview.result(20)
    assert isinstance(found, Obstacle)
    assert "isn’t in a folder" in found.words
    assert tools.preview("date", {}, CallContext()) is None
    tools.shut_down()


@pytest.mark.parametrize("name", ["a\0b", "\udc80", "n" * 9000])
def test_invalid_path_is_reported(tmp_path: Path, name: str) -> None:
    tools = BuiltinTools()
    context = CallContext((Grant("chat", tmp_path.resolve(), True, 0.0),))
    arguments = {"path": f"{tmp_path.resolve()}/{name}", "text": "\ud800"}
    preview = tools.preview("write_file", arguments, context)
    found = preview.result(20)
    assert isinstance(found, Obstacle)
    assert found.words
    assert tools.run("write_file", arguments, context).result(20).error
    tools.shut_down()


@pytest.fixture
def _in_brackets() -> Iterator[None]:
    language.install(lambda text, comment, n: f"[{text}]")
    yield
    language.install(None)


@pytest.mark.usefixtures("_in_brackets")
def test_users_get_translations_and_models_english(tree: Path) -> None:
    own, context = BuiltinTools(), CallContext(grant(tree))
    new = {"path": str(tree / "new.txt"), "text": "x"}
    preview = own.preview("write_file", new, context)
    english = "This folder may only be read. The person can allow writing."
    place = short_path(tree.resolve())
    shown = f"[“{place}” is read-only in this chat.]"
    assert preview.result(5) == Obstacle(shown, english, tree.resolve())
    result = own.run("write_file", new, context).result(5)
    assert (result.text, result.shown) == (english, shown)
    elsewhere = own.run("read_file", {"path": "/x{y}"}, context).result(5)
    assert elsewhere.text == f"This is in no granted folder. Granted are: {tree.resolve()}"
    assert elsewhere.shown == "[“/x{y}” isn’t in a folder of this chat.]"


@pytest.mark.usefixtures("_in_brackets")
def test_reason_has_language_of_its_error() -> None:
    why = ToolError("{server} has ended.", server="files")
    error = ToolError("{why} It is started again in {seconds} s.", why=why, seconds="4")
    assert str(error) == "[[files has ended.] It is started again in 4 s.]"
    assert error.model_text == "files has ended. It is started again in 4 s."


def test_arguments_are_shown_completely() -> None:
    assert to_readable_json('{"a": "b\u202ec\\u001b"}') == '{\n  "a": "b\\u202ec\\u001b"\n}'
    assert to_readable_json("no json \u200b") == "no json \\u200b"


def test_new_tool_asks_each_time() -> None:
    assert builtin_tool("new", "Is new.", lambda a, c: "").tool.asks_each_time
    asking = {each.tool.name for each in (*STANDARD, PYTHON) if each.tool.asks_each_time}
    assert asking == {"write_file", "python"}


def test_tool_of_the_chat_never_runs_in_a_thread() -> None:
    assert (DATE, HELPERS) == ("Stretto/date", "Stretto/ask_helpers")
    assert [each.tool.key for each in STANDARD if each.work is None] == [HELPERS]
    with pytest.raises(AssertionError):
        BuiltinTools(STANDARD).run("ask_helpers", {"questions": ["a"]}, CallContext())
