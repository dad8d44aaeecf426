"""Config file for tool servers, in the ``mcpServers`` format of other apps."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from app.settings.language import mark, tr
from app.tools.tool import BUILT_IN, ToolError, to_visible_line
from engine.files import replace_text
from engine.text.invisible import is_visible

CALL_S = 60.0
LONGEST_CALL_S = 3600.0
_LONGEST_FILE = 1_000_000
_MAPS = ("mcpServers", "servers", "context_servers")
_HTTP = {"http", "streamable-http", "streamableHttp", "streamable_http"}


class ServerConfig(Struct, frozen=True):
    name: str
    # Program to run, without a shell.
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()  # additional environment variables
    cwd: str = ""  # working directory, empty means the home folder
    url: str = ""  # URL, for streamable HTTP
    headers: tuple[tuple[str, str], ...] = ()  # sent with every HTTP request
    timeout: float = CALL_S  # timeout of a call in seconds
    enabled: bool = True  # offer its tools to models

    @property
    def display_text(self) -> str:
        if self.url:
            return self.url
        words = [
            json.dumps(to_visible_line(w), ensure_ascii=False) for w in (self.command, *self.args)
        ]
        return " ".join(words)

    def to_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {}
        if self.url:
            entry = {"type": "http", "url": self.url}
            if self.headers:
                entry["headers"] = dict(self.headers)
        else:
            entry = {"command": self.command, "args": list(self.args)}
            if self.env:
                entry["env"] = dict(self.env)
            if self.cwd:
                entry["cwd"] = self.cwd
        if self.timeout != CALL_S:
            entry["timeout"] = self.timeout
        if not self.enabled:
            entry["disabled"] = True
        return entry


class ParsedServers(Struct, frozen=True):
    servers: tuple[ServerConfig, ...] = ()
    problems: tuple[str, ...] = ()


def read_text(text: str) -> ParsedServers:
    """Return servers from text: an entire file, its inner part, or a single entry.

    Raises ToolError if the text can't be parsed at all.
    """
    if len(text) > _LONGEST_FILE:
        raise ToolError(mark("The list of servers is larger than 1 MB."))
    value = _parse_json(text)
    for name in _MAPS:
        if isinstance(value.get(name), dict):
            value = value[name]
            break
    if not value:
        return ParsedServers()
    if isinstance(value.get("command"), str) or isinstance(value.get("url"), str):
        raise ToolError(mark('The server has no name. Write it as {"name": {"command": …}}.'))
    servers, problems = [], []
    names: dict[str, str] = {}
    for name, entry in value.items():
        try:
            server = _server(name, entry)
            if (same := names.setdefault(appearance_of(server.name), server.name)) != server.name:
                raise ToolError(mark("its name looks like that of “{other}”"), other=same)
            servers.append(server)
        except ToolError as error:
            problems.append(f"{to_visible_line(str(name))[:60]}: {error}")
    return ParsedServers(tuple(servers), tuple(problems))


def to_text(servers: Iterable[ServerConfig]) -> str:
    entries = {server.name: server.to_json() for server in servers}
    return json.dumps({"mcpServers": entries}, indent=2, ensure_ascii=False) + "\n"


def read_file(path: Path) -> ParsedServers:
    """Return the servers in a file. A missing file has no servers."""
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST_FILE + 1).decode()
    except FileNotFoundError:
        return ParsedServers()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or tr("it isn’t UTF-8 text")
        raise ToolError(mark("{path} couldn’t be read: {why}."), path=path, why=reason) from error
    return read_text(text)


def write_file(path: Path, servers: Iterable[ServerConfig]) -> None:
    """Write the file atomically, readable only by the owner, because it may contain keys."""
    try:
        replace_text(path, to_text(servers))
    except OSError as error:
        reason = error.strerror
        raise ToolError(mark("The tool servers couldn’t be saved: {why}."), why=reason) from error


def find_other_apps_files(home: Path | None = None) -> dict[str, Path]:
    """Return existing server files of other apps, by the app's name."""
    home = home or Path.home()
    system = home / ("Library/Application Support" if sys.platform == "darwin" else ".config")
    places = {
        "Claude Desktop": system / "Claude" / "claude_desktop_config.json",
        "Claude Code": home / ".claude.json",
        "Cursor": home / ".cursor" / "mcp.json",
        "VS Code": system / "Code" / "User" / "mcp.json",
        "Windsurf": home / ".codeium" / "windsurf" / "mcp_config.json",
        "LM Studio": home / ".lmstudio" / "mcp.json",
        "Gemini CLI": home / ".gemini" / "settings.json",
        "Zed": home / ".config" / "zed" / "settings.json",
    }
    return {name: path for name, path in places.items() if path.is_file()}


