"""Bounds on the cost of processing data from users, pages, models and servers.

Much of this work holds the GIL until it ends, which blocks the window and every chat. So each place
has one of three bounds: it scans its input a fixed number of times, it refuses input with too many
bytes or parts, or it runs in a child process with a time limit. These tests give each place its
worst known input, in a process with a CPU time limit. Without a bound it would exceed this limit by
orders of magnitude.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

SECONDS = 20
"""CPU seconds for all inputs of a place. Each input takes less than one."""
MB = 1_000_000


@dataclass(frozen=True)
class Place:
    """A place that processes input.

    Attributes:
        work: function under test, called with an input.
        inputs: worst known inputs.
    """

    bound: str
    work: Callable[[str], object]
    inputs: Callable[[], list[str]]


def _tried(*kinds: type[Exception]) -> Any:
    return contextlib.suppress(*kinds)


def _calculator(text: str) -> None:
    from app.tools.builtin import calculate
    from app.tools.tool import ToolError

    with _tried(ToolError):
        calculate(text)


def _difference(text: str) -> None:
    from app.tools.granted_folders import FileChange, _unified_diff

    old, _, new = text.partition("\0")
    _unified_diff("a", FileChange(old.encode(), new.encode(), 0))


def _pattern(text: str) -> None:
    import fnmatch

    from app.tools import granted_folders
    from app.tools.tool import ToolError

    with _tried(ToolError):
        granted_folders.search_files(text, "", "", [])
    fnmatch.fnmatch("a" * 255, text[: granted_folders._LONGEST_PATTERN])


def _charset(text: str) -> None:
    from app.tools.fetch import _decode

    _decode(b"a-" * MB, f"text/plain; charset={text}")


def _arguments(text: str) -> None:
    from app.chats.tool_call import find_argument_error
    from app.tools.tool import clean, to_readable_json, to_visible_line

    find_argument_error(text), to_readable_json(text), clean(text), to_visible_line(text)


def _message(text: str) -> None:
    import anyio

    from app.tools import message_limits, transports

    anyio.run(transports._parse_message, text.encode(), message_limits.RateLimit(10**9))


def _form(text: str) -> None:
    from app.tools.questions import make_form_question
    from app.tools.tool import ToolError

    for kind in ("email", "uri", "date", "date-time"):
        field = {"type": "string", "format": kind, "default": text, "title": text}
        with _tried(ToolError):
            make_form_question(
                "server", text, {"type": "object", "properties": {"a": field, text: field}}
            )


def _remote(text: str) -> None:
    from app.remote.remote_errors import RemoteError
    from app.remote.stream import ReplyReader

    with _tried(RemoteError):
        ReplyReader("host").feed(text)


def _compared(text: str) -> None:
    from app.chats.differences import differences

    one, _, other = text.partition("\0")
    differences(one, other)


def _indexed(text: str) -> None:
    from app.store.index import displayed_text

    displayed_text(text)


def _spelt(text: str) -> None:
    from app.spelling.speller import words

    list(words(text))


def _titled(text: str) -> None:
    from app.chats.title_generator import extract_title

    extract_title(text[: MB // 100], "a question", "an answer")


def _colored(text: str) -> None:
    from app.markdown.highlight import HIGHLIGHT_LIMIT, highlight

    language, _, code = text.partition("\0")
    list(highlight(code[:HIGHLIGHT_LIMIT], language))


def _optimistic(text: str) -> None:
    from app.markdown.inline import close_markup

    close_markup(text)


def _servers(text: str) -> None:
    from app.tools.servers import read_text
    from app.tools.tool import ToolError

    with _tried(ToolError):
        read_text(text)


def _chosen(*pairs: tuple[str, int]) -> Callable[[], list[str]]:
    return lambda: [text * count for text, count in pairs]


def _two_kinds() -> list[str]:
    import random

    chance = random.Random(1)
    halves = ("".join(chance.choices(("a\n", "b\n"), k=90_000)) for _ in range(2))
    return ["\0".join(halves), "a\n" * 90_000 + "\0" + "b\na\n" * 45_000]


def _two_words() -> list[str]:
    import random

    chance = random.Random(1)
    return ["\0".join(" ".join(chance.choices("ab", k=9_000)) for _ in range(2))]


STRUCTURE = '{"jsonrpc":"2.0","id":1,"result":{"a":[' + "[1]," * (10 * MB) + "1]}}"

PLACES = {
    "calculator": Place(
        "numbers of 4,096 bits; each function is bounded by them",
        _calculator,
        lambda: [
            *("round(7, -10**9)", "9**9**9", "gcd(*[1])", "2**-1e308", "round(1e308, -10**18)"),
            *("(" * 499 + "1" + ")" * 499, "*".join(["9" * 60] * 16), "~" * 1000, "-" * 999 + "1"),
        ],
    ),
    "difference of a file": Place(
        "200 kB each; ten million steps, then the rest counts as changed", _difference, _two_kinds
    ),
    "names that are searched for": Place(
        "255 characters", _pattern, lambda: ["*a" * 127, "*" * 255, "[" * 255, "x" * MB]
    ),
    "charset of a web page": Place(
        "those of the web only", _charset, lambda: ["punycode", "idna", "utf-7", "unicode_escape"]
    ),
    "arguments of a call": Place(
        "JSON in one pass, linear patterns",
        _arguments,
        _chosen(("[", MB // 5), ("\x1b[0", MB // 9), ("\x1b]", MB // 9), ("\u202e", MB // 9)),
    ),
    "message of a server of tools": Place(
        "64 MB, 200,000 parts, lists of 2,000: counted before it is read",
        _message,
        lambda: [
            STRUCTURE,
            '{"jsonrpc":"2.0","id":1,"result":' + "[" * MB,
            '{"jsonrpc":"2.0","id":1,"result":{"content":['
            + '{"type":"tex"},' * 60_000
            + '{"type":"text","text":""}]}}',
            '{"a":"' + "\\" * (4 * MB),
        ],
    ),
    "form of a server of tools": Place(
        "40 fields, texts of 100,000 characters, e-mail addresses of 320",
        _form,
        lambda: ["a@" + "." * 99_000 + "@", "\x1b[31m" * 300_000, "9" * 99_000, "a:" * 49_000],
    ),
    "event of a remote model": Place(
        "4 MB, 200,000 parts: counted before it is read",
        _remote,
        lambda: ["[" + "[1]," * MB + "1]", "[" * MB, '{"a":' * 300_000],
    ),
    "two answers, word by word": Place("3,000 words of each", _compared, _two_words),
    "text for the search": Place(
        "linear patterns",
        _indexed,
        _chosen(
            ("\t", 200_000), ("\tx\t", 60_000), ("[", 200_000), ("`a``", 50_000), ("*a_", 60_000)
        ),
    ),
    "words whose spelling is looked at": Place(
        "linear patterns",
        _spelt,
        _chosen(("a-", 60_000), ("`a``", 20_000), ("a'", 60_000), ("```\n", 20_000)),
    ),
    "title that a model said": Place(
        "some tokens of an answer",
        _titled,
        _chosen(("<think>", 2_000), ("**[a](", 2_000), ("a", MB)),
    ),
    "code that is colored": Place(
        "20,000 characters, and a clock between its pieces",
        _colored,
        lambda: [
            f"{name}\0" + text * 20_000
            for name in ("python", "html", "perl", "c++")
            for text in ("(", '"', "<!--", "a ")
        ],
    ),
    "Markdown that has not ended": Place(
        "linear patterns",
        _optimistic,
        _chosen(("[](", 60_000), ("`a``", 50_000), ("**a_", 50_000), ("![", 90_000), ("$", 99_000)),
    ),
    "list of servers": Place(
        "1 MB", _servers, lambda: ['{"a":' * 160_000, "[[1]," * 190_000, '{"' + "a" * 999_000]
    ),
}


ALL = """
import json, os, resource, sys
import anyio, mcp.types, app.chats.differences, app.chats.title_generator, app.chats.tool_call
import app.markdown.highlight, app.markdown.inline, app.remote.stream, app.spelling.speller
import app.store.index, app.tools.builtin, app.tools.fetch, app.tools.granted_folders
import app.tools.questions, app.tools.servers, app.tools.transports
from tests.test_bounds import PLACES, SECONDS
for name, place in PLACES.items():
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        for given in place.inputs():
            place.work(given)
            os.write(2, f"{name}: {ascii(given[:40])}\\n".encode())
        os._exit(0)
    print(json.dumps([name, os.waitpid(child, 0)[1]]), flush=True)
"""
"""Program that imports common modules once, before it forks a child per place."""


@pytest.fixture(scope="module")
def tried() -> tuple[dict[str, int], str]:
    ran = subprocess.run([sys.executable, "-c", ALL], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-1500:]
    return dict(json.loads(line) for line in ran.stdout.splitlines()), ran.stderr


@pytest.mark.parametrize("name", PLACES)
def test_cost_of_received_data_is_bounded(name: str, tried: tuple[dict[str, int], str]) -> None:
    """The kernel kills the child when its time is up, even if it holds the GIL."""
    ended, said = tried
    done = [line for line in said.splitlines() if line.startswith(f"{name}: ")]
    assert ended[name] == 0, f"after {done[-1:]}: {said[-1500:]}"
    assert done