def _parse_json(text: str) -> dict[str, Any]:
    """Parse a JSON object. Braces may be missing around a single entry."""
    text = text.strip().removeprefix("\ufeff").rstrip(",")
    if not text:
        return {}
    if not text.startswith(("{", "[")):
        text = "{" + text + "}"
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        words = mark("This isn’t valid JSON: {why}, line {line}.")
        raise ToolError(words, why=error.msg, line=error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise ToolError(mark("This JSON isn’t a list of servers.")) from error
    if not isinstance(value, dict):
        raise ToolError(mark('This isn’t a list of servers. It begins with {"mcpServers": …}.'))
    return value


def _server(name: object, entry: object) -> ServerConfig:
    if not isinstance(name, str) or not name.strip() or len(name) > 60 or not is_visible(name):
        raise ToolError(mark("the name must have 1 to 60 visible characters"))
    if "/" in name or pronounceable_form(name) == pronounceable_form(BUILT_IN):
        words = mark("the name can’t contain “/” or be “{name}”")
        raise ToolError(words, name=BUILT_IN)
    if not isinstance(entry, dict):
        raise ToolError(mark("the entry isn’t an object"))
    kind, url, command = entry.get("type"), entry.get("url"), entry.get("command")
    url = url or entry.get("httpUrl") or entry.get("serverUrl")
    timeout = entry.get("timeout", CALL_S)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise ToolError(mark("timeout must be a number of seconds"))
    seconds = min(float(timeout), LONGEST_CALL_S)
    on = not (entry.get("disabled") is True or entry.get("enabled") is False)
    if kind == "sse":
        raise ToolError(mark("“sse” servers aren’t supported; use the “http” address"))
    if isinstance(url, str) and (kind is None or kind in _HTTP) and not command:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not is_visible(url):
            raise ToolError(mark("url must begin with https:// or http://"))
        headers = _parse_texts("headers", entry.get("headers"))
        return ServerConfig(name, url=url, headers=headers, timeout=seconds, enabled=on)
    if not isinstance(command, str) or not command.strip() or kind not in (None, "stdio"):
        raise ToolError(mark("the entry has no command and no url"))
    args = entry.get("args", [])
    if not isinstance(args, list) or not all(isinstance(argument, str) for argument in args):
        raise ToolError(mark("args must be a list of strings"))
    if any("\0" in argument for argument in (command, *args)):
        raise ToolError(mark("the command contains a null character"))
    cwd = entry.get("cwd") or ""
    if not isinstance(cwd, str):
        raise ToolError(mark("cwd must be a folder"))
    env = _parse_texts("env", entry.get("env"))
    return ServerConfig(name, command, tuple(args), env, cwd, timeout=seconds, enabled=on)


def pronounceable_form(name: str) -> str:
    """Return a name's letters and digits as people read them, with lookalikes unified."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(_ALIKE)
    plain = unicodedata.normalize("NFKD", plain)
    return "".join(c for c in plain if c.isalnum())


def appearance_of(name: str) -> str:
    """Return a name's appearance, so that names that look the same compare equal.

    Consents are displayed and stored by server name.
    """
    plain = " ".join(unicodedata.normalize("NFKC", name).split())
    return "".join(c if c.isascii() else _to_latin(c) for c in plain)


def _to_latin(letter: str) -> str:
    latin = _ALIKE.get(ord(folded)) if len(folded := letter.casefold()) == 1 else None
    return (latin.upper() if letter.isupper() else latin) if latin else letter


# Letters and digits that look like a Latin letter, including Cyrillic and Greek.
_ALIKE = {
    ord(other): latin
    for latin, lookalikes in {
        "a": "\u0430\u03b1\u0251",
        "b": "\u044c\u0432\u0185",
        "c": "\u0441\u03f2\u1d04",
        "d": "\u0501\u0257",
        "e": "\u0435\u04bd\u03b5\u0454\u025b\u212e\u1d073",
        "f": "\u0493\u017f",
        "g": "\u0261\u0581\u050d",
        "h": "\u04bb\u0570\u043d\u029c",
        "i": "\u0456\u03b9\u0131\u0269",
        "j": "\u0458\u03f3",
        "k": "\u043a\u03ba\u1d0b",
        "l": "1|\u04cf\u217c\u026d",
        "m": "\u043c\u1d0d",
        "n": "\u043f\u0578\u03b7\u0274",
        "o": "\u043e\u03bf\u0585\u03c30\u1d0f",
        "p": "\u0440\u03c1",
        "q": "\u051b\u0566",
        "r": "\u0433\u0280\u1d26\uab47",
        "s": "\u0455\ua731\u02825",
        "t": "\u0442\u03c4\u1d1b\u02887",
        "u": "\u03c5\u057d\u1d1c\u0446",
        "v": "\u0475\u03bd\u1d20",
        "w": "\u0461\u051d\u03c9\u026f\u1d21\u0448",
        "x": "\u0445\u03c7",
        "y": "\u0443\u03b3\u04af\u028f",
        "z": "\u1d22\u0290",
    }.items()
    for other in lookalikes
}


def _parse_texts(label: str, value: object) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
        raise ToolError(mark("{what} must be an object of strings"), what=label)
    if any("\0" in k or "=" in k or "\0" in v for k, v in value.items()):
        raise ToolError(mark("{what} contains a name or value that isn’t valid"), what=label)
    return tuple(value.items())
